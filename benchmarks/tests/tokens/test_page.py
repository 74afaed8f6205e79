"""Test the page: the output of `render`, the results of its modules, and the page in a browser."""

import html
import json
import os
import random
import re
import shutil
import subprocess
import zlib
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeAlias

import bpe_openai
import pytest
import toon_format

from lton import Call, EncodeError, ToolSet, encode
from lton._json import minified
from lton._syntax import FORMS
from lton.chat import instructions
from lton.cost.typescript import HEAD, TAIL, write_typescript
from lton.tokens import counter
from lton.tokens.families import openai_ranks
from lton_bench import bfcl
from lton_bench.demo import DEFINITIONS, json_array
from lton_bench.tokens.break_even import Costs, first
from lton_bench.tokens.measure import units
from lton_bench.tokens.page import MODULES, Results, Table, explanation, render, sample_fields
from lton_bench.tokens.page.vocabulary import NAMES, pack
from lton_bench.tokens.pieces import Shown, text_of

HERE = Path(__file__).parent
WEATHER = json.loads(DEFINITIONS.read_text("utf-8"))[0]
README_CALL = {
    "name": "weather.v1",
    "arguments": {"city": "San Leandro", "days": 7, "unit": "C"},
}
TINY = {"o200k": {b"a": 0, b"b": 1, b"ab": 2}}
RESULTS: Results = {
    "meta": {"data": "two rows", "versions": {"lton": "0.1"}},
    "tokenizers": ["o200k", "cl100k"],
    "tables": [
        {
            "title": "Ratios </script><b>",
            "about": "Made up for a test.",
            "columns": ["Format", "Group", "o200k", "cl100k"],
            "rows": [
                ["JSON minified", "JSON", 1, 1],
                ["LTON wire", "LTON", 0.25, 0.5],
                ["XML <i>", "rival", 2.5, None],
            ],
        },
        {
            "title": "Counts",
            "about": "Made up too.",
            "unit": "count",
            "columns": ["Format", "Group", "tokens"],
            "rows": [["LTON wire", "LTON", 1234], ["JSON minified", "JSON", 999.5]],
        },
    ],
}


Gold: TypeAlias = list[tuple[ToolSet, list[tuple[str, Any]], dict[str, Any]]]


# --- what render writes -------------------------------------------------------------------------


class _Seen(HTMLParser):
    """Collects the addresses in a page's tags, and the cells of its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.cells: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def test_a_page_names_no_address() -> None:
    """The page fetches nothing, and its policy forbids requests."""
    page = render(RESULTS, TINY)
    assert all(address.startswith(("#", "data:")) for address in _Seen(page).addresses)
    assert "default-src 'none'" in page
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|\bimport\(|^import ", page, re.M)


def test_a_page_holds_the_rows_of_the_results() -> None:
    """Ratios have two decimals, counts have separators, and missing values are dashes."""
    cells = [cell.strip() for cell in _Seen(render(RESULTS, TINY)).cells]
    assert cells[cells.index("LTON wire") :][:4] == ["LTON wire", "LTON", "0.25", "0.50"]
    assert cells[cells.index("XML <i>") :][:4] == ["XML <i>", "rival", "2.50", "\N{EN DASH}"]
    assert {"1,234", "999.5"} <= set(cells)


def test_results_are_text_and_not_markup() -> None:
    """Names in the results cannot open a tag or end the script."""
    page = render(RESULTS, TINY)
    assert "Ratios &lt;/script&gt;&lt;b&gt;" in page
    assert not {"b", "i"} & set(_Seen(page).tags)


def test_a_row_of_another_width_is_refused() -> None:
    """A row with another number of cells than headings is an error."""
    table: Table = {**RESULTS["tables"][1], "rows": [["LTON wire", "LTON"]]}
    with pytest.raises(ValueError, match="expected 3 cells, found 2"):
        render({**RESULTS, "tables": [table]}, TINY)


def test_the_modules_are_all_there() -> None:
    """The script contains each module once, after the modules that it imports."""
    folder = Path(render.__code__.co_filename).parent
    assert sorted(MODULES) == sorted(path.stem for path in folder.glob("*.mjs"))
    for index, name in enumerate(MODULES):
        imported = re.findall(r'from "\./(\w+)\.mjs"', (folder / f"{name}.mjs").read_text("utf-8"))
        assert set(imported) <= set(MODULES[:index])


def test_a_vocabulary_is_packed_without_loss() -> None:
    """Each token and its rank can be unpacked."""
    ranks = openai_ranks("cl100k")  # o200k takes twice as long
    packed = zlib.decompress(b64decode(pack(ranks)))
    size = int.from_bytes(packed[:4], "big")
    columns = [packed[4 + i * size : 4 + (i + 1) * size] for i in range(5)]
    unpacked, at, token = {}, 4 + 5 * size, b""
    for shared, own, *rank in zip(*columns, strict=True):
        token = token[:shared] + packed[at : at + own]
        at += own
        unpacked[token] = int.from_bytes(bytes(rank), "little")
    assert unpacked == ranks
    assert len(unpacked) == 100_256


# --- what the modules compute: they are asked in node --------------------------------------------


def ask(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers of the page's modules."""
    node = shutil.which("node")
    assert node, "needs node"
    process = subprocess.run(
        [node, HERE / "page_modules.mjs"],
        input="\n".join(map(json.dumps, requests)),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in process.stdout.split("\n") if line]


