"""Test that a tool or a listed value is chosen by what the question adds to its likelihood."""

import re
from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

import pytest

from lton import Call, ToolSet
from lton.chat import Message
from lton.engines import Generation
from lton.engines.engine import Pair
from lton.engines.llamacpp import LlamaEngine, load
from lton.events import Prose
from lton.generate import Shot
from lton.grammar.build import ToolChoice
from lton_bench.demo import model_path
from tests.generate.scripted import Scripted, Weighing, guided, stream

TOOLS = ToolSet.from_prompt("walk(miles:int)\nwait(minutes:int)")


def test_what_stands_first_does_not_win_for_that() -> None:
    """`walk` is likelier without a question, but the question decides, and choosing takes no
    sampled token.
    """
    engine = Weighing({"walk(": -1, "wait(": -3}, {"walk(": -1, "wait(": -7}, "5", ")", None)
    answer = guided(engine, "Wait 5 minutes.", TOOLS, parallel=True)
    assert answer.calls == [Call("wait", {"minutes": 5})]
    assert engine.scored == [["walk(", "wait("]] * 2
    assert answer.spent.sampled == 3


@pytest.mark.parametrize(
    ("fits", "call"),
    [
        ({"walk": -30.0, "wait": -20.0}, Call("wait", {"minutes": 5})),
        ({"walk": -20.0, "wait": -30.0}, Call("walk", {"miles": 5})),
    ],
)
def test_one_call_is_of_the_tool_that_explains_the_question(
    fits: dict[str, float], call: Call
) -> None:
    """The model reads the question after each tool alone, and the best tool is called."""
    engine = Weighing({}, {}, "5", ")", fits=fits)
    answer = guided(engine, "Wait a little.", TOOLS)
    assert (answer.calls, engine.scored) == ([call], [])
    assert answer.spent.sampled == 2


@pytest.mark.parametrize("choice", ["required", "auto"])
def test_a_tool_with_far_more_shared_words_is_called_without_the_others(choice: ToolChoice) -> None:
    """Two shared words decide, whatever the model thinks, and only `auto` reads the question."""
    fits = {"walk": 0.0, "wait": -20.0, "": -50.0}
    engine = Weighing({}, {}, "5", ")", fits=fits)
    answer = guided(engine, "Wait 5 minutes.", TOOLS, tool_choice=choice)
    assert answer.calls == [Call("wait", {"minutes": 5})]
    assert (answer.confidence is None) is (choice == "required")


def test_of_many_tools_one_is_shown_where_one_call_is_wanted() -> None:
    """The prompt shows only the chosen tool, unless more calls, no call, or examples with other
    tools are possible.
    """
    many = ToolSet((*TOOLS, *ToolSet.from_prompt("\n".join(f"do{n}" for n in range(7)))))

    class Shown(Weighing):
        def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
            return list(map(ord, "\n".join(message["content"] for message in messages)))

        def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
            contexts = ["".join(map(chr, context)) for context, _ in pairs]
            names = [re.findall(r"^(\w+)", context, re.MULTILINE)[-1] for context in contexts]
            return 0, [fits.get(name, -40.0) for name in names]

    fits = {tool.name: -30.0 for tool in many} | {"wait": -20.0}

    def alone(tools: ToolSet = many, **options: Any) -> bool:
        engine = Shown({}, {}, "5", ")", None, fits=fits)
        answer = guided(engine, "Wait 5 minutes.", tools, **options)
        prompt = engine.read[-1][: answer.spent.prompt]
        assert engine.read[-1].removeprefix(prompt).startswith("wait(minutes=")
        assert "wait(" in prompt
        return "walk(" not in prompt

    shot = Shot("Sleep!", [Call("sleep", {})], ToolSet.from_prompt("sleep()"))
    assert alone()
    assert alone(shots=[shot])
    assert not alone(shots=[Shot("Walk 2 miles!", [Call("walk", {"miles": 2})])])
    assert not alone(tool_choice="auto")
    assert not alone(TOOLS)


