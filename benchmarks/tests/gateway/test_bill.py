"""Test `make bench-bill`: the bill of sessions, and the harmed turns."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from lton.tokens import counter
from lton_bench.context.bills import asks
from lton_bench.gateway import bill
from lton_bench.gateway.bill_sums import Sums, add, native, quotations
from lton_bench.gateway.bill_ways import filter_output
from tests.wrap.test_long_results import LOG

EDIT = "sed -i 's/token_t/int/' src/parser.c"
MADE = "    return module_by_the_name_of_it(names, 0)"
FILE = "\n".join(f"{n}\t    line_{n * 37 % 911}(value)" for n in range(60))


def session(*turns: tuple[str, str]) -> list[dict[str, Any]]:
    """Return a session of mini-swe-agent: messages with a command, and the output of the
    command.
    """
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Fix it."}]
    for words, output in turns:
        chat.append({"role": "assistant", "content": words})
        chat.append({"role": "user", "content": output})
    return chat


def run_command(command: str, words: str = "Look.") -> str:
    return f"{words}\n\n```bash\n{command}\n```"


def test_fences_become_calls() -> None:
    chat = native(session((run_command("ls"), "a.py"), ("Done.", "Thanks.")))
    call = chat[2]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"command": "ls"}
    assert chat[2]["content"] == "Look."
    assert chat[3] == {"role": "tool", "tool_call_id": call["id"], "content": "a.py"}
    assert [message["role"] for message in chat[4:]] == ["assistant", "user"]


@pytest.mark.parametrize(
    ("result", "turn", "quoted"),
    [
        (f"12\t{MADE}", run_command("ls", f"There is {MADE.strip()}."), {MADE.strip()[:40]}),
        (f"12\t{MADE[:30]}", run_command("ls", MADE[:30]), set()),
        (f"12\t{MADE[:30]}", run_command(f"cat > a <<E\n{MADE[:30]}\nE"), {MADE[:30].strip()}),
        ("one line\nand one more line of the result", "one line\nand one more line of it", set()),
    ],
)
def test_quotations_are_of_lines(result: str, turn: str, quoted: set[str]) -> None:
    """A quotation has at least forty characters of a line, or the whole line in an edit; numbers do
    not count.
    """
    lines_by_turn = quotations(native(session((run_command("cat a"), result), (turn, "ok"))))
    assert [
        {quoted_line for quoted_line in lines_by_turn[at] if quoted_line in quoted}
        for at in lines_by_turn
    ] == [
        set(),
        quoted,
    ]
    assert bool(quoted) == bool(lines_by_turn[4])


def test_a_session_is_billed_in_each_way() -> None:
    """Repeated and cut results lower the bill, and a quotation of removed text counts as harm."""
    lost = next(line for line in LOG.split("\n") if line.startswith("[0333]"))
    chat = native(
        session(
            (run_command("sed -n 1,60p a.py"), FILE),
            (run_command("sed -n 1,60p a.py"), FILE),
            (run_command("make"), LOG),
            (run_command(EDIT, f"As {lost} shows."), "ok"),
            (run_command("ls"), "ok"),
            ("Done.", ""),
        )
    )
    bills = bill.sum_ways([chat], counter("bytes"))
    base, notes, hook, ends, rules = bills.values()
    assert base.billed[0] > notes.billed[0]
    assert base.billed[0] > hook.billed[0]
    assert base.billed[0] > ends.billed[0]
    assert base.billed[0] == rules.billed[0]
    assert [figures.harmed for figures in bills.values()] == [0, 0, 1, 1, 0]
    assert [figures.edits_harmed for figures in bills.values()] == [0, 0, 1, 1, 0]
    assert all(bool(figures.again[0]) == bool(figures.harmed) for figures in bills.values())
    assert base.kinds["reads"] > notes.kinds["reads"]
    assert "| cuts (`lton hook`) |" in "\n".join(bill.table(bills))
    assert "| reads |" in "\n".join(bill.kinds(bills, "notes (`lton wrap`)"))


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("cat a.py", "# a\n\nb", "# a\n\nb"),
        ("cd a && grep -rn x .", "a.py:1:x\na.py:2:x\nb", "[file] a.py (2):\n1:x\n2:x\nb"),
        ("grep x .", "a.py:x\n" * 30, "[file] a.py (30):\n" + "x\n" * 25 + "+5\n"),
        ("ls", "a\nnode_modules\nb", "a\nb"),
        ("ls -la", "-rw-r--r-- 1 a b 12 May 1 10:00 c.py\n", "c.py  12\n"),
        ("ls -la", "drwxr-xr-x 1 a b 12 May 1 10:00 c\n", "c/\n"),
        ("curl x", "\n".join(map(str, range(40))), "\n".join(map(str, range(30)))),
        ("git log", "a" * 300, "a" * 200),
        ("pytest -v", "a.py::b PASSED [9%]\nc FAILED", "c FAILED"),
    ],
)
def test_rules_like_those_of_rtk(command: str, output: str, expected: str) -> None:
    call = {"function": {"name": "bash", "arguments": json.dumps({"command": command})}}
    assert filter_output(output, call, "") == expected


def test_the_sums_of_other_libraries_become_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums of a library that is not installed are in a file."""
    chat = native(
        session((run_command("make"), LOG[:400]), (run_command("ls"), "a"), ("Done.", ""))
    )
    sums = Sums()
    add(sums, chat, [chat[:at] for at in asks(chat)], counter("bytes"))
    own_ways = {"as it is": sums, "notes (`lton wrap`)": sums}
    monkeypatch.setattr(bill, "sum_ways", lambda *_: own_ways)
    page = bill.page({"one": [chat]}, counter("bytes"), {"one": {"another": asdict(sums)}})
    assert "| another | 1.000 | 1.000 | 1.000 | 1.000 | 0 | 0 of " in page