def _texts(tools: Any, calls: Any) -> dict[str, Any]:
    return {"kind": "texts", "tools": json.dumps(tools), "calls": json.dumps(calls)}


def _plain(calls: list[tuple[str, Any]]) -> Any:
    plain = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return plain if len(plain) > 1 else plain[0]


def _turns() -> Iterator[tuple[list[Any], list[tuple[str, Any]]]]:
    """Return the gold calls of BFCL with their tools: each call, and all calls of a case."""
    for optionals in ("kept", "omitted"):
        for case in bfcl.load(optionals=optionals):
            yield from ((case.tools, [call]) for call in case.calls)
            if len(case.calls) > 1:
                yield case.tools, case.calls


@pytest.fixture(scope="module")
def gold() -> Gold:
    """Return the gold calls with their tools, and the results of the page's modules."""
    turns = list(_turns())
    answers = ask([_texts(tools, _plain(calls)) for tools, calls in turns])
    return [
        (ToolSet.from_tools(tools), calls, answer)
        for (tools, calls), answer in zip(turns, answers, strict=True)
    ]


def _library(tools: ToolSet, calls: list[Call], plain: Any) -> dict[str, str] | None:
    """Return the output of the library and of Python packages, or None for a refused call."""
    try:
        texts = {f"LTON {form}": encode(calls, tools, form=form) for form in FORMS}
    except EncodeError:
        return None
    rows = [json_array(call, tools) for call in calls]
    return {
        **texts,
        "LTON wire, aliases": encode(calls, tools.with_aliases()),
        "JSON minified": minified(plain),
        "JSON spaced": json.dumps(plain, ensure_ascii=False),
        "JSON array": minified(rows if len(rows) > 1 else rows[0]),
        "TOON": toon_format.encode(plain),
    }


@pytest.mark.browser
def test_every_gold_call_is_written_as_the_library_writes_it(gold: Gold) -> None:
    """All of BFCL, with and without optionals, is equal in each form, in JSON and in TOON."""
    equal = refused = 0
    for tools, calls, answer in gold:
        expected = _library(tools, [Call(*call) for call in calls], _plain(calls))
        if expected is None:
            assert answer.get("error"), calls
            refused += 1
        else:
            assert {name: answer["texts"][name] for name in expected} == expected
            equal += 1
    assert (equal, refused) == (7401, 83)


@pytest.mark.browser
def test_tables_are_written_as_the_library_writes_them() -> None:
    """R-316: arrays and maps of similar objects in the conformance suite are equal."""
    folder = HERE.parents[2] / "spec" / "conformance"
    tools = json.loads((folder / "tools.json").read_text("utf-8"))
    cases = json.loads((folder / "encode" / "tables.json").read_text("utf-8"))["cases"]
    answers = ask([_texts(tools[case["tools"]], case["calls"]) for case in cases])
    for case, answer in zip(cases, answers, strict=True):
        forms = {form: answer["texts"][f"LTON {form}"] for form in case["texts"]}
        assert forms == case["texts"], case["id"]


@pytest.mark.browser
def test_every_format_is_written_as_the_benchmark_writes_it(gold: Gold) -> None:
    """All formats except binary ones are equal, in the same order."""
    formats = pytest.importorskip("lton_bench.tokens.formats").FORMATS
    formats = [format_ for format_ in formats if format_.group != "binary"]
    cases_with_text = [case for case in gold[::3] if "texts" in case[2]]
    assert cases_with_text
    for tools, calls, answer in cases_with_text:
        call_list = [Call(*call) for call in calls]
        texts = {format_.name: text_of(format_.write(call_list, tools)) for format_ in formats}
        assert list(answer["texts"]) == list(texts)
        assert answer["texts"] == texts