@pytest.mark.model
def test_the_answer_is_that_to_the_tool_alone(llm: Any) -> None:
    """The answer depends only on the chosen tool, and not on tools read before."""
    tools = ToolSet.from_prompt(
        "light(room:kitchen|bedroom on:bool)\nmusic(style:jazz|rock loud:bool)\nweather(city)\n"
        "sleep(hours:int)\nread(book)\nwalk(miles:int)\nwait(minutes:int)\nfly(to)\nsing(song)"
    )
    for question in ["Turn the light in the bedroom off.", "Play loud rock music!"] * 2:
        answer = guided(llm, question, tools)
        alone = guided(llm, question, tools.select(answer.calls[0].name))
        assert (answer.text, answer.spent.prompt) == (alone.text, alone.spent.prompt)


def test_of_many_tools_those_are_asked_that_share_words_with_the_question() -> None:
    """Of more than eight tools, three that share words with the question are read, or all if few
    share words. One that shares far more words than the others is called.
    """
    names = ["cook_rice", "book_train", "play_song", "train_dog", *(f"do{n}" for n in range(6))]
    fits = dict.fromkeys(names, -9.0) | {"do4": -1.0, "train_dog": -5.0}
    tools = ToolSet.from_prompt("\n".join(names))

    def tool(question: str, tools: ToolSet = tools) -> str:
        engine = Weighing({}, {}, "()", fits=fits)
        return guided(engine, question, tools).calls[0].name

    assert tool("Book a train, train the dog, play!") == "train_dog"
    assert tool("Book a train!") == "book_train"
    assert tool("Book!") == "do4"
    assert tool("Play, train!", tools.select(*names[2:9])) == "do4"
    assert tool("Book a train!", tools.select(*names[1:9])) == "book_train"
    assert tool("Train the dog, play!", tools.select(*names[1:9])) == "do4"
    fits |= {"rice": -9.0, "book": -9.0, "song": -9.0, "dog": -5.0}
    assert tool("Cook, play, and walk the dog!", tools.with_aliases()) == "train_dog"


def test_a_tool_is_weighed_by_its_own_name() -> None:
    """A tool is weighed by its own name, even if it has an alias."""
    tools = ToolSet.from_prompt("go.walk(miles:int)\ngo.wait(minutes:int)").with_aliases()
    engine = Weighing({}, {}, "5", ")", fits={"walk": -9.0, "wait": -8.0})
    assert guided(engine, "?", tools).calls == [Call("go.wait", {"minutes": 5})]


@pytest.mark.parametrize("choice", ["required", "auto"])
def test_of_many_tools_is_weighed_what_tells_them_apart(choice: ToolChoice) -> None:
    """The distinguishing part of each name is weighed, and `none` as well if it is allowed."""
    names = ["a1", "ab1", *(f"{letter}1" for letter in "cdefghi")]
    starts = names if choice == "auto" else ["a1", "ab", *"cdefghi"]
    texts = [*(f"{name}(" for name in names), "none"] if choice == "auto" else starts
    table = dict.fromkeys(texts, -4.0)
    engine = Weighing({**table, texts[1]: -2.0}, table, None)
    tools = ToolSet.from_prompt("\n".join(names))
    answer = guided(engine, "?", tools, tool_choice=choice, parallel=True)
    assert answer.calls == [Call("ab1", {})]
    assert engine.scored == [texts, texts]
    assert guided(Weighing({}, {}, "a1(", ")"), "?", tools.select("a1")).calls


@pytest.mark.model
def test_tools_that_stay_are_read_once() -> None:
    """For another question to the same tools, the model reads only the new question."""
    engine = LlamaEngine(load(model_path(), context=1024))
    tools = ToolSet.from_prompt(
        "light(room:kitchen|bedroom on:bool)\nmusic(style:jazz|rock loud:bool)\n"
        "weather(city days?:int)\ncalculate_the_area(of)"
    )
    shots = [Shot("Music!", [Call("music", {"style": "rock", "loud": True})])]
    guided(engine, "Is it raining in Paris?", tools, shots=shots, parallel=True)
    reads = list[tuple[str, int]]()

    class Watched(LlamaEngine):
        def feed(self, tokens: Sequence[int]) -> int:
            reads.append(("feed", super().feed(tokens)))
            return reads[-1][1]

        def score_pairs(self, pairs: Sequence[Pair]) -> tuple[int, list[float]]:
            read, scores = super().score_pairs(pairs)
            reads.append(("score", read))
            return read, scores

    question = "What is the weather in Oslo?"
    answer = guided(Watched(engine.llm), question, tools, shots=shots, parallel=True)
    assert answer.spent.prompt > 80
    (what, first), (other, scored), *_ = reads
    assert (what, other) == ("feed", "score")
    assert first < len(engine.tokenize(question)) + 12  # the end of the turn, the next one's head
    assert scored <= sum(len(engine.tokenize(f"{tool.name}(")) for tool in tools)


