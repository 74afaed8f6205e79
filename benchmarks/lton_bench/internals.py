"""Private parts of `lton` that benchmarks use: only this module imports them.

A benchmark that needs more adds a name here, so that the library sees what it may not rename.
"""

from lton._json import minified, read_json
from lton._require import missing_extra, require
from lton._shells import can_be_cut
from lton._syntax import (
    CLOSING,
    FOR_MODELS,
    FORBIDDEN,
    FORMS,
    LETTERS,
    NULL_ATOM,
    REPEAT,
    ROW_END,
    SIGIL,
    SKIP,
    Form,
    Thoughts,
    find_thought_marks,
    spell_name,
    spell_number,
    spell_tagged_key,
    spell_text,
)
from lton._terminal import UsageError, progress, say, table, write

__all__ = [
    "CLOSING",
    "FORBIDDEN",
    "FORMS",
    "FOR_MODELS",
    "LETTERS",
    "NULL_ATOM",
    "REPEAT",
    "ROW_END",
    "SIGIL",
    "SKIP",
    "Form",
    "Thoughts",
    "UsageError",
    "can_be_cut",
    "find_thought_marks",
    "minified",
    "missing_extra",
    "progress",
    "read_json",
    "require",
    "say",
    "spell_name",
    "spell_number",
    "spell_tagged_key",
    "spell_text",
    "table",
    "write",
]
