"""Test the manager: adding documents, reading them again, and replaying an audit."""

import json
import re
from pathlib import Path

import pytest

from lton.chat import ToolCall
from lton.context import ContextManager, CriticalOverflowError, Policy
from lton.context.audit import lines_of, read_log
from lton.context.manager import replay_log
from lton.context.marks import make_unused_mark
from lton.context.records import COMPRESSOR
from lton.errors import EncodeError, IngestError, StoreError, TranscriptError
from lton.schema import Call
from lton.stores import open_store
from lton.tokens import counter
from tests.context.documents import NOTES, fill, pdf

BYTES = counter("bytes")
RULES = ("rules", "Answer from the notes.")
OTHER = NOTES.replace("day", "week")


def manager_at(folder: Path, budget: int = 200) -> ContextManager:
    store = open_store(f"sqlite:///{folder / 'store.db'}")
    return ContextManager(budget=budget, counter=BYTES, store=store, audit=folder / "audit.jsonl")


def test_late_evidence_takes_from_the_least_important() -> None:
    """A document that is added later is shown whole, and less important documents are shortened."""
    manager = ContextManager(budget=300, counter=BYTES)
    pinned = ("b.md", f":::pwo:pin\nStay at 7 m.\n:::\n{OTHER}")
    before = manager.ingest(core=[RULES], refs=[("a", NOTES), pinned])
    after = manager.page_in(("late.log", "The gate broke at 9.\n" * 15))
    assert after.core == before.core == RULES[1]
    assert after.pages[-1].body == "The gate broke at 9.\n" * 15
    assert all(
        new.after < old.after for new, old in zip(after.pages[1:3], before.pages[1:], strict=True)
    )
    assert "\nStay at 7 m.\n" in after.text
    assert after.tokens <= 300
    assert manager.image is after
    assert [page.ref for page in after.pages] == ["r1", "r2", "r3", "r4"]


def test_what_is_paged_in_again_is_newer() -> None:
    """A name refers to its newest text, and the older text can be read by its reference."""
    manager = ContextManager(budget=300, counter=BYTES)
    manager.ingest(core=[RULES], refs=[("a", "Old.")])
    image = manager.page_in(("a", "New."), priority=900, ratio=0.9, role="skills")
    assert [page.ref for page in image.pages] == ["r1", "r3"]
    assert (manager.read("a"), manager.read("r3"), manager.read("r2")) == ("New.", "New.", "Old.")
    manager.ingest(refs=[("r2", "Forged.")])
    assert (manager.read("r2"), manager.read("r4")) == ("Old.", "Forged.")
    page = image.pages[1].document
    assert (page.priority, page.ratio, page.role) == (900, 0.9, "skills")


def test_what_does_not_fit_changes_nothing() -> None:
    """Too much core is refused without a change, and a document whose pins do not fit is not
    shown.
    """
    manager = ContextManager(budget=60, counter=BYTES)
    image = manager.ingest(core=[RULES], refs=[("a", NOTES)], query="day 7")
    with pytest.raises(CriticalOverflowError):
        manager.page_in(("late.md", OTHER * 9), role="core")
    assert manager.image is image
    late = manager.page_in(("late.md", f":::pwo:pin\n{OTHER * 9}:::\n"), trusted=True)
    assert late.core == image.core
    assert late.pages[-1].reason.startswith("its pins take ")
    again = manager.page_in(("more", "Short."))
    assert [page.document.name for page in again.pages] == ["rules", "a", "late.md", "more"]
    assert again.query == "day 7"


def test_parts_can_be_read() -> None:
    """The whole text, lines, code points and bytes can be read, and missing parts are an error."""
    text = "näive\r\nline two\nline three"
    manager = ContextManager(budget=90, counter=BYTES)
    manager.ingest(refs=[("a.md", text)])
    assert manager.read("r1") == manager.read("a.md") == text
    assert manager.read("r1", lines=(2, 9)) == "line two\nline three"
    assert manager.read("r1", (1, 3)) == manager.read("r1", bytes=(1, 4)) == "äi"
    assert manager.read("r1", (7, 99)) == text[7:]
    assert manager.lines("r1") == 3
    assert manager.original("r1") == text.encode()
    for arguments, msg in [
        ({"ref": "r9"}, "no document 'r9'; there are r1"),
        ({"ref": "r1", "lines": (4, 5)}, "lines 4 to 5"),
        ({"ref": "r1", "span": (99, 100)}, "no characters 99 to 100 in 'r1'; it has 26"),
    ]:
        with pytest.raises(TranscriptError, match=msg) as caught:
            manager.read(**arguments)  # type: ignore[arg-type]
        assert caught.value.code == "E712"
    many = ContextManager(budget=999, counter=BYTES)
    many.ingest(refs=[(f"{number}.md", f"Page {number}.") for number in range(22)])
    with pytest.raises(TranscriptError, match=r"there are r1, .*, r20 and 2 more"):
        many.read("r99")
    with pytest.raises(TranscriptError, match="there are none"):
        ContextManager(budget=9, counter=BYTES).read("r1")


