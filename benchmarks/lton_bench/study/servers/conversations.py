"""Count the calls that servers deliver in conversations, and what an answer costs.

`python -m lton_bench.study.servers.conversations`. Three llama.cpp servers are asked the 162
reported messages of `lton_bench.study.calls.needs`: one directly, one through `lton serve`, and one
through `lton serve --calls guided`. So no way finds a prompt that another has read. The ways take
turns with each message, so that other programs of the machine slow all of them. A later run asks
the remaining messages.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

from lton import Call
from lton.chat import to_openai
from lton.probe.asking import ChatClient
from lton.probe.calibration import LabelledTurn, read_turns
from lton_bench.markdown_tables import write_head, write_page, write_row
from lton_bench.study import models
from lton_bench.study.calls.needs import CONVERSATIONS, UNWANTED, WANTED, is_right
from lton_bench.study.packed import append_answers, content
from lton_bench.study.servers.questions import WAYS, TriedWay, llama, reach_server
from lton_bench.study.servers.relay import CountingRelay, counting_relay

__all__ = ["TurnAnswer", "main", "markdown"]

MODELS = ("qwen-0.5b", "qwen-1.5b")
_TRIED = {way.name: way for way in WAYS[:2] + WAYS[3:4]}
_ENGINE = "llama.cpp"
_MOST_TOKENS = 96
_SLOTS = 4
"""The slots of a server, which is llama.cpp's default."""


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """The answer to a message that the client received, and its cost.

    `processor` is the processor time of client, gateway and server together, in seconds.
    """

    model: str
    way: str
    kind: str
    text: str
    calls: list[Any]
    words: str
    error: str
    requests: int
    prompt: int
    sampled: int
    processor: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _Place:
    """A way, with the relay before its server and the client that asks."""

    way: TriedWay
    relay: CountingRelay
    client: ChatClient


def balance_turns(turns: Sequence[LabelledTurn], count: int) -> list[LabelledTurn]:
    """Return the first `count` messages of every kind in every conversation, in their order."""
    counts: dict[tuple[str, str], int] = {}
    some_turns = []
    for turn in turns:
        key = turn.domain, turn.kind
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= count:
            some_turns.append(turn)
    return some_turns


def ask(
    model: str, turns: Sequence[LabelledTurn], answered: set[tuple[str, str, str]], threads: int
) -> Iterator[TurnAnswer]:
    """Ask a model's server the messages that were not asked in all ways."""
    remaining = [
        turn for turn in turns if any((model, way, turn.text) not in answered for way in _TRIED)
    ]
    if not remaining:
        return
    with ExitStack() as stack:
        places = []
        for way in _TRIED.values():
            url = stack.enter_context(llama(model, threads, slots=_SLOTS))
            relay = stack.enter_context(counting_relay(url))
            address, name = stack.enter_context(reach_server(relay.url, _ENGINE, way))
            client = ChatClient(url=address, model=name, tools=(), timeout_s=900.0)
            places.append(_Place(way, relay, client))
            client.ask_question(
                "Hello", stream=False, max_tokens=1
            )  # so that `lton serve` knows the server
        for rank, turn in enumerate(remaining):
            first = rank % len(places)
            for served_way in places[first:] + places[:first]:
                if (model, served_way.way.name, turn.text) not in answered:
                    yield _ask_once(model, served_way, turn)
            print(f"{model}: {rank + 1} of {len(remaining)}", flush=True)


def _ask_once(model: str, served_way: _Place, turn: LabelledTurn) -> TurnAnswer:
    before = served_way.relay.requests
    began = process_time()
    answer = served_way.client.ask_question(
        "",
        stream=False,
        messages=to_openai(turn.messages),
        tools=turn.definitions,
        max_tokens=_MOST_TOKENS,
    )
    return TurnAnswer(
        model=model,
        way=served_way.way.name,
        kind=turn.kind,
        text=turn.text,
        calls=[[call.name, call.arguments] for call in answer.calls],
        words=answer.text,
        error=answer.error,
        requests=served_way.relay.requests - before,
        prompt=answer.prompt,
        sampled=answer.sampled,
        processor=round(process_time() - began, 3),
        seconds=round(answer.seconds, 3),
    )


