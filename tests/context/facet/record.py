"""Record the results of FACET's reference implementation for invented sections.

    python tests/context/facet/record.py PATH/facet-compiler

This needs rustc and a checkout of rokoss21/facet-compiler (MIT or Apache-2.0). cases.jsonl was
recorded with commit 1bdda9c, and contains only the answers of that implementation.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Any

HERE = Path(__file__).parent
CASES = HERE / "cases.jsonl"


def made_up(count: int, letters: str, *, exact: bool) -> Iterator[dict[str, Any]]:
    """Generate cases.

    With `exact`, each section can be cut to its `min`, which is at most its size.
    """
    chance = random.Random(letters)
    for _ in range(count):
        sections: list[dict[str, Any]] = []
        for _ in range(chance.randint(1, 6)):
            text = "".join(chance.choice(letters) for _ in range(chance.randint(0, 25)))
            text = " " * chance.choice([0, 0, 5]) + text + " " * chance.choice([0, 0, 5])
            strategy = chance.choice(["", "", "trim"])
            least = chance.choice([0, 0, 3, 8, 20])
            visible_text = text.strip() if strategy else text
            sections.append(
                {
                    "text": text,
                    "priority": chance.choice([100, 200, 500]),
                    "min": min(least, len(visible_text)) if exact else least,
                    "shrink": chance.choice([0, 0.5, 1, 1, 2]),
                    "strategy": strategy,
                }
            )
        total = sum(len(section["text"].encode()) for section in sections)
        yield {"budget": chance.randint(0, total), "sections": sections}


def ask(program: Path, cases: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return the cases with the output of the reference implementation: the texts, or an
    overflow.
    """
    keys = ("priority", "min", "shrink", "strategy", "text")
    lines = [
        "\t".join(
            [str(case["budget"])]
            + ["|".join(str(section[key]) for key in keys) for section in case["sections"]]
        )
        for case in cases
    ]
    answers = subprocess.run(
        [program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    ).stdout.split("\n")
    for case, answer in zip(cases, answers, strict=False):
        first, *texts = answer.split("\t")
        yield {**case, "required" if not texts else "overflow": int(first), "texts": texts}


def main(checkout: Path) -> None:
    """Write cases.jsonl."""
    with tempfile.TemporaryDirectory() as folder:
        copy(HERE / "box.rs", folder)
        model = (checkout / "crates/fct-engine/src/box_model.rs").read_text("utf-8")
        for crate in ("fct_ast", "fct_std"):
            model = model.replace(f"use {crate}::", f"use crate::{crate}::")
        (Path(folder) / "box_model.rs").write_text(model, "utf-8")
        rustc = ["rustc", "--edition", "2021", "-A", "warnings", "-O", "box.rs", "-o", "box"]
        subprocess.run(rustc, cwd=folder, check=True)
        program = Path(folder) / "box"
        exact = list(ask(program, list(made_up(150, "abcdefgh ", exact=True))))
        others = list(ask(program, list(made_up(200, "abc é🙂ß ", exact=False))))
    over = [case for case in others if case.get("overflow")]
    with CASES.open("w", encoding="utf-8") as file:
        for case in [*exact, *over]:
            print(json.dumps(case, ensure_ascii=False), file=file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
