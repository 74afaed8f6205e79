"""The syntaxes in which model families write calls, token for token.

If a family's vocabulary has a token for a string, the string is a special piece here. The strings
follow the models' chat templates and the parsers of SGLang and vLLM. Values are converted to text
as the templates do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lton.schema import Call
from lton.schema.types import JSON
from lton_bench.tokens.pieces import (
    MINIFIED,
    PYTHON,
    SPACED,
    Format,
    JSONStyle,
    Piece,
    Pieces,
    between,
    key,
    mark,
    merged,
    name,
    special,
    text_of,
    value,
)

Write = Callable[[Sequence[Call]], Pieces]


def python_call(call: Call) -> Pieces:
    """Yield a call in Python, with keywords.

    >>> text_of(python_call(Call("f", {"a": "x", "b": True})))
    'f(a="x", b=True)'
    """
    members = (
        [key(member), mark("="), *PYTHON.write(part)] for member, part in call.arguments.items()
    )
    yield from (name(call.name), mark("("), *between(", ", members), mark(")"))


def _pythonic(calls: Sequence[Call]) -> Pieces:
    yield from (mark("["), *between(", ", map(python_call, calls)), mark("]"))


def _bare_json(style: JSONStyle, call: Call) -> Pieces:
    yield from style.write(dict(call.arguments))


def _llama_json(calls: Sequence[Call]) -> Pieces:
    yield from between("; ", (SPACED.call(call, arguments_key="parameters") for call in calls))


def _hermes(calls: Sequence[Call]) -> Pieces:
    blocks = (
        [
            special("<tool_call>"),
            mark("\n"),
            *SPACED.call(call),
            mark("\n"),
            special("</tool_call>"),
        ]
        for call in calls
    )
    yield from between("\n", blocks)


def _lfm2(calls: Sequence[Call]) -> Pieces:
    yield special("<|tool_call_start|>")
    yield from _pythonic(calls)
    yield special("<|tool_call_end|>")


def _deepseek_v3(calls: Sequence[Call]) -> Pieces:
    blocks = (
        [
            special("<｜tool▁call▁begin｜>"),
            mark("function"),
            special("<｜tool▁sep｜>"),
            name(call.name),
            mark("\n```json\n"),
            *_bare_json(SPACED, call),
            mark("\n```"),
            special("<｜tool▁call▁end｜>"),
        ]
        for call in calls
    )
    yield special("<｜tool▁calls▁begin｜>")
    yield from between("\n", blocks)
    yield special("<｜tool▁calls▁end｜>")


def _deepseek_v31(calls: Sequence[Call]) -> Pieces:
    yield special("<｜tool▁calls▁begin｜>")
    for call in calls:
        yield special("<｜tool▁call▁begin｜>")
        yield name(call.name)
        yield special("<｜tool▁sep｜>")
        yield from _bare_json(SPACED, call)
        yield special("<｜tool▁call▁end｜>")
    yield special("<｜tool▁calls▁end｜>")


def _mistral(calls: Sequence[Call]) -> Pieces:
    for call in calls:
        yield special("[TOOL_CALLS]")
        yield name(call.name)
        yield special("[ARGS]")
        yield from _bare_json(SPACED, call)


def _mistral_old(calls: Sequence[Call]) -> Pieces:
    yield special("[TOOL_CALLS]")
    yield mark(" [")
    yield from between(", ", map(SPACED.call, calls))
    yield mark("]")


def _harmony(calls: Sequence[Call]) -> Pieces:
    for index, call in enumerate(calls):
        if index:
            yield special("<|start|>")
            yield mark("assistant")
        yield special("<|channel|>")
        yield mark("commentary to=functions.")
        yield name(call.name)
        yield mark(" ")
        yield special("<|constrain|>")
        yield mark("json")
        yield special("<|message|>")
        yield from _bare_json(MINIFIED, call)
        yield special("<|call|>")


def _kimi_k2(calls: Sequence[Call]) -> Pieces:
    yield special("<|tool_calls_section_begin|>")
    for index, call in enumerate(calls):
        yield special("<|tool_call_begin|>")
        yield mark("functions.")
        yield name(call.name)
        yield mark(f":{index}")
        yield special("<|tool_call_argument_begin|>")
        yield from _bare_json(SPACED, call)
        yield special("<|tool_call_end|>")
    yield special("<|tool_calls_section_end|>")


def _apertus(calls: Sequence[Call]) -> Pieces:
    objects = (
        [
            mark("{"),
            *SPACED.quoted(call.name, "name"),
            mark(": "),
            *_bare_json(SPACED, call),
            mark("}"),
        ]
        for call in calls
    )
    yield special("<|tools_prefix|>")
    yield from (mark("["), *between(", ", objects), mark("]"))
    yield special("<|tools_suffix|>")


# --- an element an argument: a string as it is, anything else as JSON -----------------------------
def _raw(whole: JSON) -> Pieces:
    yield value(whole if isinstance(whole, str) else text_of(SPACED.write(whole)))


def _raw_or_python(whole: JSON) -> Pieces:
    """Yield a value as Qwen's template does: scalars as in Python."""
    is_scalar = not isinstance(whole, dict | list | tuple)
    yield from (value(str(whole)),) if is_scalar else _raw(whole)


