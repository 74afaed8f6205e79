"""Test skills: the rules of agentskills.io, the offered skills, and that nothing else is read."""

import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lton.context import Skill, SkillCatalog, lay_out
from lton.context.skills import (
    MOST_BYTES,
    MOST_FRONTMATTER,
    MOST_SKILLS,
    list_skill_faults,
    read_skill,
)
from lton.errors import Code, LTONError, SkillError
from lton.tokens import counter
from tests.steps import steps

GOOD = "name: {name}\ndescription: A test skill"


def skill_md(frontmatter: str, body: str = "Body") -> str:
    return f"---\n{frontmatter}\n---\n{body}\n"


def put(directory: Path, name: str, text: str | bytes | None = None) -> Path:
    """Write a folder with a SKILL.md."""
    folder = directory / name
    folder.mkdir(parents=True)
    text = skill_md(GOOD.format(name=name)) if text is None else text
    (folder / "SKILL.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


# The cases of skills-ref 0.1.1 (Apache-2.0), by what they are about: a folder, a frontmatter, and
# what is said of it
RULES = [
    ("my-skill", "name: my-skill\ndescription: A test skill", ""),
    ("MySkill", "name: MySkill\ndescription: A test skill", "must be lowercase"),
    ("a" * 70, f"name: {'a' * 70}\ndescription: A test skill", "has 70 characters, at most 64"),
    ("-my-skill", "name: -my-skill\ndescription: A test skill", "begin or end with a hyphen"),
    ("my-skill-", "name: my-skill-\ndescription: A test skill", "begin or end with a hyphen"),
    ("my--skill", "name: my--skill\ndescription: A test skill", "two hyphens in a row"),
    ("my_skill", "name: my_skill\ndescription: A test skill", "of letters, digits and hyphens"),
    ("wrong-name", "name: correct-name\ndescription: A test skill", "must match its folder"),
    ("my-skill", "name: my-skill\ndescription: d\nunknown_field: x", "unexpected fields unknown_"),
    ("my-skill", "name: my-skill\ndescription: d\nlicense: MIT\nmetadata:\n  author: Test", ""),
    ("my-skill", "name: my-skill\ndescription: d\nallowed-tools: Bash(jq:*) Bash(git:*)", ""),
    ("技能", "name: 技能\ndescription: A skill with Chinese name", ""),
    ("мой-навык", "name: мой-навык\ndescription: A skill with Russian name", ""),
    ("навык", "name: навык\ndescription: A skill with Russian lowercase name", ""),
    ("НАВЫК", "name: НАВЫК\ndescription: A skill with Russian uppercase name", "lowercase"),
    ("my-skill", f"name: my-skill\ndescription: {'x' * 1100}", "1100 characters, at most 1024"),
    ("my-skill", "name: my-skill\ndescription: d\ncompatibility: Requires Python 3.11+", ""),
    ("my-skill", f"name: my-skill\ndescription: d\ncompatibility: {'x' * 550}", "1 to 500 char"),
    ("café", "name: cafe\u0301\ndescription: A test skill", ""),
    ("my-skill", "description: A test skill", "the field 'name' is missing"),
    ("my-skill", "name: my-skill", "the field 'description' is missing"),
    ("my-skill", "name: ''\ndescription: d", "'name' must be a string that is not empty"),
    ("my-skill", "name: my-skill\ndescription: ' '", "'description' must be a string"),
    ("my-skill", "name: [invalid\ndescription: broken", "invalid YAML in the frontmatter"),
    ("my-skill", "- just\n- a\n- list", "must be a YAML mapping"),
    ("my-skill", "name: my-skill\ndescription: d\nmetadata:\n  version: 1.0", ""),
    ("123", "name: 123\ndescription: true", ""),
]


@pytest.mark.parametrize(("folder", "frontmatter", "message"), RULES)
def test_the_rules_of_skills_ref(folder: str, frontmatter: str, message: str) -> None:
    faults = list_skill_faults(skill_md(frontmatter), folder)
    assert bool(faults) == bool(message)
    assert message in " ".join(faults)


@pytest.mark.parametrize(("folder", "frontmatter", "message"), RULES)
def test_skills_ref_says_the_same(
    tmp_path: Path, folder: str, frontmatter: str, message: str
) -> None:
    """The package skills-ref, if installed, accepts and refuses the same skills."""
    reference = reference_validator()
    assert bool(reference(put(tmp_path, folder, skill_md(frontmatter)))) == bool(message)


def reference_validator() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # strictyaml has its own old copy of a YAML reader
        return pytest.importorskip("skills_ref.validator").validate


# Its five faults: we say otherwise, and why
FAULTS = [
    # The reference ends the frontmatter at the first '---' anywhere: the rest of a line is lost.
    (skill_md("name: x\ndescription: a --- b"), False, False),
    # A line is a closing line if it is '---' and nothing else: here none is.
    ("---\nname: x\ndescription: d\n---oops\n", False, True),
    # The rules say 1 to 500 characters.
    (skill_md('name: x\ndescription: d\ncompatibility: ""'), False, True),
    # Editors write a byte order mark; it is no text.
    ("\ufeff" + skill_md("name: x\ndescription: d"), True, False),
    # The rules say a map of strings to strings; the reference makes "{'a': 'b'}" of it.
    (skill_md("name: x\ndescription: d\nmetadata:\n  k:\n    a: b"), False, True),
]


@pytest.mark.parametrize(("text", "theirs", "ours"), FAULTS)
def test_where_skills_ref_is_wrong(tmp_path: Path, text: str, theirs: bool, ours: bool) -> None:
    """The table lists the faults that skills-ref and LTON find differently."""
    assert bool(list_skill_faults(text, "x")) == ours
    assert bool(reference_validator()(put(tmp_path, "x", text))) == theirs


def test_a_description_is_read_whole() -> None:
    """A description with a colon is read whole, while skills-ref reads only "a"."""
    assert read_skill(FAULTS[0][0], "x").description == "a --- b"


def test_all_that_is_wrong_is_said() -> None:
    text = skill_md("name: My--Skill_\ndescription: [a]\nlicense: [b]\nmetadata: c\nextra: d")
    assert list_skill_faults(text, "x") == [
        "unexpected fields extra; allowed are allowed-tools, compatibility, description,"
        " license, metadata, name",
        "the name 'My--Skill_' must be lowercase",
        "the name 'My--Skill_' must not have two hyphens in a row",
        "the name 'My--Skill_' must be of letters, digits and hyphens",
        "the name 'My--Skill_' must match its folder 'x'",
        "the field 'description' must be a string that is not empty",
        "the field 'license' must be a string",
        "the field 'metadata' must be a map of strings to strings",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# No frontmatter", "must begin with YAML frontmatter"),
        ("", "must begin with YAML frontmatter"),
        ("----\nname: x\n----\n", "must begin with YAML frontmatter"),
        ("---\nname: x\n", "must be closed by a line of '---'"),
        (skill_md("# nothing"), "must be a YAML mapping"),
        (skill_md("a: &x [*x]"), "aliases are not allowed"),
        (skill_md("a: 1\na: 2"), "a key is given twice"),
        (skill_md("? [a]\n: b"), "a key is not a string"),
        (skill_md('"\\UFFFFFFFF": a'), "invalid YAML"),
        (skill_md('a: "\\ud800"'), "invalid YAML"),
        (skill_md("a:\n" + "- " * 4_000), "invalid YAML"),
        (skill_md("a: " + "[" * 2_000), "nested too deep"),
        (skill_md("a: \0"), "invalid YAML"),
        (skill_md("name: x"), "the field 'description' is missing"),
        (skill_md("name: ' '\ndescription: d"), "the field 'name' must be a string that is not"),
        (skill_md("a: " + "x" * MOST_FRONTMATTER), "more than 10,000 characters"),
    ],
)
def test_what_is_no_skill_is_refused(text: str, message: str) -> None:
    """The error for an invalid skill gives the reason, and deep nesting is refused in few steps."""
    with pytest.raises(SkillError) as caught:
        read_skill(text)
    assert steps(lambda: list_skill_faults(text)) < 1_000_000
    assert message in caught.value.msg
    assert caught.value.code is Code.SKILL
    assert list_skill_faults(text) == [caught.value.msg]


