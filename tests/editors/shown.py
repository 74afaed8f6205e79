"""Return the kind of each character of a text, by the real libraries of both grammars."""

import ctypes
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import editors.__main__ as editor_files

MODULES = editor_files.HERE.parent / "build" / "npm-editors"
_GRAMMAR = editor_files.HERE / "vscode" / "lton.tmLanguage.json"
_SOURCES = editor_files.HERE / "tree-sitter-lton" / "src"
_QUERY = "tree-sitter-lton/queries/highlights.scm"
_SCOPES = {
    "keyword.control": "sigil",
    "keyword.operator.repeat": "repeat",
    "entity.name.function": "name",
    "constant.other.fingerprint": "fingerprint",
    "variable.parameter": "key",
    "constant.language": "literal",
    "constant.language.skip": "skip",
    "constant.numeric": "number",
    "string.unquoted": "word",
    "string.quoted": "quoted",
    "string.unquoted.counted": "counted",
    "string.quoted.fence": "fence",
    "string.unquoted.atom": "atom",
    "constant.language.atom": "atom",
    "constant.numeric.atom": "atom",
}
_NODES = {
    "counted_string": "counted",
    "fenced_string": "fence",
    "quoted_string": "quoted",
    **{kind: kind for kind in ("atom", "fingerprint", "key", "literal", "name", "number")},
    **{kind: kind for kind in ("repeat", "sigil", "skip", "word")},
    **dict.fromkeys("()[]{},;=", "punctuation"),
}


def by_textmate(texts: list[str]) -> list[list[str | None]]:
    """Return the kinds of the characters by vscode-textmate, which VS Code uses."""
    command = ("node", str(Path(__file__).with_name("textmate.mjs")), str(MODULES), str(_GRAMMAR))
    process = subprocess.run(
        command, input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    kinds_of_texts = []
    for text, runs in zip(texts, json.loads(process.stdout), strict=True):
        kinds: list[str | None] = []
        for end, scopes in runs:
            kinds += [_kind_of(scopes)] * (end - len(kinds))
        kinds_of_texts.append(kinds[: len(text)])
    return kinds_of_texts


def _kind_of(scopes: list[str]) -> str | None:
    """Return the kind of the outermost scope that has a kind."""
    for scope in scopes:
        name = scope.removesuffix(".lton")
        if name.startswith(("punctuation.section", "punctuation.separator")):
            return "punctuation"
        if name in _SCOPES:
            return _SCOPES[name]
    return None


def captured(text: str) -> list[str | None]:
    """Return the captures of `highlights.scm` for each character of an ASCII text."""
    import tree_sitter

    parser = _parser()
    query = tree_sitter.Query(parser.language, (editor_files.HERE / _QUERY).read_text("utf-8"))
    names: list[str | None] = [None] * len(text)
    captures = tree_sitter.QueryCursor(query).captures(parser.parse(text.encode()).root_node)
    for name, nodes in captures.items():
        for node in nodes:
            # A key holds the word that it is: the outer one is shown.
            if node.parent is None or node.parent.type not in ("key", "name"):
                names[node.start_byte : node.end_byte] = [name] * (node.end_byte - node.start_byte)
    return names


def by_tree_sitter(text: str) -> tuple[list[str | None], bool]:
    """Return the kinds of the characters by tree-sitter, and whether it found an error."""
    tree = _parser().parse(text.encode())
    kinds: list[str | None] = [None] * len(text.encode())
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop()
        if kind := _NODES.get(node.type):
            kinds[node.start_byte : node.end_byte] = [kind] * (node.end_byte - node.start_byte)
        else:
            nodes += node.children
    starts, at = [], 0
    for character in text:
        starts.append(at)
        at += len(character.encode())
    return [kinds[start] for start in starts], tree.root_node.has_error


@cache
def _parser() -> Any:
    """Compile the parser, as editors do, and load it."""
    import tree_sitter

    library = editor_files.HERE.parent / "build" / "tree-sitter-lton.so"
    library.parent.mkdir(exist_ok=True)
    sources = [str(_SOURCES / name) for name in ("parser.c", "scanner.c")]
    flags = ("-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-I", str(_SOURCES))
    subprocess.run(["cc", *flags, *sources, "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).tree_sitter_lton
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    language = tree_sitter.Language(capsule(function(), b"tree_sitter.Language", None))
    return tree_sitter.Parser(language)
