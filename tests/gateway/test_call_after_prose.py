"""Test that a marked call at the end of prose is made, and that the prose stays text."""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lton.apis import registry
from lton.gateway.native.call_after_prose import CallAfterProse
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.native.passthrough import NativeExchange
from lton.gateway.native.rescues import Allowed, read_calls
from lton.lenient.syntaxes import SYNTAXES
from tests.gateway import native
from tests.gateway.native import (
    APIS,
    CALLED,
    OSLO,
    WRITTEN,
    Raw,
    Serve,
    calls_in,
    count_increase,
    objects,
    post,
    read,
    request,
    sse,
    stream,
    whole,
)
from tests.gateway.test_translated import BOTH, text_of
from tests.lenient import test_must_not_call as quoted

ROOT = Path(__file__).parents[2]
PROSE = "I'll look at the forecast.\n"
INVOKE = '<invoke name="weather">\n<parameter name="city">Oslo</parameter>\n</invoke>'
FUNCTION = "<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>"
ELEMENTS = [
    f"<tool_call>\n{OSLO}\n</tool_call>",
    FUNCTION,
    f"{FUNCTION}\n</tool_call>",
    f"<tool_call>\n{FUNCTION}\n</tool_call>\n",
    f"<function_calls>\n{INVOKE}\n</function_calls>",
    "<tool_call>weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
    f"[TOOL_CALLS][{OSLO}]",
    f"<|python_tag|>{OSLO}",
]
ENDS = [
    (PROSE, ELEMENTS[0]),
    ("It may rain. Let me check it.\n\ncourt\n", INVOKE),
    ("<think>No <b> yet.</think>Let me check it. ", FUNCTION),
]
ALL = frozenset(syntax.name for syntax in SYNTAXES)
SHOWN = [
    json.loads(line)["text"]
    for line in Path(__file__).with_name("shown_before_call.jsonl").read_text("utf-8").splitlines()
]
MARKED = (
    *quoted.SPELLINGS[3:],
    "<function=delete_file>\n<parameter=path>\n/etc\n</parameter>\n</function>",
    f"[TOOL_CALLS][{quoted.AS_JSON}]",
    f"<|python_tag|>{quoted.AS_JSON}",
)
DELETING = Allowed(tools=quoted.TOOLS, names=frozenset(["delete_file"]))


def exchange(api: str, rescue: Any = "last", **more: Any) -> NativeExchange:
    body = request(api, **more)
    options = NativeOptions(rescue=rescue)
    native_request = read_native(body, b"", registry.APIS[api], options, syntaxes=ALL)  # type: ignore[index]
    return NativeExchange(native_request)


def model_of(element: str) -> str:
    """Return the name of a model that writes an element."""
    marks = {"[TOOL_CALLS]": "mistral", "<|python_tag|>": "llama-3.1", "<invoke": "claude"}
    return next((name for mark, name in marks.items() if mark in element), "qwen3-coder")


def streamed(api: str, chunks: list[bytes], rescue: Any = "last") -> bytes:
    upstream_exchange = exchange(api, rescue, stream=True)
    return b"".join(
        [
            *(out for chunk in chunks for out in upstream_exchange.feed_chunk(chunk)),
            upstream_exchange.write_end(),
        ]
    )


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# --- what becomes a call --------------------------------------------------------------------------


@pytest.mark.parametrize("element", ELEMENTS)
def test_an_element_at_the_end_of_prose_is_a_call(serve: Serve, raw: Raw, element: str) -> None:
    """In every API, streamed and complete, the element becomes a call and is counted."""
    text = PROSE + element
    gateway = serve()
    model = model_of(element)
    for api in APIS:
        raw.chunks, raw.whole = stream(api, text), whole(api, text)
        with count_increase(gateway) as grown:
            content = post(gateway, api, request(api, stream=True, model=model)).content
            answer = post(gateway, api, request(api, model=model)).json()
        assert read(api, content) == (PROSE, [("weather", WRITTEN)], CALLED[api])
        assert (text_of(api, answer), calls_in(api, answer)) == (
            PROSE,
            [("weather", {"city": "Oslo"})],
        )
        assert f'"{CALLED[api]}"' in json.dumps(answer)
        assert grown["lton_rescued_calls_total"] == 2


