"""Test directives and front matter, quoted directives, and errors with their lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.context.directives import MOST_NESTED, FrontMatter, read_directives, read_front_matter
from lton.errors import DecodeError

Parts = list[tuple[str, bool, float | None]]


def parts(text: str) -> Parts:
    return [(text[a:b], pinned, ratio) for a, b, pinned, ratio in read_directives(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One.\nTwo.", [("One.\nTwo.", False, None)]),
        (":::pwo:pin\nOne.\n:::", [("One.\n", True, None)]),
        (":::pwo:pin  \r\nOne.\r\n:::  \r\n", [("One.\r\n", True, None)]),
        ("   :::pwo:pin\nOne.\n   :::\n", [("One.\n", True, None)]),
        (":::pwo:compress ratio=1\nOne.\n:::\n", [("One.\n", False, 1.0)]),
        (":::pwo:compress  ratio=.5\nOne.\n:::\n", [("One.\n", False, 0.5)]),
        (":::pwo:compress\nOne.\n:::\n", [("One.\n", False, None)]),
        (":::pwo:pin\nOne.\n::::\n", [("One.\n", True, None)]),
        ("::::pwo:pin\nOne.\n:::\n::::\n", [("One.\n:::\n", True, None)]),
        (":::pwo:pin\n:::\n", []),
        # The innermost ratio counts, and a pin before any ratio, on whichever side it is.
        (
            ":::::pwo:compress ratio=0.5\na\n::::pwo:compress ratio=0.2\nb\n:::pwo:pin\nc\n:::\n"
            "d\n::::\ne\n:::::\nf",
            [
                ("a\n", False, 0.5),
                ("b\n", False, 0.2),
                ("c\n", True, None),
                ("d\n", False, 0.2),
                ("e\n", False, 0.5),
                ("f", False, None),
            ],
        ),
        (
            "::::pwo:pin\na\n:::pwo:compress ratio=0.2\nb\n:::\n::::\n",
            [("a\n", True, None), ("b\n", True, 0.2)],
        ),
        (
            "::::pwo:compress ratio=0.2\n:::pwo:compress\nb\n:::\n::::\n",
            [("b\n", False, 0.2)],
        ),
    ],
)
def test_blocks(text: str, expected: Parts) -> None:
    """A text is split into blocks, each with its settings."""
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```\n:::pwo:pin\n```\n",
        "````md\n```\n:::pwo:pin\n````\n",
        "~~~ a`b\n:::pwo:pin\n~~~~\n",
        "```\n:::pwo:pin\n~~~\n:::pwo:pin\n",
        "    :::pwo:pin\n",
        "Say :::pwo:pin to pin.\n",
        "::pwo:pin\n",
        ":::\n",
        ":::{note}\nForeign.\n:::\n",
    ],
)
def test_what_is_text(text: str) -> None:
    """Colons in fences, in indented code, inside a line, and in other notations are text."""
    assert parts(text) == [(text, False, None)]


def test_a_fence_hides_the_end_of_a_block() -> None:
    """A closing directive in a fence is text; a line with backticks after its first three is not a
    fence.
    """
    assert parts(":::pwo:pin\n```\n:::\n```\n:::\n") == [("```\n:::\n```\n", True, None)]
    assert parts("``` a`b\n:::pwo:pin\nx\n:::\n") == [
        ("``` a`b\n", False, None),
        ("x\n", True, None),
    ]


@pytest.mark.parametrize(
    ("text", "line", "msg"),
    [
        ("a\n:::pwo:pin\nb\n", 2, "a line of 3 colons that ends this block"),
        ("a\n:::pwo:pin\n```\n:::\n", 2, "a line of 3 colons that ends this block"),
        ("::::pwo:pin\n:::pwo:pin\nb\n::::\n", 2, "a line of 3 colons"),
        (":::pwo:pin\n:::pwo:pin\n:::\n:::\n", 2, "fewer colons"),
        (":::pwo:pin\n:::{note}\n:::\n:::\n", 2, "fewer colons"),
        ("a\n\n:::pwo:pinned\n:::\n", 3, "found 'pwo:pinned'"),
        (":::pwo:pin now\n:::\n", 1, "found 'pwo:pin now'"),
        (":::pwo:compress rate=0.5\n:::\n", 1, "expected pwo:pin"),
        (":::pwo:compress ratio=0\n:::\n", 1, "found '0'"),
        (":::pwo:compress ratio=0.0\n:::\n", 1, "above 0"),
        (":::pwo:compress ratio=1.5\n:::\n", 1, "up to 1"),
        (":::pwo:compress ratio=25%\n:::\n", 1, "found '25%'"),
    ],
)
def test_each_error_has_its_line(text: str, line: int, msg: str) -> None:
    """Each error has the line of its directive."""
    with pytest.raises(DecodeError, match=msg) as caught:
        read_directives(text)
    assert (caught.value.code, caught.value.line) == ("E705", line)


def test_blocks_in_each_other_have_a_limit() -> None:
    """The nesting of blocks has a limit."""
    colons = [":" * (MOST_NESTED + 4 - depth) for depth in range(MOST_NESTED + 1)]
    opened = "".join(f"{colons}pwo:pin\n" for colons in colons[:-1])
    closed = "".join(f"{colons}\n" for colons in reversed(colons[:-1]))
    assert parts(f"{opened}x\n{closed}") == [("x\n", True, None)]
    with pytest.raises(DecodeError, match=f"at most {MOST_NESTED}"):
        read_directives(f"{opened}{colons[-1]}pwo:pin\n")


_LINES = [":::", "::::", ":::pwo:pin", "::::pwo:compress ratio=0.5", "```", "~~~~", "a", "", "\ta"]


@given(st.lists(st.sampled_from(_LINES)).map("\n".join))
def test_blocks_are_what_is_no_directive(text: str) -> None:
    """Blocks come in order and do not overlap, and the lines between them are directives."""
    try:
        blocks = read_directives(text)
    except DecodeError as error:
        assert text.split("\n")[error.line - 1].startswith(":::")  # noqa: PT017
        return
    at = 0
    for block in blocks:
        assert all(line.startswith(":::") for line in text[at : block.start].splitlines())
        assert at <= block.start < block.end
        at = block.end
    assert all(line.startswith(":::") for line in text[at:].splitlines())


def test_front_matter() -> None:
    """Three fields of the front matter are read, and all others are ignored."""
    front_matter = (
        "---\r\ntitle: x\npwo-class: core\npwo-priority: 700\npwo-ratio: 1\n---\npwo-ratio: 9"
    )
    assert read_front_matter(front_matter) == FrontMatter("core", 700, 1.0)
    nothing = FrontMatter(None, None, None)
    assert read_front_matter("") == nothing
    assert read_front_matter("pwo-class: core\n---\n") == nothing
    assert read_front_matter("---\npwo-class: x\n") == nothing


@pytest.mark.parametrize(
    ("line", "msg"),
    [
        ("pwo-class: news", "found 'pwo-class: news'"),
        ("pwo-priority: high", "pwo-priority"),
        ("pwo-ratio: 0", "above 0"),
        ("pwo-size: 3", "found 'pwo-size: 3'"),
        ("pwo-class: refs\npwo-class: core", "each field once"),
    ],
)
def test_a_wrong_field_has_its_line(line: str, msg: str) -> None:
    """A field with an unknown value is an error with its line."""
    with pytest.raises(DecodeError, match=msg) as caught:
        read_front_matter(f"---\n{line}\n---\n")
    assert (caught.value.code, caught.value.line) == ("E705", line.count("\n") + 2)
