"""Find the names of tools in an output, even if they are misspelled."""

import re

from lton._patterns import compiled_when_used
from lton._syntax import FINGERPRINT, NAME, NAME_CLASS, QUOTED, REPEAT, SIGIL, spell_name
from lton.codec import decode
from lton.errors import DecodeError, RepairCode
from lton.lenient._arguments import is_shaped
from lton.lenient._call_elements import find_key_after_name
from lton.lenient._candidates import Head, make_moved_error
from lton.lenient._coerce import normalize_name
from lton.lenient._marks import REPEATS, SIGILS
from lton.lenient._openings import PLAIN_START, is_call_word
from lton.lenient._spans import Spans
from lton.schema.toolset import ToolSet

_AFTER_NAME = frozenset(["", *" \t\r\n(:{#`<["])
_CONTENT_TYPE = compiled_when_used(r"[ \t]+[A-Za-z]\w{0,30}(?=[\s{<]|\Z)")
"""A word after a recipient that is not an argument: `to=functions.f json`."""
_NAMESPACE = compiled_when_used(r"(?:functions|default_api)\.")
_MAY_BEGIN = compiled_when_used(
    rf"{SIGILS.pattern}|[{re.escape(''.join(QUOTED))}]|[{NAME_CLASS}]++\(|{REPEAT}\("
)
"""The start of a call inside another one: a sigil, a name in quotes, or a parenthesis."""
_NUMBERED = compiled_when_used(r"functions_(\w+)_\d{1,4}")  # Kimi's id: `functions_f_2`


class Names:
    """Finds the names of tools in an output. Without tools, every name is accepted."""

    def __init__(self, src: str, tools: ToolSet | None, spans: Spans) -> None:
        self.src = src
        self.tools = tools
        self.spans = spans
        self.by_name = tools.by_name if tools is not None else {}
        self.bare = {tool.name for tool in tools or () if not tool.args.by_name}
        """The names of the tools that take no arguments."""
        self.folded: dict[str, str | None] = {}
        for tool in tools or ():
            key = normalize_name(tool.name)
            self.folded[key] = None if key in self.folded else tool.name
        self._plain_words = set[str]()
        # A model may have seen the original names of the tools, too.
        own_names = tools._derived.own_names if tools is not None else {}
        for alias, name in own_names.items():
            self.folded.setdefault(normalize_name(name), alias)

    def try_read_head(self, pos: int) -> Head | None:
        """Return the name of a known tool at a position, after an optional sigil, or None."""
        src = self.src
        above = self.spans.above if self.tools is not None else None
        if above and REPEATS.match(src, pos):
            return Head(pos, "", pos + 1, pos + 1, above, is_exact=True, repeats=True)
        match = None if self.read_name(pos)[1] in self.by_name else SIGILS.match(src, pos)
        sigil, start = (match[0], match.end()) if match else ("", pos)
        end, word = self.read_name(start)
        is_ended = word and (
            src[end : end + 1] in _AFTER_NAME or find_key_after_name(src, end) is not None
        )
        name = self.find_tool(word) if is_ended else None
        if name is None or (self.tools is None and not (sigil or is_shaped(src, end))):
            return None
        is_exact = name == word
        notes = list[tuple[int, RepairCode]]()
        if sigil not in ("", SIGIL):
            notes.append((pos, RepairCode.SIGIL))
        if not is_exact:
            notes.append((start, RepairCode.NAME))
        args = self._skip_fingerprint(end, name)
        if sigil.startswith("to=") and (type_ := _CONTENT_TYPE.match(src, args)):
            notes = [*notes, (args, RepairCode.FRAME)]
            end = args = type_.end()
        return Head(pos, sigil, end, args, name, is_exact, tuple(notes))

    def _skip_fingerprint(self, end: int, name: str) -> int:
        mark = FINGERPRINT.match(self.src, end)
        if mark is None or self.tools is None:
            return end
        fingerprint = self.tools.fingerprint_of(self.tools.by_name[name])
        return mark.end() if mark[1] == fingerprint else end

    def read_name(self, pos: int) -> tuple[int, str]:
        """Read a bare or quoted name and return its end and the name ("" if there is no name)."""
        if match := NAME.match(self.src, pos):
            return match.end(), match[0]
        quoted = QUOTED.get(self.src[pos : pos + 1])
        match = quoted.match(self.src, pos) if quoted else None
        return (match.end(), match[1]) if match and match[2] else (pos, "")

    def find_tool(self, word: str) -> str | None:
        """Return the tool that a word names, or None. Without tools, return the word."""
        if self.tools is None or word in self.tools.by_name:
            return word
        word = _NAMESPACE.sub("", word, count=1)
        name = self.folded.get(normalize_name(word))
        if name is None and (match := _NUMBERED.fullmatch(word)):
            name = self.find_tool(match[1])
        return name

    def find_plain_start(self, pos: int) -> int | None:
        """Return where the text of a line begins, or None if it may be a call or a quotation."""
        match = PLAIN_START.match(self.src, pos)
        if match is None:
            return None
        word = match[2]
        if word and word not in self._plain_words:
            if self.find_tool(word) is not None or is_call_word(word):
                return None
            self._plain_words.add(word)
        return match.end(1)

    def begins_call(self, pos: int) -> bool:
        if not _MAY_BEGIN.match(self.src, pos):
            return False
        head = self.try_read_head(pos)
        return head is not None and bool(head.sigil or self.src.startswith("(", head.end))

    def unknown_tool_error(self, name: str, pos: int) -> DecodeError:
        try:
            decode(spell_name(name), self.tools)
        except DecodeError as error:
            return make_moved_error(error, self.src, pos)
        raise AssertionError  # pragma: no cover - the caller has checked the name
