"""Render chats with a model's chat template and find the special tokens in the result.

Templates are untrusted Jinja code, so they run in Jinja's sandbox, with the variables of Hugging
Face's `apply_chat_template`. Special tokens count as special only if the template writes them. In
messages, their names are text, as on servers that prevent injection.
"""

import datetime
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeAlias

from lton._require import require
from lton.tokens.chat import iterate_content_texts

_Dicts: TypeAlias = Sequence[Mapping[str, Any]]
_REFUSALS = ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
"""Errors of a template that refuses a role, an order or some content."""


class Filled(NamedTuple):
    """A rendered chat: the strings between its special tokens, and the number of these tokens.

    `whole` is false if a message has parts other than text, or contains a special token that many
    servers would read. `has_tools` states whether the template rendered the tools.
    """

    texts: list[str]
    specials: int
    whole: bool
    has_tools: bool


@dataclass(frozen=True)
class Template:
    """A chat template, and the special tokens that it may use.

    `begin` is the token that the tokenizer adds at the start if the template does not.
    """

    source: str
    names: Mapping[str, str]
    specials: frozenset[str]
    begin: str = ""

    def render(self, messages: _Dicts, tools: _Dicts = ()) -> Filled | None:
        """Render a chat up to the start of the answer, or return None if the template fails."""
        jinja2 = require("jinja2", "apps")
        mark = _unused_character(json.dumps([messages, tools], ensure_ascii=False, default=str))
        chat = self._mask_specials([_normalize_message(message) for message in messages], mark)
        try:
            text = self._compiled.render(
                messages=chat,
                tools=self._mask_specials(list(tools), mark) or None,
                add_generation_prompt=True,
                **self.names,
            )
        except (jinja2.TemplateError, *_REFUSALS):
            return None
        if self.begin and not text.startswith(self.begin):
            text = self.begin + text
        texts = self._special.split(text)
        return Filled(
            [text.replace(mark, "") for text in texts],
            len(texts) - 1,
            mark not in text and all(map(_is_text, messages)),
            self._takes_tools or not tools,
        )

    @cached_property
    def _compiled(self) -> Any:
        return self._environment.from_string(self.source)

    @cached_property
    def _environment(self) -> Any:
        sandbox = require("jinja2.sandbox", "apps")
        environment = sandbox.ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = lambda value, indent=None, **_: json.dumps(
            value, ensure_ascii=False, indent=indent
        )
        environment.globals |= {
            "raise_exception": _refuse_template,
            "strftime_now": lambda form: datetime.datetime.now().strftime(form),  # local time
        }
        return environment

    @cached_property
    def _takes_tools(self) -> bool:
        meta = require("jinja2.meta", "apps")
        return "tools" in meta.find_undeclared_variables(self._environment.parse(self.source))

    @cached_property
    def _special(self) -> re.Pattern[str]:
        longest_first = sorted(self.specials, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def _mask_specials(self, value: Any, mark: str) -> Any:
        """Mark the names of special tokens in messages, so that they count as text."""
        match value:
            case str():
                return self._special.sub(lambda m: f"{m[0][0]}{mark}{m[0][1:]}", value)
            case Mapping():
                return {key: self._mask_specials(member, mark) for key, member in value.items()}
            case list() | tuple():
                return [self._mask_specials(item, mark) for item in value]
        return value


def _normalize_message(message: Mapping[str, Any]) -> dict[str, Any]:
    normal = dict(message)
    content = normal.get("content")
    if isinstance(content, list | tuple) and _is_text(message):
        normal["content"] = "\n".join(iterate_content_texts(content))
    if calls := normal.get("tool_calls"):
        normal["tool_calls"] = [_normal_call(call) for call in calls]
    return normal


def _normal_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    if not isinstance(function, Mapping) or not isinstance(function.get("arguments"), str):
        return dict(call)
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        return dict(call)
    return {**call, "function": {**function, "arguments": arguments}}


def _is_text(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    if isinstance(content, list | tuple):
        return all(isinstance(part, Mapping) and part.get("type") == "text" for part in content)
    return content is None or isinstance(content, str)


def _refuse_template(msg: str) -> NoReturn:
    raise ValueError(msg)


def _unused_character(text: str) -> str:
    """Return a private character that a text does not contain."""
    return next(char for char in map(chr, range(0xE000, 0xF900)) if char not in text)
