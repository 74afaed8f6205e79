"""Test how a llama.cpp server scores texts and tokenizes: the requests, and the likelihoods."""

import json
from pathlib import Path
from typing import Any

import pytest

from lton import LTONError, ToolSet
from lton.chat import Message
from lton.engines.engine import Pair, prefetch
from lton.engines.server import ServerEngine
from lton.errors import Code
from lton.generate import stream
from lton.generate.session import Prompt
from tests.engines.scripted_llama import ScriptedLlama, log_probability, tokens_of
from tests.tokens.faulty import Answer, serving

RECORDED = Path(__file__).with_name("llama_server.jsonl")
QUESTION = "Is it raining 🌧 in मुंबई?"


def tokens(text: str) -> list[int]:
    return tokens_of(text, special=True)


def likelihood(text: str) -> float:
    """Return the likelihood of the tokens of a text that are whole characters."""
    return sum(log_probability(token) for token in tokens(text) if token < 0x80 or token >= 0x100)


def scored(answer: Answer, pairs: list[Pair]) -> tuple[list[float], list[tuple[str, Any]]]:
    """Return the scores of pairs, and the requests."""
    with serving(answer) as llama:
        engine = ServerEngine(llama.url)
        try:
            return engine.score_pairs(pairs)[1], llama.asked
        finally:
            engine.close()


def test_a_recorded_server_scores_a_question_in_one_request() -> None:
    """A real server's answers are read: the question after two tools is one request, without the
    parts of the emoji, and the special token that ends the turn is another.
    """
    recorded = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        for each in recorded:
            if each["path"] == path and each["asked"].items() <= body.items():
                return 200, each["reply"]
        return 404, {}

    tools = ("weather(city)", "wait(minutes:int)")
    chats = [
        [{"role": "user", "content": f"Tools:\n{tool}\n\n{question}"}]
        for tool in tools
        for question in (QUESTION, "...")
    ]
    with serving(answer) as llama:
        engine = ServerEngine(llama.url)
        prefetch(engine, chats=chats)
        asked = [engine.prompt(chat) for chat in chats]
        weather, wait = Prompt(asked[0], asked[1]), Prompt(asked[2], asked[3])
        read, scores = engine.score_pairs([weather.pair, wait.pair])
        assert read == 32
        assert scores == pytest.approx([-40.1796, -44.5755], abs=0.001)
        paths = ["/apply-template", "/tokenize", "/tokenize", "/tokenize", "/completion"]
        assert llama.paths == paths
        until = weather.end
        after = [(weather.with_question[:until], weather.with_question[until : until + 2])]
        assert engine.score_pairs(after)[1] == pytest.approx([-0.0466], abs=0.001)
        assert llama.paths[len(paths) :] == ["/tokenize", "/completion", "/completion"]
        engine.close()


def test_contexts_share_a_request_for_the_same_text() -> None:
    """Each different text is one request, and its scores are those of its contexts in order."""
    pairs: list[Pair] = [([7], tokens("ab")), ([8, 9], tokens("ab")), ([7], tokens("c"))]
    scores, asked = scored(ScriptedLlama(), pairs)
    assert scores == [likelihood("ab"), likelihood("ab"), likelihood("c")]
    bodies = [body for path, body in asked if path == "/completion"]
    assert [body["prompt"] for body in bodies] == [[[7], [8, 9]], [7]]
    assert [body["id_slot"] for body in bodies] == [-1, 0]
    assert bodies[0]["grammar"] == "root ::= <[97]> <[98]>"


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ("a 🌧 b", 1),
        ("🌧", 0),
        ("हिन्दी", 0),
        ("naïve 東京 ½", 1),
        ('a "quoted\\" 🌧"', 1),
        ("a<|end|>b", 3),
        ("🌧<|end|>\n<|assistant|>", 3),
        ("", 0),
    ],
)
@pytest.mark.parametrize("forces", [True, False])
def test_parts_of_characters_are_left_out(text: str, requests: int, forces: bool) -> None:
    """Tokens that are a part of a character are left out, and a special token is a request.

    A server that refuses grammars of tokens gives the same scores, with a request for each token.
    """
    pairs: list[Pair] = [([7], tokens(text)), ([8], tokens(text))]
    scores, asked = scored(ScriptedLlama(forces=forces), pairs)
    assert scores == pytest.approx([likelihood(text)] * 2)
    bodies = [body for path, body in asked if path == "/completion"]
    if forces:
        assert len(bodies) == requests
    else:
        assert sum("grammar" not in body for body in bodies) == sum(
            token < 0x80 or token >= 0x100 for token in tokens(text)
        )
        assert sum("grammar" in body for body in bodies) <= 1


