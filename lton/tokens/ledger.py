"""A ledger of tokens: what servers reported, beside what was estimated before the call."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PROMPT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_SHAPES = (  # a field that tells the shape; those that make up the prompt; the completion's
    ("prompt_tokens", ("prompt_tokens",), "completion_tokens"),  # OpenAI, and who follows it
    ("input_tokens", _PROMPT, "output_tokens"),  # Anthropic: what was cached is counted apart
    ("tokens_evaluated", ("tokens_evaluated",), "tokens_predicted"),  # llama.cpp's /completion
)


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a call as its server reports them."""

    prompt: int
    completion: int = 0


def read_usage(reported: Mapping[str, Any]) -> Usage | None:
    """Get the usage out of what OpenAI, Anthropic or llama.cpp report, or None if it is not there.

    OpenAI's Responses and Anthropic name the same field, but only Anthropic counts apart what it
    read from a cache. What Anthropic bills apart, as compaction in `iterations`, is not among the
    fields that are read: who wants it in the ledger makes a `Usage` of their own total.

    >>> read_usage({"input_tokens": 20, "cache_read_input_tokens": 538, "output_tokens": 80})
    Usage(prompt=558, completion=80)
    """
    for known, prompt, completion in _SHAPES:
        if known in reported:
            tokens = sum(_number(reported.get(name)) for name in prompt)
            return Usage(tokens, _number(reported.get(completion)))
    return None


def _number(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


@dataclass(frozen=True, slots=True)
class Usages:
    """The sums of one model and category.

    As text it shows the estimate only where that differs from what was used by more than a tenth.

    >>> print(Usages(calls=1, prompt=558, completion=80, estimated=508))
    (prompt: 558 / completion: 80)
    >>> print(Usages(calls=1, prompt=558, completion=80, estimated=502))
    (prompt: 558 ~est=502 / completion: 80)
    """

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    estimated: int = 0

    @property
    def differs(self) -> bool:
        """Say whether the estimate is more than a tenth of the prompt away from it."""
        return 10 * abs(self.prompt - self.estimated) > self.prompt

    def __str__(self) -> str:
        estimate = f" ~est={self.estimated}" if self.differs else ""
        return f"(prompt: {self.prompt}{estimate} / completion: {self.completion})"


class Ledger:
    """What each model used, by category: the categories are the caller's.

    >>> ledger = Ledger()
    >>> ledger.add("haiku", "main", Usage(prompt=179, completion=8), estimated=164)
    >>> ledger.add("qwen", "summary", Usage(prompt=558, completion=80), estimated=400)
    >>> print(ledger)
    haiku main: 1 call (prompt: 179 / completion: 8)
    qwen summary: 1 call (prompt: 558 ~est=400 / completion: 80)
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], Usages] = {}
        self._lock = threading.Lock()

    def add(self, model: str, category: str, usage: Usage, *, estimated: int) -> None:
        """Enter a call: what it used, and how many tokens its prompt was thought to have."""
        with self._lock:
            old = self._entries.get((model, category), Usages())
            self._entries[model, category] = Usages(
                calls=old.calls + 1,
                prompt=old.prompt + usage.prompt,
                completion=old.completion + usage.completion,
                estimated=old.estimated + estimated,
            )

    def __getitem__(self, key: tuple[str, str]) -> Usages:
        return self._entries.get(key, Usages())

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __str__(self) -> str:
        return "\n".join(
            f"{model} {category}: {entry.calls} call{'s' * (entry.calls != 1)} {entry}"
            for (model, category), entry in list(self._entries.items())
        )
