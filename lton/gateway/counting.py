"""`POST /v1/messages/count_tokens`: what a request takes, as the model would be shown it."""

from collections.abc import Callable
from typing import Any

from lton.chat import render
from lton.gateway.apis.members import Body
from lton.gateway.apis.messages import read_messages
from lton.gateway.apis.requests import ClientRequest


class TokenCounting:
    """The endpoint. `count` gets the tokens of a text; images and files count nothing.

    With `primer` the model is shown how calls are written, as where no grammar says it; `shown`
    gets a request with its tools as they are shown.

    >>> TokenCounting(len).begin({"messages": [{"role": "user", "content": "Hi"}]})
    {'input_tokens': 2}
    """

    def __init__(
        self,
        count: Callable[[str], int],
        *,
        primer: bool = True,
        shown: Callable[[ClientRequest], ClientRequest] = lambda request: request,
    ) -> None:
        self.count, self.primer, self.shown = count, primer, shown

    def begin(self, body: Body, sent: object = None) -> dict[str, Any]:
        del sent
        request = self.shown(read_messages(body))
        shown = render(request.messages, request.tools, primer=self.primer).messages
        return {"input_tokens": self.count("\n".join(each.text for each in shown))}

    def record(self, exchange: object) -> None:
        """Take note of nothing: no model is asked."""
