"""Test continuing a conversation, and prose without calls."""

from itertools import pairwise
from typing import Any

import pytest

from lton import Call, ToolSet
from lton.chat import Message, from_openai
from lton.engines import Generation
from lton.errors import Code, ContextFullError, IncompleteError
from lton.events import Prose
from lton.generate import Shot
from lton.generate.chat import build_conversation
from lton_bench.scaffolds import SCAFFOLDS
from tests.generate.scripted import Scripted, Weighing, guided, stream

TOOLS = ToolSet.from_prompt("walk(miles:int)\nwait(minutes:int why?)")
USER = {"role": "user", "content": "Wait!"}


def called(arguments: Any, name: str = "wait") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": name, "function": function}]}


def show_conversation(*messages: dict[str, Any], scaffold: str = "python") -> list[tuple[str, str]]:
    prompt_messages = build_conversation(from_openai(messages), TOOLS, SCAFFOLDS[scaffold])
    return [(message["role"], message["content"]) for message in prompt_messages]


@pytest.mark.parametrize("scaffold", SCAFFOLDS)
def test_a_longer_conversation_begins_with_the_shorter(scaffold: str) -> None:
    """The prompt of a longer conversation begins with the shorter one's, after the tools, so it
    stays cached.
    """
    system = {"role": "system", "content": "Be kind."}
    whole = [
        system,
        USER,
        called('{"why": "tea", "minutes": 5}'),
        {"role": "tool", "tool_call_id": "wait", "content": "[1, 2]"},
        {"role": "assistant", "content": "Done."},
        USER,
    ]
    every = [show_conversation(*whole[:end], scaffold=scaffold) for end in range(2, len(whole) + 1)]
    for shorter, longer in pairwise(every):
        assert longer[: len(shorter)] == shorter
    opening = show_conversation(scaffold=scaffold)[0][1]
    assert opening.endswith(TOOLS.prompt(descriptions=False))
    assert every[0][0] == ("system", f"{opening}\n\nBe kind.")
    assert every[-1][3] == ("user", "!result wait [1 2]")


def test_the_history_has_what_the_model_wrote() -> None:
    """The next prompt contains calls and prose exactly as the model wrote them."""
    engine = Scripted("i", "5", ")")
    answer = guided(engine, [Message.saying("user", "Wait!")], TOOLS)
    assert answer.calls == [Call("wait", {"minutes": 5})]
    assert show_conversation(USER, called('{"minutes": 5}'))[-1] == ("assistant", answer.text)
    engine = Scripted("n", "Hello", " you", None)
    answer = guided(engine, [Message.saying("user", "Hi")], TOOLS, tool_choice="auto")
    message = {"role": "assistant", "content": answer.prose}
    assert answer.prose == "Hello you"
    assert show_conversation(USER, message)[-1] == ("assistant", answer.text)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (called('{"minutes": "soon"}'), 'wait(minutes="soon")'),
        (called('{"x": 1}', "other"), "other(x=1)"),
        (called('{"minutes": '), 'wait({"minutes": )'),
        ({**called("{}"), "content": "Well."}, "Well.\nwait()"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, "[image_url]"),
        ({"role": "user", "content": "a\0b\ud800"}, "a\ufffdb\ufffd"),
        ({"role": "tool", "tool_call_id": "?", "content": "1"}, "!result unknown 1"),
    ],
)
def test_no_history_is_refused(message: dict[str, Any], text: str) -> None:
    assert show_conversation(USER, message)[-1][1].removeprefix("Wait!\n") == text


def test_messages_of_one_role_are_one() -> None:
    """Messages of one role are joined, because templates alternate roles; a later system prompt
    joins, too.
    """
    later = {"role": "system", "content": "Now be brief."}
    assert show_conversation(USER, USER, later)[1:] == [("user", "Wait!\nWait!\nNow be brief.")]


def test_prose_comes_piece_by_piece() -> None:
    """Without tools, prose is reported in pieces, and the prompt is only the conversation."""
    engine = Scripted("H", "i", None)
    events = [*stream(engine, [Message.saying("user", "Hi")], TOOLS.select(), tool_choice="auto")]
    assert events[:2] == [Prose("H"), Prose("i")]
    assert isinstance(events[2], Generation)
    assert (events[2].text, events[2].prose, events[2].exhausted) == ("Hi", "Hi", False)
    assert engine.read == [""]


def test_prose_follows_the_word_that_calls_none() -> None:
    """Prose follows the word for no call, which is sampled, weighed or forced."""
    table = {"walk(": -1.0, "wait(": -1.0, "none": -1.0}
    messages = [Message.saying("user", "Hi")]
    engines = [
        Scripted("n", "A", None),
        Weighing(table, table, "A", None, fits={"walk": -1.0, "wait": -2.0, "": -3.0}),
        Scripted("A", None),
    ]
    for engine, choice in zip(engines, ("auto", "auto", "none"), strict=True):
        answer = guided(engine, messages, TOOLS, tool_choice=choice)
        assert (answer.text, answer.calls) == ("none\n\nA", [])
        assert engine.read[-1] == "none\n\n"


