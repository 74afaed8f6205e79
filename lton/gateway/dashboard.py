"""Serve the page `/lton/`, which shows the calls, the bill, and the text of each request.

The page is one file without external resources. Its data contains conversations, so it requires the
key. Without a key, only this machine can open it. The number of shown requests is limited.
"""

import json
import re
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from itertools import islice, zip_longest
from pathlib import Path
from threading import Lock
from time import time
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from lton._json import minified
from lton.apis.refusals import RefusedError
from lton.chat.beginnings import Latest
from lton.gateway.access import AccessRules
from lton.gateway.bills import RequestBill
from lton.lenient import Repair
from lton.tokens.usage import PromptPart

_PAGE = Path(__file__).with_name("dashboard.html").read_text("utf-8")
_SCRIPT = re.search("<script>(.*)</script>", _PAGE, re.DOTALL)
assert _SCRIPT is not None
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; script-src 'sha256-"
        f"{b64encode(sha256(_SCRIPT[1].encode()).digest()).decode()}'"
    ),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_REQUESTS = 500
_SIZE = 16 * 1024 * 1024  # characters of all requests that are kept
_TEXT = 16 * 1024  # characters of a part that are kept
_PARTS = 200  # parts of a request that are kept
_EVENTS = 20  # notes of a request that are kept
_EVENT = 500  # characters of a note
_NAMED = 256  # conversations and tools with a row of their own
_OTHERS = "(others)"
_SEVERAL = (
    "There is no bill with workers: each process knows only its own requests. /metrics has "
    "the sums of all (lton_billed_tokens_total), and --log each request."
)
_PROXIED = ("forwarded", "x-forwarded-for", "x-real-ip")
_Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a request, without its bill."""

    model: str
    calls: str  # `native` or `lton`
    offers_tools: bool = False
    delivered: int = 0  # the calls in the answer to the client
    text: str = ""
    rescued: Sequence[str] = ()
    mended: Sequence[str] = ()  # native calls that did not fit, as the server returned them
    repairs: Sequence[Repair] = ()
    notes: Sequence[Mapping[str, Any]] = ()


@dataclass
class _Tally:
    title: str = ""
    requests: int = 0
    asked: float = 0.0
    sent: float = 0.0
    reported: float = 0.0
    reports: int = 0

    def add_bill(self, bill: RequestBill) -> None:
        billed = bill.prices.price_of
        self.requests += 1
        self.asked += billed(bill.asked)
        self.sent += billed(bill.sent)
        if bill.reported:
            self.reported += billed(bill.reported.prompt)
            self.reports += 1


@dataclass
class BillHistory:
    """Stores totals of all requests, and the new parts of the latest requests."""

    tokenizer: str = ""
    total: _Tally = field(default_factory=_Tally)
    conversations: Latest[str, _Tally] = field(default_factory=lambda: Latest(_NAMED))
    tools: dict[str, list[float]] = field(default_factory=dict)
    """Billed tokens by tool, in the agent's requests and in the sent requests."""
    events: Counter[str] = field(default_factory=Counter)
    requests: deque[dict[str, Any]] = field(default_factory=deque)
    _size: int = 0
    _number: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add_bill(self, bill: RequestBill, outcome: Outcome) -> None:
        entry = _write_entry(bill, outcome)
        with self._lock:
            self._number += 1
            entry["number"] = self._number
            self.total.add_bill(bill)
            tally = self.conversations.get_or_make(
                bill.conversation, lambda: _Tally(entry["title"])
            )
            tally.add_bill(bill)
            for tool, (asked_tokens, sent_tokens) in bill.by_tool.items():
                has_row = tool in self.tools or len(self.tools) < _NAMED
                row = self.tools.setdefault(tool if has_row else _OTHERS, [0.0, 0.0])
                row[0] += asked_tokens
                row[1] += sent_tokens
            self.events["asked"] += 1 if outcome.offers_tools else 0
            self.events["delivered"] += outcome.delivered
            self.events["rescued"] += len(outcome.rescued)
            self.events["mended"] += len(outcome.mended)
            self.events["repairs"] += len(outcome.repairs)
            self.events["notes"] += len(outcome.notes)
            self.requests.append(entry)
            self._size += entry["size"]
            while len(self.requests) > _REQUESTS or self._size > _SIZE:
                self._size -= self.requests.popleft()["size"]

    def summarize_bills(self, after: int = 0) -> dict[str, Any]:
        with self._lock:
            return {
                "counted": self.tokenizer,
                "total": vars(self.total),
                "conversations": {name: vars(value) for name, value in self.conversations.items()},
                "tools": self.tools,
                "events": dict(self.events),
                "first": self.requests[0]["number"] if self.requests else 0,
                "requests": [
                    {key: value for key, value in entry.items() if key != "parts"}
                    for entry in self.requests
                    if entry["number"] > after
                ],
            }

    def find_request_with_number(self, number: int) -> dict[str, Any] | None:
        with self._lock:
            return next((entry for entry in self.requests if entry["number"] == number), None)


