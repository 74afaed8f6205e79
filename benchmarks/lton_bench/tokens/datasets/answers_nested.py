"""Answers of tools: records that contain records."""

from collections.abc import Iterator

from lton.schema.types import JSON
from lton_bench.tokens.datasets._made import (
    BOOLEAN,
    CITIES,
    INTEGER,
    NUMBER,
    STRING,
    TEAMS,
    WORDS,
    Maker,
    array,
    record,
)
from lton_bench.tokens.pieces import Answer

NAME = "Answers: nested records"
ABOUT = "Generated with a fixed seed: orders, issues and profiles, with some optional members."

_ADDRESS = record(street=STRING, city=STRING, postal_code=STRING)
_ITEM = record(sku=STRING, title=STRING, quantity=INTEGER, price=NUMBER)
_ORDER = record(
    order_id=STRING,
    status={"enum": ["open", "paid", "sent", "returned"]},
    customer=record(id=INTEGER, name=STRING, email=STRING, address=_ADDRESS),
    items=array(_ITEM),
    total=NUMBER,
    note={"type": ["string", "null"]},
)
_USER = record(login=STRING, id=INTEGER)
_COMMENT = record(author=_USER, created_at=STRING, body=STRING)
_ISSUE = record(
    number=INTEGER,
    title=STRING,
    is_open=BOOLEAN,
    author=_USER,
    labels=array(STRING),
    comments=array(_COMMENT),
) | {"required": ["number", "title", "is_open", "author", "labels"]}
_PROFILE = record(
    name=STRING,
    team=STRING,
    settings=record(
        theme=STRING, language=STRING, alerts=record(email=BOOLEAN, push=BOOLEAN, sms=BOOLEAN)
    ),
    devices=array(record(kind=STRING, last_seen=STRING)),
)


def load() -> Iterator[Answer]:
    """Yield 60 answers."""
    make = Maker("nested")
    for _ in range(20):
        yield Answer("get_order", _order(make), _ORDER)
        yield Answer("search_issues", make.several(lambda: _issue(make), 1, 6), array(_ISSUE))
        yield Answer("get_profile", _profile(make), _PROFILE)


def _order(make: Maker) -> JSON:
    def item() -> JSON:
        return {
            "sku": make.code("SKU"),
            "title": make.sentence(2, 4),
            "quantity": make.below(5) + 1,
            "price": make.amount(),
        }

    return {
        "order_id": make.code("ORD"),
        "status": make.one(["open", "paid", "sent", "returned"]),
        "customer": {
            "id": make.below(90_000),
            "name": make.name(),
            "email": make.email(),
            "address": {
                "street": f"{make.below(300) + 1} {make.one(WORDS).capitalize()} Street",
                "city": make.one(CITIES),
                "postal_code": f"{make.below(100_000):05}",
            },
        },
        "items": make.several(item, 1, 8),
        "total": make.amount(),
        "note": make.sentence() if make.flag(0.3) else None,
    }


def _issue(make: Maker) -> JSON:
    def user() -> JSON:
        return {"login": make.name().replace(" ", "-").lower(), "id": make.below(10_000_000)}

    def comment() -> JSON:
        return {"author": user(), "created_at": make.time(), "body": make.sentence(8, 40)}

    issue: dict[str, JSON] = {
        "number": make.below(5000),
        "title": make.sentence(),
        "is_open": make.flag(),
        "author": user(),
        "labels": make.several(lambda: make.one(["bug", "docs", "good first issue"]), 0, 2),
    }
    return issue | {"comments": make.several(comment, 1, 4)} if make.flag() else issue


def _profile(make: Maker) -> JSON:
    def device() -> JSON:
        return {"kind": make.one(["phone", "laptop", "tablet"]), "last_seen": make.time()}

    return {
        "name": make.name(),
        "team": make.one(TEAMS),
        "settings": {
            "theme": make.one(["dark", "light"]),
            "language": make.one(["en", "de", "pt-BR", "ja"]),
            "alerts": {"email": make.flag(), "push": make.flag(), "sms": make.flag(0.1)},
        },
        "devices": make.several(device, 1, 4),
    }
