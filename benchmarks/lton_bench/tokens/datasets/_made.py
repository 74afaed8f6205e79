"""Draw made-up values from typical names and words, with a seed."""

import random
from collections.abc import Callable, Mapping, Sequence

from lton.schema.types import JSON

FIRST = "Ada Ben Chloé Dmitri Emma Fatima Grace Hiro Ingrid João Kofi Leila Marta Noor Olu".split()
LAST = "Abe Brown Costa Diaz Evans Fischer García Haddad Ito Jones Kim López Müller Nguyen".split()
CITIES = ["Oslo", "Lima", "San Leandro", "Kyoto", "Accra", "São Paulo", "Zürich", "New York"]
TEAMS = ["Engineering", "Sales", "Support", "Legal", "People", "Research"]
WORDS = (
    "add check client data delay empty error event file first handle import index input large"
    " limit list load missing model parser path queue reader request retry role server slow"
    " stream table test timeout token update user value window worker write"
).split()


class Maker:
    """Draws values; the same seed gives the same values."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)  # noqa: S311 - no secret

    def name(self) -> str:
        return f"{self.one(FIRST)} {self.one(LAST)}"

    def email(self) -> str:
        return f"{self.one(FIRST)}.{self.one(LAST)}@example.com".lower()

    def one(self, values: Sequence[str]) -> str:
        return self.random.choice(values)

    def below(self, stop: int) -> int:
        return self.random.randrange(stop)

    def amount(self) -> float:
        return round(self.random.uniform(1, 2000), 2)

    def flag(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def code(self, prefix: str) -> str:
        return f"{prefix}-{self.random.randrange(10_000, 100_000)}"

    def date(self) -> str:
        return f"2026-{1 + self.below(12):02}-{1 + self.below(28):02}"

    def time(self) -> str:
        return f"{self.date()}T{self.below(24):02}:{self.below(60):02}:{self.below(60):02}Z"

    def sentence(self, least: int = 4, most: int = 12) -> str:
        words = [self.one(WORDS) for _ in range(self.random.randint(least, most))]
        return " ".join(words).capitalize()

    def several(self, make: Callable[[], JSON], least: int, most: int) -> list[JSON]:
        return [make() for _ in range(self.random.randint(least, most))]


STRING, INTEGER, NUMBER, BOOLEAN = (
    {"type": kind} for kind in ("string", "integer", "number", "boolean")
)


def record(**properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object that requires these members."""
    return {"type": "object", "properties": properties, "required": [*properties]}


def array(items: Mapping[str, object]) -> dict[str, object]:
    return {"type": "array", "items": items}
