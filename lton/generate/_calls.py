"""Write the calls of an answer: let the model choose each tool and fill in its arguments."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import log
from typing import TypeAlias

from lton.chat.repeats import AGAIN
from lton.codec._encode import encode
from lton.engines.engine import Scorer, StateReader, prefetch
from lton.engines.generation import Generation
from lton.errors import Code, ContextFullError, EncodeError, IncompleteError
from lton.events import Argument, CallEnd, CallStart, Prose, Thinking
from lton.generate._values import ValueWriter
from lton.generate.chat import IN_WORDS
from lton.generate.distinguish import probability_of
from lton.generate.need import (
    EVEN_ODDS,
    caution_about_tools,
    find_line,
    least_probability_for_calls,
)
from lton.generate.scaffolds import NONE, Scaffold, write_scaffolded_calls
from lton.generate.session import ExhaustedError, Prompt, Session
from lton.grammar.satisfiable import has_values
from lton.schema.ranking import Ranking
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Object, Tool, Type

NEUTRAL = "..."
"""A placeholder for the question. None of four other placeholders was better."""
_EXPLAINED = 32
"""If there are more tools than this, the model does not read the question for each tool."""
_QUESTIONS = 1024
"""The maximum total number of tokens of these questions."""
_MANY = 8
_NEAREST = 3
"""Of more than 8 tools, only the 3 that share the most words with the question are weighed.

Of any number, one that shares far more words than the others is called without weighing. In 82 of
100 reported cases of `multiple` with 2 to 4 tools there is one, and it is right in all of them.
Weighing is right in 77 of them with SmolLM2, and in 76 with Gemma."""
_APART = 8
"""If there are more tools than this, each name is weighed only up to where it differs from the
others.

Whole names would take as long as the rest of the answer. For 52 questions with 20 tools each, a
model of 135 million parameters chose the right tool 11 times this way, and 7 times by whole names.
It chose the same tool in 42 cases."""
_GAIN = 4.5
"""A tool is called only if showing it makes the question likelier than showing no tool, by this
log-ratio.

If an unrelated tool is shown instead of none, some questions are near to it. After
`convert(value unit)`, a model of 0.5B parameters called a tool for 8 of 25 requests that need one,
and compared with no tool, for 17. It declined 23 and 24 of 25 others."""
_SURE_GAIN = 7.0
"""The log-ratio above which the first token is not asked, if it may call a tool, too.