@pytest.mark.parametrize("element", [ELEMENTS[0], FUNCTION, INVOKE])
def test_several_elements_at_the_end_of_prose_are_calls(api: str, element: str) -> None:
    """All of them become calls in their order, also if nothing but a line end separates them."""
    text = f"{PROSE}{element}\n{element.replace('Oslo', 'Bergen')}"
    answer = read(api, streamed(api, stream(api, text)))
    assert answer == (PROSE, [("weather", WRITTEN), ("weather", '{"city":"Bergen"}')], CALLED[api])


def test_an_element_with_complete_json_needs_no_closing_tag(api: str) -> None:
    """The braces end the call. An element whose value has no end stays text (`LEFT`)."""
    text = PROSE + ELEMENTS[0].removesuffix("</tool_call>")
    answer = read(api, streamed(api, stream(api, text)))
    assert answer == (PROSE, [("weather", WRITTEN)], CALLED[api])


@pytest.mark.parametrize(("prose", "element"), ENDS)
def test_however_a_stream_is_cut_it_is_the_same_call(
    monkeypatch: pytest.MonkeyPatch, api: str, prose: str, element: str
) -> None:
    """The call is the same if the text is cut at any character, or into pieces of each small
    size.
    """
    text = prose + element
    cuts = [[text[:at], text[at:]] for at in range(1, len(text))]
    cuts += [[text[at : at + size] for at in range(0, len(text), size)] for size in (1, 2, 5, 999)]
    for cut in cuts:
        monkeypatch.setattr(native, "pieces", lambda _, cut=cut: cut)
        answer = streamed(api, stream(api, text))
        assert read(api, answer) == (prose, [("weather", WRITTEN)], CALLED[api]), cut
        assert b"invoke" not in answer
        assert b"<function" not in answer
        if api == "responses":
            endings = [event for event in objects(answer) if event["type"].endswith("text.done")]
            assert [ending["text"] for ending in endings] == [prose]


@BOTH
@pytest.mark.parametrize(("prose", "element"), ENDS)
def test_a_call_after_prose_is_translated(
    serve: Serve, raw: Raw, client: str, server: str, prose: str, element: str
) -> None:
    """A call after prose is translated for a server of another API, streamed and complete."""
    raw.chunks = stream(server, prose + element)
    gateway = serve(upstream_api=server)

    model = model_of(element)
    content = post(gateway, client, request(client, stream=True, model=model)).content
    answer = post(gateway, client, request(client, model=model)).json()

    assert read(client, content) == (prose, [("weather", WRITTEN)], CALLED[client])
    assert (text_of(client, answer), calls_in(client, answer)) == (
        prose,
        [("weather", {"city": "Oslo"})],
    )


def test_prose_goes_on_as_it_comes_and_the_element_is_held(api: str) -> None:
    """Prose before the mark is sent at once, and the element is held back."""
    text = PROSE + ELEMENTS[0]
    chunks, upstream_exchange = stream(api, text), exchange(api, stream=True)
    mark = next(at for at, chunk in enumerate(chunks) if b"<" in chunk)
    end = next(at for at, chunk in enumerate(chunks) if b"l>" in chunk and at > mark + 5)
    out = [b"".join(upstream_exchange.feed_chunk(chunk)) for chunk in chunks[:end]]
    assert b"".join(out[:mark]) == b"".join(chunks[:mark])
    assert set(out[mark:]) == {b""}
    assert upstream_exchange.held_text > len(PROSE) + 50


def test_what_is_held_is_given_when_text_follows_the_element(api: str) -> None:
    """If text follows the element, the answer only shows a call, and is sent byte for byte."""
    text = f"{PROSE}{ELEMENTS[0]}\nThat is the call"
    chunks, upstream_exchange = stream(api, text), exchange(api, stream=True)
    (at,) = [n for n, chunk in enumerate(chunks) if b"the" in chunk][-1:]
    out = b"".join(out for chunk in chunks[: at + 1] for out in upstream_exchange.feed_chunk(chunk))
    assert out == b"".join(chunks[: at + 1])


# --- what stays text ------------------------------------------------------------------------------

