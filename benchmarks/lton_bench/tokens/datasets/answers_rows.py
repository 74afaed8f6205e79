"""Answers of tools: rows of simple values."""

from collections.abc import Iterator

from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    TEAMS,
    Maker,
    array,
    record,
)
from lton_bench.tokens.pieces import Answer

NAME = "Answers: rows"
ABOUT = "Generated with a fixed seed: employees, log lines and days of weather, 3 to 40 rows each."

_EMPLOYEE = record(
    id=INTEGER, name=STRING, email=STRING, team=STRING, salary=INTEGER, is_active=BOOLEAN
)
_LEVELS = ["debug", "info", "warning", "error"]
_LINE = record(time=STRING, level={"enum": _LEVELS}, service=STRING, message=STRING)
_DAY = record(date=STRING, low=NUMBER, high=NUMBER, rain=INTEGER, sky=STRING)


def load() -> Iterator[Answer]:
    """Yield 60 answers."""
    make = Maker("rows")

    def employee() -> JSON:
        return {
            "id": make.below(9000) + 1000,
            "name": make.name(),
            "email": make.email(),
            "team": make.one(TEAMS),
            "salary": 1000 * (make.below(90) + 40),
            "is_active": make.flag(0.9),
        }

    def line() -> JSON:
        return {
            "time": make.time(),
            "level": make.one(_LEVELS),
            "service": make.one(["api", "auth", "billing", "search"]),
            "message": make.sentence(),
        }

    def day() -> JSON:
        low = make.below(20)
        return {
            "date": make.date(),
            "low": low + 0.5,
            "high": low + make.below(12) + 1.5,
            "rain": make.below(100),
            "sky": make.one(["clear", "clouds", "light rain", "snow", "fog"]),
        }

    for _ in range(20):
        yield Answer("list_employees", make.several(employee, 3, 40), array(_EMPLOYEE))
        yield Answer("read_log", make.several(line, 3, 40), array(_LINE))
        yield Answer("forecast", make.several(day, 3, 40), array(_DAY))
