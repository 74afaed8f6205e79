"""Test the documents: their examples run, and tables and generated files are current."""

import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from abnf import Rule

import grammars.__main__ as reference_grammars
from docs.site.assemble import GENERATED, assembled, codes, repository, what_to_do
from lton import DecodeError, decode
from lton.errors import Code, RepairCode
from lton_bench.demo import demo_tools
from lton_bench.study.calls.conditions import BASELINES
from tests.cases import GOOD, INT, READ, STR, UNIT, Good, Read, loop_over, tool, tools_of
from tests.examples import SERVER, blocks_of, commands
from tests.extra.agents.table import SEEN, TABLE, table
from tests.options import options
from tests.test_release import SESSIONS

ROOT = Path(__file__).parent.parent
PAGES = [Path("README.md"), *(path.relative_to(ROOT) for path in sorted(ROOT.glob("docs/**/*.md")))]
"""All with examples; tests/test_wheel.py runs them."""
EXAMPLES = [path for path in PAGES if blocks_of((ROOT / path).read_text("utf-8"))]
RESULTS = ROOT / "benchmarks" / "results"
README = (ROOT / "README.md").read_text("utf-8")
SPEC = (ROOT / "spec" / "LTON-0.1.md").read_text("utf-8")
TOOLS = demo_tools()
WITH_NOTE = tools_of(
    tool(
        "weather.v1",
        {"city": STR, "days": INT, "unit": UNIT, "note": STR},
        ["city", "days", "unit", "note"],
    )
)
RULE = re.compile(r"\bR-\d{2,}")
DEFINED = re.findall(r"^(?:\| )?(R-\d+)(?::| \|)", SPEC, re.MULTILINE)
LONG = 1000
"""Characters of a text that is too long for the recursion of the ABNF library."""
FRESH = reference_grammars.files()
FENCED = re.compile(r"^```([a-z-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, kind: str) -> list[str]:
    return [body for block_kind, body in FENCED.findall(text) if block_kind == kind]


@pytest.mark.parametrize("path", EXAMPLES, ids=str)
def test_no_page_has_a_block_that_nothing_runs(path: Path) -> None:
    """Each block has a kind that is run, or names the test that runs it."""
    page_blocks = blocks_of((ROOT / path).read_text("utf-8"))
    assert {block.kind for block in page_blocks if block.is_run} <= {"python", "text", "console"}
    for block in page_blocks:
        if block.needs_server:
            test = ROOT / block.mark.removeprefix(f"{SERVER}: ")
            assert path.name in test.read_text("utf-8")
    for before, block in pairwise(page_blocks):
        assert block.kind != "text" or before.kind == "python"


INSTALLS = re.compile(r"pip install |python -m venv |\. venv/")
TESTED_ELSEWHERE = {
    "README.md": 3,
    "guides/context.md": 2,
    "guides/editors.md": 4,
    "guides/engines/openai.md": 1,
    "guides/engines/sglang.md": 1,
    "guides/engines/vllm.md": 1,
    "guides/frameworks.md": 1,
    "guides/coding-agents.md": 1,
    "guides/gateway.md": 1,
    "guides/local-models.md": 1,
    "guides/mcp.md": 3,
    "guides/release.md": 3,
    "guides/results.md": 1,
    "guides/tools.md": 1,
    "guides/typescript.md": 11,
    "results/declining.md": 2,
}
"""Blocks that need an editor, npm, a server, a model, Ray or somebody's files, or publish."""


def test_what_is_not_run_installs_or_is_tested_elsewhere() -> None:
    others: dict[str, int] = {}
    for path in EXAMPLES:
        for block in blocks_of((ROOT / path).read_text("utf-8")):
            installs = block.kind == "console" and all(map(INSTALLS.match, commands(block.text)))
            if block.mark.startswith("not run") and not installs:
                name = path.as_posix().removeprefix("docs/")
                others[name] = others.get(name, 0) + 1
    assert others == TESTED_ELSEWHERE


def test_the_extras_that_pages_install_exist() -> None:
    """pip only warns of an extra that does not exist, and installs nothing for it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = set(project["project"]["optional-dependencies"])
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    installed = re.compile(r"pip install '(?:\.|lton)\[([a-z,]+)\]")
    for page in pages:
        for names in installed.findall(page.read_text("utf-8")):
            assert set(names.split(",")) <= extras, page


def test_no_link_of_the_pages_is_dead() -> None:
    """Links and included files exist; `make docs` checks links to parts of a page."""
    pages_by_name = assembled(dict.fromkeys(GENERATED, str))
    assert len(pages_by_name) == len(PAGES) - 1
    assert "<!-- include" not in "".join(pages_by_name.values())
    assert repository() is None  # where there is one: mkdocs.yml should name it too


def test_each_page_is_in_the_menu_of_the_site() -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    assert sorted(re.findall(r"([\w/-]+\.md)$", menu, re.MULTILINE)) == sorted(
        path.relative_to("docs").as_posix() for path in PAGES[1:]
    )


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= 7000


def test_guides_show_the_options_that_the_first_help_lists() -> None:
    """No guide shows an option that only `lton help all` lists."""
    options_in_help, every = (
        {f"--{dest.replace('_', '-')}" for dest_list in by_command.values() for dest in dest_list}
        for by_command in (options(lists_all=False), options(lists_all=True))
    )
    hidden = every - options_in_help - {"--output", "--is-quiet"}
    for page in (ROOT / "docs/guides").rglob("*.md"):
        text = page.read_text("utf-8")
        rare = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)} & hidden
        assert not rare, page


def test_each_error_code_says_what_to_do() -> None:
    """The table of the site has all codes, with their meanings from the source."""
    assert list(what_to_do()) == [code.value for code in Code]
    assert list(codes()["Code"]) == [code.value for code in Code]
    assert list(codes()["RepairCode"]) == [code.value for code in RepairCode]
    assert all(len(text) > 5 for table in codes().values() for text in table.values())


AGENTS_CASE = "Calls ten times over: "
"""Of the benchmark of speed: tools that stay the same."""
SPEEDS = {
    "**LTON, wire: pure Python, checked against the schema**": ("LTON wire", "LTON wire"),
    "pydantic (Rust)": ("pydantic dump_json (C)", "pydantic validate_json (C)"),
    "msgspec (C)": ("msgspec.json.encode (C)", "msgspec.json, typed (C)"),
    "toon-format (Python), not checked": ("toon-format", "toon-format"),
}


def _read(name: str) -> Any:
    return json.loads((RESULTS / name).read_text("utf-8"))


def test_the_figures_that_are_shown_first_are_those_of_the_results() -> None:
    """The figures for and against LTON in README.md and on the page of results were measured."""
    page = (ROOT / "docs/results/index.md").read_text("utf-8")
    tokens, mcp, study = _read("tokens.json"), _read("mcp.json"), _read("study.json")
    bfcl = tokens["datasets"]["bfcl_kept"]
    models = [
        {name: one["accuracy"]["value"] for name, one in model["conditions"].items()}
        for model in study["models"].values()
    ]
    right = [
        (f"{max(one[name] for name in BASELINES):.3f}", f"{one['guided, call']:.3f}")
        for one in models
    ]
    right += [
        (f"{one['JSON spaced']:.3f}", f"{one[form]:.3f}")
        for form in ("LTON punctuated", "LTON wire")
        for one in models
    ]
    punctuated = f"{bfcl['formats']['LTON punctuated']['mean']:.2f}"
    seven = mcp["seven"]["definitions"]
    as_json, own = seven["JSON, and `pass`"][0], seven["`line`"][0]
    one = next(
        conversation["conversation"]["1"]
        for conversation in tokens["conversations"]
        if (conversation["tools"], conversation["form"]) == (1, "LTON wire")
    )
    race = next(
        race for race in _read("speed.json")["races"] if race["title"] == f"{AGENTS_CASE}decode"
    )
    speeds = {row["name"]: f"{row['ratio']['median']:.2f}" for row in race["rows"]}
    time = study["models"]["smollm2"]["conditions"]["guided, call"]["seconds_ratio"]
    right = [
        (f"**{json_}**", own) if json_ > own else (json_, f"**{own}**") for json_, own in right
    ]
    rows = [
        ("1.00", f"**{bfcl['formats']['LTON wire']['mean']:.2f}**"),
        ("1.00", f"**{punctuated}**"),
        (f"{as_json:,}", f"**{own:,}**"),
        ("**1.00**", f"{one:.2f}"),
        *right,
        ("**1.00**", speeds["LTON wire"]),
        ("**1.00**", speeds["LTON punctuated"]),
        ("**1.00**", f"{time:.2f}"),
    ]
    assert re.findall(r"^\|.*\| (\S+) \| (\S+) \| `make", page, re.MULTILINE) == rows
    assert f"tokens of {bfcl['calls']:,} real calls" in page
    assert f"take {own:,} tokens (JSON: {as_json:,})" in README
    assert f"{time:.2f} times as long with SmolLM2" in README
    least = [re.findall(r"\d+", line)[-6::3] for line in _rows("break-even.md")]
    (json_, _), (less_json, _) = least
    assert less_json == "1"
    assert f"shorter than JSON from {json_} short tools, or one tool of an MCP server, on" in README


def _rows(name: str) -> list[str]:
    """Return the rows of a table of the results, without the head."""
    return re.findall(r"^\| (?!---).*$", (RESULTS / name).read_text("utf-8"), re.MULTILINE)[1:]


def test_the_figures_of_the_pages_are_those_of_the_results() -> None:
    """The comparison of forms, and the short table of speed, repeat figures of the results."""
    page = (ROOT / "docs/explanations/why-another-form.md").read_text("utf-8")
    conditions = [model["conditions"] for model in _read("study.json")["models"].values()]
    for name in (
        *BASELINES[:2],
        "Python call",
        *(f"LTON {form}" for form in ("wire", "keyed", "punctuated")),
    ):
        right = (
            condition[name]["accuracy"]["value"] if name in condition else None
            for condition in conditions
        )
        cells = ("\N{EN DASH}" if one is None else f"{one:.3f}" for one in right)
        assert f"| {name} | {' | '.join(cells)} |" in page
    page = (ROOT / "docs/results/speed.md").read_text("utf-8")
    races = {race["title"]: race["rows"] for race in _read("speed.json")["races"]}
    encode, decode = (
        {row["name"]: f"{row['ratio']['median']:.2f}" for row in races[f"{AGENTS_CASE}{kind}"]}
        for kind in ("encode", "decode")
    )
    for title, (writer, reader) in SPEEDS.items():
        bold = "**" if title.startswith("**") else ""
        assert f"| {title} | {bold}{encode[writer]}{bold} | {bold}{decode[reader]}{bold} |" in page


def test_the_table_of_agents_is_that_of_their_runs() -> None:
    assert TABLE.read_text("utf-8") == table(json.loads(SEEN.read_text("utf-8")))


def test_readme_counts_are_those_of_o200k() -> None:
    """The token counts on the README's first screen are those of the tokenizer."""
    tokenizer = pytest.importorskip("bpe_openai").get_encoding("o200k_base")
    rows = re.findall(r"^\|[^|]*\| `(.*)` \| \**(\d+)\** \|$", README, re.MULTILINE)
    assert len(rows) == 3
    rows += re.findall(r"`(\[.*\])` has (\d+) tokens", README)
    for text, count in rows:
        assert len(tokenizer.encode(text)) == int(count)
    for text, _ in rows[1:3]:
        (call,) = decode(text, TOOLS)
        assert json.loads(rows[0][0]) == {"name": call.name, "arguments": call.arguments}


def test_spec_examples_decode() -> None:
    """The examples of the specification are all forms of the same call."""
    examples = blocks(SPEC, "lton")
    calls = [call for example in examples for call in decode(example, TOOLS)]
    assert len(calls) == 6
    assert all(call == calls[0] for call in calls)


def test_spec_error_examples_are_the_errors_they_say() -> None:
    """The first two examples of the notation are E103 for the city, and E110 for the note."""
    places = []
    for example in blocks(SPEC, "lton-error"):
        with pytest.raises(DecodeError) as caught:
            decode(example, WITH_NOTE)
        assert caught.value.code == Code.COUNT
        places.append(example[caught.value.pos - 8 : caught.value.pos + 1])
        with pytest.raises(DecodeError) as caught:
            decode(example.replace("s12:", "s11:"), WITH_NOTE)
        assert caught.value.code == Code.INCOMPLETE
        right = example.replace("s12:", "s11:").replace("s43:", "s18:")
        assert decode(right.rstrip("\n"), WITH_NOTE)[0].arguments["note"] == "Line1\nLine2\n\nLine4"
    assert places == ["Leandro)\n", "Leandro u"]


@pytest.fixture(scope="module")
def abnf() -> Any:
    """Return the ABNF of the specification, read by an independent library."""

    class Notation(Rule):
        grammar: ClassVar[str] = re.sub(r"\n +", " ", blocks(SPEC, "abnf")[0])

    for line in filter(None, Notation.grammar.splitlines()):
        Notation.create(line)
    return Notation("text")


@loop_over(
    [case for case in GOOD if len(case.tagged) < LONG], ("wire", "keyed", "punctuated", "tagged")
)
@pytest.mark.untraced
def test_canonical_texts_match_the_abnf(case: Good, form: str, abnf: Any) -> None:
    """Each canonical text of the examples matches the specification's ABNF."""
    assert abnf.parse_all(getattr(case, form)).value == getattr(case, form)


@loop_over([case for case in READ if len(case.text) < LONG])
def test_readable_texts_match_the_abnf(case: Read, abnf: Any) -> None:
    """Each readable text that is not canonical also matches the ABNF."""
    assert abnf.parse_all(case.text).value == case.text


@pytest.mark.parametrize("folder", ["lton", "benchmarks", "spec", "tests"])
def test_the_code_cites_rules_that_exist(folder: str) -> None:
    """Comments cite only rules that the specification defines."""
    files = [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.mjs")]
    assert {rule for path in files for rule in RULE.findall(path.read_text("utf-8"))} <= {*DEFINED}


def test_each_rule_is_defined_once() -> None:
    """Each rule of the specification has its own number, and each cited rule exists."""
    assert len(DEFINED) == len(set(DEFINED))
    assert set(RULE.findall(SPEC)) == set(DEFINED)


def test_the_error_table_is_the_enumeration() -> None:
    """The codes in the specification are those of the package."""
    table = re.findall(r"^\| (E\d{3}) \|", SPEC, re.MULTILINE)
    assert table == [code.value for code in Code]


@pytest.mark.parametrize("name", FRESH)
def test_reference_grammars_are_fresh(name: str) -> None:
    """Each file in grammars/ is current (`make grammars` writes them)."""
    text = (ROOT / "grammars" / name).read_text("utf-8")
    assert text == FRESH[name]


def test_the_page_for_changes_names_what_exists() -> None:
    """AGENTS.md is short, its paths exist, and its commands are sessions."""
    text = (ROOT / "AGENTS.md").read_text("utf-8")
    assert len(text.encode()) <= 3000
    named = re.findall(r"`([^`\s]+)`", re.sub(r"`make [^`]*`", "", text))
    assert len(named) > 40
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert set(re.findall(r"`make ([\w-]+)", text)) <= SESSIONS
    tried = [path for match in re.findall(r"ARGS='?([^'`]+)", text) for path in match.split()]
    assert [path for path in tried if not (ROOT / path).exists()] == []
