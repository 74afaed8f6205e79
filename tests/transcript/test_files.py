"""Test virtual files: long content is stored, and every part can be read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call
from lton.chat import from_anthropic
from lton.errors import Code, LTONError
from lton.stores.contents import read_bytes, read_lines
from lton.tokens import counter
from lton.tokens.counting import Count
from lton.transcript.files import Tell, beginning_within, write_matching_lines
from tests.office import workbook
from tests.steps import GROWTH, growth
from tests.transcript.conversations import (
    Characters,
    assistant_message,
    calling,
    contents,
    result,
    transcript,
    user_message,
)

BOOK = "".join(f"line {number}\n" for number in range(1, 101))
LIMITS: dict[str, Any] = {"file_over": 300, "preview": 20}


def ask(chat: Any, name: str, **arguments: Any) -> str:
    answer: str = chat.answer(Call(name, arguments))
    return answer


def check_refused(code: Code, call: Any) -> LTONError:
    with pytest.raises(LTONError) as caught:
        call()
    assert caught.value.code == code
    return caught.value


def with_book(**options: Any) -> Any:
    return transcript(user_message("?"), calling("1"), result("1", BOOK), **(LIMITS | options))


def test_a_long_result_is_a_file_with_its_beginning_shown() -> None:
    chat = with_book()
    (text,) = contents(chat)[2:]
    assert text == (
        "line 1\nline 2\n"
        "[file f1: this is its beginning; it has 792 bytes, 792 tokens: file_read and file_regex]"
    )
    assert ask(chat, "file_read", file="f1") == BOOK
    assert ask(chat, "recall", result="t2") == BOOK


def test_a_long_result_in_a_message_of_the_user_is_a_file_too() -> None:
    use = {"type": "tool_use", "id": "1", "name": "read", "input": {}}
    result_block = {"type": "tool_result", "tool_use_id": "1", "content": BOOK}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result_block, {"type": "text", "text": BOOK + BOOK}]},
    ]
    chat = transcript(*from_anthropic(messages), hot_turns=3, **LIMITS)
    assert [file.name for file in chat._state.files.files.values()] == ["t2 read", "t3 user"]
    assert "[file f1:" in contents(chat)[2]
    assert contents(chat)[3] == BOOK + BOOK


def test_one_long_result_does_not_break_a_small_window() -> None:
    """In a small window, one long result becomes a file, whatever the minimum size of files is."""
    chat = transcript(user_message("?"), calling("1"), result("1", BOOK), window=1_100, reserve=100)
    assert contents(chat)[2].startswith("line 1\n")
    assert "[file f1:" in contents(chat)[2]


def test_a_result_of_just_so_many_tokens_is_shown() -> None:
    text = "x" * 300
    assert (
        contents(transcript(user_message("?"), calling("1"), result("1", text), **LIMITS))[2]
        == text
    )


def test_an_old_file_is_a_pointer() -> None:
    chat = with_book()
    chat.append(assistant_message("Much to read."))
    assert contents(chat)[2].startswith("[t2 left out")


def test_the_same_content_is_the_same_file() -> None:
    """The same content is the same file, so reading the whole file shows its beginning again."""
    chat = with_book()
    for message in (calling("2"), result("2", BOOK)):
        chat.append(message)
    assert "[file f1:" in contents(chat)[-1]
    assert list(chat._state.files.files) == ["f1"]


def test_a_long_message_of_the_user_is_a_file_once_there_is_another() -> None:
    chat = transcript(user_message(BOOK), **LIMITS)
    assert contents(chat)[0] == BOOK
    chat.append(assistant_message("Yes?"))
    assert contents(chat)[0] == BOOK
    chat.append(user_message("Go on."))
    assert contents(chat)[0].startswith("line 1\nline 2\n[file f1:")
    assert [decision.action for decision in chat.render().decisions] == ["file", "cleared"]


def test_a_long_message_between_what_was_cleared_is_a_file_too() -> None:
    chat = transcript(
        user_message(BOOK),
        calling("1"),
        result("1", BOOK[:200]),
        assistant_message("Hm."),
        **LIMITS,
    )
    assert contents(chat)[0] == BOOK
    assert contents(chat)[2].startswith("[t2 left out")
    chat.append(user_message("Go on."))
    assert contents(chat)[0].startswith("line 1\nline 2\n[file f1:")
    assert contents(chat)[2].startswith("[t2 left out")


def test_a_file_that_is_not_shorter_is_shown() -> None:
    """A file that would not be shorter than its content is shown whole, because the note takes
    tokens.
    """
    chat = transcript(user_message("x" * 60), user_message("?"), file_over=50, preview=20)
    assert contents(chat)[0] == "x" * 60
    chat = transcript(
        user_message("?"), calling("1"), result("1", "x" * 60), file_over=50, preview=20
    )
    assert contents(chat)[2] == "x" * 60


def test_errors_are_files_only_where_they_would_fill_the_window() -> None:
    error = f"Error\n{BOOK}"
    assert contents(with_errors(error, 90_000))[2] == error
    assert "[file f1:" in contents(with_errors(error, 1_500))[2]


def with_errors(error: str, window: int) -> Any:
    options = {**LIMITS, "window": window, "reserve": 0}
    return transcript(user_message("?"), calling("1"), result("1", error), **options)


def test_what_is_read_of_files_is_said_once_where_turns_are_compacted() -> None:
    chat = with_book(window=2_000, reserve=0, summarize=lambda _: "They read.")
    for _ in range(2):
        ask(chat, "file_read", file="f1", start_line=3, end_line=4)
        ask(chat, "file_read", file="[f1]", end_byte=5)
        ask(chat, "file_regex", file="f1", pattern="9")
    assert not any("[file f1" in content for content in contents(chat)[:1])
    chat.append(assistant_message("x" * 1_200))
    chat.append(user_message("y" * 700))
    files = contents(chat)[0].splitlines()
    assert files[0].endswith("returns result t8; files:")
    assert files[1].endswith("792 tokens; read: lines 3-4, bytes 0-5, search")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"start_line": 99}, "line 99\nline 100\n"),
        ({"end_line": 1}, "line 1\n"),
        ({"start_line": 2, "end_line": 2}, "line 2\n"),
        ({"start_byte": 787}, " 100\n"),
        ({"start_byte": 5, "end_byte": 8}, "1\nl"),
    ],
)
def test_parts_are_read(arguments: dict[str, int], text: str) -> None:
    assert ask(with_book(), "file_read", file="f1", **arguments) == text


@pytest.mark.parametrize(
    "arguments",
    [
        {"file": "f2"},
        {"file": "book"},
        {"file": "f1", "start_line": 101},
        {"file": "f1", "start_line": 5, "end_line": 4},
        {"file": "f1", "start_byte": 792},
        {"file": "f1", "start_byte": 5, "end_byte": 5},
        {"file": "f1", "start_byte": 5, "start_line": 5},
    ],
)
def test_what_is_not_there_is_an_error(arguments: dict[str, Any]) -> None:
    check_refused(Code.FILE, lambda: ask(with_book(), "file_read", **arguments))
    check_refused(Code.FILE, lambda: ask(transcript(), "file_read", file="f1"))


@given(st.text(alphabet="aé\n\r\u2028😀", max_size=60), st.data())
def test_lines_and_bytes_join_to_the_whole(text: str, data: st.DataObject) -> None:
    """Lines and bytes of any ranges join to the whole, and no character is cut."""
    count = len(text.split("\n")) - text.endswith("\n") if text else 0
    if count:
        cut = data.draw(st.integers(1, count))
        remainder = read_lines(text, cut + 1, count) if cut < count else ""
        assert read_lines(text, 1, cut) + remainder == text
    content = text.encode()
    if len(content) > 1:
        at = data.draw(st.integers(1, len(content) - 1))
        assert text.startswith(read_bytes(content, 0, at))
        assert text.endswith(read_bytes(content, at, len(content)))
    assert "\ufffd" not in "".join(read_bytes(content, n, n + 3) for n in range(len(content)))


@given(st.text(alphabet="ab c\n", max_size=200), st.integers(0, 40))
def test_a_beginning_is_one_and_fits(text: str, tokens: int) -> None:
    """The beginning ends at the end of a line, unless the first line is too long."""
    start = beginning_within(text, tokens, Characters())
    assert text.startswith(start)
    assert len(start) <= tokens
    if len(text) > tokens:
        lines = text[:tokens].rfind("\n") + 1
        assert len(start) == (lines or tokens)


def test_a_beginning_for_which_there_is_no_room_is_empty() -> None:
    """Without room, or without characters, the beginning is empty."""
    assert beginning_within("", 4, Characters()) == beginning_within("word", 0, Characters()) == ""


def test_a_beginning_is_found_in_long_texts_soon() -> None:
    """Finding the beginning of a long text counts little more than is shown."""
    counted = 0

    class Counting(Characters):
        def count(self, text: str) -> Count:
            nonlocal counted
            counted += len(text)
            return counter("o200k").count(text)

    text = beginning_within("word " * 1_000_000, 1000, Counting())
    assert 900 < counter("o200k").count(text).tokens <= 1000
    assert counted < 20 * len(text)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^line 9$", "9: line 9"),
        ("(99|100)", "99: line 99\n100: line 100"),
        (r"\b7\b", "7: line 7"),
        ("never", "(no line matches)"),
        ("line", "1: line 1\n2: line 2\n(more lines match)"),
    ],
)
def test_lines_are_found_by_patterns(pattern: str, expected: str) -> None:
    assert ask(with_book(), "file_regex", file="f1", pattern=pattern, max_matches=2) == expected


def test_a_long_line_is_shown_cut() -> None:
    assert write_matching_lines("x" * 9000, "x", 1) == f"1: {'x' * 500}…"


@pytest.mark.parametrize("pattern", ["(", "[z-a]", r"(a)\1", "a{9999999}", "(a{999}){999}"])
def test_what_cannot_be_searched_for_is_an_error(pattern: str) -> None:
    check_refused(Code.PATTERN, lambda: ask(with_book(), "file_regex", file="f1", pattern=pattern))


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a*)*(a*)*(a*)*c", "(.*)(.*)(.*)(.*)x"])
def test_a_hostile_pattern_ends_soon(pattern: str) -> None:
    """A pattern that would backtrack exponentially takes twice the steps for twice the line."""

    def work(n: int) -> None:
        assert write_matching_lines(f"{'a' * n}!\n" * 3, pattern, 5) == "(no line matches)"

    assert growth(work, 2_500) < GROWTH


def test_too_much_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking ahead from each character takes quadratic work, which is an error."""
    monkeypatch.setattr("lton.transcript.files._MOST_WORK", 100_000)
    pattern = "(?=(a|b)*c)(a|b)*c"
    assert write_matching_lines("ab" * 20, pattern, 5) == "(no line matches)"
    check_refused(Code.PATTERN, lambda: write_matching_lines("ab" * 2_000, pattern, 5))


