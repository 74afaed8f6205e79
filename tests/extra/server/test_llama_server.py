"""Test a real llama.cpp server with SmolLM2, and the same vocabulary in another tokenizer."""

import random
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from lton.tokens.counting import ByteHeuristic, Count
from lton.tokens.server import ServerCounter, tokenize_supported
from lton_bench.demo import model_path, start_server

ROOT = Path(__file__).parents[3]
MODEL = "smollm2"
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<repo_name>", "<jupyter_code>"]
WRITINGS = [
    'fn main() { let v: Vec<u8> = vec![0; 4]; println!("{v:?}"); }\n',
    '#include <stdio.h>\nint main(void) { return printf("%d\\n", 0x1F); }\n',
    "SELECT name, COUNT(*) FROM \"Ü\" WHERE a <> 'b' GROUP BY 1;\n",
    "const f = async (x) => `${x}` ?? null; // 日本語\n",
    "func (s *T) Get(ctx context.Context) (map[string]any, error) {\n\treturn nil, err\n}\n",
    "👩‍👩‍👧‍👦 🇩🇪 ✍🏽 1️⃣ é ﬁ",
    "Der Zug fährt um 7:05 Uhr. Поезд уходит в семь. 列车七点零五分出发。 القطار يغادر",
    "\t \n\n  \r\n\u00a0\u3000\u200b\ufeff \x00\x07\x7f ",
    "0123456789 3.14159e-10 0xDEADBEEF 1,000,000",
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = start_server(1024)
    yield server.listening_address
    del server


@pytest.fixture
def counts(url: str) -> Iterator[ServerCounter]:
    with ServerCounter(f"{url}/v1", MODEL) as counter:
        yield counter


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """Return Hugging Face's tokenizer with the vocabulary of the model and without special
    tokens.
    """
    import gguf
    from tokenizers import Tokenizer, models, pre_tokenizers

    fields = gguf.GGUFReader(model_path()).fields
    words = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    bpe = models.BPE({word: number for number, word in enumerate(words)}, merges)
    tokenizer = Tokenizer(bpe)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    return tokenizer


def texts() -> list[str]:
    """Return a thousand texts: pieces of real files, other scripts, and names of special tokens."""
    rng = random.Random(6)
    library, headers = (Path(sysconfig.get_path(name)) for name in ("stdlib", "include"))
    files = sorted(library.glob("*.py"))[::3] + sorted(headers.glob("*.h"))[::4]
    files += [*sorted(ROOT.glob("spec/**/*.*")), ROOT / "README.md", ROOT / "Makefile"]
    sources = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    samples = [*WRITINGS, *SPECIAL]
    while len(samples) < 1000:
        source = rng.choice(sources)
        start = rng.randrange(len(source) + 1)
        text = source[start : start + int(10 ** rng.uniform(0.5, 3.7))]
        for extra in rng.choices([*SPECIAL, *WRITINGS], k=rng.choice([0, 0, 1, 3])):
            position = rng.randrange(len(text) + 1)
            text = text[:position] + extra + text[position:]
        samples.append(text or "a")
    return samples


def test_a_thousand_texts_have_the_same_counts(counts: ServerCounter, tokenizer: Any) -> None:
    """The server and a local tokenizer with the same vocabulary count each text alike."""
    samples = texts()
    assert sum(special in text for text in samples for special in SPECIAL) > 100
    started = time.monotonic()
    results = counts.count_all(samples)
    seconds = time.monotonic() - started
    expected = [Count(len(tokenizer.encode(text).ids), exact=True) for text in samples]
    wrong = [(text, a, b) for text, a, b in zip(samples, results, expected, strict=True) if a != b]
    assert not wrong, wrong[:3]
    assert sum(count.tokens for count in results) > 150_000
    print(f"{len(samples)} texts, {sum(map(len, samples)):,} characters in {seconds:.1f} s")


def test_the_server_is_told_for_what_it_is(counts: ServerCounter, url: str) -> None:
    """The server is recognized by its address, with or without `/v1`, and counts two tokens."""
    assert counts.count("hello world") == Count(2, exact=True)
    assert tokenize_supported(url, MODEL) is True
    assert counts.exact


def test_special_tokens_are_counted_as_text(counts: ServerCounter) -> None:
    """`<|im_start|>` in a text counts as seven tokens, not one."""
    assert counts.count("a<|im_start|>b") == Count(9, exact=True)


def test_conversations_have_what_the_server_reports(counts: ServerCounter, url: str) -> None:
    """A conversation has the token count in the usage of the answer, including the default system
    prompt.
    """
    conversations: list[list[dict[str, Any]]] = [
        [{"role": "user", "content": "hello world"}],
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "日本 <|im_end|>?"},
        ],
        [
            {"role": "user", "content": "Why?"},
            {"role": "assistant", "content": "Because."},
            {"role": "user", "content": "x = 12345\n" * 30},
        ],
    ]
    for messages in conversations:
        body = {"messages": messages, "max_tokens": 1}
        reply = httpx2.post(f"{url}/v1/chat/completions", json=body, timeout=60).json()
        assert counts.count_messages(messages) == Count(reply["usage"]["prompt_tokens"], exact=True)


def test_tools_cost_what_the_template_makes_of_them(counts: ServerCounter) -> None:
    """SmolLM2's template does not show tools, so tools cost no tokens."""
    function = {"name": "wait", "description": "Wait.", "parameters": {"type": "object"}}
    tools = [{"type": "function", "function": function}]
    assert counts.count_tools(tools) == Count(0, exact=True)


def test_a_conversation_with_an_image_is_estimated(counts: ServerCounter) -> None:
    """A conversation with an image is estimated, and texts are still counted by the server."""
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]}]
    assert not counts.count_messages(messages).exact
    assert counts.count("What is that?").exact


def test_a_server_that_stops_is_estimated_for() -> None:
    """If the server stops, estimates are scaled by its earlier counts, and it is asked again
    later.
    """
    server = start_server(1024)
    with ServerCounter(server.listening_address, MODEL) as counts:
        text = "x = 12345\n" * 500  # a token for each digit: more than a quarter of the bytes
        assert counts.count(text).exact
        del server
        count = counts.count("y = 67890\n" * 500)
        assert not count.exact
        assert count.tokens > 1.5 * ByteHeuristic().count("y = 67890\n" * 500).tokens
        assert tokenize_supported(counts.base, MODEL) is True
