"""Test the package as a whole: its public names, and a core without dependencies."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path

import pytest

import lton
from lton.errors import Code

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
from lton.errors import Code
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


ITSELF = Path(lton.__file__).parent.parent
SOURCES = list((ITSELF / "lton").rglob("*.py"))
CORE = {"_patterns", "_require", "_syntax", "codec", "errors", "events", "schema"}
DEAR = {
    "argparse", "asyncio", "datetime", "hashlib", "importlib.metadata", "json", "logging",
    "pathlib", "string",
}  # fmt: skip
"""Modules of the standard library that take long to import (`inspect` comes with dataclasses)."""
READ_AND_WRITE = """
tools = lton.ToolSet.from_tools([{"title": "wait", "properties": {"why": {"enum": ["tea"]}}}])
text = lton.encode(lton.decode("wait why=tea", tools), tools) + tools.prompt()
"""


def _run(program: str, compiled: Path, *options: str) -> str:
    """Return the output of a program in a new interpreter, which caches bytecode in the given
    folder.
    """
    result = subprocess.run(
        [sys.executable, *options, "-c", program],
        env={"PYTHONPATH": str(ITSELF), "PYTHONPYCACHEPREFIX": str(compiled)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stderr == ""
    return result.stdout


def _loaded(program: str, compiled: Path) -> set[str]:
    """Return the modules that a program imports in a new interpreter."""
    listed = f"import sys; before = set(sys.modules)\n{program}\nprint(*set(sys.modules) - before)"
    return set(_run(listed, compiled, "-S").split())


def _steps(program: str, compiled: Path) -> int:
    """Count the steps of a program whose modules are already compiled."""
    counting_program = f"from tests.steps import steps\nprint(steps(lambda: exec({program!r})))"
    _run(program, compiled)
    return int(_run(counting_program, compiled))


def test_public_names() -> None:
    """The public names of the package are fixed: adding one is a decision, and removing one breaks
    programs.
    """
    assert sorted(lton.__all__) == [
        "Call",
        "Code",
        "DecodeError",
        "Decoder",
        "EncodeError",
        "Form",
        "GrammarError",
        "Hidden",
        "IncompleteError",
        "LTONError",
        "LenientResult",
        "Repair",
        "RepairCode",
        "Result",
        "SPEC_VERSION",
        "SchemaError",
        "ToolSet",
        "Toolbox",
        "__version__",
        "anthropic",
        "chat",
        "decode",
        "decode_lenient",
        "encode",
        "engines",
        "events",
        "generate",
        "grammar",
        "openai",
        "results",
    ]
    assert set(lton.__all__) <= set(dir(lton))
    for home in lton._HOMES:
        for name, value in vars(import_module(f"lton.{home}")).items():
            assert name not in lton.__all__ or getattr(lton, name) is value
    with pytest.raises(AttributeError, match="'lton' has no attribute 'decod'"):
        lton.decod  # type: ignore[attr-defined]  # noqa: B018


def test_a_bare_import_loads_nothing_else(tmp_path: Path) -> None:
    """Importing the package loads no other module, because public names are imported on first
    use.
    """
    loaded = _loaded("import lton", tmp_path)
    assert {name for name in loaded if name.partition(".")[0] == "lton"} == {"lton"}
    assert not loaded & {*DEAR, "dataclasses", "inspect"}


def test_reading_and_writing_load_the_core_only(tmp_path: Path) -> None:
    """Reading and writing loads no grammars, no lenient reader, and little of the standard
    library.
    """
    loaded = _loaded(f"import lton{READ_AND_WRITE}", tmp_path)
    packages = {name.split(".")[1] for name in loaded if name.startswith("lton.")}
    assert packages == CORE
    assert not loaded & DEAR


def test_the_command_line_loads_the_command_that_is_called(tmp_path: Path) -> None:
    """Listing the commands imports none of them."""
    loaded = _loaded("from lton.cli import main; main(['help'])", tmp_path)
    ours = {name.removeprefix("lton.") for name in loaded if name.startswith("lton.")}
    assert ours == {
        "_patterns", "_terminal", "cli", "cli.diagnostics", "cli.parser", "errors",
    }  # fmt: skip


def test_a_command_loads_what_it_needs(tmp_path: Path) -> None:
    """A command imports only what it needs: writing calls does not load counting."""
    (tmp_path / "tools.json").write_text('[{"name": "f", "input_schema": {"properties": {}}}]')
    (tmp_path / "call.json").write_text('{"name": "f", "arguments": {}}')
    arguments = ["encode", "-t", str(tmp_path / "tools.json"), str(tmp_path / "call.json")]
    arguments += ["-o", str(tmp_path / "call.lton")]
    loaded = _loaded(f"from lton.cli import main; main({arguments})", tmp_path)
    assert (tmp_path / "call.lton").read_text() == "f\n"
    assert not loaded & (DEAR - {"argparse", "json"} | {"lton.tokens", "lton.grammar"})


def test_lenient_reading_compiles_patterns_when_they_are_used() -> None:
    """The patterns of lenient reading, about a hundred, are compiled when they are used."""
    names = [path.stem for path in (ITSELF / "lton" / "lenient").glob("_[a-z]*.py")]
    namespaces = [vars(import_module(f"lton.lenient.{name}")) for name in names]
    compiled = [
        name
        for namespace in namespaces
        for name, value in namespace.items()
        if isinstance(value, re.Pattern)
    ]
    assert len(namespaces) > 10
    assert compiled == []


def test_imports_are_quick(tmp_path: Path) -> None:
    """Importing the package takes fewer steps than importing pydantic; the numbers are printed."""
    bare, pydantic = (_steps(f"import {name}", tmp_path) for name in ("lton", "pydantic"))
    core = _steps("from lton import ToolSet, decode, encode", tmp_path)
    model = _steps("from pydantic import BaseModel", tmp_path)
    print(f"import lton: {bare / pydantic:.2f} of import pydantic")
    print(f"import decode, encode, ToolSet: {core / model:.2f} of import BaseModel")
    assert 0 < bare <= 0.65 * pydantic


def test_the_core_needs_no_extra() -> None:
    """Calls are written and read, and grammars built, without any optional library."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_EXTRAS],
        cwd=Path(lton.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout, result.stderr) == ("wait 5\n", "")


