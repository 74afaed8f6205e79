"""Configure the agents: the address of the API, and the tools that each is made to call.

Each agent lists a folder, which adds a line to a file, reads a JSON file, and edits it. So the
files in the folder show how often each tool ran.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lton.chat.records import ApiName

ROOT = Path(__file__).parents[3]
Version: TypeAlias = Literal["pinned", "newest"]
FOLDERS: Mapping[Version, Sequence[Path]] = {
    "pinned": (
        ROOT / "build" / "npm-agents" / "node_modules" / ".bin",
        ROOT / ".nox" / "aider" / "bin",
    ),
    "newest": (
        ROOT / "build" / "npm-agents-newest" / "node_modules" / ".bin",
        ROOT / ".nox" / "aider-newest" / "bin",
    ),
}
"""The folders of the agents' programs. npm's also have the node that runs these agents."""
PROGRAMS = FOLDERS["pinned"]
TASK = "List the folder, read people.json, and rename Ada to Grace in it."
_NAMES = enumerate(["Ada", "Bo", "Cy", "Di", "Ed"], 1)
PEOPLE = json.dumps([{"id": n, "name": name, "role": "engineer"} for n, name in _NAMES], indent=1)
PEOPLE += "\n"
LISTING = "ls && echo listed >> listed.txt"
Calls: TypeAlias = Sequence[tuple[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Agent:
    """An agent; `@URL` in its arguments is replaced with the address of an API."""

    name: str
    api: ApiName
    command: Sequence[str]
    direct: Sequence[str] = ()
    """What is said after the program to point it at an API without `lton wrap`."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The same as variables."""
    wrapped: str | None = None
    """The name by which `lton wrap` knows it."""
    calls: Calls = ()
    """What it is made to call; a text instead of arguments is the input of a custom tool."""
    last: str = "Done."
    refused: Mapping[str, str] = field(default_factory=dict)
    """The modes in which its requests are refused, each with what it is told."""


def prepare(folder: Path) -> None:
    """Create the folder in which an agent works."""
    folder.mkdir(parents=True)
    (folder / "people.json").write_text(PEOPLE)
    (folder / "notes.txt").write_text("Nothing yet.\n")


def read_files(folder: Path) -> dict[str, str]:
    """Return the files of a folder, except those that agents write for themselves."""
    files = (path for path in folder.rglob("*") if path.is_file())
    files_by_name = {str(file.relative_to(folder)): file.read_text() for file in files}
    return {name: text for name, text in files_by_name.items() if not name.startswith(".")}


def expected_files(agent: "Agent") -> dict[str, str]:
    """Return the files of a folder in which each tool ran once."""
    edited = {"people.json": PEOPLE.replace("Ada", "Grace"), "notes.txt": "Nothing yet.\n"}
    return edited | ({"listed.txt": "listed\n"} if agent.calls else {})


_OLD, _NEW = "@SHOWN", "@RENAMED"
"""The line with Ada as the model was shown it, and the same with another name: see `upstream`."""
_PATCH = f"*** Begin Patch\n*** Update File: people.json\n@@\n-{_OLD}\n+{_NEW}\n*** End Patch\n"


def _codex(model: str, *options: str) -> dict[str, Any]:
    run = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    provider = '{name="own", base_url="@URL/v1", env_key="OPENAI_API_KEY", wire_api="responses"}'
    return {
        "api": "responses",
        "command": ["codex", *run, "-m", model, *options, TASK],
        "direct": ["-c", 'model_provider="own"', "-c", f"model_providers.own={provider}"],
        "wrapped": "codex",
    }


