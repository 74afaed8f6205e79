"""Direct generation: the model writes all of a call, in any form, under its grammar."""

import json
from collections.abc import Sequence
from typing import Any

from lton._require import require
from lton.codec.encode import encode
from lton.errors import Code, DecodeError, IncompleteError
from lton.generate.chat import Shot, chat
from lton.generate.guided import Answer
from lton.generate.scaffolds import SCAFFOLDS, write
from lton.generate.session import Spent
from lton.generate.spelling import json_gbnf
from lton.grammar import to_gbnf
from lton.grammar.build import Options
from lton.integrations.llamacpp import calls as read_calls
from lton.integrations.llamacpp import check_grammar
from lton.schema.toolset import ToolSet
from lton.schema.types import Call
from lton.tokens.chat import minified

FORMS: dict[str, Options] = {
    "punctuated": {"form": "keyed", "punctuated": True},
    "keyed": {"form": "keyed"},
    "wire": {"form": "wire"},
}
"""The forms of LTON. Beside them there are "json", minified, and "json-spaced"."""
JSON_FORMS = ("json", "json-spaced")


def direct(
    model: Any,
    question: str,
    tools: ToolSet,
    *,
    form: str = "punctuated",
    shots: Sequence[Shot] = (),
    parallel: bool = False,
    max_tokens: int = 256,
    temperature: float = 0.0,
    seed: int = 0,
) -> Answer:
    """Get what a `llama_cpp.Llama` answers to a question in a form, under its grammar.

    Raises `ValueError` for a form that there is not, `GrammarError` before anything is sampled if
    llama.cpp refuses the grammar, `DecodeError` or `EncodeError` for calls that break what no
    grammar can say, and `IncompleteError` where the budget ends.
    """
    if form not in (*FORMS, *JSON_FORMS):
        raise ValueError(f"no form {form!r}: there are {', '.join((*FORMS, *JSON_FORMS))}")
    is_json, spaced = form in JSON_FORMS, form == "json-spaced"

    def written(calls: Sequence[Call], tools: ToolSet) -> str:
        if not is_json:
            options = FORMS[form]
            return encode(
                calls, tools, form=options["form"], punctuated=options.get("punctuated", False)
            )
        text = write(calls, tools, SCAFFOLDS["json"])
        return (
            text if spaced else "\n".join(minified(json.loads(line)) for line in text.split("\n"))
        )

    if is_json:
        gbnf = json_gbnf(tools, parallel=parallel, spaced=spaced)
    else:
        style: Options = {**FORMS[form], "parallel": parallel}
        gbnf = to_gbnf(tools, **style)
    check_grammar(gbnf, model)
    completion = model.create_chat_completion(
        messages=chat(tools, question, written, shots, parallel=parallel),
        grammar=require("llama_cpp", "llamacpp").LlamaGrammar.from_string(gbnf, verbose=False),
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )
    choice, usage = completion["choices"][0], completion["usage"]
    text = choice["message"]["content"]
    if is_json and choice["finish_reason"] == "length":
        msg = "the token limit cut the completion off"
        raise IncompleteError(Code.INCOMPLETE, msg, doc=text, pos=len(text))
    calls = _json_calls(text, tools) if is_json else read_calls(completion, tools)
    sampled = usage["completion_tokens"] + (choice["finish_reason"] == "stop")
    return Answer(
        calls=calls, text=text, spent=Spent(prompt=usage["prompt_tokens"], sampled=sampled)
    )


def _json_calls(text: str, tools: ToolSet) -> list[Call]:
    """Get the calls of lines of JSON. They are never trusted because a grammar held them."""
    calls = []
    for line in text.split("\n"):
        try:
            found = json.loads(line, strict=False)
            call = Call(tools.own_name(found["name"]), found["arguments"])
        except (ValueError, KeyError, TypeError) as error:
            msg = "expected a call in JSON"
            raise DecodeError(Code.SYNTAX, msg, doc=text, pos=0) from error
        encode(call, tools)
        calls.append(call)
    return calls
