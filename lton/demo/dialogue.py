"""What is said in the demo: calls to show, examples for the model, questions with their answers."""

from lton.schema import Call

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
