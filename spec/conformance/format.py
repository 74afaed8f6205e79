"""Format the JSON files in this folder: a value that fits on a line is on one line.

`python spec/conformance/format.py` formats every file, and the tests check the result.
"""

import json
from pathlib import Path
from typing import Any

WIDTH = 140


def spell(value: Any, indent: int = 0) -> str:
    """Return the JSON text of a value, in lines of up to `WIDTH` columns if possible.

    Invisible characters are written as escapes.
    """
    text = _spell_flat(value)
    if not isinstance(value, dict | list) or indent + len(text) <= WIDTH:
        return text
    opener, closer = "{}" if isinstance(value, dict) else "[]"
    inner = indent + 2 if len(value) > 1 else indent  # what has one member is no deeper for it
    parts = (
        [f"{_spell_flat(key)}: {spell(item, inner)}" for key, item in value.items()]
        if isinstance(value, dict)
        else [spell(item, inner) for item in value]
    )
    if len(parts) == 1:
        return f"{opener}{parts[0]}{closer}"
    start = "\n" + " " * inner
    return f"{opener}{start}{f',{start}'.join(parts)}\n{' ' * indent}{closer}"


def _spell_flat(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.rglob("*.json")):
        path.write_text(spell(json.loads(path.read_text("utf-8"))) + "\n", "utf-8")
