"""Define the options that several commands share."""

import argparse
import os

from lton._syntax import FORMS, Form

_TOOLS_HELP = "JSON file with the tool definitions (OpenAI, Anthropic or MCP)"
_TOOLS_VARIABLE = "LTON_TOOLS"


def add_tools(sub: argparse.ArgumentParser, *, is_required: bool = False) -> None:
    """Add the option `--tools`, whose default is an environment variable."""
    default = os.environ.get(_TOOLS_VARIABLE) or None
    about = _TOOLS_HELP if is_required else f"{_TOOLS_HELP}; wire (as a map) and tagged need none"
    sub.add_argument(
        "-t",
        "--tools",
        metavar="FILE",
        default=default,
        required=is_required and not default,
        help=f"{about} (default: ${_TOOLS_VARIABLE})",
    )


def add_form(sub: argparse.ArgumentParser, default: Form = "wire") -> None:
    about = f"the form (default: {default})"
    sub.add_argument("--form", choices=FORMS, default=default, help=about)