def test_a_text_may_begin_and_end_inside_a_character() -> None:
    """Bytes that are not a character even together are left out of a score."""
    text = [*"🌧".encode()[2:], *b"ab", *"é".encode()[:1]]
    scores, asked = scored(ScriptedLlama(), [([7, 8], text)])
    assert scores == [likelihood("ab")]
    assert asked[-1][1]["prompt"] == [7, 8, *text[:2]]


def test_a_server_that_does_not_know_pieces_is_asked_for_each_token() -> None:
    """Without the texts of tokens, no grammar is sent, because special tokens are not known."""
    scores, asked = scored(ScriptedLlama(pieces=False), [([7], tokens("ab"))])
    assert scores == [likelihood("ab")]
    assert [body.get("grammar", "") for path, body in asked if path == "/completion"] == ["", ""]


def test_a_failure_is_not_held_against_grammars() -> None:
    """After a failure of the server, the next text is again one request."""
    llama = ScriptedLlama()
    fails = [True, False, False]

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        is_failing = "grammar" in body and fails.pop(0)
        return (500, {}) if is_failing else llama(path, body)

    texts = [tokens("ab"), tokens("cd")]
    scores, asked = scored(answer, [([7], text) for text in texts])
    assert scores == [likelihood("ab"), likelihood("cd")]
    assert len([path for path, _ in asked if path == "/completion"]) == 1 + 2 + 1
    assert fails == [False]


def test_a_server_that_is_away_is_not_asked_for_each_token() -> None:
    """If a server does not answer in time, no more requests are sent."""
    llama = ScriptedLlama()
    asked = []

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        asked.append(path)
        return (503, {}) if path == "/completion" else llama(path, body)

    with pytest.raises(LTONError, match="retry later"):
        scored(answer, [([7], tokens("ab"))])
    assert asked.count("/completion") == 1


@pytest.mark.parametrize(
    "reply",
    [
        [],
        5,
        {"timings": {"prompt_n": 2}},
        {"completion_probabilities": [], "timings": {"prompt_n": 2}},
        {"completion_probabilities": [{"id": 97, "logprob": -1.0}]},
        {"completion_probabilities": [{"id": 98, "logprob": -1.0}], "timings": {"prompt_n": 2}},
        {"completion_probabilities": [{"id": 97, "logprob": "?"}], "timings": {"prompt_n": 2}},
        {"completion_probabilities": [{"id": 97}], "timings": {"prompt_n": 2}},
        {"completion_probabilities": 5, "timings": {"prompt_n": 2}},
        [{"completion_probabilities": [], "timings": {"prompt_n": 2}}] * 2,
    ],
)
def test_scores_that_cannot_be_read_are_an_error(reply: Any) -> None:
    llama = ScriptedLlama()
    with pytest.raises(LTONError) as caught:
        scored(
            lambda path, body: (200, reply) if path == "/completion" else llama(path, body),
            [([7], tokens("a"))],
        )
    assert caught.value.code == Code.SERVER


# --- tokens ---------------------------------------------------------------------------------------

CHATS = [
    [{"role": "system", "content": "Be kind."}, {"role": "user", "content": text}]
    for text in ("Hello", "Wait for a[str]!", "...")
]


@pytest.mark.parametrize("batches", [True, False])
def test_chats_with_the_same_roles_are_laid_out_once(batches: bool) -> None:
    """The template is asked once for a sequence of roles, and all texts are one request."""
    with serving(ScriptedLlama(batches=batches)) as llama:
        engine = ServerEngine(llama.url)
        prefetch(engine, chats=CHATS, texts=["ab", "abc"])
        after = len(llama.asked)
        laid_out = [
            f"<|system|>Be kind.<|end|><|user|>{chat[1]['content']}<|end|><|assistant|>"
            for chat in CHATS
        ]
        assert [engine.prompt(chat) for chat in CHATS] == [tokens(text) for text in laid_out]
        assert engine.tokenize("abc") == tokens("abc")
        assert llama.paths.count("/apply-template") == 1
        assert llama.paths[after:] == ["/tokenize"]  # how each chat begins
        if batches:
            assert after == 1 + 2 + 2  # names without and with special tokens, chats, texts
        engine.close()


