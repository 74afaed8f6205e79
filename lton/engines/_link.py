"""Send the requests of an engine to its server."""

from dataclasses import dataclass
from typing import Any

from lton._http import Asker, run
from lton.errors import Code, ServerError


@dataclass(frozen=True, slots=True)
class Link:
    """The connection to a server: its address, and the kind of server that is expected."""

    base: str
    kind: str
    asker: Asker

    def post_json(self, path: str, **body: Any) -> Any:
        """Post a JSON body and return the decoded JSON response. Raises `NoAnswerError`."""
        return run(self.asker.post(self.base + path, body))

    def make_error(self, what: str) -> ServerError:
        """Return the error for an answer that this kind of server does not give."""
        return ServerError(Code.SERVER, f"{self.base} does not answer like {self.kind}: {what}")