@pytest.mark.parametrize(
    "text",
    [
        NOTES,
        "\n".join(f"2026-05-09 12:00:{n:02} INFO {'[… 7 lines]' * (n == 9)}" for n in range(60)),
        json.dumps([f"note {n} " * 40 for n in range(20)], indent=1),
        "".join(f":::pwo:pin\nStay {n}.\n:::\n{NOTES}" for n in range(3)),
    ],
)
def test_what_a_mark_stands_for_can_be_read(text: str) -> None:
    """Each mark can be read by its number, and its count is right."""
    manager = ContextManager(budget=290, counter=BYTES)
    (page,) = manager.ingest(refs=[("a", text)], query="note 7", trusted=True).pages
    mark = re.escape(make_unused_mark(text)[:-1])
    forms = re.findall(rf"{mark}(?: (\d+) (line|value)s?(?: alike)?)?\]", page.body)
    assert forms
    for number, (count, of) in enumerate(forms, 1):
        missing_text = manager.read("r1", mark=number)
        assert missing_text.strip()
        assert missing_text in text
        if of == "line":
            lines = [
                line for line in missing_text.split("\n") if line.strip(": ") and "pwo" not in line
            ]
            assert int(count) == len(lines)
        if of == "value":
            assert int(count) == missing_text.count('"') // 2
    with pytest.raises(TranscriptError, match=f"it has {len(forms)}"):
        manager.read("r1", mark=len(forms) + 1)


def test_a_model_reads_by_a_tool() -> None:
    """A model reads with a tool, whose calls are checked."""
    manager = ContextManager(budget=90, counter=BYTES)
    manager.ingest(refs=[("a.md", "one\ntwo\nthree")])
    assert (
        manager.tools.prompt(descriptions=False)
        == "context_read(ref start_line?:int(1..) end_line?:int(1..))"
    )
    assert manager.answer(Call("context_read", {"ref": "r1"})) == "one\ntwo\nthree"
    arguments = '{"ref": "r1", "start_line": 2}'
    assert manager.answer(ToolCall("context_read", arguments, "1")) == "two\nthree"
    assert manager.answer(Call("context_read", {"ref": "r1", "end_line": 1})) == "one\n"
    with pytest.raises(EncodeError):
        manager.answer(Call("context_read", {"file": "r1"}))


def test_another_process_goes_on(tmp_path: Path) -> None:
    """A process with the same store and audit continues with the same documents and query."""
    folder = fill(tmp_path / "in")
    (tmp_path / "state").mkdir()
    with manager_at(tmp_path / "state") as first:
        image = first.ingest(sources=[folder], query="day 9")
        assert image.records[0]["unread"][0][1] == "E706"
    with manager_at(tmp_path / "state") as second:
        assert second.image is None
        ref = image.pages[-1].ref
        assert second.read(ref) == image.sidecar[ref].text
        late = second.page_in(("late", "It broke."))
        assert [page.document.name for page in late.pages[:-1]] == [
            page.document.name for page in image.pages
        ]
        assert late.query == "day 9"
    content = (tmp_path / "state/audit.jsonl").read_bytes()
    with open_store(f"sqlite:///{tmp_path / 'state/store.db'}") as store:
        assert replay_log(content, store, counter) == 2


def test_a_pdf_lasts(tmp_path: Path) -> None:
    """The text and the bytes of a PDF can be read by another process, which verifies without the
    library.
    """
    pytest.importorskip("pypdf")
    content = pdf("Five gauges.", "Two rivers.")
    (tmp_path / "a.pdf").write_bytes(content)
    with manager_at(tmp_path) as first:
        first.ingest(refs=[tmp_path / "a.pdf"])
    with manager_at(tmp_path) as second:
        image = second.page_in(("late", "It broke."))
        assert image.sidecar["r1"].content == second.original("r1") == content
        assert second.read("r1", lines=(2, 2)) == "\fTwo rivers."
        assert replay_log((tmp_path / "audit.jsonl").read_bytes(), second.store, counter) == 2


