"""Let a model answer greedily, freely or under the grammar of a form.

The grammars run in llguidance: Lark for LTON and Python, and JSON Schema without whitespace for
JSON. The schemas only allow declared arguments, as in LTON.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lton import LTONError, ToolSet
from lton.generate.chat import Shot
from lton.grammar import to_lark
from lton.grammar.lark import print_lark
from lton_bench.finetune.data import Written, prompt, read
from lton_bench.grammars.sides import Group
from lton_bench.grammars.tools import closed
from lton_bench.rivals import python_grammar
from lton_bench.study.judge import judge
from lton_bench.study.tasks import Case

__all__ = ["INVALID", "MAX_TOKENS", "Answer", "answers"]

MAX_TOKENS = 96
"""The most tokens of an answer; a longer answer is not a call."""
INVALID = "no valid call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer, its sampled tokens including the end, and its fault."""

    case: str
    text: str
    tokens: int
    failure: str | None


def answers(
    model: Any,
    tokenizer: Any,
    cases: Sequence[Case],
    form: Written,
    *,
    shots: Sequence[Shot] = (),
    grammar: bool,
    at_once: int = 12,
) -> Iterator[Answer]:
    """Yield a model's answers, beginning with the shortest prompts, because batches are padded."""
    constrain = _Grammars(tokenizer, model.config.vocab_size) if grammar else None
    asked = []
    for case in cases:
        tools = ToolSet.from_tools(case.tools)
        messages = prompt(tools, case.messages[-1]["content"], form, shots)
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        asked.append((text, case, tools))
    asked.sort(key=lambda one: len(one[0]))
    for start in range(0, len(asked), at_once):
        texts, some, tools_of = zip(*asked[start : start + at_once], strict=True)
        found = _generate(model, tokenizer, texts, constrain, some, form)
        for case, of, (text, count) in zip(some, tools_of, found, strict=True):
            yield Answer(
                case=case.id, text=text, tokens=count, failure=_failure(case, text, of, form)
            )


def _failure(case: Case, text: str, tools: ToolSet, form: Written) -> str | None:
    try:
        call = read(text, tools, form)
    except LTONError:
        return INVALID
    failure = judge(case, [call])
    return None if failure is None else failure.value


def _generate(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str],
    constrain: "_Grammars | None",
    cases: Sequence[Case],
    form: Written,
) -> Iterator[tuple[str, int]]:
    torch = import_module("torch")
    given = tokenizer([*texts], add_special_tokens=False, padding=True, return_tensors="pt")
    given = {key: given[key].to(model.device) for key in ("input_ids", "attention_mask")}
    begin, end = given["input_ids"].shape[1], tokenizer.eos_token_id
    with torch.inference_mode():
        found = model.generate(
            **given,
            do_sample=False,
            max_new_tokens=MAX_TOKENS,
            eos_token_id=end,
            pad_token_id=end,
            logits_processor=[constrain.processor(cases, form, begin)] if constrain else [],
        )
    for row in found[:, begin:].tolist():
        text = row[: row.index(end)] if end in row else row
        yield tokenizer.decode(text), min(len(text) + 1, MAX_TOKENS)


class _Grammars:
    """Restricts a model to the grammars of the cases' tools, with a row for each case."""

    def __init__(self, tokenizer: Any, size: int) -> None:
        self._size = size
        make = import_module("llguidance.hf").from_tokenizer
        # A tokenizer may have tokens that the model does not know, and a model scores to spare.
        self._tokenizer = make(tokenizer, n_vocab=max(size, len(tokenizer)))

    def processor(self, cases: Sequence[Case], form: Written, begin: int) -> Any:
        """Return the processor of scores for transformers, for the tokens from `begin` on."""
        library, numpy = import_module("llguidance"), import_module("numpy")
        torch = import_module("torch")
        matchers = [library.LLMatcher(self._tokenizer, _grammar(case, form)) for case in cases]
        for matcher in matchers:
            if matcher.is_error():
                raise ValueError(f"llguidance refuses the grammar: {matcher.get_error()}")

        def allowed(matcher: Any) -> Any:
            # Behind the end of a call, and of an answer, this is the end of the turn.
            bits = numpy.frombuffer(matcher.compute_bitmask(), dtype=numpy.uint8)
            return numpy.unpackbits(bits, bitorder="little")[: self._size].astype(bool)

        def process(ids: Any, scores: Any) -> Any:
            if ids.shape[1] > begin:
                for matcher, last in zip(matchers, ids[:, -1].tolist(), strict=True):
                    if not matcher.consume_token(last):
                        raise ValueError(f"a token that the grammar forbids: {matcher.get_error()}")
            masks = torch.tensor(numpy.stack([*map(allowed, matchers)]))
            return scores.masked_fill(~masks.to(scores.device), -torch.inf)

        return process


def _grammar(case: Case, form: Written) -> Any:
    """Return llguidance's grammar of one call."""
    matcher = import_module("llguidance").LLMatcher
    tools = ToolSet.from_tools(case.tools)
    if form == "python":
        return matcher.grammar_from_lark(print_lark(python_grammar(tools)))
    if form != "json":
        # As they were when the models were evaluated.
        return matcher.grammar_from_lark(to_lark(tools, form=form, bare=True, bounded="quoted"))
    functions = [tool["function"] for tool in case.tools]
    schemas = [
        {"function": {"name": function["name"], "parameters": closed(function["parameters"], None)}}
        for function in functions
    ]
    schema = Group(tools=schemas, calls=(), max_length=None, forms=(), counted=()).schema
    compact = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
    return matcher.grammar_from_json_schema(schema, overrides=compact)
