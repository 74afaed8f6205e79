"""Remember which answers were counted, so that copies in other session files are not.

A resumed or forked session begins with a copy of another session. Answers of Claude Code have ids.
Those of Codex have none, but a copy has the same items and the same token counts, and the file
names the sessions that it continues.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any


@dataclass(slots=True, eq=False)
class _Family:
    """The digests of the answers and token counts in sessions that continue each other."""

    digests: set[bytes] = field(default_factory=set)


class CountedAnswers:
    """The answers that were counted in all session files so far."""

    def __init__(self) -> None:
        self._outputs: dict[str, int] = {}
        """The output tokens of each answer, by its id."""
        self._families: dict[str, _Family] = {}

    def is_repeated(self, answer: Any) -> bool:
        """Return whether an answer with this id was counted before, and remember the id."""
        if not isinstance(answer, str):
            return False
        is_known = answer in self._outputs
        self._outputs.setdefault(answer, 0)
        return is_known

    def add_output(self, answer: Any, tokens: int) -> int:
        """Set the output tokens of an answer. Return how many were not counted before."""
        if not isinstance(answer, str):
            return tokens
        earlier = self._outputs.get(answer, 0)
        self._outputs[answer] = max(earlier, tokens)
        return self._outputs[answer] - earlier

    def family_of_sessions(self, sessions: Iterable[str]) -> _Family:
        """Return the family of some sessions. The sessions become relatives of each other."""
        names = [*sessions]
        relatives = [self._families[name] for name in names if name in self._families]
        family = relatives[0] if relatives else _Family()
        for other in relatives[1:]:
            if other is not family:
                family.digests |= other.digests
                names += [name for name, value in self._families.items() if value is other]
        self._families.update(dict.fromkeys(names, family))
        return family


class CodexCopy:
    """Recognizes the start of a Codex session that is a copy of another session.

    The copy ends at the first answer, or at the first token count, that no relative has.
    """

    def __init__(self, answers: CountedAnswers) -> None:
        self._counted = answers
        self._sessions: list[str] = []
        self._family = _Family()
        self._has_ended = False

    def add_session(self, meta: Mapping[str, Any]) -> None:
        """Add the description of a session. The copies in a file have descriptions, too."""
        self._sessions += _session_names(meta)
        self._family = self._counted.family_of_sessions(self._sessions)

    def is_repeated(self, entry: Any) -> bool:
        """Return whether an answer's item or a token count is part of the copy."""
        text = json.dumps(entry, sort_keys=True)
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
        if digest not in self._family.digests:
            self._has_ended = True
        self._family.digests.add(digest)
        return not self._has_ended


def _session_names(meta: Mapping[str, Any]) -> list[str]:
    """Return the ids of a session and of the sessions that it continues."""
    names = [meta.get(key) for key in ("id", "session_id", "forked_from_id", "parent_thread_id")]
    match meta.get("source"):
        case {"subagent": {"thread_spawn": {"parent_thread_id": parent}}}:
            names.append(parent)
    return [name for name in names if isinstance(name, str)]
