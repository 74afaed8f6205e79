"""Double each input from outside, and test whether the work at most doubles (`make scale`).

`docs/reference/limits.toml` lists the inputs. `PROBES` has, for each row, a function that makes a
given number of items, and a function that reads them. The work is counted in steps
(`tests/steps.py`), which are the same on every machine. Processor time and memory are measured,
too, because a step in C may take long. Growth by more than `GROWTH` is a failure.
`tests/test_limits.py` counts the steps of each probe in the daily tier, and exceeds each limit.
"""

import asyncio
import json
import re
import sys
import time
import tomllib
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.datastructures import Headers

from docs.site.assemble import limit_of
from lton import Decoder, LTONError, ToolSet, _syntax, decode, decode_lenient, results
from lton._syntax import FORMS
from lton.apis.chat_api import read_chat
from lton.apis.refusals import RefusedError, odd_event
from lton.apis.sse import EventCutter
from lton.chat import read as read_answer
from lton.context.compress.compressor import compress
from lton.context.directives import read_directives
from lton.context.skills import SkillCatalog, skill_faults
from lton.context.sources import _readable, document_of, read_file
from lton.cost.reading import _values
from lton.documents import DocumentError, read
from lton.documents.archives import open_archive
from lton.errors import ConversionError
from lton.gateway import bodies
from lton.gateway.access import AccessRules
from lton.gateway.app import MAX_RUNNING, GatewayState, _AccessMiddleware
from lton.gateway.bodies import Bodies, _decode_and_count, _object
from lton.gateway.decompressing import decompress_body
from lton.gateway.headers import check_headers, forwarded_headers
from lton.gateway.metrics import Metrics
from lton.gateway.upstreams.http_upstream import read_reply
from lton.grammar import to_ebnf, to_gbnf, to_lark
from lton.lenient import mend_call
from lton.mcp_proxy.catalogue import ProxySettings
from lton.mcp_proxy.http import _limit_body
from lton.mcp_proxy.revival import RevivingProxy
from lton.schema.diff import losses
from lton.schema.jsonschema.tally import Handling
from lton.schema.openapi import operations
from lton.schema.shown.tiers import Describer, tools_without_description
from lton.tokens import counter
from lton.tokens.pictures import without_media
from lton.transcript.files import MOST_MATCHES, matching_lines
from tests.cases import F_ANY, F_INTS, F_NUM, F_STR, FREE_ARGS, WEATHER, taking, tool
from tests.gateway import native
from tests.gateway.test_growth import (
    answered_calls,
    answered_choices,
    called,
    events,
    in_parts,
    said,
    tools,
    wide,
)
from tests.hostile import NAMES
from tests.mcp_proxy.test_proxy import Pair, answer, note, request
from tests.steps import GROWTH, steps

ROOT = Path(__file__).parents[1]
ATTEMPTS = 4
WORTH_MEASURING = 0.05
"""Seconds of the processor at the larger size; less cannot be compared."""
WORTH_WEIGHING = 10_000_000
"""Bytes at the larger size."""
LARGER = 8
"""Times the size of a probe, but within the limit, at which time and memory are measured."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A function that makes items, a function that reads them, and the initial number of items."""

    make: Callable[[int], Any]
    read: Callable[[Any], object]
    size: int = 250


def _text(make: Callable[[int], str], tools: ToolSet | None, *more: Any) -> Probe:
    return Probe(make, lambda text: decode(text, tools), *more)


def _lenient(make: Callable[[int], str], *more: Any) -> Probe:
    return Probe(make, lambda text: decode_lenient(text, WEATHER), *more)


def _defined(make: Callable[[int], Any], *more: Any) -> Probe:
    return Probe(make, taking, *more)


def _asked(make: Callable[[int], dict[str, Any]], *more: Any) -> Probe:
    return Probe(lambda n: native.request("chat", **make(n)), read_chat, *more)


def _document(name: str, make: Callable[[int], bytes], *more: Any) -> Probe:
    return Probe(make, lambda content: document_of(name, content), *more)


