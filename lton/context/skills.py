"""Read agent skills (agentskills.io), and offer them to a model.

`list_skill_faults` and `read_skill` read the text of a SKILL.md. Only `SkillCatalog.load` reads
files. PyYAML's `BaseLoader` parses the frontmatter: strings, lists and maps (`pip install
'lton[context]'`). Anchors and duplicate keys are refused.
"""

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from lton._require import require
from lton.context.cuts import replace_unprintable
from lton.context.endings import cut_off, iterate_cut_positions
from lton.context.marks import make_unused_mark
from lton.context.sections import Section
from lton.errors import SkillError

MOST_BYTES = 200_000  # The maximum bytes of a SKILL.md; the rules recommend fewer than 5,000 tokens
MOST_FRONTMATTER = 10_000  # The maximum length of the YAML, ten times the usual length
MOST_SKILLS = 1_000  # The maximum number of entries in a directory
_MOST_NESTED = 64  # The maximum nesting of lists and maps
NAME = 64  # the maximum lengths of fields in characters
DESCRIPTION = 1_024
COMPATIBILITY = 500
_LINE = len("- : ") + NAME + DESCRIPTION
_FIELDS = ("allowed-tools", "compatibility", "description", "license", "metadata", "name")
_FILES = ("SKILL.md", "skill.md")
_HEADING = "Skills. Load one with load_skill before you do what it is for:"