def test_no_call_is_made_where_no_tool_explains_the_question() -> None:
    """No tool is called unless it makes the question much likelier than no tool, even a single
    tool.
    """
    for alone, calls in ((-26.0, [Call("walk", {"miles": 5})]), (-24.0, [])):
        for tools in (TOOLS, TOOLS.select("walk")):
            fits = {"walk": -20.0, "wait": -30.0, "": alone}
            engine = Weighing({}, {}, "5", ")", fits=fits)
            assert guided(engine, "Walk!", tools, tool_choice="auto").calls == calls


WALKS = [Call("walk", {"miles": 5})]


@pytest.mark.parametrize(
    ("alone", "word", "heeds", "calls"),
    [
        (-28.0, -1.0, True, WALKS),
        (-26.0, -1.0, True, []),
        (-26.0, -1.0, False, WALKS),
        (-24.0, -5.0, True, WALKS),
        (-24.0, -5.0, False, []),
    ],
)
def test_the_first_token_may_have_to_decline_too(
    alone: float, word: float, *, heeds: bool, calls: list[Call]
) -> None:
    """The likelihood of the question without a tool (`alone`) does not decline it alone."""
    for tools in (TOOLS, TOOLS.select("walk")):
        fits = {"walk": -20.0, "wait": -30.0, "": alone}
        pieces = ["5", ")"] if calls else ["Hello.", None]
        engine = Weighing({"n": word, "w": -4.0}, {}, *pieces, fits=fits)
        answer = guided(
            engine,
            [Message.saying("user", "Go!")],
            tools,
            tool_choice="auto",
            heeds_first_token=heeds,
        )
        assert answer.calls == calls
        is_asked = heeds and alone > -27.0
        assert engine.scored == ([["n", "w"]] if is_asked else [])


def later(text: str) -> list[Message]:
    """Return a conversation whose second message of the user is a text."""
    messages = [Message.saying("user", "Hello."), Message.saying("assistant", "Hello!")]
    return [*messages, Message.saying("user", text)]


@pytest.mark.parametrize(("word", "calls"), [(-2.0, []), (-5.0, [Call("walk", {"miles": 5})])])
def test_in_a_later_turn_the_model_says_whether_it_calls(word: float, calls: list[Call]) -> None:
    """The tool is weighed by what the question adds, and then compared with `none` by what the
    model would rather begin with.
    """
    table = {"walk(": -1.0, "wait(": -3.0}
    engine = Weighing({**table, "n": word, "w": -4.0}, {**table, "walk(": -9.0}, "5", ")", None)
    if not calls:
        engine.pieces = ["Gladly.", None]
    answer = guided(engine, later("Thank you."), TOOLS, tool_choice="auto")
    assert answer.calls == calls
    assert answer.confidence == pytest.approx(1 / (1 + exp(-abs(word + 4.0))))


def test_a_single_tool_is_compared_with_no_call_in_a_later_turn() -> None:
    """One tool needs no weighing, and the model may still decline it."""
    engine = Weighing({"n": -1.0, "w": -4.0}, {}, "Gladly.", None)
    answer = guided(engine, later("Thank you."), TOOLS.select("walk"), tool_choice="auto")
    assert (answer.calls, answer.prose) == ([], "Gladly.")


def test_an_answer_without_a_word_is_asked_again_without_tools() -> None:
    """A model that ends its turn where words are due answers the conversation alone."""
    engine = Weighing({"n": -1.0, "w": -4.0}, {}, None, "Gladly.", None)
    answer = guided(engine, later("Thank you."), TOOLS.select("walk"), tool_choice="auto")
    assert (answer.calls, answer.prose, answer.text) == ([], "Gladly.", "Gladly.")
    contents = [engine.contents[token] for token in engine.held if token in engine.contents]
    assert contents == ["Hello.", "Hello!", "Thank you."]


