"""Make up results of tools and questions about them, and write the results in several forms.

The records of a result are of one of five domains, with a key and at least four columns. The first
results were used to choose the form of tables, and the new results were not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from lton.codec import encode
from lton.schema import Call, ToolSet
from lton.schema.types import JSON, Result
from lton_bench.internals import minified
from lton_bench.study.results.readings import FORMATS as READ
from lton_bench.tokens.pieces import Answer as Written
from lton_bench.tokens.rivals import write_toon

Record: TypeAlias = dict[str, Any]
Column: TypeAlias = tuple[str, "tuple[int, int] | list[str]"]
SHAPES = {"rows": 17, "nested": 9, "wide": 6, "object": 6}
"""The shapes of results, and the number of results of each, with 12 questions per result."""
FIRST_NEW = 100
NEW = {"rows": 12, "nested": 8, "wide": 4, "object": 4, "sparse": 4, "long": 4, "wrapped": 32}
"""The number of the first new result, and the numbers of new results by shape.

In sparse rows, half of the optional keys are missing. Long results have 40, 100 or 200 rows.
Wrapped rows are the only list of an object, as APIs send them.
"""
WRAPPED = "wrapped"
_NAMES = (
    "Ada Ben Cleo Dan Eva Finn Gina Hugo Ines Jack Kira Liam Mona Nils Olga Paul Rosa Sven Tara Udo"
    " Vera Walt Xena Yuri Zoe Amir Bela Cora Dirk Edda Fred Gwen Hans Iris Jana Karl Lena Max Nina"
    " Otto Pia Ralf Sara Theo Ulla Vito Wanda Ximo Yara Zeno Alma Bruno Clara Diego Elsa Fritz"
    " Greta Henri Ilse Jonas"
).split()
_CITIES = ["Oslo", "Lima", "Rome", "Cairo"]
_SIZES = (5, 6, 7, 8, 9, 10, 12, 16)
_LONG_SIZES = (40, 100, 200)
_LACKING = 0.5
_ITEMS = ["mug", "lamp", "desk", "chair", "pen", "book", "clock", "rug", "vase", "shelf"]


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of records: the plural, the key, a function that makes keys, and the columns."""

    plural: str
    key: str
    spell: Callable[[Random, int], str]
    columns: list[Column]


