"""What becomes of each message between a client and a server. No input or output, and no clock.

Every message goes on as it came, requests of the server and the protocol's two eras included.
What differs: `tools/list` is answered from the catalogue (or loses its output schemas), calls of
the proxy's own tools become calls of the server's, and results are rewritten.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lton.errors import Code, LTONError, ServerError
from lton.mcp_proxy.approvals import Approvals
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings, listed, unfit
from lton.mcp_proxy.results import ServerResults

RpcMessage: TypeAlias = dict[str, Any]
Id: TypeAlias = str | int

_PAGES = 1000
"""Pages of a listing."""
_TOOLS = 10_000
"""Of a listing: 5,000 take about ten seconds, in which nobody else is served."""
_QUICK = frozenset(["initialize", "ping", "server/discover"])
QUICK_S = 60.0
"""For what takes no work: to start (which may have to install), to list."""
_ENDLESS = frozenset(["subscriptions/listen", "tasks/result"])
"""What ends when a client has enough, or a task is done: a task is made for what takes long."""
_CALLED = frozenset(["tools/call", "tasks/result"])
"""What is answered by the result of a tool. Of 2026-07-28, `tasks/get` has it in its task."""
_VERSION = "io.modelcontextprotocol/protocolVersion"
"""In `_meta` of each request of the second era."""
CLOSED, _TIMEOUT, _INTERNAL, _NO_METHOD, _NO_PARAMS = -32000, -32001, -32603, -32601, -32602
_INVALID = -32600
"""JSON-RPC's codes, as the SDK has them."""


@dataclass(frozen=True, slots=True)
class Send:
    """A message to one of the two.

    `related` is the client's request that it belongs to, `schema` that of the arguments of a call:
    it says which of them are headers too, over HTTP.
    """

    to: Literal["client", "server", "start"]
    message: RpcMessage
    related: Id | None = None
    schema: Any = None


@dataclass(slots=True)
class _Pending:
    """A request that the server has not answered."""

    method: str
    limit_s: float
    deadline: float
    token: Id | None
    tool: Any = None
    """The name of the tool that is called."""


@dataclass(slots=True)
class _Listing:
    """A listing of the server's tools in the making, and the requests that wait for it."""

    deadline: float
    meta: RpcMessage
    waiting: list[RpcMessage] = field(default_factory=list)
    tools: list[RpcMessage] = field(default_factory=list)
    pages: list[RpcMessage] = field(default_factory=list)
    cursors: set[str] = field(default_factory=set)
    number: int = 0
    is_stale: bool = False
    times: int = 1
    """How often the list was asked for: a server may change it each time."""