def test_an_answer_says_how_sure_the_choice_of_its_tool_was() -> None:
    """The confidence covers the choice among all weighed tools and `none`, and not a single
    tool.
    """

    def sure(fits: Mapping[str, float], none: float | None = None, **options: Any) -> float | None:
        choice: ToolChoice = "required" if none is None else "auto"
        table = {"walk(": -1.0}
        engine = Weighing(table, table, "5", ")", fits={**fits, "": none or 0.0})
        options.setdefault("tools", TOOLS)
        return guided(engine, "Walk!", tool_choice=choice, **options).confidence

    even, clear = {"walk": -20.0, "wait": -20.0}, {"walk": -20.0, "wait": -900.0}
    assert sure(even) == 0.5
    assert sure(clear) == 1.0
    assert sure(even, none=-24.5) == pytest.approx(1 / 3)
    assert sure(even, none=800.0) == 1.0
    assert sure({}, tools=TOOLS.select("walk")) is None
    assert sure(even, weigh=False, tools=TOOLS.select("walk")) is None


def test_a_call_that_is_in_doubt_is_not_made_if_so_asked() -> None:
    """A call with low confidence is dropped if this was requested and no call is allowed; then
    prose follows.
    """
    fits, table = {"walk": -20.0, "wait": -21.0, "": -30.0}, {"walk(": -1.0}

    def answer(question: Any, least: float, choice: ToolChoice, *pieces: str | None) -> Generation:
        engine = Weighing(table, table, *pieces, fits=fits)
        return guided(engine, question, TOOLS, tool_choice=choice, least_confidence=least)

    assert answer("Go!", 0.1, "auto", "5", ")").calls
    assert answer("Go!", 0.9, "required", "5", ")").calls
    doubted = answer("Go!", 0.9, "auto")
    assert (doubted.calls, doubted.text) == ([], "none")
    assert doubted.confidence is not None
    assert doubted.confidence < 0.9
    reply = answer([Message.saying("user", "Go!")], 0.9, "auto", "Where to?", None)
    assert (reply.calls, reply.prose, reply.confidence) == ([], "Where to?", doubted.confidence)


def test_a_name_that_begins_another_is_weighed() -> None:
    """A name that begins another name is weighed, also without a character after it, such as
    `none`.
    """
    tools = ToolSet.from_prompt("none_of(x:int)")
    table = {"none_of ": -1.0, "none": -2.0}
    engine = Weighing({**table, "none_of ": 0.0, "n": -1.0}, table, "7", None)
    answer = guided(engine, later("?"), tools, tool_choice="auto", scaffold="keyed")
    assert answer.calls == [Call("none_of", {"x": 7})]


def test_a_value_of_a_list_is_weighed() -> None:
    """A listed value is weighed with the text that ends it, which distinguishes 1 from 10."""
    tools = ToolSet.from_prompt("wait(hours:1|10 why?)")
    unasked = {"wait(hours=1,": -1.0, "wait(hours=10,": -2.0}
    engine = Weighing({**unasked, "wait(hours=1,": -4.0}, unasked, ")")
    answer = guided(engine, "?", tools)
    assert answer.calls == [Call("wait", {"hours": 10})]
    assert (engine.scored, answer.spent.sampled) == ([[*unasked]] * 2, 1)


@pytest.mark.parametrize("engine", [Weighing({}, {}, "it", "5", ")"), Scripted("it", "5", ")")])
def test_otherwise_the_model_samples_a_name(engine: Scripted) -> None:
    """The model samples a name on request, or if the engine cannot weigh."""
    answer = guided(engine, "?", TOOLS, weigh=type(engine) is Scripted)
    assert answer.calls == [Call("wait", {"minutes": 5})]


def test_one_tool_is_no_choice_and_many_are_not_weighed() -> None:
    """A single tool is not weighed, and neither are so many that weighing would take too long."""
    assert guided(Weighing({}, {}, "5", ")"), "?", TOOLS.select("wait")).calls
    many = ToolSet.from_prompt("\n".join(f"tool{n}()" for n in range(33)))
    assert guided(Weighing({}, {}, "9", None), "?", many).calls == [Call("tool9", {})]


def test_prompts_that_show_the_same_say_nothing() -> None:
    """If the prompts of all tools look the same, names are weighed instead."""
    table = {"walk(": -1.0, "wait(": -2.0}
    engine = Weighing({**table, "wait(": 0.0}, table, "5", ")")
    assert guided(engine, "?", TOOLS, show=lambda _: "All.").calls[0].name == "wait"
    assert engine.scored == [["walk(", "wait("]] * 2


