"""Count the tokens of a conversation, including the definitions of tools and the primer.

A model that answers in JSON gets the JSON Schema of its tools. A model that answers in LTON gets
signatures and a primer. If an API always shows the JSON Schema, the signatures come on top.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil
from typing import Any, Literal

from lton.schema import ToolSet
from lton.tokens import counter
from lton_bench.internals import minified
from lton_bench.tokens.formats import FORMATS
from lton_bench.tokens.measure import units
from lton_bench.tokens.pieces import Turn, text_of

SEED = 1
SIZES = (1, 5, 20, 100)
"""The numbers of tools in a conversation."""
CALLS = (1, 10, 100)
"""The numbers of calls in a conversation."""
SAMPLES = 20
"""The number of toolsets of each size, over which the figures are averaged."""
DATASET = "bfcl_kept"
_JSON = "JSON minified"
_LTON: dict[str, Literal["wire", "punctuated"]] = {
    "LTON wire": "wire",
    "LTON punctuated": "punctuated",
}
"""The forms, each with the name of its primer."""

Row = dict[str, Any]


def conversations(tokenizers: Sequence[str]) -> Iterator[Row]:
    """Return the cost of conversations with toolsets of BFCL, in each form.

    Tokens are means over toolsets and tokenizers. `instead` is the number of calls from which LTON
    costs less if the signatures replace the JSON Schema. `beside` is this number if both are shown.
    """
    turns = [turn for turn in units(DATASET) if isinstance(turn, Turn)]
    choose = random.Random(SEED)  # noqa: S311 - no secret
    for size in SIZES:
        sums = [_toolset(turns, size, choose, tokenizers) for _ in range(SAMPLES)]
        mean = {key: sum(sample_sums[key] for sample_sums in sums) / SAMPLES for key in sums[0]}
        for name in _LTON:
            definition_tokens, call = mean[f"shown {name}"], mean[f"call {name}"]
            saved = mean[f"call {_JSON}"] - call
            yield {
                "tools": size,
                "form": name,
                "shown": {"JSON": mean["shown JSON"], "LTON": definition_tokens},
                "call": {"JSON": mean[f"call {_JSON}"], "LTON": call},
                "instead": max(0, ceil((definition_tokens - mean["shown JSON"]) / saved)),
                "beside": ceil(definition_tokens / saved),
                "conversation": {
                    str(calls): (definition_tokens + calls * call)
                    / (mean["shown JSON"] + calls * mean[f"call {_JSON}"])
                    for calls in CALLS
                },
            }


def _toolset(
    turns: Sequence[Turn], size: int, choose: random.Random, tokenizers: Sequence[str]
) -> dict[str, float]:
    """Return the tokens of some tools' definitions and of a call, as means over tokenizers."""
    tools: dict[str, Any] = {}
    calls = []
    shuffled = choose.sample(turns, len(turns))
    for turn in shuffled:
        definition = {tool["function"]["name"]: tool for tool in turn.tools}
        name = turn.calls[0].name
        if name not in tools:
            tools[name] = definition[name]
            calls.append(turn.calls[0])
        if len(tools) == size:
            break
    toolset = ToolSet.from_tools(tools.values())
    texts = {"shown JSON": [minified([*tools.values()])]}
    for form in FORMATS:
        if form.name in (_JSON, *_LTON):
            texts[f"call {form.name}"] = [text_of(form.write([call], toolset)) for call in calls]
    for name, primer in _LTON.items():
        texts[f"shown {name}"] = [toolset.prompt(primer=primer)]
    return {key: _mean(some, tokenizers) for key, some in texts.items()}


def _mean(texts: Sequence[str], tokenizers: Sequence[str]) -> float:
    counts = [
        count.tokens for name in tokenizers for count in counter(name).count_all(islice(texts, 20))
    ]
    return sum(counts) / len(counts)
