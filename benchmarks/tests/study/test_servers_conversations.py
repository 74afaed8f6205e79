"""Test the study of whole answers of servers in conversations."""

import socket
from collections import Counter
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

from lton.probe.calibration import read_turns
from lton_bench.study.calls.needs import CONVERSATIONS
from lton_bench.study.servers.conversations import balance_turns, markdown, read_answers
from lton_bench.study.servers.relay import counting_relay


def test_recorded_answers_make_the_page_again() -> None:
    """The tables of the page are those of the recorded answers."""
    answers = read_answers(Path("benchmarks/results/study/servers-conversations.jsonl"))
    page = Path("benchmarks/results/servers-conversations.md").read_text("utf-8")
    assert markdown(answers) == page
    assert Counter(answer.way for answer in answers).most_common()[0][1] == 48


def test_a_balanced_part_has_one_message_of_each_kind_in_each_conversation() -> None:
    """Every kind counts the same."""
    turns = balance_turns(read_turns(CONVERSATIONS), 1)
    assert set(Counter((turn.domain, turn.kind) for turn in turns).values()) == {1}
    assert len(turns) == 48


def test_a_relay_passes_bytes_on_and_counts_requests() -> None:
    """Two requests get the server's answers."""
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

    def serve(listener: socket.socket) -> None:
        for _ in range(2):
            client, _ = listener.accept()
            with client:
                client.recv(65536)
                client.sendall(reply)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=serve, args=(listener,), daemon=True).start()
        with counting_relay(f"http://127.0.0.1:{listener.getsockname()[1]}") as relay:
            for _ in range(2):
                with urlopen(relay.url) as answer:
                    assert answer.read() == b"ok"
            assert relay.requests == 2
