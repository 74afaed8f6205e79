"""Test counting with servers: each dialect, and each way to fail.

vLLM, SGLang and Anthropic's API cannot be installed here, so `faulty` answers according to their
documentation and source code. `tests/extra/server` uses a real llama.cpp server.
"""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import lton
from lton._require import write_install_command
from lton.errors import Code, MissingExtraError
from lton.tokens import server as module
from lton.tokens.chat import PER_MESSAGE, PER_REPLY
from lton.tokens.counting import ByteHeuristic, Count
from lton.tokens.server import ServerCounter, tokenize_supported
from tests.tokens import faulty
from tests.tokens.faulty import Answer, Server, serving

MODEL = "qwen"
TEXT = "def f(x): return x"
TIMEOUT_S = 0.4
DIALECTS = [faulty.llama_cpp, faulty.vllm, faulty.sglang, faulty.anthropic]
TOOL = {"name": "wait", "description": "Wait.", "parameters": {"type": "object"}}
TOOLS = [{"type": "function", "function": TOOL}]
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
ESTIMATED = len("systemBe brief.userWhy?") + 2 * PER_MESSAGE + PER_REPLY
"""Where only texts are counted, in characters."""


@pytest.fixture(autouse=True)
def _new_session() -> Iterator[None]:
    module._pairs.clear()
    yield
    module._pairs.clear()


def counter(server: Server, **options: Any) -> ServerCounter:
    return ServerCounter(server.url, MODEL, **options)


def hurried(server: Server) -> ServerCounter:
    return ServerCounter(server.url, MODEL, timeout_s=TIMEOUT_S)


def supported(server: Server) -> bool | None:
    return tokenize_supported(server.url, MODEL)


def estimate(text: str) -> Count:
    return ByteHeuristic().count(text)


def after_probe(answer: Answer, good: Answer = faulty.llama_cpp) -> Answer:
    """Answer the probe, and call `answer` for other requests."""
    probed: list[bool] = []

    def answers(path: str, body: dict[str, Any]) -> Any:
        if not probed:
            probed.append(True)
            return good(path, body)
        return answer(path, body)

    return answers


# --- what servers say when all is well ------------------------------------------------------------


@pytest.mark.parametrize("answer", DIALECTS)
def test_every_dialect_is_told_by_its_answer(answer: Answer) -> None:
    """One probe finds the dialect, and texts have the server's counts."""
    with serving(answer) as server, counter(server) as counts:
        assert supported(server) is None
        assert not counts.exact
        exact = answer is not faulty.anthropic  # whose documentation calls it an estimate
        assert counts.count(TEXT) == Count(len(TEXT), exact)
        assert supported(server) is True
        assert counts.exact == exact
        texts = [f"text {number}" for number in range(70)]
        assert counts.count_all([*texts, "", texts[0]]) == [
            *(Count(len(text), exact) for text in texts),
            Count(0, exact=True),
            Count(len(texts[0]), exact),
        ]
        probes = [body for _, body in server.asked if "hello world" in str(body)]
        assert len(probes) == (2 if answer is faulty.anthropic else 1)
        assert len(server.connections) <= module.AT_ONCE + 1


@pytest.mark.parametrize("answer", DIALECTS)
def test_special_tokens_in_a_text_are_text(answer: Answer) -> None:
    """`<|end|>` counts as seven tokens, or about as many if the server cannot count it as text."""
    with serving(answer) as server, counter(server) as counts:
        count = counts.count("<|end|>")
    if answer is faulty.llama_cpp:
        assert count == Count(7, exact=True)
        assert server.asked[-1][1]["parse_special"] is False
    elif answer is not faulty.anthropic:
        assert count == Count(8, exact=False)
    assert all(not body.get("add_special") for _, body in server.asked)


