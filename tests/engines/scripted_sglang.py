"""An SGLang server with a small vocabulary: the requests and the fields that an engine uses.

The fields are those of SGLang's `GenerateReqInput`, `TokenizeRequest` and `DetokenizeRequest`. An
event of a stream has the whole text so far, and with the server's option only the new text.
"""

import json
from typing import Any

from tests.engines.scripted_llama import log_probability
from tests.engines.scripted_vllm import template, text_of, tokens_of
from tests.tokens.faulty import Handler, Write


class ScriptedSglang:
    """Answers like an SGLang server. `answers` are the pieces of each sampled text, in turn."""

    def __init__(self, *answers: list[str], is_incremental: bool = False) -> None:
        self.answers = list(answers)
        self.is_incremental = is_incremental
        self.reason: Any = None
        """The reason why the streams end."""
        self.error: Any = None
        """What streams answer instead."""

    def __call__(self, path: str, body: dict[str, Any]) -> tuple[int, Any] | Write:
        if path == "/v1/models":
            return 200, {"object": "list", "data": [{"id": "m", "owned_by": "sglang"}]}
        if path == "/tokenize":
            return 200, self.tokenize(body)
        if path == "/detokenize":
            assert body["skip_special_tokens"] is False
            return 200, {"text": text_of(body["tokens"])}
        assert path == "/generate"
        if body.get("stream"):
            return (400, {"error": self.error}) if self.error else self.stream(body)
        return 200, self.score(body)

    def tokenize(self, body: dict[str, Any]) -> dict[str, Any]:
        if "messages" in body:
            tokens: Any = tokens_of(template(body["messages"]))
        elif isinstance(body["prompt"], list):
            tokens = [tokens_of(text) for text in body["prompt"]]
            return {"tokens": tokens, "count": [*map(len, tokens)], "max_model_len": 4096}
        else:
            tokens = tokens_of(body["prompt"])
        return {"tokens": tokens, "count": len(tokens), "max_model_len": 4096}

    def score(self, body: dict[str, Any]) -> list[Any]:
        assert body["sampling_params"]["max_new_tokens"] == 0
        assert body["return_logprob"] is True
        answers = []
        for prompt, start in zip(body["input_ids"], body["logprob_start_len"], strict=True):
            log_probabilities = [
                [log_probability(token), token, None] for token in prompt[start + 1 :]
            ]
            meta = {
                "prompt_tokens": len(prompt),
                "cached_tokens": start,
                "input_token_logprobs": [[None, prompt[start], None], *log_probabilities],
            }
            answers.append({"text": "", "meta_info": meta})
        return answers

    def stream(self, body: dict[str, Any]) -> Write:
        assert "root ::=" in body["sampling_params"]["ebnf"]
        pieces = self.answers.pop(0)

        def write(handler: Handler) -> None:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for number, piece in enumerate(pieces, 1):
                reason = self.reason if number == len(pieces) else None
                event = {
                    "text": piece if self.is_incremental else "".join(pieces[:number]),
                    "output_ids": [7] if self.is_incremental else [7] * number,
                    "meta_info": {"finish_reason": reason, "completion_tokens": number},
                }
                handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            handler.wfile.write(b"data: [DONE]\n\n")
            handler.wfile.flush()

        return write
