"""Test the costs of logs: shapes of logs, figures computed by hand, bad lines, and the command."""

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from lton.chat import ToolCall
from lton.cli import main
from lton.cost import Bill, reading, records
from lton.cost.streams import Streams, try_identify_event
from lton.errors import ConversionError
from lton.schema import ToolSet
from lton.tokens import counter

MCP = Path(__file__).parent.parent.parent / "benchmarks" / "lton_bench" / "mcp" / "git.json"
WEATHER = {
    "name": "weather",
    "description": "Get the weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city", "days"],
    },
}
OPENAI = {"type": "function", "function": WEATHER}
ANTHROPIC = {"name": "weather", "input_schema": WEATHER["parameters"]}
ARGUMENTS = {"city": "Oslo", "days": 3}
CALL = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
CALL["function"] = {"name": "weather", "arguments": json.dumps(ARGUMENTS, separators=(",", ":"))}
RESULT = {"role": "tool", "tool_call_id": "1", "content": '{"sky":"clear"}'}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USE = {"type": "tool_use", "id": "1", "name": "weather", "input": ARGUMENTS}
ANSWER = {"type": "tool_result", "tool_use_id": "1", "content": '{"sky":"clear"}'}
SPOKEN = [{"role": "assistant", "content": [USE]}, {"role": "user", "content": [ANSWER]}]
ITEMS = [
    {
        "type": "function_call",
        "call_id": "1",
        "name": "weather",
        "arguments": json.dumps(ARGUMENTS),
    },
    {"type": "function_call_output", "call_id": "1", "output": '{"sky":"clear"}'},
]
CHAT = {"messages": [ASKED, RESULT], "tools": [OPENAI]}
ASKED_FOR = '{"name":"weather","arguments":{"city":"Oslo","days":3}}'
DECLARED = {
    "name": "weather",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING"},
            "days": {"type": "INTEGER", "enum": [1, 3]},
            "type": {"anyOf": [{"type": "STRING"}, {"type": "NULL"}]},
        },
        "required": ["city"],
    },
}
GEMINI: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "How is it?"}, {"inlineData": {}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": ARGUMENTS}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "weather", "response": {"sky": "clear"}}}],
        },
    ],
    "tools": [{"functionDeclarations": [DECLARED]}],
}
DEEP: Any = {}
for _ in range(200):
    DEEP = {"items": DEEP}


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (CHAT, (1, 1, 1)),
        ([CHAT, CHAT], (2, 2, 2)),
        ({"messages": SPOKEN, "tools": [ANTHROPIC], "system": "Be category."}, (1, 1, 1)),
        ({"messages": SPOKEN}, (0, 1, 1)),
        ({"input": ITEMS, "tools": [{"type": "function", **WEATHER}]}, (1, 1, 1)),
        ({"output": ITEMS[:1]}, (0, 1, 0)),
        ({"choices": [{"message": ASKED}, {"text": "none"}]}, (0, 1, 0)),
        (
            {"request": {**CHAT, "messages": []}, "response": {"choices": [{"message": ASKED}]}},
            (1, 1, 0),
        ),
        ({"request": CHAT, "prompt": [], "completions": ["f"]}, (1, 1, 1)),
        ({"body": CHAT, "url": "/v1/chat/completions"}, (1, 1, 1)),
        (
            {"custom_id": "1", "response": {"body": {"choices": [{"message": ASKED}]}}},
            (0, 1, 0),
        ),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [ANTHROPIC]}}, (1, 0, 0)),
        ({"tools": [ANTHROPIC]}, (1, 0, 0)),
        ([OPENAI, ANTHROPIC | {"name": "other"}], (2, 0, 0)),
        (WEATHER, (1, 0, 0)),
        ([ASKED, RESULT], (0, 1, 1)),
        (ASKED, (0, 1, 0)),
        ({"messages": [{"role": "user", "content": [{"type": ["odd"]}]}]}, (0, 0, 0)),
        (CALL, (0, 1, 0)),
        ([{"name": "weather", "arguments": ARGUMENTS}], (0, 1, 0)),
        (USE, (0, 1, 0)),
        (GEMINI, (1, 1, 1)),
        ({"candidates": [{"content": GEMINI["contents"][1]}, {}, 5]}, (0, 1, 0)),
        (GEMINI["tools"][0], (1, 0, 0)),
        ({"request": GEMINI, "response": {"candidates": []}}, (1, 1, 1)),
        ({"tools": [{"googleSearch": {}}, {"function_declarations": [DECLARED, 5]}]}, (3, 0, 0)),
    ],
)
def test_every_shape_of_log_is_read(log: Any, expected: tuple[int, int, int]) -> None:
    """The numbers of definitions, calls and results are those in the log."""
    got = [*records(log)]
    messages = [message for record in got for message in (*record.messages, *record.answer)]
    calls = sum(len(message.calls) for message in messages)
    results = sum(len(message.results) for message in messages)
    assert (sum(len(record.tools) for record in got), calls, results) == expected


