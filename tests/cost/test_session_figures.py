"""Test that session files are counted as the provider counts: each answer once, at its price.

`sessions/figures.jsonl.gz` has the order of the lines and the token counts of 20 public sessions of
Claude Code and Codex, without any text. The expected sums are computed here from these counts.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lton.cli import main
from lton.tokens.usage import try_read_usage

SESSIONS = Path(__file__).parent / "sessions"
RECORDED = [
    json.loads(line)
    for line in gzip.decompress((SESSIONS / "figures.jsonl.gz").read_bytes()).splitlines()
]
FIELDS = ("input", "write", "hour_write", "read", "output")


def cost(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], str]:
    """Return the report of `lton cost` as JSON, and what the command said."""
    assert main(["cost", "--json", "--tokenizer", "bytes", *arguments]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def write(file: Path, lines: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> str:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(file)


# --- Claude Code ----------------------------------------------------------------------------------


def claude_usage(new: int, cache_writes: int, hour: int, read: int, output: int) -> dict[str, Any]:
    by_lifetime = {
        "ephemeral_1h_input_tokens": hour,
        "ephemeral_5m_input_tokens": cache_writes - hour,
    }
    return {
        "input_tokens": new,
        "cache_creation_input_tokens": cache_writes,
        "cache_creation": by_lifetime,
        "cache_read_input_tokens": read,
        "output_tokens": output,
    }


def claude_line(
    role: str, block: dict[str, Any], answer: object = None, *counts: int
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": [block]}
    if counts:
        message |= {"id": f"msg_{answer}", "model": "claude-x", "usage": claude_usage(*counts)}
    return {"type": role, "sessionId": "s", "message": message}


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def claude_lines(events: list[list[Any]]) -> Iterator[dict[str, Any]]:
    """Write the lines of a session file for recorded events."""
    calls = 0
    results = 0
    for kind, *counts in events:
        if kind == "use":
            calls += 1
            block = {"type": "tool_use", "id": f"toolu_{calls}", "name": "f", "input": {}}
            yield claude_line("assistant", block, *counts)
        elif kind == "say":
            yield claude_line("assistant", text_block("Text."), *counts)
        elif kind == "result":
            results += 1
            answered = {"type": "tool_result", "tool_use_id": f"toolu_{results}", "content": "x"}
            yield claude_line("user", answered)
        elif kind == "ask":
            yield claude_line("user", text_block("Question."))
        else:
            yield {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}


def claude_sum(events: list[list[Any]]) -> dict[str, int]:
    """Add up the usage of each message id once, with all its output."""
    usages: dict[int, list[int]] = {}
    for _, *counts in events:
        if counts:
            answer, *usage = counts
            usages[answer] = max(usage, usages.get(answer, usage), key=lambda counts: counts[-1])
    sums = [sum(column) for column in zip(*usages.values(), strict=True)]
    return {"requests": len(usages), **dict(zip(FIELDS, sums, strict=True))}


@pytest.mark.parametrize(
    "recorded",
    [session for session in RECORDED if session["agent"] == "claude-code"],
    ids=lambda session: str(session["source"]),
)
def test_a_claude_session_costs_what_the_provider_bills(
    recorded: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each message id is one request, in pieces or not, and lines without a request are not
    errors.
    """
    log = write(tmp_path / "session.jsonl", claude_lines(recorded["events"]))
    report, errors = cost(capsys, log)
    expected = claude_sum(recorded["events"])
    reported = report["reported"]
    assert {key: reported[key] for key in expected} == expected
    assert sum(report["counted"].values()) == expected["requests"]
    assert errors == ""
    short_write = expected["write"] - expected["hour_write"]
    billed = expected["input"] + 1.25 * short_write + 2 * expected["hour_write"]
    assert reported["billed"] == pytest.approx(billed + 0.1 * expected["read"])


USED = [3, 1000, 0, 20_000, 40]


def test_parallel_calls_that_are_logged_in_pieces_are_one_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The results between the pieces of an answer follow the whole answer in the next request."""
    events: list[list[Any]] = [
        ["ask"],
        ["use", 1, *USED],
        ["result"],
        ["use", 1, *USED],
        ["result"],
    ]
    events += [["say", 2, 1, 500, 0, 21_000, 9]]
    report, _ = cost(capsys, write(tmp_path / "one.jsonl", claude_lines(events)))
    assert report["counted"] == {"requests of Claude Code": 2}
    assert report["reported"]["requests"] == 2
    assert report["reported"]["write"] == 1500
    assert report["total"]["results"]["number"] == 2
    assert report["total"]["calls"]["number"] == 2


def test_answers_in_a_row_are_requests_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two ids without a user's message between them are two requests."""
    events: list[list[Any]] = [["ask"], ["say", 1, *USED], ["say", 2, *USED], ["say", 3, *USED]]
    report, _ = cost(capsys, write(tmp_path / "one.jsonl", claude_lines(events)))
    assert report["reported"]["requests"] == 3
    assert report["counted"] == {"requests of Claude Code": 3}


