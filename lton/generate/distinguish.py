"""Find prefixes that distinguish strings, and convert scores to probabilities."""

from collections.abc import Sequence
from math import exp

from lton.engines.engine import count_common_start


def find_shortest_prefixes(texts: Sequence[tuple[str, int]]) -> dict[str, str]:
    """Map each string to its shortest prefix that begins no string of another group.

    The prefix is empty if the model must write the exact string. This is the case if the string
    starts a string of another group, or if one string is the end of the turn.
    """
    texts = sorted(texts)
    shared = dict.fromkeys([text for text, _ in texts], 0)
    if "" in shared:
        return dict.fromkeys(shared, "")
    for ordered in (texts, texts[::-1]):  # compared with the neighbours
        last = other = ("", -1)
        for text, index in ordered:
            if index != last[1]:
                other = last
            last = (text, index)
            shared[text] = max(shared[text], count_common_start(text, other[0]))
    return {text: text[: same + 1] if same < len(text) else "" for text, same in shared.items()}


def find_distinct_ends(texts: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Return the shortest prefix of each token list that is not a prefix of another list."""
    return [
        one[
            : 1
            + max(count_common_start(one, other) for other in (*texts[:rank], *texts[rank + 1 :]))
        ]
        for rank, one in enumerate(texts)
    ]


def probability_of(scores: Sequence[float], index: int, *, temperature: float = 1.0) -> float:
    """Convert the score of a choice to its probability among all choices."""
    most = max(scores)
    weights = [exp((score - most) / temperature) for score in scores]
    return weights[index] / sum(weights)