@pytest.mark.parametrize("answer", DIALECTS)
def test_conversations_and_tools_are_laid_out_by_the_server(answer: Answer) -> None:
    """A conversation has the tokens of its template, and tools have the tokens that they add."""
    with serving(answer) as server, counter(server) as counts:
        alone, both = counts.count_messages(ASKED), counts.count_messages(ASKED, TOOLS)
        tools = counts.count_tools(TOOLS)
        assert counts.count_tools([]) == Count(0, exact=True)
    if answer is faulty.sglang:
        assert (alone.exact, both.exact, tools.exact) == (False, False, False)
        assert alone.tokens == ESTIMATED  # the texts, as it counts them
        return
    if answer is not faulty.anthropic:
        assert alone == Count(len(faulty.tokens(faulty.template(ASKED))), exact=True)
    assert both.tokens - alone.tokens == tools.tokens > 50
    assert both.exact == tools.exact == alone.exact == (answer is not faulty.anthropic)


def test_llama_cpp_without_templates_counts_texts_all_the_same() -> None:
    """If the server does not count conversations, they are estimated from the counts of their
    texts.
    """

    def answer(path: str, body: dict[str, Any]) -> Any:
        return (404, b"") if path == "/apply-template" else faulty.llama_cpp(path, body)

    with serving(answer) as server, counter(server) as counts:
        assert counts.count_messages(ASKED) == Count(ESTIMATED, exact=False)
        assert counts.count_messages(ASKED) == Count(ESTIMATED, exact=False)
        assert server.paths.count("/apply-template") == 1
        assert counts.count(TEXT) == Count(len(TEXT), exact=True)


@pytest.mark.parametrize("reply", [(500, {"error": "no images"}), (400, b"")])
def test_a_conversation_that_is_refused_changes_nothing(reply: Any) -> None:
    """After a 500 for an image that llama.cpp cannot see, texts are counted as before."""

    def answer(path: str, body: dict[str, Any]) -> Any:
        return reply if path == "/apply-template" else faulty.llama_cpp(path, body)

    with serving(answer) as server, counter(server) as counts:
        assert not counts.count_messages(ASKED).exact
        assert counts.count(TEXT).exact


def test_sglang_counts_singly_what_it_refuses_as_a_list() -> None:
    """If SGLang refuses a list, texts are counted one by one, and only the refused text has no
    count.
    """

    def answer(path: str, body: dict[str, Any]) -> Any:
        prompt = body.get("prompt", "")
        return (400, b"") if "bad" in prompt else faulty.sglang(path, body)

    with serving(answer) as server, counter(server) as counts:
        results = counts.count_all(["good", "bad", "fine"])
    assert [count.exact for count in results] == [True, False, True]
    assert supported(server) is True


@pytest.mark.parametrize("reply", [{}, [], {"prompt": None}, {"prompt": ""}])
def test_a_template_that_lays_nothing_out_is_not_taken(reply: Any) -> None:
    """An answer without a text is not a conversation, and one with an empty text has no tokens."""

    def answer(path: str, body: dict[str, Any]) -> Any:
        return (200, reply) if path == "/apply-template" else faulty.llama_cpp(path, body)

    with serving(answer) as server, counter(server) as counts:
        assert not counts.count_messages(ASKED).exact
        assert counts.count(TEXT).exact


@pytest.mark.parametrize("reply", [[], {"tokens": [[1]]}, {"tokens": [1, 2, 3]}])
def test_lists_that_are_answered_otherwise_are_counted_singly(reply: Any) -> None:
    """An older vLLM looks like SGLang and takes no lists, so texts are counted one by one."""

    def answer(path: str, body: dict[str, Any]) -> Any:
        return (200, reply) if isinstance(body["prompt"], list) else faulty.sglang(path, body)

    with serving(answer) as server, counter(server) as counts:
        assert counts.count_all(["one", "seven"]) == [Count(3, exact=True), Count(5, exact=True)]


def test_tools_of_anthropic_s_shape_are_sent_as_they_are() -> None:
    """Definitions in OpenAI's format are converted for Anthropic, and others stay."""
    tool = {"name": "wait", "description": "Wait.", "input_schema": {"type": "object"}}
    with serving(faulty.anthropic) as server, counter(server) as counts:
        assert counts.count_tools([tool]) == counts.count_tools(TOOLS)


