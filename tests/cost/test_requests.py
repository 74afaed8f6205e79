"""Test whole requests: their parts, the cache, the bill, and logs of real agents."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton.chat import Message
from lton.cli import main
from lton.cost import Bill, records
from lton.cost.counted import CountedAnswers
from lton.cost.logs import LoggedTurns, Record
from lton.cost.report import describe_bill, find_break_even_calls, find_break_even_requests
from lton.cost.sessions import SessionFile, is_session_line
from lton.cost.streams import Streams, try_identify_event
from lton.cost.typescript import write_typescript
from lton.errors import ConversionError
from lton.tokens import counter
from lton.tokens.billing import PRICES, PromptTokens
from lton.tokens.usage import try_read_usage, without_cache_marks

SESSIONS = Path(__file__).parent / "sessions"
AGENTS = ["claude-code", "codex", "qwen-code"]
TOOL = {"name": "wait", "description": "Wait.", "parameters": {"type": "object", "properties": {}}}
TOOLS = [{"type": "function", "function": TOOL}]
SAID: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Wait, please."},
    {
        "role": "assistant",
        "content": "I wait.",
        "tool_calls": [{"id": "1", "function": {"name": "wait", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": '[{"a":1,"b":2},{"a":3,"b":4}]'},
    {"role": "assistant", "content": "Done."},
]


def tokens(text: str) -> int:
    return counter("o200k").count(text).tokens


def billed(*values: Any, **more: Any) -> Bill:
    """Return the bill of some values of a log."""
    bill = Bill(counter("o200k"), **more)
    for value in values:
        for record in records(value):
            bill.add_record(record)
    return bill


def request(messages: list[Any], model: str = "claude-x", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": messages, "tools": TOOLS, **more}


def test_a_request_is_counted_whole() -> None:
    """Each part of a request has a row, the rows cover everything sent, and answers are
    separate.
    """
    answer = {"choices": [{"message": SAID[4]}], "usage": {"prompt_tokens": 90}}
    bill = billed({"request": request(SAID[:4]), "response": answer})
    tokens_by_part = {
        part: bill.total(part).shown for part in ("system", "user", "assistant", "results")
    }
    assert tokens_by_part == {
        "system": tokens("Be brief."),
        "user": tokens("Wait, please."),
        "assistant": tokens("I wait."),
        "results": tokens(SAID[3]["content"]),
    }
    assert bill.total("calls").shown == tokens('{"name":"wait","arguments":{}}')
    assert bill.total("answers").shown == tokens("Done.")
    assert bill.total().shown == sum(tokens_by_part.values()) + sum(
        bill.total(part).shown for part in ("definitions", "calls")
    )
    assert "100.0 %" in describe_bill(bill, "o200k")


def test_what_was_sent_before_is_read_from_the_cache() -> None:
    """A request that continues another pays in full only for its new part, and a tenth for the
    rest.
    """
    once, both = billed(request(SAID[:2])), billed(request(SAID[:2]), request(SAID))
    first = sum(entry.shown for entry in once.billed.values())
    assert first == pytest.approx(1.25 * once.total().shown)
    second = sum(entry.shown for entry in both.billed.values()) - first
    new = both.total().shown - 2 * once.total().shown
    assert second == pytest.approx(1.25 * new + 0.1 * once.total().shown)


@pytest.mark.parametrize(
    ("changed", "read"),
    [
        ({"messages": [SAID[0], {"role": "user", "content": "Go!"}]}, ["system", "definitions"]),
        ({"tools": [*TOOLS, {"type": "function", "function": {**TOOL, "name": "stop"}}]}, []),
    ],
)
def test_what_is_rewritten_is_paid_for_again(changed: Any, read: list[str]) -> None:
    """A changed part and everything after it are paid for again; tools come before everything
    else.
    """
    before, after = request(SAID[:2]), request(SAID[:2]) | changed
    bill = billed(before, after, prices=PRICES["local"])
    alone = billed(after, prices=PRICES["local"])
    first = billed(before, prices=PRICES["local"])
    paid_again = {
        part
        for part in ("system", "user", "definitions")
        if bill.billed[part].shown - first.billed[part].shown == alone.billed[part].shown
    }
    assert paid_again == {"system", "user", "definitions"} - {*read}


def test_a_cache_runs_out() -> None:
    """If the log has times, a request after the cache's lifetime is written again."""
    message = (Message.saying("user", "Hi"),)
    costs = []
    for later in (300.0, 301.0):
        bill = Bill(counter("o200k"), prices=PRICES["anthropic"])
        for at in (0.0, later):
            bill.add_record(Record(messages=message, at=at))
        costs.append(bill.billed["user"].shown)
    assert costs == pytest.approx([1.35 * tokens("Hi"), 2.5 * tokens("Hi")])


