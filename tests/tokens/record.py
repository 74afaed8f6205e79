"""Record the token counts of a real llama.cpp server for the tests.

    python -m tests.tokens.record smollm2=MODEL.gguf gemma3=MODEL.gguf

This needs `xllamacpp`. The texts are pieces of this repository's documents, or consist of
characters that tokenizers find hard; earlier texts are counted again.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

RECORDED = Path(__file__).with_name("llama_cpp.jsonl")
ROOT = Path(__file__).parent.parent.parent
COUNT = 300
HARD = [
    *map(chr, range(0x20)),
    *"é\u0301\u200d\ufe0f\u3000\xa0\u2028\x85👩🦙ﬁ½½한글你好かな中नमस्तेשלום🚀\U0001f3fd",
]


def main() -> None:
    """Write the texts, each with its count by each model."""
    rows: list[dict[str, Any]] = [{"text": text} for text in _texts()]
    for port, argument in enumerate(sys.argv[1:], start=18450):
        name, _, model = argument.partition("=")
        server = _start(model, port)
        for row in rows:
            row[name] = _count(server.listening_address, row["text"])
    lines = (json.dumps(row, ensure_ascii=True) for row in rows)
    RECORDED.write_text("\n".join(lines) + "\n", "utf-8")


def _texts() -> list[str]:
    if RECORDED.exists():
        return [json.loads(line)["text"] for line in RECORDED.read_text("utf-8").splitlines()]
    chance = random.Random(6)
    sources = [path.read_text("utf-8") for path in ROOT.glob("*.md")]
    sources += [path.read_text("utf-8") for path in ROOT.glob("lton/*.py")]
    sources += ["".join(chance.choices([*HARD, *"ab 1\n"], k=5000)) for _ in range(len(sources))]
    sources += ["<|im_start|>user\nhi<|im_end|><bos><end_of_turn></s><unk>\n\n\n    \t\t" * 20]
    texts = ["hello world", "", " ", "  "]
    while len(texts) < COUNT:
        source, size = chance.choice(sources), chance.choice([3, 20, 60, 200])
        start = chance.randrange(max(1, len(source) - size))
        texts.append(source[start : start + size])
    return texts


def _start(model: str, port: int) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.port, params.n_ctx, params.warmup = model, port, 512, False
    return xllamacpp.Server(params)


def _count(address: str, text: str) -> int:
    body = json.dumps({"content": text, "add_special": False, "parse_special": False}).encode()
    request = Request(f"{address}/tokenize", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as reply:
        return len(json.load(reply)["tokens"])


if __name__ == "__main__":
    main()