@pytest.mark.browser
def test_definitions_are_shown_as_the_library_shows_them() -> None:
    """JSON, TypeScript and LTON are equal for the tools of each recorded MCP server."""
    servers = [unit.tools for unit in units("definitions_mcp") if isinstance(unit, Shown)]
    question = {"kind": "shown", "explanation": explanation()}
    for tools, answer in zip(
        servers, ask([{**question, "tools": json.dumps(tools)} for tools in servers]), strict=True
    ):
        types = "\n\n".join(write_typescript(tool["function"]) for tool in tools)
        as_lton = instructions(ToolSet.from_tools(tools), form="punctuated")
        assert answer["texts"] == [minified(tools), HEAD + types + TAIL, as_lton]


@pytest.mark.browser
def test_the_break_even_is_that_of_the_benchmark() -> None:
    """Tools have equal tokens; there is no break-even if a signature is longer."""
    kind = {"LTON": Costs(148, 39, 0), "JSON": Costs(0, 81, 0)}
    question = {"kind": "breakEven", "explained": 148}
    numbers = [
        ask([{**question, "other": other * count, "lton": 148 + 39 * count, "count": count}])[0]
        for other, count in ((81, 1), (81, 7), (39, 5))
    ]
    least = first(kind, "JSON", calls=0)
    assert [number["from"] for number in numbers] == [least, least, None]


CITY = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {"location": {"type": "string"}, "days": {"type": "integer"}},
    },
}


@pytest.mark.browser
def test_a_schema_with_parts_elsewhere_is_laid_out_as_in_the_library() -> None:
    """References, unions, maps, tuples, nullable values and enumerations are equal."""
    tool = {
        "name": "f",
        "parameters": {
            "type": "object",
            "$defs": {"P": {"type": "object", "properties": {"x": {"type": "number"}}}},
            "properties": {
                "o": {"type": "string"},
                "at": {"$ref": "#/$defs/P", "description": "where"},
                "any": {},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
                "map": {"type": "object", "additionalProperties": {"type": ["string", "boolean"]}},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
                "unit": {"enum": ["C", "F"], "nullable": True},
                "level": {"type": "array", "enum": ["a b", "c"]},
            },
            "required": ["at", "either"],
        },
    }
    calls: list[dict[str, Any]] = [
        {"at": {"x": 1e-7}, "either": "null", "any": {"ö": [1, 1.0, None]}, "level": ["a b", "c"]},
        {"at": {}, "either": 5, "map": {"b": "true", "a": True, "\U0001d4b3": "x", "\uffff": "y"}},
        {"at": {"x": 2.5e22}, "either": 'it\'s "5"', "pair": ["x\ny", 1.5], "unit": None},
        {
            "at": {"x": 3},
            "either": None,
            "o": "```\nx\n````",
            "unit": "F",
            "pair": ["s7", 7],
        },
    ]
    plain = [{"name": "f", "arguments": arguments} for arguments in calls]
    tools = ToolSet.from_tools([tool])
    (answer,) = ask([_texts([tool], plain)])
    call_list = [Call("f", arguments) for arguments in calls]
    for form in FORMS:
        assert answer["texts"][f"LTON {form}"] == encode(call_list, tools, form=form)


PLAIN = {"name": "get_weather", "arguments": {"location": "Oslo", "days": 3}}
FUNCTION = {"name": "get_weather", "arguments": json.dumps(PLAIN["arguments"])}
OPENAI = {"id": "call_1", "type": "function", "function": FUNCTION}
USE = {"type": "tool_use", "id": "1", "name": "get_weather", "input": PLAIN["arguments"]}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [OPENAI]}
SAID = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "So."}, USE]
SHAPES = {
    "OpenAI's call": OPENAI,
    "a message": MESSAGE,
    "a response": {"id": "1", "choices": [{"index": 0, "message": MESSAGE}]},
    "a conversation": {
        "messages": [
            {"role": "user", "content": "How warm is it?"},
            MESSAGE,
            {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "7"}]},
        ]
    },
    "responses API": {"output": [{"type": "function_call", "call_id": "1", **FUNCTION}]},
    "Anthropic's call": USE,
    "Anthropic's message": {"role": "assistant", "content": SAID},
}


