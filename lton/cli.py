"""The command line: `lton encode`, `decode` and so on, each on files or standard input."""

import argparse
import json
import os
import re
import shlex
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from lton import __version__
from lton._json import minified
from lton._require import beside, require
from lton._syntax import FORMS, Form
from lton._terminal import progress, written_to
from lton._terminal import say as _say
from lton._terminal import table as _table
from lton._terminal import write as _write
from lton.chat import read_call
from lton.codec import Decoder, decode, encode
from lton.codec._decode import find_errors
from lton.errors import Code, DecodeError, EncodeError, LTONError, MissingExtraError
from lton.events import Answer, CallEnd, Prose
from lton.grammar import (
    NO_GRAMMAR,
    SERVERS,
    Options,
    request,
    to_ebnf,
    to_gbnf,
    to_lark,
    to_regex,
    to_structural_tag,
)
from lton.grammar.build import FOR_MODELS, MODES
from lton.integrations.mcp import list_tools
from lton.lenient import LenientResult, decode_lenient
from lton.schema import Call, Result, ToolSet
from lton.schema.diff import losses
from lton.schema.jsonschema.compile import Handling
from lton.tokens import Count, counter
from lton.tokens.registry import default_tokenizer, names

_DIALECTS = {"ebnf": to_ebnf, "gbnf": to_gbnf, "lark": to_lark, "regex": to_regex}
_OLD_CALLS, _OLD_READERS = 4, 8
"""Parts of the status of `lton schema diff`: old calls do not all read, nor all new calls."""
_BROKEN_PIPE, _INTERRUPTED = 128 + 13, 128 + 2
"""Statuses as shells have them for the signals SIGPIPE and SIGINT."""
_ROOMS = {"mcp-proxy": "mcp_proxy", "serve": "gateway"}
"""Where commands are that have not the name of their package."""
_TOOLS_HELP = "JSON file with the tool definitions (OpenAI, Anthropic or MCP)"
_TOOLS_VARIABLE = "LTON_TOOLS"
_HINTS = {
    "\r": "`lton decode --lenient` reads the line ends of Windows",
    "\ufeff": "this is a byte order mark, which LTON has not",
    "\\": "a string with a backslash needs quotes, and no escapes",
}
"""What to do about characters that are found where none of them can be."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; get the exit status: 0, 1 for an error in the input, 2 for usage."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if "_ARGCOMPLETE" in os.environ:
            _complete()
        if arguments in ([], ["help"]):
            _write(_parser([]).format_help())
            return 0 if arguments else 2
        options = _parsed(arguments)
        with written_to(options.output):
            status: int = options.command(options)
    except DecodeError as error:
        _say(f"{_hinted(error)}\n{error.picture()}")
    except BrokenPipeError:  # who reads has enough: end as `cat` does, in silence
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        known = error.filename is not None
        _say(f"{error.filename or repr('')}: {error.strerror}" if known else str(error))
    except (LTONError, ValueError) as error:  # ValueError: options
        _say(str(error))
    else:
        return status
    return 1


# --- commands -----------------------------------------------------------------------------------


def _encode(options: argparse.Namespace) -> int:
    tools = _tools(options.tools)
    calls = [
        call for name, text in _named_inputs(options.files) for call in _read_calls(name, text)
    ]
    text = encode(
        calls,
        tools,
        form=options.form,
        fingerprint=options.fingerprint,
    )
    _write(f"{text}\n" if text else "")
    if options.stats:
        name = default_tokenizer(_say)
        given = "\n".join(map(_as_json, calls))
        was, now = counter(name).count_all([given, text])
        _say(f"{now.tokens:,} tokens, {was.tokens:,} as minified JSON ({name})")
    return 0


def _as_json(call: Call) -> str:
    return minified({"name": call.name, "arguments": call.arguments})


def _decode(options: argparse.Namespace) -> int:
    tools = _tools(options.tools)
    status = 0
    for text in _inputs(options.files):
        if options.lenient:
            result = decode_lenient(text, tools, safe=not options.uncertain)
            calls, status = result.calls, status or _is_doubtful(result)
            lines = _LineNumbers(text)
            for repair in result.repairs:
                _say(f"{repair.msg} (line {lines.of(repair.pos)}) [{repair.code}]")
            for error in map(lines.place, result.errors):
                _say(f"{error}\n{error.picture()}")
            for found in result.uncertain:
                _say(f"not taken: {found.msg} (line {lines.of(found.pos)}) [{found.code}]")
            if not (calls or _is_doubtful(result)):
                _say("no call")
            if not result.complete:
                _say("the text was not read to its end")
        else:
            calls = tuple(decode(text, tools))
        for call in calls:
            _write(_as_json(call) + "\n")
    return status


def _hinted(error: DecodeError) -> DecodeError:
    """Let an error say what to do about the character that it found, where that is known."""
    found = error.doc[error.pos : error.pos + 1]
    if found in _HINTS and error.msg.endswith(f"found {found!r}"):
        error.hint = error.hint or _HINTS[found]
    return error


def _is_doubtful(result: LenientResult) -> bool:
    """Say whether the text may hold other calls than those that were taken."""
    return bool(result.errors or result.uncertain) or not result.complete


def _fmt(options: argparse.Namespace) -> int:
    tools = _tools(options.tools)
    status = 0
    for name, text in _named_inputs(options.files):
        canonical = _canonical(text, tools, options.form, prose=options.prose)
        if options.check:
            status = status or canonical != text
            if canonical != text:
                _say(f"not canonical: {name}")
        elif options.in_place and name != "-":
            if canonical != text:
                Path(name).write_bytes(canonical.encode())
        else:
            _write(canonical)
    return status


def _canonical(text: str, tools: ToolSet | None, form: Form, *, prose: bool) -> str:
    """Get the canonical text of the frames of a text, and its prose as it is (§6)."""
    decoder = Decoder(tools, prose=prose)
    decoder.feed(text)
    decoder.close()
    pieces: list[str] = []
    frames: list[Call | Result] = []
    for event in decoder:
        match event:
            case CallEnd(frame) | Answer(frame):
                frames.append(frame)
            case Prose(line):
                pieces += [*_lines(frames, tools, form, sigil=True), line]
                frames.clear()
    return "".join([*pieces, *_lines(frames, tools, form, sigil=prose)])


def _lines(
    frames: list[Call | Result], tools: ToolSet | None, form: Form, *, sigil: bool
) -> list[str]:
    return [encode(frames, tools, form=form, sigil=sigil), "\n"] if frames else []


def _check(options: argparse.Namespace) -> int:
    tools = _tools(options.tools)
    found = [
        (name, error)
        for name, text in _named_inputs(options.files)
        for error in map(_LineNumbers(text).place, map(_hinted, find_errors(text, tools)))
    ]
    if options.json:
        keys = ("code", "msg", "hint", "pos", "line", "column", "path")
        rows = [
            {"file": name, **{key: getattr(error, key) for key in keys}} for name, error in found
        ]
        _write(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    else:
        for name, error in found:
            _write(f"{name}: {error}\n{error.picture()}\n")
    return 1 if found else 0


def _schema(options: argparse.Namespace) -> int:
    options.files = [*options.tools, *options.files]
    if options.files[:1] == ["diff"]:
        return _schema_diff(options.files[1:])
    for tools in _toolsets(options):
        if options.json:
            report = {
                "fingerprint": tools.fingerprint,
                "signatures": tools.prompt(descriptions=False).split("\n"),
                "notes": [
                    {"at": note.pointer, "keyword": note.keyword, "handling": note.handling}
                    for note in tools.notes
                ],
            }
            _write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
            continue
        if options.report:
            for note in tools.notes:
                _write(f"{note.pointer or '/'}: {note.keyword}: {note.handling}\n")
            continue
        _write(tools.prompt(descriptions=not options.no_descriptions) + "\n")
        for note in tools.notes:
            if note.handling != Handling.CHECKED:
                _say(f"{note.keyword}: {note.handling} (at {note.pointer})")
    return 0


def _toolsets(options: argparse.Namespace) -> Iterator[ToolSet]:
    if options.mcp is None:
        yield from (_read_tools(*named) for named in _named_inputs(options.files))
    else:
        listing = list_tools(shlex.split(options.mcp), env=os.environ)
        yield ToolSet.from_tools(listing.tools)


def _schema_diff(files: list[str]) -> int:
    """Say what a change of tools breaks; the status says for whom."""
    if len(files) != 2:
        raise ValueError("expected two files after diff: the old tools and the new")
    old, new = (_read_tools(*named) for named in _named_inputs(files))
    broken = 0
    for status, what, lost in (
        (_OLD_CALLS, "old calls with the new tools", losses(old, new)),
        (_OLD_READERS, "new calls with the old tools", losses(new, old)),
    ):
        broken |= status if lost else 0
        _write(f"{what}: {'not all are read' if lost else 'all are read'}\n")
        for loss in lost:
            _write(f"  {' '.join(filter(None, [loss.tool, loss.path]))}: {loss.why}\n")
    return broken


def _grammar(options: argparse.Namespace) -> int:
    if options.check is not None:
        return _check_server(options)
    for name, text in _named_inputs([*options.tools, *options.files]):
        tools = _read_tools(name, text)
        if options.only:
            tools = tools.select(*options.only)
        chosen: Options = {
            "form": options.form,
            "parallel": options.parallel,
            "tool_choice": options.tool_choice,
            "sigil": options.sigil,
        }
        if options.bare is not None:
            chosen["bare"] = options.bare
        if options.counted is not None:
            chosen["counted"] = options.counted
        if options.bounded is not None:
            chosen["bounded"] = options.bounded
        _write(_grammar_text(tools, options, chosen))
    return 0


def _check_server(options: argparse.Namespace) -> int:
    if options.server is None:
        raise ValueError("--check needs --for, the kind of server")
    check = import_module("lton.engines.check")
    said = check.written_under_constraint(options.check, options.server, dialect=options.dialect)
    if check.is_in_force(said):
        _write(f"{options.check} keeps to a grammar\n")
        return 0
    _write(f"{options.check} ignores the grammar: it wrote {said[:60]!r}\n")
    return 1


def _grammar_text(tools: ToolSet, options: argparse.Namespace, chosen: Options) -> str:
    if options.server is not None:
        fragment = request(
            tools, options.server, dialect=options.dialect, lazy=options.lazy, **chosen
        )
        return json.dumps(fragment, indent=2, ensure_ascii=False) + "\n"
    if options.lazy:
        raise ValueError("--lazy is for --for llama-server")
    if options.dialect == "structural_tag":
        return json.dumps(to_structural_tag(tools, **chosen), indent=2, ensure_ascii=False) + "\n"
    text = _DIALECTS[options.dialect or "gbnf"](tools, **chosen)
    return text if text.endswith("\n") else f"{text}\n"


def _bench(options: argparse.Namespace) -> int:
    status: int = _module("bench").run(options)
    return status


def _apart(options: argparse.Namespace) -> int:
    status: int = _module(options.name).run(options)
    return status


def _convert(options: argparse.Namespace) -> int:
    status: int = _module("convert").run(options)
    return status


def _tokens(options: argparse.Namespace) -> int:
    tokenizers = list(dict.fromkeys(options.tokenizer or [default_tokenizer(_say)]))
    try:
        inputs = list(_named_inputs(options.files))
    except FileNotFoundError as error:
        _say("files are counted, and standard input: echo TEXT | lton tokens")
        raise error
    columns = []
    with progress() as show:
        for each in tokenizers:
            show(f"counting {sum(len(text) for _, text in inputs):,} characters by {each}")
            columns.append(counter(each).count_all([text for _, text in inputs]))
    rows = list(zip([name for name, _ in inputs], zip(*columns, strict=True), strict=True))
    if options.json:
        found = [
            {"file": name, "tokenizer": each, "tokens": count.tokens, "exact": count.exact}
            for name, counts in rows
            for each, count in zip(tokenizers, counts, strict=True)
        ]
        _write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
        return 0
    if len(rows) > 1:
        rows.append(("total", tuple(sum(each, Count(0, exact=True)) for each in columns)))
    shown = [
        [name, *(f"{'' if count.exact else '~'}{count.tokens:,}" for count in counts)]
        for name, counts in rows
    ]
    _write(_table(["", *tokenizers], shown))
    return 0


def _generate(options: argparse.Namespace) -> int:
    tools = _read_tools(*next(_named_inputs([options.tools])))
    calls = _module("generate").run(options, tools)
    for call in calls if options.json else ():
        _write(_as_json(call) + "\n")
    if calls and not options.json:
        _write(encode(calls, tools) + "\n")
    return 0


# --- input and output ---------------------------------------------------------------------------


def _named_inputs(files: list[str]) -> Iterator[tuple[str, str]]:
    """Get each file's name and text; `-`, or no file, is standard input. Line ends stay as is."""
    for name in files or ["-"]:
        if name == "-" and sys.stdin is None:
            raise OSError("standard input is closed")
        data = sys.stdin.buffer.read() if name == "-" else _bytes_of(name)
        try:
            yield name, data.decode()
        except UnicodeDecodeError as error:
            found = f"the byte 0x{data[error.start]:02x} at {error.start}"
            msg = f"{name}: expected text in utf-8, found {found}"
            raise LTONError(Code.CHARACTER, msg) from error