_ABOUT = f"""\
`make study-servers` writes these tables, too: 24 of the 162 reported messages so far, one of each
kind in each of three conversations. *Called* counts answers with a call that reached the client.
*Right* are the calls that the message needs, with right values. *Not needed* are the messages that
need no call, and of those, *called* are the answers with a call. The servers are those of llama.cpp
on a CPU, at temperature 0, one for each way, and answers end after {_MOST_TOKENS} tokens.
*Requests* are those that the server gets for an answer. *Prompt* and *sampled* are means of the
tokens of which the client is told. *Time* is the mean processor time of client, gateway and server
for an answer, in seconds, and *ratio* is its ratio to the server's own answer."""
_KINDS = """\
Calls by kind of message. The first two kinds need a call:"""


def markdown(answers: Sequence[TurnAnswer]) -> str:
    """Return the table of all ways, and that of the kinds of messages."""
    turns = {turn.text: turn for turn in read_turns(CONVERSATIONS)}
    lines = [_ABOUT, ""]
    lines += write_head(
        *("", "way", "needed", "called", "right", "not needed", "called"),
        *("requests", "prompt", "sampled", "time", "ratio"),
    )
    kinds = [*write_head("", "way", *(kind.replace("_", " ") for kind in (*WANTED, *UNWANTED)))]
    for model in dict.fromkeys(answer.model for answer in answers):
        ways = _asked_in_all_ways([answer for answer in answers if answer.model == model])
        alone = _mean(next(iter(ways.values())), "processor")
        for way, some in ways.items():
            time = _mean(some, "processor")
            times = (f"{time:.1f}", f"{time / alone:.2f}")
            lines.append(write_row(model, way, *_counts(turns, some), *_costs(some), *times))
            kinds.append(write_row(model, way, *_by_kind(some)))
    return "\n".join([*lines, "", _KINDS, "", *kinds, ""])


def _asked_in_all_ways(answers: Sequence[TurnAnswer]) -> dict[str, list[TurnAnswer]]:
    """Return the answers of each way to the messages that were asked in all ways."""
    text_sets = [{answer.text for answer in answers if answer.way == way} for way in _TRIED]
    in_all = set.intersection(*text_sets)
    return {
        way: [answer for answer in answers if answer.way == way and answer.text in in_all]
        for way in _TRIED
    }


def _counts(turns: Mapping[str, LabelledTurn], answers: Sequence[TurnAnswer]) -> list[int]:
    needing = [answer for answer in answers if answer.kind in WANTED]
    unwanted = [answer for answer in answers if answer.kind not in WANTED]
    return [
        len(needing),
        len([answer for answer in needing if answer.calls]),
        len([answer for answer in needing if _is_right(turns[answer.text], answer)]),
        len(unwanted),
        len([answer for answer in unwanted if answer.calls]),
    ]


def _is_right(turn: LabelledTurn, answer: TurnAnswer) -> bool:
    calls = [Call(name, arguments) for name, arguments in answer.calls]
    return not answer.error and is_right(turn, calls)


def _costs(answers: Sequence[TurnAnswer]) -> list[str]:
    """Return means for each answer."""
    return [
        f"{_mean(answers, 'requests'):.1f}",
        f"{_mean(answers, 'prompt'):.0f}",
        f"{_mean(answers, 'sampled'):.0f}",
    ]


def _mean(answers: Sequence[TurnAnswer], name: str) -> float:
    return sum(float(getattr(answer, name)) for answer in answers) / len(answers)


def _by_kind(answers: Sequence[TurnAnswer]) -> Iterator[str]:
    for kind in (*WANTED, *UNWANTED):
        some = [answer for answer in answers if answer.kind == kind]
        yield f"{len([answer for answer in some if answer.calls])} of {len(some)}"


def read_answers(file: Path) -> list[TurnAnswer]:
    """Return the recorded answers of a file, which may be packed."""
    return [TurnAnswer(**json.loads(line)) for line in content(file).splitlines()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask the remaining messages, and write the answers and the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", action="append", choices=[*models.MODELS])
    parser.add_argument("--each", type=int, default=99, help="messages of a kind and conversation")
    parser.add_argument("--threads", type=int, default=1, help="of llama.cpp")
    parser.add_argument("--out", type=Path, default=Path("build/study"))
    options = parser.parse_args(arguments)
    file = options.out / "study" / "servers-conversations.jsonl"
    answers = read_answers(file)
    answered = {(answer.model, answer.way, answer.text) for answer in answers}
    turns = balance_turns(read_turns(CONVERSATIONS), options.each)
    for model in options.model or MODELS:
        answers += append_answers(file, ask(model, turns, answered, options.threads))
    write_page(options.out / "servers-conversations.md", markdown(answers))


if __name__ == "__main__":
    main()
