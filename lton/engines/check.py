"""Check whether a server applies the grammar in a request.

If a server does not recognize the constraint in a request, it silently generates without one.
"""

from typing import Any

from lton._http import Asker, run
from lton.errors import Code, ServerError
from lton.grammar.requests import WORD, Server, probe

TIMEOUT_S = 60.0
_TOKENS = 16
_QUESTION = {"role": "user", "content": "Say hello."}


def ask_under_constraint(
    url: str,
    server: Server,
    *,
    dialect: str | None = None,
    key: str = "",
    timeout_s: float = TIMEOUT_S,
) -> str:
    """Ask a model under a grammar that allows only one unusual word, and return its answer.

    `url` is the address of the server, with or without `/v1`, and `key` its API key. The model is
    the first in the server's list. Raises `ServerError` if the server cannot be reached, refuses
    the request or gives another answer, and `ValueError` if this kind of server has no field for
    grammars in chat completions.
    """
    fields = probe(server, dialect=dialect)
    if server == "openai":
        raise ValueError("the check asks for chat completions: use openai-chat")
    base = url.rstrip("/").removesuffix("/v1")
    answer = run(_ask_model(Asker(None, timeout_s, key), base, fields))
    match answer:
        case {"choices": [{"message": {"tool_calls": [{"custom": {"input": str(output)}}]}}]}:
            return output
        case {"choices": [{"message": {"content": str(output)}}]}:
            return output
    raise ServerError(Code.SERVER, f"{url}: expected a chat completion, found another answer")


def shows_applied_grammar(output: str) -> bool:
    """Return whether a model's output shows that the grammar was applied."""
    return output.strip() == WORD


async def _ask_model(asker: Asker, base: str, fields: dict[str, Any]) -> Any:
    try:
        match await asker.get(f"{base}/v1/models"):
            case {"data": [{"id": str(model)}, *_]}:
                pass
            case _:
                model = ""
        body = {"model": model, "messages": [_QUESTION], "max_tokens": _TOKENS, "temperature": 0}
        return await asker.post(f"{base}/v1/chat/completions", {**body, **fields})
    finally:
        await asker.close()
