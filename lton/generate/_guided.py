"""Generate calls: the program writes what the schema decides, and the model writes the values.

The model reads names, keys and punctuation, and never samples them. The calls are built from the
values, and checked as the encoder checks calls.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypedDict

from lton._syntax import Thoughts, find_thought_marks
from lton.chat import Message
from lton.engines.llamacpp import engine_of
from lton.generate._calls import (
    NEUTRAL,
    AskTools,
    CallWriter,
    Progress,
    Weighing,
    stream_answer_in_words,
)
from lton.generate.chat import IN_WORDS, Shot, build_chat, build_conversation, write_signatures
from lton.generate.scaffolds import CALL, Scaffold, write_scaffolded_calls
from lton.generate.session import Session
from lton.grammar.build import PROSE, ToolChoice, choose_tools
from lton.schema.toolset import ToolSet


class GuidedOptions(TypedDict, total=False):
    """The options of `stream`, and of `ask` for an engine."""

    scaffold: Scaffold
    shots: Sequence[Shot]
    tool_choice: ToolChoice
    parallel: bool
    max_tokens: int
    temperature: float
    seed: int
    show: Callable[[ToolSet], str]
    weigh: bool
    least_confidence: float | None
    heeds_first_token: bool
    may_repeat: bool
    repeat_calls: bool
    thoughts: Thoughts
    max_thought: int


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
    show: Callable[[ToolSet], str] = write_signatures,
    weigh: bool = True,
    least_confidence: float | None = None,
    heeds_first_token: bool = False,
    may_repeat: bool = False,
    repeat_calls: bool = False,
    thoughts: Thoughts = False,
    max_thought: int = 1024,
) -> Iterator[Progress]:
    """Yield the events of an answer as they become certain, and finally the `Generation`.

    `question` may be a whole conversation (see `lton.generate.chat.conversation`). In a
    conversation, the answer is prose if no tool is called: because the model declines, the choice
    is "none", or there are no tools. Its messages replace the examples.

    - `scaffold`: the text around the values, also in examples.
    - `shots`: examples, if the question is a string.
    - `tool_choice`: "required", "auto" (the model may make no call), "none" or `Named(tool)`.
    - `parallel`: the model may make several calls.
    - `max_tokens`: the maximum number of sampled tokens. An answer also ends if it repeats itself:
      after 4 copies of a string with 128 characters in total, 20 equal digits, 32 numbers with
      equal steps, 32 labels more than the type has, or a call that it already contains. Required
      list items are not repetition. If the first call ends in this way, the next best tool is
      called while tokens are left.
    - `temperature`, `seed`: the same seed gives the same answer, unless two choices are almost
      equally likely. Then the state of the cache decides.
    - `show`: returns the text that shows tools to the model; by default signatures.
    - `weigh`: choose by likelihood, if the engine can score; otherwise the model samples its
      choices. For a single call, or the first call in a conversation, a tool that shares far more
      words with the question than the others is chosen (`Ranking.decide`). If none does, the model
      chooses the tool that makes the question likeliest when only that tool is shown; of more than
      8 tools, the 3 that share the most words are weighed, if at least 3 share words. A
      tool chosen from more than 8 is the only tool in the prompt of the answer, if one call is
      required and no example uses other tools. Later tools, no call, and enum values are chosen by
      how much the question raises their likelihood. So is the first tool if scoring would take over
      1,024 tokens.
    - `least_confidence`: with "auto", no call is made if the model is less sure of the tool than
      this, from 0 to 1 (see `Generation`). A choice that was not weighed is always accepted. The
      default is 0.5 for the user's message in a conversation with a measured model, whose state
      shows whether a tool is needed (`lton.generate.need`), and otherwise 0.
    - `heeds_first_token`: with "auto", the first message of a conversation is declined only if its
      likelihood speaks against a call, and the model would also rather begin its answer with the
      word for no call than with the tool's name. This keeps more calls that are needed, with models
      whose first token was measured to tell such messages apart.
    - `may_repeat`: the answer may repeat itself. `repeat_calls`: only its calls may repeat.
    - `thoughts`: the model first writes a free thought, up to its end mark or `max_thought` tokens.
      `max_tokens` does not count these tokens.

    A call without a `CallEnd` is not part of the answer, and neither is any part of an incomplete
    call.

    Raises `ValueError` for contradictory options and if no tool can be called, `IncompleteError` if
    a limit ends the answer before the first call is complete, `ContextFullError` if the context is
    full before that, `EncodeError` for a call that breaks a rule beyond grammars, and
    `GrammarError` if the engine refuses a grammar.
    """
    talks = not isinstance(question, str)
    _check_options(shots, tool_choice, max_tokens, talks=talks)
    marks = find_thought_marks(thoughts)
    asked_for = choose_tools(tools, tool_choice)
    may_decline = tool_choice in PROSE
    asking: AskTools
    if isinstance(question, str):
        asking = partial(
            build_chat,
            write_calls=partial(write_scaffolded_calls, scaffold=scaffold),
            shots=shots,
            may_decline=may_decline,
            parallel=parallel,
            show=show,
            marks=marks,
        )
        messages = asking(tools, question)
    else:
        messages = build_conversation(question, tools, scaffold, show=show)
        asking = partial(_examples_before_question, messages[:-1])  # with the same earlier answers
    session = Session(
        engine_of(model, temperature=temperature, seed=seed),
        messages,
        neutral=partial(asking, tools, NEUTRAL) if weigh else None,
        budget=max_tokens,
        may_repeat=may_repeat,
    )
    plain = (
        None if isinstance(question, str) else partial(build_conversation, question, ToolSet(()))
    )
    if talks and (tool_choice == "none" or not tools):
        answer = stream_answer_in_words(session, IN_WORDS if tools else "", plain=plain)
    else:
        weighing = None
        if weigh and not marks and (talks or not parallel) and (first := _first_words_of(question)):
            # If exactly one call is wanted, and no example calls another tool.
            is_one = not (talks or may_decline) and all(shot.tools for shot in shots)
            answered = asking if is_one else None
            weighing = Weighing(
                question=first, ask=partial(build_chat, show=show), answered=answered
            )
        is_asked = weigh and not marks and _ends_with_user(question)
        writer = CallWriter(
            session,
            asked_for,
            scaffold,
            parallel=parallel,
            talks=talks,
            may_repeat=may_repeat or repeat_calls,
            least_confidence=least_confidence,
            heeds_first_token=heeds_first_token,
            weighing=weighing,
            is_asked=is_asked,
            plain=plain,
        )
        answer = writer.stream_answer(may_decline=may_decline)
    return chain(session.iterate_thoughts(marks, max_thought), answer) if marks else answer


def _check_options(
    shots: Sequence[Shot], tool_choice: ToolChoice, max_tokens: int, *, talks: bool
) -> None:
    if talks and shots:
        raise ValueError("examples are messages of the conversation")
    if max_tokens < 1 or (tool_choice == "none" and not talks):
        raise ValueError("nothing to generate: tool_choice is none, or max_tokens is not positive")


def _examples_before_question(
    before: Sequence[dict[str, str]], _: ToolSet, question: str
) -> list[dict[str, str]]:
    return [*before, {"role": "user", "content": question}]


def _ends_with_user(question: str | Sequence[Message]) -> bool:
    """Return whether a conversation ends with a message of the user, not with a result."""
    return not isinstance(question, str) and bool(question) and question[-1].role == "user"


def _first_words_of(question: str | Sequence[Message]) -> str:
    """Return the question if it starts the conversation; otherwise return ""."""
    if isinstance(question, str):
        return question
    turns = [message for message in question if message.role not in ("system", "developer")]
    return turns[0].text if len(turns) == 1 and turns[0].role == "user" else ""
