"""Count the tokens of files, or of standard input.

    python -m lton.cli.tokens --tokenizer o200k --tokenizer bytes tools.json

An estimate has a "~".
"""

import argparse
import sys

from lton._terminal import progress, say, table, write
from lton.cli.inputs import iterate_named_inputs
from lton.tokens import Count, counter
from lton.tokens.registry import default_tokenizer


def add_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    sub.add_argument(
        "--tokenizer",
        metavar="NAME",
        action="append",
        help="a name (an unknown name lists all), a vocabulary file, or a server as URL#MODEL"
        " (default: o200k; may be repeated)",
    )


def run(options: argparse.Namespace) -> int:
    tokenizers = list(dict.fromkeys(options.tokenizer or [default_tokenizer(say)]))
    try:
        inputs = list(iterate_named_inputs(options.files))
    except FileNotFoundError as error:
        say("files are counted, and standard input: echo TEXT | python -m lton.cli.tokens")
        raise error
    names = [name for name, _ in inputs]
    texts = [text for _, text in inputs]
    size = sum(map(len, texts))
    columns = []
    with progress() as show:
        for tokenizer in tokenizers:
            show(f"counting {size:,} characters by {tokenizer}")
            columns.append(counter(tokenizer).count_all(texts))
    rows = list(zip(names, zip(*columns, strict=True), strict=True))
    if len(rows) > 1:
        totals = [sum(counts, Count(0, exact=True)) for counts in columns]
        rows.append(("total", tuple(totals)))
    cells = [[name, *map(_write_count, counts)] for name, counts in rows]
    write(table(["", *tokenizers], cells))
    return 0


def _write_count(count: Count) -> str:
    return f"{count.tokens:,}" if count.exact else f"~{count.tokens:,}"


if __name__ == "__main__":
    from lton.cli import run_program

    sys.exit(run_program(sys.modules[__name__]))
