"""What the package promises as a whole: its public names, and a core without dependencies."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import lton

WITHOUT_EXTRAS = """
import sys

EXTRAS = set(
    "bpe_openai cbor2 httpx2 jinja2 lark llama_cpp llguidance mcp msgpack numpy outlines ray rich"
    " sentencepiece tiktoken tokenizers toon_format yaml".split()
)


class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ImportError(name)


sys.meta_path.insert(0, Refuse())

import lton
from lton.grammar import to_gbnf, to_lark
from lton.tokens import counter

assert counter("bytes").count("hello").tokens == 2
tools = lton.ToolSet.from_tools([{"name": "wait", "parameters": {"type": "object",
    "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}}])
call = lton.Call("wait", {"minutes": 5})
text = lton.encode(call, tools)
assert lton.decode(text, tools) == [call]
assert to_gbnf(tools).startswith("root ::= ")
assert to_lark(tools).startswith("start: ")
assert not EXTRAS & {name.partition(".")[0] for name in sys.modules}
print(text)
"""


COMMON = {"", "._patterns", "._syntax", ".errors", ".events"}
"""Modules of ours that every reader or writer needs, beside those of `lton.codec` and `lton.schema`."""
DEAR = {"ast", "argparse", "asyncio", "hashlib", "importlib.metadata", "inspect", "json", "pathlib"}
"""Modules that take long to import."""
ITSELF = Path(lton.__file__).parent.parent


def _run(program: str, *options: str) -> str:
    """Get what a program prints in a fresh interpreter that keeps what it compiles."""
    environment = {**os.environ, "PYTHONPATH": str(ITSELF)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    result = subprocess.run(
        [sys.executable, *options, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    return result.stdout


def _loaded(program: str) -> set[str]:
    """Get the modules that a program imports, where nothing but the interpreter was before."""
    listed = "import sys; before = set(sys.modules)\n{}\nprint(*set(sys.modules) - before)"
    return set(_run(listed.format(program), "-I", "-S", "-X", "utf8").split())


def test_public_names() -> None:
    """The names of the package: to add one is a decision, to remove one breaks programs."""
    assert sorted(lton.__all__) == [
        "Call",
        "Code",
        "DecodeError",
        "Decoder",
        "EncodeError",
        "Form",
        "GrammarError",
        "IncompleteError",
        "LTONError",
        "LenientResult",
        "Repair",
        "RepairCode",
        "Result",
        "SPEC_VERSION",
        "SchemaError",
        "ToolSet",
        "__version__",
        "decode",
        "decode_lenient",
        "encode",
        "events",
        "grammar",
    ]
    assert all(hasattr(lton, name) for name in lton.__all__)


def test_the_core_needs_no_extra() -> None:
    """Calls are written and read, and grammars made, where no optional library is installed."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_EXTRAS],
        cwd=Path(lton.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout, result.stderr) == ("wait 5\n", "")