@pytest.mark.parametrize(
    "log",
    [
        None,
        5,
        "text",
        [],
        {},
        {"messages": 5},
        {"tools": {}},
        {"messages": [], "tools": 5},
        {"messages": [{"role": "wizard"}]},
        [5],
        {"request": {"request": {}}},
        {"contents": ["text"]},
        {"contents": [{"parts": [{"functionCall": {"args": {}}}]}]},
        {"tools": [{"functionDeclarations": [{"name": "f", "parameters": DEEP}]}]},
    ],
)
def test_what_is_no_log_is_refused(log: Any) -> None:
    """Input that is not a log raises an error with the expected input, and is never an empty
    record.
    """
    with pytest.raises(ConversionError):
        list(records(log))


def test_a_log_that_is_too_deep_is_refused() -> None:
    """Reading a deeply nested log ends with an error."""
    log: Any = CALL
    for _ in range(2000):
        log = [log]
    with pytest.raises(ConversionError):
        list(records(log))


def test_the_figures_are_those_of_the_texts() -> None:
    """Definitions, the call and the result have the token counts computed by hand, in both
    notations.
    """
    count = counter("o200k")

    def tokens(text: str) -> int:
        return count.count(text).tokens

    bill = Bill(count)
    for record in records(CHAT):
        bill.add_record(record)
    definitions = bill.total("definitions", "weather")
    assert definitions.json == tokens(json.dumps(OPENAI, separators=(",", ":")))
    assert definitions.lton == tokens(ToolSet.from_tools([OPENAI]).prompt() + "\n")
    assert definitions.bare == tokens("weather(city days:int)\n")
    call = bill.total("calls")
    assert call.json == tokens('{"name":"weather","arguments":{"city":"Oslo","days":3}}')
    assert call.lton == tokens("weather(city=Oslo, days=3)")
    result = bill.total("results")
    assert (result.json, result.lton) == (
        tokens('{"sky":"clear"}'),
        tokens("!result weather {sky clear}"),
    )
    assert bill.total().json == definitions.json + call.json + result.json
    assert (bill.total().number, bill.maps, bill.exact) == (3, 0, True)


def test_the_same_log_twice_costs_twice() -> None:
    """Repeated content is paid for each time, even if its count is cached."""
    once, twice = Bill(counter("o200k")), Bill(counter("o200k"))
    for bill, log in ((once, CHAT), (twice, [CHAT, CHAT])):
        for record in records(log):
            bill.add_record(record)
    assert twice.total() == once.total() + once.total()


def test_what_cannot_be_said_costs_the_same() -> None:
    """An invalid definition, or arguments that are not JSON, cost the same in both columns."""
    bill = Bill(counter("o200k"))
    broken = {"function": {"name": "weather", "arguments": '{"city": '}}
    log = {
        "messages": [{"role": "assistant", "tool_calls": [broken]}],
        "tools": [{"type": "web_search"}],
    }
    for record in records(log):
        bill.add_record(record)
    assert bill.total("calls").json == bill.total("calls").lton > 0
    assert bill.total("definitions").json == bill.total("definitions").lton > 0
    assert [*bill.unread] == ["web_search"]
    assert not bill.maps


