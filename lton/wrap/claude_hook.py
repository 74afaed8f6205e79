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
        if len(data) > LEAST_INPUT and (answer := answer_hook(json.loads(data), Path(sys.argv[1]))):
            sys.stdout.buffer.write(json.dumps(answer).encode())
            sys.stdout.flush()
    except Exception:  # noqa: S110 - the output stays as it was
        pass
    return 0


def answer_hook(given: Mapping[str, Any], base: Path) -> Mapping[str, Any] | None:
    """Return the answer to a hook call, or None if the output stays unchanged."""
    from lton._shells import can_be_cut, is_terminal, without_noise  # noqa: PLC0415 - takes long
    from lton.wrap.long_results import ResultCutter, session_folder  # noqa: PLC0415

    tool = given["tool_name"]
    arguments = given["tool_input"]
    output = given["tool_response"]
    if not can_be_cut(tool, arguments) or given["hook_event_name"] != "PostToolUse":
        return None
    if (folder := session_folder(given["session_id"], base)) is None:
        return None
    cutting = ResultCutter(folder, cuts=len([*folder.path.glob("*.txt")]))
    for words, calls in _agent_messages(given.get("transcript_path"), given["tool_use_id"]):
        cutting.words = words or cutting.words
        cutting.reads |= {id_ for id_, named in calls if folder.is_in(named)}
    cutting.note_call(given["tool_use_id"], tool, arguments)

    def change(text: str) -> str:
        shown = without_noise(text) if is_terminal(tool, arguments) else text
        if "left" in shown and "tokens" in shown:  # it may have a line that looks like a note
            from lton.transcript.pointers import with_own_marks_quoted  # noqa: PLC0415

            shown = with_own_marks_quoted(shown)
        return cutting.shorten_result(shown, given["tool_use_id"], text)

    made = _change_texts(output, change)  # must come first, because it counts the omitted results
    answer: dict[str, Any] = {}
    mark = folder.path / "off"
    if folder.is_off and not mark.exists():
        mark.touch(0o600)
        answer["systemMessage"] = "LTON: long results are whole from now on: many were read again"
    if folder.left_out:
        answer["hookSpecificOutput"] = {"hookEventName": "PostToolUse", "updatedToolOutput": made}
    return answer or None


def _change_texts(output: Any, change: Change) -> Any:
    match output:
        case str():
            return change(output)
        case [*parts]:
            return [
                {**each, "text": change(each["text"])}
                if isinstance(each, dict) and isinstance(each.get("text"), str)
                else each
                for each in parts
            ]
        case {"isImage": True}:
            return output
        case dict():
            return {
                key: change(each) if key in _TEXTS and isinstance(each, str) else each
                for key, each in output.items()
            }
    return output


def _agent_messages(path: Any, call: str) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield the text and the calls of each of the agent's messages up to a given call."""
    if not isinstance(path, str) or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL))
        lines = file.read().split(b"\n")
    for line in lines:
        if b'"assistant"' not in line:
            continue
        try:
            content = json.loads(line)["message"]["content"]
        except (ValueError, KeyError, TypeError):  # the first line of the tail is cut
            continue
        blocks = [each for each in content if isinstance(each, dict)]
        words = "\n".join(each["text"] for each in blocks if each.get("type") == "text")
        uses = [each for each in blocks if each.get("type") == "tool_use"]
        yield words, [(each["id"], each.get("input")) for each in uses]
        if any(each["id"] == call for each in uses):
            return


if __name__ == "__main__":
    sys.exit(main())
