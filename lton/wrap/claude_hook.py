"""Implement the hook that shortens long tool results in Claude Code.

Claude Code writes one JSON object to standard input, and reads another tool output from standard
output. Without an answer, and after any error, the output does not change.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

LEAST_INPUT = 8_000  # below this many bytes, no result is long, so LTON is not imported
_TAIL = 4 * 1024 * 1024  # the number of bytes that are read at the end of a session file
_TEXTS = ("stdout", "stderr", "content", "result", "output")  # of Bash, of Grep, of WebFetch
Change: TypeAlias = Callable[[str], str]


def main() -> int:
    """Read a hook call from standard input, and write the answer, if any, to standard output."""
    try:
        data = sys.stdin.buffer.read()
        if len(data) > LEAST_INPUT and (
            answer := try_answer_hook(json.loads(data), Path(sys.argv[1]))
        ):
            sys.stdout.buffer.write(json.dumps(answer).encode())
            sys.stdout.flush()
    except Exception:  # noqa: S110 - the output stays as it was
        pass
    return 0


def try_answer_hook(event: Mapping[str, Any], base: Path) -> Mapping[str, Any] | None:
    """Return the answer to a hook call, or None if the output stays unchanged."""
    from lton._shells import can_be_cut  # noqa: PLC0415 - takes long
    from lton.wrap.long_results import ResultCutter, try_make_session_folder  # noqa: PLC0415

    tool = event["tool_name"]
    arguments = event["tool_input"]
    output = event["tool_response"]
    call = event["tool_use_id"]
    if not can_be_cut(tool, arguments) or event["hook_event_name"] != "PostToolUse":
        return None
    if (folder := try_make_session_folder(event["session_id"], base)) is None:
        return None
    cutting = ResultCutter(folder, cuts=len([*folder.path.glob("*.txt")]))
    for words, calls in _iterate_agent_messages(event.get("transcript_path"), call):
        cutting.words = words or cutting.words
        cutting.reads |= {id_ for id_, named in calls if folder.is_named_in(named)}
    cutting.note_call(call, tool, arguments)

    def shorten_text(text: str) -> str:
        return cutting.shorten_result(_clean_text(text, tool, arguments), call, text)

    changed = _with_changed_texts(
        output, shorten_text
    )  # comes first, because it counts the omitted results
    answer: dict[str, Any] = {}
    mark = folder.path / "off"
    if folder.is_off and not mark.exists():
        mark.touch(0o600)
        answer["systemMessage"] = "LTON: long results are whole from now on: many were read again"
    if folder.left_out:
        specific = {"hookEventName": "PostToolUse", "updatedToolOutput": changed}
        answer["hookSpecificOutput"] = specific
    return answer or None


def _clean_text(text: str, tool: str, arguments: Any) -> str:
    """Return a result without the noise of a terminal, and with lines like our notes quoted."""
    from lton._shells import is_terminal, without_noise  # noqa: PLC0415 - takes long

    cleaned = without_noise(text) if is_terminal(tool, arguments) else text
    if "left" not in cleaned or "tokens" not in cleaned:
        return cleaned
    from lton.transcript.pointers import with_own_marks_quoted  # noqa: PLC0415 - rarely needed

    return with_own_marks_quoted(cleaned)


def _with_changed_texts(output: Any, change: Change) -> Any:
    match output:
        case str():
            return change(output)
        case [*parts]:
            return [_with_changed_text(part, change) for part in parts]
        case {"isImage": True}:
            return output
        case dict():
            return {
                key: change(value) if key in _TEXTS and isinstance(value, str) else value
                for key, value in output.items()
            }
    return output


def _with_changed_text(part: Any, change: Change) -> Any:
    match part:
        case {"text": str(text)}:
            return {**part, "text": change(text)}
    return part


def _iterate_agent_messages(path: Any, call: str) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield the text and the calls of each of the agent's messages up to a given call."""
    if not isinstance(path, str) or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL))
        lines = file.read().split(b"\n")
    for line in lines:
        blocks = _try_read_blocks(line)
        if blocks is None:
            continue
        words = "\n".join(block["text"] for block in blocks if block.get("type") == "text")
        uses = [block for block in blocks if block.get("type") == "tool_use"]
        calls = [(block["id"], block.get("input")) for block in uses]
        yield words, calls
        if any(id_ == call for id_, _ in calls):
            return


def _try_read_blocks(line: bytes) -> list[dict[str, Any]] | None:
    """Return the parts of the agent's message in a line, or None for another line."""
    if b'"assistant"' not in line:
        return None
    try:
        content = json.loads(line)["message"]["content"]
    except (ValueError, KeyError, TypeError):  # the first line of the tail is cut
        return None
    return [block for block in content if isinstance(block, dict)]


if __name__ == "__main__":
    sys.exit(main())