With a lower one, a model of 1.5B parameters called a tool for 3 more of 25 requests that need none
(`docs/explanations/guided-generation.md`)."""
_NO_TOOLS = ToolSet(())
_EVEN = 4.0
"""The temperature of the confidence if whole questions are weighed."""


AskTools: TypeAlias = Callable[[ToolSet, str], list[dict[str, str]]]
"""Returns the messages that ask a question about some tools."""
Progress: TypeAlias = Thinking | CallStart | Argument | CallEnd | Prose | Generation


def stream_answer_in_words(
    session: Session,
    start: str,
    confidence: float | None = None,
    *,
    plain: Callable[[], Sequence[Mapping[str, str]]] | None = None,
) -> Iterator[Progress]:
    """Let the model answer in prose, after the word that means "no call".

    If it ends its turn without a word, or only writes that word again, it is asked the `plain`
    messages, which name no tools.
    """
    session.write_text(start)
    ended = ""
    try:
        is_answered = False
        if start and plain:
            is_answered = yield from _stream_prose(session)
            if not is_answered:
                session.restart_with(plain())
                start = ""
        if not is_answered:
            yield from map(Prose, session.iterate_prose())
    except (ExhaustedError, ContextFullError) as why:
        if not session.sampled:  # the context has no room even for the prompt
            raise
        ended = str(why)
    text = session.text[session.answer_at :]
    yield Generation(
        calls=[],
        text=text,
        prose=text.removeprefix(start),
        thought=session.thought,
        spent=session.spent,
        exhausted=bool(ended),
        why=ended,
        confidence=confidence,
    )


def _stream_prose(session: Session) -> Generator[Prose, None, bool]:
    """Let the model write prose, and return whether it did.

    A first line that is only the word for no call is not prose. It is not yielded, and ends the
    sample. Small models repeat that word up to the limit of tokens.
    """
    pieces = session.iterate_prose()
    held = ""
    try:
        for piece in pieces:
            held += piece
            if held.lstrip().startswith(f"{NONE}\n"):
                pieces.close()
                return False
            if not NONE.startswith(held.lstrip()):
                yield Prose(held)
                yield from map(Prose, pieces)
                return True
    except (ExhaustedError, ContextFullError):
        if held and NONE.startswith(held.lstrip()):
            yield Prose(held)
        raise
    if held.strip() in ("", NONE):
        return False
    yield Prose(held)
    return True


def _find_nearest_tools(tools: Sequence[Tool], question: str, names: ToolSet) -> Sequence[Tool]:
    """Return the tool that clearly fits the question best, or the few best if none stands out.

    Return all tools if none stands out of a few, or if hardly any tool shares a word.
    """
    own = [replace(tool, name=names.own_name(tool.name)) for tool in tools]
    ranking = Ranking(own)
    if first := ranking.find_best_tool(question):
        return [tools[own.index(first)]]
    if len(tools) <= _MANY:
        return tools
    nearest = ranking.find_tools(question)[:_NEAREST]
    return [tools[own.index(tool)] for tool in nearest] if len(nearest) == _NEAREST else tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """The settings for choosing the tool that makes the question likeliest.

    `ask` returns the question with one tool, for weighing. If there are many tools, `answered`
    returns the question with only the chosen tool.
    """

    question: str
    ask: AskTools
    answered: AskTools | None


class CallWriter(ValueWriter):
    """Writes the calls of an answer.

    With `may_repeat`, the answer may contain the same call twice. If a call is optional, and the
    model is less sure of its choice than `least_confidence`, no call is made. In a conversation
    (`talks`), an answer without calls is prose. If the writer `heeds_first_token`, the likelihood
    of the first message alone does not decline it.
    """

    def __init__(
        self,
        session: Session,
        tools: ToolSet,
        scaffold: Scaffold,
        *,
        parallel: bool,
        talks: bool,
        may_repeat: bool,
        least_confidence: float | None,
        heeds_first_token: bool,
        weighing: Weighing | None,
        is_asked: bool,
        plain: Callable[[], Sequence[Mapping[str, str]]] | None,
    ) -> None:
        super().__init__(session, scaffold)
        self.tools = tools
        self.callable = [tool for tool in tools.under_aliases if has_values(Type(object=tool.args))]
        if not self.callable:
            raise ValueError("none of the tools can be called")
        end = scaffold.end
        self.more = scaffold.more
        if scaffold.between.startswith(end + self.more):  # the next call begins with this string
            self.more += scaffold.head(self.callable[0].name)[0]
        self.closings = [end + self.more, end] if parallel else [end]
        self.parallel = parallel
        self.talks = talks
        self.may_repeat = may_repeat
        self.least_confidence = least_confidence
        self.heeds_first_token = heeds_first_token
        self.weighing = weighing
        self.is_asked = is_asked
        self.plain = plain
        is_alone = weighing and weighing.answered and len(self.callable) > _MANY
        self.asks_alone = weighing.answered if weighing and is_alone else None
        self.confidence: float | None = None
        """The probability of the model's first choice, or None before a choice was weighed."""

    def stream_answer(self, *, may_decline: bool) -> Iterator[Progress]:
        session = self.session
        calls = list[Call]()
        ended = ""
        arguments: dict[str, JSON] = {}
        tool: Tool | None = None
        weighing = self.weighing
        while True:
            try:
                while (
                    tool := self.choose_next_tool(may_decline=may_decline and not calls)
                ) is not None:
                    yield CallStart(self.tools.own_name(tool.name))
                    arguments.clear()
                    yield from self.stream_arguments(tool, arguments)
                    call = self.make_checked_call(tool, arguments)
                    if call in calls and not self.may_repeat:
                        ended = AGAIN
                        break
                    tool = None
                    calls.append(call)
                    yield CallEnd(call)
                    if not self.decide_to_go_on():
                        break
                if self.talks and not calls:
                    yield from stream_answer_in_words(
                        session, IN_WORDS, self.confidence, plain=self.plain
                    )
                    return
            except (ExhaustedError, ContextFullError) as why:
                ended = str(why)
                if (
                    tool is not None
                    and (cut := self.try_build_cut_call(tool, arguments, calls)) is not None
                ):
                    calls.append(cut)
                    yield CallEnd(cut)
                if not calls:
                    self.go_back_over_call(why, tool)
                    self.weighing = weighing
                    continue
            break
        # Text that the budget has cut off is removed.
        answer_text = session.text[session.answer_at :]
        text = write_scaffolded_calls(calls, self.tools, self.scaffold) if ended else answer_text
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

    def go_back_over_call(self, why: ExhaustedError | ContextFullError, tool: Tool | None) -> None:
        """Discard the answer after a value that did not end, and choose another tool."""
        session = self.session
        if isinstance(why, ContextFullError):
            raise why
        others = [other for other in self.callable if other is not tool]
        if tool is None or not others or session.sampled >= session.budget:
            msg = f"{why} before a call was complete"
            text = session.text + session.lost
            raise IncompleteError(Code.INCOMPLETE, msg, doc=text, pos=len(text)) from None
        self.callable = others
        self.confidence = None
        session.go_back_to_start()

    def try_build_cut_call(
        self, tool: Tool, arguments: Mapping[str, JSON], calls: list[Call]
    ) -> Call | None:
        """Return an unfinished call if its finished arguments make it a valid, new call."""
        if any(param.required and param.name not in arguments for param in tool.args.params):
            return None
        try:
            call = self.make_checked_call(tool, arguments)
        except EncodeError:  # the missing part is required
            return None
        return None if call in calls and not self.may_repeat else call

    def make_checked_call(self, tool: Tool, arguments: Mapping[str, JSON]) -> Call:
        call = Call(self.tools.own_name(tool.name), dict(arguments))
        encode(call, self.tools)
        return call

    def choose_next_tool(self, *, may_decline: bool) -> Tool | None:
        need = self.try_read_need() if may_decline else None
        if need is None:
            tool = self.choose_tool(may_decline=may_decline)
            least = self.least_confidence or 0.0
        else:
            self.confidence = need
            least = EVEN_ODDS if self.least_confidence is None else self.least_confidence
            tool = self.choose_tool(may_decline=False) if need >= least else None
            if tool and need < least_probability_for_calls(least, [tool], self.tools):
                tool = None
            self.confidence = need if tool else 1.0 - need
        is_doubtful = self.confidence is not None and self.confidence < least
        if tool is None or (may_decline and is_doubtful):
            if not self.talks:
                self.session.write_text(NONE)
            return None
        self.session.write_text(self.scaffold.head(tool.name))
        return tool

    def try_read_need(self) -> float | None:
        """Return the probability that the user's message needs a tool, or None if unknown.

        It is known for a measured model in this process. After a result, the state does not show
        whether the model has finished.
        """
        engine = self.session.engine
        line = find_line(engine) if self.is_asked and self.talks else None
        if line is None or not isinstance(engine, StateReader):
            return None
        return line.probability_of_call(self.session.read_state(engine))

    def choose_tool(self, *, may_decline: bool) -> Tool | None:
        tools, is_decided = self.find_likeliest_tools(may_decline=may_decline)
        return (
            self.choose_among(tools, may_decline=may_decline and not is_decided) if tools else None
        )

    def choose_among(self, tools: Sequence[Tool], *, may_decline: bool) -> Tool | None:
        """Let the model choose a tool by its name. Return None if the model makes no call.

        In a conversation, a tool is compared with the word for no call by what the model would
        rather write. Divided by its likelihood without a question, that word hardly ever wins: with
        Qwen2.5-Coder 0.5B, it wins for 2 % of 54 reported messages that need no tool, and
        undivided, for 76 %.
        """
        scorer = self.session.engine
        if may_decline and self.talks and self.session.neutral and isinstance(scorer, Scorer):
            tool = self.choose_among(tools, may_decline=False) if len(tools) > 1 else tools[0]
            assert tool is not None  # a call was required
            self.session.compare_starts(NONE, self.scaffold.head(tool.name), scorer)
            of_none, of_call = self.session.scores
            of_call -= self.compute_log_of_caution(tool)
            declines = of_none > of_call
            self.confidence = probability_of([of_none, of_call], 0 if declines else 1)
            return None if declines else tool
        none = [NONE] if may_decline else []
        heads_without_key = [self.scaffold.head(tool.name) + self.scaffold.first for tool in tools]
        heads = [self.write_head(tool) for tool in tools]
        apart = len(heads) > _APART and not none  # declining is compared with whole names
        self.session.scores = ()  # the previous scores are of values
        index = self.choose_text(
            heads_without_key + none, [[head] for head in heads + none], apart=apart
        )
        declines = index == len(tools)
        self.add_confidence(index, alone=declines)
        return None if declines else tools[index]

    def add_confidence(self, index: int, temperature: float = 1.0, *, alone: bool = False) -> None:
        """Multiply the confidence of the answer by that of the last choice."""
        if scores := self.session.scores:
            before = 1.0 if alone or self.confidence is None else self.confidence
            self.confidence = before * probability_of(scores, index, temperature=temperature)

    def find_likeliest_tools(self, *, may_decline: bool) -> tuple[Sequence[Tool], bool]:
        """Choose the tool that makes the question likeliest. Return all tools if none was weighed.

        Also return whether the choice is final. If no call is required, return no tool unless one
        makes the question much likelier, or unless the first token of the answer still has to
        decline it.
        """
        engine = self.session.engine
        weighing = self.weighing
        if not weighing or not isinstance(engine, Scorer):
            return self.callable, False
        self.weighing = None
        alone = self.asks_alone
        tools = _find_nearest_tools(self.callable, weighing.question, self.tools)
        if len(tools) > _EXPLAINED or (len(tools) == 1 and not (alone or may_decline)):
            return tools, False
        tool_sets = [self.tools.select(self.tools.own_name(tool.name)) for tool in tools]
        compared = [*tool_sets, _NO_TOOLS] if may_decline else tool_sets
        ask = alone or weighing.ask
        chats = [[ask(one, text) for text in (weighing.question, NEUTRAL)] for one in compared]
        neutral = [self.session.neutral()] if self.session.neutral else []
        prefetch(engine, chats=[self.session.messages, *neutral, *chain(*chats)])
        if not alone:
            self.session.read_text("")  # the prompt of the answer is read first
        prompts = [Prompt(*(engine.prompt(chat) for chat in pair)) for pair in chats]
        if prompts[1:2] == prompts[:1] or sum(one.size for one in prompts) > _QUESTIONS:
            return tools, False
        index = self.session.choose_by_explanation(prompts, engine, aside=not alone)
        if may_decline:
            *scores, without_tools = self.session.scores
            careful = [
                score - self.compute_log_of_caution(tool)
                for tool, score in zip(tools, scores, strict=True)
            ]
            asks_first_token = self.heeds_first_token and self.talks
            gain = _SURE_GAIN if asks_first_token else _GAIN
            self.session.scores = [*careful, without_tools + gain]
            index = engine.pick(self.session.scores)
            if index == len(tools) and asks_first_token:
                best = engine.pick(careful)
                return tools[best : best + 1], False
        self.add_confidence(index, _EVEN)
        return tools[index : index + 1], may_decline

    def compute_log_of_caution(self, tool: Tool) -> float:
        """Return how much likelier than usual a call of a tool must be, as a logarithm."""
        return log(caution_about_tools([tool], self.tools))

    def write_head(self, tool: Tool) -> str:
        """Return the text of a call up to its first value; this text differs between tools."""
        required = [param for param in tool.args.params if param.required]
        key = self.scaffold.first + self.scaffold.key(required[0].name) if required else ""
        return self.scaffold.head(tool.name) + key

    def decide_to_go_on(self) -> bool:
        self.session.write_text(self.scaffold.end)
        if not self.parallel or self.session.choose_by_sampling([[self.more], [""]]):
            return False
        self.session.write_text(self.scaffold.more)
        return True

    def stream_arguments(self, tool: Tool, arguments: dict[str, JSON]) -> Iterator[Progress]:
        if not tool.args.params and tool.args.is_map and self.scaffold.end.startswith("}"):
            yield from self.stream_undeclared_arguments(tool.args, arguments)
            return
        for param, value in self.stream_members(tool.args, self.scaffold, self.closings):
            arguments[param.name] = value
            yield Argument(param.name, value)

    def stream_undeclared_arguments(
        self, members: Object, arguments: dict[str, JSON]
    ) -> Iterator[Progress]:
        """Write the arguments of a tool without parameters. The model also writes their names.

        The scaffold must spell names as JSON does.
        """
        assert members.extra  # otherwise it would not be a map
        before = ""
        between = self.scaffold.between
        while not self.session.choose_by_sampling([[f'{before}"'], self.closings]):
            self.session.write_text(before)
            name, value = self.write_named_value(members.extra, [f'{between}"', *self.closings])
            arguments[name] = value
            yield Argument(name, value)
            before = between