@pytest.mark.browser
@pytest.mark.parametrize("shape", SHAPES)
def test_what_apis_give_is_read_as_the_call_that_it_is(shape: str) -> None:
    """Calls in the formats of APIs can be pasted unchanged, or one per line."""
    request = {"kind": "texts", "tools": json.dumps([CITY])}
    pasted = json.dumps(SHAPES[shape], indent=1)
    lines = f"{json.dumps(SHAPES[shape])}\n\n{json.dumps(PLAIN)}\n"
    one, two, *expected = ask(
        [
            {**request, "calls": pasted},
            {**request, "calls": lines},
            {**request, "calls": json.dumps(PLAIN)},
            {**request, "calls": json.dumps([PLAIN, PLAIN])},
        ]
    )
    assert [one, two] == expected
    assert expected[0]["texts"]["LTON wire"] == "get_weather Oslo 3"


@pytest.mark.browser
def test_what_holds_no_call_is_refused() -> None:
    """The error for input without a call names the line, or the string with the arguments."""
    broken = {"function": {"name": "get_weather", "arguments": "{"}}
    cases = {
        json.dumps({"role": "user", "content": "Hi"}): ("expected a call", ""),
        json.dumps({"tool_calls": [broken]}): (
            "the arguments are no JSON: expected a key",
            "/tool_calls/0/function/arguments",
        ),
        json.dumps({"function": {"name": "get_weather", "arguments": "7"}}): (
            "expected an object of arguments",
            "/function/arguments",
        ),
        "7": ("expected a call: an object with name and arguments", ""),
    }
    answers = ask([{"kind": "texts", "tools": json.dumps([CITY]), "calls": c} for c in cases])
    for answer, (message, pointer) in zip(answers, cases.values(), strict=True):
        assert answer["error"].startswith(message)
        assert answer["pointer"] == pointer
    lines = f"{json.dumps(PLAIN)}\n{{]"
    (answer,) = ask([{"kind": "texts", "tools": json.dumps([CITY]), "calls": lines}])
    assert answer["pos"] == lines.index("]")


ERRORS = {  # the text of a call, and the position of what is wrong with it
    '{"name": "get_weather", "arguments": {"days": }}': 46,
    '{"name": "get_weather" "arguments": {}}': 23,
    '{"name": "get_weather", "arguments": {"a": "\\x"}}': 44,
    '{"name": "get_weather", "arguments": {"a": "b': 45,
    '{"a": 1, "a": 2}': 9,
    "[1, 2,]": 6,
    "[1e999]": 1,
    "": 0,
}


@pytest.mark.browser
def test_what_is_no_json_is_refused_where_it_stops_being_json() -> None:
    """The error for invalid JSON has the position at which the input stops being JSON."""
    answers = ask([{"kind": "json", "text": text} for text in ERRORS])
    assert [answer.get("pos") for answer in answers] == list(ERRORS.values())


def _strange(rng: random.Random) -> Iterator[str]:
    """Return strings with unusual tokens: contractions, spaces, scripts, emoji, and long runs."""
    parts = [
        "'s",
        "'S",
        "'LL",
        "\u017f",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u00a0",
        "\u0085",
        "\ufeff",
    ]
    parts += ["\u2028", "\u3000", "中文", "🙂", "👩‍👩‍👧", "e\u0301", "ǅ", "ʰ", "1234", "½", "٣"]
    parts += [
        "A",
        "bc",
        "HTTPServer",
        "/",
        "//",
        "-",
        "_",
        "'ve",
        "\u2019s",
        "İ",
        "ß",
        "ไทย",
        "हिन्दी",
    ]
    for _ in range(2000):
        yield "".join(rng.choice(parts) for _ in range(rng.randint(1, 25)))
    yield from ("a" * 5000, " " * 5000, "中" * 3000, "=-" * 3000, "\n" * 999, "\ta" * 3000)


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_tokens_are_those_of_the_reference(name: str) -> None:
    """Tokens are equal for calls of BFCL, sources of this project, and odd strings."""
    rng = random.Random(7)
    cases = rng.sample(bfcl.load(), 100)
    all_answers = ask([_texts(case.tools, _plain(case.calls)) for case in cases])
    texts = [text for answer in all_answers for text in answer.get("texts", {}).values()]
    root = HERE.parents[2]
    sources = [
        *root.glob("lton/**/*.py"),
        *root.glob("benchmarks/lton_bench/**/*.mjs"),
        *root.glob("*.md"),
    ]
    texts += [path.read_text("utf-8")[:20_000] for path in sources]
    texts += _strange(rng)
    assert len(texts) >= 5000
    packed = {"kind": "vocabulary", "name": name, "packed": pack(openai_ranks(name))}
    _, *answers = ask([packed, *({"kind": "tokens", "name": name, "text": t} for t in texts)])
    encoding = bpe_openai.get_encoding(f"{name}_base")
    for text, answer in zip(texts, answers, strict=True):
        assert answer == {"ids": encoding.encode_ordinary(text), "text": text}