def _opencode(provider: str, model: str, api: ApiName) -> Agent:
    own: Any = {"options": {"baseURL": "@URL/v1", "apiKey": "k"}}
    if provider == "own":
        own |= {"npm": "@ai-sdk/openai-compatible", "models": {model: {"name": model}}}
    config = {"provider": {provider: own}, "autoupdate": False, "share": "disabled"}
    return Agent(
        name=f"opencode, {'OpenAI-compatible' if provider == 'own' else 'Anthropic'}",
        api=api,
        command=["opencode", "run", "--auto", "-m", f"{provider}/{model}", TASK],
        variables={"OPENCODE_CONFIG_CONTENT": json.dumps(config)},
        wrapped="opencode",
        calls=[
            ("bash", {"command": LISTING}),
            ("read", {"filePath": "FOLDER/people.json"}),
            ("edit", {"filePath": "FOLDER/people.json", "oldString": _OLD, "newString": _NEW}),
        ],
    )


def _loop(name: str, api: ApiName, variable: str, path: str) -> Agent:
    return Agent(
        name=name,
        api=api,
        command=[sys.executable, "-m", "tests.extra.agents.loops", api, TASK],
        variables={variable: f"@URL{path}", "PYTHONPATH": str(ROOT)},
        calls=[
            ("list_folder", {"path": "."}),
            ("read_file", {"path": "people.json"}),
            ("edit_file", {"path": "people.json", "old": _OLD, "new": _NEW}),
        ],
    )


_SHELL = [("exec_command", {"cmd": LISTING}), ("exec_command", {"cmd": "cat people.json"})]
_EDIT = {"file_path": "FOLDER/people.json", "old_string": _OLD, "new_string": _NEW}
AGENTS = [
    Agent(
        name="Codex CLI",
        **_codex("gpt-5.5"),
        calls=[*_SHELL, ("apply_patch", _PATCH)],
        refused={"other": "use a server that has /v1/responses", "lton": "use --calls native"},
    ),
    Agent(
        name="Codex CLI, functions alone",
        **_codex("gpt-5", "--disable", "multi_agent", "-c", 'web_search="disabled"'),
        calls=[*_SHELL, ("exec_command", {"cmd": f"sed -i 's/{_OLD}/{_NEW}/' people.json"})],
    ),
    Agent(
        name="Claude Code",
        api="messages",
        command=["claude", "-p", "--dangerously-skip-permissions", TASK],
        variables={"ANTHROPIC_BASE_URL": "@URL"},
        wrapped="claude",
        calls=[
            ("Bash", {"command": LISTING}),
            ("Read", {"file_path": "FOLDER/people.json"}),
            ("Edit", _EDIT),
        ],
    ),
    _opencode("own", "m", "chat"),
    _opencode("anthropic", "claude-sonnet-4-5", "messages"),
    Agent(
        name="qwen-code",
        api="chat",
        command=["qwen", "--yolo", "--auth-type", "openai", "-m", "qwen3-coder", TASK],
        variables={"OPENAI_BASE_URL": "@URL/v1"},
        wrapped="qwen",
        calls=[
            # It loses the output of a command that ends at once, if the machine is busy.
            ("run_shell_command", {"command": f"{LISTING} && sleep 1", "is_background": False}),
            ("read_file", {"file_path": "FOLDER/people.json"}),
            ("edit", _EDIT),
        ],
    ),
    Agent(
        name="aider",
        api="chat",
        command=[
            "aider",
            *("--no-git", "--yes-always", "--no-check-update", "--analytics-disable"),
            *("--no-show-model-warnings", "--no-show-release-notes", "--no-suggest-shell-commands"),
            *("--model", "openai/gpt-4o", "--message", TASK, "people.json"),
        ],
        variables={"OPENAI_API_BASE": "@URL/v1"},
        wrapped="aider",
        last=f"people.json\n```\n<<<<<<< SEARCH\n{_OLD}\n=======\n{_NEW}\n>>>>>>> REPLACE\n```",
    ),
    _loop("openai (chat completions)", "chat", "OPENAI_BASE_URL", "/v1"),
    _loop("openai (responses)", "responses", "OPENAI_BASE_URL", "/v1"),
    _loop("anthropic", "messages", "ANTHROPIC_BASE_URL", ""),
]
VARIABLES = {
    "OPENAI_API_KEY": "k",
    "ANTHROPIC_API_KEY": "k",
    "IS_SANDBOX": "1",  # Claude Code and root
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
    "ENABLE_TOOL_SEARCH": "true",
}
