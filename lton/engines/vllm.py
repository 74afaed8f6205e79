"""Run a model on a vLLM server.

As with llama.cpp's server, each value is a request under a grammar, to the completions API. Strings
to weigh are sent together in one request, because the server reports the probability of each token
in a prompt. The prefix cache of the server is not used for such requests, so the server reads their
prompts again.
"""

from collections.abc import Sequence
from typing import Any, Unpack

from lton.engines import server
from lton.engines._joined_tokens import JoiningTokenizer
from lton.engines._sampled_stream import SampledStream
from lton.engines.engine import Pair
from lton.engines.server import ServerEngine
from lton.errors import Code, ContextFullError
from lton.grammar.build import Options
from lton.grammar.requests import request
from lton.schema.toolset import ToolSet


def constraint(tools: ToolSet, **options: Unpack[Options]) -> dict[str, Any]:
    """Return the request fields that let the model write only a call to one of the tools.

    The options are those of `lton.grammar.to_gbnf`.

    >>> [*constraint(ToolSet.from_prompt("stop"))["structured_outputs"]]
    ['grammar']
    """
    return request(tools, "vllm", **options)


check_grammar = server.check_grammar
complete = server.complete


class _VllmStream(SampledStream):
    def take_event(self, event: Any) -> None:
        choices = event.get("choices")
        usage = event.get("usage") or {}
        if choices == []:  # the usage of the whole answer
            return
        choice = choices[0] if choices else {}
        text = choice.get("text")
        why = choice.get("finish_reason")
        count = usage.get("completion_tokens")
        if not isinstance(text, str) or type(count) is not int:
            raise self.engine.link.make_error("an event without its fields")
        if why == "length":
            msg = f"{self.engine.base} ended it: the limit of tokens, or the context"
            raise ContextFullError(Code.CONTEXT, msg)
        if why not in (None, "stop"):
            raise self.engine.link.make_error(f"the stream ends for {why!r}")
        new = count - self.counted
        if not 0 <= new <= self.engine.limit - self.counted:
            raise self.engine.link.make_error("tokens that are not counted")
        pieces: list[bytes | None] = [text.encode()] if text else []
        if why == "stop":
            pieces.append(None)
        self.counted = count
        self.pieces += [*[b""] * (new - len(pieces)), *pieces]


class VllmEngine(ServerEngine):
    """An engine for a vLLM server. Temperature 0 is greedy; otherwise the seed decides.

    Options and errors are the same as in `ServerEngine`. `model` is the name of the model on the
    server, by default the first in its list.
    """

    path = "/v1/completions"
    kind = "vLLM"
    stream = _VllmStream

    tokenizer: JoiningTokenizer

    def __init__(self, url: str, *, model: str = "", **options: Any) -> None:
        super().__init__(url, **options)
        self.tokenizer = JoiningTokenizer(self.link, model)

    def request_body(self, gbnf: str, seed: int) -> dict[str, Any]:
        return {
            **self.tokenizer.named,
            "prompt": self.prompt_tokens,
            "max_tokens": self.limit,
            "temperature": self.temperature,
            "seed": seed,
            "structured_outputs": {"grammar": gbnf},
            "stream": True,
            "stream_options": {"include_usage": True, "continuous_usage_stats": True},
        }

    def compute_likelihoods(self, pairs: Sequence[Pair]) -> list[float]:
        prompts = [[*tokens, *text] for tokens, text in pairs]
        fixed = {"max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}
        reply = self.link.post_json(self.path, **self.tokenizer.named, prompt=prompts, **fixed)
        try:
            choices = sorted(reply["choices"], key=lambda choice: int(choice["index"]))
            self.read += int(reply["usage"]["prompt_tokens"])
            return [
                sum(
                    float(choice["prompt_logprobs"][position][str(prompt[position])]["logprob"])
                    for position in range(len(pair[0]), len(prompt))
                )
                for choice, prompt, pair in zip(choices, prompts, pairs, strict=True)
            ]
        except (LookupError, TypeError, ValueError):
            raise self.link.make_error("no probabilities of prompts") from None


load = VllmEngine
