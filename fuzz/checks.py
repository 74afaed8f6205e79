"""Check properties that hold for every text and every toolset; each failure is a bug."""

import random
from contextlib import suppress
from itertools import product
from typing import Any

import lton
from lton import (
    Call,
    DecodeError,
    EncodeError,
    LTONError,
    SchemaError,
    ToolSet,
    decode,
    encode,
)
from tests.cases import (
    ANYTHING,
    F_ANY,
    F_INTS,
    F_MAP,
    F_POINT,
    F_STR,
    F_UNIT,
    FREE_ARGS,
    GAPS,
    INT,
    NUM,
    OPEN,
    POINT,
    STR,
    WEATHER,
    exact,
    tool,
    tools_of,
)
from tests.cases import TOOLSETS as SHARED
from tests.lenient.evidence import invented

MIXED = tools_of(
    tool("a b", {"x": {"type": ["string", "integer", "null"]}, "s3": {"enum": [1, "1", None]}}),
    tool("n", {"n": {"items": POINT}, "_": {"additionalProperties": {"items": STR}}}),
    tool("f", {"x": {**INT, "minimum": 1, "maximum": 9}, "y": {**STR, "maxLength": 3}, "z": NUM}),
    tool("g", {"a": ANYTHING, "b": {"type": ["boolean", "array"]}}, additionalProperties=True),
)

TOOLSETS: dict[str, ToolSet | None] = {
    "none": None,
    "weather": WEATHER,
    "gaps": GAPS,
    "open": OPEN,
    "free": FREE_ARGS,
    "any": F_ANY,
    "string": F_STR,
    "label": F_UNIT,
    "integers": F_INTS,
    "record": F_POINT,
    "map": F_MAP,
    "mixed": MIXED,
    **{name: tools for name, tools in SHARED.items() if name.startswith("lenient-")},
}

FORMS: list[dict[str, Any]] = [
    {},
    {"form": "keyed"},
    {"form": "punctuated"},
    {"fingerprint": True},
    {"form": "tagged"},
]

READS_LENIENTLY = hasattr(lton, "decode_lenient")


def check(text: str, tools: ToolSet | None) -> None:
    """Read a text in every way; the caller handles exceptions other than LTONError."""
    try:
        calls = decode(text, tools)
    except LTONError as error:
        check_error(error, text)
    else:
        check_round_trip(calls, tools)
    check_parts(text, tools)
    if READS_LENIENTLY:
        check_lenient(text, tools)


def check_error(error: LTONError, text: str) -> None:
    """Check that an error has a position in the text, and can be shown."""
    assert isinstance(error, DecodeError), f"{type(error).__name__} of a reader"
    assert error.doc == text
    assert 0 <= error.pos <= len(text), f"position {error.pos}"
    assert str(error)
    assert error.picture()


def check_round_trip(calls: list[Call], tools: ToolSet | None) -> None:
    """Check that calls are written in each form and read back unchanged."""
    for options in FORMS if tools else (FORMS[0], FORMS[-1]):
        again = decode(encode(calls, tools, **options), tools)
        assert exact(again) == exact(calls), f"{options}: {again}"


def check_parts(text: str, tools: ToolSet | None) -> None:
    """Check that a text in chunks gives the same events, or the same error, as the whole text."""
    whole = _events([text], tools)
    choose = random.Random(repr(text))
    cuts = sorted(choose.randrange(len(text) + 1) for _ in range(choose.randint(1, 5)))
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert _events(parts, tools) == whole, f"cut at {cuts}"
    if len(text) <= 200:
        assert _events(text, tools) == whole, "cut everywhere"


def _events(parts: Any, tools: ToolSet | None) -> tuple[list[Any], tuple[str, int] | None]:
    decoder = lton.Decoder(tools)
    events: list[Any] = []
    try:
        for part in parts:
            decoder.feed(part)
            _drain(decoder, events)
        decoder.close()
        _drain(decoder, events)
    except DecodeError as error:
        return events, (error.code, error.pos)
    return events, None


def _drain(decoder: Any, events: list[Any]) -> None:
    while (event := decoder.next_event()) is not None:
        events.append(event)


def check_lenient(text: str, tools: ToolSet | None) -> None:
    """Check that lenient reading raises nothing, invents nothing, and returns only calls that can
    be written.

    A text that can be read strictly gives the same calls, without repairs.
    """
    safe = lton.decode_lenient(text, tools)
    taken = lton.decode_lenient(text, tools, safe=False)
    found = invented(text, taken, tools)
    assert found == [], found
    assert len(safe.calls) + len(safe.uncertain) == len(taken.calls)
    for call in taken.calls:
        check_round_trip([call], tools)
    for error in taken.errors:
        check_error(error, text)
    try:
        calls = decode(text, tools)
    except LTONError:
        assert not safe.calls or safe.repairs or safe.errors or safe.uncertain
    else:
        assert exact(safe.calls) == exact(calls)
        assert (safe.repairs, safe.errors, safe.uncertain) == ((), (), ())


# --- definitions --------------------------------------------------------------------------------


def check_schema(definitions: Any, values: list[Any]) -> None:
    """Check that definitions are compiled or refused, and that calls of their tools are written or
    refused.
    """
    tools = ToolSet(())
    with suppress(SchemaError):
        tools = ToolSet.from_tools(definitions)
    for one, value in product(tools, values):
        arguments = value if isinstance(value, dict) else dict.fromkeys(one.args.by_name, value)
        with suppress(EncodeError):
            call = Call(one.name, arguments)
            assert exact(decode(encode(call, tools), tools)) == exact([call])


def check_shown(definitions: Any) -> None:
    """Check that the text about tools is read back as the same tools, and printed in the same way
    again.
    """
    with suppress(SchemaError):
        tools = ToolSet.from_tools(definitions)
        for descriptions in (False, True):
            text = tools.prompt(descriptions=descriptions)
            again = ToolSet.from_prompt(text)
            assert again.fingerprint == tools.fingerprint
            assert again.prompt(descriptions=descriptions) == text


def check_prompt(text: str) -> None:
    """Check that a text is read as a prompt or refused, and that a prompt is printed in the same
    way again.
    """
    with suppress(DecodeError, SchemaError):
        tools = ToolSet.from_prompt(text)
        assert ToolSet.from_prompt(tools.prompt()).fingerprint == tools.fingerprint