def test_a_list_of_files_is_as_long_as_there_is_room() -> None:
    """The list of files fits into the available room, however many files there are and were
    read.
    """
    chat = transcript(user_message("?"))
    for number in range(100):
        chat.add_file(f"{number}.txt", f"{number}\n" * 100)
    for line in range(1, 90):
        ask(chat, "file_read", file="f100", start_line=line, end_line=line)
    files = chat._state.files.write_listing(500, len)
    assert files[0].endswith(" earlier files are not listed)")
    assert files[-1].startswith("f100: 99.txt, 300 bytes, 300 tokens; read: lines 7")
    assert files[-1].endswith("lines 89-89")
    assert len("\n".join(files[1:])) <= 500
    assert ask(chat, "file_read", file="f1").startswith("0\n")


def test_no_character_is_cut_in_two() -> None:
    content = "aéb".encode()
    assert (read_bytes(content, 2, 4), read_bytes(content, 0, 2)) == ("b", "a")


def test_documents_are_extracted_into_files_with_pages() -> None:
    """An extracted document is a file with a beginning and pages, and is the same file the second
    time.
    """
    pytest.importorskip("openpyxl")
    chat = transcript(user_message("?"))
    book = workbook(Rain=[["day", "mm"], [1, 2]], Snow=[[3]])
    assert chat.add_file("/home/ann/re port].xlsx", book) == "f1"
    expected = (
        "file f2: 43 bytes, 43 tokens, 2 pages\n# Sheet Rain\nday | mm\n1 | 2\n\f# Sheet Snow\n3"
    )
    assert ask(chat, "extract_file", file="f1") == expected
    assert ask(chat, "extract_file", file="f1") == expected
    assert ask(chat, "file_read", file="f2", page=2) == "# Sheet Snow\n3"
    check_refused(Code.FILE, lambda: ask(chat, "file_read", file="f2", page=3))
    check_refused(Code.FILE, lambda: ask(chat, "file_read", file="f2", page=1, start_line=1))
    assert "f1: ann/re_port_.xlsx, " in chat._state.files.write_listing(90_000, len)[0]
    assert chat.add_file("", b"\xff") == "f3"
    assert ask(chat, "file_read", file="f3") == "\ufffd"
    check_refused(Code.FILE, lambda: ask(chat, "extract_file", file="f3"))


