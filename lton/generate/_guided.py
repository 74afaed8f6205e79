"""Guided generation: the runtime writes what the schema decides, the model values and choices.

Names, keys and punctuation are read by the model, never sampled. The calls are assembled
from the values, and checked as the encoder checks any call.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any, TypeAlias, TypedDict, Unpack

from lton._syntax import Thoughts, thought_marks
from lton.chat import Message
from lton.codec._encode import encode
from lton.engines.engine import Engine, Scorer
from lton.engines.generation import Generation
from lton.engines.llamacpp import engine_of
from lton.errors import Code, ContextFullError, EncodeError, IncompleteError
from lton.events import Argument, CallEnd, CallStart, Prose, Thinking
from lton.generate.chat import IN_WORDS, Shot, chat, conversation, signatures
from lton.generate.scaffolds import CALL, NONE, Keys, Scaffold, write
from lton.generate.session import AGAIN, LABELS, ExhaustedError, Prompt, Session, share
from lton.generate.spelling import spell
from lton.grammar.build import PROSE, ToolChoice, chosen
from lton.grammar.satisfiable import writable
from lton.schema.ranking import Ranking
from lton.schema.toolset import ToolSet
from lton.schema.types import ANY, JSON, Array, Call, Object, Param, String, Tool, Type

_TEXT = Type(string=String())
_NEUTRAL = "..."
"""A question that asks nothing. Of four that were tried none did better."""
_WEIGHED = 32
"""More choices than that would take longer to weigh than an answer to write."""
_EXPLAINED = 32
"""The question is read once for each of so many tools."""
_QUESTIONS = 1024
"""Tokens of all these readings together."""
_MANY, _NEAREST = 8, 3
"""Of more tools it is read for those alone that share most words with it, if so many share one."""
_LISTED = 32
"""A list of labels with so many more than there are does not end."""
_LONG = 4
"""A list of so many items that have to be is written one by one: see `Session.demanded`."""
_APART = 8
"""The names of more tools than that are weighed up to where each differs from the others.

Whole names would take as long as the rest of the answer. Asked 52 questions, of 20 tools each, a
model of 135 million parameters chose 11 right tools so, 7 by whole names, and the same in 42."""


_GAIN = 8.0
"""How much likelier, as a logarithm, a tool has to make a question than `_UNRELATED` does.

