"""Contestants that read calls in chunks."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from lton import Decoder, ToolSet, decode, encode
from lton_bench.internals import Form
from lton_bench.speed import contestants
from lton_bench.speed.contestants import Batch, Contestant

CHUNKS = (16, 256, 4_096, 65_536)


def stream(chunks: Sequence[str], tools: ToolSet) -> list[Any]:
    """Feed the chunks one by one, and take each event as soon as it is available.

    The options are those of the gateway: calls among prose, and strings in parts.
    """
    decoder = Decoder(tools, prose=True, deltas=True)
    events = []
    for chunk in chunks:
        decoder.feed(chunk)
        while (event := decoder.next_event()) is not None:
            events.append(event)
    decoder.close()
    while (event := decoder.next_event()) is not None:
        events.append(event)
    return events


def calls_to_value(events: Iterable[Any], batch: Batch) -> Any:
    """Convert the complete calls of a stream to the value of a batch."""
    calls = [event.call for event in events if type(event).__name__ == "CallEnd"]
    return contestants.from_calls(calls, batch)


def cut(text: str, size: int) -> list[str]:
    """Split a string into chunks of `size` characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def streams(batches: Sequence[Batch], form: Form) -> list[Contestant]:
    """Return contestants that decode whole input, and chunks of several sizes."""
    texts = [encode(batch.calls, batch.tools, form=form, sigil=True) for batch in batches]
    tools = [batch.tools for batch in batches]
    make = partial(Contestant, units=sum(map(len, texts)))
    return [
        make(name=WHOLE, work=decode, columns=(texts, tools), to_value=contestants.from_calls),
        *(
            make(
                name=chunk_name(size),
                work=stream,
                columns=([cut(text, size) for text in texts], tools),
                to_value=calls_to_value,
            )
            for size in CHUNKS
        ),
    ]


WHOLE = "LTON decode"
DECODER = "LTON prose and deltas"


def chunk_name(size: int) -> str:
    """Return the name of the contestant for a size of chunks."""
    return f"{DECODER}, chunks of {size:,}"
