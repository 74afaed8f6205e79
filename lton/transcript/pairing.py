"""Check a rendered conversation: its calls and results, its pointers, and its size."""

from collections.abc import Mapping, Sequence

from lton.chat import Message, ToolCall, ToolResult
from lton.chat.pairs import pair_calls_with_results
from lton.errors import Code, TranscriptError
from lton.stores import Store
from lton.stores.contents import digest_of
from lton.transcript.pointers import looks_like_pointer


def check_pairs(messages: Sequence[Message]) -> None:
    """Raise `TranscriptError` (E710) for a call without a result, or a result without a call.

    Results must follow their calls before any other message.

    >>> check_pairs([Message.saying("user", "Hi")])
    """
    calls: tuple[ToolCall, ...] = ()
    results: list[ToolResult] = []
    for message in messages:
        results += message.results
        if not message.results or len(message.results) < len(message.parts):
            _check_turn(calls, results)
            calls = message.calls
            results = []
    _check_turn(calls, results)


def _check_turn(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> None:
    places = pair_calls_with_results(calls, results)
    if None in places:
        call_id = results[places.index(None)].call_id
        raise TranscriptError(Code.PAIRING, f"the result of {call_id!r} has no call")
    if waiting := sorted(set(range(len(calls))).difference(places)):
        call_id = calls[waiting[0]].id
        raise TranscriptError(Code.PAIRING, f"the call {call_id!r} has no result")


def check_recall(pointers: Mapping[str, bytes], store: Store) -> None:
    """Raise `TranscriptError` or `StoreError` unless each pointer's content is in the store.

    >>> from lton.stores import open_store
    >>> check_recall({}, open_store("memory:"))
    """
    for pointer, content in pointers.items():
        if not looks_like_pointer(pointer) or store.get(digest_of(content)) != content:
            raise TranscriptError(Code.POINTER, f"{pointer} cannot be recalled")


def check_budget(tokens: int, room: int, sizes: Mapping[str, int]) -> None:
    """Raise `TranscriptError` (E714) if a conversation does not fit the window.

    >>> check_budget(9, 8, {"system": 3, "the last 3 turns": 6})
    Traceback (most recent call last):
    lton.errors.TranscriptError: 9 tokens do not fit in 8: system 3, the last 3 turns 6 [E714]
    """
    if tokens > room:
        parts = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise TranscriptError(Code.WINDOW, f"{tokens} tokens do not fit in {room}: {parts}")