def test_a_long_question_is_not_read_for_each_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long question is not read after each tool; names are weighed instead."""
    monkeypatch.setattr("lton.generate._calls._QUESTIONS", 1)
    table = {"walk(": -1.0, "wait(": -2.0}
    engine = Weighing({**table, "wait(": 0.0}, table, "5", ")", fits={"walk": 0.0, "wait": -1.0})
    assert guided(engine, "?", TOOLS).calls == [Call("wait", {"minutes": 5})]


@pytest.mark.model
def test_prose_goes_on_where_it_was(llm: Any) -> None:
    """Prose continues correctly after another request to the same model in between."""
    messages = [Message.saying("user", "Tell me about the sea.")]

    def write_prose(*, disturbed: bool) -> str:
        prose = ""
        for number, event in enumerate(stream(llm, messages, ToolSet(()), max_tokens=12)):
            if number == 5 and disturbed:
                guided(llm, "Wait 5 minutes.", TOOLS)
            prose += event.text if isinstance(event, Prose) else ""
        return prose

    assert write_prose(disturbed=True) == write_prose(disturbed=False)


@pytest.mark.model
def test_answers_that_are_written_by_turns_do_not_mix(llm: Any) -> None:
    """Two engines that share a model give the right answers by turns."""
    tools = ToolSet.from_prompt(
        "light(room:kitchen|bedroom on:bool)\nmusic(style:jazz|rock loud:bool)"
    )
    questions = ["Turn the light in the bedroom off.", "Play loud rock music!"]
    alone = [[*stream(llm, question, tools)] for question in questions]
    by_turns = zip(*(stream(llm, question, tools) for question in questions), strict=True)
    for events, expected in zip(zip(*by_turns, strict=True), alone, strict=True):
        assert [*events[:-1]] == expected[:-1]  # but for the tokens that were read
    assert alone[0][0] != alone[1][0]


def test_who_is_not_asked_has_not_thought() -> None:
    """The reading without the question has no thought, because a thought answers the question."""
    thought = "<think>5!</think>\n\n"
    scores = {f"{thought}walk(": -1.0, f"{thought}wait(": -3.0}
    engine = Weighing(scores, {"walk(": -1.0, "wait(": -7.0}, "5!</think>", "5", ")")
    answer = guided(engine, "Wait 5 minutes.", TOOLS, thoughts=True)
    assert answer.calls == [Call("wait", {"minutes": 5})]
    assert engine.scored == [["walk(", "wait("], [*scores]]


def _union_of(*members: str) -> ToolSet:
    return ToolSet.from_prompt(f"f(x:{'|'.join(members)})")


@pytest.mark.parametrize(
    ("kind", "pieces", "value"),
    [
        ("cat", "3}", {"kind": "cat", "meows": 3}),
        ("dog", "3,3}", {"kind": "dog", "barks": 3, "years": 3}),
    ],
)
def test_a_label_is_weighed_and_only_members_of_its_branch_follow(
    kind: str, pieces: str, value: dict[str, object]
) -> None:
    """The label of a union is chosen like a listed value, and no member of another branch is
    written.
    """
    tools = _union_of("(kind:cat meows:int)", "(kind:dog barks:int years:int)")
    other = {"cat": "dog", "dog": "cat"}[kind]
    start = 'f(x={"kind": "'
    scores = {f'{start}{kind}",': -1.0, f'{start}{other}",': -5.0}
    engine = Weighing(scores, dict.fromkeys(scores, -2.0), *pieces)
    answer = guided(engine, "A pet.", tools)
    assert answer.calls == [Call("f", {"x": value})]


@pytest.mark.parametrize(
    ("name", "pieces", "value"),
    [("page", "3}", {"page": 3}), ("base", "3,3}", {"base": 3, "row": 3})],
)
def test_a_branch_without_a_label_is_weighed_by_the_member_that_only_it_has(
    name: str, pieces: str, value: dict[str, object]
) -> None:
    """Without a label, the first member that only one branch has is weighed."""
    tools = _union_of("(page:int)", "(base:int row:int)")
    other = {"page": "base", "base": "page"}[name]
    scores = {f'f(x={{"{name}": ': -1.0, f'f(x={{"{other}": ': -5.0}
    engine = Weighing(scores, dict.fromkeys(scores, -2.0), *pieces)
    answer = guided(engine, "A place.", tools)
    assert answer.calls == [Call("f", {"x": value})]
