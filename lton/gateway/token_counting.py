"""`POST /v1/messages/count_tokens`: count the tokens of a request as the model would see it."""

from collections.abc import Callable
from typing import Any

from lton.chat import render
from lton.gateway.apis.client_requests import ClientRequest, read_messages
from lton.gateway.apis.members import Body


class TokenCounting:
    """The endpoint that counts tokens. `count` counts the tokens of a string. Images and files are
    not counted.

    If `primer` returns true, the prompt explains calls, as it does without a grammar. `shown` may
    change the tools.

    >>> TokenCounting(len).begin({"messages": [{"role": "user", "content": "Hi"}]})
    {'input_tokens': 2}
    """

    def __init__(
        self,
        count: Callable[[str], int],
        *,
        primer: Callable[[], bool] = lambda: True,
        shown: Callable[[ClientRequest], ClientRequest] = lambda request: request,
    ) -> None:
        self.count, self.primer, self.shown = count, primer, shown

    def begin(self, body: Body, sent: object = None) -> dict[str, Any]:
        del sent
        request = self.shown(read_messages(body))
        shown = render(request.messages, request.tools, primer=self.primer()).messages
        return {"input_tokens": self.count("\n".join(each.text for each in shown))}

    def record(self, exchange: object) -> None: ...
