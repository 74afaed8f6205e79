"""Read the requests of clients of one API and write the answers, with the gateway's options."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lton.apis.answers import AnswerWriter
from lton.apis.api import Api
from lton.apis.client_requests import ClientRequest
from lton.apis.members import Body


@dataclass(frozen=True)
class ClientApi:
    """The API of a client. `repeat` allows repeated calls by default."""

    api: Api
    repeat: bool = False

    def read_request(self, body: Body) -> ClientRequest:
        return self.api.read_request(body, repeat=self.repeat)

    def make_writer(
        self,
        request: ClientRequest,
        spaces: Mapping[str, str] = MappingProxyType({}),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> AnswerWriter:
        """Return the writer for an answer.

        `spaces` maps functions to their namespaces, and `names` to the client's names.
        """
        return self.api.make_writer(request, spaces, names)
