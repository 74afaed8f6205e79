"""Test that the core works without the other packages of the library.

So a distribution of the core would need only packaging, and no change of code.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = {"chat", "cli", "codec", "grammar", "lenient", "schema"}
"""The packages that are kept, with the modules beside them."""
PROGRAM = """
from pathlib import Path

from lton import Call, Decoder, ToolSet, decode_lenient, encode
from lton.chat import Reader, from_openai, instructions, render
from lton.events import CallEnd
from lton.grammar import lint, to_ebnf, to_gbnf, to_lark, to_regex

tools = ToolSet.from_prompt("look(city days?:int)")
call = Call("look", {"city": "San Leandro", "days": 7})
text = encode(call, tools, form="punctuated")

decoder = Decoder(tools)
decoder.feed(text)
decoder.close()
assert CallEnd(call) in [*iter(decoder.next_event, None)]

for print_grammar in (to_ebnf, to_gbnf, to_lark, to_regex):
    assert len(print_grammar(tools)) > 100
lint(to_gbnf(tools), "gbnf")

found = decode_lenient('{"name": "look", "arguments": {"city": "Rome"}}', tools)
assert found.calls == (Call("look", {"city": "Rome"}),)

function = {"name": "look", "arguments": '{"city": "Oslo"}'}
asked = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]}
answer = {"role": "tool", "tool_call_id": "1", "content": "rain"}
shown = render(from_openai([asked, answer]), tools)
assert [message.text for message in shown.messages[1:]] == [
    '!call look(city="Oslo")', "!result look rain"
]
assert "look(" in instructions(tools)
reader = Reader(tools)
reader.feed(f"!call {text}")
reader.close()
assert [each.call for each in reader.reply.calls] == [call]

print(Path(__import__("lton").__file__).parent.parent)
"""
TOOLS = '[{"name": "look", "parameters": {"properties": {"city": {}}, "required": ["city"]}}]'
CALL = '{"name":"look","arguments":{"city":"San Leandro"}}'


@pytest.fixture
def core(tmp_path: Path) -> Path:
    """Return a folder with a copy of the library that lacks the other packages."""
    copy = tmp_path / "lton"
    shutil.copytree(ROOT / "lton", copy, ignore=shutil.ignore_patterns("__pycache__"))
    deleted = [path for path in copy.iterdir() if path.is_dir() and path.name not in CORE]
    assert len(deleted) >= 9
    for path in deleted:
        shutil.rmtree(path)
    return tmp_path


def _python(
    core: Path, *arguments: str | Path, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(core), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        input=stdin,
        cwd=core,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_core_reads_and_writes_alone(core: Path) -> None:
    """Forms, streams, grammars, lenient reading and conversations work in the copy."""
    result = _python(core, "-W", "error", "-c", PROGRAM)
    assert (result.stdout, result.stderr) == (f"{core}\n", "")


def test_the_core_conforms_alone(core: Path) -> None:
    """The copy passes every case of the specification."""
    suite = ROOT / "spec" / "conformance"
    codec = (sys.executable, suite / "python_codec.py")
    result = _python(core, suite / "run.py", *codec)
    table = re.findall(r"^(\w+) +(\d+) +0 +0$", result.stdout, re.MULTILINE)
    assert len(table) == 8, result.stdout[-2000:]
    assert sum(int(passes) for _, passes in table) > 1800


@pytest.mark.parametrize(
    ("command", "stdin", "expected"),
    [
        ("encode", CALL, 'look "San Leandro"'),
        ("decode", 'look "San Leandro"', CALL),
        ("grammar", "", "root ::= "),
    ],
)
def test_the_command_line_works_alone(core: Path, command: str, stdin: str, expected: str) -> None:
    """Commands that only read and write work in the copy, without importing missing packages."""
    tools = core / "tools.json"
    tools.write_text(TOOLS, "utf-8")
    files = ["-t", tools] if command != "grammar" else [tools]
    result = _python(core, "-m", "lton", command, *files, stdin=stdin)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(expected)


@pytest.mark.parametrize(
    "module",
    [
        "chat/rendering.py",
        "codec/_encode.py",
        "grammar/build.py",
        "lenient/__init__.py",
        "schema/types.py",
    ],
)
def test_an_import_of_a_wing_is_noticed(core: Path, module: str) -> None:
    """The test above fails if a package of the core imports another package."""
    path = core / "lton" / module
    docstring, code = re.split(r'(?<=""")\n', path.read_text("utf-8"), maxsplit=1)
    path.write_text(f"{docstring}\nimport lton.stores\n{code}", "utf-8")
    result = _python(core, "-c", PROGRAM)
    assert result.returncode == 1
    assert "No module named 'lton.stores'" in result.stderr
