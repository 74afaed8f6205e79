"""Read texts of 100 kB and of 1 MB with every reader, and test whether time grows linearly.

    python -m fuzz.scale_megabyte [READER ...]

The shapes include those of `tests/hostile.py` and of `fuzz/scale_lenient.py`. Linear reading takes
ten times as long. If the best attempt takes more than `LIMIT` times as long, this is a failure.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from fuzz.scale_lenient import SLOW_ONCE, TOOLS
from lton import Decoder, LTONError, ToolSet, decode, decode_lenient
from lton.chat import Reader
from lton.lenient import Plain
from tests.hostile import HOSTILE

SMALL, FACTOR = 10**5, 10
LIMIT = 12 * 1.25
"""Times as long, with something for a machine that is in use."""
ATTEMPTS = 4
WORTH_MEASURING = 0.05
"""Seconds at the larger size."""
Make = Callable[[int], str]
Read = Callable[[str, ToolSet | None], object]


def _repeated(piece: str, before: str = "", after: str = "") -> Make:
    return lambda n: before + piece * (n // len(piece)) + after


NEW: dict[str, Make] = {
    "half tags": _repeated("<"),
    "closing tags": _repeated("</a>"),
    "tags in one another": _repeated("<a>\n"),
    "tags of attributes": _repeated(' a="b"', "<x", ">"),
    "unknown tags": lambda n: "".join(f"<t{i}>" for i in range(n // 8)),
    "thoughts": _repeated("<think>a</think>\n"),
    "half marks of thoughts": _repeated("<thin"),
    "ends of thoughts": _repeated("</think>", "<think>"),
    "an open thought": _repeated("!call stop()\n", "<think>"),
    "sigils in a line": _repeated("!call stop() "),
    "halves of sigils": _repeated("!cal\n"),
    "calls of two": _repeated("!call wait(minutes=1)\n!call stop()\n"),
    "one call again": _repeated("!call stop()\n"),
    "a long string": _repeated("a\\n", '!call write_file(path="', '", text="")'),
    "answers": _repeated("!result stop s4:\nabcd\n"),
    "answers without an end": _repeated("!result stop s9:\n"),
    "growing fences": lambda n: "".join("`" * i + "\n" for i in range(3, int((2 * n) ** 0.5))),
    "bodies of JSON": _repeated('{"name": "stop", "arguments": {}}\n'),
    "open JSON": _repeated('{"a": [', "<tool_call>"),
    "escapes": _repeated('\\"', '{"name": "stop", "arguments": {"a": "'),
    "look-alikes": _repeated("\u200b"),
    "marks of a line": _repeated("\u2028\r\x85"),
    "combining": _repeated("e\u0301\u0301\u200d"),
    "tables": _repeated("| a | b |\n"),
    "lines of a prompt": _repeated("stop()\n"),
    "many tools": lambda n: "".join(f"tool_{i}(a:int b:str|null)\n" for i in range(n // 30)),
    "open types": _repeated("[", "f(x:"),
    "unions": _repeated("a|", "f(x:", "b)"),
    "comments": _repeated("# a comment\n", "stop()\n"),
    "records": _repeated("(x:int y:", "f(p:"),
}


def shapes() -> Iterator[tuple[str, Make, ToolSet | None]]:
    """Return each shape with its tools."""
    for name, hostile in HOSTILE.items():
        yield name, hostile.make, hostile.tools
    for piece in SLOW_ONCE:
        yield repr(piece), _repeated(piece), TOOLS
    for name, make in NEW.items():
        yield name, make, TOOLS


def texts(make: Make) -> tuple[str, str]:
    """Return a text of about `SMALL` characters, and one that is `FACTOR` times as long."""
    given = max(1, SMALL * SMALL // max(1, len(make(SMALL))))
    return make(given), make(given * FACTOR)


def fed(size: int) -> Read:
    """Return a function that feeds a decoder chunks of a size."""

    def read(text: str, tools: ToolSet | None) -> None:
        decoder = Decoder(tools)
        for at in range(0, len(text), size):
            decoder.feed(text[at : at + size])
            while decoder.next_event() is not None:
                pass
        decoder.close()
        while decoder.next_event() is not None:
            pass

    return read


def _plain(size: int) -> Read:
    def read(text: str, tools: ToolSet | None) -> None:
        plain = Plain(tools)
        for at in range(0, len(text), size):
            plain.feed(text[at : at + size])

    return read


def _reply(size: int, *, lenient: bool) -> Read:
    def read(text: str, tools: ToolSet | None) -> None:
        reader = Reader(tools, lenient=lenient)
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
        reader.close()

    return read


READERS: dict[str, Read] = {
    "decode": decode,
    "Decoder-4096": fed(4096),
    "Decoder-16": fed(16),
    "Decoder-1": fed(1),
    "decode_lenient": decode_lenient,
    "Plain-4096": _plain(4096),
    "Plain-16": _plain(16),
    "Reader-4096": _reply(4096, lenient=False),
    "Reader-16": _reply(16, lenient=False),
    "Reader-lenient": _reply(4096, lenient=True),
    "from_prompt": lambda text, _tools: ToolSet.from_prompt(text),
}


def seconds(read: Read, text: str, tools: ToolSet | None) -> float:
    """Return the processor time of reading, whatever the outcome."""
    start = time.process_time()
    with suppress(LTONError):
        read(text, tools)
    return time.process_time() - start


def ratio(read: Read, make: Make, tools: ToolSet | None) -> tuple[float, float]:
    """Return the longer time, and the lowest ratio for ten times the text over some attempts."""
    small, big = texts(make)
    best = (0.0, float("inf"))
    for _ in range(ATTEMPTS):
        short, long = seconds(read, small, tools), seconds(read, big, tools)
        times = long / max(short, 1e-6) * FACTOR * len(small) / len(big)
        best = min(best, (long, times), key=lambda pair: pair[1])
        if long < WORTH_MEASURING or times < LIMIT:
            break
    return best


def main() -> int:
    """Measure all shapes with each reader, or with the named readers."""
    faults = 0
    found = list(shapes())
    for name in sys.argv[1:] or READERS:
        worst = (0.0, "")
        for shape, make, tools in found:
            long, times = ratio(READERS[name], make, tools)
            worst = max(worst, (long, shape))
            if long > WORTH_MEASURING and times > LIMIT:
                faults += 1
                print(f"NOT LINEAR {name} {shape}: x{times:.1f}, {long:.2f} s", flush=True)
        print(f"{name:<16}{len(found)} shapes, slowest {worst[0]:.2f} s: {worst[1]}", flush=True)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
