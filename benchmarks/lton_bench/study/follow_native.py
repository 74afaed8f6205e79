"""Test whether models follow pointers and files behind `lton serve` with a window and native calls.

    python -m lton_bench.study.follow_native --model qwen-1.5b --out benchmarks/results

The sessions are those of `lton_bench.study.follow`: the answer is in a result that is shown as a
pointer, or in a file whose beginning is shown. The model runs on a llama.cpp server with the
server's format of calls, and the gateway answers calls to the tools that read omitted text. The
same sessions are also run without `context`, so that the model sees all results.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from urllib.error import HTTPError
from urllib.request import urlopen

from lton.chat import Message, to_openai
from lton_bench.demo import start_server
from lton_bench.internals import minified
from lton_bench.study import models
from lton_bench.study.figures import accuracy
from lton_bench.study.follow import MAKERS, OWN, ROOM, Place
from lton_bench.study.gateways import gateway, post
from lton_bench.study.packed import added, content
from lton_bench.study.report import head, interval, row

__all__ = ["PLACES", "WAYS", "Reply", "asked", "main", "markdown"]

PLACES: Mapping[Place, str] = {"pointer": " Recall the result.", "file": " Search the file."}
"""The places of the answer, and how a question says to look there."""
WHOLE, PUT_AWAY, LOOK = WAYS = (
    "all results shown",
    "put away",
    "put away, and the question says to look",
)
_CONTEXT = f"window={ROOM},reserve=800,clear=always,file_over=600,preview=120"
_SLOT, _TOKENS = 2 * ROOM, 200


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply in a session."""

    model: str
    place: Place
    way: str
    session: int
    looked: int
    """The calls of the tools that read omitted text."""
    again: bool
    """Whether the model called the agent's tool again instead of a reply."""
    words: str
    right: bool


def asked(upstream: str, model: str, place: Place, way: str, number: int) -> Reply:
    """Ask a model about a session through a gateway of the session's own."""
    session = MAKERS[place](Random(f"{place} {number}"), is_shown=False)  # noqa: S311 - made-up data
    question = session.question + (PLACES[place] if way == LOOK else "")
    chat = [*to_openai(session.said), *to_openai([Message.saying("user", question)])]
    tools = [{"type": "function", "function": each} for each in OWN]
    body = {"model": model, "messages": chat, "tools": tools, "temperature": 0, "seed": 0}
    context = None if way == WHOLE else _CONTEXT
    with gateway(upstream, engine="llama.cpp", calls="native", context=context) as url:
        try:
            reply = post(f"{url}/v1/chat/completions", body | {"max_tokens": _TOKENS})
            message = reply["choices"][0]["message"]
        except HTTPError as error:
            message = {"content": f"status {error.code}: {error.read(200).decode()}"}
        looked = _figure(f"{url}/metrics", "lton_context_base_calls_total")
    words, calls = message.get("content") or "", message.get("tool_calls") or []
    right = not calls and session.answer in words
    return Reply(model, place, way, number, looked, bool(calls), words, right)


def _figure(url: str, name: str) -> int:
    with urlopen(url, timeout=60) as answer:  # noqa: S310 - a server that was started here
        lines = answer.read().decode().splitlines()
    return sum(int(float(each.split()[-1])) for each in lines if each.startswith(f"{name} "))


def markdown(replies: Sequence[Reply]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Models that read omitted text, with native calls"
    yield ""
    yield (__doc__ or "").split("\n\n", 2)[2]
    yield "*Looked*: the model called a tool that reads omitted text. *Called again*: the model"
    yield "called the agent's tool again, and a real agent would answer it. *Right*: the reply"
    yield "contains the answer."
    yield ""
    yield from head("model", "the answer is in", "", "sessions", "looked", "called again", "right")
    groups: dict[tuple[str, str, str], list[Reply]] = {}
    for each in sorted(replies, key=lambda each: (each.model, each.place, WAYS.index(each.way))):
        groups.setdefault((each.model, each.place, each.way), []).append(each)
    for (model, place, way), group in groups.items():
        shares = ([bool(each.looked) for each in group], [each.right for each in group])
        looked, right = (interval(asdict(accuracy(each))) for each in shares)
        again = str(sum(each.again for each in group))
        yield row(model, f"a {place}", way, str(len(group)), looked, again, right)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining questions, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1, help="threads of the model")
    parser.add_argument("--parallel", type=int, default=1, help="questions at a time")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    options = parser.parse_args(arguments)
    file = options.out / "study" / "follow-native.jsonl"
    replies = [Reply(**json.loads(line)) for line in content(file).splitlines()]
    known = {(each.model, each.place, each.way, each.session) for each in replies}
    for model in options.model:
        name = models.name(model)
        cases = product(PLACES, WAYS, range(options.sessions))
        missing = [each for each in cases if (name, *each) not in known]
        if not missing:
            continue
        server = start_server(
            _SLOT, models.path(model), threads=options.threads, slots=options.parallel
        )
        do = partial(asked, server.listening_address, name)
        with ThreadPoolExecutor(options.parallel) as pool:
            doing = [pool.submit(do, *each) for each in missing]
            for reply in added(file, (each.result() for each in as_completed(doing))):
                replies.append(reply)
                print(minified(asdict(reply)), flush=True)
        del server
    (options.out / "follow-native.md").write_text("\n".join(markdown(replies)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