@dataclass(frozen=True, slots=True)
class Skill:
    """An agent skill: its fields, its `body`, and the rules that it breaks (`faults`)."""

    name: str
    description: str
    body: str = field(repr=False)
    license: str | None = None
    compatibility: str | None = None
    allowed_tools: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The line that describes the skill to a model."""
        line = replace_unprintable(" ".join(f"- {self.name}: {self.description}".split()))
        if len(line) <= _LINE:
            return line
        mark = make_unused_mark(line)
        least = len(f"- {self.name}:")
        most = _LINE - len(f" {mark}")
        fitting = (
            [end for end in ends if least < end <= most] for ends in iterate_cut_positions(line)
        )
        return cut_off(line, max(next(filter(None, fitting), [most])), mark)


def read_skill(text: str, folder: str | None = None) -> Skill:
    r"""Parse the text of a SKILL.md. `folder` is the name of its folder.

    Raises `SkillError` (E704) if the frontmatter is unreadable or lacks a name or a description.
    The skill's `faults` list other broken rules.

    >>> skill = read_skill("---\nname: pdf\ndescription: Read PDF files.\n---\nUse pdftotext.\n")
    >>> print(skill.line)
    - pdf: Read PDF files.
    >>> skill.body
    'Use pdftotext.'
    """
    fields, body = _parse_skill(text)
    name, description = (_string_or_empty(fields.get(key)) for key in ("name", "description"))
    if not name or not description:
        raise SkillError(next(_iterate_field_faults(fields, folder)))
    metadata = fields.get("metadata")
    name = unicodedata.normalize("NFKC", name)
    licence, fits = (
        _string_or_empty(fields.get(key)) or None for key in ("license", "compatibility")
    )
    tools = tuple(_string_or_empty(fields.get("allowed-tools")).split())
    metadata = metadata if _is_string_map(metadata) else {}
    faults = tuple(_iterate_field_faults(fields, folder))
    return Skill(name, description, body, licence, fits, tools, metadata, faults)


def list_skill_faults(text: str, folder: str | None = None) -> list[str]:
    r"""Return a sentence for each rule that a SKILL.md breaks.

    >>> list_skill_faults("---\nname: PDF\ndescription: Read PDF files.\n---\n", "pdf")
    ["the name 'PDF' must be lowercase", "the name 'PDF' must match its folder 'pdf'"]
    """
    try:
        fields, _ = _parse_skill(text)
    except SkillError as error:
        return [error.msg]
    return list(_iterate_field_faults(fields, folder))


def _string_or_empty(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _is_string_map(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _iterate_field_faults(fields: Mapping[str, Any], folder: str | None) -> Iterator[str]:
    surplus = sorted(set(fields) - set(_FIELDS))
    if surplus:
        yield f"unexpected fields {', '.join(surplus)}; allowed are {', '.join(_FIELDS)}"
    for name in ("name", "description"):
        if name not in fields:
            yield f"the field {name!r} is missing"
        elif not _string_or_empty(fields[name]):
            yield f"the field {name!r} must be a string that is not empty"
        elif name == "name":
            yield from _iterate_name_faults(fields[name], folder)
        elif (size := len(fields[name])) > DESCRIPTION:
            yield f"the description has {size} characters, at most {DESCRIPTION} are allowed"
    yield from _iterate_optional_faults(fields)


def _iterate_name_faults(raw: str, folder: str | None) -> Iterator[str]:
    name = unicodedata.normalize("NFKC", raw.strip())
    if len(name) > NAME:
        yield f"the name has {len(name)} characters, at most {NAME} are allowed"
    if name != name.lower():
        yield f"the name {name!r} must be lowercase"
    if name.startswith("-") or name.endswith("-"):
        yield f"the name {name!r} must not begin or end with a hyphen"
    if "--" in name:
        yield f"the name {name!r} must not have two hyphens in a row"
    if not all(char.isalnum() or char == "-" for char in name):
        yield f"the name {name!r} must be of letters, digits and hyphens"
    if folder is not None and unicodedata.normalize("NFKC", folder) != name:
        yield f"the name {name!r} must match its folder {folder!r}"


def _iterate_optional_faults(fields: Mapping[str, Any]) -> Iterator[str]:
    for name in ("license", "allowed-tools"):
        if not isinstance(fields.get(name, ""), str):
            yield f"the field {name!r} must be a string"
    compatibility = fields.get("compatibility", "any")
    if not isinstance(compatibility, str) or not 1 <= len(compatibility) <= COMPATIBILITY:
        yield f"the field 'compatibility' must be a string of 1 to {COMPATIBILITY} characters"
    if not _is_string_map(fields.get("metadata", {})):
        yield "the field 'metadata' must be a map of strings to strings"


def _parse_skill(text: str) -> tuple[dict[str, Any], str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    bars = [index for index, line in enumerate(lines) if line.rstrip() == "---"]
    if bars[:1] != [0]:
        raise SkillError("a SKILL.md must begin with YAML frontmatter, after a line of '---'")
    if len(bars) < 2:
        raise SkillError("the frontmatter must be closed by a line of '---'")
    frontmatter = "\n".join(lines[1 : bars[1]])
    if len(frontmatter) > MOST_FRONTMATTER:
        raise SkillError(f"the frontmatter has more than {MOST_FRONTMATTER:,} characters")
    fields = _read_yaml(require("yaml", "context"), frontmatter)
    if not isinstance(fields, dict):
        raise SkillError("the frontmatter must be a YAML mapping")
    return fields, "\n".join(lines[bars[1] + 1 :]).strip()


def _read_yaml(yaml: ModuleType, text: str) -> Any:
    """Parse YAML that contains only strings, lists and maps. Refuse aliases and duplicate keys."""
    try:
        depth = 0
        for event in yaml.parse(text, yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not allowed")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MOST_NESTED:  # PyYAML's time is quadratic in the depth
                raise yaml.YAMLError("nested too deep")
        return _convert_yaml_node(yaml, yaml.compose(text, yaml.BaseLoader))
    # PyYAML also raises these: for escapes that are not characters
    except (yaml.YAMLError, ArithmeticError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise SkillError(f"invalid YAML in the frontmatter: {reason}") from error


def _convert_yaml_node(yaml: ModuleType, node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        pairs = [
            (_convert_yaml_node(yaml, key), _convert_yaml_node(yaml, value))
            for key, value in node.value
        ]
        if not all(isinstance(key, str) for key, _ in pairs):
            raise yaml.YAMLError("a key is not a string")
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            raise yaml.YAMLError("a key is given twice")
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_convert_yaml_node(yaml, item) for item in node.value]
    if node is not None:
        node.value.encode()  # an escape may be a lone surrogate
    return None if node is None else node.value


class SkillCatalog:
    """Lists skills in the prompt, one per line, and returns the body of a skill on request.

    `allowed` limits the skills to these names (None means all). The bodies of `required` skills are
    in the context from the start. `prohibited` skills are never offered. An unknown name raises
    `SkillError` (E704). If two skills have the same name, the later one is used.

    >>> pdf = Skill("pdf", "Read PDF files.", "Use pdftotext.")
    >>> tone = Skill("tone", "How we write.", "Short sentences.")
    >>> catalog = SkillCatalog([pdf, tone], required=["tone"])
    >>> print(catalog.prompt())
    Skills. Load one with load_skill before you do what it is for:
    - pdf: Read PDF files.
    >>> catalog.body("pdf")
    'Use pdftotext.'
    >>> [section.name for section in catalog.sections()]
    ['skills', 'skill tone']
    """

    def __init__(
        self,
        skills: Iterable[Skill] = (),
        *,
        required: Iterable[str] = (),
        allowed: Iterable[str] | None = None,
        prohibited: Iterable[str] = (),
        notes: Iterable[str] = (),
    ) -> None:
        by_name = {skill.name: skill for skill in skills}
        required_names = [*dict.fromkeys(required)]
        banned = {*prohibited}
        listed = [*by_name] if allowed is None else [*allowed]
        for name in (*required_names, *sorted(banned), *listed):
            if name not in by_name:
                raise _unknown_skill_error(name, by_name)
        offered = sorted({*listed, *required_names} - banned)
        self._offered = {name: by_name[name] for name in offered}
        self.required = tuple(self._offered[name] for name in required_names if name not in banned)
        self.notes = tuple(notes)

    @classmethod
    def load(
        cls,
        *directories: str | os.PathLike[str],
        required: Iterable[str] = (),
        allowed: Iterable[str] | None = None,
        prohibited: Iterable[str] = (),
    ) -> "SkillCatalog":
        """Read all skills in directories: the files `NAME/SKILL.md`.

        A later directory overrides an earlier one: pass the user's directory first, and the
        project's last. A skill that breaks a rule is kept, and an unreadable skill is omitted.
        `notes` reports both. Links must not lead outside a skill's folder or out of the directory.
        A path that is not a directory raises `SkillError` (E704).
        """
        skills: dict[str, Skill] = {}
        notes: list[str] = []
        for directory in map(Path, directories):
            for folder in _skill_folders(directory):
                try:
                    skill = read_skill(_read_skill_file(folder), folder.name)
                except SkillError as error:
                    notes.append(f"{folder.name} is left out: {error.msg}")
                    continue
                notes += (f"{folder.name}: {fault}" for fault in skill.faults)
                if skill.name in skills:
                    notes.append(f"{folder.name}: overrides an earlier skill of this name")
                skills[skill.name] = skill
        return cls(
            skills.values(), required=required, allowed=allowed, prohibited=prohibited, notes=notes
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the offered skills, sorted."""
        return tuple(self._offered)

    @property
    def skills(self) -> tuple[Skill, ...]:
        return tuple(self._offered.values())

    def prompt(self) -> str:
        """Return a prompt that lists the skills that a model can load, or "" if there are none."""
        lines = [skill.line for skill in self.skills if skill not in self.required]
        return "\n".join([_HEADING, *lines]) if lines else ""

    def body(self, name: str) -> str:
        """Return the body of an offered skill. Raises `SkillError` (E704) for another name."""
        if name not in self._offered:
            raise _unknown_skill_error(name, self._offered)
        return self._offered[name].body

    def sections(self) -> list[Section]:
        """Return the list of skills, and the bodies of required skills, as critical sections."""
        bodies = [Section(f"skill {skill.name}", skill.body) for skill in self.required]
        return [Section("skills", text) for text in [self.prompt()] if text] + bodies