FORMATS = 24


# --- the page in a browser ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render(RESULTS, {name: openai_ranks(name) for name in NAMES}), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Yield Debian's Chromium, so that Playwright does not download a browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as driver:
        # Chromium has no sandbox where everybody is root, as in containers.
        browser = driver.chromium.launch(executable_path=path, chromium_sandbox=False)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """Yield the page in a browser; an error or a second request fails the test."""
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(90_000)  # of a machine that does something else, too
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: complaints.append(request.url[:80]))
    opened.goto(address)
    opened.wait_for_selector("#formats tbody tr")
    yield opened
    context.close()
    assert [complaint for complaint in complaints if not complaint.startswith("data:")] == [address]


def read_table(page: Any) -> dict[str, tuple[int, float, str]]:
    """Return the table of formats by name: tokens, the ratio to JSON, and the output."""
    cells = page.locator("#formats tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return {
        name: (int(tokens.replace(",", "")), float(ratio), text)
        for name, _, tokens, ratio, text in cells
    }


def paste(page: Any, call: Any, *tools: Any) -> None:
    """Fill the fields, and wait until the page shows the result."""
    status = page.locator("#status")
    status.evaluate("each => { each.textContent = 'waiting' }")
    if tools:
        page.fill("#tools", json.dumps(tools))
    page.fill("#call", call if isinstance(call, str) else json.dumps(call))
    expect = pytest.importorskip("playwright.sync_api").expect
    expect(status).not_to_have_text("waiting", timeout=90_000)


def wait_for_message(page: Any, text: str) -> None:
    """Wait until the page shows this message."""
    pytest.importorskip("playwright.sync_api").expect(page.locator("#status")).to_have_text(text)


@pytest.mark.browser
def test_the_page_begins_with_eight_real_tools(page: Any) -> None:
    """The first sentence says from how many such tools on LTON is shorter."""
    sentence = page.locator("#break-even").inner_text()
    assert sentence.startswith("These 8 tools take ")
    assert "LTON is shorter, compared with JSON, from 2 of such tools on" in sentence
    assert read_table(page)["LTON wire"][1] < 1


@pytest.mark.browser
def test_the_page_shows_the_figures_of_the_readme(page: Any) -> None:
    paste(page, README_CALL, WEATHER)
    rows = read_table(page)
    assert rows["LTON wire"] == (10, 0.43, 'weather.v1 "San Leandro",7 C')
    assert rows["JSON minified"][:2] == (23, 1.0)
    assert rows["JSON array"][0] == 13
    assert len(rows) == FORMATS
    tokens = page.locator("#formats tbody pre").first.locator("span").all()
    ids = bpe_openai.get_encoding("o200k_base").encode_ordinary(rows["LTON wire"][2])
    assert [token.get_attribute("title") for token in tokens] == [f"token {id_}" for id_ in ids]


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_a_pasted_call_is_shown_in_every_format(page: Any, name: str) -> None:
    """Counts equal the reference."""
    days = "a note\nwith two lines, 'quotes\" and 中文 👩‍👩‍👧"
    call = {"name": "get_weather", "arguments": {"location": days, "days": 10**20}}
    page.select_option("#vocabulary", name)
    paste(page, call, CITY)
    (answer,) = ask([_texts([CITY], call)])
    encoding = bpe_openai.get_encoding(f"{name}_base")
    rows = read_table(page)
    assert rows.keys() == answer["texts"].keys()
    for format_, text in answer["texts"].items():
        expected = len(encoding.encode_ordinary(text))
        assert (rows[format_][0], rows[format_][2]) == (expected, text), format_


