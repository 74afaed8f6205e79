r"""Compute the cost of agents' conversations, unchanged and as a transcript shows them.

    python -m lton_bench.context --tau tests/chat/tau-airline.jsonl.gz \
        --swe tests/chat/swe-agent.jsonl.gz

The data are JSON lines with OpenAI's `messages` (plain, or in gzip). Conversations are billed as
single sessions, and joined into long sessions under one system prompt. There is a request before
each message of the assistant, and all requests are billed (`lton.tokens.billing`): whole messages
that the previous request begins with at 0.1, and the rest at 1.25. "Dearer" are sessions that cost
more than unchanged. "Harm" is the share of quoting turns that quote 40 characters of an earlier
result which their request did not show. "Rewritten" are characters that were sent in another form
before.
"""

import argparse
from collections.abc import Sequence

from lton.tokens import counter
from lton_bench.context.bills import WAYS, add_data, data, in_gateway, parts, table


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or what the options ask for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_data(parser)
    parser.add_argument("--parts", action="store_true", help="what each part costs, by default")
    options = parser.parse_args(arguments)
    if options.parts:
        tokenizer = counter(options.tokenizer)
        for name, joined in data(options).items():
            shares = parts(joined, tokenizer).items()
            print(f"{name}: {', '.join(f'{each} {share:.3f}' for each, share in shares)}")
        return
    found = {**WAYS, "default, in the gateway with native calls": in_gateway}
    for line in table(data(options), found, counter(options.tokenizer)):
        print(line, flush=True)
    print("\nEach view of a transcript began with the user's message and had no orphan; it was the")
    print("same after a restart, and every result and message came back byte for byte.")


if __name__ == "__main__":
    main()