def test_calls_that_the_tools_do_not_take_are_counted() -> None:
    """Calls that do not fit the tools are written as in the gateway, and reported."""
    bill = Bill(counter("o200k"), ToolSet.from_tools([WEATHER]))
    call = {"name": "weather", "arguments": {"town": "Oslo"}}
    for record in records(call):
        bill.add_record(record)
    assert bill.maps == 1
    assert ToolCall("weather", {"town": "Oslo"}) == next(records(call)).messages[0].calls[0]


def test_gemini_costs_as_any_other() -> None:
    """The types of Gemini are read as JSON Schema, and its calls and results have the tool's
    name.
    """
    bill = Bill(counter("o200k"))
    for record in records(GEMINI):
        bill.add_record(record)
    assert (bill.tools, bill.unread, bill.maps) == (["weather", "(how to call)"], {}, 0)
    assert bill.total("results", "weather").json == counter("o200k").count('{"sky":"clear"}').tokens
    schema = {"name": "f", "parametersJsonSchema": WEATHER["parameters"]}
    (record,) = records({"tools": [{"functionDeclarations": [schema]}]})
    assert ToolSet.from_tools(record.tools).prompt(descriptions=False) == "f(city days:int)"


def chunk(stream: Any, *pieces: Any, end: str | None = None, index: int = 0) -> str:
    """Return a line of a stream."""
    choice = {"index": index, "delta": {"tool_calls": list(pieces)}, "finish_reason": end}
    event = {"id": stream, "object": "chat.completion.chunk", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n"


def piece(arguments: str, name: str | None = None, index: int | None = 0) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"function": function} | ({"index": index} if index is not None else {})