def _bytes_of(name: str) -> bytes:
    with open(name, "rb") as file:  # `Path("")` would be a folder
        return file.read()


def _inputs(files: list[str]) -> Iterator[str]:
    return (text for _, text in _named_inputs(files))


class _LineNumbers:
    """Numbers the lines of a text: for many places in it, and in time linear in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def of(self, pos: int) -> int:
        """Get the number of the line, from 1, that a position is on."""
        return bisect_left(self._ends, pos) + 1

    def place(self, error: DecodeError) -> DecodeError:
        """Let an error know its line only, so that it need not count."""
        number = self.of(error.pos)
        start = self._ends[number - 2] + 1 if number > 1 else 0
        end = self._ends[number - 1] if number <= len(self._ends) else len(self._text)
        error.doc, error.start, error.first_line = self._text[start:end], start, number
        return error


def _tools(file: str | None) -> ToolSet | None:
    return None if file is None else _read_tools(*next(_named_inputs([file])))


def _read_tools(name: str, text: str) -> ToolSet:
    """Read a list of definitions, one definition, or an object with them under `tools`."""
    definitions = _read_json(name, text)
    return ToolSet.from_tools(
        definitions if isinstance(definitions, dict | list) else [definitions]
    )


def _read_json(name: str, text: str) -> Any:
    """Read the JSON of a file, or a line of it."""
    if not text.strip():
        raise LTONError(Code.SYNTAX, f"{name}: expected JSON, found nothing")
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        msg = f"{name}: {error.msg}"
        raise DecodeError(Code.SYNTAX, msg, doc=error.doc, pos=error.pos) from error
    except RecursionError as error:
        raise LTONError(Code.DEPTH, f"{name}: nested too deep") from error
    except ValueError as error:  # of an integer with too many digits for Python
        raise LTONError(Code.DIGITS, f"{name}: {error}") from error


def _read_calls(name: str, text: str) -> Iterator[Call]:
    """Read calls as APIs return them: one, a message with `tool_calls`, a list, or one a line."""
    try:
        values = _read_json(name, text)
    except DecodeError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        values = [_read_json(name, line) for line in lines]
    for value in values if isinstance(values, list) else [values]:
        match value:
            case {"tool_calls": list(calls)}:
                yield from map(_call_of, calls)
            case _:
                yield _call_of(value)


def _call_of(value: Any) -> Call:
    if (call := read_call(value)) is not None:
        return call.call
    found = minified(value)[:60]
    msg = f'expected {{"name": …, "arguments": {{…}}}}, found {found}'
    raise EncodeError(Code.VALUE, msg)


# --- usage --------------------------------------------------------------------------------------


def _module(command: str) -> Any:
    """Get the module of a command; imported by that alone, for they double the time to start.

    Other packages add commands: entry points of the group `lton.commands`.
    """
    for found in entry_points(group="lton.commands", name=command):
        return found.load()
    try:
        return import_module(f"lton.{_ROOMS.get(command, command)}.command")
    except ModuleNotFoundError as error:
        msg = f"the command {command!r} is not installed"
        hint = f"pip install {beside('benchmarks') or f'lton-{command}'}"
        raise MissingExtraError(Code.EXTRA, msg, hint=hint) from error


def _add_options(sub: argparse.ArgumentParser, command: str, called: list[str]) -> None:
    """Add the options of a command with a module of its own, if it is the one that is called."""
    if command in called:
        _module(command).add_options(sub)


def _parser(called: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lton", description="Tool calls in LTON: a compact notation without escaping."
    )
    parser.add_argument("-V", "--version", action="version", version=f"lton {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    sub = _command(commands, "encode", _encode, "JSON calls to LTON", _ENCODE_EXAMPLE)
    _add_tools(sub)
    _add_form(sub)
    sub.add_argument("--fingerprint", action="store_true", help="add the layout's fingerprint")
    sub.add_argument("--stats", action="store_true", help="say how many tokens it has, and JSON")

    sub = _command(commands, "decode", _decode, "LTON to JSON, one call a line", _DECODE_EXAMPLE)
    _add_tools(sub)

    sub.add_argument(
        "--lenient", action="store_true", help="repair what models get wrong, and say what"
    )
    sub.add_argument(
        "--uncertain",
        action="store_true",
        help="with --lenient: take calls that the text may only quote, too",
    )

    sub = _command(commands, "fmt", _fmt, "LTON to canonical LTON", _FMT_EXAMPLE)
    _add_tools(sub)
    _add_form(sub)
    sub.add_argument("--prose", action="store_true", help="keep the lines that are no frames")
    what = sub.add_mutually_exclusive_group()
    what.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if not canonical"
    )
    what.add_argument("-i", "--in-place", action="store_true", help="write the files again")

    sub = _command(
        commands, "check", _check, "show every error, not only the first", _CHECK_EXAMPLE
    )
    _add_tools(sub)
    sub.add_argument("--json", action="store_true", help="the errors as data")

    sub = _command(commands, "schema", _schema, "tool definitions to signatures", _SCHEMA_EXAMPLE)
    _add_tools_as_input(sub)
    sub.add_argument("--no-descriptions", action="store_true", help="signatures only")
    sub.add_argument(
        "--mcp", metavar="COMMAND", help="the tools of the MCP server that the command starts"
    )
    sub.add_argument("--json", action="store_true", help="fingerprint, signatures and notes")
    sub.add_argument(
        "--report", action="store_true", help="what the layouts leave to a check, or to nobody"
    )

    sub = _command(commands, "grammar", _grammar, "tool definitions to a grammar", _GRAMMAR_EXAMPLE)
    _add_grammar_options(sub)

    sub = _command(commands, "tokens", _tokens, "count tokens", _TOKENS_EXAMPLE)
    sub.add_argument(
        "--tokenizer",
        metavar="NAME",
        action="append",
        help="a name (a wrong one lists all), a vocabulary's file, or a server as URL#MODEL"
        " (default: o200k; may be repeated)",
    )
    sub.add_argument("--json", action="store_true", help="the counts as data")

    sub = _command(
        commands, "convert", _convert, "tool-call data to LTON, for fine-tuning", _CONVERT_EXAMPLE
    )
    _add_options(sub, "convert", called)

    sub = _command(
        commands, "bench", _bench, "count what calls cost in every format", _BENCH_EXAMPLE
    )
    sub.add_argument("benchmark", choices=["tokens"])
    _add_options(sub, "bench", called)

    sub = _command(
        commands, "generate", _generate, "let a local model make calls", _GENERATE_EXAMPLE
    )
    _add_tools(sub, is_required=True)
    sub.add_argument("--json", action="store_true", help="the calls as JSON, one a line")
    _add_options(sub, "generate", called)

    sub = _command(
        commands, "completion", _completion, "what lets a shell complete", _COMPLETION_EXAMPLE
    )
    sub.add_argument("shell", choices=["bash", "fish", "zsh"])

    for name, (about, example) in _APART.items():
        _add_options(_command(commands, name, _apart, about, example), name, called)
    return parser


def _parsed(arguments: list[str]) -> argparse.Namespace:
    """Read the arguments; end with the usage of the command where one is not known."""
    options, unknown = _parser(arguments[:1]).parse_known_args(arguments)
    if unknown:
        meant = filter(None, (_meant(word, options.parser) for word in unknown))
        hint = "".join(f"; did you mean {each}?" for each in meant)
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return options


def _meant(word: str, parser: argparse.ArgumentParser) -> str | None:
    """Get the option that a word resembles, or one that takes it."""
    name = word.partition("=")[0]
    known: dict[str, str] = {}
    for action in parser._actions:  # argparse has no public way to list them
        known |= {each: each for each in action.option_strings}
        if action.option_strings and action.choices:
            known |= {f"--{each}": f"{action.option_strings[0]} {each}" for each in action.choices}
    close = get_close_matches(name, known, n=1) if name.startswith("--") else []
    return known[close[0]] if close else None


# --- completion ---------------------------------------------------------------------------------


def _completion(options: argparse.Namespace) -> int:
    library = require("argcomplete", "argcomplete")
    _write(library.shellcode(["lton"], shell=options.shell))
    return 0


def _complete() -> None:
    """Answer a shell that asks how a line goes on, and end; argcomplete set the variables."""
    library = require("argcomplete", "argcomplete")
    parser = _parser(os.environ.get("COMP_LINE", "").split()[1:2])
    for command in parser._subparsers._group_actions[0].choices.values():  # type: ignore[union-attr]
        for action in command._actions:
            if action.dest == "tokenizer":
                action.completer = lambda **_: names()
    library.autocomplete(parser)


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
    sub.set_defaults(command=run, name=name, parser=sub, output=None)
    if name not in ("bench", "completion", "convert", "generate", *_APART):
        sub.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    if name not in ("bench", "completion", "convert", *_APART) or name == "cost":
        sub.add_argument(
            "-o", "--output", metavar="FILE", help="write to this file, whole or not at all"
        )
    return sub


def _add_tools(sub: argparse.ArgumentParser, *, is_required: bool = False) -> None:
    """Add the option for the tools beside an input; a variable holds its default."""
    default = os.environ.get(_TOOLS_VARIABLE) or None
    about = _TOOLS_HELP if is_required else f"{_TOOLS_HELP}; wire (then a map) and tagged need none"
    sub.add_argument(
        "-t",
        "--tools",
        metavar="FILE",
        default=default,
        required=is_required and not default,
        help=f"{about} (default: ${_TOOLS_VARIABLE})",
    )


def _add_tools_as_input(sub: argparse.ArgumentParser) -> None:
    """Let the tools that are the input have the name that they have elsewhere, too."""
    sub.add_argument(
        "-t", "--tools", metavar="FILE", action="append", default=[], help="the same as FILE"
    )


def _add_grammar_options(sub: argparse.ArgumentParser) -> None:
    _add_tools_as_input(sub)
    sub.add_argument(
        "--dialect",
        choices=[*_DIALECTS, "structural_tag"],
        help="gbnf (default) for llama.cpp; lark for llguidance; ebnf and structural_tag for"
        " xgrammar; regex",
    )
    sub.add_argument(
        "--for",
        dest="server",
        choices=[*SERVERS, *NO_GRAMMAR],
        help="the part of a request, as JSON, that makes this server constrain what it writes;"
        f" {' and '.join(NO_GRAMMAR)} read no grammar: an error says what to do instead",
    )
    sub.add_argument(
        "--check",
        metavar="URL",
        help="with --for: ask the server at this address, once, whether it keeps to a grammar;"
        " status 1 if not (of OpenAI's APIs, chat alone: --for openai-chat)",
    )
    sub.add_argument(
        "--lazy",
        action="store_true",
        help="with --for llama-server --tool-choice auto: only from a call on",
    )
    _add_form(sub, FOR_MODELS)
    sub.add_argument("--parallel", action="store_true", help="one call or more, one a line")
    sub.add_argument("--only", metavar="TOOL", action="append", help="this tool; may be repeated")
    sub.add_argument(
        "--tool-choice",
        choices=MODES,
        default="required",
        help='"required": calls (default); "auto": prose, and calls on lines of their own that'
        ' begin with "!call "; "none": prose',
    )
    sub.add_argument(
        "--sigil",
        action=argparse.BooleanOptionalAction,
        help='begin each call with "!call " (default: only where there may be prose)',
    )
    sub.add_argument(
        "--counted",
        metavar="N",
        type=int,
        help="let in counted strings of up to N characters (default: 0; tagged: 9999)",
    )
    sub.add_argument(
        "--bare",
        action=argparse.BooleanOptionalAction,
        help="let strings be bare words (default: but in Lark); without, they are quoted",
    )
    sub.add_argument(
        "--bounded",
        action=argparse.BooleanOptionalAction,
        help="bound the lengths of strings and numbers (default: in Lark strings by the schema"
        " alone, in EBNF nothing)",
    )


def _add_form(sub: argparse.ArgumentParser, default: Form = "wire") -> None:
    sub.add_argument("--form", choices=FORMS, default=default, help=f"default: {default}")


_ENCODE_EXAMPLE = """\
  $ echo '{"name":"weather.v1","arguments":{"city":"San Leandro","days":7,"unit":"C"}}' \\
      | lton encode -t tools.json
  weather.v1 "San Leandro",7 C