Of 14 development cases each, four models of 135M to 1.5B called a tool in 11 to 14 of those that
want a call, and in 4 to 7 of those that no tool fits."""
_UNRELATED = ToolSet.from_tools(
    [
        {
            "name": "convert",
            "parameters": {
                "properties": {"value": {"type": "number"}, "unit": {"type": "string"}},
                "required": ["value", "unit"],
            },
        }
    ]
)
"""What is shown in place of a tool, to see how likely a question is that has no tool."""
_EVEN = 4.0
"""The temperature that evens out how sure a choice looks where whole questions are weighed."""

_Ask: TypeAlias = Callable[[ToolSet, str], list[dict[str, str]]]
"""Gets the messages that ask a question of some tools."""
Progress: TypeAlias = Thinking | CallStart | Argument | CallEnd | Prose | Generation


class GuidedOptions(TypedDict, total=False):
    """What `stream` takes beside the model, the question and the tools, and `guided` too."""

    scaffold: Scaffold
    shots: Sequence[Shot]
    tool_choice: ToolChoice
    parallel: bool
    max_tokens: int
    temperature: float
    seed: int
    show: Callable[[ToolSet], str]
    weigh: bool
    least_confidence: float
    may_repeat: bool
    repeat_calls: bool
    thoughts: Thoughts
    max_thought: int


def guided(
    model: Any, question: str | Sequence[Message], tools: ToolSet, **options: Unpack[GuidedOptions]
) -> Generation:
    """Return what a model, a `llama_cpp.Llama`, answers to a question, as calls of the tools.

    The options are those of `stream`; so are the errors.
    """
    *_, answer = stream(model, question, tools, **options)
    assert isinstance(answer, Generation)  # the last event always is
    return answer


def stream(
    model: Any,
    question: str | Sequence[Message],
    tools: ToolSet,
    *,
    scaffold: Scaffold = CALL,
    shots: Sequence[Shot] = (),
    tool_choice: ToolChoice = "required",
    parallel: bool = False,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    show: Callable[[ToolSet], str] = signatures,
    weigh: bool = True,
    least_confidence: float = 0.0,
    may_repeat: bool = False,
    repeat_calls: bool = False,
    thoughts: Thoughts = False,
    max_thought: int = 1024,
) -> Iterator[Progress]:
    """Yield the events of an answer as soon as they are certain; the last is the `Generation`.

    The question may be a whole conversation: see `lton.generate.chat.conversation`. One goes on in
    prose where no tool is called: because the model declines, the choice is "none", or there are no
    tools. Its examples are messages of it.

    - `scaffold`: how the calls are written for the model; so are those of examples.
    - `shots`: examples, for a question that is a text.
    - `tool_choice`: "required", "auto" (the model may call none), "none" or `Named(tool)`.
    - `parallel`: the model may make several calls.
    - `max_tokens`: so many are sampled at most. Fewer are if the answer ends in 4 copies or more of
      one text, 128 characters together; in 20 equal digits; in 32 numbers that count on; in 32
      labels more than there are; or in a call that it has already. Items that a list must have do
      not count. If the first call ends so, the next best tool is called, while tokens are left.
    - `temperature`, `seed`: the same seed gives the same answer, but where two choices are nearly
      as likely: what is in the cache decides the last digits.
    - `show`: how the model is shown tools; as signatures, if it says nothing else.
    - `weigh`: choose by likelihood, if the engine can say it; else the model samples its choices.
      The tool of one call, or of the first in a conversation, is that which makes the question
      likeliest, shown alone. Of more than 8 tools it is the one that is far ahead in words shared
      with the question (`Ranking.decide`); if none is, the 3 are weighed that share most, if 3
      share any. If so many tools leave one, only that one is shown when the answer is written: for
      one call that is required, if no example uses other tools. Another tool, no call, or a value
      that a type lists is chosen by what the question adds to its likelihood; so is the tool if
      these readings would have more than 1,024 tokens.
    - `least_confidence`: with "auto", none is called if the model is less sure of the tool, from 0
      to 1: see `Generation`. A choice that was not weighed is never in doubt.
    - `may_repeat`: the answer may repeat itself; `repeat_calls`: only its calls may come again.
    - `thoughts`: the model thinks first, freely, up to the mark that ends a thought, or
      `max_thought` tokens, which `max_tokens` does not count.

    A call without a `CallEnd` is not of the answer. `model` may be another `Engine` than a `Llama`.

    Raises `ValueError` for options that mean nothing and if no tool can be called,
    `IncompleteError` if one of these ends it before the first call is complete, `ContextFullError`
    if the context does, `EncodeError` for a call that breaks what no grammar can say, and
    `GrammarError` for a grammar that the engine refuses. No part of a call that is not complete is
    in the answer.
    """
    talks = not isinstance(question, str)
    _check_options(shots, tool_choice, max_tokens, talks=talks)
    marks = thought_marks(thoughts)
    asked_for = chosen(tools, tool_choice)
    may_decline = tool_choice in PROSE
    asking: _Ask
    if isinstance(question, str):
        asking = partial(
            chat,
            written=partial(write, scaffold=scaffold),
            shots=shots,
            may_decline=may_decline,
            parallel=parallel,
            show=show,
            marks=marks,
        )
        messages = asking(tools, question)
    else:
        messages = conversation(question, tools, scaffold, show=show)
        asking = partial(_asking_after, messages[:-1])  # whose answers, too, are in it unasked
    session = Session(
        engine_of(model, temperature=temperature, seed=seed),
        messages,
        neutral=partial(asking, tools, _NEUTRAL) if weigh else None,
        budget=max_tokens,
        may_repeat=may_repeat,
    )
    if talks and (tool_choice == "none" or not tools):
        answer = _in_words(session, IN_WORDS if tools else "")
    else:
        writer = _Writer(session, asked_for, scaffold, parallel=parallel, talks=talks)
        writer.may_repeat = may_repeat or repeat_calls
        writer.least_confidence = least_confidence
        weighs = weigh and not marks and (talks or not parallel)
        if weighs and (first := _first(question)):
            # All that is asked is a call of one tool, and no example calls another of them.
            is_one = not (talks or may_decline) and all(shot.tools for shot in shots)
            short = partial(chat, show=show)
            writer.weigh(first, short, alone=asking if is_one else None)
        answer = writer.answer(may_decline=may_decline)
    return chain(session.think(marks, max_thought), answer) if marks else answer


def _check_options(
    shots: Sequence[Shot], tool_choice: ToolChoice, max_tokens: int, *, talks: bool
) -> None:
    """Refuse options that mean nothing."""
    if talks and shots:
        raise ValueError("examples are messages of the conversation")
    if max_tokens < 1 or (tool_choice == "none" and not talks):
        raise ValueError("nothing to generate: tool_choice is none, or max_tokens is not positive")


def _asking_after(
    before: Sequence[dict[str, str]], _: ToolSet, question: str
) -> list[dict[str, str]]:
    return [*before, {"role": "user", "content": question}]


def _in_words(session: Session, begun: str, confidence: float | None = None) -> Iterator[Progress]:
    """Have the model answer in prose, after what says that it calls none."""
    session.write(begun)
    ended = ""
    try:
        for piece in session.prose():
            yield Prose(piece)
    except (ExhaustedError, ContextFullError) as why:
        if not session.sampled:  # not even the prompt has room
            raise
        ended = str(why)
    text = session.text[session.answer_at :]
    yield Generation(
        calls=[],
        text=text,
        prose=text.removeprefix(begun),
        thought=session.thought,
        spent=session.spent,
        exhausted=bool(ended),
        why=ended,
        confidence=confidence,
    )


def _first(question: str | Sequence[Message]) -> str:
    """Return the question, if it is the first of the conversation; else an empty text."""
    if isinstance(question, str):
        return question
    said = [message for message in question if message.role not in ("system", "developer")]
    return said[0].text if len(said) == 1 and said[0].role == "user" else ""


def _nearest(tools: Sequence[Tool], question: str, names: ToolSet) -> Sequence[Tool]:
    """Return of many tools the one that is far ahead in words shared with a question, or the nearest.

    All, if there are not many, or hardly any shares a word.
    """
    if len(tools) <= _MANY:
        return tools
    own = [replace(tool, name=names.own_name(tool.name)) for tool in tools]
    ranking = Ranking(own)
    if first := ranking.decide(question):
        return [tools[own.index(first)]]
    found = ranking.find(question)[:_NEAREST]
    return [tools[own.index(tool)] for tool in found] if len(found) == _NEAREST else tools


def _explained(
    engine: Engine,
    question: str,
    ask: _Ask,
    tools: ToolSet,
) -> Prompt:
    """Return the prompt that asks the question of some tools alone."""
    asked, unasked = (engine.prompt(ask(tools, text)) for text in (question, _NEUTRAL))
    return Prompt(asked, unasked)


class _Writer:
    """Writes the calls of one answer."""

    question = ""
    """That which the first call is to answer, if its tool is the one that explains it."""
    explain: Callable[[ToolSet], Prompt]
    """Gets the prompt with which the question is weighed that one of the tools is to answer."""
    alone = False
    """The answer is to the prompt with that tool alone."""
    may_repeat = False
    """Whether a call may be made again."""
    confidence: float | None = None
    """How sure the model is of what it chose first; None as long as nothing was weighed."""
    least_confidence = 0.0
    """If it is less sure of a call, and may call none, it calls none."""

    def __init__(
        self,
        session: Session,
        tools: ToolSet,
        scaffold: Scaffold,
        *,
        parallel: bool,
        talks: bool,
    ) -> None:
        self.session = session
        self.tools = tools
        self.scaffold = scaffold
        self.callable = [tool for tool in tools.spoken if writable(Type(object=tool.args))]
        if not self.callable:
            raise ValueError("none of the tools can be called")
        end, self.more = scaffold.end, scaffold.more
        if scaffold.between.startswith(end + self.more):  # the next call's beginning says it
            self.more += scaffold.head(self.callable[0].name)[0]
        self.closings = [end + self.more, end] if parallel else [end]
        self.parallel = parallel
        self.talks = talks

    def weigh(self, question: str, ask: _Ask, *, alone: _Ask | None) -> None:
        """Let the first call be of the tool that explains a question.

        Of many tools that one alone is shown for the answer, if `alone` asks it so.
        """
        self.question = question
        self.alone = alone is not None and len(self.callable) > _MANY
        ask = alone if alone is not None and self.alone else ask
        self.explain = partial(_explained, self.session.engine, question, ask)

    def answer(self, *, may_decline: bool) -> Iterator[Progress]:
        session, calls, ended = self.session, list[Call](), ""
        arguments: dict[str, JSON] = {}
        tool: Tool | None = None
        question = self.question
        while True:
            try:
                while (tool := self.next_tool(may_decline=may_decline and not calls)) is not None:
                    yield CallStart(self.tools.own_name(tool.name))
                    arguments.clear()
                    yield from self.arguments(tool, arguments)
                    call = self.checked(tool, arguments)
                    if call in calls and not self.may_repeat:
                        ended = AGAIN
                        break
                    tool = None
                    calls.append(call)
                    yield CallEnd(call)
                    if not self.goes_on():
                        break
                if self.talks and not calls:
                    yield from _in_words(session, IN_WORDS, self.confidence)
                    return
            except (ExhaustedError, ContextFullError) as why:
                ended = str(why)
                if tool is not None and (cut := self.cut(tool, arguments, calls)) is not None:
                    calls.append(cut)
                    yield CallEnd(cut)
                if not calls:
                    self.go_back(why, tool)
                    self.question = question
                    continue
            break
        # What the budget cut off is not passed on, not even as text.
        said = session.text[session.answer_at :]
        text = write(calls, self.tools, self.scaffold) if ended else said
        yield Generation(
            calls=calls,
            text=text,
            thought=session.thought,
            spent=session.spent,
            exhausted=bool(ended),
            why=ended,
            lost=session.lost if ended else "",
            confidence=self.confidence,
        )

    def go_back(self, why: ExhaustedError | ContextFullError, tool: Tool | None) -> None:
        """Go back to choose another tool than one whose value has no end; raise if none is left."""
        session = self.session
        if isinstance(why, ContextFullError):
            raise why
        others = [each for each in self.callable if each is not tool]
        if tool is None or not others or session.sampled >= session.budget:
            msg, text = f"{why} before a call was complete", session.text + session.lost
            raise IncompleteError(Code.INCOMPLETE, msg, doc=text, pos=len(text)) from None
        self.callable = others
        self.confidence = None
        session.go_back()

    def cut(self, tool: Tool, arguments: Mapping[str, JSON], calls: list[Call]) -> Call | None:
        """Return a call that was cut off, if it is right as far as it goes and not there already."""
        if any(param.required and param.name not in arguments for param in tool.args.params):
            return None
        try:
            call = self.checked(tool, arguments)
        except EncodeError:  # what was still to come would have made it right
            return None
        return None if call in calls and not self.may_repeat else call

    def checked(self, tool: Tool, arguments: Mapping[str, JSON]) -> Call:
        call = Call(self.tools.own_name(tool.name), dict(arguments))
        encode(call, self.tools)
        return call

    def next_tool(self, *, may_decline: bool) -> Tool | None:
        """Have the model choose a tool; None if it calls none."""
        tools, is_decided = self.likeliest(may_decline=may_decline)
        tool = self.one_of(tools, may_decline=may_decline and not is_decided) if tools else None
        is_doubtful = self.confidence is not None and self.confidence < self.least_confidence
        if tool is None or (may_decline and is_doubtful):
            if not self.talks:
                self.session.write(NONE)
            return None
        self.session.write(self.scaffold.head(tool.name))
        return tool

    def one_of(self, tools: Sequence[Tool], *, may_decline: bool) -> Tool | None:
        """Return the tool whose name the model chooses; None for the word that calls none."""
        none = [NONE] * may_decline
        begun = [self.scaffold.head(tool.name) + self.scaffold.first for tool in tools]
        heads = [self.head(tool) for tool in tools]
        apart = len(heads) > _APART and not none  # what declines is weighed against whole names
        self.session.scores = ()  # values may have been weighed
        chosen = self.choose(begun + none, [[head] for head in heads + none], apart=apart)
        declines = chosen == len(tools)
        self.weighed(chosen, alone=declines)
        return None if declines else tools[chosen]

    def weighed(self, chosen: int, temperature: float = 1.0, *, alone: bool = False) -> None:
        """Count in how sure the choice is that was weighed last, or let it count `alone`."""
        if scores := self.session.scores:
            before = 1.0 if alone or self.confidence is None else self.confidence
            self.confidence = before * share(scores, chosen, temperature=temperature)

    def likeliest(self, *, may_decline: bool) -> tuple[Sequence[Tool], bool]:
        """Return the tool that makes the question likeliest; all if that is not weighed.

        And whether it is to be called: if none has to be, there is none where no tool makes the
        question much likelier than one that has nothing to do with it.
        """
        scorer = self.session.engine
        if not self.question or not isinstance(scorer, Scorer):
            return self.callable, False
        tools = _nearest(self.callable, self.question, self.tools)
        self.question = ""
        if len(tools) > _EXPLAINED or (len(tools) == 1 and not (self.alone or may_decline)):
            return tools, False
        if not self.alone:
            self.session.read("")  # what is answered is read first, the others beside it
        each = [self.tools.select(self.tools.own_name(tool.name)) for tool in tools]
        prompts = [self.explain(one) for one in (*each, *[_UNRELATED] * may_decline)]
        if prompts[1:2] == prompts[:1] or sum(one.size for one in prompts) > _QUESTIONS:
            return tools, False
        chosen = self.session.explain(prompts, scorer, aside=not self.alone)
        if may_decline:
            *scores, unrelated = self.session.scores
            self.session.scores = [*scores, unrelated + _GAIN]
            chosen = scorer.pick(self.session.scores)
        self.weighed(chosen, _EVEN)
        return tools[chosen : chosen + 1], may_decline

    def choose(
        self,
        texts: Sequence[str],
        groups: Sequence[Sequence[str]],
        tails: Sequence[str] = ("",),
        *,
        apart: bool = False,
    ) -> int:
        """Weigh some texts, or let the model begin one of a group for each; get the index."""
        session, scorer = self.session, self.session.engine
        few = 1 < len(texts) <= _WEIGHED
        if few and session.neutral and not session.ahead and isinstance(scorer, Scorer):
            return session.weigh(texts, scorer, apart=apart)
        return session.choose(groups, tails)

    def head(self, tool: Tool) -> str:
        """Return the name of a tool with what must follow, so that no head begins another."""
        needed = [param for param in tool.args.params if param.required]
        key = self.scaffold.first + self.scaffold.key(needed[0].name) if needed else ""
        return self.scaffold.head(tool.name) + key

    def goes_on(self) -> bool:
        """Write the end of a call, and let the model choose to make another."""
        self.session.write(self.scaffold.end)
        if not self.parallel or self.session.choose([[self.more], [""]]):
            return False
        self.session.write(self.scaffold.more)
        return True

    def arguments(self, tool: Tool, found: dict[str, JSON]) -> Iterator[Progress]:
        """Fill in the arguments of a call, up to where it is to be closed."""
        if not tool.args.params and tool.args.is_map and self.scaffold.end.startswith("}"):
            yield from self.undeclared(tool.args, found)
            return
        keys = Keys(
            {param.name: self.scaffold.key(param.name) for param in tool.args.params},
            self.scaffold.key_of,
            self.scaffold.first,
            self.scaffold.between,
            self.scaffold.settled,
        )
        for param, value in self.members(tool.args, keys, self.closings):
            found[param.name] = value
            yield Argument(param.name, value)

    def undeclared(self, members: Object, found: dict[str, JSON]) -> Iterator[Progress]:
        """Write the arguments of a tool that declares none, each with a name that the model writes.

        For this its scaffold has names as JSON has them.
        """
        assert members.extra  # that is what makes it a map
        before, between = "", self.scaffold.between
        while not self.session.choose([[f'{before}"'], self.closings]):
            self.session.write(before)
            name, value = self.named(members.extra, [f'{between}"', *self.closings])
            found[name] = value
            yield Argument(name, value)
            before = between

    def members(
        self, members: Object, keys: Keys, closings: Sequence[str]
    ) -> Iterator[tuple[Param, JSON]]:
        """Write the members of an object: those that are required, and those the model chooses.

        The model chooses among keys alone; the cue is there once it has.
        """
        waiting = [param for param in members.params if writable(param.type)]
        is_first = True
        while waiting:
            if waiting[0].required:
                chosen = 0
            else:
                chosen = self.session.choose([*keys.starts(waiting, is_first), closings])
                if chosen == len(waiting):
                    return
            param, waiting = waiting[chosen], waiting[chosen + 1 :]
            begun = keys.start(param, is_first=is_first)
            self.session.write(keys.cued(param, is_first=is_first), chosen=begun)
            is_first = False
            at = len(self.session.text)
            value = self.value(param.type, keys.tails(waiting, closings))
            if keys.settled:  # now its length is known, and the model reads it again with that
                self.session.text = self.session.text[:at] + keys.settled(value, param.type)
            yield param, value

    # --- values -----------------------------------------------------------------------------------

    def value(self, node: Type, tails: Sequence[str]) -> JSON:
        """Write a value, as much of it for the model as its type decides."""
        if (literals := _literals(node)) is not None:
            return self.literal(literals, tails)
        if node.string and node == Type(string=node.string):
            self.session.write('"')
            return self.session.value(node, tails, opened='"')
        value, begun = None, _nested(node)
        if node not in (Type(object=node.object), Type(array=node.array)) or not begun:
            value = self.session.value(node, tails, nested=begun, names=self.scaffold.names)
            begun = self.session.ahead[:1]
        if node.object and begun == "{":
            return (self.map if node.object.is_map else self.object)(node.object, tails)
        if node.array and begun == "[":
            return self.array(node.array, tails)
        return value

    def literal(self, literals: Sequence[JSON], tails: Sequence[str]) -> JSON:
        spelled = [spell(literal) for literal in literals]
        if all(text.startswith('"') for text in spelled):
            self.session.write('"')
            spelled = [text[1:] for text in spelled]
        # A value is weighed with its end: 1 begins 10.
        ended = [text + tails[0][:1] for text in spelled]
        chosen = self.choose(ended, [[text] for text in spelled], tails)
        self.session.write(spelled[chosen])
        return literals[chosen]

    def object(self, members: Object, tails: Sequence[str]) -> JSON:
        self.session.write("{")
        spelled = {param.name: f"{spell(param.name)}: " for param in members.params}
        keys = Keys(spelled, lambda param: spelled[param.name], "", ", ")
        closings = [f"}}{tail}" for tail in tails]
        found = {param.name: value for param, value in self.members(members, keys, closings)}
        self.session.write("}")
        return found

    def map(self, members: Object, tails: Sequence[str]) -> JSON:
        """Write the members of a map one by one, each with a key that the model writes."""
        assert members.extra  # that is what makes it a map
        values, found = members.extra, dict[str, JSON]()

        def member(tails: Sequence[str]) -> None:
            key, value = self.named(values, tails)
            found[key] = value

        self.several("{}", '"', member, tails)
        return found

    def named(self, values: Type, tails: Sequence[str]) -> tuple[str, JSON]:
        """Write a member that is not declared, with a key that the model writes; get both."""
        self.session.write('"')
        key = self.session.value(_TEXT, [f": {_opening(values)}"], opened='"')
        self.session.write(": ")
        return str(key), self.value(values, tails)

    def array(self, array: Array, tails: Sequence[str]) -> JSON:
        """Write the items of an array one by one."""
        items: list[JSON] = []
        if array.max_items == 0 or not writable(array.items):
            self.session.write("[]")
            return items

        labels = _literals(array.items)
        most = max(len(labels or ()), array.min_items) + _LISTED

        def item(tails: Sequence[str]) -> None:
            if labels and len(items) == most and not self.session.may_repeat:
                raise ExhaustedError(LABELS)
            items.append(self.value(array.items, tails))

        opening = _opening(array.items)
        self.several("[]", opening, item, tails, least=array.min_items, most=array.max_items)
        return items

    def several(
        self,
        brackets: str,
        opening: str,
        one: Callable[[Sequence[str]], None],
        tails: Sequence[str],
        *,
        least: int = 0,
        most: int | None = None,
    ) -> None:
        """Write what begins alike, each the model's choice beyond those that there must be."""
        left, right = tuple(brackets)
        if not least and self.session.choose([[left + opening], [brackets]]) == 1:
            self.session.write(brackets)
            return
        self.session.write(left)
        before = self.session.demanded
        for number in count(1):
            self.session.check(self.session.text)
            if number <= least:
                self.session.demanded = len(self.session.text)
            more = [f", {opening}"] if most is None or number < most else []
            close = [right + tail for tail in tails] if number >= least else []
            one([*more, *close])
            if self.session.choose([more, close]) == 1:
                break
            self.session.write(", ")
        self.session.demanded = before
        self.session.write(right)


def _literals(node: Type) -> list[JSON] | None:
    """Return the values of a type that lists them all; None for any other."""
    if (
        node.array
        or node.object
        or (node.string and node.string.values is None)
        or (node.number and node.number.values is None)
    ):
        return None
    found: list[JSON] = [*node.booleans, *([None] if node.null else [])]
    found += node.string.values or () if node.string else ()
    found += node.number.values or () if node.number else ()
    return found


def _opening(node: Type) -> str:
    """Return the character with which every value of a type begins, if the runtime can go on there."""
    if node.string and node == Type(string=node.string):
        return '"'
    return _nested(node) if node in (Type(object=node.object), Type(array=node.array)) else ""


def _nested(node: Type) -> str:
    """Return the brackets with which a value of a type may begin, if the runtime can go on there.

    Where any value may be it has nothing to add.
    """
    members, values = node.object, node.object.extra if node.object else None
    found = ""
    if members and (members.params or not values or (values != ANY and writable(values))):
        found += "{"
    if node.array and (_opening(node.array.items) or node.array.min_items >= _LONG):
        found += "["
    return found