_CLOSE, _SEP = special("<|close|>"), special("<|sep|>")


def _elements(
    call: Call,
    head: tuple[str, str],
    argument: tuple[str, str, str],
    end: str,
    write: Callable[[JSON], Pieces],
) -> Pieces:
    """Yield a call as elements, with marks around the name, each key and each value."""
    yield from (mark(head[0]), name(call.name), mark(head[1]))
    for member, part in call.arguments.items():
        yield from (mark(argument[0]), key(member), mark(argument[1]))
        yield from write(part)
        yield mark(argument[2])
    yield mark(end)


def _qwen_coder(calls: Sequence[Call]) -> Pieces:
    yield from between("\n", map(_qwen_block, calls))


def _qwen_block(call: Call) -> Pieces:
    argument = "<parameter=", ">\n", "\n</parameter>\n"
    yield special("<tool_call>")
    yield mark("\n")
    yield from _elements(call, ("<function=", ">\n"), argument, "</function>\n", _raw_or_python)
    yield special("</tool_call>")


def _dsml(calls: Sequence[Call]) -> Pieces:
    yield from _dsml_tag("<", "function_calls>\n")
    for call in calls:
        yield from _dsml_tag("<", 'invoke name="')
        yield name(call.name)
        yield mark('">\n')
        for member, part in call.arguments.items():
            is_string = str(isinstance(part, str)).lower()
            yield from _dsml_tag("<", 'parameter name="')
            yield key(member)
            yield mark(f'" string="{is_string}">')
            yield from _raw(part)
            yield from _dsml_tag("</", "parameter>\n")
        yield from _dsml_tag("</", "invoke>\n")
    yield from _dsml_tag("</", "function_calls>")


def _dsml_tag(head: str, tail: str) -> Pieces:
    yield from (mark(head), special("｜DSML｜"), mark(tail))


def _kimi_k3(calls: Sequence[Call]) -> Pieces:
    yield from _opened("tools")
    for index, call in enumerate(calls, start=1):
        yield special("<|open|>")
        yield mark('call tool="')
        yield name(call.name)
        yield mark(f'" index="{index}"')
        yield _SEP
        for member, part in call.arguments.items():
            yield special("<|open|>")
            yield mark('argument key="')
            yield key(member)
            yield mark(f'" type="{_type_name(part)}"')
            yield _SEP
            yield from _raw(part)
            yield from (_CLOSE, mark("argument"), _SEP)
        yield from (_CLOSE, mark("call"), _SEP)
    yield from (_CLOSE, mark("tools"), _SEP)


def _opened(tag: str) -> Pieces:
    yield from (special("<|open|>"), mark(tag), _SEP)


_TYPE_NAMES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "string"),
    (bool, "boolean"),
    ((int, float), "number"),
    (dict, "object"),
    ((list, tuple), "array"),
)


def _type_name(whole: JSON) -> str:
    return next((type_name for kind, type_name in _TYPE_NAMES if isinstance(whole, kind)), "null")


def _glm(newline: str, calls: Sequence[Call]) -> Pieces:
    yield from between(newline, (_glm_block(newline, call) for call in calls))