@pytest.mark.parametrize(
    ("sampled", "prose", "is_asked_again"),
    [
        (["none", "\n\n", "Hello", None], "Hello", True),
        (["\n", "no", "ne\n", "Hello", None], "Hello", True),
        (["none", None, "Hello", None], "Hello", True),
        (["\n", None, "Hello", None], "Hello", True),
        ([None, "Hello", None], "Hello", True),
        ([None, "none", None], "none", True),
        (["no", None], "no", False),
        (["no", "ne of it", None], "none of it", False),
        (["None", "\n", None], "None\n", False),
    ],
)
def test_a_model_that_only_repeats_the_word_for_no_call_is_asked_without_tools(
    sampled: list[str | None], prose: str, *, is_asked_again: bool
) -> None:
    """The word is not prose, and the client never gets it; neither is an empty answer."""
    engine = Scripted(*sampled)
    *pieces, answer = stream(engine, [Message.saying("user", "Hi")], TOOLS, tool_choice="none")
    assert "".join(each.text for each in pieces if isinstance(each, Prose)) == prose
    assert isinstance(answer, Generation)
    assert (answer.prose, answer.exhausted) == (prose, False)
    assert (engine.read[-1] == "") is is_asked_again
    assert not engine.pieces


def test_a_word_that_the_budget_cuts_off_is_prose() -> None:
    """The prose that is yielded is the prose of the answer, also at the end of the budget."""
    asked = [Message.saying("user", "Hi")]
    for sampled in (["no"], ["yes"]):
        events = stream(Scripted(*sampled), asked, TOOLS, tool_choice="none", max_tokens=1)
        piece, answer = events
        assert isinstance(answer, Generation)
        assert piece == Prose(answer.prose)
        assert answer.exhausted


def test_the_first_call_for_the_first_question_is_of_the_tool_that_explains_it() -> None:
    """The first call is to the tool that explains the first question; later calls are weighed by
    name.
    """
    fits, table = {"walk": -9.0, "wait": -1.0}, {"walk(": -1.0, "wait(": -2.0}
    system, question = (
        Message.saying("system", "Be kind."),
        Message.saying("user", "Wait, then walk!"),
    )
    then = {f"wait(minutes=5)\n{text}": likely for text, likely in table.items()}
    engine = Weighing({**then, "wait(minutes=5)\nwalk(": 0.0}, then, "5", ")\n", "3", ")", None)
    engine.fits = fits
    answer = guided(engine, [system, question], TOOLS, parallel=True)
    assert answer.calls == [Call("wait", {"minutes": 5}), Call("walk", {"miles": 3})]
    later = [question, Message.saying("assistant", "Why?"), question]
    engine = Weighing({**table, "walk(": 0.0}, table, "5", ")", None)
    assert guided(engine, later, TOOLS).calls[0].name == "walk"


def test_no_half_of_a_character_is_asked() -> None:
    """Lone surrogates in a question are replaced before the model reads it."""
    engine = Weighing({}, {}, *["5", ")"] * 2, fits={"walk": -9.0, "wait": -1.0})
    guided(engine, "\ud800 Wait!", TOOLS)
    guided(engine, [Message.saying("user", "\ud800 Wait!")], TOOLS)
    assert any("\ufffd" in content for content in engine.contents.values())
    assert not any("\ud800" in content for content in engine.contents.values())


def test_what_is_weighed_against_is_the_conversation_without_its_end() -> None:
    """Names are compared with the conversation without its last message."""

    class Reading(Weighing):
        def prompt(self, messages: Any) -> list[int]:
            prompts.append([message["content"] for message in messages])
            return super().prompt(messages)

    prompts: list[list[str]] = []
    table = {"walk(": -1.0, "wait(": -2.0}
    engine = Reading({**table, "wait(": -1.0}, table, "5", ")")
    history = from_openai([USER, called('{"minutes": 5}'), USER])
    assert guided(engine, history, TOOLS).calls == [Call("wait", {"minutes": 5})]
    question, unasked = prompts
    assert (question[:-1], unasked[-1]) == (unasked[:-1], "...")


def test_prose_ends_with_the_budget_the_context_or_in_copies() -> None:
    """Prose ends at the budget, at the context's end, or at repetition; too long a prompt is an
    error.
    """

    class Small(Scripted):
        def sample(self, _: None) -> bytes | None:
            if not self.pieces:
                raise ContextFullError(Code.CONTEXT, "the context is full")
            return super().sample(_)

    messages = [Message.saying("user", "Hi")]
    for engine, most in ((Scripted(*"abc"), 2), (Small(*"ab"), 9), (Scripted(*["ab"] * 99), 99)):
        answer = guided(engine, messages, TOOLS, tool_choice="none", max_tokens=most)
        assert answer.exhausted
        assert answer.prose.startswith("ab")
        assert len(answer.prose) < 150
    with pytest.raises(ContextFullError):
        guided(Small(), messages, TOOLS, tool_choice="none")
    with pytest.raises(ContextFullError):
        guided(Small("i", "5"), "?", TOOLS)
    answer = guided(Small("i", "5", ")\n"), "?", TOOLS, parallel=True)
    assert (answer.calls, answer.exhausted) == ([Call("wait", {"minutes": 5})], True)
    with pytest.raises(IncompleteError):  # a call that is cut is no answer
        guided(Scripted("i", "5"), messages, TOOLS, max_tokens=1)


def test_examples_are_messages() -> None:
    with pytest.raises(ValueError, match="messages of the conversation"):
        guided(Scripted(), [], TOOLS, shots=[Shot("?", [])])