class Proxy:
    """One client and one server. Each method gives what is to be sent, in its order.

    `timeout_s` bounds the wait for an answer, and for the next word of progress; to start and to
    list may take a minute. With `handshake_only` a client reads that the server knows
    only the era of `initialize`, as HTTP needs it. `approvals` screens the server's tools. Times
    are in seconds, of any clock.
    """

    def __init__(
        self,
        settings: ProxySettings,
        *,
        timeout_s: float = 300.0,
        handshake_only: bool = False,
        approvals: Approvals | None = None,
    ) -> None:
        self._settings = settings
        self._approvals = approvals or Approvals()
        self._timeout_s = timeout_s
        self._handshake_only = handshake_only
        self._pending: dict[Id, _Pending] = {}
        self._listing: _Listing | None = None
        self._catalogue: Catalogue | None = None
        self._results = ServerResults(settings.results)
        self._is_lost = False
        self._asked = 0

    # --- from the client ------------------------------------------------------------------------

    def from_client(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Take a message of the client."""
        method, number = message.get("method"), message.get("id")
        if method is None or number is None:
            if method == "notifications/cancelled":
                yield from self._cancelled(message)
            elif not self._is_lost:
                yield Send("server", message)
        elif self._is_lost:
            yield self._failure(number, CLOSED, gone())
        elif method == "server/discover" and self._handshake_only:
            yield self._error(number, _NO_METHOD, "Method not found")
        elif self._is_ours(message):
            if self._catalogue is None or method == "tools/list":
                yield from self._list_for(message, now)
            else:
                yield from self._answer(self._catalogue, message, now)
        elif method == "tools/call" and unfit(_params(message)):
            refused = ServerError(Code.LISTING, "no tool of such a name is shown")
            yield self._failure(number, _NO_PARAMS, refused)
        else:
            yield self._forward(message, now)

    def refused(self, found: Iterable[Any]) -> Iterator[Send]:
        """Take what is no message of MCP, as text or JSON: a request in it is refused."""
        asked = [one.get("id") for one in map(_object, found) if "method" in one]
        for number in dict.fromkeys(one for one in asked if isinstance(one, int | str)):
            if number is not True and number is not False:
                yield self._error(number, _INVALID, "this is no message of MCP")

    def _is_ours(self, message: RpcMessage) -> bool:
        """Say whether the catalogue answers a request, or turns it into another."""
        if self._settings.mode == "pass":
            return False
        is_call = _params(message).get("name") in self._settings.names
        return message["method"] == "tools/list" or (message["method"] == "tools/call" and is_call)

    def _cancelled(self, message: RpcMessage) -> Iterator[Send]:
        number = _params(message).get("requestId")
        if self._listing and any(each["id"] == number for each in self._listing.waiting):
            self._listing.waiting = [one for one in self._listing.waiting if one["id"] != number]
            return
        self._forget(number)
        if not self._is_lost:
            yield Send("server", message)

    def _forget(self, number: Any) -> _Pending | None:
        """Get a request that is over; some servers answer the id 1 by "1", as clients know."""
        if isinstance(number, str) and number not in self._pending and _DIGITS.fullmatch(number):
            number = int(number)
        return self._pending.pop(number, None) if isinstance(number, str | int) else None

    def _forward(self, message: RpcMessage, now: float) -> Send:
        method = message["method"]
        is_quick = method in _QUICK or method.endswith("/list")
        limit_s = QUICK_S if is_quick else self._timeout_s
        deadline = float("inf") if method in _ENDLESS else now + limit_s
        token = _meta(message).get("progressToken")
        tool = _params(message).get("name") if method == "tools/call" else None
        self._pending[message["id"]] = _Pending(method, limit_s, deadline, token, tool)
        schema = None
        if method == "tools/call" and self._catalogue:
            schema = self._catalogue.schema_of(_params(message).get("name"))
        return Send("server", message, schema=schema)

    # --- the catalogue --------------------------------------------------------------------------

    def _list_for(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Let a request wait for a listing."""
        if self._listing:
            self._listing.waiting.append(message)
            return
        meta = {key: value for key, value in _meta(message).items() if key != "progressToken"}
        deadline = now + QUICK_S
        self._listing = _Listing(deadline, meta, [message])
        yield self._ask(self._listing)

    def _ask(self, listing: _Listing, cursor: str | None = None) -> Send:
        """Ask for a page. `_meta` has what the second era wants in each request."""
        self._asked += 1
        listing.number = self._asked
        params: RpcMessage = {"cursor": cursor} if cursor else {}
        if listing.meta:
            params["_meta"] = listing.meta
        request = {"jsonrpc": "2.0", "id": _own_id(listing), "method": "tools/list"}
        return Send("server", {**request, "params": params} if params else request)

    def _page(self, listing: _Listing, message: RpcMessage, now: float) -> Iterator[Send]:
        if "error" in message:
            self._listing = None
            for one in listing.waiting:
                answer = {"jsonrpc": "2.0", "id": one["id"], "error": message["error"]}
                yield Send("client", answer, one["id"])
            return
        result = message.get("result")
        tools = result.pop("tools", None) if isinstance(result, dict) else None
        if not isinstance(tools, list) or not all(isinstance(each, dict) for each in tools):
            yield from self._give_up(_INTERNAL, ServerError(Code.LISTING, "no list of tools"))
            return
        assert isinstance(result, dict)
        listing.tools += tools
        listing.pages.append(result)
        cursor = result.pop("nextCursor", None)
        if wrong := _wrong_page(listing, cursor):
            yield from self._give_up(_INTERNAL, ServerError(Code.LISTING, wrong))
        elif cursor:
            listing.cursors.add(cursor)
            yield self._ask(listing, cursor)
        elif listing.is_stale and listing.times < _LISTINGS:
            listing.times += 1
            listing.tools, listing.pages = [], []
            listing.cursors, listing.is_stale = set(), False
            yield self._ask(listing)
        else:
            yield from self._listed(listing, now)

    def _listed(self, listing: _Listing, now: float) -> Iterator[Send]:
        """Answer what waited for the listing; a list has what else the last page says."""
        try:
            tools = self._approvals.screened(listing.tools)
            self._catalogue = catalogue = Catalogue.of(tools, self._settings)
            self._results.learn(tools)
        except ServerError as error:
            yield from self._give_up(_INTERNAL, error)
            return
        self._listing = None
        for line in catalogue.notes:
            self._approvals.report(line)
        about = {**listing.pages[-1], **_kept_for(listing.pages)}
        for message in listing.waiting:
            if message["method"] == "tools/list":
                yield self._reply(message["id"], {**about, "tools": catalogue.listing})
            else:
                yield from self._answer(catalogue, message, now)

    def _give_up(self, code: int, error: LTONError) -> Iterator[Send]:
        """End the listing: what waited for it fails."""
        waiting = self._listing.waiting if self._listing else []
        self._listing = None
        for message in waiting:
            yield self._failure(message["id"], code, error)

    def _answer(self, catalogue: Catalogue, message: RpcMessage, now: float) -> Iterator[Send]:
        """Answer a call of a tool of ours, or send the server the call that is in it."""
        params = _params(message)
        given = params.get("arguments")
        is_search = params["name"] == self._settings.search_name
        name = "query" if is_search else "line"
        text = given.get(name) if isinstance(given, dict) else None
        if not isinstance(text, str):
            error = LTONError(Code.LINE, f"expected the argument {name!r}, a text")
            yield self._told(message, str(error), is_error=True)
        elif is_search:
            yield self._told(message, catalogue.search(text))
        else:
            try:
                call = catalogue.read(text)
            except LTONError as error:
                yield self._told(message, catalogue.refusal(text, error), is_error=True)
                return
            meant = {**params, "name": call.name, "arguments": dict(call.arguments)}
            yield self._forward({**message, "params": meant}, now)

    def _told(self, message: RpcMessage, text: str, *, is_error: bool = False) -> Send:
        """Answer a call with a text of ours."""
        result = {"content": [{"type": "text", "text": text}], "isError": is_error}
        if second_era(message):
            result["resultType"] = "complete"
        return self._reply(message["id"], result)

    # --- from the server ------------------------------------------------------------------------

    def from_server(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Take a message of the server."""
        number, method = message.get("id"), message.get("method")
        listing = self._listing
        if method is not None:
            if method == "notifications/tools/list_changed":
                self._catalogue = None
                if listing:
                    is_told = listing.is_stale or listing.times > 1
                    listing.is_stale = True
                    if is_told:  # since it asked
                        return
            elif method == "notifications/tasks" and _params(message):
                message = {**message, "params": self._results.task(_params(message))}
            yield Send("client", message, self._progress(message, now))
        elif (pending := self._forget(number)) or number is None:
            yield Send("client", self._rewritten(message, pending), number)
        elif listing and number == _own_id(listing):
            yield from self._page(listing, message, now)
        # Nobody waits for any other: it could be meant for a request that the proxy answers.

    def unread(self, found: Iterable[Any]) -> Iterator[Send]:
        """Take what is no message of MCP, as text or JSON: the request it answers fails (E824)."""
        error = ServerError(Code.ANSWER, "the MCP server's answer is no message of MCP")
        for one in map(_object, found):
            number = None if "method" in one else one.get("id")
            if self._listing and number == _own_id(self._listing):
                yield from self._give_up(_INTERNAL, error)
            elif number is not None and self._forget(number):
                yield self._failure(number, _INTERNAL, error)

    def _progress(self, message: RpcMessage, now: float) -> Id | None:
        """Get the request that a notice of progress belongs to; it has its time again."""
        token = _params(message).get("progressToken")
        if message["method"] != "notifications/progress" or token is None:
            return None
        for number, pending in self._pending.items():
            if pending.token == token:
                pending.deadline = now + pending.limit_s
                return number
        return None

    def _rewritten(self, message: RpcMessage, pending: _Pending | None) -> RpcMessage:
        """Get the answer of the server as the client is to see it."""
        result = message.get("result")
        if pending is None or not isinstance(result, dict):
            return message
        if pending.method in _CALLED:
            return {**message, "result": self._results.of_call(result, pending.tool)}
        if pending.method == "tasks/get":
            return {**message, "result": self._results.task(result)}
        if pending.method == "tools/list" and isinstance(result.get("tools"), list):
            screened = self._approvals.screened(result["tools"])
            self._results.learn(screened)
            tools = [listed(each, self._results.shortened) for each in screened]
            return {**message, "result": {**result, "tools": tools}}
        return message

    # --- time, and the end ----------------------------------------------------------------------

    @property
    def deadline(self) -> float:
        """When `overdue` has something to do, if nothing comes before."""
        times = [pending.deadline for pending in self._pending.values()]
        times += [self._listing.deadline] if self._listing else []
        return min(times, default=float("inf"))

    def overdue(self, now: float) -> Iterator[Send]:
        """Give up what has waited too long (E822); the client gets an error, the server a note."""
        for number, late in list(self._pending.items()):
            # An answer may come, or the server be lost, while what is told here is being sent.
            if late.deadline <= now and self._forget(number):
                yield self._failure(number, _TIMEOUT, _silent(late.limit_s))
                yield _cancel(number)
        if self._listing and self._listing.deadline <= now:
            own = _own_id(self._listing)
            yield from self._give_up(_TIMEOUT, _silent(QUICK_S))
            yield _cancel(own)

    def lost(self) -> Iterator[Send]:
        """Note that the server is gone: what waits, and all that comes, fails (E821)."""
        self._is_lost = True
        for number in list(self._pending):
            if self._forget(number):
                yield self._failure(number, CLOSED, gone())
        yield from self._give_up(CLOSED, gone())

    def _own_id(self) -> str | None:
        return _own_id(self._listing) if self._listing else None

    def _failure(self, number: Id, code: int, error: LTONError) -> Send:
        return self._error(number, code, str(error), data={"code": str(error.code)})

    def _error(self, number: Id, code: int, text: str, **more: Any) -> Send:
        about = {"code": code, "message": text, **more}
        return Send("client", {"jsonrpc": "2.0", "id": number, "error": about}, number)

    def _reply(self, number: Id, result: RpcMessage) -> Send:
        return Send("client", {"jsonrpc": "2.0", "id": number, "result": result}, number)


_LISTINGS = 3
"""So often a list that changes while it is read is asked for."""
_DIGITS = re.compile("[0-9]{1,20}")
OWN = "lton-mcp-proxy-"
"""Begins the ids of our own requests."""


def _own_id(listing: _Listing) -> str:
    return f"{OWN}{listing.number}"


def _wrong_page(listing: _Listing, cursor: Any) -> str:
    """Say what is wrong with the pages so far, the last of which names a cursor; "" if nothing."""
    if cursor is not None and not isinstance(cursor, str):
        return "a cursor that is no text"
    if len(listing.tools) > _TOOLS:
        return f"a list of more than {_TOOLS:,} tools"
    is_endless = cursor and (cursor in listing.cursors or len(listing.cursors) == _PAGES)
    return "a list of tools that does not end" if is_endless else ""


def _kept_for(pages: list[RpcMessage]) -> RpcMessage:
    """Get how long a client may keep a list of these pages, and for whom: the least of them.

    What one page does not say is what the specification takes it for: not at all, for one user.
    """
    found: RpcMessage = {}
    if any("ttlMs" in page for page in pages):
        times = [page.get("ttlMs") for page in pages]
        found["ttlMs"] = min(max(0, one) if type(one) is int else 0 for one in times)
    if any("cacheScope" in page for page in pages):
        is_public = all(page.get("cacheScope") == "public" for page in pages)
        found["cacheScope"] = "public" if is_public else "private"
    return found


def _object(found: Any) -> RpcMessage:
    """Get the object that something is, as far as can be seen; else an empty one."""
    if isinstance(found, str | bytes):
        try:
            found = json.loads(found)  # which reads half of a pair of surrogates
        except (ValueError, RecursionError):
            return {}
    return found if isinstance(found, dict) else {}


def _cancel(number: Id) -> Send:
    params = {"requestId": number, "reason": "it took too long"}
    return Send("server", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def gone() -> ServerError:
    """Return the error of a server that is gone (E821)."""
    return ServerError(Code.LOST, "the MCP server is gone")


def _silent(seconds: float) -> ServerError:
    return ServerError(Code.SILENT, f"the MCP server does not answer in {seconds:g} s")


def is_listing(message: RpcMessage) -> bool:
    """Say whether a request is for the list of tools, from its beginning."""
    return message.get("method") == "tools/list" and not _params(message).get("cursor")


def _params(message: RpcMessage) -> RpcMessage:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def second_era(message: RpcMessage) -> Any:
    """Get the version that a request names: in the second era each does."""
    return _meta(message).get(_VERSION)


def _meta(message: RpcMessage) -> RpcMessage:
    meta = _params(message).get("_meta")
    return meta if isinstance(meta, dict) else {}
