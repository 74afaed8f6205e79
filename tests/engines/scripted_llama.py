"""A llama.cpp server with a small vocabulary, which obeys grammars of tokens.

Its answers have the form of those in `llama_server.jsonl`, which a real server has given. A token
is a byte, and the names of two special tokens are one token each. The log-probability of a token is
its number, divided by -8.
"""

import re
from typing import Any

SPECIAL = {"<|end|>": 0x100, "<|user|>": 0x101, "<|assistant|>": 0x102, "<|system|>": 0x103}
_NAMES = {token: name for name, token in SPECIAL.items()}
_ITEM = re.compile(r'<\[(\d+)\]>|"([^"]*)"')


def tokens_of(text: str, *, special: bool) -> list[int]:
    names = "|".join(map(re.escape, SPECIAL)) if special else r"(?!)"
    parts = re.split(f"({names})", text)
    return [token for part in parts for token in _tokens_of_part(part, special=special)]


def _tokens_of_part(part: str, *, special: bool) -> list[int]:
    return [SPECIAL[part]] if special and part in SPECIAL else [*part.encode()]


def log_probability(token: int) -> float:
    return -token / 8


class ScriptedLlama:
    """Answers like a llama.cpp server. The flags tell what an older server does not have."""

    def __init__(self, *, forces: bool = True, batches: bool = True, pieces: bool = True) -> None:
        self.forces = forces
        self.batches = batches
        self.pieces = pieces

    def __call__(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/apply-template":
            turns = [
                f"<|{message['role']}|>{message['content']}<|end|>" for message in body["messages"]
            ]
            return 200, {"prompt": "".join(turns) + "<|assistant|>"}
        if path == "/tokenize":
            return self.tokenize(body)
        assert path == "/completion"
        return self.complete(body)

    def tokenize(self, body: dict[str, Any]) -> tuple[int, Any]:
        content = body["content"]
        if isinstance(content, list) and not self.batches and -1 in content:
            return 400, {"error": {"message": "type must be string", "code": 400}}
        ids: list[int] = []
        for part in content if isinstance(content, list) else [content]:
            is_text = isinstance(part, str)
            special = body.get("parse_special", True)
            ids += tokens_of(part, special=special) if is_text else [part]
        if body.get("with_pieces") and self.pieces:
            assert -1 not in ids  # a real server fails
            return 200, {"tokens": [{"id": token, "piece": _piece(token)} for token in ids]}
        return 200, {"tokens": ids}

    def complete(self, body: dict[str, Any]) -> tuple[int, Any]:
        prompts = body["prompt"]
        is_batch = isinstance(prompts[0], list)
        if (gbnf := body.get("grammar")) is None:
            [[forced, _]] = body["logit_bias"]
            sampled = [forced]
        elif not self.forces:
            message = "Failed to initialize samplers: failed to parse grammar"
            return 400, {"error": {"message": message, "code": 400}}
        else:
            items = _ITEM.findall(gbnf)
            assert not any(number and int(number) in _NAMES for number, _ in items)
            biased = {token for token, _ in body["logit_bias"]}
            sampled = []
            for number, text in items:
                output = [int(number)] if number else [*json_text(text).encode()]
                assert number or biased >= {*output}
                sampled += output
            assert len(sampled) == body["n_predict"]
        entries = _entries(sampled)
        probabilities = {"completion_probabilities": entries} if entries else {}
        replies = [
            {**probabilities, "index": index, "timings": {"prompt_n": 2}}
            for index in range(len(prompts) if is_batch else 1)
        ]
        return 200, replies[::-1] if is_batch else replies[0]


def json_text(gbnf: str) -> str:
    """Return the text of a literal in a grammar."""
    return "".join(chr(int(code, 16)) for code in re.findall(r"\\U([0-9A-F]{8})", gbnf))


def _piece(token: int) -> Any:
    if token in _NAMES:
        return _NAMES[token]
    return chr(token) if token < 0x80 else [token]


def _entries(sampled: list[int]) -> list[dict[str, Any]]:
    """Return the probabilities of tokens, except those after which a character is incomplete."""
    entries = []
    text = b""
    for token in sampled:
        if token not in _NAMES:
            text += bytes([token])
        try:
            text.decode()
        except UnicodeDecodeError:
            continue
        entries.append({"id": token, "token": "", "logprob": log_probability(token)})
    return entries
