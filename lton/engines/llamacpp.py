"""llama.cpp in this process, by llama-cpp-python: its models, their grammars, and the engine.

The binding does not parse a grammar until it samples, and crashes the process on a bad one; so
each grammar is tried on the model's vocabulary first. Grammars of no text at all, or with a NUL,
would mean no constraint, and are refused.
"""

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Unpack

from lton._require import require
from lton._syntax import Thoughts
from lton.codec._thoughts import first_thought
from lton.engines._sequences import Sequences, silent, widen
from lton.engines.engine import Engine, common
from lton.engines.generation import Generation, Spent, read_completion
from lton.engines.turns import read_turns
from lton.errors import Code, GrammarError, LTONError
from lton.grammar.build import Options, ToolChoice
from lton.grammar.emit import to_gbnf
from lton.schema.toolset import ToolSet
from lton.schema.types import Call

_GEMMA = "<start_of_turn>"
_GEMMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if not loop.previtem or loop.previtem.role != 'system' %}"
    "<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}\n{% endif %}"
    "{{ message.content }}{{ '\n\n' if message.role == 'system' else '<end_of_turn>\n' }}"
    "{% endfor %}{{ '<start_of_turn>model\n' }}"
)
"""Gemma's turns, for its base models: their files carry the tokens, but no template."""
_LIKELY = 64
"""So many of the likeliest tokens are put to a grammar before the whole vocabulary is."""
_SOME = 512
"""So many are put to it at a time to see whether it forbids any."""
_PIECE = 512
_STEP = 256
_TEMPLATES = 16
"""So many templates of chats are kept compiled."""


