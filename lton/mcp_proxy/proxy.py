"""Process the messages between an MCP client and a server, without I/O.

Messages of the protocol's first era (with `initialize`) and second era (version 2026-07-28) are
passed on unchanged, with three exceptions: `tools/list` is answered from the catalogue, calls to
the proxy's own tools become calls to the server's tools, and results are shortened.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lton._json import minified
from lton.errors import Code, LTONError, ServerError
from lton.mcp_proxy.approvals import Approvals
from lton.mcp_proxy.catalogue import Catalogue, ProxySettings, has_unfit_schema, list_definition
from lton.mcp_proxy.results import ServerResults

RpcMessage: TypeAlias = dict[str, Any]
Id: TypeAlias = str | int

_PAGES = 1000  # the maximum number of pages in a listing
_LISTINGS = 3  # the maximum number of attempts to read a list that changes meanwhile
_TOOLS = 10_000  # the maximum number of tools in a listing (the first one takes 4 s)
_STARTING = frozenset(["initialize", "server/discover"])
_QUICK = frozenset([*_STARTING, "ping"])
QUICK_S = 60.0
"""The time limit for starting (which may install a server), and the longest one for listing."""
_ENDLESS = frozenset(["subscriptions/listen", "tasks/result"])
"""Requests without a time limit, which the client or the task ends."""
_CALLED = frozenset(["tools/call", "tasks/result"])
"""Requests whose answer is a tool's result. In version 2026-07-28, the task in the answer of
`tasks/get` contains the result."""
_VERSION = "io.modelcontextprotocol/protocolVersion"
"""The key in `_meta_of` of each request of the second era."""
CLOSED = -32000
_TIMEOUT = -32001
_INTERNAL = -32603
_NO_METHOD = -32601
_NO_PARAMS = -32602
_INVALID = -32600  # error codes of JSON-RPC, as in the SDK
_DIGITS = re.compile("[0-9]{1,20}")
OWN = "lton-mcp-proxy-"
"""The prefix of ids for the proxy's own requests."""


@dataclass(frozen=True, slots=True)
class Send:
    """A message to send, or (`start`) an instruction to connect to the server first.

    `related` is the id of the client's request. `schema` is the schema of a call's arguments,
    because over HTTP some arguments are also headers.
    """

    to: Literal["client", "server", "start"]
    message: RpcMessage
    related: Id | None = None
    schema: Any = None


@dataclass(slots=True)
class _Pending:
    method: str
    limit_s: float
    deadline: float
    token: Id | None
    tool: Any = None


@dataclass(slots=True)
class _Listing:
    deadline: float
    meta: RpcMessage
    waiting: list[RpcMessage] = field(default_factory=list)
    tools: list[RpcMessage] = field(default_factory=list)
    pages: list[RpcMessage] = field(default_factory=list)
    cursors: set[str] = field(default_factory=set)
    number: int = 0
    is_stale: bool = False
    times: int = 1

    @property
    def own_id(self) -> str:
        return f"{OWN}{self.number}"

    def restart(self) -> None:
        """Forget the pages, because the tools have changed since the first one."""
        self.times += 1
        self.tools = []
        self.pages = []
        self.cursors = set()
        self.is_stale = False


