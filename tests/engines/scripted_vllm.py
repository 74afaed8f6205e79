"""A vLLM server with a small vocabulary: the requests and the fields that an engine uses.

The fields are those of vLLM 0.32: `TokenizeResponse`, `DetokenizeResponse` and `CompletionResponse`
in vllm/entrypoints. A token is a byte, and names of special tokens are one token each.
"""

import json
import re
from typing import Any

from tests.engines.scripted_llama import log_probability
from tests.tokens.faulty import Handler, Write

SPECIAL = {"<|end|>": 0x100, "<|user|>": 0x101, "<|assistant|>": 0x102, "</s>": 0x103}
_NAMES = {token: name for name, token in SPECIAL.items()}


def tokens_of(text: str) -> list[int]:
    parts = re.split("({})".format("|".join(map(re.escape, SPECIAL))), text)
    nested = [[SPECIAL[part]] if part in SPECIAL else [*part.encode()] for part in parts]
    return [token for tokens in nested for token in tokens]


def text_of(tokens: list[int]) -> str:
    pieces = [_NAMES[token].encode() if token in _NAMES else bytes([token]) for token in tokens]
    return b"".join(pieces).decode()


def template(messages: list[dict[str, Any]]) -> str:
    turns = [f"<|{message['role']}|>{message['content']}<|end|>" for message in messages]
    return "".join(turns) + "<|assistant|>"


class ScriptedVllm:
    """Answers like a vLLM server; the pieces are the texts that the model samples, in turn."""

    def __init__(self, *pieces: str, detokenizes: bool = True, separates: bool = True) -> None:
        self.pieces = list(pieces)
        self.detokenizes = detokenizes
        self.separates = separates

    def __call__(self, path: str, body: dict[str, Any]) -> tuple[int, Any] | Write:
        if path == "/v1/models":
            return 200, {"object": "list", "data": [{"id": "m"}]}
        assert body["model"] == "m"
        if path == "/tokenize":
            is_chat = "messages" in body
            text = template(body["messages"]) if is_chat else body["prompt"]
            tokens = tokens_of(text)
            if not self.separates:
                tokens = [token for token in tokens if token != SPECIAL["</s>"]]
            return 200, {"count": len(tokens), "max_model_len": 4096, "tokens": tokens}
        if path == "/detokenize":
            text = text_of(body["tokens"])
            return (200, {"prompt": text}) if self.detokenizes else (404, {"detail": "Not Found"})
        assert path == "/v1/completions"
        return self.stream() if body.get("stream") else self.score(body)

    def score(self, body: dict[str, Any]) -> tuple[int, Any]:
        prompts = body["prompt"]
        choices = []
        for index, prompt in enumerate(prompts):
            listed = [{str(token): {"logprob": log_probability(token)}} for token in prompt[1:]]
            choices.append({"index": index, "text": "?", "prompt_logprobs": [None, *listed]})
        usage = {"prompt_tokens": sum(map(len, prompts)), "completion_tokens": len(prompts)}
        return 200, {"object": "text_completion", "choices": choices[::-1], "usage": usage}

    def stream(self) -> Write:
        piece = self.pieces.pop(0)

        def write(handler: Handler) -> None:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            choice = {"index": 0, "text": piece, "finish_reason": None}
            event = {"choices": [choice], "usage": {"completion_tokens": 1}}
            handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            handler.wfile.flush()

        return write
