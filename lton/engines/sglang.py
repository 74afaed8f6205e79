"""Run a model on an SGLang server, with the server's own path `/generate`.

As with vLLM, each value is a request under a grammar, and texts to weigh are sent together in one
request. The server reports the probabilities of the tokens of a prompt from a given position on, so
it can use its cache for the tokens before.

The fields are those of SGLang's `GenerateReqInput` and `TokenizeRequest`. This engine was tried
against a scripted server only. It needs a server whose `/tokenize` accepts messages; older ones
accept only text, and have no other path for the template of a chat.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

from lton.engines import server
from lton.engines._joined_tokens import JoiningTokenizer
from lton.engines._sampled_stream import SampledStream
from lton.engines._server_tokens import Tokens
from lton.engines.engine import Pair
from lton.engines.server import ServerEngine
from lton.errors import Code, ContextFullError, LTONError
from lton.grammar.build import Options
from lton.grammar.requests import request
from lton.schema.toolset import ToolSet


def constraint(tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    """Return the request fields that let the model write only a call to one of the tools.

    The options are those of `lton.grammar.to_gbnf`.

    >>> [*constraint(ToolSet.from_prompt("stop"))]
    ['ebnf']
    """
    return request(tools, "sglang", **options)


check_grammar = server.check_grammar
complete = server.complete


class _SglangStream(SampledStream):
    """A stream whose events have the whole text so far, or with a server's option only its end."""

    output = ""
    """The whole text so far."""

    def take_event(self, event: Any) -> None:
        match event:
            case {"text": str(text), "meta_info": {"completion_tokens": int(count)} as meta}:
                reason = meta.get("finish_reason") or {}
            case _:
                raise self.engine.link.make_error("an event without its fields")
        kind = reason.get("type") if isinstance(reason, dict) else reason
        if kind == "length":
            msg = f"{self.engine.base} ended it: the limit of tokens, or the context"
            raise ContextFullError(Code.CONTEXT, msg)
        if kind not in (None, "stop"):
            raise self._make_refusal(reason)
        new = count - self.counted
        if not 0 <= new <= self.engine.limit - self.counted:
            raise self.engine.link.make_error("tokens that are not counted")
        tokens = event.get("output_ids")
        if not isinstance(tokens, list) or len(tokens) == count:  # of the whole text
            text = text.removeprefix(self.output)
        self.output += text
        pieces: list[bytes | None] = []
        if text:
            pieces.append(text.encode())
        if kind == "stop":
            pieces.append(None)
        self.counted = count
        self.pieces += [*[b""] * (new - len(pieces)), *pieces]

    def _make_refusal(self, error: Any) -> LTONError:
        refusal = super()._make_refusal(error)
        if "context length" in refusal.msg:
            return ContextFullError(Code.CONTEXT, refusal.msg)
        return refusal


class SglangTokenizer(JoiningTokenizer):
    """Tokenizes chats and texts with an SGLang server, which accepts several texts."""

    detokenizing: ClassVar[Mapping[str, Any]] = {"skip_special_tokens": False}
    detokenized: ClassVar[str] = "text"

    def ask_for_batch(self, texts: Sequence[str], *, special: bool) -> list[Tokens]:
        if len(texts) == 1:
            return [self.ask_for_tokens(texts[0], special=special)]
        body: dict[str, Any] = {"prompt": list(texts), "add_special_tokens": False}
        reply = self.link.post_json("/tokenize", **self.named, **body)
        listed = reply.get("tokens") if isinstance(reply, dict) else None
        if not isinstance(listed, list) or len(listed) != len(texts):
            raise self.link.make_error("no tokens")
        return [self.tokens_of({"tokens": tokens}) for tokens in listed]


class SglangEngine(ServerEngine):
    """An engine for an SGLang server. Temperature 0 is greedy; otherwise the seed decides.

    A server uses seeds only with its option `--enable-deterministic-inference`. Other options and
    errors are the same as in `ServerEngine`. `model` is the name of the model on the server, by
    default the first in its list.
    """

    path = "/generate"
    kind = "SGLang"
    stream = _SglangStream

    def __init__(self, url: str, *, model: str = "", **options: Any) -> None:
        super().__init__(url, **options)
        self.tokenizer = SglangTokenizer(self.link, model)

    def request_body(self, gbnf: str, seed: int) -> dict[str, Any]:
        sampling = {
            "ebnf": gbnf,
            "max_new_tokens": self.limit,
            "temperature": self.temperature,
        }
        if self.temperature > 0:
            sampling["sampling_seed"] = seed
        return {"input_ids": self.prompt_tokens, "sampling_params": sampling, "stream": True}

    def compute_likelihoods(self, pairs: Sequence[Pair]) -> list[float]:
        body = {
            "input_ids": [[*context, *text] for context, text in pairs],
            "sampling_params": {"max_new_tokens": 0, "temperature": 0},
            "return_logprob": True,
            # The first reported token has no probability.
            "logprob_start_len": [max(len(context) - 1, 0) for context, _ in pairs],
        }
        reply = self.link.post_json(self.path, **body)
        try:
            return [
                self._sum_of_last(answer["meta_info"], len(text))
                for answer, (_, text) in zip(reply, pairs, strict=True)
            ]
        except (LookupError, TypeError, ValueError):
            raise self.link.make_error("no probabilities of prompts") from None

    def _sum_of_last(self, meta: Mapping[str, Any], count: int) -> float:
        """Return the sum of the log-probabilities of a prompt's last tokens."""
        listed = meta["input_token_logprobs"]
        if len(listed) < count:
            raise ValueError(count)
        self.read += int(meta["prompt_tokens"]) - int(meta.get("cached_tokens", 0))
        return sum(float(entry[0]) for entry in listed[len(listed) - count :])


load = SglangEngine