class Proxy:
    """Processes the messages of one client and one server. Each method yields messages to send.

    `timeout_s` limits the wait for an answer, and for the next progress notification. Starting may
    take a minute, and listing at most a minute. With `handshake_only`, the proxy says that the
    server knows only the era of `initialize`, as HTTP requires. `approvals` checks the server's
    tools. Times are in seconds of any clock.
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
        self._listed_as: tuple[str, Catalogue | None] = "", None
        """The last listing as JSON, and its catalogue."""
        self._results = ServerResults(settings.results)
        self._is_lost = False
        self._asked = 0
        self._has_text_ids = False  # whether the server writes numbers in ids as strings
        self._unread = 0  # the number of lines from the server that are not messages

    # --- from the client ------------------------------------------------------------------------

    def feed_client_message(self, message: RpcMessage, now: float) -> Iterator[Send]:
        if message.get("method") is not None and message.get("id") is not None:
            yield from self._iterate_answers(message, now)
        elif message.get("method") == "notifications/cancelled":
            yield from self._feed_cancellation(message)
        elif not self._is_lost:
            yield Send("server", message)

    def _iterate_answers(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Answer a request of the client, or forward it to the server."""
        method = message["method"]
        number = message["id"]
        if self._is_lost:
            yield self._fail_request(number, CLOSED, make_server_gone_error())
        elif method == "server/discover" and self._handshake_only:
            yield self._write_error(number, _NO_METHOD, "Method not found")
        elif self._is_ours(message):
            if self._catalogue is None or method == "tools/list":
                yield from self._feed_list_request(message, now)
            else:
                yield from self._feed_call(self._catalogue, message, now)
        elif method == "tools/call" and has_unfit_schema(_params_of(message)):
            refused = ServerError(Code.LISTING, "there is no tool with this name")
            yield self._fail_request(number, _NO_PARAMS, refused)
        else:
            yield self._forward_request(message, now)

    def iterate_refusals(self, values: Iterable[Any]) -> Iterator[Send]:
        """Answer client messages that are not valid MCP messages."""
        numbers = [one.get("id") for one in map(_object_or_empty, values) if "method" in one]
        for number in dict.fromkeys(one for one in numbers if isinstance(one, int | str)):
            if not isinstance(number, bool):
                yield self._write_error(number, _INVALID, "this is not a message of MCP")

    def _is_ours(self, message: RpcMessage) -> bool:
        if self._settings.mode == "pass":
            return False
        is_call = _params_of(message).get("name") in self._settings.names
        return message["method"] == "tools/list" or (message["method"] == "tools/call" and is_call)

    def _feed_cancellation(self, message: RpcMessage) -> Iterator[Send]:
        number = _params_of(message).get("requestId")
        if self._listing and any(request["id"] == number for request in self._listing.waiting):
            self._listing.waiting = [one for one in self._listing.waiting if one["id"] != number]
            return
        self._take_pending(number)
        if not self._is_lost:
            yield Send("server", message)

    def _take_pending(self, number: Any) -> _Pending | None:
        """Remove and return the pending request with the given id."""
        return self._pending.pop(number, None) if isinstance(number, str | int) else None

    def _match_reply_id(self, number: Any) -> Any:
        """Return the id of the request that a server's message with an id answers.

        An id must be repeated as it is. Some servers write the string "3" for 3. Such a server
        shows this in its answer to `initialize`. From any other server, the string is the id of
        another request, and the right answer may follow.
        """
        if not isinstance(number, str) or number in self._pending or not _DIGITS.fullmatch(number):
            return number
        pending = self._pending.get(int(number))
        if pending and pending.method == "initialize":
            self._has_text_ids = True
        return int(number) if pending and self._has_text_ids else number

    def _forward_request(self, message: RpcMessage, now: float) -> Send:
        method = message["method"]
        is_quick = method in _QUICK or method.endswith("/list")
        limit_s = self._timeout_for(method) if is_quick else self._timeout_s
        deadline = float("inf") if method in _ENDLESS else now + limit_s
        token = _meta_of(message).get("progressToken")
        tool = _params_of(message).get("name") if method == "tools/call" else None
        self._pending[message["id"]] = _Pending(method, limit_s, deadline, token, tool)
        schema = None
        if method == "tools/call" and self._catalogue:
            schema = self._catalogue.schemas.get(_params_of(message)["name"])
        return Send("server", message, schema=schema)

    # --- the catalogue --------------------------------------------------------------------------

    def _feed_list_request(self, message: RpcMessage, now: float) -> Iterator[Send]:
        if self._listing:
            self._listing.waiting.append(message)
            return
        meta = {key: value for key, value in _meta_of(message).items() if key != "progressToken"}
        self._listing = _Listing(now + self._timeout_for("tools/list"), meta, [message])
        yield self._make_page_request(self._listing)

    def _make_page_request(self, listing: _Listing, cursor: str | None = None) -> Send:
        """Request a page of the list of tools."""
        self._asked += 1
        listing.number = self._asked
        params: RpcMessage = {"cursor": cursor} if cursor else {}
        if listing.meta:
            params["_meta"] = listing.meta
        request = {"jsonrpc": "2.0", "id": listing.own_id, "method": "tools/list"}
        return Send("server", {**request, "params": params} if params else request)

    def _feed_page(self, listing: _Listing, message: RpcMessage, now: float) -> Iterator[Send]:
        if "error" in message:
            yield from self._iterate_listing_errors(listing, message["error"])
            return
        result = message.get("result")
        tools = result.pop("tools", None) if isinstance(result, dict) else None
        if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
            error = ServerError(Code.LISTING, "expected a list of tools")
            yield from self._iterate_failures(_INTERNAL, error)
            return
        assert isinstance(result, dict)
        listing.tools += tools
        listing.pages.append(result)
        cursor = result.pop("nextCursor", None)
        if wrong := _fault_of_page(listing, cursor):
            yield from self._iterate_failures(_INTERNAL, ServerError(Code.LISTING, wrong))
        elif cursor:
            listing.cursors.add(cursor)
            yield self._make_page_request(listing, cursor)
        elif listing.is_stale and listing.times < _LISTINGS:
            listing.restart()
            yield self._make_page_request(listing)
        else:
            yield from self._iterate_listing_answers(listing, now)

    def _iterate_listing_errors(self, listing: _Listing, error: Any) -> Iterator[Send]:
        """Send the server's error to all who wait for the list of tools."""
        self._listing = None
        for request in listing.waiting:
            answer = {"jsonrpc": "2.0", "id": request["id"], "error": error}
            yield Send("client", answer, request["id"])

    def _iterate_listing_answers(self, listing: _Listing, now: float) -> Iterator[Send]:
        """Answer all pending requests for the list of tools."""
        text = minified(listing.tools)
        earlier_text, catalogue = self._listed_as
        if catalogue is None or text != earlier_text:
            try:
                tools = self._approvals.screen_tools(listing.tools)
                catalogue = Catalogue.of(tools, self._settings)
            except ServerError as error:
                yield from self._iterate_failures(_INTERNAL, error)
                return
            self._results.learn_tools(tools)
        self._listing = None
        self._catalogue = catalogue
        self._listed_as = (text, catalogue)
        for line in catalogue.notes:
            self._approvals.report_once(line)
        about = {**listing.pages[-1], **_shared_metadata_of(listing.pages)}
        for message in listing.waiting:
            if message["method"] == "tools/list":
                yield self._write_reply(message["id"], {**about, "tools": catalogue.listing})
            else:
                yield from self._feed_call(catalogue, message, now)

    def _iterate_failures(self, code: int, error: LTONError) -> Iterator[Send]:
        """Answer all pending requests for the list of tools with an error."""
        waiting = self._listing.waiting if self._listing else []
        self._listing = None
        for message in waiting:
            yield self._fail_request(message["id"], code, error)

    def _feed_call(self, catalogue: Catalogue, message: RpcMessage, now: float) -> Iterator[Send]:
        """Answer a call to the proxy's own tools, or send the call to the server."""
        params = _params_of(message)
        arguments = params.get("arguments")
        is_search = params["name"] == self._settings.search_name
        name = "query" if is_search else "line"
        text = arguments.get(name) if isinstance(arguments, dict) else None
        if not isinstance(text, str):
            error = LTONError(Code.LINE, f"expected the argument {name!r}, a string")
            yield self._make_text_reply(message, str(error), is_error=True)
        elif is_search:
            yield self._make_text_reply(message, catalogue.search_tools(text))
        else:
            try:
                call = catalogue.read_call(text)
            except LTONError as error:
                yield self._make_text_reply(
                    message, catalogue.write_refusal(text, error), is_error=True
                )
                return
            new_params = {**params, "name": call.name, "arguments": dict(call.arguments)}
            yield self._forward_request({**message, "params": new_params}, now)

    def _make_text_reply(self, message: RpcMessage, text: str, *, is_error: bool = False) -> Send:
        result = {"content": [{"type": "text", "text": text}], "isError": is_error}
        if find_second_era_metadata(message):
            result["resultType"] = "complete"
        return self._write_reply(message["id"], result)

    # --- from the server ------------------------------------------------------------------------

    def feed_server_message(self, message: RpcMessage, now: float) -> Iterator[Send]:
        if message.get("method") is not None:
            yield from self._iterate_forwarded(message, now)
            return
        number = message.get("id")
        if number is not None:
            number = self._match_reply_id(number)
            message = {**message, "id": number}
        listing = self._listing
        if (pending := self._take_pending(number)) or number is None:
            yield Send("client", self._rewrite_answer(message, pending), number)
        elif listing and number == listing.own_id:
            yield from self._feed_page(listing, message, now)
        # Other messages are dropped: an answer must not replace the proxy's answer.

    def _iterate_forwarded(self, message: RpcMessage, now: float) -> Iterator[Send]:
        """Forward a request or a notification of the server."""
        method = message["method"]
        listing = self._listing
        if method == "notifications/tools/list_changed":
            self._catalogue = None
            if listing:
                is_known = listing.is_stale or listing.times > 1
                listing.is_stale = True
                if is_known:  # the client was notified since its request
                    return
        elif method == "notifications/tasks" and _params_of(message):
            message = {
                **message,
                "params": self._results.shorten_result_of_task(_params_of(message)),
            }
        yield Send("client", message, self._extend_deadline(message, now))
        # Other messages are dropped: an answer must not replace the proxy's answer.

    def iterate_errors_for_unreadable(self, values: Iterable[Any]) -> Iterator[Send]:
        """Fail the requests (E824) that the server answered with invalid messages."""
        error = ServerError(Code.ANSWER, "the MCP server's answer is not a message of MCP")
        for one in map(_object_or_empty, values):
            self._unread += 1
            number = None if "method" in one else self._match_reply_id(one.get("id"))
            if self._listing and number == self._listing.own_id:
                yield from self._iterate_failures(_INTERNAL, error)
            elif number is not None and self._take_pending(number):
                yield self._fail_request(number, _INTERNAL, error)

    def _extend_deadline(self, message: RpcMessage, now: float) -> Id | None:
        """Return the request that a progress notification belongs to, and extend its deadline.

        A token that no request has may be the id of the request, or a number as a string. If only
        one request is pending, the server can only be working on that one.
        """
        token = _params_of(message).get("progressToken")
        if message["method"] != "notifications/progress" or not isinstance(token, str | int):
            return None
        for read in (lambda one: one, str):
            for number, pending in self._pending.items():
                if pending.token is not None and read(pending.token) == read(token):
                    pending.deadline = now + pending.limit_s
                    return number
        candidate = self._pending.get(token)
        if len(self._pending) == 1:
            (candidate,) = self._pending.values()
        if candidate and candidate.token is None:
            candidate.deadline = now + candidate.limit_s
        return None

    def _rewrite_answer(self, message: RpcMessage, pending: _Pending | None) -> RpcMessage:
        result = message.get("result")
        if pending is None or not isinstance(result, dict):
            return message
        if pending.method in _CALLED:
            return {**message, "result": self._results.shorten_result_of_call(result, pending.tool)}
        if pending.method == "tasks/get":
            return {**message, "result": self._results.shorten_result_of_task(result)}
        if pending.method == "tools/list" and isinstance(result.get("tools"), list):
            screened = self._approvals.screen_tools(result["tools"])
            self._results.learn_tools(screened)
            tools = [list_definition(tool, self._results.shortened) for tool in screened]
            return {**message, "result": {**result, "tools": tools}}
        return message

    # --- time, and the end ----------------------------------------------------------------------

    @property
    def deadline(self) -> float:
        times = [pending.deadline for pending in self._pending.values()]
        times += [self._listing.deadline] if self._listing else []
        return min(times, default=float("inf"))

    def flush_overdue(self, now: float) -> Iterator[Send]:
        """Fail and cancel the requests that take too long (E822)."""
        for number, late in list(self._pending.items()):
            # While these messages are sent, an answer may arrive, or the server may be lost.
            if late.deadline <= now and self._take_pending(number):
                yield self._fail_request(number, _TIMEOUT, self._make_silence_error(late.limit_s))
                yield _cancel_at_server(number)
        if self._listing and self._listing.deadline <= now:
            own = self._listing.own_id
            yield from self._iterate_failures(
                _TIMEOUT, self._make_silence_error(self._timeout_for("tools/list"))
            )
            yield _cancel_at_server(own)

    def flush_all_as_failed(self) -> Iterator[Send]:
        """Fail all requests, because the server has ended (E821)."""
        self._is_lost = True
        for number in list(self._pending):
            if self._take_pending(number):
                yield self._fail_request(number, CLOSED, make_server_gone_error())
        yield from self._iterate_failures(CLOSED, make_server_gone_error())

    def _timeout_for(self, method: str) -> float:
        return QUICK_S if method in _STARTING else min(QUICK_S, self._timeout_s)

    def _make_silence_error(self, seconds: float) -> ServerError:
        msg = f"the MCP server does not answer in {seconds:g} s"
        if self._unread:
            msg += f" (lines of its output that are not messages of MCP: {self._unread})"
        return ServerError(Code.SILENT, msg)

    def _fail_request(self, number: Id, code: int, error: LTONError) -> Send:
        return self._write_error(number, code, str(error), data={"code": str(error.code)})

    def _write_error(self, number: Id, code: int, text: str, **more: Any) -> Send:
        about = {"code": code, "message": text, **more}
        return Send("client", {"jsonrpc": "2.0", "id": number, "error": about}, number)

    def _write_reply(self, number: Id, result: RpcMessage) -> Send:
        return Send("client", {"jsonrpc": "2.0", "id": number, "result": result}, number)


