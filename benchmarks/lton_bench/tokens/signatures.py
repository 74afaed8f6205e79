"""Count the tokens of showing tools: BFCL's functions as JSON, TypeScript and LTON signatures.

    python -m lton_bench.tokens.signatures

Each function is counted separately, with its newline. JSON is minified. TypeScript is the format
that OpenAI's models are shown: a type per function, with descriptions as comments. Each signature
of LTON is first read back, and must give the same layout.
"""

from collections.abc import Iterator
from typing import Any

import bpe_openai

from lton import ToolSet
from lton.cost.typescript import write_typescript
from lton_bench import bfcl
from lton_bench.internals import minified

TOKENIZERS = ("o200k_base", "cl100k_base")
GOALS = {"LTON": 0.15, "LTON, descriptions": 0.60}


def texts(tool: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each way to show a tool, by its name."""
    tools = ToolSet.from_tools([tool])
    plain, described = tools.prompt(descriptions=False), tools.prompt()
    for text in (plain, described):
        if ToolSet.from_prompt(text).fingerprint != tools.fingerprint:
            raise AssertionError(f"the layout is not that of {text!r}")
    yield "JSON, minified", minified(tool)
    yield "TypeScript", write_typescript(tool["function"], descriptions=False)
    yield "LTON", plain
    yield "TypeScript, descriptions", write_typescript(tool["function"], descriptions=True)
    yield "LTON, descriptions", described


def main() -> None:
    """Print the table: tokens, and their share of JSON's tokens."""
    encodings = [bpe_openai.get_encoding(name) for name in TOKENIZERS]
    total: dict[str, list[int]] = {}
    functions = bfcl.functions(bfcl.CATEGORIES)
    for function in functions:
        for name, text in texts(function):
            row = total.setdefault(name, [0] * len(encodings))
            for index, encoding in enumerate(encodings):
                row[index] += len(encoding.encode(f"{text}\n"))
    base = total["JSON, minified"]
    print(f"{len(functions):,} functions, tokens and part of JSON")
    print(f"{'':<26}", *(f"{name:>22}" for name in TOKENIZERS), f"{'mean':>8}", "  goal")
    for name, row in total.items():
        parts = [count / whole for count, whole in zip(row, base, strict=True)]
        cells = (f"{count:>14,} {part:.4f} " for count, part in zip(row, parts, strict=True))
        mean = sum(parts) / len(parts)
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"  {goal:.2f} {'met' if mean <= goal else 'missed'}"
        print(f"{name:<26}", *cells, f"{mean:>7.3f}", verdict)


if __name__ == "__main__":
    main()