def test_marks_of_the_cache_are_no_text() -> None:
    """Marks of the cache are not text: agents move them between messages, and the text before them
    stays cached.
    """
    mark = {"cache_control": {"type": "ephemeral"}}
    block = {"type": "text", "text": "Hi"}
    assert without_cache_marks([{"role": "user", "content": [block | mark]}]) == [
        {"role": "user", "content": [block]}
    ]
    marked = {"role": "user", "content": [block | mark]}
    plain = {"role": "user", "content": [block]}
    bill = billed(
        *({"model": "m", "system": "S", "messages": [message]} for message in (marked, plain))
    )
    assert bill.billed["user"].shown == pytest.approx(1.35 * tokens("Hi"))


def test_each_answer_of_a_conversation_was_a_request() -> None:
    """In logs without requests, each answer counts as a request; the last request may have no
    answer.
    """
    record_list = [*records({"messages": SAID, "tools": TOOLS})]
    assert [(len(record.messages), len(record.answer)) for record in record_list] == [
        (2, 1),
        (4, 1),
    ]
    assert [len(record.messages) for record in records(SAID[:4])] == [2, 4]
    assert len([*records(request(SAID))]) == 1


def test_openais_models_are_shown_typescript() -> None:
    """If the form in which the API shows definitions is known, definitions are compared with this
    form.
    """
    bill = billed(request(SAID[:2], "gpt-5"))
    cost = bill.total("definitions")
    assert cost.json == tokens(json.dumps(TOOLS[0], separators=(",", ":")))
    assert cost.shown == bill.typescript.shown != cost.json
    assert (*bill.prices,) == ("openai",)
    other = billed(request(SAID[:2], "qwen3"))
    assert other.total("definitions").shown == other.total("definitions").json
    assert "definitions as TypeScript, which OpenAI's models are shown" in describe_bill(
        other, "o200k"
    )


