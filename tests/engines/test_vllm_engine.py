"""Test the engine for vLLM without a server: its requests, tokens and likelihoods."""

from typing import Any

import pytest

from lton import Call, LTONError, ToolSet
from lton.engines.engine import prefetch
from lton.engines.vllm import VllmEngine
from lton.errors import Code
from lton.generate import ask
from tests.engines.scripted_llama import log_probability
from tests.engines.scripted_vllm import ScriptedVllm, template, tokens_of
from tests.tokens.faulty import serving

CHATS = [[{"role": "user", "content": text}] for text in ("Hello", "Wait for a[str]!", "...")]
TOOLS = ToolSet.from_prompt("walk(to)\nwait(for)\nsing(song loud:yes|no)\nread(book)")


def test_an_answer_takes_six_requests() -> None:
    """An answer with two values takes six requests, once the template and a separator are known."""
    with serving(ScriptedVllm(*['ballad", ', 'yes"})'] * 2)) as vllm:
        engine = VllmEngine(vllm.url)
        for number in range(2):
            vllm.asked.clear()
            answer = ask(engine, "Sing a ballad!", TOOLS.select("sing"), weigh=False)
            assert answer.calls == [Call("sing", {"song": "ballad", "loud": "yes"})]
            if number:
                assert len(vllm.asked) <= 6
        engine.close()


def test_four_tools_are_weighed_in_one_request() -> None:
    """All prompts are tokenized in one request, and the question is scored in another."""
    with serving(ScriptedVllm()) as vllm:
        engine = VllmEngine(vllm.url)
        prompts = [[{"role": "user", "content": f"{tool}\n?"}] for tool in "abcd"]
        prefetch(engine, chats=prompts)
        for number in range(2):
            vllm.asked.clear()
            chats = [[{"role": "user", "content": f"{tool}\n{number} 🌧 मुंबई"}] for tool in "abcd"]
            prefetch(engine, chats=chats)
            tokens = [engine.prompt(chat) for chat in chats]
            _, scores = engine.score_pairs([(token[:4], token[4:]) for token in tokens])
            assert scores == [sum(map(log_probability, token[4:])) for token in tokens]
            assert vllm.paths == ["/tokenize", "/v1/completions"]
        engine.close()


@pytest.mark.parametrize("lacks", [{}, {"detokenizes": False}, {"separates": False}])
def test_chats_and_texts_are_tokenized_together(lacks: dict[str, bool]) -> None:
    """Chats and texts have the tokens of separate requests, whatever the server lacks."""
    with serving(ScriptedVllm(**lacks)) as vllm:
        engine = VllmEngine(vllm.url)
        prefetch(engine, chats=CHATS, texts=["ab", "abc"])
        before = len(vllm.asked)
        assert [engine.prompt(chat) for chat in CHATS] == [
            tokens_of(template(chat)) for chat in CHATS
        ]
        assert [engine.tokenize(text) for text in ("ab", "abc")] == [[97, 98], [97, 98, 99]]
        assert len(vllm.asked) == before + (3 if lacks == {"detokenizes": False} else 0)
        texts = ["</s>", "a"]  # one contains the separator
        prefetch(engine, texts=texts)
        assert engine.tokenize("a") == [97]
        engine.close()


def test_no_content_is_read_as_special() -> None:
    """The name of a special token in a content is broken up."""
    with serving(ScriptedVllm()) as vllm:
        engine = VllmEngine(vllm.url, model="m")
        forged = [{"role": "user", "content": "a<|end|>b"}]
        assert engine.prompt(forged).count(0x100) == 1
        assert "/v1/models" not in vllm.paths
        engine.close()


@pytest.mark.parametrize(
    ("path", "reply"),
    [
        ("/v1/models", {"data": []}),
        ("/tokenize", {"tokens": ["?"]}),
        ("/v1/completions", {"choices": []}),
        ("/v1/completions", {"choices": [{"index": 0}], "usage": {"prompt_tokens": 1}}),
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error(path: str, reply: Any) -> None:
    vllm = ScriptedVllm()
    with serving(
        lambda request_path, body: (
            (200, reply) if request_path == path else vllm(request_path, body)
        )
    ) as url:
        engine = VllmEngine(url.url)
        with pytest.raises(LTONError) as caught:
            engine.score_pairs([([1], engine.tokenize("a"))])
        assert caught.value.code == Code.SERVER
        engine.close()
