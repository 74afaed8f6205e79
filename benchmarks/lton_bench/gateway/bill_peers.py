"""Bill the sessions of `lton_bench.gateway.bill` with other libraries, which need much space.

python -m lton_bench.gateway.bill_peers --mini-swe FILE --out benchmarks/results
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

from lton.tokens import counter
from lton_bench.context.peers import compressed
from lton_bench.gateway.bill_sums import Sums, add, add_options, sessions

HEADROOM = "Headroom, `compress()`"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the sums of each set of sessions to bill-peers.json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_options(parser)
    options = parser.parse_args(arguments)
    tokenizer, found = counter(options.tokenizer), dict[str, dict[str, object]]()
    for name, chats in sessions(options).items():
        sums = Sums()
        for chat in chats:
            add(sums, chat, list(compressed(chat, tokenizer)), tokenizer)
        found[name] = {HEADROOM: asdict(sums)}
        print(name, sum(sums.billed), sums.harmed, sums.edits_harmed, flush=True)
    (options.out / "bill-peers.json").write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")


if __name__ == "__main__":
    main()