@pytest.mark.browser
def test_definitions_are_counted_without_a_call(page: Any) -> None:
    """Tokens equal those of `lton cost`, and give the break-even."""
    paste(page, "[", CITY, {**CITY, "name": "get_time"})
    rows = page.locator("#definitions tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].slice(0, 4).map(cell => cell.textContent))"
    )
    tools = [CITY, {**CITY, "name": "get_time"}]
    types = "\n\n".join(write_typescript({**tool, "description": ""}) for tool in tools)
    texts = [minified(tools), HEAD + types + TAIL]
    texts += [instructions(ToolSet.from_tools(tools), form="punctuated")]
    counts = [count.tokens for count in counter("o200k").count_all(texts)]
    assert [int(tokens) for _, _, tokens, _ in rows] == counts
    assert [float(ratio) for *_, ratio in rows] == [
        round(counts[-1] / tokens_of_format, 2) for tokens_of_format in counts
    ]
    assert "compared with JSON, from " in page.locator("#break-even").inner_text()


@pytest.mark.browser
def test_definitions_are_read_from_a_file(page: Any, tmp_path: Path) -> None:
    """A file of several hundred tools is counted, without a connection."""
    tools = [{**CITY, "name": f"tool_{number}"} for number in range(600)]
    (file := tmp_path / "tools.json").write_text(json.dumps(tools))
    page.set_input_files("#file", str(file))
    count = f"{counter('o200k').count(minified(tools)).tokens:,}"
    page.wait_for_function(
        "count => document.querySelector('#definitions tbody td.number')?.textContent === count",
        arg=count,
    )
    assert page.get_attribute("#tools", "aria-invalid") == "false"


@pytest.mark.browser
def test_what_is_wrong_stands_beside_the_field(page: Any) -> None:
    """An error shows line and column next to the field; earlier output stays, marked as old, until
    it is fixed.
    """
    error, table = page.locator("#call-error"), page.locator("#formats")
    paste(page, README_CALL, WEATHER)
    paste(page, '{"name": "weather.v1",\n "arguments": {"city": }}')
    assert error.inner_text().startswith('Line 2, column 24: expected a value, found "}"')
    assert page.get_attribute("#call", "aria-invalid") == "true"
    assert "stale" in table.get_attribute("class")
    assert len(read_table(page)) == FORMATS
    for arguments, message in {
        '{"city": "Rome", "days": 99, "unit": "C"}': "Line 1, column 62: expected an integer of at",
        '{"city": "Rome", "days": 9, "unit": "K"}': "Line 1, column 73: expected one of 'C'",
        '{"city": "Rome", "days": 9}': "Line 1, column 37: 'unit' is required",
        "[]": "Line 1, column 37: expected an object of arguments",
    }.items():
        paste(page, f'{{"name": "weather.v1", "arguments": {arguments}}}')
        assert error.inner_text().startswith(message)
    paste(page, "x" * 100_001)
    assert "more than 100,000 characters" in error.inner_text()
    paste(page, {"name": "weather.v1", "arguments": {"city": "Rome", "days": 9, "unit": "C"}})
    assert error.is_hidden()
    assert page.get_attribute("#call", "aria-invalid") == "false"
    assert read_table(page)["LTON wire"][2] == "weather.v1 Rome 9 C"
    page.fill("#tools", '{"name": "weather.v1", "parameters": {"allOf": 5, "then": {}}}')
    page.wait_for_selector("#tools-error:not([hidden])")
    assert "allOf cannot be 5" in page.inner_text("#tools-error")