def test_what_is_refused_is_in_the_audit(tmp_path: Path) -> None:
    """Refused input is in the audit with its code, and is refused again during verification."""
    with manager_at(tmp_path, budget=5) as manager:
        with pytest.raises(CriticalOverflowError):
            manager.ingest(core=[("rules", NOTES)])
        image = manager.ingest(refs=[("a.md", ":::pwo:pin\n")], trusted=True)
        assert image.pages[0].action == "dropped"
        wrong = ("b.md", "---\npwo-class: x\n---\n")
        with pytest.raises(IngestError, match=r"'b\.md': expected pwo-class"):
            manager.page_in(wrong, trusted=True)
        with pytest.raises(CriticalOverflowError):
            manager.page_in(("rules", NOTES), role="core")
        content = (tmp_path / "audit.jsonl").read_bytes()
        events = [(record["event"], record.get("code")) for record in read_log(content)]
        assert events == [
            ("ingest", None),
            ("document", None),
            ("refused", "E701"),
            ("ingest", None),
            ("document", None),
            ("image", None),
            *[("ingest", None), ("document", None), ("document", None), ("refused", "E701")],
        ]
        assert replay_log(content, manager.store, counter) == 3
    with manager_at(tmp_path, budget=50) as again:
        late = again.page_in(("late", "It broke."))
        assert [page.document.name for page in late.pages] == ["a.md", "late"]


def test_each_decision_is_in_the_audit() -> None:
    """The audit contains the input, the hashes, sizes, ratios and pins of each document, and the
    result.
    """
    manager = ContextManager(budget=150, counter=BYTES, policy=Policy(keep=("9 mm",)))
    refs = [("a.md", f":::pwo:pin\nStay.\n:::\n{NOTES}")]
    image = manager.ingest(core=[RULES], refs=refs, trusted=True)
    budget_record, core, page, whole = image.records
    assert (budget_record["budget"], budget_record["counter"], budget_record["compressor"]) == (
        150,
        "bytes",
        COMPRESSOR,
    )
    assert budget_record["policy"]["keep"] == ["9 mm"]
    assert (core["class"], core["raw"], core["result"]) == ("core", core["result"], core["origin"])
    assert (page["pinned"], page["action"]) == ([[11, 17]], "compressed")
    assert page["ratio"] == round(page["after"] / page["before"], 4)
    assert page["after"] <= page["budget"]
    assert whole["classes"] == {"core": core["after"], "skills": 0, "refs": page["after"]}
    assert json.loads(json.dumps(image.records)) == list(image.records)


def test_an_audit_that_was_changed_is_found(tmp_path: Path) -> None:
    """A changed byte, a record that was rewritten with its chain, and a missing text are found."""
    with manager_at(tmp_path) as manager:
        manager.ingest(core=[RULES], refs=[("a", NOTES)])
        content = (tmp_path / "audit.jsonl").read_bytes()
        store = manager.store
        for at in range(0, len(content), 7):
            with pytest.raises(IngestError, match="was changed"):
                replay_log(
                    content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :], store, counter
                )
        records = read_log(content)
        for index, key, value, where in [
            (2, "after", 1, "differs: r2"),
            (3, "image", "0" * 64, "differs: image"),
            (0, "budget", 190, "differs: "),
        ]:
            forged = [dict(record) for record in records]
            forged[index][key] = value
            with pytest.raises(IngestError, match=where):
                replay_log(lines_of(forged), store, counter)
        with pytest.raises(IngestError, match="it ends with"):
            replay_log(content, store, counter, head="0" * 64)
        with pytest.raises(StoreError):
            replay_log(content, open_store("memory:"), counter)
        (tmp_path / "audit.jsonl").write_bytes(content[:-1])
        with pytest.raises(IngestError, match="does not end"):
            manager_at(tmp_path)


def test_two_that_write_one_audit_do_not_mix(tmp_path: Path) -> None:
    """The second writer of an audit gets an error; the texts of both are in the store."""
    first, second = manager_at(tmp_path), manager_at(tmp_path)
    first.ingest(refs=[("a", NOTES)])
    with pytest.raises(IngestError, match="another program wrote"):
        second.ingest(refs=[("b", OTHER)])
    assert len(read_log((tmp_path / "audit.jsonl").read_bytes())) == 3
    assert len(first.store.entries("context")) == 2


def test_two_that_keep_at_once_both_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """If two managers save at the same time, the second one tries again."""
    store = open_store("memory:")
    manager = ContextManager(budget=90, counter=BYTES, store=store)
    entries = store.entries
    store.append("context", b"other", at=0)
    late = iter([0, 0])
    monkeypatch.setattr(store, "entries", lambda log: entries(log)[: next(late, None)])
    manager.ingest(refs=[("a", "Rain.")])
    assert len(entries("context")) == 2
