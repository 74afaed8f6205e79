"""Check native calls against their schemas, each call once for a request."""

from lton._json import read_json
from lton.codec import encode
from lton.errors import LTONError
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

FITS = "fits"
NOT_JSON = "not_json"


class CallChecks:
    """Checks calls, and keeps the outcomes.

    A call is checked where it ends, before the model is asked again, and for the log.
    """

    def __init__(self, tools: ToolSet) -> None:
        self._tools = tools
        self._outcomes: dict[tuple[str, str], tuple[str, str]] = {}

    def outcome_of_call(self, name: str, arguments: str) -> tuple[str, str]:
        """Return `FITS`, or the code and message of the error if a call breaks its schema.

        Arguments that are not a JSON object give `NOT_JSON`.
        """
        call = (name, arguments)
        if call not in self._outcomes:
            self._outcomes[call] = _outcome_of_call(name, arguments, self._tools)
        return self._outcomes[call]


def _outcome_of_call(name: str, arguments: str, tools: ToolSet) -> tuple[str, str]:
    try:
        values = read_json(arguments or "{}")
        if isinstance(values, dict):
            encode(Call(name, values), tools)
            return FITS, ""
    except LTONError as error:
        return str(error.code), str(error)
    except (ValueError, RecursionError):
        pass
    return NOT_JSON, f"expected a JSON object of arguments, found {arguments[:200]!r}"
