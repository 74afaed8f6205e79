"""The command line: `lton encode|decode|schema|grammar|demo`, on files or standard input."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lton.codec import decode, encode
from lton.demo import run as run_demo
from lton.errors import Code, DecodeError, EncodeError, LTONError
from lton.grammar import to_gbnf, to_lark
from lton.schema import Call, ToolSet

_DIALECTS = {"gbnf": to_gbnf, "lark": to_lark}
_TOOLS_HELP = "JSON file with the tool definitions (OpenAI, Anthropic or MCP)"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; get the exit status: 0, 1 for an error in the input, 2 for usage."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
    except DecodeError as error:
        print(f"lton: {error}\n{error.picture()}", file=sys.stderr)
        return 1
    except (LTONError, OSError, ValueError) as error:  # ValueError: bad UTF-8, bad JSON, options
        print(f"lton: {error}", file=sys.stderr)
        return 1
    return status


# --- commands -----------------------------------------------------------------------------------


def _encode(options: argparse.Namespace) -> int:
    calls = [call for text in _inputs(options.files) for call in _read_calls(text)]
    text = encode(
        calls,
        _tools(options.tools) if options.tools else None,
        form=options.form,
        punctuated=options.punctuated,
        fingerprint=options.fingerprint,
    )
    _write(f"{text}\n" if text else "")
    return 0


def _decode(options: argparse.Namespace) -> int:
    tools = _tools(options.tools) if options.tools else None
    for text in _inputs(options.files):
        for call in decode(text, tools):
            _write(_minified({"name": call.name, "arguments": call.arguments}) + "\n")
    return 0


def _schema(options: argparse.Namespace) -> int:
    for text in _inputs(options.files):
        tools = _read_tools(text)
        if options.json:
            report = {
                "fingerprint": tools.fingerprint,
                "signatures": tools.prompt(descriptions=False).split("\n"),
                "notes": [{"at": note.pointer, "keyword": note.keyword} for note in tools.notes],
            }
            _write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
            continue
        _write(tools.prompt(descriptions=not options.no_descriptions) + "\n")
        for note in tools.notes:
            print(f"lton: not enforced: {note.keyword} (at {note.pointer})", file=sys.stderr)
    return 0


def _grammar(options: argparse.Namespace) -> int:
    for text in _inputs(options.files):
        grammar = _DIALECTS[options.dialect](
            _read_tools(text),
            form=options.form,
            punctuated=options.punctuated,
            parallel=options.parallel,
            count_digits=options.count_digits,
        )
        _write(grammar)
    return 0


def _demo(_: argparse.Namespace) -> int:
    return 1 if run_demo() else 0


# --- input and output ---------------------------------------------------------------------------


def _inputs(files: list[str]) -> Iterator[str]:
    """Get the text of each file; `-`, or no file, is standard input. Line ends stay as they are."""
    for name in files or ["-"]:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        yield data.decode()


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def _tools(file: str) -> ToolSet:
    return _read_tools(next(_inputs([file])))


def _read_tools(text: str) -> ToolSet:
    """Read a list of definitions, one definition, or an object with them under `tools`."""
    definitions = json.loads(text)
    if isinstance(definitions, dict):
        definitions = definitions.get("tools", definitions)
    return ToolSet.from_tools(definitions if isinstance(definitions, list) else [definitions])


def _read_calls(text: str) -> Iterator[Call]:
    """Read calls as `{"name": …, "arguments": …}`: one, a list of them, or one a line."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        values = [json.loads(line) for line in lines]
    for value in values if isinstance(values, list) else [values]:
        match value:
            case {"name": str(name), "arguments": dict(arguments)}:
                yield Call(name, arguments)
            case _:
                found = _minified(value)[:60]
                msg = f'expected {{"name": …, "arguments": {{…}}}}, found {found}'
                raise EncodeError(Code.VALUE, msg)


def _minified(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# --- usage --------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lton", description="Tool calls in LTON: a compact notation without escaping."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    sub = _command(commands, "encode", _encode, "JSON calls to LTON", _ENCODE_EXAMPLE)
    sub.add_argument("-t", "--tools", metavar="FILE", help=f"{_TOOLS_HELP}; tagged needs none")
    _add_form(sub, "tagged")
    sub.add_argument("--fingerprint", action="store_true", help="add the layout's fingerprint")

    sub = _command(commands, "decode", _decode, "LTON to JSON, one call a line", _DECODE_EXAMPLE)
    sub.add_argument("-t", "--tools", metavar="FILE", help=f"{_TOOLS_HELP}; tagged needs none")

    sub = _command(commands, "schema", _schema, "tool definitions to signatures", _SCHEMA_EXAMPLE)
    sub.add_argument("--no-descriptions", action="store_true", help="signatures only")
    sub.add_argument("--json", action="store_true", help="fingerprint, signatures and notes")

    sub = _command(commands, "grammar", _grammar, "tool definitions to a grammar", _GRAMMAR_EXAMPLE)
    sub.add_argument("--dialect", choices=_DIALECTS, default="gbnf", help="default: gbnf")
    _add_form(sub)
    sub.add_argument("--parallel", action="store_true", help="one call or more, one a line")
    sub.add_argument(
        "--count-digits",
        type=int,
        choices=range(5),
        default=0,
        help="let in counted strings with lengths of so many digits (default: 0)",
    )

    _command(commands, "demo", _demo, "the whole path, with a real model", _DEMO_EXAMPLE)
    return parser


def _command(
    commands: Any, name: str, run: Callable[..., int], summary: str, example: str
) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sub.set_defaults(command=run)
    if name != "demo":
        sub.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    return sub


def _add_form(sub: argparse.ArgumentParser, *more: str) -> None:
    forms = ("wire", "keyed", *more)
    sub.add_argument("--form", choices=forms, default="wire", help="default: wire")
    sub.add_argument(
        "--punctuated", action="store_true", help="the keyed form with parentheses and commas"
    )


_ENCODE_EXAMPLE = """\
  $ echo '{"name":"weather.v1","arguments":{"city":"San Leandro","days":7,"unit":"C"}}' \\
      | lton encode -t tools.json
  weather.v1 "San Leandro" 7 C
"""
_DECODE_EXAMPLE = """\
  $ echo 'weather.v1 "San Leandro" 7 C' | lton decode -t tools.json
  {"name":"weather.v1","arguments":{"city":"San Leandro","days":7,"unit":"C"}}
"""
_SCHEMA_EXAMPLE = """\
  $ lton schema --no-descriptions tools.json
  weather.v1(city:str, days:int, unit:C|F)
"""
_GRAMMAR_EXAMPLE = """\
  $ lton grammar --form keyed --punctuated tools.json > tools.gbnf
"""
_DEMO_EXAMPLE = """\
  $ pip install 'lton[demo]'
  $ lton demo
"""
