"""Find the ends of sentences by the rules of Unicode (UAX #29) and by additional tables.

By Unicode's rules, no sentence ends before a lowercase letter, a digit or a comma. A table lists
abbreviations and ordinals ("z. B.", "am 3. Mai"). An exception belongs to the sentence before it.
In case of doubt, a sentence continues, because a part of it could be misleading.
"""

import unicodedata
from collections.abc import Iterator

from lton._patterns import compiled_when_used
from lton.context.cuts import WORDS, begins_exception, make_words_pattern

_TERMINALS = "!?‼‽⁇⁈⁉⸮։؟۔؝؞؟܀܁܂߹।॥၊။።፧፨᙮᜵᜶᠃᠉᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿。꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫﹒﹖﹗！？｡"
"""Characters that only end sentences, in all scripts (Sentence_Terminal), and "…"."""
_CLOSERS = "\"'”’“‘»›)\\]}」』）】〉》〕＂＇"
_ENDS = compiled_when_used(
    r"\n[^\S\n]*\n"  # a paragraph ends
    r"|[\n\r]"
    rf"|[.．…{_TERMINALS}]+[{_CLOSERS}]*"
    r"|(?<=[Ͱ-Ͽἀ-῿])[;\u037e](?=\s)"  # the Greek question mark
)
_NO_SPACES = compiled_when_used(
    r"[\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
)
"""Scripts without spaces between sentences, and with wide letters."""
_GOES_ON = frozenset(",-:;–—՝،؍߸᠂᠈、︐︑︓︱︲﹐﹑﹕﹘﹣，－：､%/=")
"""Characters that continue a sentence (SContinue), and signs."""
_IN_WORD = r"[^\s()\[\]{}\"'“”‘’„‚«»‹›¿¡「『（/]"
_WORD_BEFORE = compiled_when_used(rf"(?<!{_IN_WORD}){_IN_WORD}+$")
_SHORTENED = frozenset(" ".join(WORDS["abbreviations"].values()).split())  # abbreviations
_NO_VOWELS = compiled_when_used(r"[bcdfghj-np-tvwxzđł]{2,5}$|[б-джзк-нп-тф-щћђљњџ]{2,5}$")
"""Abbreviations without vowels: "tzn", "čl", "грн"."""
_DOTTED = compiled_when_used(r"[^\W\d_]{1,3}(?:\.[^\W\d_]{1,3})+$")
"""Abbreviations of several words: "t.ex", "m.in", "Ph.D"."""
_STARTERS = frozenset(WORDS["starters"].split())
_ORDINAL = compiled_when_used(r"(?:^|[^\w.,])(?:\d{1,3}|[IVXLC]{2,7})$")
"""A number that may be an ordinal: "am 3. Mai", "Ludwig XIV."."""
BUT = compiled_when_used(make_words_pattern("limits"))
"""The start of a sentence that limits or answers the previous one."""
_COUNTED = compiled_when_used(r"\d{1,3}[.)]\s+\D")  # The start of an item in an inline list
_FULL = 60  # A longer line without a full stop may continue on the next line
_LIMIT = 40
_BRIEF = 5  # A shorter word may be an abbreviation before a number


def iterate_sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets at which sentences end.

    >>> text = "Das gilt z. B. ab dem 3. Mai. Danach nicht! Oder?"
    >>> [text[:at] for at in iterate_sentence_ends(text, 0, len(text))][0]
    'Das gilt z. B. ab dem 3. Mai.'
    """
    line = start
    for match in _ENDS.finditer(text, start, end):
        mark = match[0]
        if mark[0] == "\n" or mark[0] == "\r":
            at = match.start()
            is_end = len(mark) > 1 or _line_end_ends_sentence(text, line, at, end)
            if is_end and not begins_exception(text, match.end()):
                yield at
            line = match.end()
        elif _ends_sentence(text, match.start(), match.end()):
            yield match.end()


def _line_end_ends_sentence(text: str, start: int, at: int, end: int) -> bool:
    """Return whether the end of a line without a full stop ends a sentence."""
    after = text[at + 1 : min(end, at + _LIMIT)].lstrip()[:1]
    if after.islower():
        return False
    columns = at - start
    if columns < _FULL:
        columns += len(_NO_SPACES.findall(text, start, at))
    return columns < _FULL or not (after.isalnum() or after in "\"'(")


def _ends_sentence(text: str, at: int, end: int) -> bool:
    tail = text[end : end + _LIMIT]
    after = tail.lstrip()
    if tail and len(after) == len(tail) and not _ends_without_space(text, at, end):
        return False
    if after[:1].islower() or after[:1] in _GOES_ON or begins_exception(text, end):
        return False  # an exception belongs to its rule
    return text[at] not in ".．" or _is_full_stop(text, at, after)


def _ends_without_space(text: str, at: int, end: int) -> bool:
    """Return whether a sentence may end without a space after it, as in Japanese."""
    is_wide = text[at] in "．｡" or _NO_SPACES.match(text[at])
    is_quoted = text[end - 1] in "”’“‘」』\"'"
    if text[at] in "।॥۔؟።":
        return not text[end].isdigit()
    return bool(is_wide) and not text[end].isdigit() and not (is_quoted and text[end].isalnum())


def _is_full_stop(text: str, at: int, after: str) -> bool:
    tail = text[max(0, at - _LIMIT) : at]
    before = _WORD_BEFORE.search(tail)
    word = before[0] if before else ""
    earlier = tail[: len(tail) - len(word)].rstrip(" ")
    is_brief = len(word) < _BRIEF and not _COUNTED.match(after)
    if after[:1].isdigit() and (word[-1:].isdigit() or is_brief):
        return False  # "1. 2. 2024", "2024. 3. 5.", "Rs. 500"
    if _ORDINAL.search(word) and (not earlier or earlier[-1] in f".\n\r{_TERMINALS}"):
        return False  # "1. The rent is 5. 2. The deposit is 9."
    is_initials = len(word) > 1 and word[-2] in ".-" and word[-1].isalpha()
    if is_initials or _ORDINAL.search(word) or _DOTTED.match(word):
        return bool(after) and (after[0] in "¿¡" or after.split(maxsplit=1)[0] in _STARTERS)
    return not _is_short(word, is_unit=earlier[-1:].isdigit())


def _is_short(word: str, *, is_unit: bool) -> bool:
    small = unicodedata.normalize("NFC", word).lower()
    if len(word) == 1 and word.isalpha():
        return True
    if small in _SHORTENED or small.endswith("str"):
        return True
    if is_unit or word.isupper() or not small.isalpha():
        return False
    bare = "".join(filter(str.isalpha, unicodedata.normalize("NFD", small)))  # no accents
    return bool(_NO_VOWELS.match(bare))