def test_a_whole_file_is_read_as_far_as_there_is_room() -> None:
    """If a file does not fit, its beginning is returned, and the result says so."""
    chat = transcript(user_message("?"), window=1_000, reserve=0)
    chat.add_file("a.txt", "one line\n" * 200)
    answer = ask(chat, "file_read", file="f1")
    assert answer.startswith("one line\n" * 50)
    assert answer.endswith("one line\n[its first 55 lines: read on by lines, bytes or pages]")
    assert "read: its beginning" in chat._state.files.write_listing(9_000, len)[0]
    chat.add_file("b.txt", "x" * 1_000)
    assert ask(chat, "file_read", file="f2").endswith(
        "x[its first 1 lines: read on by lines, bytes or pages]"
    )


@pytest.mark.parametrize("tell", ["nothing", "files", "all"])
def test_the_model_is_told_of_files_that_were_added(tell: Tell) -> None:
    """Added files are listed only after the newest message, so that earlier messages stay the
    same.
    """
    chat = transcript(user_message("What is in it?"), tell=tell)
    chat.add_file("notes.txt", BOOK)
    first = chat.render()
    content = first.messages[-1]["content"]
    assert ("f1: notes.txt, 792 bytes" in content) == (tell != "nothing")
    assert ("tokens used, " in content) == (tell == "all")
    assert first.tokens <= first.room
    assert chat._counter.count_messages(first.messages).tokens == first.tokens
    ask(chat, "file_read", file="f1", start_line=2, end_line=3)
    chat.append(calling("1"))
    chat.append(result("1", "done"))
    then = chat.render()
    assert then.messages[0]["content"] == "What is in it?"
    assert ("read: lines 2-3" in str(then.messages[-1])) == (tell != "nothing")
    assert bool(then.cached) == (tell == "nothing")