def test_contents_that_templates_change_are_laid_out_by_the_server() -> None:
    """A content with white space around it, or with a mark, is laid out by the server itself."""
    chats = [
        [{"role": "user", "content": text}]
        for text in (" a ", "", "</think>a", "[/INST]", "\U000f0000", "b")
    ]
    with serving(ScriptedLlama()) as llama:
        engine = ServerEngine(llama.url)
        for chat in chats:
            engine.prompt(chat)
        sent = [body["messages"] for path, body in llama.asked if path == "/apply-template"]
        assert sent[:-1] == chats[:-1]
        assert sent[-1] != chats[-1]
        engine.close()


@pytest.mark.parametrize("written", ["", "{0}{0}", "{1}{0}"])
def test_a_template_that_changes_contents_is_asked_for_each_chat(written: str) -> None:
    """If a template leaves out, repeats or moves contents, each chat is laid out by the server."""
    llama = ScriptedLlama()

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path != "/apply-template":
            return llama(path, body)
        contents = [each["content"] for each in body["messages"]]
        return 200, {"prompt": written.format(*contents)}

    with serving(answer) as server:
        engine = ServerEngine(server.url)
        for chat in CHATS[:1] * 2:
            assert engine.prompt(chat) == tokens(written.format("Be kind.", "Hello"))
        assert server.paths.count("/apply-template") == 3
        engine.close()


def test_a_name_of_a_special_token_in_a_content_stays_text() -> None:
    """A content that names a special token is not filled into a template, and stays text."""
    chats = [[{"role": "user", "content": f"{text}<|end|>"}] for text in ("a", "b")]
    with serving(ScriptedLlama()) as llama:
        engine = ServerEngine(llama.url)
        prefetch(engine, chats=chats)
        after = len(llama.asked)
        for chat in chats:
            content = tokens_of(chat[0]["content"], special=False)
            assert engine.prompt(chat) == [0x101, *content, 0x100, 0x102]
        assert set(llama.paths[after:]) == {"/apply-template", "/tokenize"}
        engine.close()


def test_the_memory_of_tokens_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cached tokens are dropped at a number of texts, and at a total length."""
    monkeypatch.setattr("lton.engines._server_tokens._CHARACTERS", 10)
    monkeypatch.setattr("lton.engines._server_tokens._TEXTS", 3)
    with serving(ScriptedLlama()) as llama:
        engine = ServerEngine(llama.url)
        for text in ("a", "b", "c", "d", "a", "long" * 2, "more", "d"):
            assert engine.tokenize(text) == tokens(text)
        assert len(llama.asked) == 8
        engine.close()


def test_the_memory_of_layouts_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lton.engines._layouts._LAYOUTS", 1)
    with serving(ScriptedLlama()) as llama:
        engine = ServerEngine(llama.url)
        for roles in (["user"], ["user"], ["user", "assistant"], ["user"]):
            engine.prompt([{"role": role, "content": "a"} for role in roles])
        assert llama.paths.count("/apply-template") == 3
        engine.close()


@pytest.mark.parametrize("reply", [5, {"tokens": [1, -1, 2]}, {"tokens": ["?"]}])
def test_an_answer_that_does_not_separate_texts(reply: Any) -> None:
    """A server that does not separate texts is asked for each; other answers are errors."""
    llama = ScriptedLlama()

    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        return (200, reply) if isinstance(body["content"], list) else llama(path, body)

    with serving(answer) as server:
        engine = ServerEngine(server.url)
        if reply == {"tokens": [1, -1, 2]}:
            prefetch(engine, texts=["a", "b"])
            assert engine.tokenize("b") == tokens("b")
            assert len(server.asked) == 3
        else:
            with pytest.raises(LTONError) as caught:
                prefetch(engine, texts=["a", "b"])
            assert caught.value.code == Code.SERVER
        engine.close()


# --- whole answers --------------------------------------------------------------------------------


def test_an_answer_takes_few_requests() -> None:
    """Choosing one of four tools takes one request for scores, and one for all chats."""
    tools = ToolSet.from_prompt("walk(to)\nwait(for)\nsing(song)\nread(book)")
    with serving(ScriptedLlama()) as llama:
        engine = ServerEngine(llama.url)
        events = stream(engine, [Message.saying("user", "Sing!")], tools)
        next(events)
        counts = {path: llama.paths.count(path) for path in set(llama.paths)}
        assert counts == {"/apply-template": 1, "/tokenize": 3, "/completion": 1}
        engine.close()
