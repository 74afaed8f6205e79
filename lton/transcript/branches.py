"""Find the stored conversation of a client that sends all its messages with every request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton._json import minified, read_json
from lton.chat import Message
from lton.chat.beginnings import Latest
from lton.stores import Store
from lton.stores.contents import digest_of, to_bytes
from lton.transcript._journal import entry_of, messages_of, read_entry
from lton.transcript.transcript import Transcript
from lton.transcript.view import View

Origin: TypeAlias = Literal["new", "continued", "branched"]

_INDEX = "begins-"  # Prefix of logs with an id and a number of entries
_KEPT = 64  # The maximum number of transcripts in memory
_MOST_ASKED = 4_096  # Conversations whose last request time is remembered


@dataclass(frozen=True, slots=True)
class Recognized:
    """A stored conversation, how it was found, and its rendered view."""

    chat: Transcript
    origin: Origin
    view: View


class Branches:
    """Finds the stored conversation that begins with the given messages.

    Each prefix of a conversation has a digest, computed from the previous digest and one more
    message. So every process with the store finds the same conversation. If the messages diverge
    from a known conversation, a new conversation starts with a copy of the common prefix, including
    its turns, files and compaction.

    >>> from lton.stores import open_store
    >>> from lton.tokens import counter
    >>> branches = Branches(open_store("memory:"), counter=counter("bytes"))
    >>> asked, said, other = (Message.saying("user", text) for text in "abc")
    >>> [branches.open_conversation(messages).origin
    ...     for messages in ([asked], [asked, said], [asked, other])]
    ['new', 'continued', 'branched']
    """

    def __init__(self, store: Store, **options: Any) -> None:
        self.store = store
        self.options = options
        self._ready = Latest[tuple[str, int], Transcript](_KEPT)
        self._asked = Latest[str, float](
            _MOST_ASKED
        )  # The time of each conversation's last request

    def open_conversation(
        self, messages: Sequence[Message], *, reserve: int = 4_000, now: float | None = None
    ) -> Recognized:
        """Find or start the conversation, append its missing messages, and render it.

        `now` is a time in seconds of the caller's clock, which decides whether a cache has expired.
        Raises the errors of `Transcript.append` and `render`. Messages appended before an error
        stay.
        """
        keys = list(_iterate_digests(messages))
        while True:
            count, chat, at, origin = self._find_conversation(keys, reserve)
            for message, key in zip(messages[count:], keys[count:], strict=True):
                if not chat.append_at(message, at):
                    break
                at = chat.entries
                self.store.append(_INDEX + key, to_bytes(minified([chat.id, at])), at=0)
            else:
                view = chat.render(now=now, asked=self._asked.get(chat.id))
                self._asked.remove(chat.id)
                if now is not None:
                    self._asked.store(chat.id, now)
                later = self.store.entries(chat.id, at)
                if self._find_first_message(later) == len(later):
                    return Recognized(chat, origin, view)
            # If another process has appended at the same time, this is another conversation.

    def _find_conversation(
        self, keys: list[str], reserve: int
    ) -> tuple[int, Transcript, int, Origin]:
        """Find the stored conversation with the longest common beginning, or start one."""
        for count in range(len(keys), 0, -1):
            if entries := self.store.entries(_INDEX + keys[count - 1]):
                chat_id, at = read_json(entries[0].decode())
                later = self.store.entries(chat_id, at)
                quiet = self._find_first_message(later)
                at += quiet
                if quiet < len(later):
                    return (
                        count,
                        self._open_chat(self._copy_chat(chat_id, at), reserve),
                        at,
                        "branched",
                    )
                return count, self._open_chat(chat_id, reserve), at, "continued"
        chat = self._open_chat(self.store.new_log(), reserve)
        return 0, chat, chat.entries, "new"

    def _find_first_message(self, entries: Sequence[bytes]) -> int:
        messages = (messages_of(read_entry(entry, self.store)) for entry in entries)
        return next((at for at, entry in enumerate(messages) if entry), len(entries))

    def _copy_chat(self, chat_id: str, most: int) -> str:
        copy = self.store.new_log()
        for at, entry in enumerate(self.store.entries(chat_id)[:most]):
            self.store.append(copy, entry, at=at)
        return copy

    def _open_chat(self, chat_id: str, reserve: int) -> Transcript:
        options = {"chat_id": chat_id, "reserve": reserve, **self.options}
        return self._ready.get_or_make(
            (chat_id, reserve), lambda: Transcript(store=self.store, **options)
        )


def _iterate_digests(messages: Sequence[Message]) -> Iterator[str]:
    digest = ""
    for message in messages:
        digest = digest_of(to_bytes(f"{digest}{minified(entry_of(message))}"))
        yield digest