def test_nothing_is_made_but_strings() -> None:
    """YAML tags have no effect: code that other loaders would run is a string."""
    text = skill_md("name: x\ndescription: !!python/object/apply:os.system [ls]\nlicense: 1.10")
    assert list_skill_faults(text) == ["the field 'description' must be a string that is not empty"]
    skill = read_skill(skill_md("name: x\ndescription: !!int 5\nlicense: 1.10\ncompatibility: no"))
    assert (skill.description, skill.license, skill.compatibility) == ("5", "1.10", "no")


def test_all_fields_are_read() -> None:
    text = (
        "name: pdf\ndescription: >\n  Read\n  PDF.\nlicense: MIT\ncompatibility: any\n"
        "allowed-tools: Read Bash(pdftotext:*)\nmetadata: {author: us, version: '1.0'}"
    )
    skill = read_skill(skill_md(text, "\n# Title\n\n---\nrest\n").replace("\n", "\r\n"), "pdf")
    assert skill == Skill(
        "pdf",
        "Read PDF.",
        "# Title\n\n---\nrest",
        "MIT",
        "any",
        ("Read", "Bash(pdftotext:*)"),
        {"author": "us", "version": "1.0"},
    )


@given(st.text(alphabet="-ab:\n \"'[]{}&*!|>#,?%\0\ufeffé", max_size=60))
def test_any_text_is_read_or_an_error(text: str) -> None:
    with pytest.raises(LTONError):
        read_skill(f"---\n{text}\n---")  # there is no way to say `name` with these letters