def _glm_block(newline: str, call: Call) -> Pieces:
    yield special("<tool_call>")
    yield name(call.name)
    yield mark(newline)
    for member, part in call.arguments.items():
        yield special("<arg_key>")
        yield key(member)
        yield special("</arg_key>")
        yield mark(newline)
        yield special("<arg_value>")
        yield from _raw(part)
        yield special("</arg_value>")
        yield mark(newline)
    yield special("</tool_call>")


def _minimax(calls: Sequence[Call]) -> Pieces:
    argument = '<parameter name="', '">', "</parameter>\n"
    yield special("<minimax:tool_call>")
    yield mark("\n")
    for call in calls:
        yield from _elements(call, ('<invoke name="', '">\n'), argument, "</invoke>\n", _raw)
    yield special("</minimax:tool_call>")


def _minicpm(calls: Sequence[Call]) -> Pieces:
    head, argument = ('<function name="', '">'), ('<param name="', '">', "</param>")
    blocks = (_elements(call, head, argument, "</function>", _raw_or_data) for call in calls)
    yield from between("\n", blocks)


def _raw_or_data(whole: JSON) -> Pieces:
    (piece,) = _raw(whole)
    has_data = any(character in piece.text for character in "\n<&")
    yield mark("<![CDATA[" if has_data else "")
    yield piece
    yield mark("]]>" if has_data else "")


# --- Gemma: keys are sorted, strings stand between two special tokens -----------------------------
@dataclass(frozen=True, slots=True)
class _Gemma:
    opener: str
    closer: str
    quote: str

    def write(self, calls: Sequence[Call]) -> Pieces:
        for call in calls:
            yield special(self.opener)
            yield mark("call:")
            yield name(call.name)
            yield from self._object(call.arguments, key)
            yield special(self.closer)

    def _object(self, whole: Mapping[str, JSON], spell: Callable[[str], Piece] | None) -> Pieces:
        members = (
            [
                *([spell(member)] if spell else self._string(key(member))),
                mark(":"),
                *self._value(part),
            ]
            for member, part in sorted(whole.items())
        )
        yield from (mark("{"), *between(",", members), mark("}"))

    def _string(self, piece: Piece) -> Iterator[Piece]:
        yield from (special(self.quote), piece, special(self.quote))

    def _value(self, whole: JSON) -> Pieces:
        if isinstance(whole, str):
            yield from self._string(value(whole))
        elif isinstance(whole, dict):
            yield from self._object(whole, None)
        elif isinstance(whole, list | tuple):
            yield from (mark("["), *between(",", map(self._value, whole)), mark("]"))
        else:
            yield from MINIFIED.write(whole)


_RAW = "strings as they are: types are the schema's to know"
_FAMILIES: tuple[tuple[str, Write, str], ...] = (
    ("Hermes, Qwen3", _hermes, ""),
    ("Llama 3.1 JSON", _llama_json, "made for one call; several as vLLM reads them"),
    ("Llama 4 pythonic", _pythonic, ""),
    ("LFM2", _lfm2, ""),
    ("Qwen3-Coder", _qwen_coder, _RAW),
    ("DeepSeek V3", _deepseek_v3, ""),
    ("DeepSeek V3.1", _deepseek_v31, ""),
    ("DeepSeek V3.2 DSML", _dsml, "says which arguments are strings"),
    ("Mistral, old", _mistral_old, ""),
    ("Mistral", _mistral, ""),
    ("FunctionGemma", _Gemma("<start_function_call>", "<end_function_call>", "<escape>").write, ""),
    ("Gemma 4", _Gemma("<|tool_call>", "<tool_call|>", '<|"|>').write, ""),
    ("GPT-OSS Harmony", _harmony, "made for one call a message; several as several messages"),
    ("Kimi K2", _kimi_k2, ""),
    ("Kimi K3", _kimi_k3, "says the type of each argument"),
    ("GLM-4.5", partial(_glm, "\n"), _RAW),
    ("GLM-4.7", partial(_glm, ""), _RAW),
    ("MiniMax M2", _minimax, _RAW),
    ("MiniCPM5", _minicpm, f"{_RAW}; CDATA where there are lines"),
    ("Apertus", _apertus, ""),
)


def _format(family: str, write: Write, note: str) -> Format:
    return Format(family, "native", lambda calls, tools: merged(write(calls)), note)


NATIVE: tuple[Format, ...] = tuple(_format(*family) for family in _FAMILIES)
