"""Write the reference grammars of this folder again: `python -m grammars`."""

import json
from pathlib import Path

from lton import ToolSet
from lton.grammar import to_gbnf, to_lark

HERE = Path(__file__).parent
TOOLS = HERE.parent / "lton" / "demo" / "tools.json"


def files() -> dict[str, str]:
    """Get the text of each generated file by its name."""
    tools = ToolSet.from_tools(json.loads(TOOLS.read_text("utf-8")))
    texts = {}
    for dialect, emit in (("gbnf", to_gbnf), ("lark", to_lark)):
        texts[f"demo.wire.{dialect}"] = emit(tools)
        texts[f"demo.wire-parallel-counted.{dialect}"] = emit(tools, parallel=True, count_digits=4)
        texts[f"demo.keyed.{dialect}"] = emit(tools, form="keyed")
        texts[f"demo.punctuated.{dialect}"] = emit(tools, form="keyed", punctuated=True)
    return texts


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, "utf-8")
        print(f"grammars/{name}: {len(text):,} characters")