def test_the_break_even_is_the_number_of_tools_that_pay_for_the_explanation() -> None:
    """At the break-even, LTON takes at most as many tokens as JSON; one tool fewer takes more."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}

    def bill(count: int) -> Bill:
        tools = [{"name": f"find_{n}", "inputSchema": schema} for n in range(10, 10 + count)]
        new_bill = Bill(counter("o200k"))
        for record in records({"tools": tools}):
            new_bill.add_record(record)
        return new_bill

    least = find_break_even_requests(bill(20))["JSON"]
    assert least is not None
    costs = [bill(count).total("definitions") for count in (least - 1, least)]
    assert [cost.lton <= cost.json for cost in costs] == [False, True]
    assert f"compared with JSON, explaining LTON pays off from {least}" in describe_bill(
        bill(20), "o200k"
    )
    assert find_break_even_requests(billed(request(SAID[:2], "gpt-5"))) == {}
    assert find_break_even_calls(bill(20)) == {}
    lost = {"type": "object", "properties": {"a": {"$ref": "#/nowhere", "description": "Where."}}}
    bare = billed({"tools": [{"name": "a", "inputSchema": lost}]})
    assert "compared with TypeScript, explaining LTON pays off for no" in describe_bill(
        bare, "o200k"
    )


@pytest.mark.parametrize(
    ("schema", "signature"),
    [
        (5, "type f = (_: {}) => any;"),
        ({"properties": 5}, "type f = (_: {}) => any;"),
        ({"properties": {"a": 5}}, "type f = (_: {a?: any,}) => any;"),
        (
            {"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
            "type f = (_: {a: string | null,}) => any;",
        ),
        (
            {"properties": {"a": {"type": "array", "items": {"enum": [1, "b"]}}}},
            'type f = (_: {a?: 1 | "b"[],}) => any;',
        ),
        (
            {"properties": {"a": {"type": "object", "properties": {"b": {"default": 1}}}}},
            "type f = (_: {a?: {b?: any, // default: 1},}) => any;",
        ),
        ({"properties": {"a": {"type": [["string"], 5]}}}, "type f = (_: {a?: any,}) => any;"),
    ],
)
def test_foreign_schemas_are_types(schema: Any, signature: str) -> None:
    assert write_typescript({"name": "f", "parameters": schema}, descriptions=False) == signature


def test_deep_schemas_end() -> None:
    deep: Any = {}
    for _ in range(500):
        deep = {"type": "array", "items": deep}
    assert (
        write_typescript({"name": "f", "parameters": {"properties": {"a": deep}}}).count("[]") < 100
    )


@pytest.mark.parametrize(
    ("reported", "prompt", "output"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2}, PromptTokens(input=9), 2),
        (
            {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 2},
            PromptTokens(input=4, read=5),
            2,
        ),
        (
            {"input_tokens": 1, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 5},
            PromptTokens(input=1, write=7, read=5),
            0,
        ),
        (
            {"input_tokens": 9, "cached_input_tokens": 5, "cache_write_input_tokens": 3},
            PromptTokens(input=1, write=3, read=5),
            0,
        ),
        (
            {"promptTokenCount": 9, "cachedContentTokenCount": 5, "thoughtsTokenCount": 2},
            PromptTokens(input=4, read=5),
            2,
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": -(10**30), "total_tokens": -(10**30)},
            PromptTokens(input=9),
            0,
        ),
        (
            {"input_tokens": 9, "cache_read_input_tokens": True, "output_tokens": True},
            PromptTokens(input=9),
            0,
        ),
    ],
)
def test_usage_is_read_in_each_spelling(reported: Any, prompt: PromptTokens, output: int) -> None:
    usage = try_read_usage(reported)
    assert usage is not None
    assert (usage.prompt, usage.output) == (prompt, output)


@pytest.mark.parametrize(
    "reported",
    [None, 5, {}, {"prompt_tokens": "9"}, {"prompt_tokens": -1}, {"prompt_tokens": True}],
)
def test_what_reports_nothing_is_no_usage(reported: Any) -> None:
    assert try_read_usage(reported) is None


def test_what_is_no_text_is_named() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    bill = billed({"model": "m", "messages": [{"role": "user", "content": [image]}]})
    assert "not counted, because not text: 1 image_url" in describe_bill(bill, "o200k")


def test_gemini_is_counted_whole() -> None:
    """The system prompt, thoughts and usage of Gemini are counted, and the model is found at its
    own place.
    """
    request = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hi"}, {"inlineData": {}}]}],
    }
    thought = {"parts": [{"text": "Hm.", "thought": True}, {"text": "Ho."}], "role": "model"}
    usage = {"promptTokenCount": 90, "cachedContentTokenCount": 40, "candidatesTokenCount": 7}
    answer = {"candidates": [{"content": thought}], "usageMetadata": usage}
    bill = billed({"request": request, "response": answer})
    assert dict(bill.forms) == {"requests of Gemini": 1}
    assert bill.total("system").shown == tokens("Be brief.")
    assert bill.total("answers").shown == tokens("Hm.") + tokens("Ho.")
    assert bill.reported is not None
    assert bill.reported.prompt == PromptTokens(input=50, read=40)
    assert bill.uncounted == {"part": 1}


def test_geminis_streams_are_one_response() -> None:
    """Each piece of Gemini's stream adds content, and the last usage is the total."""
    streams, responses = Streams(), []
    for number, end in enumerate(({}, {"finishReason": "STOP"}, {"finishReason": "STOP"})):
        content = {"role": "model", "parts": [{"text": f"{number}"}] if number < 2 else []}
        piece: dict[str, Any] = {"candidates": [{"content": content, **end}]}
        piece |= {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": number}}
        event = try_identify_event(piece)
        assert event is not None
        responses += list(streams.feed(event))
    first, second = (next(records(response)) for response in responses)
    assert [message.text for message in first.answer] == ["01"]
    assert (first.usage and first.usage.output, second.usage and second.usage.output) == (1, 2)


def test_a_stream_that_begins_again_ends_the_one_before() -> None:
    """A stream without ids that begins again ends the previous response, which was cut off."""
    streams = Streams()
    begin = {"type": "message_start", "message": {"usage": {"input_tokens": 5}}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"text": "Hi"}}
    record_list = []
    for data in (begin, delta, begin, {"type": "message_stop"}):
        event = try_identify_event(data)
        assert event is not None
        record_list += [next(records(one)) for one in streams.feed(event)]
    assert [[message.text for message in record.answer] for record in record_list] == [["Hi"], [""]]