_DOMAINS = (
    Domain("people", "name", lambda _, i: _NAMES[i],
           [("city", _CITIES), ("age", (20, 69)), ("team", ["red", "blue", "green"]),
            ("score", (100, 999))]),
    Domain("orders", "id", lambda r, _: f"A{r.randint(100, 999)}",
           [("customer", _NAMES[:6]), ("status", ["paid", "open", "late"]), ("weight", (1, 19)),
            ("total", (20, 990))]),
    Domain("files", "path",
           lambda r, i: f"src/{''.join(map(r.choice, ('abcdefgh', 'aeiou', 'klmnprst')))}{i}.py",
           [("owner", _NAMES[:5]), ("lines", (10, 99)), ("kind", ["test", "code", "data"]),
            ("size", (100, 999))]),
    Domain("flights", "flight", lambda r, _: f"HAT{r.randint(100, 999)}",
           [("origin", ["JFK", "ATL", "SFO"]), ("destination", ["LAX", "BOS", "ORD"]),
            ("price", (50, 499)), ("delay", (1, 60))]),
    Domain("hosts", "host", lambda r, i: f"web-{i}-{r.choice('abcd')}",
           [("region", ["us-east", "eu-west", "ap-south"]), ("state", ["up", "down", "draining"]),
            ("cpus", (2, 64)), ("load", (1, 99))]),
)  # fmt: skip
_MORE: list[Column] = [
    ("note", ["none", "check again", "call first"]), ("zone", ["A", "B", "C"]), ("rank", (1, 99)),
    ("level", (1, 9)), ("flag", ["yes", "no"]), ("ratio", (10, 99)), ("unit", ["kg", "lb"]),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a result, and the answer."""

    kind: str
    text: str
    answer: str
    also: str = ""
    """Another right answer: the value of the record that the answer names."""


def result(shape: str, number: int) -> JSON:
    """Return the result of a tool: records, or an object with one or two lists of records."""
    if shape == "object":
        return _order(Random(f"object {number}"))  # noqa: S311 - made-up data
    records = _records(shape, number)
    return _wrapped(records, number) if shape == WRAPPED else records


def questions(shape: str, number: int) -> list[Question]:
    """Return twelve questions, or fewer if two are equal."""
    asked = _about_order(number) if shape == "object" else _about_records(shape, number)
    return list({each.text: each for each in asked}.values())


def _records(shape: str, number: int) -> list[Any]:
    random = Random(f"{shape} {number}")  # noqa: S311 - made-up data
    domain, size, most = _domain(shape, number), _SIZES[number * 3 % len(_SIZES)], len(_NAMES)
    if shape == "long":
        size, most = _LONG_SIZES[number % len(_LONG_SIZES)], 5 * _LONG_SIZES[-1]
    columns = domain.columns + (_MORE if shape in ("wide", "sparse") else [])
    rows: dict[str, Record] = {}
    for i in random.sample(range(most), most):
        key = domain.spell(random, i)
        if key in rows:
            continue
        row: Record = {domain.key: key}
        for name, values in columns:
            row[name] = (
                random.randint(*values) if isinstance(values, tuple) else random.choice(values)
            )
        if shape == "sparse":
            for name, _ in _MORE:
                if random.random() < _LACKING:
                    del row[name]
        rows[key] = _nested(row, random) if shape == "nested" else row
        if len(rows) == size:
            break
    return list(rows.values())


def _wrapped(records: list[Any], number: int) -> Record:
    """Return an object with records, in one of three shapes that APIs use."""
    total = len(records)
    shapes: tuple[Record, ...] = (
        {"items": records, "total": total},
        {"object": "list", "data": records, "has_more": False},
        {"page": 1, "pages": 1, "results": records, "next": None},
    )
    return shapes[number % len(shapes)]


def _domain(shape: str, number: int) -> Domain:
    """Return the domain of records; there are too few names for long lists of people."""
    some = _DOMAINS[1:] if shape == "long" else _DOMAINS
    return some[number % len(some)]


def _nested(row: Record, random: Random) -> Record:
    (key, a, b, *rest) = row.items()
    tags = random.sample(["new", "vip", "late", "paid"], random.randint(1, 3))
    return dict([key, ("info", dict([a, b])), *rest, ("tags", tags)])


def _about_records(shape: str, number: int) -> list[Question]:
    domain = _domain(shape, number)
    random = Random(f"q {shape} {number}")  # noqa: S311 - made-up data
    rows = [{**row, **row.get("info", {})} for row in _records(shape, number)]
    columns = domain.columns + (_MORE if shape == "wide" else [])
    numbers = [name for name, values in columns if isinstance(values, tuple)]
    words = [name for name, values in columns if not isinstance(values, tuple)]
    asked = []
    for name in (random.choice(numbers), random.choice(words), random.choice(numbers + words)):
        (row,) = random.sample(rows, 1)
        text = f"What is the {name} of {row[domain.key]}?"
        asked.append(Question("look up", text, str(row[name])))
    asked.append(Question("count", f"How many {domain.plural} are there?", str(len(rows))))
    for name in (words * 2)[:3]:
        (row,) = random.sample(rows, 1)
        same = sum(each[name] == row[name] for each in rows)
        text = f"How many {domain.plural} have {name} {row[name]}?"
        asked.append(Question("filter", text, str(same)))
    asked += [_compared(rows, name, domain.key, random) for name in (numbers * 2)[:3]]
    for name in numbers[:2]:
        a, b = random.sample(rows, 2)
        text = f"What is the sum of the {name} of {a[domain.key]} and {b[domain.key]}?"
        asked.append(Question("add", text, str(a[name] + b[name])))
    return asked


def _compared(rows: list[Record], name: str, key: str, random: Random) -> Question:
    a, b = random.sample(rows, 2)
    while a[name] == b[name]:
        a, b = random.sample(rows, 2)
    best = max(a, b, key=lambda row: int(row[name]))
    text = f"Whose {name} is higher, {a[key]} or {b[key]}?"
    return Question("compare", text, best[key], str(best[name]))


def _order(random: Random) -> Record:
    items = [
        {
            "name": name,
            "sku": str(random.randint(1000, 9999)),
            "quantity": random.randint(1, 9),
            "price": random.randint(5, 99),
            "options": {
                "color": random.choice(["red", "blue", "grey"]),
                "size": random.choice(["S", "M", "L"]),
            },
        }
        for name in random.sample(_ITEMS, random.randint(3, 7))
    ]
    return {
        "order_id": f"#W{random.randint(1000, 9999)}",
        "customer": {
            "name": random.choice(_NAMES),
            "zip": str(random.randint(10000, 99999)),
            "city": random.choice(_CITIES),
        },
        "status": random.choice(["paid", "open", "late"]),
        "items": items,
        "payments": [
            {"method": method, "amount": random.randint(20, 400)}
            for method in random.sample(["card", "gift", "paypal"], random.randint(1, 3))
        ],
        "note": random.choice([None, "call first"]),
        "total": sum(int(str(item["quantity"])) * int(str(item["price"])) for item in items),
    }


def _about_order(number: int) -> list[Question]:
    order = _order(Random(f"object {number}"))  # noqa: S311 - made-up data
    random, items = Random(f"q object {number}"), order["items"]  # noqa: S311 - made-up data
    a, b = random.sample(items, 2)
    found = {
        "What is the city of the customer?": order["customer"]["city"],
        "What is the status of the order?": order["status"],
        "What is the total?": str(order["total"]),
        "What is the zip of the customer?": order["customer"]["zip"],
    }
    item = random.choice(items)
    found[f"What is the price of the {item['name']}?"] = str(item["price"])
    item = random.choice(items)
    found[f"What is the sku of the {item['name']}?"] = item["sku"]
    item = random.choice(items)
    found[f"What is the color of the {item['name']}?"] = item["options"]["color"]
    paid = random.choice(order["payments"])
    found[f"What is the amount of the {paid['method']} payment?"] = str(paid["amount"])
    color = random.choice(items)["options"]["color"]
    same = sum(each["options"]["color"] == color for each in items)
    while a["price"] == b["price"]:
        a, b = random.sample(items, 2)
    best = max(a, b, key=lambda each: int(each["price"]))
    names = f"{a['name']} or {b['name']}"
    total = f"What is the sum of the price of {a['name']} and {b['name']}?"
    return [
        *(Question("look up", text, answer) for text, answer in found.items()),
        Question("count", "How many items are there?", str(len(items))),
        Question("filter", f"How many items have color {color}?", str(same)),
        Question("compare", f"Whose price is higher, {names}?", best["name"], str(best["price"])),
        Question("add", total, str(a["price"] + b["price"])),
    ]


# --- forms ---------------------------------------------------------------------------------------


def _line(value: JSON) -> str:
    return encode(Result("x", value)).removeprefix("!result x ")


def _lines(value: JSON) -> str:
    return encode(Result("x", value), lines=True).removeprefix("!result x ")


def _as_read(form: str) -> Callable[[Any], str]:
    """Return the writer of flat rows in a form of `lton_bench.study.results.readings`."""

    def write(value: Any) -> str:
        text = READ[form](Written("records", value, {}))
        assert text is not None  # every flat table has one
        return text

    return write


def _commas(value: Any, head: str = "", indent: str = "") -> str:
    """Return flat rows on lines, with commas instead of spaces."""
    rows = [",".join(map(_line, row.values())) for row in value]
    header = f"[{len(value)}({','.join(value[0])}){head}"
    return "\n".join([header, *(indent + row for row in rows)]) + "]"


def schema_shown(value: JSON) -> str:
    """Return the signature of a tool that takes the result as its arguments."""
    return _as_arguments(value)[1].prompt(descriptions=False).strip()


def _by_schema(value: JSON) -> str:
    """Return a result by position, as the arguments of a call."""
    call, tools = _as_arguments(value)
    return encode(call, tools).removeprefix("answer ")


def _as_arguments(value: JSON) -> tuple[Call, ToolSet]:
    members: dict[str, JSON] = value if isinstance(value, dict) else {"rows": value}
    tool = {"name": "answer", "inputSchema": _schema(members)}
    return Call("answer", members), ToolSet.from_tools([tool])


def _schema(value: JSON) -> dict[str, Any]:
    """Return the schema of a result, as its tool would declare it."""
    if isinstance(value, dict):
        members = {key: _schema(each) for key, each in value.items()}
        return {"type": "object", "properties": members, "required": [*members]}
    if isinstance(value, list):
        return {"type": "array", "items": _schema(value[0])}
    if value is None:
        return {"type": ["string", "null"]}
    return {"type": "string" if isinstance(value, str) else "integer"}


BASELINE = "JSON minified"
BY_SCHEMA = "by position, schema before"
FORMS: Mapping[str, Callable[[Any], str]] = {
    BASELINE: minified,
    "LTON on lines": _lines,
    "LTON in a line": _line,
    BY_SCHEMA: _by_schema,
    "TOON": write_toon,
    "CSV": _as_read("CSV"),
    "Markdown": _as_read("Markdown table"),
    "on lines, commas": _commas,
    "on lines, commas, indented": lambda value: _commas(value, ":", "  "),
}
ANY_SHAPE = (BASELINE, "LTON on lines", BY_SCHEMA, "TOON")
"""The forms for all shapes; the other forms are for flat rows."""
