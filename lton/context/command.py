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
    Building,
    build,
    faults,
    manifest_of,
    read_manifest,
)
from lton.context.audit import batches, head_of, read_log
from lton.context.image import Document, Policy
from lton.context.manager import ContextManager, replay
from lton.context.report import to_html
from lton.context.sources import bytes_of, files_of, read_file
from lton.errors import Code, IngestError, MissingExtraError
from lton.fetching import fetch
from lton.stores import open_store
from lton.tokens import counter

STATE = ".lton"
_AUDIT, _STORE = "audit.jsonl", "store.db"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the actions of `lton context`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, (about, *sections) in _OPTIONS.items():
        sub = actions.add_parser(action, help=about)
        for section in sections:
            holder = sub.add_mutually_exclusive_group() if section == "part" else sub
            ranges = {name: {"type": _range} for name in ("lines", "span", "bytes")}
            add_table(holder, __file__, section, **ranges)
        if action in _POLICIES:
            policy = _POLICIES[action]
            sub.set_defaults(skills_ratio=policy.skills, refs_ratio=policy.refs)


_OPTIONS = {
    "ingest": ("print files fitted into a budget, and store them", "ingest", "policy", "state"),
    "build": (f"compress the files of a folder to {SUFFIX}", "build", "policy"),
    "verify": ("list the files of a build that were changed", "verify"),
    "read": ("print an ingested document, or a part of it", "read", "part", "state"),
    "stats": ("show how the documents of the last ingest were shortened", "stats", "state"),
    "audit": ("show the decisions, or check that they can be reproduced", "audit", "state"),
}
"""The help of each action, and the sections of `command.toml` for it."""
_POLICIES = {"ingest": Policy(), "build": Policy(skills=0.7, refs=0.25)}
"""Default policies. Without a budget, only the ratios limit an artifact."""


