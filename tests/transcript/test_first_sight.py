"""Test that results are shortened when first shown, and never change later."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton import Call
from lton._shells import without_noise
from lton.stores import open_store
from lton.tokens import counter
from lton.transcript import Transcript
from lton.transcript.first_sight import SeenLines, choose_shown_form
from lton.transcript.pointers import with_own_marks_quoted
from tests.transcript.conversations import (
    Characters,
    assistant_message,
    calling,
    contents,
    result,
    tau,
    transcript,
    user_message,
)

PAGE = "".join(f"{n}: a line of a file that is shown\n" for n in range(40))
CODE = "\n".join(f"def step_{n}(self) -> int:\n    return self.value + {n}" for n in range(30))
FILES: dict[str, Any] = {"file_over": 500, "preview": 50}
PROGRESS = "".join(f"\r{n:3d} % of 40 files are read" for n in range(101))
ROWS = json.dumps([{"id": n, "name": f"item {n}", "price": n / 4} for n in range(20)])
NESTED = json.dumps({"user": {"name": "Ada", "address": {"city": "Oslo", "zip": "0150"}}})
KINDS = [
    *(PAGE, PAGE, f"$ cat page\n{PAGE}$ ", PAGE.replace("7: a", "7: another")),
    *(
        CODE,
        CODE.replace("step_9", "step_nine"),
        PROGRESS,
        f"\x1b[32mok\x1b[0m{' ' * 60}\n{PROGRESS}",
    ),
    *(
        ROWS,
        NESTED,
        ROWS,
        json.dumps(json.loads(ROWS), indent=2),
        "Error: no such file",
        "",
        "[t2]",
    ),
    *("word " * 700, "x" * 900, '{"a": 1, "a": 2}', "[1,", "0\n" * 50, "\n" * 50),
]


def growing() -> Iterator[list[dict[str, Any]]]:
    """Yield conversations of every kind, at each request."""
    agent: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}, user_message(PAGE)]
    for at, text in enumerate(KINDS * 2):
        both = result(f"{at}.1", text), result(f"{at}.2", KINDS[-1 - at % len(KINDS)])
        agent += [calling(f"{at}.1", f"{at}.2"), *(both if at % 2 else reversed(both))]
        agent += [assistant_message("Hm."), user_message(f"More of {at}!")] if at % 5 == 4 else []
        yield agent
    for chat in tau(3):
        for end in range(2, len(chat)):
            if chat[end]["role"] == "assistant":
                yield chat[:end]


@pytest.mark.untraced
def test_no_character_is_ever_rewritten() -> None:
    """Each request begins with the previous one, also in another process and after a restart."""
    store = open_store("memory:")
    options: dict[str, Any] = {"counter": counter("o200k"), "clear": "never", **FILES}
    chat = Transcript(store=store, **options)
    earlier, before, requests, saved = list[Any](), list[Any](), 0, 0
    for messages in growing():
        if messages[: len(earlier)] != earlier:
            chat, earlier, before = Transcript(store=store, **options), [], []
        for message in messages[len(earlier) :]:
            chat.append(message)
        earlier = list(messages)
        view = chat.render()
        assert view.messages[: len(before)] == before
        assert Transcript.load(store, chat.id, **options).render().messages == view.messages
        before, requests, saved = view.messages, requests + 1, saved + view.full - view.tokens
    assert requests > 60
    assert saved > 10_000


def test_every_result_is_had_back_as_it_came() -> None:
    options = {"clear": "never", "counter": counter("o200k"), "short_json": True, **FILES}
    chat = transcript(user_message("?"), **options)
    for at, text in enumerate(KINDS):
        chat.append(calling(f"{at}"))
        chat.append(result(f"{at}", text))
    view = chat.render()
    back = [chat.answer(Call("recall", {"result": f"t{at + 2}"})) for at in range(len(KINDS))]
    assert back == KINDS
    actions = {decision.action for decision in view.decisions}
    assert actions == {"kept", "short", "repeat", "file"}
    assert all(
        decision.after < decision.before for decision in view.decisions if decision.action != "kept"
    )


def test_what_stood_before_is_a_note() -> None:
    """A note says that lines have not changed, and changed lines are shown."""
    changed = PAGE.replace("20: a", "20: another")
    chat = transcript(*[user_message("?"), calling("1"), result("1", PAGE)], hot_turns=9)
    chat.append(calling("2"))
    chat.append(result("2", changed))
    assert contents(chat)[-1].split("\n") == [
        "[20 lines unchanged since they were shown above: "
        '"0: a line of a file that is shown" to "19: a line of a file that is shown"]',
        "20: another line of a file that is shown",
        "[20 lines unchanged since they were shown above: "
        '"21: a line of a file that is shown" to "39: a line of a file that is shown"]',
    ]


def test_a_note_never_points_to_what_was_cleared() -> None:
    """If the first showing becomes a pointer, the note becomes whole again."""
    chat = transcript(
        user_message("?"), calling("1"), result("1", PAGE), hot_turns=2, clear="always"
    )
    chat.append(calling("2"))
    chat.append(result("2", PAGE))
    assert contents(chat)[-1].startswith("[41 lines unchanged")
    chat.append(assistant_message("So?"))
    assert contents(chat)[2].startswith("[t2 left out")
    assert contents(chat)[4] == PAGE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31mred\x1b[0m \x1b]0;title\x07text\x1b[K", "red text"),
        ("  1 %\r 50 %\r100 %\ndone", "100 %\ndone"),
        ("long line\rnew", "new" + "g line"),
        ("one\r\ntwo\r\n", "one\r\ntwo\r\n"),
        ("Markdown  \nbreak   \npadding         \n", "Markdown  \nbreak   \npadding         \n"),
        ("plain", "plain"),
    ],
)
def test_noise_of_a_terminal_goes(text: str, expected: str) -> None:
    assert without_noise(text) == expected
    assert without_noise(expected) == expected


def test_records_are_a_table_and_what_is_nested_stays_json() -> None:
    """Records become a table, and nested JSON stays JSON."""
    rows = json.loads(ROWS)
    assert choose_shown_form(ROWS).startswith(f"[{len(rows)}({' '.join(rows[0])})\n")
    assert choose_shown_form(NESTED) == json.dumps(json.loads(NESTED), separators=(",", ":"))


@given(st.lists(st.lists(st.sampled_from(["a" * 60, "b" * 60, "", "c"]), max_size=12), max_size=5))
def test_notes_stand_for_lines_that_stood_before(pages: list[list[str]]) -> None:
    """Replacing each note with its lines gives the original text."""
    seen_lines, whole = SeenLines(), ""
    for page in pages:
        text = "\n".join(page)
        lines, at = seen_lines.replace_seen(text).split("\n"), 0
        for line in lines:
            if line.startswith("["):
                number = int(line[1:].split()[0])
                assert "\n".join(page[at : at + number]) in whole
                at += number
            else:
                assert line == (page or [""])[at]
                at += 1
        assert at == len(page or [""])
        whole += f"\n{text}\n"


def test_a_short_result_that_comes_again_is_a_note() -> None:
    """A repeated short result is a note, unless a result with the same beginning came in
    between.
    """
    order = {"id": "A1", "about": "a long text that says what was ordered", "items": [*range(60)]}
    old, new = (json.dumps(order | {"state": state}) for state in ("open", "closed"))
    chat = transcript(user_message("?"), hot_turns=9, short_json=True)
    notes = []
    for at, text in enumerate(
        [old, old, new, old, old, f"A: 1\n{new}", f"A: 1\n{new}", "[]", "[]"]
    ):
        chat.append(calling(f"{at}"))
        chat.append(result(f"{at}", text))
        notes.append(contents(chat)[-1])
    note = f"[1 line unchanged since it was shown above: {json.dumps(choose_shown_form(old)[:40])}]"
    assert [line.startswith("[1 line") for line in notes].count(True) == 2
    assert (notes[1], notes[4]) == (note, note)
    assert notes[6].startswith('[2 lines unchanged since they were shown above: "A: 1" to "{')
    assert notes[8] == "[]"


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.transcript.first_sight._MOST_PLACES", 10)
    seen_lines = SeenLines()
    for number in range(11):
        seen_lines.remember(f"{number}{PAGE[:30] * 20}")
    assert seen_lines.replace_seen(f"0{PAGE[:30] * 20}").startswith("00: a line")
    assert seen_lines.replace_seen(f"9{PAGE[:30] * 20}").startswith("[1 line")
    seen_lines.remember(PAGE)
    assert seen_lines.replace_seen(PAGE).count("unchanged") == 1
    assert seen_lines.replace_seen(PAGE).startswith("0: a line")


@pytest.mark.untraced
def test_what_does_not_end_takes_no_time() -> None:
    """Endless blanks, escapes and lines are read once."""
    over = "x" * 10**6 + "\ry" * 10**6
    assert choose_shown_form(over, is_terminal=True) == "y" + "x" * (10**6 - 1)
    for text in (" " * 10**6 + "x", "\x1b[" * 10**5, "\r" * 10**6, "\n" * 10**5, "\x1b]" * 10**5):
        assert len(choose_shown_form(text, is_terminal=True)) <= len(text)
    assert SeenLines().replace_seen("\n" * 10**5) == "\n" * 10**5


def test_json_stays_as_it_came_unless_it_is_asked_for_in_short() -> None:
    """JSON stays unchanged by default, because a model may edit a file by its exact text."""
    messages, short = (
        (user_message("?"), calling("1"), result("1", NESTED)),
        choose_shown_form(NESTED),
    )
    chats = [
        transcript(*messages, short_json=is_short, counter=Characters())
        for is_short in (False, True)
    ]
    assert contents(transcript(*messages, counter=Characters()))[-1] == NESTED
    assert [contents(chat)[-1] for chat in chats] == [NESTED, short]
    assert len(short) < len(NESTED)


LINES = [f"    step_{n}(value, {n * 7})" for n in range(30)]


def _numbered(sign: str, first: int) -> str:
    return "\n".join(f"{at:6d}{sign}{line}" for at, line in enumerate(LINES, first))


@pytest.mark.parametrize(
    ("before", "now", "note"),
    [
        (_numbered("→", 40), _numbered("→", 43), "[lines 40–69 as shown above, now 43–72: "),  # noqa: RUF001
        (_numbered("\t", 40), "\n".join(LINES), "[lines 40–69 as shown above: "),  # noqa: RUF001
        ("\n".join(LINES), _numbered(":", 43), "[30 lines as shown above, now 43–72: "),  # noqa: RUF001
        (_numbered("|", 40), _numbered("|", 40), "[30 lines unchanged since they were shown above"),
    ],
)
def test_a_note_looks_past_the_numbers_of_lines(before: str, now: str, note: str) -> None:
    """A note covers lines with changed line numbers, and gives the new numbers."""
    seen_lines = SeenLines()
    seen_lines.replace_seen(before)
    text = seen_lines.replace_seen(f"# a.py\n{now}\n")
    assert text.startswith(f"# a.py\n{note}")
    assert "step_0(value, 0)" in text
    assert text.count("\n") == 2
    assert with_own_marks_quoted(text) != text


@pytest.mark.parametrize("change", ["20: ", "5: ", ""])
def test_lines_whose_numbers_jump_are_in_no_note(change: str) -> None:
    """Lines whose numbers are not consecutive are not in a note, because a range would be wrong."""
    lines = _numbered(": ", 1).split("\n")
    seen_lines = SeenLines()
    seen_lines.replace_seen("\n".join(lines))
    lines[15] = change + lines[15].partition(": ")[2] if change else "--"
    moved = "\n".join(f"{int(line[:6]) + 100:6d}{line[6:]}" for line in lines[16:])
    text = seen_lines.replace_seen("\n".join([*lines[:16], moved]))
    assert lines[15] in text.split("\n")
    assert "[14 lines" not in text
    assert "lines 17–30 as shown above, now 117–130" in text  # noqa: RUF001


def test_what_is_shown_between_results_counts_for_the_distance() -> None:
    """A note does not point beyond the messages that the model can still see."""
    page = "".join(f"line {n} of a page that is shown\n" for n in range(9))
    for between, is_noted in ((100, True), (900, False)):
        seen_lines = SeenLines(within=1000)
        seen_lines.replace_seen(page)
        seen_lines.skip_text(between)
        assert ("unchanged since" in seen_lines.replace_seen(page)) == is_noted


def test_a_copy_goes_its_own_way() -> None:
    """A copy knows what was shown before, and not what the original shows later."""
    page = "".join(f"line {n} of a page that is shown\n" for n in range(9))
    seen_lines = SeenLines()
    seen_lines.replace_seen(page)
    copy = seen_lines.copy()
    later = page.replace("page", "letter")
    assert seen_lines.replace_seen(later) == later == copy.replace_seen(later)
    assert copy.replace_seen(page) != page


def test_a_note_ends_where_the_numbers_jump() -> None:
    """A note ends where the line numbers jump, because other lines of the file follow."""
    body = [f"a line that is long enough to be worth a note, about {c}" for c in "abcdefgh"]
    seen_lines = SeenLines()
    seen_lines.remember("\n".join(f"{n}\t{line}" for n, line in enumerate(body, 1)))
    numbers = [11, 12, 13, 14, 15, 30, 31, 32]
    text = seen_lines.replace_seen(
        "\n".join(f"{n}\t{line}" for n, line in zip(numbers, body, strict=True))
    )
    assert text.startswith("[lines 1–5 as shown above, now 11–15: ")  # noqa: RUF001
    assert text.splitlines()[1:] == [
        f"{n}\t{line}" for n, line in zip(numbers[5:], body[5:], strict=True)
    ]