A line that begins with & calls the tool of the line before it once more:
  weather.v1 Rome 1 C
  & Oslo 1 C
"""
_COMPLETION_EXAMPLE = """\
  $ eval "$(lton completion bash)"          # in ~/.bashrc
  $ eval "$(lton completion zsh)"           # in ~/.zshrc, after compinit
  $ lton completion fish > ~/.config/fish/completions/lton.fish
"""
_DECODE_EXAMPLE = """\
  $ echo 'weather.v1 "San Leandro",7 C' | lton decode -t tools.json
  {"name":"weather.v1","arguments":{"city":"San Leandro","days":7,"unit":"C"}}
"""
_FMT_EXAMPLE = """\
  $ echo "weather.v1(city='San Leandro',unit=C,  days=7)" | lton fmt -t tools.json
  weather.v1 "San Leandro",7 C
"""
_CHECK_EXAMPLE = """\
  $ printf 'weather.v1 Paris 99 K\\n' | lton check -t tools.json
  -: expected an integer of at most 16, found '99' (line 1, column 18, at /days) [E208]
  weather.v1 Paris 99 K
                   ^
  -: expected one of 'C', 'F', found 'K' (line 1, column 21, at /unit) [E204]
  weather.v1 Paris 99 K
                      ^
"""
_SCHEMA_EXAMPLE = """\
  $ lton schema --no-descriptions tools.json
  weather.v1(city days:int unit:C|F)

  $ lton schema --report tools.json
  /0/parameters/properties/city/pattern: pattern: checked when the arguments have been read

  $ lton schema --mcp 'npx -y @modelcontextprotocol/server-memory'

  $ lton schema diff old.json new.json
  old calls with the new tools: not all are read
    weather.v1 /days: at most 7
  new calls with the old tools: all are read

