"""Implement `lton probe`: ask a server 24 questions, and report how many calls arrive.

Without a server, or without questions, it reports the set-up.
"""

import argparse
import json
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from lton._terminal import UsageError, add_table, progress, say, table, write
from lton.engines.llamacpp import LlamaEngine, load
from lton.errors import Code, ServerError
from lton.gateway import command as serve
from lton.generate.need import server_identity, store_line_of_model
from lton.probe.asking import ChatClient, GivenAnswer, first_model, read_base_url
from lton.probe.calibration import calibrate_engine, calibrate_server
from lton.probe.outcome import AskedWay, count_lost, iterate_rows
from lton.probe.questions import QUESTIONS, TOOLS, Question, questions_about
from lton.probe.setup import report_setup
from lton.schema.definitions import SCHEMA_KEYS
from lton.schema.toolset import ToolSet


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `lton probe`."""
    add_table(parser, __file__, questions={"type": _read_count})


def _read_count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, found {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Ask the questions and print a table. Return 1 if the server lost a call of the model.

    With `--calibrate`, measure when a model needs a tool instead. Without a server, or without
    questions, report the set-up instead.
    """
    if options.calibrate:
        if not options.url:
            raise UsageError("--calibrate needs the address of a server or a GGUF file")
        is_server = "://" in options.url
        return _calibrate_server(options) if is_server else _calibrate_model(options.url)
    if not options.url or options.questions == 0:
        return report_setup(options)
    return _probe(options)


def _probe(options: argparse.Namespace) -> int:
    """Ask the server and a gateway in front of it the same questions, and report the answers."""
    url = read_base_url(options.url)
    definitions, questions = _read_tools_and_questions(options.tools)
    tools = ToolSet.from_tools(definitions)
    client = ChatClient(url=url, model=options.model or "", tools=definitions, key=options.key)
    if not client.model:
        client = replace(client, model=first_model(client))
    settings = serve.make_options(upstream=url, upstream_key=options.key or None, quiet=True)
    questions = questions[: options.questions]
    direct = AskedWay("the server", tools)
    through = AskedWay("with LTON", tools)
    listener = serve.find_free_port()
    gateway = ChatClient(
        url=serve.address_of_listener(listener), model=client.model, tools=definitions
    )
    required: GivenAnswer | None = None
    with listener, serve.serve_on_thread(settings, listener) as metrics:
        with _ending_early():
            _ask_questions(questions, ((direct, client), (through, gateway)))
            required = client.ask_question(questions[0].text, stream=False, tool_choice="required")
        mode = _read_labels(metrics.registry, "calls_mode")
        server = _read_labels(metrics.registry, "server")
    facts = {
        "server": server.get("server") or "unknown",
        "model": client.model,
        "calls": f"{mode['mode']}: {mode['why']}" if mode else "not known",
        "required": _describe_required(required),
    }
    _print_report(options, facts, [direct, through])
    return 1 if count_lost(direct) else 0


def _ask_questions(
    questions: Sequence[Question], ways: Sequence[tuple[AskedWay, ChatClient]]
) -> None:
    """Ask each question in both ways, every other one as a stream."""
    for number, question in enumerate(questions, 1):
        for way, client in ways:
            answer = client.ask_question(question.text, stream=number % 2 == 0)
            way.add_reply(question, answer)
            progress_label = f"{number} of {len(questions)}, {way.name}"
            say(f"{progress_label}: {question.text} -> {way.describe_reply(question, answer)}")


@contextmanager
def _ending_early() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the questions, so that the answers so far are reported."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        say("interrupted: the report is about the answers so far")
    finally:
        signal.signal(signal.SIGTERM, before)


def _describe_required(answer: GivenAnswer | None) -> str:
    """Return what a required call gave."""
    if answer is None:
        return "nothing: it was not asked"
    return "a call" if answer.calls else answer.error or "no call"


def _calibrate_model(file: str) -> int:
    """Measure when the model in a GGUF file needs a tool, and store this for `serve --model`."""
    engine = LlamaEngine(load(file))
    with progress() as show:
        calibration = calibrate_engine(engine, show)
    path = store_line_of_model(engine.identity, calibration.line)
    write(f"{file}: {engine.identity}\n{calibration.describe_figures()}stored in {path}\n")
    return 0


def _calibrate_server(options: argparse.Namespace) -> int:
    """Measure when a server's model needs a tool, and store this for `serve --upstream`."""
    url = read_base_url(options.url)
    client = ChatClient(url=url, model=options.model or "", tools=(), key=options.key)
    model = first_model(client)
    client = replace(client, model=options.model or model)
    identity = server_identity(json.loads(client.fetch_json("/v1/models")))
    if not identity:
        hint = "llama.cpp and vLLM describe the only model that they serve"
        msg = f"{url}: the server has several models, or does not describe its model"
        raise ServerError(Code.SERVER, msg, hint=hint)
    with progress() as show:
        calibration = calibrate_server(client, show)
    path = store_line_of_model(identity, calibration.line)
    write(f"{url}: {identity}\n{calibration.describe_figures()}stored in {path}\n")
    return 0


def _read_tools_and_questions(
    file: str | None,
) -> tuple[Sequence[Mapping[str, Any]], Sequence[Question]]:
    """Return the tool definitions in OpenAI's format, and the questions about these tools."""
    if file is None:
        return TOOLS, QUESTIONS
    try:
        definitions = json.loads(Path(file).read_bytes())
    except ValueError as error:
        raise UsageError(f"{file}: expected definitions of tools in JSON: {error}") from None
    definitions = (
        definitions.get("tools", [definitions]) if isinstance(definitions, dict) else definitions
    )
    tools = ToolSet.from_tools(definitions)
    questions = questions_about(tools)
    if not questions:
        raise UsageError(f"{file}: no tool has parameters that a question can name")
    return [_to_function(definition) for definition in definitions], questions


def _to_function(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    if "function" in definition:
        return definition
    schema = next((definition[key] for key in SCHEMA_KEYS if key in definition), {"type": "object"})
    about_it = {key: definition[key] for key in ("name", "description") if key in definition}
    return {"type": "function", "function": {**about_it, "parameters": schema}}


def _read_labels(registry: Any, name: str) -> Mapping[str, str]:
    samples = (sample for metric in registry.collect() for sample in metric.samples)
    labels = (sample.labels for sample in samples if sample.name == f"lton_{name}" and sample.value)
    return next(labels, {})


def _print_report(
    options: argparse.Namespace, facts: Mapping[str, str], ways: Sequence[AskedWay]
) -> None:
    direct, through = ways
    command = f"lton serve --upstream {options.url}"
    if options.json:
        figures = {
            way.name: way.to_figures() | {"answers": list(way.iterate_answers())} for way in ways
        }
        write(json.dumps({**facts, "ways": figures, "command": command}, indent=2) + "\n")
    head, *lines = iterate_rows(ways)
    text = f"{options.url}: {facts['model']}, {facts['server']}\n"
    text += f"calls through LTON are {facts['calls']}\n"
    text += f"tool_choice=required gives {facts['required']}\n\n"
    text += table(list(head), [list(line) for line in lines]) + "\n"
    lost_directly = count_lost(direct)
    lost = count_lost(through)
    text += f"The server loses {lost_directly} calls, LTON {lost}."
    gained = through.to_figures()["right"] - direct.to_figures()["right"]
    if lost_directly > lost or gained > 0:
        text += f" With LTON {gained:+} are right. Put it in front:\n  {command}\n"
    else:
        text += " You need no gateway for them.\n"
    if not options.json:
        write(text)
