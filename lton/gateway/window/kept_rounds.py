"""Store the rounds that no client sees with the turn after them, and put them back later.

Later requests contain the rounds byte for byte, so a prompt cache still has them, until turns after
them are cleared.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from lton._json import minified, read_json
from lton.apis.answer_notes import AssistantMessage
from lton.chat import Message, Text
from lton.chat.beginnings import beginnings
from lton.errors import LTONError
from lton.stores import Store
from lton.stores.contents import to_bytes, to_text
from lton.transcript import View
from lton.transcript._journal import messages_of
from lton.transcript._journal import said as entry_of
from lton.transcript.view import Shown


def keep_rounds(
    store: Store,
    asked: Sequence[Message],
    said: AssistantMessage,
    read: Sequence[Message],
    last: Sequence[Message],
) -> None:
    """Store the rounds in `read`, and the last turn with its hidden results, unless there are none.

    `asked` are the client's messages, and `said` is the answer that the client has.
    """
    if not last or not (read or any(each.results for each in last)):
        return
    turn = Message("assistant", (Text(said.content), *said.calls))
    *_, key = turn_keys([*asked, turn]).values()
    kept = to_bytes(minified([[entry_of(each) for each in some] for some in (read, last)]))
    with suppress(LTONError):  # the answer is complete without them
        store.append(f"rounds-{key}", kept, at=0)


def turn_keys(messages: Sequence[Message]) -> dict[int, str]:
    """Return a key of each of the model's turns, by the number of the turn in a transcript.

    A key is made of all messages up to the turn, without white space, which clients trim.

    >>> said = [Message.saying("user", "Hi"), Message.saying("assistant", "Yes?")]
    >>> [*turn_keys(said)]
    [2]
    """
    turns, number = list[tuple[int, list[Message]]](), 0
    for message in messages:
        number += not message.results or len(message.results) < len(message.parts)
        if turns and message.role == turns[-1][1][-1].role == "assistant":
            turns[-1][1].append(message)
        else:
            turns.append((number, [message]))
    keys = zip(turns, beginnings(_squeezed(each) for _, each in turns), strict=True)
    return {number: key for (number, (first, *_)), key in keys if first.role == "assistant"}


def _squeezed(messages: Sequence[Message]) -> str:
    text = "".join(piece for each in messages for piece in each.text.split())
    calls = [call for each in messages for call in each.calls]
    made = [[call.id, None if call.custom else [call.name, call.arguments]] for call in calls]
    results = [[result.call_id, result.text] for each in messages for result in each.results]
    return minified([messages[0].role, text, made, results])


def with_rounds(view: View, asked: Sequence[Message], store: Store) -> Iterator[Message]:
    """Yield the shown messages, with the rounds of the turns after the last cleared one."""
    gone = (at for at, each in enumerate(view.shown) if each.pointer or _is_compacted(each))
    since, keys = max(gone, default=-1), turn_keys(asked)
    is_replaced, results = False, list[Message]()
    for at, (each, message) in enumerate(zip(view.shown, view.chat, strict=True)):
        if message.results:
            is_replaced = False
            yield message
        elif not (is_replaced and message.role == "assistant"):
            yield from results
            key = keys.get(each.turn) if at > since else None
            kept = store.entries(f"rounds-{key}") if key else ()
            read, last = map(_messages, read_json(to_text(kept[0]))) if kept else ([], [message])
            yield from (*read, *(part for part in last if not part.results))
            is_replaced, results = bool(kept), [part for part in last if part.results]
    yield from results


def _messages(entries: Sequence[dict[str, object]]) -> list[Message]:
    return [message for entry in entries for message in messages_of(entry)]


def _is_compacted(shown: Shown) -> bool:
    return shown.decision is not None and shown.decision.action == "compacted"
