"""The questions of `lton probe`: 24 about eight tools, of which 8 want no call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lton.codec import encode
from lton.errors import EncodeError
from lton.schema.toolset import ToolSet
from lton.schema.types import JSON, Call, Tool, Type


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the call that answers it; None where no tool fits."""

    text: str
    call: Call | None = None

    def is_right(self, calls: Sequence[Call]) -> bool:
        """Return whether these calls are the answer; the case of letters does not matter."""
        wanted = [self.call] if self.call else []
        return [_plain(each) for each in calls] == [_plain(each) for each in wanted]


def _plain(call: Call) -> tuple[str, str]:
    """Return a call in a spelling in which equal ones are equal: `3`, `3.0`; `Oslo`, `oslo`."""
    members = sorted((key, _value(each)) for key, each in call.arguments.items())
    return call.name, repr(members)


def _value(value: JSON) -> Any:
    if isinstance(value, str):
        return value.strip().rstrip(".").casefold()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list):
        return [_value(each) for each in value]
    if isinstance(value, dict):
        return sorted((key, _value(each)) for key, each in value.items())
    return value


def _tool(name: str, about: str, optional: Sequence[str] = (), **types: Any) -> dict[str, Any]:
    properties = {
        key: kind if isinstance(kind, dict) else {"type": kind} for key, kind in types.items()
    }
    required = [key for key in types if key not in optional]
    schema = {"type": "object", "properties": properties, "required": required}
    function = {"name": name, "description": about, "parameters": schema}
    return {"type": "function", "function": function}


TOOLS: Sequence[Mapping[str, Any]] = (
    _tool(
        "get_weather",
        "Get the weather forecast of a city.",
        city="string",
        days={"type": "integer", "minimum": 1, "maximum": 14},
        unit={"type": "string", "enum": ["celsius", "fahrenheit"]},
    ),
    _tool("read_file", "Read a text file.", path="string"),
    _tool(
        "write_file",
        "Write a text file.",
        path="string",
        content="string",
    ),
    _tool(
        "search_code",
        "Search the source code of this project for a text.",
        ("folder",),
        text="string",
        folder="string",
    ),
    _tool(
        "create_issue",
        "Create an issue in a repository.",
        repository="string",
        title="string",
        labels={"type": "array", "items": {"type": "string"}},
    ),
    _tool("run_query", "Run a query of a SQL database.", query="string"),
    _tool(
        "set_timer",
        "Set a timer.",
        minutes="integer",
        label="string",
    ),
    _tool("list_timers", "List the timers that are set."),
)


def _asks(question: str, tool: str, /, **arguments: JSON) -> Question:
    return Question(question, Call(tool, arguments))


QUESTIONS: Sequence[Question] = (
    _asks(
        "What will the weather be in Oslo for the next 3 days, in celsius?",
        "get_weather",
        city="Oslo",
        days=3,
        unit="celsius",
    ),
    Question("What is the capital of France?"),
    _asks("Read the file src/main.py.", "read_file", path="src/main.py"),
    _asks(
        'Write the text "hello world" into the file notes.txt.',
        "write_file",
        path="notes.txt",
        content="hello world",
    ),
    Question("Thanks, that was helpful!"),
    _asks('Search the code for "parse_header".', "search_code", text="parse_header"),
    _asks(
        'Create an issue in acme/api with the title "Login fails" and the label bug.',
        "create_issue",
        repository="acme/api",
        title="Login fails",
        labels=["bug"],
    ),
    Question("Write a short poem about the sea."),
    _asks(
        "Run this query: SELECT count(*) FROM users",
        "run_query",
        query="SELECT count(*) FROM users",
    ),
    _asks("Set a timer of 10 minutes with the label tea.", "set_timer", minutes=10, label="tea"),
    Question("How much is 12 times 12?"),
    _asks("Which timers are set?", "list_timers"),
    _asks(
        "Give me the forecast for New York, one week, in fahrenheit.",
        "get_weather",
        city="New York",
        days=7,
        unit="fahrenheit",
    ),
    Question("What does the word 'ubiquitous' mean?"),
    _asks("Show me what is in /etc/hosts.", "read_file", path="/etc/hosts"),
    _asks(r"Read the file C:\Users\new\table.txt.", "read_file", path=r"C:\Users\new\table.txt"),
    Question("Translate 'good morning' into Spanish."),
    _asks(
        'Find where "timeout" is used in the folder tests.',
        "search_code",
        text="timeout",
        folder="tests",
    ),
    _asks(
        "Write a file greet.py with the one line: print('Hi \"Ada\"')",
        "write_file",
        path="greet.py",
        content="print('Hi \"Ada\"')",
    ),
    Question("Who wrote the play Hamlet?"),
    _asks(
        "Create an issue in acme/web: the title is 'Too small', the labels are ui and bug.",
        "create_issue",
        repository="acme/web",
        title="Too small",
        labels=["ui", "bug"],
    ),
    _asks(
        "Run the query SELECT name FROM items WHERE price > 10 ORDER BY name",
        "run_query",
        query="SELECT name FROM items WHERE price > 10 ORDER BY name",
    ),
    Question("Explain in one sentence what a hash table is."),
    _asks(
        "Remind me in 45 minutes; call the timer laundry.", "set_timer", minutes=45, label="laundry"
    ),
)
"""In turn, so that a part of them is as mixed as all."""


def about(tools: ToolSet, most: int = 16) -> list[Question]:
    """Return questions about somebody's own tools: each names a tool and the values to use.

    A tool is left out if a required parameter takes more than a text, a number or a truth value,
    or if no simple value fits. The questions that want no call are those of `QUESTIONS`.

    >>> tools = ToolSet.from_prompt("wait(minutes:int)")
    >>> about(tools)[0].text
    'Use the tool wait with minutes 3.'
    """
    found = (_question(tool, tools) for tool in tools)
    wanted = [each for each in found if each][:most]
    unwanted = [each for each in QUESTIONS if each.call is None]
    mixed = list[Question]()
    for rank, each in enumerate(wanted):
        mixed += [each, *unwanted[rank // 2 : rank // 2 + rank % 2]]
    return mixed


def _question(tool: Tool, tools: ToolSet) -> Question | None:
    required = (each for each in tool.args.params if each.required)
    values = {each.name: _example(each.type, rank) for rank, each in enumerate(required)}
    call = Call(tool.name, values)
    try:
        encode(call, tools)
    except EncodeError:
        return None
    said = ", ".join(f"{key} {value}" for key, value in values.items())
    return Question(f"Use the tool {tool.name}{' with ' * bool(said)}{said}.", call)


def _example(node: Type, rank: int) -> JSON:
    if node.string:
        return node.string.values[0] if node.string.values else _WORDS[rank % len(_WORDS)]
    if node.number:
        return node.number.values[0] if node.number.values else int(node.number.minimum or 0) + 3
    return True if node.booleans else None


_WORDS = ("alpha", "bravo", "charlie", "delta")