CONTRIBUTING = (ITSELF / "CONTRIBUTING.md").read_text("utf-8")
FASTER = {f"codec/_fast_{what}.py" for what in ("reader", "atoms", "writer")}
"""What does the common case again, fast: nobody has to read it."""


def _public_types(module: ast.Module) -> Iterator[str]:
    """Return the names of the public classes and type aliases of a module."""
    for node in module.body:
        match node:
            case ast.ClassDef(name=name):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
                pass
            case _:
                continue
        if not name.startswith("_"):
            yield name


def test_a_public_name_is_that_of_one_type() -> None:
    """Each public class or alias has a unique name in the code."""
    counts = Counter(
        name for path in SOURCES for name in _public_types(ast.parse(path.read_text()))
    )
    assert len(counts) > 100
    assert {name for name, count in counts.items() if count > 1} == set()


def test_no_name_hides_a_module() -> None:
    """No exported name of a package equals the name of one of its modules."""
    hidden = []
    for package in (path for path in SOURCES if path.name == "__init__.py"):
        modules = {path.stem for path in package.parent.glob("*.py")}
        modules |= {path.parent.name for path in package.parent.glob("*/__init__.py")}
        own = ".".join(package.parent.relative_to(ITSELF).parts)
        for node in ast.walk(ast.parse(package.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module != own:
                hidden += [
                    name.name for name in node.names if (name.asname or name.name) in modules
                ]
    assert hidden == []


def test_benchmarks_import_what_is_private_in_one_module() -> None:
    """Only `lton_bench.internals` imports private modules of `lton`, or their names."""
    private = re.compile(r"^ *(?:from|import) lton(?:\.\w+)*?\._\w+", re.MULTILINE)
    modules = [*(ITSELF / "benchmarks/lton_bench").rglob("*.py")]
    assert len(modules) > 90
    importing = [path.name for path in modules if private.search(path.read_text("utf-8"))]
    assert importing == ["internals.py"]


def test_the_docstring_of_a_package_names_modules_that_exist() -> None:
    """The docstring of a package lists only modules that exist."""
    described, missing = 0, []
    packages = [*(ITSELF / "lton").rglob("__init__.py")]
    packages += (ITSELF / "benchmarks/lton_bench").rglob("__init__.py")
    for package in packages:
        text = ast.get_docstring(ast.parse(package.read_text("utf-8"))) or ""
        for name in re.findall(r"^- `(\w+)`", text, re.MULTILINE):
            described += 1
            path = package.parent / name
            if not (path.with_suffix(".py").exists() or path.is_dir()):
                missing.append(f"{package.parent.name}: {name}")
    assert described > 60
    assert missing == []


def test_the_docstring_of_a_package_names_each_of_its_modules() -> None:
    """The docstring of a package lists each of its modules."""
    unnamed = []
    packages = [*(ITSELF / "lton").rglob("__init__.py")]
    packages += (ITSELF / "benchmarks/lton_bench").rglob("__init__.py")
    for package in packages:
        if package.parent == ITSELF / "lton" or package.parent.name == "datasets":
            continue  # the root exports names, and each data set describes itself
        modules = {path.stem for path in package.parent.glob("*.py")} - {"__init__"}
        modules |= {path.parent.name for path in package.parent.glob("*/__init__.py")}
        text = ast.get_docstring(ast.parse(package.read_text("utf-8"))) or ""
        named = re.findall(r"`(\w+)`", text)
        unnamed += [f"{package.parent.name}: {module}" for module in modules.difference(named)]
    assert sorted(unnamed) == []


def test_the_picture_of_the_rooms_is_the_contract() -> None:
    """CONTRIBUTING lists the packages in the order in which they may import each other."""
    picture = re.search(r"```text\n(cli .*?)```", CONTRIBUTING, re.DOTALL)
    assert picture is not None
    packages = [line.split(maxsplit=1)[0] for line in picture[1].splitlines()]
    contracts = ConfigParser()
    contracts.read(ITSELF / ".importlinter", "utf-8")
    assert packages == re.findall(r"\w+", contracts["importlinter:contract:rooms"]["layers"])


def test_the_reading_list_has_the_lines_that_it_says() -> None:
    """The reading list has the right line counts, within a tenth for a row, and the right sums."""
    rows = re.findall(r"^\| `([\w/]+\.py)` \| (\d+) \|", CONTRIBUTING, re.MULTILINE)
    line_counts = {
        file: len((ITSELF / "lton" / file).read_text("utf-8").splitlines()) for file, _ in rows
    }
    wrong = {
        file: line_counts[file]
        for file, lines in rows
        if abs(line_counts[file] / int(lines) - 1) > 0.1
    }
    assert wrong == {}
    totals = re.findall(r"^\| together \| (\d+) \|", CONTRIBUTING, re.MULTILINE)
    assert len(totals) == 3
    assert sum(map(int, totals)) == sum(int(lines) for _, lines in rows)
    codec = {f"codec/{path.name}" for path in (ITSELF / "lton/codec").glob("*.py")}
    assert codec - set(line_counts) == {"codec/__init__.py", *FASTER}


def test_hints_name_extras_and_packages_that_there_are() -> None:
    """Errors name existing extras, or packages in the tested versions."""
    project = tomllib.loads((ITSELF / "pyproject.toml").read_text("utf-8"))
    extras = set(project["project"]["optional-dependencies"])
    groups = {
        requirement
        for group in project["dependency-groups"].values()
        for requirement in group
        if isinstance(requirement, str)
    }
    named = {
        name
        for path in (ITSELF / "lton").rglob("*.py")
        for name in re.findall(
            r'(?:require\("[\w.]+", |write_install_command\(|EXTRA = )"([^"]+)"',
            path.read_text("utf-8"),
        )
    }
    assert named - groups - {Code.EXTRA} == extras - {"all"}
    assert named & groups
    mentioned = {
        name
        for path in (ITSELF / "lton").rglob("*.py")
        for name in re.findall(r"extra `(\w+)`", path.read_text("utf-8"))
    }
    assert mentioned <= extras | {"bench"}
    assert mentioned