def _faulty(text: str) -> None:
    found = decode_lenient(f"{text}weather.v1 Oslo,3", WEATHER)
    if not (found.calls or found.uncertain):
        raise _CodeError("the rest of the text is not searched for calls")


def _mended(arguments: str) -> None:
    if mend_call("f", arguments, F_INTS) is None:
        raise _CodeError("the call is not mended")


def _in_chunks(text: str) -> None:
    decoder = Decoder(F_STR)
    for char in text:
        decoder.feed(char)
        while decoder.next_event() is not None:
            pass


def _one_call(text: str) -> None:
    decoder = Decoder(F_STR, max_call=_syntax.MAX_CALL)
    decoder.feed(text)
    while decoder.next_event() is not None:
        pass


def _openapi(count: int) -> dict[str, Any]:
    get = {"operationId": "x", "responses": {}}
    paths = {f"/p{i}": {"get": {**get, "operationId": f"o{i}"}} for i in range(count)}
    return {"openapi": "3.1.0", "info": {}, "paths": paths}


def _referring(count: int) -> dict[str, Any]:
    made: dict[str, Any] = {f"p{i}": {"$ref": f"#/x/p{i + 1}"} for i in range(count - 1)}
    made[f"p{count - 1}"] = {"get": {"operationId": "o", "responses": {}}}
    return {"openapi": "3.1.0", "info": {}, "paths": {"/a": {"$ref": "#/x/p0"}}, "x": made}