def test_there_is_no_note_without_room() -> None:
    chat = transcript(user_message("x" * 60), window=100, reserve=0, tell="all", compact_at=1)
    assert chat.render().messages[-1]["content"] == "x" * 60


def test_a_long_request_may_be_a_file_from_the_first() -> None:
    """A long request may be a file from the first request on, with its beginning if this is
    requested.
    """
    for is_file in (True, False):
        chat = transcript(user_message(BOOK), file_over=200, preview=60, file_requests=is_file)
        content = chat.render().messages[-1]["content"]
        assert ("[file f1: this is its beginning" in content) == is_file
        assert (content == BOOK) == (not is_file)


class NoSkills:
    """A catalogue without skills."""

    def body(self, name: str) -> str:
        raise LookupError(name)


def test_a_conversation_with_skills_has_one_for_large_files() -> None:
    """A conversation with skills offers the skill for large files if there are files."""
    chat = transcript(user_message("?"), skills=NoSkills())
    chat.add_file("a.txt", BOOK)
    assert "load_skill large_files" in chat.render().messages[-1]["content"]
    assert "`extract_file` first" in chat.answer(Call("load_skill", {"name": "large_files"}))
    check_refused(Code.POINTER, lambda: chat.answer(Call("load_skill", {"name": "x"})))
