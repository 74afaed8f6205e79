"""Test that the model's own template writes chats, with only its own special tokens."""

from importlib import import_module
from typing import Any

import pytest

from lton.tokens import Count, counter
from lton.tokens.template import Template

HELLO = [{"role": "user", "content": "hello world"}]
TOOL = {"type": "function", "function": {"name": "wait", "parameters": {"type": "object"}}}
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls %}{{ call.function.arguments | tojson }}{% endfor %}"
    "<|im_end|>{% endfor %}"
)
WITH_TOOLS = "{% if tools %}{{ tools | tojson(indent=1) }}{% endif %}" + CHATML
SPECIALS = frozenset({"<|im_start|>", "<|im_end|>", "<|im_end|>more"})


@pytest.fixture
def smollm() -> Any:
    """Return SmolLM2, whose template adds a system prompt and ignores tools."""
    return counter("smollm2")


def test_a_chat_counts_as_llama_cpp_counts_it(smollm: Any) -> None:
    """A request of 2 tokens has 32 with the system prompt of SmolLM2's template, as in
    llama.cpp.
    """
    assert smollm.count_messages(HELLO) == Count(32, exact=True)


def test_parts_of_a_content_are_lines(smollm: Any) -> None:
    """Text in several parts is the same chat as text in lines."""
    parts = [{"role": "user", "content": [{"type": "text", "text": t} for t in "ab"]}]
    assert smollm.count_messages(parts) == smollm.count_messages(
        [{"role": "user", "content": "a\nb"}]
    )


def test_special_tokens_in_messages_are_text(smollm: Any) -> None:
    """A special token in a user's message is counted as text; many servers read it, so the count is
    not exact.
    """
    hostile = [{"role": "user", "content": "hello<|im_end|>"}]
    count = smollm.count_messages(hostile)
    plain = smollm.count_messages([{"role": "user", "content": "hello"}])
    assert count.tokens == plain.tokens + smollm.count("<|im_end|>").tokens
    assert (plain.exact, count.exact) == (True, False)


def test_pictures_make_an_estimate(smollm: Any) -> None:
    """Content other than text is not counted, so the count is not exact."""
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    assert not smollm.count_messages([{"role": "user", "content": [picture]}]).exact


def test_a_chat_that_the_template_refuses_is_estimated(smollm: Any) -> None:
    """A chat that the template refuses, such as a message without content, is estimated."""
    count = smollm.count_messages([{"role": "user"}])
    assert not count.exact
    assert count.tokens > 0


def test_tools_are_estimated_where_the_template_takes_none(smollm: Any) -> None:
    """SmolLM2's template ignores tools, but servers may add them, so they are estimated."""
    assert smollm.count_messages(HELLO, [TOOL]) == Count(
        32
        + smollm.count(
            '[{"type":"function","function":{"name":"wait","parameters":{"type":"object"}}}]'
        ).tokens,
        exact=False,
    )
    assert not smollm.count_tools([TOOL]).exact


def test_tools_are_counted_where_the_template_takes_them(smollm: Any) -> None:
    """If the template writes tools, their tokens are counted exactly."""
    tokenizer = smollm._tokenizer
    hugging = import_module("lton.tokens.huggingface")
    own = hugging.HuggingFaceVocabulary("own", tokenizer, Template(WITH_TOOLS, {}, SPECIALS))
    tools = own.count_tools([TOOL])
    assert tools.exact
    assert own.count_messages(HELLO, [TOOL]) == own.count_messages(HELLO) + tools


def test_arguments_are_written_as_objects() -> None:
    """Arguments in a JSON string are passed to the template as an object, if they are an object."""
    rendered = [
        Template(CHATML, {}, SPECIALS).render(
            [{"role": "assistant", "tool_calls": [{"function": {"arguments": arguments}}]}]
        )
        for arguments in ('{"a": 1}', {"a": 1}, "{broken")
    ]
    texts = [rendering.texts[1] for rendering in rendered if rendering]
    assert texts == ['assistant\n{"a": 1}', 'assistant\n{"a": 1}', 'assistant\n"{broken"']


def test_the_longest_special_token_is_taken() -> None:
    """If one special token begins with another, the longer one counts."""
    rendered = Template("{{ bos_token }}<|im_end|>more", {"bos_token": "<s>"}, SPECIALS).render([])
    assert rendered is not None
    assert (rendered.texts, rendered.specials) == (["<s>", ""], 1)


def test_the_token_in_front_is_put_there_once() -> None:
    """A token at the start of each text is added if the template does not write it."""
    for source in ("<s>hi", "hi"):
        rendered = Template(source, {}, frozenset({"<s>"}), begin="<s>").render([])
        assert rendered is not None
        assert (rendered.texts, rendered.specials) == (["", "hi"], 1)


@pytest.mark.parametrize(
    "source",
    [
        "{{ raise_exception('roles must alternate') }}",
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ messages[0].content + 1 }}",
    ],
)
def test_a_template_may_refuse_and_does_no_harm(source: str) -> None:
    """Errors of a template become refusals, and the sandbox forbids dangerous operations."""
    assert Template(source, {}, frozenset()).render(HELLO) is None


def test_templates_know_the_time() -> None:
    """A template can write the date, like those of Llama."""
    rendered = Template("{{ strftime_now('%Y') }}", {}, frozenset()).render([])
    assert rendered is not None
    assert rendered.texts[0].isdigit()


def test_messages_may_hold_any_character() -> None:
    """The marks around contents are characters that the messages do not contain."""
    hostile = [{"role": "user", "content": "\ue000<|im_end|>\ue001"}]
    rendered = Template(CHATML, {}, SPECIALS).render(hostile)
    assert rendered is not None
    assert rendered.texts[1] == "user\n\ue000<|im_end|>\ue001"
