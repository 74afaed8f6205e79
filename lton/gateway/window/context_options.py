"""Parse `context`, and define its metrics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from prometheus_client import CollectorRegistry, Counter

from lton.stores import Store, open_store
from lton.tokens.billing import PRICES, Prices
from lton.transcript import View

ROUNDS = 8


def read_whole_number(text: str) -> int:
    """Parse a whole number. Raises `ValueError`."""
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"expected a whole number, found {text!r}")
    return int(text)


def _read_share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"expected a number from 0 to 1, found {text!r}") from None


OptionKinds: TypeAlias = Mapping[str, tuple[str, Callable[[str], Any]]]
"""The name and the parser of each option."""


def _read_prices(text: str) -> Prices:
    if text not in PRICES:
        raise ValueError(f"expected one of {', '.join(PRICES)}, found {text!r}")
    return PRICES[text]


_OPTIONS: OptionKinds = {
    "window": ("window", read_whole_number),
    "reserve": ("reserve", read_whole_number),
    "hot": ("hot_turns", read_whole_number),
    "pointer": ("pointer", str),
    "clear": ("clear", str),
    "prices": ("prices", _read_prices),
    "file_over": ("file_over", read_whole_number),
    "preview": ("preview", read_whole_number),
    "compact_at": ("compact_at", _read_share),
    "rounds": ("rounds", read_whole_number),
    "store": ("store", str),
}


SettingsSection: TypeAlias = str | Mapping[str, str]
"""The settings of `context` or `compress`: NAME=VALUE pairs, or a section of a file."""


def settings_of(flag: str, section: SettingsSection) -> Mapping[str, str]:
    """Return the settings of a section as strings. Raises `ValueError`."""
    if not isinstance(section, str):
        return section
    pairs = [pair.strip().partition("=")[::2] for pair in section.split(",")]
    settings = dict(pairs)
    if len(settings) < len(pairs):
        raise ValueError(f"{flag}: expected each NAME=VALUE once")
    return settings


def read_options(flag: str, section: SettingsSection, kinds: OptionKinds) -> dict[str, Any]:
    """Parse the settings of `context` or `compress`. Raises `ValueError`."""
    values: dict[str, Any] = {}
    for name, value in settings_of(flag, section).items():
        if name not in kinds:
            raise ValueError(f"{flag}: no option {name!r}; there are {', '.join(kinds)}")
        if not value:
            raise ValueError(f"{flag}: expected {name}=VALUE")
        own, read = kinds[name]
        try:
            values[own] = read(value)
        except ValueError as error:
            raise ValueError(f"{flag}: {name}: {error}") from None
    return values


def open_store_at(store: str) -> Store:
    """Open a store by its URL, or by the path of an SQLite file."""
    is_url = store == "memory:" or "://" in store
    return open_store(store if is_url else f"sqlite:///{store}")


@dataclass(frozen=True)
class ContextOptions:
    """The settings of `context`. `options` are for `lton.transcript.Transcript`."""

    window: int
    reserve: int
    store: str = "memory:"
    rounds: int = ROUNDS
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_section(cls, section: SettingsSection) -> "ContextOptions":
        """Parse the value of `context`. Raises a `ValueError` that names the mistake.

        The default reserve is a quarter of the window, at most 4,000 tokens.
        """
        values = read_options("context", section, _OPTIONS)
        if "window" not in values:
            raise ValueError("context: expected window=TOKENS")
        window = values.pop("window")
        reserve = values.pop("reserve", min(4_000, window // 4))
        store = values.pop("store", "memory:")
        rounds = values.pop("rounds", ROUNDS)
        if rounds < 1:
            raise ValueError("context: rounds: expected at least one")
        # The gateway writes results in LTON itself, in frames.
        values = {"window": window, "short_json": False, **values}
        return cls(window, reserve, store, rounds, values)

    def open_store(self) -> Store:
        return open_store_at(self.store)


class ContextMetrics:
    """The metrics of `context`, which exist only with that option."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def make_counter(what: str, says: str, *labels: str) -> Counter:
            return Counter(f"lton_context_{what}", says, labels, registry=registry)

        self.requests = make_counter(
            "requests", "Requests by how their conversation was found", "origin"
        )
        self.unplanned = make_counter(
            "unplanned", "Requests that were sent unchanged, by error", "code"
        )
        self.tokens = make_counter(
            "tokens",
            "Tokens of messages: as clients sent them, as the model got them, and cached",
            "kind",
        )
        self.decisions = make_counter(
            "decisions", "Changed results and messages, by action", "action"
        )
        self.calls = make_counter("base_calls", "Calls to base tools, which clients never see")

    def count_view(self, view: View, origin: str, base_calls: int) -> None:
        self.requests.labels(origin).inc()
        for kind, tokens in (("full", view.full), ("sent", view.tokens), ("cached", view.cached)):
            self.tokens.labels(kind).inc(tokens)
        for decision in view.decisions:
            if decision.action != "kept":
                self.decisions.labels(decision.action).inc()
        self.calls.inc(base_calls)
