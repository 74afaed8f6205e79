"""The questions of the study: cases of BFCL with one turn, in three parts without shared questions.

The *reported* cases give the figures. The *development* cases were used to choose the prompt, the
scaffold and the cue. The shots, which are the same in each prompt, are from the remaining cases.

Each question is asked once. BFCL has half of `multiple` in `simple_python`, too, with fewer tools,
and a case that was used in development, or counted twice, would not be evidence. Two cases of
`live_simple` are left out, because the data accept no value for some arguments. Of `simple_java`
and `simple_javascript`, 18 cases are left out, because their schemas refuse values that the data
accept, and three because BFCL's rules for Python, which judge all cases here, refuse their answers.
The order is the order of a hash, so a part of the cases, `reported()[category][:20]`, is random.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256

from lton import Call, LTONError, ToolSet, encode
from lton_bench import bfcl
from lton_bench.bfcl import Entry as Case

__all__ = [
    "DEVELOPMENT",
    "REPORTED",
    "SEED",
    "SHOTS",
    "Case",
    "answerable",
    "development",
    "rank",
    "reported",
    "shots",
]

SEED = "lton-study-1"

REPORTED = {
    "simple_python": 200,
    "multiple": 100,
    "live_simple": 100,
    "parallel": 100,
    "irrelevance": 100,
    "simple_java": 60,
    "simple_javascript": 30,
}
"""The number of reported cases of each category, out of 50 to 400. Irrelevance expects no call.

Half of the parameters of `simple_java` and `simple_javascript` take any value.
"""

DEVELOPMENT = {
    "simple_python": 60,
    "multiple": 50,
    "live_simple": 50,
    "parallel": 50,
    "irrelevance": 50,
    "simple_java": 27,
    "simple_javascript": 12,
}

SHOTS = ("simple_python", "parallel", "irrelevance", "multiple")
"""The categories of shots, in turn: one call, several calls, no call, one of several tools."""

_CODE = ("simple_java", "simple_javascript")
_REFUSED = ("simple_java_36", "simple_java_64", "simple_java_65")
# Who keeps a question that several categories ask: `simple_python` has the most to spare.
_KEEPERS = (
    "irrelevance",
    "parallel",
    "live_simple",
    "multiple",
    "simple_python",
    "simple_java",
    "simple_javascript",
)


def reported() -> dict[str, list[Case]]:
    """Return the cases of the study by category.

    >>> [case.id for case in reported()["parallel"][:3]]
    ['parallel_36', 'parallel_166', 'parallel_92']
    """
    pool = _pool()
    return {category: pool[category][:count] for category, count in REPORTED.items()}


def development() -> dict[str, list[Case]]:
    """Return the development cases by category."""
    pool = _pool()
    return {
        category: pool[category][REPORTED[category] :][:count]
        for category, count in DEVELOPMENT.items()
    }


def shots(count: int, categories: Sequence[str] = SHOTS) -> list[Case]:
    """Return `count` solved examples, taken from the categories in turn; `bfcl.gold` solves them.

    Fewer shots are the first of more. No shot has a tool with the name of a tool in another part.

    >>> [case.category for case in shots(2)]
    ['simple_python', 'parallel']
    """
    pool = _pool()
    unused = {name: pool[name][REPORTED[name] + DEVELOPMENT[name] :] for name in REPORTED}
    used_names = {
        tool
        for part in (reported(), development())
        for cases in part.values()
        for case in cases
        for tool in _names(case)
    }
    fresh = (
        [case for case in unused[name] if used_names.isdisjoint(_names(case))]
        for name in categories
    )
    examples = [case for turn in zip(*fresh, strict=False) for case in turn]
    if len(examples) < count:
        raise ValueError(f"expected at most {len(examples)} shots of {categories}, found {count}")
    return examples[:count]


@cache
def _pool() -> dict[str, list[Case]]:
    """Return each case with an answer, without repeated questions, ordered by a hash."""
    questions_so_far: set[str] = set()
    pool: dict[str, list[Case]] = {}
    for category in _KEEPERS:
        pool[category] = []
        for case in bfcl.entries(category):
            question = case.messages[-1]["content"].strip().casefold()
            if question not in questions_so_far and answerable(case):
                questions_so_far.add(question)
                pool[category].append(case)
        pool[category].sort(key=rank)
    return pool


def answerable(case: Case) -> bool:
    """Return whether each argument has a right value."""
    if case.id in _REFUSED:
        return False
    if case.category in _CODE:
        try:
            encode([Call(*call) for call in bfcl.gold(case)], ToolSet.from_tools(case.tools))
        except LTONError:
            return False
    return all(
        acceptable
        for answer in case.answers
        for arguments in answer.values()
        for acceptable in arguments.values()
    )


def rank(case: Case) -> str:
    """Return the hash that orders cases."""
    return sha256(f"{SEED}:{case.id}".encode()).hexdigest()


def _names(case: Case) -> Iterator[str]:
    return (tool["function"]["name"] for tool in case.tools)
