"""Ask cases with OpenAI's client, of a server or of `lton serve`.

Agents send the same tools again and again. So before each case, another question with the same
tools is asked for one token. Then the server has cached the tools, and the second request is timed.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import Any

from lton import Call
from lton_bench.study.calls.answers import CUT_OFF, UNREADABLE
from lton_bench.study.judge import judge
from lton_bench.study.tasks import SEED, Case

__all__ = ["ask", "served_by_lton", "settings"]

FIRST = "Hello! What can you do for me?"
"""The question before each case, so that the tools have been read."""


def settings(max_tokens: int) -> dict[str, Any]:
    """Return the settings that affect an answer."""
    packages = ("xllamacpp", "llama-cpp-python", "openai")
    return {
        "seed": SEED,
        "max_tokens": max_tokens,
        "versions": {name: version(name) for name in packages},
    }


@contextmanager
def served_by_lton(*options: str) -> Iterator[str]:
    """Start `lton serve`; yield its address. Raises `ChildProcessError` if it does not start."""
    command = (sys.executable, "-m", "lton", "serve", *options, "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603 - ours
        assert child.stdout is not None
        try:
            if not (address := child.stdout.readline().strip()):
                raise ChildProcessError("lton serve did not start")
            yield address
        finally:
            child.terminate()


def ask(
    client: Any,
    model: str,
    condition: str,
    case: Case,
    *,
    tool_choice: str,
    max_tokens: int,
    clock: Callable[[], float],
) -> dict[str, Any]:
    """Ask a case; return a sample also for failures."""
    import openai  # noqa: PLC0415 - reports need no client

    options: dict[str, Any] = {
        "model": model,
        "tools": case.tools,
        "tool_choice": tool_choice,
        "parallel_tool_calls": False,
        "temperature": 0,
    }
    content, calls, reason, failure = "", [], "", ""
    usage: Mapping[str, Any] = {}
    first = [*case.messages[:-1], {"role": "user", "content": FIRST}]
    with suppress(openai.APIError):  # a server may find no call in one token; it has read the tools
        client.chat.completions.create(messages=first, max_tokens=1, **options)
    began = clock()
    try:
        said = client.chat.completions.create(
            messages=case.messages, max_tokens=max_tokens, **options
        )
    except openai.APIError as error:
        failure, content = "error", str(error)
        seconds = clock() - began
    else:
        seconds = clock() - began
        [choice], usage = said.choices, said.usage.model_dump()
        content, reason = choice.message.content or "", choice.finish_reason
        calls = [
            [each.function.name, each.function.arguments]
            for each in choice.message.tool_calls or ()
        ]
        failure = str(_judged(case, calls, reason))
    return {
        "model": model,
        "condition": condition,
        "category": case.category,
        "id": case.id,
        "content": content,
        "calls": calls,
        "reason": reason,
        "failure": failure,
        "prompt": usage.get("prompt_tokens", 0),
        "cached": (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
        "sampled": usage.get("completion_tokens", 0),
        "seconds": round(seconds, 3),
    }


def _judged(case: Case, written: Sequence[Sequence[str]], reason: str) -> str:
    cut = reason == "length"
    try:
        calls = [Call(name, json.loads(arguments)) for name, arguments in written]
    except ValueError:
        return CUT_OFF if cut else UNREADABLE
    return CUT_OFF if cut and case.answers and not calls else judge(case, calls) or ""
