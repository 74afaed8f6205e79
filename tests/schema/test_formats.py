"""Compare the formats of R-424 with `jsonschema` on the same texts."""

import random
import re

import jsonschema
import pytest

from lton.schema.jsonschema.constraints import Constraints
from lton.schema.jsonschema.formats import EXAMPLES, FORMATS
from tests.cases import sizes

TEXTS: dict[str, tuple[list[str], list[str]]] = {
    "date": (
        ["2024-02-29", "0001-01-01"],
        ["2023-02-29", "2024-13-01", "2024-1-1", "", "20240101"],
    ),
    "time": (
        ["10:00:00Z", "23:59:59.25+01:00", "10:00:00z", "10:00:00"],
        ["24:00:00Z", "10:00Z", "22:59:60Z", "23:59:60+01:00", "23:59:61Z"],
    ),
    "date-time": (
        ["2026-11-21T22:00:00Z", "2026-11-21t22:00:00.5-08:00", "2026-11-21T22:00:00"],
        ["2026-11-21", "2026-11-31T22:00:00Z", "2026-11-21 22:00:00Z", "2026-11-21T22:00"],
    ),
    "duration": (
        ["PT5M", "P1Y2M3DT4H5M6S", "P2W", "P1DT12H", "P1M2D", "PT4M5S", "P3Y"],
        [
            *("P", "PT", "P1YT", "5M", "P1D2H", "P1W1D", "PT1D", "P1S", ""),
            *("PT0.5S", "-P1D", "P1Y2D", "PT1H2S"),
        ],
    ),
    "email": (
        [
            *("a@example.com", "a.b+c@x", '"a b"@example.com', '"a@b"@x.y', "é@x.y"),
            *("a@[127.0.0.1]", "a@[IPv6:::1]"),
        ],
        [
            *("a", "", "joe.bloggs@", "@example.com", "a b@x", "a@b@c", ".a@x", "a.@x", "a..b@x"),
            *("a@x y", "a@-x", "a@x.", "a@[::1]", "a@[300.0.0.1]", "<a@x.y>", "a@x,b@y"),
        ],
    ),
    "hostname": (
        ["example.com", "localhost", "xn--4gbwdl.com", "a.b.", "1.2"],
        ["-a.b", "a-.b", "a_b", "a..b", "", ".", "a" * 64, "a." * 130, "é.com"],
    ),
    "idn-email": (
        ["a@example.com", "실례@실례.테스트", '"a b"@é.com', "a@[127.0.0.1]"],
        ["a", "é@", "@é.com", "a b@é.com", "a@é..com", "a@-é.com", "a@é.com.", "a@é_b", "a@é/b"],
    ),
    "ipv4": (["127.0.0.1"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4/8", ""]),
    "ipv6": (
        ["::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
        ["1::2::3", "fe80::1%eth0", "12345::", ""],
    ),
    "iri": (
        [
            "http://ƒøø.ßår/?∂éœ=πîx#πîüx",
            "http://[::1]/é",
            "urn:é",
            "x:",
            "a:?\ue000",
            "http://é@ü",
        ],
        [
            "/é",
            "é",
            "é:a",
            "a:\ue000",
            "http://é[/",
            "a:é b",
            "a:\\é",
            "a:%é",
            "a:\ufdd0",
            "a:\x80",
        ],
    ),
    "iri-reference": (
        ["http://ƒøø.ßår/", "//ƒøø.ßår/é", "/é/π", "", "#é", "?é", "é/a:b"],
        ["\\é", "é:b", "#é\\", "é b", "#\ue000", "\U0001fffe"],
    ),
    "json-pointer": (
        ["", "/", "//", "/a/0/", "/~0~1", "/a b", "/é/\n", "/-", "/~01"],
        ["a", "/~", "/~2", "/a~", "#/a", "#", "0", "~0", "/~/a"],
    ),
    "regex": (["^a(b)*$", r"\d"], ["(", "[a"]),
    "relative-json-pointer": (
        ["0", "1", "10", "0#", "120/a/~1", "0/", "3//"],
        ["", "/a", "-1/a", "+1", "01", "01#", "0##", "0#/a", "0a", "1/~", "#", " 0", "0 "],
    ),
    "uri": (
        [
            *("https://u:p@example.com:80/a/b;c?d=e?#f", "urn:a:b", "mailto:a@b.c", "file:///a"),
            *("http://[::1]:80/", "http://[v1.a:b]/", "x:", "a:/b//c", "http://%41/"),
        ],
        [
            *("example com", "//a/b", "a", "", "http://a b", "http://%zz/", "http://[1::2::3]/"),
            *("http://a:b/", "http://a@b@c", "1a:b", "a:#b#c", "http://é/", "http://[::1", "a:[b]"),
            "http://a%b@c/",
        ],
    ),
    "uri-reference": (
        [
            *("http://a.b/", "//a.b/c?d#e", "/a//b", "a/b:c", "", "#", "?", "./a:b", "..", "%41"),
            *("//[::1]:80/a", "//:80", "a", "@", "0", "///a", "*"),
        ],
        ["1a:b", ":", "a b", "\\a", "#\\", "%", "%4", "//a:b", "//[::1", "[", "é", "a|b", "_:b"],
    ),
    "uri-template": (
        [
            *(
                "http://a.b/{c}",
                "{a,b}",
                "{+a}{#b}{.c}{/d}{;e}{?f,g}{&h}",
                "",
                "{a:3}{b*}",
                "a%20b",
            ),
            *("{%41.b_1}", "{|a}", "{,a}", "é{a}", "[a]", "{a.b:9999,c*}"),
        ],
        [
            *("{", "}", "{}", "{a", "a}", "{{a}}", "{a,}", "{,}", "{-a}", "{a:0}", "{a:10000}"),
            *("{a b}", "a b", '"', "%", "%{a}41", "{a.}", "{.}", "{a*b}", "{é}", "a<b", "{a%4}"),
        ],
    ),
    "uuid": (
        ["123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"],
        ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", ""],
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_texts_are_right_or_wrong(name: str) -> None:
    """Each format has valid and invalid texts, also with a line end."""
    right, wrong = TEXTS[name]
    assert [text for text in right if not FORMATS[name](text)] == []
    assert [text for text in wrong if FORMATS[name](text)] == []
    if name not in ("email", "idn-email", "json-pointer", "regex", "relative-json-pointer"):
        assert [text for text in right if FORMATS[name](f"{text}\n")] == []


@pytest.mark.untraced
@pytest.mark.filterwarnings("ignore:Possible nested set")
@pytest.mark.parametrize("count", sizes(200, 2000))
@pytest.mark.parametrize("name", FORMATS)
def test_the_reference_agrees(name: str, count: int) -> None:
    """`jsonschema` agrees on texts that differ by one character, except for its known errors."""
    check, raises = jsonschema.Draft202012Validator.FORMAT_CHECKER.checkers[name]
    choose = random.Random(3)
    for _ in range(count):
        characters = list(choose.choice([*TEXTS[name][0], *TEXTS[name][1]]))
        characters.insert(
            choose.randint(0, len(characters)), choose.choice("0129azPTZ:/?#[]@%.-~{}, ")
        )
        del characters[choose.randrange(len(characters))]
        text = "".join(characters)
        try:
            expected = bool(check(text))
        except raises:
            expected = False
        is_valid = FORMATS[name](text)
        takes_more, takes_less = REFERENCE.get(name, ("", r"[\\\[]"))
        if not (expected and re.search(takes_more or "(?!)", text)):
            assert is_valid >= expected, text
        if not (is_valid and re.search(takes_less or "(?!)", text)):
            assert is_valid <= expected, text


REFERENCE = {
    "duration": (".", ""),
    "email": (".", ""),
    "idn-email": (".", ""),
    "relative-json-pointer": ("", "[1-9]0"),
    "date-time": ("", r"^[^Tt]*[Tt][\d:.]*$"),
    "time": ("", r":60|^[\d:.]*$"),
    "uri-template": (".", "{[=,!@|]|{[^}]*%|:[0-9]{4}"),
    "uuid": (".", ""),
}
"""Where the reference takes more than its document says, and where less.

Elsewhere it takes less of brackets, and of the classes of other languages.
"""


def test_long_texts_take_no_time() -> None:
    """Long texts are checked in little time."""
    for name, check in FORMATS.items():
        for part in ("a", "1", "a.", "1:", "-", "%41", "P1D", "(a", "://", "{a", "{a}", "a,", "~0"):
            check(part * 10_000), name


@pytest.mark.parametrize(
    "text", ["23:59:60Z", "23:59:60.5+00:00", "01:29:60+01:30", "15:59:60-08:00"]
)
def test_a_leap_second_ends_a_day_of_utc(text: str) -> None:
    """A leap second is valid only at the end of a day in UTC."""
    assert FORMATS["time"](text)
    assert FORMATS["date-time"](f"1998-12-31T{text}")
    assert not FORMATS["time"](text.replace("9:60", "8:60"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_messages_are_in_their_formats(name: str) -> None:
    """What a message proposes is accepted."""
    assert all(map(FORMATS[name], EXAMPLES[name]))


@pytest.mark.parametrize(
    ("schema", "end"),
    [
        ({"format": "date-time"}, "is not a date-time, such as 2026-05-03T14:30:00"),
        ({"format": "date-time", "pattern": "Z$"}, "such as 2026-05-03T14:30:00Z"),
        ({"format": "date", "pattern": "^19"}, "does not match '^19'"),
        ({"format": "regex"}, "is not a regex"),
        ({"pattern": "^a"}, "does not match '^a'"),
    ],
)
def test_a_message_shows_an_example_of_the_format(schema: dict[str, str], end: str) -> None:
    """The example also matches the pattern of the schema."""
    breach = Constraints({"properties": {"x": {"type": "string", **schema}}})({"x": "(soon"})
    assert breach is not None
    assert breach.msg.endswith(end)