def _unknown_skill_error(name: str, names: Iterable[str]) -> SkillError:
    candidates: Sequence[str] = sorted(names)
    near = get_close_matches(name, candidates, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(candidates) or 'none'}"
    return SkillError(f"no skill {name!r}", hint=hint)


def _skill_folders(directory: Path) -> list[Path]:
    try:
        names = sorted(name for name in os.listdir(directory) if not name.startswith("."))
        if len(names) > MOST_SKILLS:
            raise SkillError(f"{str(directory)!r} has more than {MOST_SKILLS:,} entries")
        return [directory / name for name in names if (directory / name).is_dir()]
    except OSError as error:
        reason = f"cannot read the skills of {str(directory)!r}: {error.strerror}"
        raise SkillError(reason) from error


def _read_skill_file(folder: Path) -> str:
    try:
        path = next((folder / name for name in _FILES if (folder / name).is_file()), None)
        if path is None:
            raise SkillError("it has no SKILL.md")
        if not path.resolve().is_relative_to(folder.parent.resolve() / folder.name):
            raise SkillError("its SKILL.md is a link to another place")
        with path.resolve().open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise SkillError(f"its SKILL.md has more than {MOST_BYTES:,} bytes")
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise SkillError(f"its SKILL.md cannot be read: {error}") from error