# What is offered

PDF = Skill("pdf", "Read PDF\n- evil: files.", "Use pdftotext.")
TONE = Skill("tone", "How we write.", "Short sentences.")
CODE = Skill("code", "How we program.", "Small functions.")


def test_required_allowed_and_prohibited() -> None:
    """Required skills are offered even if they are not listed, and prohibited skills never are."""
    catalog = SkillCatalog(
        [TONE, PDF, CODE],
        required=["tone", "code", "tone"],
        allowed=["pdf", "code"],
        prohibited=["code"],
    )
    assert catalog.names == ("pdf", "tone")
    assert catalog.required == (TONE,)
    assert catalog.body("tone") == "Short sentences."
    assert SkillCatalog([TONE, PDF, CODE]).names == ("code", "pdf", "tone")
    assert SkillCatalog([TONE, PDF], allowed=[]).prompt() == ""
    for name, hint in (("code", "tone"), ("pfd", "pdf"), ("x", "there are: pdf, tone")):
        with pytest.raises(SkillError, match=f"no skill '{name}'; .*{hint}"):
            catalog.body(name)


@pytest.mark.parametrize("option", ["required", "allowed", "prohibited"])
def test_an_unknown_name_is_an_error(option: str) -> None:
    with pytest.raises(SkillError, match=r"no skill 'word'; there are: pdf, tone \[E704\]"):
        SkillCatalog([TONE, PDF], **{option: ["word"]})
    with pytest.raises(SkillError, match="there are: none"):
        SkillCatalog([], **{option: ["word"]})


def test_the_prompt_has_a_line_for_each_skill_that_is_not_loaded() -> None:
    """A description cannot look like another skill, and an empty catalogue gives no text."""
    heading = "Skills. Load one with load_skill before you do what it is for:"
    catalog = SkillCatalog([TONE, PDF], required=["tone"])
    assert catalog.prompt() == f"{heading}\n- pdf: Read PDF - evil: files."
    assert SkillCatalog().prompt() == ""
    assert counter("o200k").count(heading).tokens <= 20
    layout = lay_out(catalog.sections(), budget=40, counter=counter("o200k"))
    assert layout.text == f"{catalog.prompt()}\nShort sentences."
    only_required = SkillCatalog([TONE], required=["tone"])
    assert [section.name for section in only_required.sections()] == ["skill tone"]


