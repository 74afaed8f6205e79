"""Implement `lton context`: fit files into a budget, build artifacts, and read audit logs."""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lton._json import minified
from lton._terminal import UsageError, add_table, progress, say, table, write
from lton.context.artifacts import (
    MANIFEST,
    SUFFIX,
    iterate_faults,
    make_artifact,
    read_manifest,
    write_manifest,
)
from lton.context.audit import group_into_batches, read_last_hash, read_log
from lton.context.image import Document, Policy
from lton.context.manager import ContextManager, replay_log
from lton.context.report import to_html
from lton.context.sources import bytes_of, files_of, read_file
from lton.errors import Code, IngestError, MissingExtraError
from lton.fetching import fetch
from lton.stores import open_store
from lton.tokens import counter

STATE = ".lton"
_AUDIT = Path(STATE, "audit.jsonl")
_STORE = f"sqlite:///{STATE}/store.db"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `lton context`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, (about, *sections) in _OPTIONS.items():
        sub = actions.add_parser(action, help=about)
        for section in sections:
            holder = sub.add_mutually_exclusive_group() if section == "part" else sub
            add_table(holder, __file__, section, lines={"type": _parse_range})


_OPTIONS = {
    "ingest": (f"print files fitted into a budget, and store them in {STATE}", "ingest", "counted"),
    "build": (f"compress the files of a folder to {SUFFIX}", "build", "counted"),
    "verify": ("list the files of a build that were changed", "verify"),
    "read": ("print an ingested document, or a part of it", "read", "part"),
    "stats": ("show how the documents of the last ingest were shortened",),
    "audit": ("show the decisions, or check that they can be reproduced", "audit"),
}
"""The help of each action, and the sections of `command.toml` for it."""
_BUILT = Policy(skills=0.7, refs=0.25)  # without a budget, only the ratios limit an artifact


def _parse_range(text: str) -> tuple[int, int]:
    start, colon, end = text.partition(":")
    if not (colon and start.isdecimal() and end.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected A:B, two numbers, found {text!r}")
    return int(start), int(end)


def run(options: argparse.Namespace) -> int:
    """Run a subcommand of `lton context`."""
    return _ACTIONS[options.action](options)


def _open_manager(budget: int, tokenizer: str) -> ContextManager:
    by = counter(tokenizer)
    return ContextManager(budget=budget, counter=by, store=open_store(_STORE), audit=_AUDIT)


def _run_ingest(options: argparse.Namespace) -> int:
    if not (options.sources or options.core or options.skills or options.refs):
        raise UsageError("expected files: lton context ingest FILE… --budget N")
    if options.budget < 0:
        raise UsageError("expected a --budget of 0 or more")
    Path(STATE).mkdir(exist_ok=True)
    with _open_manager(options.budget, options.tokenizer) as manager, progress() as show:
        if not options.quiet:
            show("reading documents, and choosing what is shown of them")
        names = "core", "skills", "refs", "sources", "query"
        sources = {name: getattr(options, name) for name in names}
        load = fetch if options.fetch else None
        trusted = False if options.untrusted else None
        image = manager.ingest(load=load, trusted=trusted, **sources)
    for name, _, reason in image.records[0]["unread"]:
        say(f"{name} is left out: {reason}")
    if not options.quiet:
        say(image.report())
    if options.html:
        Path(options.html).write_text(to_html(image), encoding="utf-8", errors="replace")
    write(image.text if image.text.endswith("\n") else f"{image.text}\n")
    return 0


def _run_build(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    out = Path(options.out)
    if not folder.is_dir():
        raise NotADirectoryError(f"expected a folder, found {options.folder!r}")
    by = counter(options.tokenizer)
    entries = list[dict[str, Any]]()
    with progress() as show:
        for document in _iterate_documents(folder, out):
            entry, content = make_artifact(document, by, _BUILT)
            file = out / entry["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            entries.append(entry)
            show(f"{len(entries):,} files built, the last: {entry['file']}")
    out.mkdir(parents=True, exist_ok=True)
    (out / MANIFEST).write_bytes(write_manifest(entries, options.tokenizer, _BUILT))
    before, after = (sum(entry[size] for entry in entries) for size in ("before", "after"))
    say(f"{len(entries):,} files: {before:,} tokens before, {after:,} after")
    return 0


def _iterate_documents(folder: Path, out: Path) -> Iterable[Document]:
    excluded = out.resolve()
    for file in files_of(folder):
        if Path(file).resolve().is_relative_to(excluded):
            continue
        name = Path(file).relative_to(folder).as_posix()
        try:
            yield read_file(file, name=name)
        except (IngestError, MissingExtraError) as error:
            say(f"{name} is left out: {error}")


def _run_verify(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    source = options.source
    manifest = read_manifest(bytes_of(folder / MANIFEST))
    names = [Path(file).relative_to(folder).as_posix() for file in files_of(folder)]
    original = source and (lambda name: bytes_of(Path(source) / name))
    problems = list(iterate_faults(manifest, names, lambda name: bytes_of(folder / name), original))
    for fault in problems:
        write(f"{fault}\n")
    if not problems:
        write(f"{len(manifest['artifacts']):,} files are as they were built\n")
    return 1 if problems else 0


def _run_read(options: argparse.Namespace) -> int:
    _check_state()
    with _open_manager(0, "bytes") as manager:
        if options.raw:
            Path(options.raw).write_bytes(manager.original(options.ref))
            return 0
        write(manager.read(options.ref, lines=options.lines, mark=options.mark))
        if options.lines and options.lines[1] > (last := manager.lines(options.ref)):
            say(f"it has {last:,} lines")
    return 0


def _run_stats(_: argparse.Namespace) -> int:
    images = [batch for batch in _read_batches() if batch[-1]["event"] == "image"]
    if not images:
        raise IngestError(Code.SOURCE, "there is no image yet")
    first, *documents, last = images[-1]
    write(f"{last['tokens']:,} of {last['budget']:,} tokens ({first['counter']})\n")
    head = ["", "class", "before", "after", "ratio", "allotted"]
    row = "{ref} {name}|{class}|{before:,}|{after:,}|{ratio:.2f}|{budget:,}"
    write(table(head, [row.format(**batch).rsplit("|", 5) for batch in documents]))
    return 0


def _run_audit(options: argparse.Namespace) -> int:
    if options.what == "show":
        for batch in _read_batches():
            write("".join(f"{minified(record)}\n" for record in batch))
        return 0
    _check_state()
    content = bytes_of(_AUDIT)
    with open_store(_STORE) as store:
        images = replay_log(content, store, counter, head=options.head)
    come = "image comes" if images == 1 else "images come"
    write(f"{images:,} {come} out the same; head {read_last_hash(content)}\n")
    return 0


def _read_batches() -> list[list[dict[str, Any]]]:
    return group_into_batches(read_log(bytes_of(_AUDIT)))


def _check_state() -> None:
    if not _AUDIT.is_file():
        raise IngestError(Code.SOURCE, f"nothing was ingested into {STATE!r} of this folder")


_ACTIONS = {
    "ingest": _run_ingest,
    "build": _run_build,
    "verify": _run_verify,
    "read": _run_read,
    "stats": _run_stats,
    "audit": _run_audit,
}
