"""Decide whether a text is in the language of a grammar, for a few texts.

The engines are in `engines.py`. GBNF is read by our own recogniser: llguidance converts GBNF to
Lark, and its greedy lexer then accepts another language than llama.cpp does.
"""

from functools import lru_cache

import pytest

from tests.grammar.engines import ENGINES, Accepts

pytest.importorskip("llguidance")
pytest.importorskip("lark")


@lru_cache(maxsize=64)
def _compiled(engine: str, grammar: str) -> Accepts:
    return ENGINES[engine].load()(grammar)


def _accepts(engine: str, grammar: str, text: str) -> bool:
    verdict = _compiled(engine, grammar)(text)
    assert verdict is not None
    return verdict


def llguidance_accepts(grammar: str, text: str) -> bool:
    """Feed the bytes of a text to llguidance, the engine of vLLM, SGLang, Outlines and OpenAI."""
    return _accepts("llguidance", grammar, text)


def lark_accepts(grammar: str, text: str) -> bool | None:
    """Parse a short text with python-lark, which tries every way to cut the text into terminals.

    Return None if the grammar is too large.
    """
    return _compiled("python-lark", grammar)(text)


def gbnf_accepts(grammar: str, text: str) -> bool:
    """Return whether a text is in the language of a grammar in GBNF, character by character."""
    return _accepts("recogniser", grammar, text)
