"""Rank tools by their relevance (Okapi BM25) to a question."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import nlargest
from math import log

from lton.schema.types import Tool

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_SAYS_LITTLE = frozenset(
    "a about all an and any are as at be by can do for from get given how i if in into is it its me"
    " my of on or please that the their this to use used using was what when which will with you"
    " your".split()
)
_NAME = 3  # the weight of a word in a tool's name
_DESCRIPTION = 1
_PARAMETERS = 1
_SATURATION = 1.2  # k1 of BM25, with its usual value
_LENGTH = 0.75  # b of BM25, with its usual value
_SHARED = 2  # `decide` needs this many shared words
_AHEAD = 2.0  # and this lead
_LONGEST = 100_000  # the number of characters of a string that are read


class Ranking:
    r"""An index that ranks tools by their relevance to a question.

    >>> from lton.schema.toolset import ToolSet
    >>> tools = ToolSet.from_prompt("read_file(path)\nlist_issues(repo)\nwait(minutes:int)")
    >>> [tool.name for tool in Ranking(tools).find_tools("open issues of a repo")]
    ['list_issues']
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = tuple(tools)
        self._stems_in = [_weigh_words(tool) for tool in self._tools]
        self._lengths = [sum(words.values()) for words in self._stems_in]
        self._mean = sum(self._lengths) / max(1, len(self._lengths))
        self._tools_with = Counter(word for words in self._stems_in for word in words)

    def find_tools(self, question: str) -> list[Tool]:
        """Return the tools that a question names, and then those that share words with it."""
        named = set(question[:_LONGEST].split())
        words = dict.fromkeys(_iterate_stems(question))
        scores = [(tool.name in named, self._score(i, words)) for i, tool in enumerate(self._tools)]
        order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
        return [self._tools[index] for index in order if any(scores[index])]

    def find_best_tool(self, question: str) -> Tool | None:
        """Return the tool that is clearly the most relevant, or None."""
        words = dict.fromkeys(_iterate_stems(question))
        scores = ((self._score(index, words), index) for index in range(len(self._tools)))
        (best, index), (second, _) = nlargest(2, [*scores, (0.0, 0), (0.0, 0)])
        if not best or best < _AHEAD * second:
            return None
        shared = sum(word in self._stems_in[index] for word in words)
        return self._tools[index] if shared >= _SHARED else None

    def _score(self, index: int, question: Iterable[str]) -> float:
        words = self._stems_in[index]
        total = len(self._tools)
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[index] / (self._mean or 1))
        score = 0.0
        for word in question:
            if count := words[word]:
                having = self._tools_with[word]
                rarity = log(1 + (total - having + 0.5) / (having + 0.5))
                score += rarity * count * (_SATURATION + 1) / (count + norm)
        return score


def _weigh_words(tool: Tool) -> Counter[str]:
    words: Counter[str] = Counter()
    params = " ".join(f"{param.name} {param.description}" for param in tool.args.params)
    weighed = ((tool.name, _NAME), (tool.description, _DESCRIPTION), (params, _PARAMETERS))
    for text, weight in weighed:
        for word in _iterate_stems(text):
            words[word] += weight
    return words


def _iterate_stems(text: str) -> Iterator[str]:
    """Yield the stems of the words in a sentence or in a name such as `getIssue`."""
    for match in _WORD.findall(text[:_LONGEST]):
        word = match.lower()
        if word not in _SAYS_LITTLE:
            yield _stem(word)


def _stem(word: str) -> str:
    """Remove a common English ending, so that words such as `listing` and `list` match."""
    for ending in ("ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
