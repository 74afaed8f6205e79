"""Test that old results become the names of their files when the provider's cache has expired."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from lton.apis import registry
from lton.apis.conversations import KnownConversations
from lton.chat.records import ApiName
from lton.gateway.native import result_forms
from lton.gateway.native.long_results import ResultFolder
from lton.gateway.native.native_requests import NativeOptions, read_native
from lton.gateway.serving import application
from lton.tokens.billing import Prices, PromptCache
from tests.gateway.native import options as serve_options
from tests.gateway.test_long_results import NOTE
from tests.gateway.test_results import APIS, body, key_of

LINES = [f"{at}: {at * 37 % 911} modules compiled with flags -O{at % 3}\n" for at in range(100)]
LOG = "".join(LINES)
"""More than 500 tokens, and too short to be cut at first sight."""


class Agent:
    """An agent whose requests grow by two messages, before a gateway with a clock."""

    def __init__(
        self, api: ApiName, folder: Path, clock: list[float], lifetime: float = 300.0
    ) -> None:
        self.api, self.path, self.clock, self.lifetime = api, folder, clock, lifetime
        self.restart()

    def restart(self) -> None:
        self.known, self.folder = KnownConversations(), ResultFolder(self.path)
        self.folder.lifetime = self.lifetime

    def asks(
        self,
        texts: Sequence[str],
        *,
        after: float = 10.0,
        tool: str = "bash",
        command: str = "make",
        change: Callable[[list[Any]], object] = lambda messages: None,
        **more: Any,
    ) -> list[Any]:
        """Return the messages that the server is sent `after` seconds."""
        self.clock[0] += after
        given = {**body(self.api, texts, tool, {"command": command}), **more}
        change(given[key_of(self.api)])
        found = NativeOptions(results="tidy", keeps=True, folder=self.folder)
        whole = self.known.with_known_messages(deepcopy(given))
        sent = read_native(whole, json.dumps(given).encode(), registry.APIS[self.api], found)
        messages: list[Any] = json.loads(sent.content)[key_of(self.api)]
        return messages


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000_000.0]
    monkeypatch.setattr(result_forms, "time", lambda: now[0])
    return now


def _texts(count: int) -> list[str]:
    """Return results that share no lines."""
    return [LOG.replace(":", f" of {at}:") for at in range(count)]


def _notes(messages: list[Any]) -> int:
    return json.dumps(messages).count(NOTE)


MARKED: dict[str, Any] = {
    "system": [{"type": "text", "text": "Help.", "cache_control": {"type": "ephemeral"}}]
}
PAUSES: list[tuple[ApiName, dict[str, Any], float]] = [
    ("messages", MARKED, 360.0),
    ("chat", {}, 4_320.0),
    ("responses", {}, 4_320.0),
    ("responses", {"prompt_cache_retention": "24h"}, 103_680.0),
    (
        "messages",
        {"system": [{**MARKED["system"][0], "cache_control": {"type": "e", "ttl": "1h"}}]},
        4_320.0,
    ),
]


@pytest.mark.parametrize(("api", "more", "lifetime"), PAUSES)
def test_old_results_are_named_after_a_pause(
    api: ApiName, more: dict[str, Any], lifetime: float, tmp_path: Path, clock: list[float]
) -> None:
    """The last four steps stay, and the file of each older result has the whole result."""
    for after, is_named in ((lifetime - 1, False), (lifetime + 1, True)):
        folder = tmp_path / str(after)
        folder.mkdir()
        agent = Agent(api, folder, clock)
        texts = _texts(12)
        assert _notes(agent.asks(texts[:11], **more)) == 0
        found = agent.asks(texts, after=after, **more)
        assert _notes(found) == (8 if is_named else 0)
        files = {path.read_text() for path in folder.glob("*.txt")}
        assert files == ({*texts[:8]} if is_named else set())


@pytest.mark.parametrize("api", APIS)
def test_what_was_named_stays_named(api: ApiName, tmp_path: Path, clock: list[float]) -> None:
    """Also after a restart, and with another pause later; until then no byte is rewritten."""
    agent, texts = Agent(api, tmp_path, clock), _texts(24)
    agent.asks(texts[:11])
    before = agent.asks(texts[:12], after=9_000)
    for count in range(13, 20):
        if count == 16:
            agent.restart()
        found = agent.asks(texts[:count])
        assert found[: len(before)] == before
        before = found
    assert _notes(before) == 8
    assert _notes(agent.asks(texts[:20], after=9_000)) == 16


def test_a_fork_before_the_pause_is_not_rewritten(tmp_path: Path, clock: list[float]) -> None:
    """The provider has the fork in its cache."""
    agent, texts = Agent("chat", tmp_path, clock), _texts(24)

    def fork(messages: list[Any]) -> None:
        messages[3]["content"] = "another way"

    agent.asks(texts[:11])
    agent.asks(texts[:11], change=fork)
    assert _notes(agent.asks(texts[:12], after=4_000)) == 0
    assert _notes(agent.asks(texts[:12], after=400, change=fork)) == 8
    assert _notes(agent.asks(texts[:13])) == 0


def test_cache_marks_may_move(tmp_path: Path, clock: list[float]) -> None:
    agent, texts = Agent("messages", tmp_path, clock), _texts(24)

    def mark(messages: list[Any]) -> None:
        messages[-1]["content"][0]["cache_control"] = {"type": "ephemeral"}

    agent.asks(texts[:11], change=mark)
    found = [agent.asks(texts[:12], after=400, change=mark), agent.asks(texts[:13], change=mark)]
    assert [*map(_notes, found)] == [8, 8]


@pytest.mark.parametrize(
    ("tool", "command", "text"),
    [
        ("read", "make", LOG),
        ("bash", "cat a.py", LOG),
        ("bash", "make", "".join(LINES[:40])),  # fewer than 500 tokens
    ],
)
def test_other_results_stay_whole(
    tool: str, command: str, text: str, tmp_path: Path, clock: list[float]
) -> None:
    agent, texts = Agent("chat", tmp_path, clock), [f"{text}{at}" for at in range(12)]
    agent.asks(texts[:11], tool=tool, command=command)
    assert _notes(agent.asks(texts, tool=tool, command=command, after=9_000)) == 0


def test_no_note_refers_to_a_result_that_is_gone(tmp_path: Path, clock: list[float]) -> None:
    agent, texts = Agent("chat", tmp_path, clock), [LOG, *_texts(10), LOG]
    assert "as shown above" in json.dumps(before := agent.asks(texts)) or "unchanged" in str(before)
    found = agent.asks([*texts, "ok"], after=9_000)
    assert found[2]["content"].endswith("]")
    assert found[-3]["content"] == LOG


def test_a_model_that_reads_the_files_is_sent_results_whole(
    tmp_path: Path, clock: list[float]
) -> None:
    agent, texts = Agent("chat", tmp_path, clock), _texts(13)
    agent.asks(texts[:12])

    def read(messages: list[Any]) -> None:
        for at in range(1, 9, 2):
            call = messages[at]["tool_calls"][0]["function"]
            call["arguments"] = json.dumps({"command": f"sed -n 1,9p {tmp_path}/{at}.txt"})

    assert _notes(agent.asks(texts, after=9_000)) == 9
    agent.restart()
    agent.asks(texts[:12], change=read)
    assert _notes(agent.asks(texts, after=9_000, change=read)) == 4


def test_a_pause_that_cannot_be_marked_is_remembered(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a restart forgets the pause."""

    def fails(*_: Any) -> None:
        raise PermissionError

    agent, texts = Agent("chat", tmp_path, clock), _texts(14)
    agent.asks(texts[:12])
    monkeypatch.setattr(Path, "touch", fails)
    found = [agent.asks(texts[:13], after=9_000), agent.asks(texts[:14])]
    assert [*map(_notes, found)] == [9, 9]