def test_what_docs_say_of_definitions_is_what_is_counted() -> None:
    """The figures of docs/results/tokens.md about definitions are those that `lton cost` counts."""
    root = Path(__file__).parent.parent.parent
    files = sorted((root / "benchmarks" / "lton_bench" / "mcp").glob("*.json"))
    bill = billed(*(json.loads(file.read_bytes()) for file in files))
    page = (root / "docs" / "results" / "tokens.md").read_text("utf-8")
    assert bill.typescript.ratio is not None
    number, ratio = bill.typescript.number, bill.typescript.ratio
    assert f"the {number} tools take {ratio:.2f} times as many tokens as in TypeScript" in page


# --- what agents wrote ----------------------------------------------------------------------------


def session(name: str) -> Bill:
    bill, sessions = Bill(counter("o200k")), SessionFile()
    for line in (SESSIONS / f"{name}.jsonl").read_text("utf-8").splitlines():
        assert is_session_line(json.loads(line)), line
        for record in sessions.feed(json.loads(line)):
            bill.add_record(record)
    for record in sessions.flush():
        bill.add_record(record)
    return bill


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_is_the_requests_that_the_agent_sent(agent: str) -> None:
    """A session is read as the agent's requests, with each call and result as often as it was
    sent.
    """
    bill, requests = session(agent), (SESSIONS / f"{agent}.requests.jsonl").read_text("utf-8")
    request_bill = billed(*map(json.loads, requests.splitlines()))
    assert sum(bill.forms.values()) == sum(request_bill.forms.values()) == 4
    assert bill.total("calls").shown == request_bill.total("calls").shown > 0
    assert bill.total("results").number == request_bill.total("results").number == 6
    assert bill.total("answers").number == 7


