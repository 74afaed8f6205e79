"""Who builds artifacts: this process, several of this machine, or a Ray cluster."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from lton import _workers
from lton.context.artifacts import Artifact, artifact
from lton.context.image import Document, Policy
from lton.tokens import counter

_WINDOW = 256
"""Documents that are given to Ray at a time."""


@dataclass(frozen=True, slots=True)
class Building:
    """How artifacts are built: what another process has to know."""

    counter: str
    policy: Policy
    query: str | None = None


Builder: TypeAlias = Callable[[Iterable[Document], Building, int], Iterator[Artifact]]


def _build(building: Building, document: Document) -> Artifact:
    return artifact(document, counter(building.counter), building.policy, building.query)


def _in_processes(
    documents: Iterable[Document], building: Building, jobs: int
) -> Iterator[Artifact]:
    work = partial(_build, building)
    return (found for _, found in _workers.in_processes(work, documents, jobs))


def _on_ray(documents: Iterable[Document], building: Building, _jobs: int) -> Iterator[Artifact]:
    work = partial(_build, building)
    return (found for _, found in _workers.on_ray(work, documents, _WINDOW))


ENGINES: dict[str, Builder] = {"processes": _in_processes, "ray": _on_ray}
"""By name; the artifacts come in the order of the documents."""
