"""Read the data of the compression benchmark: questions with evidence, and plain documents."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lton.tokens import counter
from lton.tokens.counting import Vocabulary

HALVES = ("development", "unseen")
TOKENIZER = "o200k"

Place = tuple[int, int, int]
"""The number of a document, and the start and end of a passage."""


@cache
def vocabulary() -> Vocabulary:
    """Return the tokenizer of all budgets."""
    found: Vocabulary = counter(TOKENIZER)  # type: ignore[assignment]
    return found


@dataclass(frozen=True, slots=True)
class Question:
    """A question about documents with titles, and the places of its evidence."""

    id: str
    question: str
    documents: tuple[tuple[str, str], ...]
    evidence: tuple[Place, ...]
    units: tuple[Place, ...]
    """The places of the sentences or turns in the data."""
    kind: str
    """The kind of the documents, or an empty string."""
    answer: str = ""


def unseen(question: str) -> bool:
    """Return whether a question is in the unseen half, by its id."""
    return int(hashlib.sha256(question.encode()).hexdigest(), 16) % 2 == 1


def _lines(path: Path) -> Iterator[Any]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return map(json.loads, text.splitlines())


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and documents in a file."""
    for each in _lines(path):
        yield each["id"], each["text"]


_SENTENCE = re.compile(r"\S(?:[^.!?\n]|[.!?](?!\s))*[.!?]?")


def without_question(name: str, text: str, question: str) -> Question:
    """Return a document as an empty question; units end at full stops and line ends."""
    units = tuple((0, found.start(), found.end()) for found in _SENTENCE.finditer(text))
    return Question(name, question, (("", text),), (), units, "")


def read_questions(path: Path) -> Iterator[Question]:
    """Yield the questions of HotpotQA or LoCoMo, which differ in the members of a line."""
    for each in _lines(path):
        yield from _locomo(each) if "turns" in each else [_hotpot(each)]


def _hotpot(found: dict[str, Any]) -> Question:
    documents: list[tuple[str, str]] = []
    places: dict[tuple[str, int], Place] = {}
    for number, document in enumerate(found["documents"]):
        text = ""
        for at, sentence in enumerate(document["sentences"]):
            start = len(text) + len(sentence) - len(sentence.lstrip())
            text += sentence
            places[document["title"], at] = number, start, len(text.rstrip())
        documents.append((document["title"], text))
    evidence = [places[title, at] for title, at in found["supporting"] if (title, at) in places]
    units = tuple(place for place in places.values() if place[1] < place[2])
    return Question(
        found["id"],
        found["question"],
        tuple(documents),
        tuple(evidence),
        units,
        "prose",
        found["answer"],
    )


def _locomo(found: dict[str, Any]) -> Iterator[Question]:
    sessions: dict[tuple[str, str], list[str]] = {}
    places: dict[str, Place] = {}
    for turn in found["turns"]:
        session = sessions.setdefault((turn["id"].split(":")[0], turn["time"]), [])
        start = sum(map(len, session)) + len(session)
        session.append(f"{turn['speaker']}: {turn['text']}".replace("\n", " "))
        places[turn["id"]] = len(sessions) - 1, start, start + len(session[-1].rstrip())
    documents = tuple((time, "\n".join(turns)) for (_, time), turns in sessions.items())
    units = tuple(places.values())
    for number, question in enumerate(found["questions"]):
        evidence = tuple(places[each] for each in question["evidence"] if each in places)
        if evidence:
            name = f"{found['id']}-{number}"
            yield Question(name, question["question"], documents, evidence, units, "chat")
