"""Store the rounds that clients do not see, for insertion into later requests.

The rounds stay the same byte for byte, so a prompt cache still contains them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from lton._json import minified, read_json
from lton.apis.answer_notes import AssistantMessage
from lton.chat import Message, Text
from lton.chat.beginnings import iterate_digests_of_beginnings
from lton.errors import LTONError
from lton.stores.contents import to_bytes, to_text
from lton.transcript._journal import entry_of, messages_of


def store_rounds(
    put: Callable[[str, bytes], object],
    client_messages: Iterable[Message],
    answer: AssistantMessage,
    read: Iterable[Message],
    last: Sequence[Message],
) -> None:
    """Store the hidden rounds (`read`) and the last turn, unless the client sees all results.

    `answer` is the answer that the client received.
    """
    if last and (read or any(message.results for message in last)):
        turn = Message("assistant", (Text(answer.content), *answer.calls))
        *_, key = turn_keys([*client_messages, turn]).values()
        with suppress(LTONError):  # the answer is complete without them
            put(key, to_bytes(minified([*map(entry_of, (*read, *last))])))


def iterate_messages_with_rounds(
    numbered: Iterable[tuple[int, Message]],
    keys: Mapping[int, str],
    get: Callable[[str], bytes | None],
) -> Iterator[Message]:
    """Replace each turn in `keys` with the rounds that are stored under its key."""
    is_replaced = False
    for number, message in numbered:
        is_turn = message.role == "assistant"
        if not (is_turn and is_replaced):
            rounds = get(keys[number]) if is_turn and number in keys else None
            is_replaced = rounds is not None
            yield from (message,) if rounds is None else _read_messages_of_rounds(rounds)


@lru_cache(256)
def _read_messages_of_rounds(rounds: bytes) -> list[Message]:
    return [message for entry in read_json(to_text(rounds)) for message in messages_of(entry)]


def iterate_numbered_turns(messages: Iterable[Message]) -> Iterator[tuple[int, Message]]:
    """Yield each message with the number of its turn."""
    number = 0
    for message in messages:
        if _starts_turn(message):
            number += 1
        yield number, message


def _starts_turn(message: Message) -> bool:
    return not message.results or len(message.results) < len(message.parts)


def turn_keys(messages: Iterable[Message]) -> dict[int, str]:
    """Map the number of each model turn to a key for its stored rounds.

    A key depends on all messages up to the turn, but not on white space, which clients trim.
    """
    turns = list[tuple[int, list[Message]]]()
    for number, message in iterate_numbered_turns(messages):
        if turns and message.role == turns[-1][1][-1].role == "assistant":
            turns[-1][1].append(message)
        else:
            turns.append((number, [message]))
    keys = zip(
        turns,
        iterate_digests_of_beginnings(_without_spaces(turn) for _, turn in turns),
        strict=True,
    )
    return {number: key for (number, (first, *_)), key in keys if first.role == "assistant"}


def _without_spaces(messages: Sequence[Message]) -> str:
    text = "".join(piece for message in messages for piece in message.text.split())
    calls = [call for message in messages for call in message.calls]
    named_calls = [
        [call.id, None if call.custom else [call.name, call.arguments]] for call in calls
    ]
    results = [[result.call_id, result.text] for message in messages for result in message.results]
    return minified([messages[0].role, text, named_calls, results])