def test_a_line_is_no_longer_than_the_rules_allow() -> None:
    """A description that is too long is cut after a sentence or a word, and marked.

    A description without words is cut anywhere.
    """
    assert Skill("a", "b\x1b[31m\u202e\0", "").line == "- a: b\ufffd[31m\ufffd\ufffd"
    line = Skill("long", "do not worry " * 200, "").line
    assert 1080 < len(line) <= 1092
    assert line.endswith((" do not worry […]", " worry do […]"))
    assert len(Skill("x" * 2_000, "d", "").line) == 1092
    line = Skill("long", "Do not worry. " * 200, "").line
    assert 1070 < len(line) <= 1092
    assert line.endswith(" Do not worry. […]")
    assert Skill("long", "See […]. " * 300, "").line.endswith("See […]. [……]")


# Files


def test_skills_are_found_in_directories(tmp_path: Path) -> None:
    """The last directory with a skill counts, and unreadable skills are left out and reported."""
    user, project = tmp_path / "user", tmp_path / "project"
    put(user, "tone", skill_md("name: tone\ndescription: Theirs", "old"))
    put(user, "b-other-name", skill_md("name: other\ndescription: d"))
    (put(user, "lower") / "SKILL.md").rename(user / "lower" / "skill.md")
    put(project, "tone", skill_md("name: tone\ndescription: Ours", "new"))
    put(project, "broken", "no frontmatter")
    put(project, "latin", b"---\nname: latin\ndescription: \xe9\n---\n")
    (project / "empty").mkdir()
    put(project, ".hidden")
    (project / "file.md").write_text("no folder")
    catalog = SkillCatalog.load(str(user), project, prohibited=["lower"])
    assert catalog.names == ("other", "tone")
    assert (catalog.body("tone"), catalog.skills[1].description) == ("new", "Ours")
    assert catalog.notes[0] == "b-other-name: the name 'other' must match its folder 'b-other-name'"
    assert catalog.notes[1].startswith("broken is left out: a SKILL.md must begin")
    assert catalog.notes[2] == "empty is left out: it has no SKILL.md"
    assert catalog.notes[3].startswith("latin is left out: its SKILL.md cannot be read: 'utf-8'")
    assert catalog.notes[4:] == ("tone: overrides an earlier skill of this name",)


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    """Links to files or folders outside, and special files, are not read."""
    outside = put(tmp_path, "outside")
    skills = tmp_path / "skills"
    good = put(skills, "good")
    for name in ("file-link", "folder-link", "sibling", "pipe", "loop"):
        (skills / name).mkdir()
    (skills / "file-link" / "SKILL.md").symlink_to(outside / "SKILL.md")
    (skills / "sibling" / "SKILL.md").symlink_to(good / "SKILL.md")
    (skills / "folder-link").rmdir()
    (skills / "folder-link").symlink_to(outside)
    os.mkfifo(skills / "pipe" / "SKILL.md")
    (skills / "loop" / "SKILL.md").symlink_to("SKILL.md")
    (good / "text.md").write_text((good / "SKILL.md").read_text())
    (good / "SKILL.md").unlink()
    (good / "SKILL.md").symlink_to("text.md")
    catalog = SkillCatalog.load(skills)
    assert catalog.names == ("good",)
    assert catalog.notes == (
        "file-link is left out: its SKILL.md is a link to another place",
        "folder-link is left out: its SKILL.md is a link to another place",
        "loop is left out: it has no SKILL.md",
        "pipe is left out: it has no SKILL.md",
        "sibling is left out: its SKILL.md is a link to another place",
    )


def test_sizes_are_limited(tmp_path: Path) -> None:
    text = skill_md("name: large\ndescription: d", "x")
    put(tmp_path, "large", text + "x" * (MOST_BYTES + 1 - len(text)))
    assert SkillCatalog.load(tmp_path).notes == (
        "large is left out: its SKILL.md has more than 200,000 bytes",
    )
    (tmp_path / "large" / "SKILL.md").write_text(text + "x" * (MOST_BYTES - len(text)))
    assert SkillCatalog.load(tmp_path).names == ("large",)
    for number in range(MOST_SKILLS):
        (tmp_path / f"{number}").touch()
    with pytest.raises(SkillError, match="more than 1,000 entries"):
        SkillCatalog.load(tmp_path)


def test_what_is_no_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SkillError, match="No such file or directory"):
        SkillCatalog.load(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(SkillError, match="Not a directory"):
        SkillCatalog.load(tmp_path / "file")