def test_a_session_may_begin_with_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first lines of a session may be missing."""
    events: list[list[Any]] = [["say", 1, *USED], ["ask"], ["say", 2, 1, 0, 0, 21_000, 5]]
    report, _ = cost(capsys, write(tmp_path / "one.jsonl", claude_lines(events)))
    assert report["reported"]["requests"] == 2
    assert report["reported"]["output"] == 45


def test_messages_that_claude_code_wrote_itself_are_no_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [*claude_lines([["ask"], ["say", 1, *USED], ["ask"], ["say", 2, 0, 0, 0, 0, 0]])]
    lines[-1]["message"]["model"] = "<synthetic>"
    report, _ = cost(capsys, write(tmp_path / "one.jsonl", lines))
    assert report["counted"] == {"requests of Claude Code": 1}
    assert list(report["prices"]) == ["anthropic"]


def test_a_compaction_in_a_request_is_billed() -> None:
    """The totals of a usage leave out the request that compacted the conversation."""
    usage = claude_usage(23_000, 0, 0, 0, 1000)
    compaction = {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3500}
    message = {"type": "message", "input_tokens": 23_000, "output_tokens": 1000}
    figures = try_read_usage(usage | {"iterations": [compaction, message, None]})
    assert figures is not None
    assert (figures.prompt.input, figures.output) == (203_000, 4500)


def test_thoughts_are_counted_once() -> None:
    """Gemini counts thoughts next to the answer; agents before OpenAI's API, in it."""
    usage = {"promptTokenCount": 90, "candidatesTokenCount": 20, "thoughtsTokenCount": 15}
    outputs = []
    for total in (None, 125, 110):
        figures = try_read_usage({**usage, "totalTokenCount": total})
        assert figures is not None
        outputs.append(figures.output)
    assert outputs == [35, 35, 20]


def test_foreign_objects_are_errors_unless_a_session_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines before the first line of a session are part of it, but not if no session follows."""
    snapshot = {"type": "file-history-snapshot", "messageId": "m"}
    session = [snapshot, *claude_lines([["ask"], ["say", 1, *USED], ["other"]]), {"type": "new"}]
    assert cost(capsys, write(tmp_path / "a.jsonl", session))[1] == ""
    call = {"name": "f", "arguments": {}}
    _, errors = cost(capsys, write(tmp_path / "b.jsonl", [snapshot, call]))
    assert "line 1: expected a request" in errors
    broken = write(tmp_path / "c.jsonl", session)
    Path(broken).write_text(Path(broken).read_text() + '{"type":')
    assert "line 6: not JSON" in cost(capsys, broken)[1]


def test_the_reported_cost_is_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With prices, the report has the cost of the provider's own figures, answers included."""
    events: list[list[Any]] = [["ask"], ["say", 1, 100, 2000, 500, 20_000, 300]]
    log = write(tmp_path / "one.jsonl", claude_lines(events))
    assert main(["cost", "--price", "3,15", "--tokenizer", "bytes", log]) == 0
    billed = 100 + 1.25 * 1500 + 2 * 500 + 0.1 * 20_000
    expected = (billed * 3 + 300 * 15) / 1_000_000
    assert f"reported cost: {expected:,.4f}\n" in capsys.readouterr().out


# --- Codex ----------------------------------------------------------------------------------------


