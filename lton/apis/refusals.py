"""Define the gateway's errors, in the format of OpenAI's API."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton._json import minified
from lton.apis.endings import ending_of
from lton.errors import ConversionError

BODY_MEMORY_MB = 512  # for all requests in progress together
FAILED = "failed_answer"  # the code of an answer that did not end as answers do
EMPTY = "empty_answer"  # the code of an empty answer
UNREAD = "unread_call"  # the model is asked again with the error; no client gets this code
DOUBTED = "doubted_call"  # the answer has a call that may be unneeded; no client gets this code
MISSING = "missing_call"  # the second answer lacks a required call, too; no client gets this code
STRICT = "strict_refused"  # a server refuses strict tools; no client gets this code
ErrorType: TypeAlias = Literal[
    "invalid_request_error",
    "authentication_error",
    "rate_limit_error",
    "server_error",
    "upstream_error",
]


@dataclass(eq=False)
class RefusedError(Exception):
    """The error response to a request: its status, and its body in the format of OpenAI's API."""

    status: int
    message: str
    type: ErrorType = "invalid_request_error"
    param: str | None = None
    code: str | None = None
    retry_after: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    upstream_error: Any = None  # the upstream's own error, which is passed on instead
    partial: str = ""  # the text that came before the error

    @property
    def body(self) -> dict[str, Any]:
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        body = self.upstream_error if isinstance(self.upstream_error, dict) else {"error": error}
        return {**body, "partial": self.partial} if self.partial else body


def require_known_reason(reason: str) -> str:
    """Return the reason for which an answer ended. Raises `RefusedError` (502) if it is unknown."""
    try:
        return ending_of(reason).chat
    except ConversionError as error:
        words = f"the upstream's answer may be incomplete: {error}"
        raise RefusedError(502, words, "upstream_error", code=FAILED) from None


def make_unsupported_error(param: str, why: str) -> RefusedError:
    """Return the error for an unsupported parameter."""
    message = f"{param} is not supported: {why}"
    return RefusedError(400, message, param=param, code="unsupported_parameter")


@contextmanager
def turning_conversion_errors_into_refusals(param: str) -> Iterator[None]:
    """Convert a `ConversionError` to a `RefusedError` about a member of the client's request."""
    try:
        yield
    except ConversionError as error:
        words = f"{error}: use a server that has the API of this client"
        code = "unsupported_parameter"
        raise RefusedError(400, words, param=param, code=code) from None


def make_odd_answer_error(key: str, value: object) -> RefusedError:
    """Return the error for an unexpected value in an upstream's answer."""
    words = f"the upstream sent {key!r} that cannot be passed on: {minified(value)[:60]}"
    return RefusedError(502, words, "upstream_error")


def make_broken_off_error() -> RefusedError:
    """Return the error for a stream that ended before the answer was complete."""
    words = "the upstream broke off in the middle of its answer"
    return RefusedError(502, words, "upstream_error")


def make_odd_event_error(error: ConversionError) -> RefusedError:
    """Return the error for an event that cannot be parsed."""
    return RefusedError(502, error.msg, "upstream_error")