@pytest.mark.parametrize(
    "lines",
    [
        [chunk("a", piece("", "weather")), chunk("a", piece('{"city":"Oslo",')), "data: [DONE]\n"],
        [chunk(None, piece('{"city":"Os', "weather", None), piece('lo",', None, None))],
        [chunk("a", piece('{"city":"Oslo",', "weather"), index=1), chunk("a", index=0)],
    ],
)
def test_the_chunks_of_a_stream_are_one_call(
    lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The chunks of a stream are one call; streams may be interleaved, begin with comments, and end
    early.
    """
    log = tmp_path / "log.sse"
    first = json.loads(lines[0].removeprefix("data:"))
    stream, at = first["id"], first["choices"][0]["index"]
    other = chunk("b", 5, piece('{"minutes":', "wait"), piece("{}", "stop", 1))
    last = piece('"days":3}', None, 0 if "index" in json.dumps(lines[0][70:]) else None)
    ended = chunk(stream, last, end="tool_calls", index=at)
    no_choice = 'data: {"object": "chat.completion.chunk", "choices": [5]}\n'
    text = [": ping\n", lines[0], other, *lines[1:], no_choice, "event: x\n", ended]
    log.write_text("".join([*text, f"{json.dumps(CALL)}\n", "data: [1]\n", "data: {\n"]))
    assert main(["cost", "--json", str(log)]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    tools = report["tools"]
    assert {name: value["answers"]["number"] for name, value in tools.items()} == {
        "weather": 1,
        "wait": 1,
        "stop": 1,
    }
    one = counter("o200k").count(ASKED_FOR).tokens
    assert tools["weather"]["answers"]["json"] == tools["weather"]["calls"]["json"] == one
    assert err.count("\n") == 2


def test_streams_that_never_end_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.cost.streams._OPEN", 2)
    streams = Streams()
    lines = [
        json.loads(chunk(number, piece("{}", "f")).removeprefix("data:")) for number in range(5)
    ]
    events = [event for event in map(try_identify_event, lines) if event]
    assert len([record for event in events for record in streams.feed(event)]) == 3
    assert len([*streams.flush()]) == 2
    assert [*streams.flush()] == []


# --- the command ----------------------------------------------------------------------------------


def test_the_command_shows_totals_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Totals come first, then the tools by their cost in JSON, with money if a price is given."""
    assert main(["cost", "--price", "2.50,10", str(MCP)]) == 0
    out, err = capsys.readouterr()
    head, totals, tools = out.splitlines()[0], out.split("\n\n")[0], out.split("\n\n")[1]
    assert (head.split()[:4], err) == (["o200k", "number", "as", "it"], "")
    rows = {line.split()[0]: line.split()[1:] for line in totals.splitlines()[:3]}
    assert (
        rows["definitions"][0]
        == rows["total"][0]
        == str(len(json.loads(MCP.read_bytes())["tools"]))
    )
    assert float(rows["total"][5]) < 0.6
    assert "estimated cost: " in totals
    costs = [int(line.split()[1].replace(",", "")) for line in tools.splitlines()[1:4]]
    assert costs == sorted(costs, reverse=True)
    many = [{"name": f"tool_{number}"} for number in range(25)]
    (log := tmp_path / "many.json").write_text(json.dumps({"tools": many}))
    assert main(["cost", str(log)]) == 0
    assert capsys.readouterr().out.endswith("and 6 more\n")


def test_bad_lines_are_reported_and_not_fatal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad lines are reported, and good lines around them are counted."""
    monkeypatch.setattr(reading, "MAX_LINE", 3000)
    deep = "[" * 2000
    lines = [
        b"not json",
        b"",
        json.dumps(CHAT).encode(),
        b"\xff",
        b'"' + b"x" * 4000 + b'"',
        deep.encode(),
        b"5",
        json.dumps(CALL).encode(),
    ]
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"\n".join(lines))
    assert main(["cost", "--json", str(log)]) == 0
    out, err = capsys.readouterr()
    assert [line.split("line ")[1].split(":")[0] for line in err.splitlines()] == [
        "1",
        "4",
        "5",
        "6",
        "7",
    ]
    assert err.splitlines()[0].endswith("line 1: not JSON: Expecting value (column 1)")
    assert json.loads(out)["total"]["calls"]["number"] == 2


def test_bad_lines_are_reported_in_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An object that is not a request does not wait until later errors are reported."""
    log = tmp_path / "log.jsonl"
    lines = [json.dumps(CHAT), "{", '{"a": 1}', "{", '{"b": 2}', "5"]
    log.write_text("\n".join(lines), encoding="utf-8")

    assert main(["cost", str(log)]) == 0

    err = capsys.readouterr().err
    assert re.findall(r"line (\d+):", err) == ["2", "3", "4", "5", "6"]


def test_many_bad_lines_do_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After many errors, a file without lines of a session is a log of requests."""
    monkeypatch.setattr(reading, "_MOST_HELD", 2)
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(['{"a": 1}', "5", '{"b": 2}', "6"]), encoding="utf-8")
    read: list[Any] = []

    errors = reading.iterate_log_errors(str(log), read.append)

    assert [line for line, _ in errors] == [1, 2, 3, 4]


def test_a_value_over_many_lines_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A JSON value over many lines, with a byte order mark, is read whole."""
    log = tmp_path / "log.json"
    log.write_text("\ufeff" + json.dumps([CHAT], indent=2), encoding="utf-8")
    assert main(["cost", "--json", str(log)]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["all"]["number"] == 3


def test_many_bad_lines_are_summed_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many bad lines are summarized, and the exit status reports that nothing was found."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}\n" * 30)))
    assert main(["cost", "-"]) == 1
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "lton: and 20 more lines",
        "lton: there is nothing to count: no answered request, message, call or definition of a"
        " tool was found. lton help cost lists the formats that are read",
    ]


def test_tools_may_come_from_another_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list of tools defines the calls in later logs."""
    (tools := tmp_path / "tools.json").write_text(json.dumps([WEATHER]))
    (log := tmp_path / "log.json").write_text(json.dumps(CALL))
    assert main(["cost", "--json", str(tools), str(log)]) == 0
    assert json.loads(capsys.readouterr().out)["maps"] == 0
    assert main(["cost", "--json", str(log)]) == 0
    assert json.loads(capsys.readouterr().out)["maps"] == 1