def codex_line(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-11-25T10:00:00Z", "type": kind, "payload": payload}


def token_count(*counts: int) -> dict[str, Any]:
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    total = dict(zip(names, counts[:3], strict=True))
    last = dict(zip(names, counts[3:], strict=True))
    info = {"total_token_usage": total, "last_token_usage": last}
    return codex_line("event_msg", {"type": "token_count", "info": info})


def codex_lines(events: list[list[Any]], session: str = "a") -> Iterator[dict[str, Any]]:
    yield codex_line("session_meta", {"id": session})
    calls = 0
    for kind, *counts in events:
        message = {"type": "message", "content": [{"type": "text", "text": f"{session} {calls}"}]}
        match kind:
            case "use":
                calls += 1
                call = {"type": "function_call", "name": "f", "arguments": "{}"}
                yield codex_line("response_item", call | {"call_id": f"{session}{calls}"})
            case "result":
                result = {"type": "function_call_output", "call_id": f"{session}{calls}"}
                yield codex_line("response_item", result | {"output": "x"})
            case "say":
                yield codex_line("response_item", message | {"role": "assistant"})
            case "ask":
                yield codex_line("response_item", message | {"role": "user"})
            case "compact":
                yield codex_line("compacted", {"message": "Summary."})
            case _:
                yield token_count(*counts)


@pytest.mark.parametrize(
    "recorded",
    [session for session in RECORDED if session["agent"] == "codex"],
    ids=lambda session: str(session["source"]),
)
def test_a_codex_session_costs_what_the_provider_bills(
    recorded: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sum of all requests is the total in the last token count."""
    counts = [event[1:] for event in recorded["events"] if event[0] == "count"]
    report, errors = cost(capsys, write(tmp_path / "one.jsonl", codex_lines(recorded["events"])))
    prompt, cached, output = counts[-1][:3]
    reported = report["reported"]
    assert reported["requests"] == len({tuple(count[:3]) for count in counts})
    assert (reported["input"] + reported["read"], reported["read"]) == (prompt, cached)
    assert (reported["output"], reported["write"], errors) == (output, 0, "")


FIRST: list[list[Any]] = [
    ["ask"],
    ["use"],
    ["count", 9000, 0, 50, 9000, 0, 50],
    ["result"],
    ["say"],
]
FIRST += [["count", 18_500, 9000, 70, 9500, 9000, 20]]


def fork(
    copy: list[dict[str, Any]], session: str, events: list[list[Any]], parent: str = "a"
) -> list[dict[str, Any]]:
    """Return a session that continues a copy of another session."""
    meta = {"id": session, "forked_from_id": parent}
    return [codex_line("session_meta", meta), *copy, *[*codex_lines(events, session)][1:]]


def restamped(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return lines with the time at which they were copied."""
    return [line | {"timestamp": "2026-11-25T12:00:00Z"} for line in lines]


MORE: list[list[Any]] = [["ask"], ["say"], ["count", 28_500, 18_500, 80, 10_000, 9500, 10]]


@pytest.mark.parametrize(
    ("order", "start"), [((0, 1, 2), 0), ((2, 1, 0), 0), ((1, 0, 2), 0), ((0, 1, 2), 3)]
)
@pytest.mark.parametrize("has_meta", [False, True])
def test_a_fork_of_codex_counts_the_copy_once(
    order: tuple[int, ...],
    has_meta: bool,
    start: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Copies count once in any order of the files. A fork may have only the end of its parent.

    Two forks may go on with requests of the same size.
    """
    parent = [*codex_lines(FIRST)]
    copy = restamped(parent[0 if has_meta else 1 :])[start:]
    sessions = [parent, fork(copy, "b", MORE), fork(copy, "c", MORE)]
    logs = [write(tmp_path / f"{at}.jsonl", lines) for at, lines in enumerate(sessions)]
    report, _ = cost(capsys, *(logs[at] for at in order))
    reported = report["reported"]
    assert reported["requests"] == 4
    assert reported["input"] + reported["read"] == 9000 + 9500 + 10_000 + 10_000
    assert report["counted"] == {"requests of Codex": 4}


def test_sessions_of_codex_that_are_no_copies_count_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal token counts in unrelated sessions, or in a new agent's session, are no copies."""
    lines = [[*codex_lines(FIRST, session)] for session in "ab"]
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "a"}}}
    lines[1][0]["payload"]["source"] = spawned
    lines.append([*codex_lines(FIRST, "c")])
    logs = [write(tmp_path / f"{at}.jsonl", line) for at, line in enumerate(lines)]
    report, _ = cost(capsys, *logs)
    assert report["reported"]["requests"] == 6
    assert report["counted"] == {"requests of Codex": 6}


def test_a_file_that_is_given_twice_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = [
        write(tmp_path / "a.jsonl", codex_lines(FIRST)),
        write(tmp_path / "b.jsonl", claude_lines([["ask"], ["say", 1, *USED]])),
    ]
    once = cost(capsys, *logs)[0]
    assert cost(capsys, *logs, *logs)[0] == once


def test_a_fork_joins_two_families(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Copies are recognized by a common relative, which may be read last."""
    parent = [*codex_lines(FIRST)]
    child = fork(restamped(parent[1:]), "b", MORE)
    last: list[list[Any]] = [["ask"], ["say"], ["count", 38_600, 28_500, 90, 10_100, 10_000, 10]]
    grandchild = fork(restamped(child), "c", last, parent="b")
    sessions = [child[:1] + child[len(parent) :], parent, grandchild, child]
    logs = [write(tmp_path / f"{at}.jsonl", lines) for at, lines in enumerate(sessions)]
    report, _ = cost(capsys, *logs)
    assert report["reported"]["requests"] == 4
