"""Define the parts of a prompt that a provider can cache, and read the reported token usage."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from lton.tokens.billing import PromptTokens

_Body: TypeAlias = Mapping[str, Any]
_MARK = "cache_control"  # marks the end of a cached prefix; agents move the mark between messages
UNKNOWN_TOOL = "(unknown)"
"""The tool name for a result without a call."""
_DEPTH = 8  # the maximum nesting of blocks


class ReportedUsage(NamedTuple):
    """The tokens of a request and its answer, as reported by the provider."""

    prompt: PromptTokens
    output: int = 0

    def __add__(self, other: tuple[object, ...]) -> "ReportedUsage":
        assert isinstance(other, ReportedUsage)
        return ReportedUsage(self.prompt + other.prompt, self.output + other.output)


def try_read_usage(usage: Any) -> ReportedUsage | None:
    """Read the `usage` of an answer from any API, or return None if it contains no counts.

    >>> try_read_usage({"input_tokens": 9, "cache_read_input_tokens": 500, "output_tokens": 7})
    ReportedUsage(prompt=PromptTokens(input=9, write=0, read=500, hour_write=0), output=7)
    >>> details = {"cached_tokens": 500}
    >>> try_read_usage({"prompt_tokens": 509, "prompt_tokens_details": details}).prompt
    PromptTokens(input=9, write=0, read=500, hour_write=0)
    """
    if not isinstance(usage, Mapping):
        return None
    if "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage:
        return _try_read_anthropic_usage(usage)
    for prompt, output in _NAMES:
        if prompt in usage:
            return _try_read_total_usage(usage, prompt, output)
    return None


def _try_read_total_usage(
    usage: Mapping[str, Any], prompt: str, output: Iterable[str]
) -> ReportedUsage | None:
    """Read the usage of an API whose count of the prompt includes what is cached."""
    details = usage.get(f"{prompt}_details")
    holder = {**usage, **details} if isinstance(details, Mapping) else usage
    read = _read_first_count(holder, _READ)
    write = _read_first_count(holder, _WRITTEN)
    prompt_tokens = _read_count(usage, prompt)
    answered = sum(_read_count(usage, name) for name in output)
    total = _read_count(usage, "totalTokenCount")
    if prompt_tokens < total:  # some agents count thoughts in both of Gemini's fields
        answered = min(answered, total - prompt_tokens)
    new = max(0, prompt_tokens - read - write)
    return _try_make_usage(PromptTokens(new, write, read), answered)


def _read_first_count(usage: Mapping[str, Any], names: Iterable[str]) -> int:
    """Return the first of the counts that is not 0, or 0."""
    return next(filter(None, (_read_count(usage, name) for name in names)), 0)


def _try_read_anthropic_usage(usage: Mapping[str, Any]) -> ReportedUsage | None:
    """Read a `usage` of Anthropic's API, with the requests that compacted the conversation.

    The totals of a `usage` do not contain those requests, but the provider bills for them.
    """
    usages = [
        usage,
        *(one for one in _list_or_empty(usage.get("iterations")) if _is_compaction(one)),
    ]
    total = ReportedUsage(PromptTokens())
    for one in usages:
        write = _read_count(one, "cache_creation_input_tokens")
        by_lifetime = one.get("cache_creation")
        hour = (
            _read_count(by_lifetime, "ephemeral_1h_input_tokens")
            if isinstance(by_lifetime, Mapping)
            else 0
        )
        prompt = PromptTokens(
            input=_read_count(one, "input_tokens"),
            write=write,
            read=_read_count(one, "cache_read_input_tokens"),
            hour_write=min(write, hour),
        )
        total += ReportedUsage(prompt, _read_count(one, "output_tokens"))
    return _try_make_usage(total.prompt, total.output)


def _is_compaction(iteration: Any) -> bool:
    return isinstance(iteration, Mapping) and iteration.get("type") == "compaction"


_NAMES = (
    ("prompt_tokens", ("completion_tokens",)),
    ("input_tokens", ("output_tokens",)),
    ("promptTokenCount", ("candidatesTokenCount", "thoughtsTokenCount")),
)
_READ = ("cached_tokens", "cached_input_tokens", "cachedContentTokenCount")
_WRITTEN = ("cache_creation_tokens", "cache_write_input_tokens")


def _try_make_usage(prompt: PromptTokens, output: int) -> ReportedUsage | None:
    return ReportedUsage(prompt, output) if prompt.total or output else None


def _read_count(usage: Mapping[str, Any], name: str) -> int:
    count = usage.get(name)
    return count if type(count) is int and count > 0 else 0


class _Part(NamedTuple):
    role: str
    text: str
    tool: str = ""
    pictures: int = 0


class PromptPart(_Part):
    """A part of a prompt. `role` is the role of its message, or `tools` for a definition.

    `tool` names the tools that the part defines, calls or answers. `pictures` counts the tokens of
    its pictures; in the text, digests replace the pictures.
    """

    @cached_property
    def digest(self) -> bytes:
        text = self.text.encode(errors="surrogatepass")
        return blake2b(text, digest_size=16).digest()


def defined_name(tool: Any) -> str:
    """Return the name in a tool definition, in the format of any API, or ""."""
    match tool:
        case {"function": {"name": str(name)}} | {"name": str(name)} | {"type": str(name)}:
            return name
    return ""


def without_cache_marks(value: Any, depth: int = _DEPTH) -> Any:
    """Remove the `cache_control` marks from a JSON value."""
    if isinstance(value, list) and depth:
        return [without_cache_marks(item, depth - 1) for item in value]
    if not isinstance(value, dict) or not depth:
        return value
    unmarked = {key: member for key, member in value.items() if key != _MARK}
    return unmarked | {
        key: without_cache_marks(unmarked[key], depth - 1)
        for key in ("content",)
        if key in unmarked
    }


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