def load(path: str | Path, *, context: int = 4096, threads: int = 1) -> Any:
    """Load a model file (GGUF) as a `llama_cpp.Llama`, with room to weigh choices side by side.

    `context` is in tokens, of which llama.cpp has a multiple of 256. Raises `LTONError` for a file
    that is not there, or that llama.cpp cannot load.
    """
    context = -(-context // _STEP) * _STEP  # else it has more than the binding knows of
    library = require("llama_cpp", "local")
    if not Path(path).is_file():
        raise LTONError(Code.MODEL, f"no model file {str(path)!r}")
    options = {"n_ctx": context, "n_threads": threads, "n_threads_batch": threads}
    try:
        with silent(library):
            return widen(library.Llama(model_path=str(path), verbose=False, **options))
    except (ValueError, RuntimeError, OSError) as error:
        raise LTONError(Code.MODEL, f"llama.cpp cannot load {str(path)!r}: {error}") from error


def constraint(tools: ToolSet, llm: Any, **options: Unpack[Options]) -> Any:
    """Get the `LlamaGrammar` with which `llm`, a `llama_cpp.Llama`, writes one call of `tools`.

    The options are those of `lton.grammar.to_gbnf`; by default a model writes the form that
    models do best. Raises `GrammarError` if llama.cpp refuses the grammar.
    """
    gbnf = to_gbnf(tools, **options)
    check_grammar(gbnf, llm)
    return require("llama_cpp", "local").LlamaGrammar.from_string(gbnf, verbose=False)


def check_grammar(gbnf: str, llm: Any) -> None:
    """Raise `GrammarError` unless llama.cpp takes the text as a grammar for `llm`'s vocabulary.

    It does if it reads the text, and then forbids some token as the first. llama.cpp itself says on
    standard error what it did not understand.
    """
    library = require("llama_cpp", "local")
    numpy = require("numpy", "local")
    vocabulary = library.llama_model_get_vocab(llm.model)
    tokens = numpy.arange(library.llama_vocab_n_tokens(vocabulary))
    with _sampler(vocabulary, gbnf) as sampler:
        # Some at a time: the first few hold one that is forbidden, and a vocabulary takes long.
        chunks = (tokens[at : at + _SOME] for at in range(0, len(tokens), _SOME))
        if not any(_allowed(sampler, chunk, 0.0 * chunk).any() for chunk in chunks):
            raise GrammarError(Code.GRAMMAR, "llama.cpp reads the grammar as no constraint")


@contextmanager
def _sampler(vocabulary: Any, gbnf: str) -> Iterator[Any]:
    """Get what llama.cpp makes of a grammar. Raises `GrammarError` if it makes nothing of it."""
    library, sampler = require("llama_cpp", "local"), None
    if gbnf.strip() and "\0" not in gbnf:
        sampler = library.llama_sampler_init_grammar(vocabulary, gbnf.encode(), b"root")
    if not sampler:
        raise GrammarError(Code.GRAMMAR, "llama.cpp refuses the grammar")
    try:
        yield sampler
    finally:
        library.llama_sampler_free(sampler)


def _allowed(sampler: Any, tokens: Any, logits: Any) -> Any:
    """Get the logits of some tokens, with minus infinity for those that a grammar forbids."""
    library, numpy = require("llama_cpp", "local"), require("numpy", "local")
    kind = numpy.dtype([("id", "int32"), ("logit", "float32"), ("p", "float32")], align=True)
    data = numpy.zeros(len(tokens), dtype=kind)
    data["id"], data["logit"] = tokens, logits
    pointer = data.ctypes.data_as(ctypes.POINTER(library.llama_token_data))
    array = library.llama_token_data_array(
        data=pointer, size=len(tokens), selected=-1, sorted=False
    )
    library.llama_sampler_apply(sampler, ctypes.byref(array))
    return data["logit"]


def complete(
    llm: Any,
    messages: Sequence[Mapping[str, str]],
    tools: ToolSet,
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
    **options: Unpack[Options],
) -> Generation:
    """Get what a `llama_cpp.Llama` answers to a chat, as calls of `tools`.

    Raises `GrammarError` before anything is sampled if the constraint cannot be in force, and
    `DecodeError` for what a grammar leaves to the decoder; `IncompleteError` at `max_tokens`.
    """
    grammar = constraint(tools, llm, **options)
    completion = llm.create_completion(
        LlamaEngine(llm).prompt(messages),
        grammar=grammar,
        logit_bias=dict.fromkeys(textless(llm).tolist(), -math.inf),
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )
    choice, usage = completion["choices"][0], completion["usage"]
    text, thoughts = choice["text"], options.get("thoughts", False)
    found = calls(
        completion, tools, tool_choice=options.get("tool_choice", "required"), thoughts=thoughts
    )
    thought, at = first_thought(text, thoughts)
    ended = choice["finish_reason"] == "stop"  # usage leaves out the end of the turn
    return Generation(
        text=text[at:],
        thought=thought,
        calls=found,
        spent=Spent(prompt=usage["prompt_tokens"], sampled=usage["completion_tokens"] + ended),
    )


def textless(llm: Any) -> Any:
    """Get the special tokens that have no text, but for those that end a turn, as an array.

    A grammar of llama.cpp lets a model write them where their names may be, inside of a string for
    example. Nothing is read of them then: `"12<filename>34"` would be `"1234"`.
    """
    known = vars(llm).get("_lton_textless")
    if known is None:
        library, numpy = require("llama_cpp", "local"), require("numpy", "local")
        vocabulary = library.llama_model_get_vocab(llm.model)
        kinds = library.LLAMA_TOKEN_ATTR_CONTROL | library.LLAMA_TOKEN_ATTR_UNKNOWN
        tokens = [
            token
            for token in range(library.llama_vocab_n_tokens(vocabulary))
            if library.llama_vocab_get_attr(vocabulary, token) & kinds
            and not library.llama_vocab_is_eog(vocabulary, token)
        ]
        known = vars(llm)["_lton_textless"] = numpy.asarray(tokens, dtype="int32")
    return known


def tokenize(llm: Any, text: str, special: bool = False) -> list[int]:
    """Get the tokens of a text; with `special` also the special ones that it names."""
    tokens: list[int] = llm.tokenize(text.encode(), add_bos=False, special=special)
    return tokens


def calls(
    completion: Mapping[str, Any],
    tools: ToolSet,
    *,
    tool_choice: ToolChoice = "required",
    thoughts: Thoughts = False,
) -> list[Call]:
    """Get the calls in what `create_chat_completion` or `create_completion` returned."""
    choice = completion["choices"][0]
    text = choice["message"]["content"] if "message" in choice else choice["text"]
    cut = choice["finish_reason"] == "length"
    return read_completion(text, tools, cut=cut, tool_choice=tool_choice, thoughts=thoughts)


class LlamaEngine:
    """A `llama_cpp.Llama`. Greedy at temperature 0; else the seed decides."""

    def __init__(self, llm: Any, *, temperature: float = 0.0, seed: int = 0) -> None:
        self.llm = llm
        self.library = require("llama_cpp", "local")
        self.numpy = require("numpy", "local")
        self.vocabulary = self.library.llama_model_get_vocab(llm.model)
        self.size = self.library.llama_vocab_n_tokens(self.vocabulary)
        self.temperature = temperature
        self.random = self.numpy.random.default_rng(seed)
        self.pending: int | None = None
        """The token that was sampled last: it is read when another is wanted."""
        self.before = self.numpy.empty(0, dtype="int32")
        """The tokens up to that one."""
        self.key = object()
        self.sequences = Sequences(llm, self._logits)

    @property
    def begins_texts(self) -> bool:
        """Say whether llama-cpp-python begins every text with a token of its own."""
        return bool(self.library.llama_vocab_get_add_bos(self.vocabulary))

    def prompt(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        template = self.llm.metadata.get("tokenizer.chat_template")
        if template is None:
            turns = len(self.llm.tokenize(_GEMMA.encode(), add_bos=False, special=True)) == 1
            template = _GEMMA_TEMPLATE if turns else ""

        def lay_out(messages: Sequence[Mapping[str, str]]) -> str:
            bos, eos = (self._text(each()) for each in (self.llm.token_bos, self.llm.token_eos))
            text: str = _formatter(template, bos, eos)(messages=messages).prompt
            return text

        try:
            return read_turns(messages, partial(_with_system, lay_out), partial(tokenize, self.llm))
        except LTONError:
            raise
        except Exception as error:  # templates are programs, and foreign
            msg = f"the model's template cannot lay out the chat: {error}"
            raise LTONError(Code.MODEL, msg) from error

    def _text(self, token: int) -> str:
        """Get how a vocabulary spells a special token; nothing if it has none."""
        if token == -1:
            return ""
        text: bytes = self.library.llama_vocab_get_text(self.vocabulary, token)
        return text.decode()

    def tokenize(self, text: str) -> list[int]:
        return tokenize(self.llm, text)

    def feed(self, tokens: Sequence[int]) -> int:
        self.pending, self.before = None, self.numpy.asarray(tokens, dtype="int32")
        self.sequences.beside.reader = self.key
        held = self.sequences.held()
        same = common(held, tokens)
        # The last is always read again unless the model has read just that: it makes the logits.
        if same == len(tokens) and (same < len(held) or self.sequences.beside.is_stale):
            same -= 1
        self._read(tokens[same:], same)
        return len(tokens) - same

    def _read(self, tokens: Sequence[int], at: int) -> None:
        self.sequences.make_room(at, at + len(tokens))
        self.llm.n_tokens = at  # `eval` forgets what comes after
        if tokens:
            self.sequences.beside.is_stale = True  # if it is interrupted
            self.llm.eval(tokens)
            self.sequences.beside.is_stale = False

    def constrain(self, gbnf: str) -> AbstractContextManager[Any]:
        return _sampler(self.vocabulary, gbnf)

    def sample(self, grammar: Any) -> bytes | None:
        pending = [] if self.pending is None else [self.pending]
        if not self._is_there():
            self.feed([*self.before.tolist(), *pending])
        elif pending:
            self._read(pending, self.llm.n_tokens)
            self.before = self.numpy.append(self.before, self.numpy.int32(self.pending))
        logits = self._logits(-1).copy()
        logits[textless(self.llm)] = -self.numpy.inf
        token = (
            self._greedy(grammar, logits) if self.temperature <= 0 else self._any(grammar, logits)
        )
        self.library.llama_sampler_accept(grammar, token)
        self.pending = token
        return (
            None if self.library.llama_vocab_is_eog(self.vocabulary, token) else self.piece(token)
        )

    def _is_there(self) -> bool:
        """Say whether nobody else has read with the model since: another engine, or its owner."""
        held = self.llm.input_ids[: self.llm.n_tokens]
        is_last = self.sequences.beside.reader is self.key
        return is_last and bool(self.numpy.array_equal(held, self.before))

    def score(
        self,
        tokens: Sequence[int],
        texts: Sequence[Sequence[int]],
        *,
        aside: bool = False,
        less: Sequence[float] | None = None,
    ) -> tuple[int, list[float]]:
        """Get how many tokens were read, and how likely each text is to follow, as a logarithm.

        The model is after `tokens` then, or where it was if it read them aside. That, and to
        read texts side by side, takes a model that `load` loaded, and room in its context; else
        one is read after the other, in the place of what was read before. No text is empty.

        What was read aside once is not read again for the same texts. With `less` a greedy engine
        reads only what can be the likeliest less that, and is after the beginning of that text.
        """
        self.sequences.beside.reader = None
        less = less if self.temperature <= 0 else None
        return self.sequences.score(tokens, texts, aside=aside, less=less)

    def foretell(
        self, prompts: Sequence[tuple[Sequence[int], int]], *, aside: bool = False
    ) -> tuple[int, int, list[float]]:
        """Get how many tokens were read, the likeliest's index, and each rest's log-likelihood.

        Each prompt comes with where its rest begins. All are read side by side, and what comes
        before their rests is kept, up to 256 MiB: with tools that stay a question alone is read.
        """
        self.sequences.beside.reader = None
        read, scores = self.sequences.foretell(prompts, aside=aside)
        best = self.pick(scores)
        self.sequences.settle(None if aside else prompts[best][0])
        return read, best, scores

    def _logits(self, at: int) -> Any:
        pointer = self.library.llama_get_logits_ith(self.llm.ctx, at)
        return self.numpy.ctypeslib.as_array(pointer, shape=(self.size,))

    def pick(self, scores: Sequence[float]) -> int:
        weighed = self.numpy.asarray(scores)
        if self.temperature <= 0:
            return int(weighed.argmax())
        weights = self.numpy.exp((weighed - weighed.max()) / self.temperature)
        return int(self.random.choice(len(weights), p=weights / weights.sum()))

    def _greedy(self, grammar: Any, logits: Any) -> int:
        likely = self.numpy.argpartition(logits, -_LIKELY)[-_LIKELY:]
        for some in (likely, self.numpy.arange(self.size)):
            left = _allowed(grammar, some, logits[some])
            best = int(left.argmax())
            if left[best] > -self.numpy.inf:
                return int(some[best])
        raise GrammarError(Code.GRAMMAR, "the grammar allows no token")

    def _any(self, grammar: Any, logits: Any) -> int:
        left = _allowed(grammar, self.numpy.arange(self.size), logits).astype("float64")
        if left.max() == -self.numpy.inf:
            raise GrammarError(Code.GRAMMAR, "the grammar allows no token")
        return self.pick(left)

    def piece(self, token: int) -> bytes:
        """Get the bytes of a token."""
        buffer = ctypes.create_string_buffer(_PIECE)
        size = self.library.llama_token_to_piece(self.vocabulary, token, buffer, _PIECE, 0, False)
        return buffer.raw[: max(size, 0)]


def _with_system(
    lay_out: Callable[[Sequence[Mapping[str, str]]], str], messages: Sequence[Mapping[str, str]]
) -> str:
    """Lay out a chat; where a template refuses what the system says, the user says it first."""
    try:
        return lay_out(messages)
    except ValueError:  # what `raise_exception` of a template raises
        if len(messages) < 2 or [each["role"] for each in messages[:2]] != ["system", "user"]:
            raise
        system, user, *rest = messages
        both = f"{system['content']}\n\n{user['content']}"
        return lay_out([{"role": "user", "content": both}, *rest])


@lru_cache(_TEMPLATES)
def _formatter(template: str, bos: str, eos: str) -> Any:
    """Get what lays out a chat; to compile a template takes as long as some answers' values."""
    format_ = require("llama_cpp.llama_chat_format", "local")
    template = template or format_.CHATML_CHAT_TEMPLATE
    return format_.Jinja2ChatFormatter(template=template, bos_token=bos, eos_token=eos)


def engine_of(model: Any, *, temperature: float, seed: int) -> Engine:
    """Get the engine of a model, which is a `llama_cpp.Llama` or an engine already."""
    if not hasattr(model, "eval"):
        engine: Engine = model
        return engine
    return LlamaEngine(model, temperature=temperature, seed=seed)