def _denied(count: int) -> tuple[ToolSet, str]:
    return taking(
        {"type": "integer", "allOf": [{"not": {"const": -i}} for i in range(count // 100)]}
    ), "f 5"


def _body(data: bytes) -> None:
    sent = iter([{"type": "http.request", "body": data}])

    async def receive() -> Any:
        return next(sent)

    async def read() -> None:
        async with Bodies(bodies.MAX_BODY).read(_headers({}), receive):
            pass

    asyncio.run(read())


def _headers(given: dict[str, str]) -> Any:
    return Headers(given)


def _gateway() -> GatewayState:
    shared = object.__new__(GatewayState)
    shared.access, shared.metrics, shared.running = AccessRules(), Metrics(), 0
    shared.max_running = MAX_RUNNING
    return shared


def _running(count: int) -> None:
    """Admit the given number of requests, none of which ends before all have begun."""

    async def run() -> None:
        shared = _gateway()
        async with AsyncExitStack() as stack:
            for _ in range(count):
                await stack.enter_async_context(shared.admit_request())

    asyncio.run(run())


def _trailers(count: int) -> None:
    """Send the given number of trailers, which a server adds to the headers after the body."""
    given = [(b"host", b"localhost"), (b"x-app", b"cli")]

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        given.extend((b"x-%d" % i, b"a") for i in range(count))
        assert forwarded_headers(Headers(scope=scope)) == {"x-app": "cli"}

    scope = {"type": "http", "http_version": "1.1", "raw_path": b"/v1/x", "headers": given}
    asyncio.run(_AccessMiddleware(app, _gateway())(scope, None, None))  # type: ignore[arg-type]


def _shortened(text: str) -> None:
    if results.short_result(text) == text:
        raise _CodeError("the JSON is not changed")


def _sent(pieces: list[bytes]) -> None:
    left = iter([{"body": piece} for piece in pieces])

    async def receive() -> Any:
        return next(left)

    async def run() -> None:
        bounded = _limit_body(receive)
        received = [(await bounded())["body"] for _ in pieces]
        if received != pieces:
            raise _CodeError("status 413; a body in chunks is cut, so it is not valid JSON")

    asyncio.run(run())


def _filed(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.txt")
        file.write_bytes(content)
        read_file(str(file))


def _folder(count: int) -> None:
    with TemporaryDirectory() as folder:
        files = [str(Path(folder, f"{i}.txt")) for i in range(count)]
        for file in files:
            Path(file).write_text("text", "utf-8")
        assert len(list(_readable(files, None, False))) == count


def _reply(pieces: list[bytes]) -> None:
    class Reply:
        async def aiter_raw(self) -> Any:
            for piece in pieces:
                yield piece

    asyncio.run(read_reply(Reply()))


def _pages(count: int) -> Callable[[], None]:
    return partial(_listed, [[tool(f"f{i}")] for i in range(count + 1)])


def _tools_listed(count: int) -> Callable[[], None]:
    return partial(_listed, [[{"name": f"f{i}", "inputSchema": {}} for i in range(count)]])


def _listed(pages: list[list[Any]], changes: int = 0) -> None:
    """List the tools of a server that has these pages, and reports the given number of changes."""
    pair = Pair()
    sent = pair.ask(request(1, "tools/list"))
    left = list(enumerate(pages))
    is_stale = False
    while sent and sent[0][0] == "server":
        asked = sent[-1][1]["id"]
        is_stale = changes > 0
        if is_stale:
            changes -= 1
            pair.tell(note("notifications/tools/list_changed"))
        if not left:
            left = list(enumerate(pages))
        number, page = left.pop(0)
        more = {"nextCursor": str(number)} if left else {}
        sent = pair.tell(answer(asked, tools=page, **more))
    errors = [each["error"]["data"]["code"] for _, each in sent if "error" in each]
    if errors:
        raise _CodeError(errors[0])
    if is_stale:
        raise _CodeError("the last list is used")


class _CodeError(Exception):
    """An error with the code of the answer."""


def _notified(count: int) -> None:
    pair = Pair()
    for _ in range(count):
        pair.tell(note("notifications/tools/list_changed"))


def _waiting(count: int) -> None:
    proxy = RevivingProxy(ProxySettings())
    pair = Pair()
    pair.proxy = proxy
    pair.ask(request(0, "initialize", protocolVersion="2025-06-18"))
    pair.tell(answer(0, protocolVersion="2025-06-18"))
    pair.flat(proxy.fail_all())
    for i in range(count):
        for _, message in pair.ask(request(i + 1, "ping")):
            if "error" in message:
                raise _CodeError(message["error"]["data"]["code"])


def _page(count: int, body: str) -> bytes:
    return f"<html><body>{body * count}</body></html>".encode()


def _office(count: int, text: str = "x", *, plain: int = 0) -> bytes:
    """Return a Word document with the given number of files, or with an entry of a size."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", " " * plain or text)
        for i in range(count - 1):
            archive.writestr(f"word/{i}", "")
    return target.getvalue()


def _pdf(count: int) -> bytes:
    """Return a PDF that lists one page the given number of times."""
    kids = "3 0 R " * count
    parts = (
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{kids}]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
        "/Resources<</Font<</F 5 0 R>>>>>>",
        "<</Length 31>>stream\nBT /F 9 Tf (A page) Tj ET      \nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    text, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(text))
        text += f"{number} 0 obj{part}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 6\n0000000000 65535 f \n{table}"
    return f"{text}{head}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(text)}\n%%EOF".encode()


def _skill(count: int) -> str:
    head = "name: a\ndescription: b\nlicense: "
    return f"---\n{head}{'x' * (count - len(head))}\n---\nBody\n"


def _catalog(count: int) -> None:
    with TemporaryDirectory() as folder:
        for i in range(count):
            Path(folder, f"s{i}").mkdir()
        SkillCatalog.load(folder)


def _skilled(text: str) -> None:
    for fault in skill_faults(text):
        if "characters" in fault and "frontmatter" in fault:
            raise _CodeError("E704")


def _directives(count: int) -> str:
    return (
        "\n".join(":" * (count + 3 - i) + "pwo:pin" for i in range(count))
        + "\n"
        + "\n".join(":" * (4 + i) for i in range(count))
    )


def _markdown(text: str) -> None:
    compress(text, budget=50, counter=counter("bytes"), query="which word", kind="markdown")


def _found(text: str) -> None:
    if matching_lines(text, "x+y", MOST_MATCHES).endswith("(more lines match)"):
        raise _CodeError("only the first matches are shown")


def _joined(piece: Callable[[int], str]) -> Callable[[int], str]:
    return lambda n: "".join(map(piece, range(n)))


def _read_here(content: bytes, kind: str) -> None:
    try:
        read(content, kind)
    except DocumentError:
        raise _CodeError("E706") from None


def _matched(schema: Any) -> None:
    if any(note.handling == Handling.UNCHECKED for note in taking(schema).notes):
        raise _CodeError("the pattern is not checked, and the notes of the tool say so")


def _logged(file: BytesIO) -> None:
    if any(isinstance(value, ValueError) for _, value in _values(file)):
        raise _CodeError("the line is skipped, and the report says so")


def _archived(content: bytes) -> None:
    try:
        open_archive(content).close()
    except DocumentError:
        raise _CodeError("E706") from None


def _cut(data: bytes) -> None:
    cutter = EventCutter()
    try:
        for at in range(0, len(data), 10_000):
            list(cutter.feed(data[at : at + 10_000]))
    except ConversionError as error:
        raise odd_event(error) from None


def _nested(depth: int, keyword: str = "items") -> Any:
    schema: Any = {}
    for _ in range(depth):
        schema = {keyword: schema}
    return schema


def _fan(count: int) -> dict[str, Any]:
    """Return a schema in which the number of paths doubles with each definition."""
    definitions: dict[str, Any] = {f"r{count}": {"type": "string", "description": "text"}}
    for i in range(count):
        members = {name: {"$ref": f"#/$defs/r{i + 1}", "description": name} for name in ("x", "y")}
        definitions[f"r{i}"] = {"type": "object", "properties": members, "required": ["x"]}
    return {"properties": {"a": {"$ref": "#/$defs/r0"}}, "$defs": definitions}


def _use_definitions(schema: dict[str, Any]) -> None:
    """Call each function that walks through the types of tools."""
    tools = taking(schema)
    for descriptions in (True, False):
        text = tools.prompt(descriptions=descriptions)
        assert ToolSet.from_prompt(text).fingerprint == tools.fingerprint
    assert not losses(tools, taking(schema))
    tools_without_description(tools, 10, choices=True)
    Describer(tools).describe("f")
    _in_all_grammars(tools)


def _alternatives(count: int) -> ToolSet:
    words = "|".join(f"w{i}" for i in range(count))
    return taking({"type": "string", "pattern": f"^({words})$"})


def _in_all_grammars(tools: ToolSet) -> None:
    for form in FORMS:
        to_gbnf(tools, form=form)
    to_lark(tools)
    to_ebnf(tools)


def _wide(count: int) -> dict[str, Any]:
    return {"tools": [native.tool("chat", "f", wide(count // 4))]}


def _result(count: int) -> list[Any]:
    """Return rows, wide rows, nested records, records by key, and records of different keys."""
    rows = [{"id": i, "name": f"user {i}"} for i in range(count)]
    nested = [{"id": i, "lines": [{"x": i, "y": "two words"}] * 2} for i in range(count)]
    wide = [{f"k{i}": i for i in range(count)}] * 3
    return [rows, nested, wide, {f"k{i}": row for i, row in enumerate(rows)}, [*map(_single, rows)]]


def _single(row: dict[str, Any]) -> dict[str, Any]:
    return {f"c{row['id']}": row["name"]}


def _write_large(value: Any) -> str:
    return results.write(value, for_models="large")


def _records(count: int) -> list[Any]:
    """Return records with strings, arrays and nested objects, and a record of many members."""
    rows = [{"id": i, f"k{i % 9}": "two words", "in": {"a": {"b": [i]}}} for i in range(count)]
    return [*rows, {f"k{i}": i for i in range(count)}]


def _write_small(value: Any) -> str:
    text = results.write(value, for_models="small")
    assert text.startswith(f"[{len(value)} by ")
    return text


def _in_lists(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


PROBES: dict[str, Probe] = {
    # --- texts of models
    "characters of an output": _text(lambda n: "f '" + "x y" * n + "'", F_STR, 10_000),
    "calls in an output": _text(lambda n: "f x\n" * n, F_STR),
    "bytes of a call that is read in chunks": Probe(lambda n: "f " + "x" * n, _one_call, 10_000),
    "chunks of an output": Probe(lambda n: "f '" + "x " * n, _in_chunks),
    "characters of an unknown name": _text(lambda n: "n" * n + " 1", NAMES, 10_000),
    "blank lines before a call": Probe(
        lambda n: "a" + "\n" * n + "!call weather.v1 Oslo,3",
        lambda text: read_answer(text, WEATHER),
        2_000,
    ),
    "arguments of a call": _text(_joined(lambda i: f"{'' if i else 'm'} k{i}=1"), FREE_ARGS),
    "elements of an array": _text(lambda n: f"f [{'1 ' * n}]", F_INTS, 5_000),
    "rows of a table": _text(lambda n: f"f [{n}(a b)\n" + "1 2\n" * (n - 1) + "1 2]", F_ANY),
    "nesting levels of a value": _text(lambda n: "f " + "[" * n + "]" * n, F_ANY, 30),
    "digits of a number": _text(lambda n: "f " + "1" * n, F_NUM, 2_000),
    "digits of a length": _text(lambda n: f"f s1{'0' * (n - 1)}:x", F_STR, 7),
    # --- results of tools
    "values of a result to be written": Probe(_result, _write_large),
    "characters of a string in a result": Probe(lambda n: ["'x\n```\"" * n], _write_large, 10_000),
    "nesting levels of a result": Probe(_in_lists, _write_large, 30),
    "characters of a result to be read": Probe(lambda n: _write_large(_result(n)), results.read),
    "records of a result for small models": Probe(_records, _write_small),
    "members of such records to be read": Probe(lambda n: _write_small(_records(n)), results.read),
    "objects in the path of such a member": Probe(
        lambda n: f"[1 by a\n1 b{'.b' * n}:1]", results.read, 30
    ),
    "characters of JSON to be shortened": Probe(
        lambda n: json.dumps(_result(n // 200)), _shortened, 50_000
    ),
    # --- texts that are read leniently
    "open elements in an output": _lenient(lambda n: "<a>\n" * n),
    "attributes of an element": _lenient(lambda n: "<x" + ' a="b"' * n + ">"),
    "quotation marks in an output": _lenient(lambda n: "f “a”b”\n" * n),
    "blank lines in an output": _lenient(lambda n: "a" + "\n \n" * n + "weather.v1 Oslo,3"),
    "errors in an output": Probe(lambda n: "weather.v1(x=1)\n" * n, _faulty, 40),
    "characters of arguments to be mended": Probe(
        lambda n: json.dumps({"x": ["1"] * (n // 5)}), _mended, 2_000
    ),
    # --- definitions of tools
    "tools of a toolset": Probe(lambda n: [tool(f"f{i}") for i in range(n)], ToolSet.from_tools),
    "values of an enum": _defined(lambda n: {"enum": [f"label{i}" for i in range(n)]}),
    "alternatives of a union": _defined(
        lambda n: {"anyOf": [{"properties": {f"p{i}": {}}} for i in range(n)]}
    ),
    "positions of a tool": _defined(
        lambda n: {"properties": {f"p{i}": {"type": "integer"} for i in range(n)}}
    ),
    "nesting levels of a schema": _defined(_nested, 20),
    "nesting levels of a schema, in a grammar": Probe(
        lambda n: taking(_nested(n, "additionalProperties")), _in_all_grammars, 4
    ),
    "definitions that each refer to the next one twice": Probe(_fan, _use_definitions, 6),
    "operations of an OpenAPI document": Probe(_openapi, lambda made: list(operations(made))),
    "references in a chain, in an OpenAPI document": Probe(
        _referring, lambda made: list(operations(made)), 12
    ),
    "states of a pattern": Probe(lambda n: {"pattern": "ab?" * n}, _matched),
    "steps to check arguments": Probe(_denied, lambda made: decode(made[1], made[0]), 50_000),
    "parentheses in a pattern, in a grammar": Probe(
        lambda n: taking({"type": "string", "pattern": "^" + "(a" * n + ")" * n + "$"}), to_lark, 20
    ),
    "alternatives of a pattern, in a grammar": Probe(_alternatives, _in_all_grammars),
    # --- requests to the gateway
    "simultaneous requests": Probe(int, _running),
    "headers of a request": Probe(lambda n: [(b"x", b"")] * n, check_headers, 80),
    "bytes of the headers of a request": Probe(
        lambda n: [(b"x", b"y" * (n - 1))], check_headers, 30_000
    ),
    "trailers of a chunked request": Probe(int, _trailers),
    "bytes of a request": Probe(lambda n: b" " * n, _body, 10**6),
    "bytes of a compressed request after decompression": Probe(
        lambda n: zlib.compress(b" " * n),
        lambda data: decompress_body(data, "deflate", bodies.MAX_BODY),
        10**6,
    ),
    "JSON values in a request": Probe(
        lambda n: b"[" + b"1," * (n - 2) + b"1]", _decode_and_count, 30_000
    ),
    "nesting levels of a request": Probe(lambda n: '{"a":' * n + "1" + "}" * n, _object, 400),
    "messages of a request": _asked(lambda n: {"messages": said(n)}),
    "parts of a message": _asked(lambda n: {"messages": in_parts(n)}),
    "calls and results of a request": _asked(lambda n: {"messages": called(n)}),
    "bytes of an image whose tokens are counted": Probe(
        lambda n: '{"type": "base64", "data": "' + "A" * n + '"}', without_media, 10**6
    ),
    "stop strings of a request": _asked(lambda n: {"stop": [f"stop {i}" for i in range(n)]}, 32),
    "tools of a request": _asked(lambda n: {"tools": tools(n)}, 250),
    "JSON values in the tools of a request": _asked(_wide, 4_000),
    "choices of a request": _asked(lambda n: {"n": n}, 8),
    # --- answers of upstreams
    "bytes of a response": Probe(lambda n: [b"x" * 100] * (n // 100), _reply, 10**6),
    "bytes of an event": Probe(lambda n: b"data: {" + b"x" * n, _cut, 10**6),
    "events of a response": Probe(int, events),
    "calls of a response": Probe(int, answered_calls),
    "choices of a response": Probe(int, answered_choices),
    # --- servers and clients of MCP
    "pages of a tool list": Probe(_pages, lambda work: work(), 100),
    "tools on all pages": Probe(_tools_listed, lambda work: work()),
    "attempts to read a tool list that keeps changing": Probe(
        int, lambda n: _listed([[tool("f")]], changes=n - 1), 500
    ),
    "notifications of a server": Probe(int, _notified),
    "bytes of a request over HTTP": Probe(lambda n: [b"x" * 250] * (n // 250), _sent, 10**6),
    "requests that wait while a server starts": Probe(int, _waiting, 250),
    # --- documents, skills and files
    "bytes of a file": Probe(lambda n: b"x" * n, _filed, 10**6),
    "files of a folder": Probe(int, _folder, 50),
    "attributes of an HTML tag": _document(
        "a.html",
        lambda n: _page(1, f"<p {' '.join(f'a{i}=b' for i in range(n - 1))}>One"),
        400,
    ),
    "elements of an HTML page": _document("a.html", lambda n: _page(n, "<p>One</p>")),
    "files in an Office document": Probe(_office, _archived),
    "bytes of an Office document after decompression": Probe(
        lambda n: _office(1, plain=n), _archived, 10**6
    ),
    "pages of a PDF": Probe(_pdf, lambda data: _read_here(data, "pdf"), 100),
    "characters of a document's text": Probe(
        lambda n: _page(1, "word " * (n // 5)), lambda data: _read_here(data, "html"), 10_000
    ),
    "bytes of a line of Markdown": Probe(lambda n: "word " * (n // 5), _markdown, 10_000),
    "nested blocks of directives": Probe(_directives, read_directives, 8),
    "characters of a skill's front matter": Probe(_skill, _skilled, 4_000),
    "skills of a folder": Probe(int, _catalog, 50),
    "lines of a file to be searched": Probe(
        lambda n: "some words of a line\n" * n, lambda text: matching_lines(text, "x+y", 50)
    ),
    "matches of a search": Probe(lambda n: "xy\n" * n, _found),
    # --- logs and sessions
    "lines of a log": Probe(lambda n: BytesIO(b"{}\n" * n), lambda file: list(_values(file))),
    "bytes of a line of a log": Probe(
        lambda n: BytesIO(b'{"a": "' + b"x" * n + b'"}\n'), _logged, 10**6
    ),
}


def table() -> dict[str, dict[str, Any]]:
    """Return the rows of the table of limits, by their input."""
    sections = tomllib.loads((ROOT / "docs/reference/limits.toml").read_text("utf-8"))
    return {name: row for rows in sections.values() for name, row in rows.items()}


def grown(probe: Probe) -> float:
    """Return the ratio of steps for twice the size."""
    outcome(probe, max(2, probe.size - 1))  # what is made once
    small, large = (probe.make(probe.size << i) for i in range(2))
    return steps(partial(_quietly, probe, large)) / steps(partial(_quietly, probe, small))


def outcome(probe: Probe, count: int) -> str:
    """Return the code or status of the error for the given number of items, or an empty string."""
    try:
        probe.read(probe.make(count))
    except RefusedError as refusal:
        return str(refusal.status)
    except LTONError as error:
        return str(getattr(error, "code", ""))
    except _CodeError as error:
        return str(error)
    return ""


def _quietly(probe: Probe, made: Any) -> None:
    with suppress(LTONError, RefusedError, _CodeError):
        probe.read(made)


def _seconds(probe: Probe, made: Any) -> float:
    begin = time.process_time()
    _quietly(probe, made)
    return time.process_time() - begin


def _bytes(probe: Probe, made: Any) -> int:
    tracemalloc.start()
    _quietly(probe, made)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def _slower(probe: Probe, size: int) -> tuple[float, float]:
    """Return the time at twice the size, and the lowest ratio to the time at the size."""
    best = (0.0, float("inf"))
    for _ in range(ATTEMPTS):
        short = _seconds(probe, probe.make(size))
        long = _seconds(probe, probe.make(2 * size))
        best = min(best, (long, long / max(short, 1e-6)), key=lambda pair: pair[1])
        if long < WORTH_MEASURING or best[1] < GROWTH:
            break
    return best


def wrong() -> Iterator[str]:
    """Measure all probes, and return a line for each that grows too much."""
    rows = table()
    for name, probe in PROBES.items():
        size, row = probe.size * LARGER, rows[name]
        if "limit" in row and re.fullmatch(r"E?\d{3}", row["error"]):
            size = min(size, limit_of(row["limit"]) // 2)
        counted = grown(probe)
        long, slower = _slower(probe, size)
        small, large = (_bytes(probe, probe.make(size << i)) for i in range(2))
        print(f"{name:<60} steps x{counted:.2f} {long:>7.3f} s x{slower:.2f}", flush=True)
        if counted > GROWTH:
            yield f"{name}: {counted:.1f} times the steps for twice as much"
        if long > WORTH_MEASURING and slower > GROWTH:
            yield f"{name}: {slower:.1f} times the time ({long:.2f} s) for twice as much"
        if large > WORTH_WEIGHING and large / small > GROWTH:
            yield f"{name}: {large / small:.1f} times the memory ({large:,} bytes)"


if __name__ == "__main__":
    found = [*wrong()]
    print(*found, sep="\n")
    sys.exit(bool(found))