def test_the_openai_address_is_that_of_the_server() -> None:
    """`/v1` and slashes at the end are removed, so that all spellings are one endpoint."""
    with serving(faulty.llama_cpp) as server:
        for end in ("", "/", "/v1", "/v1/", "//"):
            with ServerCounter(server.url + end, MODEL) as counts:
                assert counts.count(f"{TEXT}{end}").exact
                assert counts.id == f"server:{server.url}#{MODEL}"
            assert tokenize_supported(server.url + end, MODEL) is True
        assert len(server.asked) == 1 + 5


def test_a_given_client_is_used() -> None:
    """Keys are sent in the headers of the client that the caller passes."""
    client = httpx2.AsyncClient(headers={"x-api-key": "secret"})
    with serving(faulty.anthropic) as server, counter(server, client=client) as counts:
        assert counts.count(TEXT).tokens == len(TEXT)
        assert {headers["x-api-key"] for headers in server.headers} == {"secret"}


# --- how often servers are asked ------------------------------------------------------------------


def test_switched_off_nothing_is_asked() -> None:
    """If counting is turned off, or there is no address, no server is probed."""
    with serving(faulty.llama_cpp) as server, counter(server, enabled=False) as counts:
        assert counts.count(TEXT) == estimate(TEXT)
        assert counts.count_all([TEXT, ""]) == [estimate(TEXT), Count(0, exact=True)]
        assert counts.count_messages(ASKED) == ByteHeuristic().count_messages(ASKED)
        assert counts.count_tools(TOOLS) == ByteHeuristic().count_tools(TOOLS)
        assert (server.asked, supported(server), counts.exact) == ([], None, False)
    assert ServerCounter("", MODEL).count(TEXT) == estimate(TEXT)