def test_the_sum_after_a_pause(tmp_path: Path, clock: list[float]) -> None:
    """The request after the pause and all later ones are billed less."""
    bills = list[float]()
    for lifetime in (300.0, float("inf")):
        folder = tmp_path / str(lifetime)
        folder.mkdir()
        agent, texts = Agent("messages", folder, clock, lifetime), _texts(16)
        cache, prices, billed = PromptCache(300.0), Prices(), 0.0
        for count in range(10, 16):
            after = 400.0 if count == 12 else 10.0
            found = agent.asks(texts[:count], after=after, **MARKED)
            parts = [(each, len(json.dumps(each)) // 4) for each in found]
            billed += prices.price_of(cache.ask(parts, clock[0]))
        bills.append(billed)
    assert bills[0] < 0.8 * bills[1]


@pytest.mark.parametrize(
    ("workers", "prices", "lifetime"),
    [(1, "anthropic", 300), (1, "local", float("inf")), (2, "anthropic", float("inf"))],
)
def test_the_gateway_knows_the_lifetime(
    workers: int, prices: str, lifetime: float, tmp_path: Path
) -> None:
    folder = ResultFolder(tmp_path)
    application(
        serve_options("http://127.0.0.1:9", workers=workers, prices=prices, results_folder=folder)
    )
    assert folder.lifetime == lifetime
