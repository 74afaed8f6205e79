"""Read and add up the token counts in answers from any API."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from lton.tokens.billing import PromptTokens
from lton.tokens.usage import ReportedUsage, try_read_usage


class AnswerUsage:
    """Collects the token counts of one answer. Later counts replace earlier ones.

    Some servers count each choice during the stream, and all choices together at the end.
    """

    def __init__(self) -> None:
        self._counts: dict[int, dict[str, Any]] = {}

    @property
    def fields(self) -> Mapping[str, Any]:
        return self._counts.get(0, {})

    def update(self, usage: Any, choice: int | None = None) -> None:
        """Record the `usage` of one choice, or of all choices together if `choice` is None."""
        if isinstance(usage, Mapping):
            if choice is None:
                choice = 0
                self._counts = {0: self._counts.get(0, {})}
            counts = {name: value for name, value in usage.items() if value is not None}
            self._counts[choice] = self._counts.get(choice, {}) | counts

    def read(self) -> ReportedUsage:
        counts = map(try_read_usage, self._counts.values())
        return sum(filter(None, counts), ReportedUsage(PromptTokens()))


def with_earlier_usage(
    data: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Add the token counts of earlier answers to each `usage` field in an answer or event."""
    added = dict(data)
    for key, value in data.items():
        if key in ("usage", "usageMetadata"):
            added[key] = reduce(_sum_usage, earlier, value)
        elif key in ("message", "response") and isinstance(value, Mapping):
            added[key] = with_earlier_usage(value, earlier)
    return added


def _sum_usage(usage: Any, more: Any) -> Any:
    match usage, more:
        case int(), int():
            return usage + more
        case Mapping(), Mapping():
            return {key: _sum_usage(value, more.get(key)) for key, value in usage.items()}
    return usage


def sum_usage_as_openai(reports: Iterable[ReportedUsage]) -> dict[str, Any]:
    """Return, in OpenAI's format, the total token usage of several answers."""
    total = sum(reports, ReportedUsage(PromptTokens()))
    prompt = total.prompt
    return {
        "prompt_tokens": prompt.total,
        "completion_tokens": total.output,
        "total_tokens": prompt.total + total.output,
        "prompt_tokens_details": {
            "cached_tokens": prompt.read,
            **({"cache_creation_tokens": prompt.write} if prompt.write else {}),
        },
    }