def _fault_of_page(listing: _Listing, cursor: Any) -> str:
    """Return the error if a list of tools is too long or its cursor is invalid, or ""."""
    if cursor is not None and not isinstance(cursor, str):
        return "a cursor that is not a string"
    if len(listing.tools) > _TOOLS:
        return f"a list of more than {_TOOLS:,} tools"
    is_endless = cursor and (cursor in listing.cursors or len(listing.cursors) == _PAGES)
    return "a list of tools that does not end" if is_endless else ""


def _shared_metadata_of(pages: list[RpcMessage]) -> RpcMessage:
    """Return the strictest of the pages' cache rules. A page without rules must not be cached."""
    rules: RpcMessage = {}
    if any("ttlMs" in page for page in pages):
        times = [page.get("ttlMs") for page in pages]
        rules["ttlMs"] = min(max(0, one) if type(one) is int else 0 for one in times)
    if any("cacheScope" in page for page in pages):
        is_public = all(page.get("cacheScope") == "public" for page in pages)
        rules["cacheScope"] = "public" if is_public else "private"
    return rules


def _object_or_empty(value: Any) -> RpcMessage:
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)  # works even with lone surrogates
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _cancel_at_server(number: Id) -> Send:
    params = {"requestId": number, "reason": "the request took too long"}
    return Send("server", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def make_server_gone_error() -> ServerError:
    """Build the error for a server that has exited (E821)."""
    return ServerError(Code.LOST, "the MCP server has ended")


def is_listing(message: RpcMessage) -> bool:
    """Return whether a message requests the first page of the list of tools."""
    return message.get("method") == "tools/list" and not _params_of(message).get("cursor")


def _params_of(message: RpcMessage) -> RpcMessage:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def find_second_era_metadata(message: RpcMessage) -> Any:
    """Return the protocol version in a request of MCP's second era, or None."""
    return _meta_of(message).get(_VERSION)


def _meta_of(message: RpcMessage) -> RpcMessage:
    meta = _params_of(message).get("_meta")
    return meta if isinstance(meta, dict) else {}