def _write_entry(bill: RequestBill, outcome: Outcome) -> dict[str, Any]:
    pairs = list(zip_longest(bill.new_asked, bill.new_sent))
    # Otherwise the columns do not correspond part by part.
    is_paired = len(bill.new_asked) == len(bill.new_sent)
    parts = [
        _write_pair(client_part, sent_part, is_paired=is_paired)
        for client_part, sent_part in pairs[-_PARTS:]
    ]
    return {
        "at": time(),
        "title": _write_title(bill.new_asked),
        "bill": bill.as_json(),
        "parts": parts,
        "left_out": len(pairs) - len(parts),
        "shortened": sum(item["changed"] for item in parts),
        "model": outcome.model[:_TITLE],
        "calls": outcome.calls,
        "delivered": outcome.delivered,
        "said": outcome.text[:_TEXT],
        "rescued": _first_texts(outcome.rescued),
        "mended": _first_texts(outcome.mended),
        "repairs": _first_texts(f"{item.code} {item.msg}" for item in outcome.repairs),
        "notes": _first_texts(map(minified, outcome.notes)),
        "size": sum(len(item["asked"] or "") + len(item["sent"] or "") for item in parts)
        + 3 * _TEXT,
    }


def _first_texts(texts: Iterable[str]) -> list[str]:
    return [text[:_EVENT] for text in islice(texts, _EVENTS)]


def _write_pair(
    client_part: PromptPart | None, sent_part: PromptPart | None, *, is_paired: bool
) -> dict[str, Any]:
    shown_part = client_part or sent_part
    assert shown_part is not None
    is_same = (
        client_part is not None and sent_part is not None and client_part.text == sent_part.text
    )
    return {
        "role": shown_part.role,
        "tool": shown_part.tool[:_TITLE],
        "asked": client_part and client_part.text[:_TEXT],
        # Equal strings are stored and sent once.
        "sent": None if is_same else sent_part and sent_part.text[:_TEXT],
        "same": is_same,
        "changed": is_paired and not is_same,
        "cut": max(len(part.text) if part else 0 for part in (client_part, sent_part)) > _TEXT,
    }


_TITLE = 120


def _write_title(parts: Sequence[PromptPart]) -> str:
    if parts and parts[-1].tool and parts[-1].role not in ("assistant", "tools"):
        return f"after {parts[-1].tool}"[:_TITLE]
    message = next((part.text for part in reversed(parts) if part.role == "user"), "")
    texts = _SAID.findall(message[-_TEXT:])
    text = json.loads(f'"{texts[-1]}"') if texts else message
    return " ".join(text.split())[:_TITLE]


_SAID = re.compile(r'"(?:text|content)":"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u]){1,200})')


def make_routes(
    history: BillHistory, access: AccessRules, *, is_shared: bool = False
) -> list[Route]:
    """Return the routes of the page. If several processes serve (`is_shared`), no bill is shown."""

    async def serve_page(_: Request) -> Response:
        return HTMLResponse(_PAGE, headers=_HEADERS)

    async def serve_bill(request: Request) -> Response:
        if is_shared:
            return _make_json_response(
                RefusedError(404, _SEVERAL, code="several_workers").body, 404
            )
        after = request.query_params.get("after", "0")
        return _make_json_response(history.summarize_bills(int(after) if after.isdecimal() else 0))

    async def serve_one_request(request: Request) -> Response:
        entry = history.find_request_with_number(request.path_params["number"])
        return _make_json_response(entry, 200 if entry else 404)

    return [
        Route("/lton/", serve_page),
        Route("/lton/bill", _only_for_owner(serve_bill, access)),
        Route("/lton/requests/{number:int}", _only_for_owner(serve_one_request, access)),
    ]


def _only_for_owner(handler: _Handler, access: AccessRules) -> _Handler:
    """Wrap a handler so that it refuses clients without the key or on other machines."""

    async def handle_for_owner(request: Request) -> Response:
        try:
            access.check_key(request.headers)
            if not access.api_key and not _is_near(request):
                words = "the bill is shown only on the gateway's machine, or with its key: start "
                words += "it with 'lton serve --api-key KEY'"
                raise RefusedError(403, words, code="not_local")
        except RefusedError as refusal:
            return _make_json_response(refusal.body, refusal.status)
        return await handler(request)

    return handle_for_owner


def _is_near(request: Request) -> bool:
    """Return whether a request comes from this machine, but not through another website."""
    if any(name in request.headers for name in _PROXIED) or request.client is None:
        return False
    try:
        AccessRules().check(request.url.path, request.headers)
        return ip_address(request.client.host).is_loopback
    except (RefusedError, ValueError):
        return False


def _make_json_response(value: Mapping[str, Any] | None, status: int = 200) -> Response:
    # A lone surrogate in a request becomes `?`.
    data = minified(value).encode(errors="replace")
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    return Response(data, status, headers, media_type="application/json")
