"""Replace ids and names that an API refuses by names that it accepts.

A name depends only on the client's name, so it is the same in each request of a conversation.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

from lton.apis.api import Api
from lton.chat import Message, Part, Text, ToolCall, ToolResult

_LONGEST_ID = 64
_ACCEPTED = re.compile(r"[a-zA-Z0-9_-]+")
_REFUSED = re.compile(r"[^a-zA-Z0-9_-]")


def accepted_name(name: str, api: Api) -> str:
    """Return the name of a tool for an API: letters, digits, `_` and `-`, within its limit."""
    return _make_accepted(name, api.longest_name)


def client_names(names: Iterable[str], api: Api) -> dict[str, str]:
    """Return the client's names of tools whose names in the API are different."""
    pairs = ((accepted_name(name, api), name) for name in names)
    return {accepted: name for accepted, name in pairs if accepted != name}


def iterate_messages_with_accepted_names(
    messages: Iterable[Message], api: Api
) -> Iterator[Message]:
    """Replace the names of tools in messages. Messages in the API's own format stay unchanged."""
    for message in messages:
        if message.api == api.name:
            yield message
        else:
            yield replace(message, parts=tuple(_with_name(part, api) for part in message.parts))


def iterate_messages_with_accepted_ids(messages: Iterable[Message]) -> Iterator[Message]:
    """Replace the ids of calls that Anthropic's API refuses, also in their results.

    An id that several calls have becomes several ids. Results get them in the order of the calls.
    """
    counts = Counter[str]()
    waiting = defaultdict[str, deque[str]](deque)  # the new ids of calls without a result
    last = dict[str, str]()

    def with_accepted_id(part: Part) -> Part:
        match part:
            case ToolCall(id=call_id):
                call_id = call_id or ""
                last[call_id] = _make_accepted(call_id, _LONGEST_ID, counts[call_id])
                counts[call_id] += 1
                waiting[call_id].append(last[call_id])
                return replace(part, id=last[call_id])
            case ToolResult(call_id=call_id):
                call_id = call_id or ""
                usual_id = last.get(call_id) or _make_accepted(call_id, _LONGEST_ID)
                new_id = waiting[call_id].popleft() if waiting[call_id] else usual_id
                return replace(part, call_id=new_id)
        return part

    for message in messages:
        yield replace(message, parts=tuple(map(with_accepted_id, message.parts)))


def without_refused_blanks(messages: Iterable[Message]) -> list[Message]:
    """Remove white space that Anthropic's API refuses: blank texts, and the end of a last turn."""
    cleaned = list[Message]()
    for message in messages:
        parts = [part for part in message.parts if not (isinstance(part, Text) and _is_blank(part))]
        if parts:
            cleaned.append(replace(message, parts=tuple(parts)))
    match cleaned:
        case [*others, Message(role="assistant", parts=[*before, Text() as text]) as last]:
            stripped = replace(text, text=text.text.rstrip())
            return [*others, replace(last, parts=(*before, stripped))]
    return cleaned


def _is_blank(text: Text) -> bool:
    return not text.text.strip()


def _with_name(part: Part, api: Api) -> Part:
    match part:
        case ToolCall(name=name):
            return replace(part, name=accepted_name(name, api))
        case ToolResult(name=str(name)):
            return replace(part, name=accepted_name(name, api))
    return part


def _make_accepted(name: str, longest: int, number: int = 0) -> str:
    """Return a name that an API accepts. `number` distinguishes equal names."""
    if number == 0 and len(name) <= longest and _ACCEPTED.fullmatch(name):
        return name
    distinct_name = f"{name}#{number}" if number else name
    digest = blake2b(distinct_name.encode(errors="surrogatepass"), digest_size=5).hexdigest()
    readable = _REFUSED.sub("_", name)[: longest - len(digest) - 1]
    return f"{readable}_{digest}"
