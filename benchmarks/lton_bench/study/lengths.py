"""Test whether a model can write `sN:` and then N characters, and the number of digits.

The task is to copy a string from the prompt, so that nothing else can go wrong. The same strings
are copied in each form, with and without a grammar. Without a grammar, a length applies to the rest
of the line, or to the rest of the turn up to a blank line if the string has several lines. Under
LTON's grammar a length is always true, because exactly this number of characters follows: a wrong
length cuts or pads the string.

Grammars, writers and readers are those of LTON, except for JSON and for strings that end with the
line.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lton import Call, LTONError, ToolSet, decode, decode_lenient, encode
from lton.engines import Engine
from lton.engines.llamacpp import LlamaEngine
from lton.grammar.calls import Builder
from lton.grammar.gbnf import print_gbnf
from lton.grammar.nodes import Grammar, Lit, Node, Repeat, Rule, seq, used
from lton.grammar.tagged import TaggedBuilder
from lton_bench.study.lengths_cases import Case, cases, shots
from lton_bench.study.packed import content, unpack

__all__ = ["FORMS", "Form", "ask", "read", "run", "verdicts"]

_LONGEST = 9_999
"""The longest string that a grammar of the tagged form allows by default."""

Sample = dict[str, Any]

_ANYTHING = r"root ::= [^\x00]*"
_LINE = r'root ::= [^\n\x00]+ "\n"{0,2}'
_JSON = r'root ::= "\"" ([^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt])* "\"" "\n"{0,2}'
_COUNTED = re.compile(r"[siu](\d{1,15}):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Form:
    """A form of strings. `read` returns the string in an answer, or None for an invalid answer."""

    name: str
    told: str
    gbnf: str
    write: Callable[[str], str]
    read: Callable[[str], str | None]
    repair: Callable[[str], str | None] | None = None
    """The lenient reader, only for forms with a length."""


# --- how it is written ------------------------------------------------------------------------


def _lton(name: str, told: str, *, tagged: bool = False, integer: bool = False) -> Form:
    """Return a form of LTON: the value of a call, without the rest of the call."""
    tools = ToolSet.from_prompt(f"copy(text:{'int' if integer else 'str'})")
    head = "!call copy\n(" if tagged else "copy(text="

    def write(text: str) -> str:
        call = Call("copy", {"text": int(text) if integer else text})
        whole = (
            encode(call, tools, form="tagged") if tagged else encode(call, tools, form="punctuated")
        )
        return whole.removeprefix(head).removesuffix(")")

    def value(calls: Sequence[Any]) -> str | None:
        return str(calls[0].arguments["text"]) if len(calls) == 1 else None

    def read(text: str) -> str | None:
        try:
            return value(decode(f"{head}{text})", tools))
        except LTONError:
            return None

    def repair(text: str) -> str | None:
        return value(decode_lenient(f"{head}{text})", tools).calls)

    builder = (TaggedBuilder if tagged else Builder)(
        "tagged" if tagged else "punctuated", counted=_LONGEST * tagged, bare=False, bounded=True
    )
    node = builder.value(tools.by_name["copy"].args.params[0].type, "value")
    return Form(name, told, _gbnf(builder, node), write, read, repair if tagged else None)


def _gbnf(builder: Builder, value: Node) -> str:
    """Return the grammar of a value with the end of its line, which may be in the same token.

    The blank line that ends a turn in a transcript may be in the same token, too.
    """
    start = Rule("start", seq(value, Repeat(Lit("\n"), 0, 2)))
    return print_gbnf(Grammar(used((start, *builder.rules, *builder.shared.values()))))


def _fenced(quoted: Form) -> Form:
    builder = Builder("punctuated", counted=0, bare=False, bounded=True)
    told = "Answer with the text between two lines of three backticks."
    gbnf = _gbnf(builder, builder.lexemes.fence())
    return Form("fenced", told, gbnf, lambda text: f"```\n{text}\n```", quoted.read)


def _json(text: str) -> str | None:
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _line(text: str) -> str | None:
    return text if text and "\n" not in text else None


_QUOTED = _lton("quoted", "Answer with the text in quotes.")
FORMS: dict[str, tuple[Form, ...]] = {
    "text": (
        _lton(
            "sN:", "Answer with s, how many characters there are, a colon, the text.", tagged=True
        ),
        _QUOTED,
        _fenced(_QUOTED),
        Form("line", "Answer with the text on one line.", _LINE, str, _line),
        Form(
            "JSON",
            "Answer with the text as a string of JSON.",
            _JSON,
            partial(json.dumps, ensure_ascii=False),
            _json,
        ),
    ),
    "integer": (
        _lton(
            "uN:",
            "Answer with u, how many digits there are, a colon, the number.",
            tagged=True,
            integer=True,
        ),
        _lton("digits", "Answer with the number.", integer=True),
    ),
}


# --- what is asked ----------------------------------------------------------------------------


def run(engine: Engine, name: str, samples: Path, *, texts: int = 8, count: int = 2) -> None:
    """Ask for all copies that `samples`, a file of JSON lines, lacks, and add them to the file.

    `name` is the model's name, and `count` the number of shots in a prompt. Engines are greedy.
    """
    there = {_key(sample) for sample in read(samples)}
    missing = [
        (about, form, case)
        for kind, forms in FORMS.items()
        for form in forms
        for case in cases(texts)
        if case.kind == kind and not (form.name == "line" and case.group == "lines")
        for grammar in (False, True)
        if _key(about := _about(name, form, case, grammar=grammar, count=count)) not in there
    ]
    unpack(samples)
    columns = (TextColumn(f"lengths, {name}"), BarColumn(), MofNCompleteColumn())
    with (
        samples.open("a", encoding="utf-8") as file,
        Progress(*columns, TimeRemainingColumn(elapsed_when_finished=True)) as progress,
    ):
        for about, form, case in progress.track(missing):
            sample = about | ask(engine, form, case, grammar=about["grammar"], count=count)
            file.write(json.dumps(sample, ensure_ascii=False) + "\n")
            file.flush()


def _about(name: str, form: Form, case: Case, *, grammar: bool, count: int) -> Sample:
    return {
        "model": name,
        "kind": case.kind,
        "group": case.group,
        "form": form.name,
        "grammar": grammar,
        "shots": count,
        "wanted": case.text,
    }


def read(samples: Path) -> list[Sample]:
    """Return the samples of a file, and remove a sample that was cut off by an interruption."""
    whole, newline, cut = content(samples).decode().rpartition("\n")
    if cut:
        samples.write_text(whole + newline, "utf-8")
    return [json.loads(line) for line in whole.split("\n") if line]


def _key(sample: Sample) -> tuple[Any, ...]:
    """Return the key of a sample: the fields of `_about`."""
    return tuple(sample[key] for key in ("model", "kind", "form", "grammar", "shots", "wanted"))


def ask(engine: Engine, form: Form, case: Case, *, grammar: bool, count: int) -> Sample:
    """Let a model copy a string, and return the judged sample.

    `sampled` excludes the end of the turn.
    """
    examples = [(text, form.write(text)) for text in shots(case, count)]
    prompt = _prompt(engine, form.told, examples, case.text)
    budget = 2 * len(engine.tokenize(form.write(case.text))) + 16
    # A count speaks of lines too; a fence has its own end; whatever else there is ends in its line.
    has_lines = form.repair is not None and "\n" in case.text
    wrote, text, sampled, ended = b"", "", 0, False
    engine.feed(prompt)
    with engine.constrain(form.gbnf if grammar else _ANYTHING) as sampler:
        while not ended and sampled < budget:
            piece = engine.sample(sampler)
            sampled += piece is not None
            wrote += piece or b""
            text = wrote.decode("utf-8", "replace")
            ended = piece is None or not (grammar or _goes_on(text, has_lines=has_lines))
    if not grammar:
        end = "\n\n" if has_lines or text.startswith("```") else "\n"
        text = text.partition(end)[0].removesuffix("\n")
    else:  # what of the newlines at the end is part of a counted text, its count says
        while text.endswith("\n") and (form.repair is None or form.read(text) is None):
            text = text[:-1]
    return {
        "size": len(case.text),
        "prompt": len(prompt),
        "sampled": sampled,
        "text": text,
        "ended": ended,
        **verdicts(form, case.text, text, ended=ended),
    }


def _prompt(
    engine: Engine, told: str, examples: Iterable[tuple[str, str]], asked: str
) -> list[int]:
    """Return a chat, or a transcript for a model without a template of its own."""
    if isinstance(engine, LlamaEngine) and "tokenizer.chat_template" not in engine.llm.metadata:
        turns = [f"Copy:\n{text}\nAnswer:\n{answer}\n\n" for text, answer in examples]
        text = f"{told}\n\n{''.join(turns)}Copy:\n{asked}\nAnswer:\n"
        return [engine.llm.token_bos(), *engine.tokenize(text)]
    messages = [{"role": "system", "content": told}]
    for text, answer in examples:
        messages.append({"role": "user", "content": f"Copy:\n{text}"})
        messages.append({"role": "assistant", "content": f"{answer}\n"})
    return engine.prompt([*messages, {"role": "user", "content": f"Copy:\n{asked}"}])


def _goes_on(text: str, *, has_lines: bool) -> bool:
    if text.startswith("```"):
        return "\n```" not in text
    return ("\n\n" if has_lines else "\n") not in text


def verdicts(form: Form, wanted: str, text: str, *, ended: bool) -> Sample:
    """Return the verdicts on an answer.

    An answer is valid if it can be read, and right if the value is the expected one. For a length,
    the verdicts are its value, whether this number of characters followed, and whether the
    characters are a true copy. An answer that did not end is none of these.
    """
    value = form.read(text) if ended else None
    verdict: Sample = {"valid": value is not None, "right": value == wanted}
    if form.repair is None:
        return verdict | {"copied": value == wanted}
    found = _COUNTED.fullmatch(text) if ended else None
    count, followed = (int(found[1]), found[2]) if found else (None, None)
    return verdict | {
        "copied": followed == wanted,
        "count": count,
        "held": followed is not None and count == len(followed),
        "repaired": ended and form.repair(text) == wanted,
    }
