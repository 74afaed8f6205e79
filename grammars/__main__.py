"""Write the reference grammars of this folder again: `python -m grammars`."""

import json
from pathlib import Path

from lton import ToolSet
from lton._syntax import FORMS
from lton.grammar import to_ebnf, to_gbnf, to_lark, to_regex, to_structural_tag

HERE = Path(__file__).parent
TOOLS = {
    "demo": HERE.parent / "benchmarks" / "lton_bench" / "demo" / "tools.json",
    "filesystem": HERE.parent / "benchmarks" / "lton_bench" / "mcp" / "filesystem.json",
    "git": HERE.parent / "benchmarks" / "lton_bench" / "mcp" / "git.json",
}
DIALECTS = {"gbnf": to_gbnf, "lark": to_lark, "ebnf": to_ebnf}


def files() -> dict[str, str]:
    """Get the text of each generated file by its name."""
    tools = {
        name: ToolSet.from_tools(json.loads(path.read_text("utf-8")))
        for name, path in TOOLS.items()
    }
    texts = {}
    for dialect, emit in DIALECTS.items():
        for form in FORMS:
            texts[f"any.{form}.{dialect}"] = emit(None, form=form, parallel=True)
            texts[f"demo.{form}.{dialect}"] = emit(tools["demo"], form=form)
        texts[f"demo.wire-parallel-counted.{dialect}"] = emit(
            tools["demo"], form="wire", parallel=True, counted=9_999
        )
        texts[f"filesystem.punctuated-auto.{dialect}"] = emit(
            tools["filesystem"], tool_choice="auto", parallel=True
        )
        texts[f"git.punctuated.{dialect}"] = emit(tools["git"])
    tag = to_structural_tag(tools["filesystem"], parallel=True)
    texts["filesystem.structural-tag.json"] = json.dumps(tag, indent=2, ensure_ascii=False) + "\n"
    texts["git.wire.regex"] = (
        to_regex(tools["git"].select("git_log", "git_show"), form="wire") + "\n"
    )
    return texts


if __name__ == "__main__":
    for old in {*HERE.glob("*.*.*")} - {HERE / "lton-0.1.lark"}:
        old.unlink()
    for name, text in files().items():
        (HERE / name).write_text(text, "utf-8")
        print(f"grammars/{name}: {len(text):,} characters")