@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_provider_reported_is_that_of_its_streams(
    agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reported usage counts once per request, however often the session file repeats it."""
    bill = session(agent)
    assert main(["cost", "--json", str(SESSIONS / f"{agent}.sse")]) == 0
    command_out = json.loads(capsys.readouterr().out)
    assert bill.reported is not None
    assert command_out["reported"]["output"] == bill.reported.output
    assert command_out["reported"]["read"] == bill.reported.prompt.read > 0
    assert command_out["reported"]["input"] == bill.reported.prompt.input
    answers = command_out["total"]["answers"]  # arguments are JSON as the model spaced it
    assert (answers["number"], answers["lton"]) == (7, bill.total("answers").lton)


def test_a_summary_takes_the_place_of_what_was_said() -> None:
    """After compaction, requests contain only the summary."""
    sessions, record_list = SessionFile(), []
    turns = [("user", "Hi"), ("assistant", "Hello"), None, ("user", "Summary"), ("assistant", "Ok")]
    for turn in turns:
        line: dict[str, Any] = {"type": "system", "subtype": "compact_boundary", "sessionId": "s"}
        if turn:
            message = {"role": turn[0], "content": turn[1]}
            line = {"type": turn[0], "sessionId": "s", "message": message}
        record_list += list(sessions.feed(line))
    record_list += sessions.flush()
    assert [[message.text for message in record.messages] for record in record_list] == [
        ["Hi"],
        ["Summary"],
    ]


def test_codex_replaces_its_history() -> None:
    item = {"type": "message", "role": "user", "content": "Old"}
    lines = [
        {"timestamp": "t", "type": "session_meta", "payload": {"base_instructions": {"text": "S"}}},
        {"timestamp": "t", "type": "response_item", "payload": item},
        {"timestamp": "t", "type": "response_item", "payload": item | {"role": "assistant"}},
        {"timestamp": "t", "type": "compacted", "payload": {"message": "New"}},
        {"timestamp": "t", "type": "response_item", "payload": item | {"content": "Go"}},
    ]
    sessions = SessionFile()
    record_list = [record for line in lines for record in sessions.feed(line)]
    record_list += sessions.flush()
    texts = [[message.text for message in record.messages] for record in record_list]
    assert texts == [["S", "Old"], ["S", "New", "Go"]]


def test_a_session_ends_with_what_is_unread() -> None:
    """An invalid message is an error, and lines of other kinds are not part of the session."""
    sessions = SessionFile()
    line = {"type": "user", "sessionId": "s", "message": {"role": "wizard", "content": "Hi"}}
    with pytest.raises(ConversionError):
        list(sessions.feed(line))
    assert not is_session_line({"type": "summary"})
    assert not is_session_line(5)


def test_many_subagents_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.cost.sessions._MOST", 2)
    sessions = SessionFile()
    line = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Hi"}}
    record_list = [
        record for at in range(5) for record in sessions.feed(line | {"agentId": str(at)})
    ]
    assert len(record_list) == 3
    assert len([*sessions.flush()]) == 2


def test_turns_know_when_they_were_asked() -> None:
    turns = LoggedTurns("chat", ())
    record_list: list[Record] = []
    for at, role in enumerate(("user", "assistant", "user")):
        turns.at = float(at)
        record_list += turns.feed(Message.saying("user" if role == "user" else "assistant", "x"))
    assert [record.at for record in record_list] == [0.0]


def test_the_command_takes_prices_of_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command accepts prices of the cache by name, or as two parts of the price of an input
    token.
    """
    log = tmp_path / "log.json"
    log.write_text(json.dumps(request(SAID[:2])))
    totals = []
    for prices in ("local", "2,0.5"):
        assert main(["cost", "--json", "--prices", prices, str(log)]) == 0
        totals.append(json.loads(capsys.readouterr().out)["billed_estimated"]["all"]["shown"])
    assert totals[1] == 2 * totals[0] > 0


# --- sessions that share answers, and those that went back --------------------------------------


def _line(
    role: str, uuid: str, parent: str | None, content: Any, *, answer: str = "", **more: Any
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        usage = {"input_tokens": 51_000, "output_tokens": 100}
        message |= {"id": f"msg_{answer or uuid}", "model": "claude-opus-4-8", "usage": usage}
    line = {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}
    return line | more


BASE = [_line("user", "u1", None, "Start"), _line("assistant", "a1", "u1", "Ready")]
TOOL_USES = [
    {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {}} for number in (1, 2)
]
FIRST = [
    _line("user", "b1", "a1", "First"),
    _line("assistant", "b2", "b1", TOOL_USES[:1]),
    _line("assistant", "b3", "b2", TOOL_USES[1:], answer="b2", sidechain=False),
    _line("user", "b4", "b2", [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]),
    _line("user", "b5", "b3", [{"type": "tool_result", "tool_use_id": "t2", "content": "y"}]),
    _line("assistant", "b6", "b5", "First answer"),
]
SECOND = [_line("user", "c1", "a1", "Second"), _line("assistant", "c2", "c1", "Second answer")]
THIRD = [_line("user", "d1", "b6", "Third"), _line("assistant", "d2", "d1", "Third answer")]


def _requests(*files: list[dict[str, Any]]) -> list[Record]:
    answers = CountedAnswers()
    record_list: list[Record] = []
    for lines in files:
        session = SessionFile(answers)
        for line in lines:
            record_list += session.feed(line)
        record_list += session.flush()
    return [record for record in record_list if not record.is_pending]


def _sizes(*files: list[dict[str, Any]]) -> list[int]:
    return [len(record.messages) for record in _requests(*files)]


def test_an_answer_in_two_sessions_is_one_request() -> None:
    """A resumed session begins with a copy, whose answers count once; later requests send all of
    it.
    """
    copy = [line | {"sessionId": "other"} for line in BASE + SECOND]
    assert _sizes(BASE + SECOND) == [1, 3]
    assert _sizes(BASE, copy) == [1, 3]
    assert _sizes(BASE + SECOND, copy) == [1, 3]
    more = [_line("user", "e1", "c2", "More"), _line("assistant", "e2", "e1", "Yes")]
    more = [line | {"sessionId": "other"} for line in more]
    assert _sizes(BASE + SECOND, copy + more) == [1, 3, 5]
    usages = [record.usage for record in _requests(BASE + SECOND, copy)]
    assert sum(usage.prompt.total for usage in usages if usage) == 2 * 51_000


def test_a_line_that_is_written_again_is_one() -> None:
    """A line that is written twice counts once, also if the first copy is in another file."""
    assert _sizes(BASE + BASE + SECOND + SECOND) == [1, 3]


def test_a_branch_that_was_left_is_not_sent() -> None:
    """An abandoned branch is not sent; parallel calls whose results follow other lines are not a
    branch.
    """
    assert _sizes(BASE + FIRST) == [1, 3, 7]
    assert _sizes(BASE + FIRST + SECOND) == [1, 3, 7, 3]
    assert _sizes(BASE + FIRST + SECOND + THIRD) == [1, 3, 7, 3, 9]
    unknown = [_line("user", "f1", "gone", "Who?"), _line("assistant", "f2", "f1", "I")]
    assert _sizes(BASE + SECOND + unknown) == [1, 3, 5]


def test_branches_are_forgotten() -> None:
    """64 branches are kept, the most recently continued; a prompt without its branch continues the
    last message.
    """

    def turn(number: int, parent: str) -> list[dict[str, Any]]:
        prompt = _line("user", f"g{number}", parent, "Again")
        return [prompt, _line("assistant", f"h{number}", f"g{number}", "Yes")]

    branches = [line for number in range(99) for line in turn(number, "a1")]
    assert _sizes(BASE + SECOND + branches)[-1] == 3
    assert _sizes(BASE + SECOND + branches + turn(100, "c2"))[-1] == 5
    assert _sizes(BASE + SECOND + branches + turn(100, "h90"))[-1] == 5
    assert _sizes(BASE + SECOND + branches + turn(100, "h1"))[-1] == 5
    assert _sizes(BASE + SECOND + branches + turn(100, "h1") + turn(101, "h2"))[-1] == 7


def test_a_prompt_that_nobody_answered_is_no_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prompt without an answer is not a request, and two files of one session count as one."""
    lines = [*BASE, *SECOND, _line("user", "u2", "c2", "And?")]
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert main(["cost", "--json", *map(str, files)]) == 0
    assert json.loads(capsys.readouterr().out)["counted"] == {"requests of Claude Code": 2}


def test_calls_and_results_pay_for_the_definitions_of_a_listing() -> None:
    """At the break-even of calls, LTON takes at most as many tokens as JSON in total."""
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}

    def bill(calls: int) -> Bill:
        new_bill = Bill(counter("o200k"))
        call = {"id": "1", "function": {"name": "find", "arguments": '{"name": "Ada Lovelace"}'}}
        messages = [{"role": "assistant", "tool_calls": [call]}]
        messages += [{"role": "tool", "tool_call_id": "1", "name": "find", "content": '[{"id":1}]'}]
        for value in ({"tools": [{"name": "find", "inputSchema": schema}]}, *(messages * calls)):
            for record in records(value):
                new_bill.add_record(record)
        return new_bill

    assert bill(1).maps == 0
    least = find_break_even_calls(bill(3))["JSON"]
    assert least is not None
    costs = [bill(count).total() for count in (least - 1, least)]
    assert [cost.lton <= cost.json for cost in costs] == [False, True]
    assert f"LTON is shorter in total from {least} such calls on" in describe_bill(bill(3), "o200k")