def _range(given: str) -> tuple[int, int]:
    start, colon, end = given.partition(":")
    if not (colon and start.isdecimal() and end.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected A:B, two numbers, found {given!r}")
    return int(start), int(end)


def run(options: argparse.Namespace) -> int:
    """Run an action. `verify` returns exit status 1 if it finds a difference."""
    return _ACTIONS[options.action](options)


def _policy(options: argparse.Namespace) -> Policy:
    skills, refs = options.skills_ratio, options.refs_ratio
    try:
        return Policy(skills=skills, refs=refs, keep=tuple(options.keep), raw=options.raw)
    except IngestError as error:
        raise UsageError(str(error)) from error


def _manager(options: argparse.Namespace, budget: int, name: str, policy: Policy) -> ContextManager:
    state, by = Path(options.state), counter(name)
    store = open_store(f"sqlite:///{state / _STORE}")
    return ContextManager(
        budget=budget, counter=by, store=store, policy=policy, audit=state / _AUDIT
    )


def _ingest(options: argparse.Namespace) -> int:
    if not (options.sources or options.core or options.skills or options.refs):
        raise UsageError("expected files: lton context ingest FILE… --budget N")
    if options.budget < 0:
        raise UsageError("expected a --budget of 0 or more")
    Path(options.state).mkdir(parents=True, exist_ok=True)
    made = _manager(options, options.budget, options.counter, _policy(options))
    with made as manager, progress() as show:
        if not options.quiet:
            show("reading documents, and choosing what is shown of them")
        names = "core", "skills", "refs", "sources", "query"
        given = {name: getattr(options, name) for name in names}
        load, trusted = fetch if options.fetch else None, False if options.untrusted else None
        image = manager.ingest(load=load, trusted=trusted, **given)
    for name, _, reason in image.records[0]["unread"]:
        say(f"{name} is left out: {reason}")
    if not options.quiet:
        say(image.report())
    if options.html:
        Path(options.html).write_text(to_html(image), encoding="utf-8", errors="replace")
    write(image.text if image.text.endswith("\n") else f"{image.text}\n")
    return 0


def _build(options: argparse.Namespace) -> int:
    folder, out = Path(options.folder), Path(options.out)
    if options.jobs < 1:
        raise UsageError("expected --jobs of at least 1")
    if not folder.is_dir():
        raise NotADirectoryError(f"expected a folder, found {options.folder!r}")
    building = Building(options.counter, _policy(options), options.query)
    entries: list[dict[str, Any]] = []
    named = _documents(folder, out)
    with progress() as show:
        for entry, content in build(named, building, jobs=options.jobs):
            file = out / entry["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            entries.append(entry)
            show(f"{len(entries):,} files built, the last: {entry['file']}")
    out.mkdir(parents=True, exist_ok=True)
    manifest = manifest_of(entries, building)
    (out / MANIFEST).write_bytes(manifest)
    before, after = (sum(entry[size] for entry in entries) for size in ("before", "after"))
    say(f"{len(entries):,} files: {before:,} tokens before, {after:,} after")
    return 0


def _documents(folder: Path, out: Path) -> Iterable[Document]:
    built = out.resolve()
    for file in files_of(folder):
        if Path(file).resolve().is_relative_to(built):
            continue
        name = Path(file).relative_to(folder).as_posix()
        try:
            yield read_file(file, name=name)
        except (IngestError, MissingExtraError) as error:
            say(f"{name} is left out: {error}")


def _verify(options: argparse.Namespace) -> int:
    folder, source = Path(options.folder), options.source
    manifest = read_manifest(bytes_of(folder / MANIFEST))
    names = [Path(file).relative_to(folder).as_posix() for file in files_of(folder)]
    original = source and (lambda name: bytes_of(Path(source) / name))
    found = list(faults(manifest, names, lambda name: bytes_of(folder / name), original))
    for fault in found:
        write(f"{fault}\n")
    if not found:
        write(f"{len(manifest['artifacts']):,} files are as they were built\n")
    return 1 if found else 0


def _read(options: argparse.Namespace) -> int:
    with _manager(_there(options), 0, "bytes", Policy()) as manager:
        if options.raw:
            Path(options.raw).write_bytes(manager.original(options.ref))
            return 0
        given = {"lines": options.lines, "bytes": options.bytes, "mark": options.mark}
        write(manager.read(options.ref, options.span, **given))
        if options.lines and options.lines[1] > (last := manager.lines(options.ref)):
            say(f"it has {last:,} lines")
    return 0


def _stats(options: argparse.Namespace) -> int:
    images = [each for each in _batches(options) if each[-1]["event"] == "image"]
    if not images:
        raise IngestError(Code.SOURCE, "there is no image yet")
    first, *documents, last = images[-1]
    if options.json:
        write("".join(f"{minified(each)}\n" for each in images[-1]))
        return 0
    write(f"{last['tokens']:,} of {last['budget']:,} tokens ({first['counter']})\n")
    head = ["", "class", "before", "after", "ratio", "allotted"]
    row = "{ref} {name}|{class}|{before:,}|{after:,}|{ratio:.2f}|{budget:,}"
    write(table(head, [row.format(**each).rsplit("|", 5) for each in documents]))
    return 0


def _audit(options: argparse.Namespace) -> int:
    if options.what == "show":
        for batch in _batches(options):
            write("".join(f"{minified(each)}\n" for each in batch))
        return 0
    state = Path(_there(options).state)
    content = bytes_of(state / _AUDIT)
    with open_store(f"sqlite:///{state / _STORE}") as store:
        named = (lambda _: counter(options.counter)) if options.counter else counter
        images = replay(content, store, named, head=options.head)
    come = "image comes" if images == 1 else "images come"
    write(f"{images:,} {come} out the same; head {head_of(content)}\n")
    return 0


def _batches(options: argparse.Namespace) -> list[list[dict[str, Any]]]:
    return batches(read_log(bytes_of(Path(options.state) / _AUDIT)))


def _there(options: argparse.Namespace) -> argparse.Namespace:
    """Raise an error if the state folder has no ingested files."""
    if not (Path(options.state) / _AUDIT).is_file():
        raise IngestError(Code.SOURCE, f"nothing was ingested into {options.state!r}")
    return options


_ACTIONS = {each.__name__[1:]: each for each in (_ingest, _build, _verify, _read, _stats, _audit)}
