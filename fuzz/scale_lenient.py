"""Measure the time per byte of lenient reading, for hostile texts (part of `make scale`).

A piece is repeated up to a size, and the time per byte is compared with the median of ordinary
texts of this size. If the best attempt takes more than `LIMIT` times as long, this is a failure.
Some pieces once took quadratic time, and others are random lexemes.
"""

import random
import statistics
import sys
import time
from collections.abc import Iterator

from lton import ToolSet, decode_lenient
from tests.cases import tool, tools_of

LIMIT = 10
SIZES = (2**13, 2**16, 2**19)
LARGEST = 2**23
"""The size at which the slowest pieces are read once more."""
SLOWEST = 3
ATTEMPTS = 4
MADE = 400
STRING = {"type": "string"}
TOOLS: ToolSet = tools_of(
    tool("f", {"x": STRING}, ["x"]),
    tool("wait", {"minutes": {"type": "integer"}, "why": STRING}, ["minutes"]),
    tool("stop"),
    tool("write_file", {"path": STRING, "text": STRING, "tags": {"items": STRING}, "meta": {}}),
)

ORDINARY = (
    'I will look at that now, if you like.\nwrite_file notes.txt "some text of a note"\n',
    '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "text": "b"}}\n</tool_call>\n',
    'write_file(path="a.txt", text="one two three", tags=["a", "b"])\nThen we wait.\n',
    "!call write_file\n(path s5:a.txt)\n(text s13:one two three)\n",
    "<function=wait>\n<parameter=minutes>5</parameter>\n</function>\n",
    "There is a long paragraph here, in which nothing is called, and nobody wants anything.\n",
    '```json\n{"name": "wait", "arguments": {"minutes": "5"}}\n```\nand so on\n',
    "Sure:\nwait minutes: 5\n",
)
SLOW_ONCE = (
    *("f x s999999999:\n", "wait for s999999:\n", "f x “”y\n", 'f x """y\n', 'f x <|"|>y\n'),
    *("x(“”y\n", 'x("""y\n', "x(<escape>y\n", '{"a": """x\n', "{'a': '''x\n", "f x ```\n", "{“"),
    *("f x y\n", "f “a”b”\n", "{a: “x\n", "<think>", "</think>", "{a:/*\n", "`f a\n", "stop\n"),
    *("<function=wait><parameter=minutes>1", "s99999: ", "!result f s5:", "```\n", "wait(1), "),
    *('{"stop": {}, "wait": {"minutes": 1}}, ', "f s3:a b c d\n", "wait\n(", "& 5\n", "\n", "[["),
    *(" ", "\t"),
)
LEXEMES = (
    *(
        "f",
        "wait",
        "stop",
        "nope",
        " ",
        "x",
        "x=",
        "5",
        "\n",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
    ),
    *(
        '"',
        "'",
        "`",
        "```",
        '"""',
        "'''",
        "“",
        "”",
        "\\",
        "<",
        ">",
        "s5:",
        "s99999:",
        "u1:",
        "_",
        "=",
    ),
    *("!call ", "!result ", "!error ", "& ", "/*", "*/", "//", "#", "- ", "> ", "1. ", "Action:"),
    *("<tool_call>", "</tool_call>", "<think>", "</think>", "<tool_response>", "</tool_response>"),
    *("<function=wait>", "</function>", "<parameter=minutes>", "</parameter>", "<arg_key>"),
    *('{"name": ', '"arguments": ', '"f"', "[ARGS]", "<|channel|>analysis", "<|im_start|>user"),
    *("[TOOL_CALLS]", '<|open|>call tool="f"<|sep|>', "<|sep|>", '<invoke name="f"/>', "{{"),
    *('<|"|>', "<escape>", "to=functions.", "functions.", "null", "True", "-0", "é", "User:"),
)


def made(seed: int, count: int) -> Iterator[str]:
    """Return pieces of some lexemes; the same seed gives the same pieces."""
    choose = random.Random(seed)
    for _ in range(count):
        yield "".join(choose.choices(LEXEMES, k=choose.randint(1, 6)))


def cost(piece: str, size: int, attempts: int = 1, good: float = 0) -> float:
    """Return the seconds per byte: the lowest of some attempts, or the first that is good
    enough.
    """
    text = piece * (size // len(piece))
    size = len(text.encode())
    least = float("inf")
    for _ in range(attempts):
        start = time.process_time()
        decode_lenient(text, TOOLS)
        least = min(least, (time.process_time() - start) / size)
        if least <= good:
            break
    return least


def wrong(seed: int = 0, count: int = MADE) -> list[str]:
    """Read all pieces, and return a line for each that takes too long."""
    found = []
    pieces = [*SLOW_ONCE, *made(seed, count)]
    ratios: dict[str, float] = {}
    for size in SIZES:
        median = statistics.median(cost(piece, size, ATTEMPTS) for piece in ORDINARY)
        ratios = {piece: cost(piece, size, ATTEMPTS, LIMIT * median) / median for piece in pieces}
        pieces = [piece for piece in pieces if piece in SLOW_ONCE or ratios[piece] > 2]
        found += _over(ratios, size)
    slowest = sorted(ratios, key=lambda piece: ratios[piece])[-SLOWEST:]
    found += _over({piece: cost(piece, LARGEST) / median for piece in slowest}, LARGEST)
    worst = max(ratios, key=lambda piece: ratios[piece])
    print(f"lenient: {len(ratios)} pieces, median {median * 1e6:.2f} us a byte, ", end="")
    print(f"at most {ratios[worst]:.1f} times that: {worst!r}")
    return found


def _over(ratios: dict[str, float], size: int) -> list[str]:
    return [
        f"{ratio:.1f} times the median a byte, at {size:,}: {piece!r}"
        for piece, ratio in ratios.items()
        if ratio > LIMIT
    ]


if __name__ == "__main__":
    lines = wrong(*map(int, sys.argv[1:]))
    print(*lines, sep="\n")
    sys.exit(bool(lines))