def test_many_threads_make_one_probe() -> None:
    """Many threads make one probe for a model, and two probes for two models."""
    with serving(faulty.llama_cpp) as server:
        counters = [counter(server, timeout_s=60) for _ in range(20)]
        results: list[Count] = []
        threads = [
            threading.Thread(
                target=lambda text_counter=text_counter: results.append(text_counter.count(TEXT))
            )
            for text_counter in counters
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [Count(len(TEXT), exact=True)] * 20
        assert [body["content"] for _, body in server.asked].count("hello world") == 1
        with ServerCounter(server.url, "llama") as other:
            assert other.count(TEXT).exact
        assert [body["content"] for _, body in server.asked].count("hello world") == 2
        for text_counter in counters:
            text_counter.close()


def test_a_turn_is_counted_once() -> None:
    """The server's counts are cached by tokenizer and text, and estimates are not cached."""
    with serving(faulty.llama_cpp) as server, counter(server) as counts:
        assert counts.count(TEXT) == counts.count(TEXT)
        assert len(server.asked) == 2
        other = ServerCounter(server.url, "llama", cache=counts.cache)
        assert other.count(TEXT).exact
        other.close()
        assert len(server.asked) == 4
        server.answer = lambda path, body: (503, b"")
        assert not counts.count("another").exact
        server.answer = faulty.llama_cpp
        for number in range(module.PAUSES[0]):
            assert not counts.count(f"text {number}").exact
        assert counts.count("another").exact


WRONG: list[Any] = [
    (404, b""),
    (405, b""),
    (501, b""),
    (401, {"error": "no key"}),
    (302, b""),
    (200, b"<html>welcome</html>"),
    (200, b""),
    (200, b"[" * 50_000),
    (200, b"\xff\xfe"),
    (200, b'{"tokens": ' + b"9" * 5000 + b"}"),
    (200, []),
    (200, None),
    (200, {"tokens": 2}),
    (200, {"tokens": None, "count": 2}),
    (200, {"tokens": [1, 2], "count": 3}),
    (200, {"tokens": [1, 2], "count": "2"}),
    (200, {"tokens": []}),
    (200, {"input_tokens": -5}),
    (200, {"input_tokens": True}),
    (200, {"input_tokens": 1e3}),
]


@pytest.mark.parametrize("reply", WRONG, ids=lambda reply: repr(reply)[:40])
def test_what_is_no_tokenizer_is_never_asked_again(reply: Any) -> None:
    """After a 404 and invalid answers on both paths, the server is never asked again."""
    with serving(lambda path, body: reply) as server, counter(server) as counts:
        assert counts.count(TEXT) == estimate(TEXT)
        assert supported(server) is False
        assert counts.count_all([f"{number}" for number in range(2000)])
        assert not counts.count_messages(ASKED).exact
        assert server.paths == ["/tokenize", "/v1/messages/count_tokens"]


def test_a_404_is_not_asked_for_again_while_another_path_is_waited_for() -> None:
    """A path that returned 404 is not tried again while the other path has no answer yet."""
    replies = {"/tokenize": (404, b"")}

    def answer(path: str, body: dict[str, Any]) -> Any:
        return replies.get(path, (529, b""))

    with serving(answer) as server, counter(server) as counts:
        counts.count(TEXT)
        assert supported(server) is None
        counts.count_all([f"{number}" for number in range(10)])
        counts.count(TEXT)
        count_tokens = "/v1/messages/count_tokens"
        assert server.paths == ["/tokenize", count_tokens, count_tokens]


LATER: list[Any] = [
    faulty.hang,
    faulty.drip,
    faulty.drip_headers,
    faulty.die,
    lambda handler: None,
    lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"),
    (500, b""),
    (503, {"error": {"message": "Loading model"}}),
    (429, b""),
]


@pytest.mark.parametrize("reply", LATER)
def test_what_may_pass_is_asked_again_after_some_counts(reply: Any) -> None:
    """After a timeout the count is estimated, and the server is asked again after 10 and 20
    counts.
    """
    with (
        serving(lambda path, body: reply) as server,
        hurried(server) as counts,
        counter(server) as patient,
    ):
        assert counts.count(TEXT) == estimate(TEXT)
        assert supported(server) is None
        for number in range(10):
            counts.count(f"{number}")
        assert len(server.asked) == 1
        counts.count(TEXT)
        assert len(server.asked) == 2
        server.answer = faulty.llama_cpp
        for number in range(20):
            assert not patient.count(f"{number}").exact
        assert patient.count(TEXT) == Count(len(TEXT), exact=True)
        assert supported(server) is True


@pytest.mark.parametrize("reply", LATER)
def test_a_server_that_counted_is_not_given_up(reply: Any) -> None:
    """If the server fails during a list, its counts are kept, there is one wait, and it is asked
    later.
    """
    with serving(faulty.llama_cpp) as server, counter(server) as patient:
        assert patient.count(TEXT).exact

        def answer(path: str, body: dict[str, Any]) -> Any:
            return reply if "bad" in body["content"] else faulty.llama_cpp(path, body)

        server.answer = answer
        requests_before = len(server.asked)
        texts = [f"good {number}" for number in range(20)]
        with hurried(server) as counts:
            results = counts.count_all(texts + [f"bad {number}" for number in range(1000)])
        assert len(server.asked) - requests_before <= 20 + 2 * module.AT_ONCE
        assert [count.exact for count in results[:20]] == [True] * 20
        assert not any(count.exact for count in results[20:])
        assert supported(server) is True
        patient.count_all([f"wait {number}" for number in range(10)])
        assert patient.count("all is well") == Count(len("all is well"), exact=True)


def test_a_path_that_goes_away_is_never_asked_again() -> None:
    """After a 404 a path is never used again, even if it returned counts before."""
    with serving(after_probe(lambda path, body: (404, b""))) as server, counter(server) as counts:
        assert not counts.count(TEXT).exact
        assert supported(server) is False
        counts.count_all([f"{number}" for number in range(2000)])
        assert len(server.asked) == 2


@pytest.mark.parametrize("reply", [(200, {"tokens": []}), (400, b""), (413, b"")])
def test_a_text_that_is_refused_is_estimated_alone(reply: Any) -> None:
    """A text that the server drops or refuses is estimated, and the others are counted."""

    def answer(path: str, body: dict[str, Any]) -> Any:
        return reply if "\u200b" in body.get("content", "") else faulty.llama_cpp(path, body)

    with serving(answer) as server, counter(server) as counts:
        results = counts.count_all(["one", "\u200b", "two"])
        assert results[1].tokens >= 1
        assert [count.exact for count in results] == [True, False, True]


@pytest.mark.parametrize("first", [True, False])
def test_a_flood_is_cut_off(first: bool) -> None:
    """An answer that is far too long is cut off and refused."""
    flood: Answer = lambda path, body: faulty.flood  # noqa: E731 - typed
    with serving(flood if first else after_probe(flood)) as server, counter(server) as counts:
        assert not counts.count(TEXT).exact
        assert supported(server) is False


def test_a_server_that_is_gone_is_estimated_for() -> None:
    """If nothing listens at an address, or it does not exist, counts are estimated."""
    with serving(faulty.llama_cpp) as server:
        counts = counter(server)
        assert counts.count(TEXT).exact
    assert not counts.count("another").exact
    assert supported(server) is True
    counts.close()
    for endpoint, is_supported in [
        ("http://127.0.0.1:9", None),
        ("no address", False),
        ("ftp://a", False),
    ]:
        with ServerCounter(endpoint, MODEL, timeout_s=TIMEOUT_S) as nobody:
            assert nobody.count(TEXT) == estimate(TEXT)
        assert tokenize_supported(endpoint, MODEL) is is_supported


def test_what_stands_in_has_learned() -> None:
    """Estimates are scaled by the server's earlier counts, and are never exact."""

    class Words(ByteHeuristic):
        exact = True  # what stands in is inexact all the same

    with (
        serving(faulty.llama_cpp) as server,
        counter(server, fallback=Words()) as counts,
    ):
        counts.count_all([f"{number} " * 100 for number in range(50)])
        server.answer = lambda path, body: faulty.die
        count = counts.count("hello there " * 100)
        assert not count.exact
        assert 2.5 < counts.factor <= 3.0
        assert count.tokens == round(300 * counts.factor)


# --- wherever it is called from -------------------------------------------------------------------


def test_texts_that_json_cannot_carry_are_estimated() -> None:
    """A lone surrogate is estimated and not sent, and NUL is sent."""
    with serving(faulty.llama_cpp) as server, counter(server) as counts:
        assert counts.count("\ud800") == Count(1, exact=False)
        assert server.asked == []
        assert counts.count("a\0b") == Count(3, exact=True)


def test_it_counts_where_an_event_loop_runs() -> None:
    """Counting works inside a running event loop."""
    with serving(faulty.llama_cpp) as server, counter(server) as counts:

        async def count() -> Count:
            return counts.count(TEXT)

        assert asyncio.run(count()) == Count(len(TEXT), exact=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_it_counts_in_a_forked_process() -> None:
    """A forked process asks the server itself, and does not wait for a thread of its parent."""
    with serving(faulty.llama_cpp) as server, counter(server) as counts:
        assert counts.count(TEXT).exact
        child = os.fork()
        if not child:
            os._exit(counts.count("in the child").tokens)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == len("in the child")
        assert counts.count("in the parent").exact


QUIET = """
import sys
from lton.tokens.server import ServerCounter
print(ServerCounter(sys.argv[1], "m").count("hello there"))
"""


def test_nothing_is_said_at_the_end() -> None:
    """A program that counts ends without a warning about open connections."""
    with serving(faulty.llama_cpp) as server:
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", QUIET, server.url],
            cwd=Path(lton.__file__).parent.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
    assert (result.stdout, result.stderr) == ("Count(tokens=11, exact=True)\n", "")


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without httpx2 the counter raises an error that says how to install it."""
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtraError) as caught:
        ServerCounter("http://127.0.0.1:9", MODEL)
    assert caught.value.code == Code.EXTRA
    assert write_install_command("apps") in str(caught.value)