The status of diff is 0, or the sum of 4 (old calls are not all read) and 8 (new calls are not
all read by old readers).
"""
_GRAMMAR_EXAMPLE = """\
  $ lton grammar --form punctuated tools.json > tools.gbnf
  $ lton grammar --for vllm --tool-choice auto --form punctuated tools.json
"""
_CONTEXT_EXAMPLE = """\
  $ lton context ingest --core KERNEL.md --refs docs/ --budget 8000 --query 'Which flags?' \\
      --html report.html > prompt.txt
  $ lton context read r2 --lines 120:160
  $ lton context audit verify
  $ lton context build docs/ --out built && lton context verify built --source docs/
"""
_CONVERT_EXAMPLE = """\
  $ lton convert chats.jsonl --form punctuated --out train.jsonl --tokenizer o200k
  $ lton convert bfcl:simple_python --limit 200 > train.jsonl
"""
_BENCH_EXAMPLE = """\
  $ lton bench tokens --data calls.jsonl --tools tools.json --tokenizer o200k
"""
_TOKENS_EXAMPLE = """\
  $ echo 'weather.v1 "San Leandro",7 C' | lton tokens --tokenizer o200k --tokenizer bytes
     o200k  bytes
  -     11     ~8

An estimate has a "~".
"""
_GENERATE_EXAMPLE = """\
  $ lton generate -t tools.json --model model.gguf 'What is the weather in Oslo for 3 days, in C?'
  weather.v1 Oslo 3 C
"""
_SERVE_EXAMPLE = """\
  $ lton serve --upstream http://127.0.0.1:8080 --port 8000
  http://127.0.0.1:8000
"""
_MCP_PROXY_EXAMPLE = """\
  $ lton mcp-proxy -- npx -y @modelcontextprotocol/server-filesystem .
  $ lton mcp-proxy --mode search --http --port 8000 -- mcp-server-git
"""
_DEMO_EXAMPLE = """\
  $ lton demo
  $ lton demo tables
"""
_COST_EXAMPLE = """\
  $ lton cost chats.jsonl
  $ lton cost --price 2.50,10 requests.jsonl tools-list.json
"""
_APART = {
    "context": ("files as a context within a budget, with an audit", _CONTEXT_EXAMPLE),
    "cost": ("what tools, calls and results of chat logs cost, in JSON and in LTON", _COST_EXAMPLE),
    "demo": ("the whole path, with a real model", _DEMO_EXAMPLE),
    "mcp-proxy": (
        "an MCP server with signatures for definitions, and results in LTON",
        _MCP_PROXY_EXAMPLE,
    ),
    "serve": ("an API with JSON tools in front of a model that reads LTON", _SERVE_EXAMPLE),
}
"""Commands with a module of their own, which is all that they need."""
