r"""What conversations of agents cost, as they are and as a transcript shows them.

    python -m lton_bench.context --tau tests/chat/tau-airline.jsonl.gz \
        --swe tests/chat/swe-agent.jsonl.gz

The data is a JSON object a line, with OpenAI's `messages` (plain, or in gzip). Conversations are
taken as they are, and joined into long sessions under one system prompt. Before each message of
the assistant there was a request; all are billed (`lton.tokens.billing`): what begins as the
request before, by whole messages, at 0.1, the rest at 1.25. "Dearer" are sessions that cost more
than as they are. "Harm" are turns of the assistant that quote 40 characters of an earlier result
which their request did not show, of all that quote. "Rewritten" are characters that were sent
otherwise than before.

`--out` draws two pictures: what all requests consist of, and what the joined sessions have cost
after each request. The recordings have no definitions of tools. Those that are drawn for tau-bench
are of the airline of its successor, as minified JSON without the arguments' descriptions.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from lton.tokens import counter
from lton_bench.context.bills import WAYS, add_data, data, parts, table
from lton_bench.context.pictures import pictures


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or what the options ask for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_data(parser)
    parser.add_argument("--parts", action="store_true", help="what each part costs, by default")
    parser.add_argument("--out", type=Path, help="draw two pictures in this folder instead")
    options = parser.parse_args(arguments)
    if options.parts:
        tokenizer = counter(options.tokenizer)
        for name, joined in data(options).items():
            shares = parts(joined, tokenizer).items()
            print(f"{name}: {', '.join(f'{each} {share:.3f}' for each, share in shares)}")
        return
    if options.out:
        for name, svg in pictures(data(options), counter(options.tokenizer)):
            (options.out / name).write_text(svg, "utf-8")
        return
    for line in table(data(options), WAYS, counter(options.tokenizer)):
        print(line, flush=True)
    print("\nEach view of a transcript began with the user's message and had no orphan; it was the")
    print("same after a restart, and every result and message came back byte for byte.")


if __name__ == "__main__":
    main()
