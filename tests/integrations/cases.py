"""Answers of models, for the tool parsers of servers."""

from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
    for name in ("weather", "news")
]
TEXTS = {
    "prose": "It rains.\n\nBring a coat!",
    "one": '!call weather(city="Paris", days=3)',
    "prose and two": 'Sure.\n!call weather(city="a) \\" b")\n!call news(city="Rome")',
    "no arguments closed": '!call weather(city="Paris"',
    "unknown tool": "Look:\n!call wether(city=1)\nindeed",
    "like a call": "The mark is !call, so\n!callous",
    "thought": "<think>!call news()</think>Hm.\n!call news(city='x')",
}