@pytest.mark.browser
def test_a_link_has_the_fields_in_it(page: Any, address: str) -> None:
    """A link contains the fields, shows the same calls, and its fragment is not sent to a
    server.
    """
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    first = read_table(page)["LTON wire"]
    call = json.dumps(
        {"name": "weather.v1", "arguments": {"city": "Ærø ✓", "days": 1, "unit": "C"}}
    )
    paste(page, call, WEATHER)
    page.get_by_role("button", name="Copy a link").click()
    wait_for_message(page, "Copied a link with both fields in it.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"#fields=[\w-]+", link.removeprefix(address))
    other = page.context.browser.new_context().new_page()
    other.goto(link)
    other.wait_for_selector("#formats tbody tr")
    assert other.input_value("#call") == call
    assert other.input_value("#tools") == page.input_value("#tools")
    assert read_table(other)["LTON wire"] == read_table(page)["LTON wire"]
    other.goto("about:blank")
    other.goto(f"{address}#fields=nonsense")
    other.wait_for_selector("#formats tbody tr")
    assert read_table(other)["LTON wire"] == first
    other.context.close()


@pytest.mark.browser
def test_a_text_can_be_copied(page: Any) -> None:
    """The copy has line ends, but not the marks that show them."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    paste(page, README_CALL, WEATHER)
    page.get_by_role("button", name="Copy LTON tagged", exact=True).click()
    wait_for_message(page, "Copied LTON tagged.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "!call weather.v1\n(s11:San Leandro u1:7 e1:C)"


def test_the_page_has_eight_tools_of_a_real_server() -> None:
    """The sentence about the break-even is above the fields, which have real tools and a call."""
    ours = render(RESULTS, TINY)
    assert ours.index('id="break-even"') < ours.index('id="tools"')
    call, tools = sample_fields()
    assert (html.escape(call) in ours, html.escape(tools) in ours) == (True, True)
    tool_set = ToolSet.from_tools(json.loads(tools))
    assert len(tool_set) == 8
    assert encode(json.loads(call), tool_set).startswith("create_issue octocat hello ")


def test_a_page_of_own_calls_begins_with_them() -> None:
    """Figures of your calls come first, and the fields have one of the calls."""
    call = '{"name": "f", "arguments": {}}'
    own = render({**RESULTS, "sample": (call, '[{"name": "f"}]')}, TINY)
    assert own.index('id="results"') < own.index('id="try"')
    assert ">The results</h2>" in own
    assert html.escape(call) in own
    ours = render(RESULTS, TINY)
    assert ours.index('id="try"') < ours.index('id="results"')
    assert ">The benchmark</h2>" in ours


def test_no_fact_about_the_run_hides_another() -> None:
    """The package `tokenizers` is shown next to the names of the tokenizers."""
    meta = {"tokenizers": "0.23.3"}
    page = render({**RESULTS, "meta": meta}, TINY)
    assert "<dt>tokenizers</dt><dd>0.23.3</dd>" in page
    assert "<dt>counted by</dt><dd>o200k, cl100k</dd>" in page


HUGE = 90_000


@pytest.mark.browser
@pytest.mark.parametrize("text", ["a" * HUGE, " " * HUGE, "中" * (HUGE // 6), '"\\' * (HUGE // 4)])
def test_long_texts_take_no_longer_than_their_length(page: Any, text: str) -> None:
    """Long runs are split and merged in linear time, and only some tokens are shown."""
    paste(page, {"name": "weather.v1", "arguments": {"city": text, "days": 9, "unit": "C"}})
    assert page.get_attribute("#call", "aria-invalid") == "false"
    assert page.locator("#formats span").count() <= FORMATS * 500


def names(page: Any, table: int) -> list[str]:
    rows = page.locator("#results table").nth(table).locator("tbody tr:visible th")
    return [name.strip() for name in rows.all_inner_texts()]


@pytest.mark.browser
def test_a_heading_sorts_its_table(page: Any) -> None:
    """A heading sorts upwards, then downwards, by mouse or keys; empty cells come last."""
    heading = page.locator("#results table").first.locator("thead th").nth(3)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names(page, 0) == ["LTON wire", "JSON minified", "XML <i>"]
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert names(page, 0) == ["JSON minified", "LTON wire", "XML <i>"]
    page.locator("#formats thead button", has_text="Tokens").press("Space")
    counts = [tokens for tokens, _, _ in read_table(page).values()]
    assert counts == sorted(counts)
    paste(page, {"name": "weather.v1", "arguments": {"city": "Rome", "days": 9, "unit": "C"}})
    counts = [tokens for tokens, _, _ in read_table(page).values()]
    assert counts == sorted(counts)  # still


@pytest.mark.browser
def test_groups_can_be_hidden(page: Any) -> None:
    """A checkbox hides the rows of its group in all tables."""
    page.get_by_label("JSON", exact=True).uncheck()
    assert (names(page, 0), names(page, 1)) == (["LTON wire", "XML <i>"], ["LTON wire"])
    page.get_by_label("JSON", exact=True).check()
    assert len(names(page, 0)) == 3


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_is_accessible(page: Any, scheme: str, width: int) -> None:
    """axe reports no problems, including contrast, and the page is never too wide."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    violations = axe.Axe().run(page).response["violations"]
    assert [
        (violation["id"], violation["nodes"][0]["html"][:200]) for violation in violations
    ] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
