"""Serve `/v1/compress` and `/v1/retrieve/{hash}` as LiteLLM and Portkey do (`compress`).

Only tool results are changed, and a changed result depends only on its own text. So later requests
start with the same bytes.

An omitted result is returned only by its hash, to a client with the key of its sender. The hash
depends on a secret of the store, so nobody can guess it, or test what others have sent.
"""

import hmac
import logging
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lton._json import minified
from lton.apis.client_requests import MAX_MESSAGES
from lton.apis.members import Body, list_of
from lton.apis.refusals import RefusedError
from lton.apis.registry import client_key_in
from lton.chat.beginnings import Latest
from lton.chat.tool_results import with_results
from lton.errors import StoreError
from lton.gateway.endpoints import RawRequest
from lton.gateway.metrics import Metrics
from lton.gateway.native.result_forms import iterate_calls_in
from lton.gateway.window.context_options import (
    OptionKinds,
    SettingsSection,
    open_store_at,
    read_options,
    read_whole_number,
)
from lton.results import ForModels, short_result
from lton.stores import Store
from lton.stores.contents import to_bytes, to_text
from lton.tokens import TokenCounter
from lton.transcript.files import beginning_within

_log = logging.getLogger("lton.gateway")
PATH = "/v1/compress"
_MOST_KEPT = 1_000_000
MAX_KEPT = 256 * 1024 * 1024  # bytes of results in memory
_NOTE = 100  # maximum tokens of the line below a preview, so that no preview is shortened again
_HASH = re.compile("[0-9a-f]{24}")
_KEY_LOG = "key of results"
_OPTIONS: OptionKinds = {
    "over": ("over", read_whole_number),
    "preview": ("preview", read_whole_number),
    "store": ("store", str),
}
_RETRIEVE = "retrieve"  # the suffix of tools that return results, such as `headroom_retrieve`


class RecentResults:
    """Keeps the latest results in memory."""

    def __init__(self, most: int = MAX_KEPT) -> None:
        self.secret = secrets.token_bytes(32)
        self._contents = Latest[str, bytes](_MOST_KEPT, most, len)
        self._lock = threading.Lock()

    def store_result(self, name: str, content: bytes) -> None:
        with self._lock:
            self._contents.store(name, content)

    def find_result(self, name: str) -> bytes | None:
        return self._contents.get(name)


class StoredResults:
    """Keeps results in a store, each as a log with one entry. Methods may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        store.append(_KEY_LOG, secrets.token_bytes(32), at=0)
        (self.secret,) = store.entries(_KEY_LOG)

    def store_result(self, name: str, content: bytes) -> None:
        self.store.append(name, content, at=0)

    def find_result(self, name: str) -> bytes | None:
        return next(iter(self.store.entries(name)), None)


Kept: TypeAlias = RecentResults | StoredResults  # results by name, and the secret of the names


@dataclass(frozen=True, kw_only=True)
class Compressing:
    """The settings of `compress`: cut results of more than `over` tokens to `preview` tokens."""

    over: int
    preview: int
    results: Kept

    @classmethod
    def from_section(cls, section: SettingsSection) -> "Compressing":
        """Parse the value of `compress`. Raises a `ValueError` that names the mistake.

        The default preview is a quarter of `over`.
        """
        values = read_options("compress", section, _OPTIONS)
        over = values.get("over", 0)
        preview = values.get("preview", over // 4)
        if over and preview + _NOTE > over:
            words = f"expected a preview that is smaller by {_NOTE} tokens than over"
            raise ValueError(f"compress: {words}")
        store = values.get("store")
        results = StoredResults(open_store_at(store)) if store else RecentResults()
        return cls(over=over, preview=preview, results=results)


@dataclass(frozen=True, kw_only=True)
class CompressApi:
    """The endpoints that `compress` adds."""

    how: Compressing
    counter: TokenCounter
    metrics: Metrics
    for_models: ForModels | None = None

    def try_begin_exchange(self, body: Body, raw: RawRequest) -> dict[str, Any]:
        """Shorten the results in messages and count the tokens. Raises `RefusedError`."""
        messages = list_of(body, "messages", most=MAX_MESSAGES)
        work = _Work(
            self, _identify_caller(self.how.results, raw.headers), _retrieving_calls(messages)
        )
        shortened = with_results(messages, work.shorten_result)
        before, after = (
            self.counter.count(minified(content)).tokens for content in (messages, shortened)
        )
        for notation, tokens in (("json", before), ("lton", after)):
            self.metrics.tokens.labels("compressed", notation).inc(tokens)
        return {
            "messages": shortened,
            "tokens_before": before,
            "tokens_after": after,
            "tokens_saved": before - after,
            "compression_ratio": after / before if before else 1.0,
            "transforms_applied": sorted(work.transforms),
            "ccr_hashes": work.hashes,
        }

    def retrieve(self, name: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """Return an omitted result to the client that sent it. Raises `RefusedError`."""
        results = self.how.results
        try:
            log = _log_name(_identify_caller(results, headers), name)
            content = results.find_result(log) if _HASH.fullmatch(name) else None
        except StoreError as error:
            raise RefusedError(503, str(error), "server_error", code="store") from None
        if content is None:
            words = "no result with this hash was left out for this key, or it is no longer stored"
            raise RefusedError(404, words, code="unknown_hash")
        return {"hash": name, "original_content": to_text(content)}

    def record_exchange(self, exchange: object) -> None: ...


@dataclass
class _Work:
    api: CompressApi
    caller: str
    given_back: frozenset[str]  # the calls whose omitted results were requested again
    hashes: list[str] = field(default_factory=list)
    transforms: set[str] = field(default_factory=set)

    def shorten_result(self, text: str, call: str) -> str:
        if call in self.given_back:
            return text
        short = short_result(text, self.api.for_models) if self.api.for_models else text
        if short != text:
            self.transforms.add("lton")
        how = self.api.how
        counter = self.api.counter
        if not how.over or counter.count(short).tokens <= how.over:
            return short
        content = to_bytes(text)
        name = _make_mark(how.results, self.caller.encode() + content)
        try:
            how.results.store_result(_log_name(self.caller, name), content)
        except StoreError as error:  # without a copy, no result is omitted
            _log.error("a result could not be stored: %s", error)
            return short
        self.hashes.append(name)
        self.transforms.add("preview")
        preview = beginning_within(short, how.preview, counter).rstrip()
        # LiteLLM looks for a line of this form.
        note = f"[the beginning of {len(content)} bytes; all of it can be retrieved by its hash="
        return f"{preview}\n{note}{name}]"


def _make_mark(results: Kept, content: bytes) -> str:
    return hmac.digest(results.secret, content, "sha256").hex()[:24]


def _identify_caller(results: Kept, headers: Mapping[str, str]) -> str:
    key = client_key_in(headers)
    return _make_mark(results, b"key " + key.encode("latin-1", "replace"))


def _log_name(caller: str, name: str) -> str:
    return f"result-{caller}-{name}"


def _retrieving_calls(messages: list[Any]) -> frozenset[str]:
    """Return the ids of the calls that retrieve an omitted result."""
    calls = (call for message in messages for call in iterate_calls_in(message))
    return frozenset(id_ for id_, tool, _ in calls if tool.endswith(_RETRIEVE))
