"""What the gateway and its clients say to each other besides answers: errors, in OpenAI's shape."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton._json import minified
from lton.errors import ConversionError

BODY_MEMORY_MB = 512
"""For all requests that are read or answered at a time."""
EMPTY = "empty_answer"
"""The code of an answer that says nothing."""
ErrorType: TypeAlias = Literal[
    "invalid_request_error",
    "authentication_error",
    "rate_limit_error",
    "server_error",
    "upstream_error",
]


@dataclass(eq=False)
class RefusedError(Exception):
    """A request that gets no answer: the status, and what OpenAI's clients read of an error.

    >>> RefusedError(400, "no such tool", param="tool_choice").body["error"]["param"]
    'tool_choice'
    """

    status: int
    message: str
    type: ErrorType = "invalid_request_error"
    param: str | None = None
    code: str | None = None
    retry_after: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """More headers of the answer."""
    given: Any = None
    """What an upstream said in its own words, which is passed on instead."""
    partial: str = ""
    """The text that came before the error: no answer, but what there is of one."""

    @property
    def body(self) -> dict[str, Any]:
        """The JSON of the answer."""
        error = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        body = self.given if isinstance(self.given, dict) else {"error": error}
        return {**body, "partial": self.partial} if self.partial else body


def unsupported(param: str, why: str) -> RefusedError:
    """Get the refusal of a parameter, by its name.

    >>> unsupported("background", "answers are not kept").code
    'unsupported_parameter'
    """
    message = f"{param} is not supported: {why}"
    return RefusedError(400, message, param=param, code="unsupported_parameter")


@contextmanager
def conversions_refused() -> Iterator[None]:
    """Refuse a request of which another API cannot say a part."""
    try:
        yield
    except ConversionError as error:
        words = f"{error}: use a server that has the API of this client"
        code = "unsupported_parameter"
        raise RefusedError(400, words, param="messages", code=code) from None


def odd_answer(key: str, found: object) -> RefusedError:
    """Get the refusal of what an upstream sent under a key, with its beginning.

    >>> odd_answer("choices", 5).message
    "the upstream sent 'choices' that cannot be given on: 5"
    """
    words = f"the upstream sent {key!r} that cannot be given on: {minified(found)[:60]}"
    return RefusedError(502, words, "upstream_error")


def broken_off() -> RefusedError:
    """Return the refusal of a stream that ended before its answer did."""
    words = "the upstream broke off in the middle of its answer"
    return RefusedError(502, words, "upstream_error")


def odd_event(error: ConversionError) -> RefusedError:
    """Get the refusal of what a server sent, and nobody can read."""
    return RefusedError(502, error.msg, "upstream_error")