LEFT = [
    ("last", f"{PROSE}{ELEMENTS[0]}\nDone.", "stop"),
    ("last", f"{PROSE}{ELEMENTS[6]}\nDone.", "stop"),
    ("last", f"{PROSE}{ELEMENTS[7]} Done.", "stop"),
    ("last", f"{ELEMENTS[0]}\n\nDone.", "stop"),
    ("whole", f"{ELEMENTS[6]}\nDone.", "stop"),
    ("last", f"{PROSE}{ELEMENTS[0]}", "length"),
    ("last", f"{PROSE}{ELEMENTS[0]}\nSo. {ELEMENTS[1]}", "stop"),
    ("last", PROSE + FUNCTION.removesuffix("</function>"), "stop"),
    ("last", PROSE + FUNCTION.replace("weather", "unknown"), "stop"),
    ("last", PROSE + FUNCTION.replace("city", "town"), "stop"),
    ("last", PROSE + OSLO, "stop"),
    ("last", f"{PROSE}```json\n{OSLO}\n```", "stop"),
    ("last", f"Use `<tool_call>`. {PROSE}{ELEMENTS[0]}", "stop"),
    ("last", f"{PROSE[:-2]}:\n{ELEMENTS[0]}", "stop"),
    ("last", f"{PROSE}  <x>{ELEMENTS[0]}", "stop"),
    ("last", "a < b, a[0], <b>c</b>, [link](x) and <tool", "stop"),
    ("whole", PROSE + ELEMENTS[0], "stop"),
    ("off", PROSE + ELEMENTS[0], "stop"),
    ("off", OSLO, "stop"),
]


@pytest.mark.parametrize(("rescue", "text", "reason"), LEFT)
def test_any_other_text_stays_byte_for_byte(api: str, rescue: str, text: str, reason: str) -> None:
    """An element that is incomplete, not last, not alone, unknown or forbidden is not a call."""
    chunks, answer = stream(api, text, reason=reason), whole(api, text, reason=reason)
    assert streamed(api, chunks, rescue) == b"".join(chunks)
    assert exchange(api, rescue).build_response(answer) == answer


@pytest.mark.parametrize("api", ["responses", "messages"])
def test_a_text_in_several_blocks_stays_text(api: str) -> None:
    """A text in several blocks is not joined, so it contains no call after prose."""
    first, second = stream(api, PROSE), stream(api, ELEMENTS[0])
    moved = [chunk.replace(b'index": 0', b'index": 1') for chunk in second]
    ends = {"responses": (1, -1), "messages": (2, -2)}[api]
    chunks = [*first[: ends[1]], *moved[ends[0] :]]
    assert streamed(api, chunks) == b"".join(chunks)


@pytest.mark.parametrize("api", ["responses", "messages"])
@pytest.mark.parametrize("text", [OSLO, PROSE + ELEMENTS[0]])
def test_an_answer_that_comes_whole_in_a_stream_stays(api: str, text: str) -> None:
    """An answer that comes whole in one event stays text."""
    data = json.loads(whole(api, text))
    chunk = sse(data, "message" if api == "messages" else "")
    assert streamed(api, [chunk]) == chunk


def list_shown_calls() -> Iterator[str]:
    """Yield texts that show a call, in each spelling with marks, after prose and without prose."""
    texts = [line["text"] for line in quoted.LINES if "CALL" in line["text"]]
    for spelling in MARKED:
        for text in texts:
            yield PROSE + quoted.insert_call(text, spelling)
        for text in SHOWN:
            yield text.replace("CALL", spelling)


def test_no_text_that_shows_a_call_makes_one() -> None:
    """Texts that quote, document, translate or refuse a call give no call if nothing shows that
    the model writes such calls.
    """
    assert [text for text in list_shown_calls() if read_calls(text, DELETING).rescue] == []


def studied() -> Iterator[str]:
    """Yield the texts of the stored answers of the studies."""
    for path in sorted((ROOT / "benchmarks/results/study").glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield from _texts(json.loads(line))


def may_be_rescued(text: str) -> bool:
    """Return whether a text may have a call at the end of its prose, whatever the tools are."""
    detector = CallAfterProse()
    detector.feed(text)
    return detector.has_mark and not detector.is_over


def test_no_answer_of_the_studies_becomes_a_call() -> None:
    """No stored answer of the studies has prose before the marks of a call."""
    texts = list(studied())
    assert not any(map(may_be_rescued, texts))
    assert len(texts) > 10_000


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member)
