"""Where a text may end when its rest is cut off: after a word, and never inside what is one fact.

A fact that spaces divide is a code span, a date with its month, a time, a number with its groups,
unit or scale ("2 mm", "1.2 million"), and an English negation with the words beside it: "must not
begin" does not become "must". A rule stays with the exception that its sentence makes ("unless").
What has no spaces in it (an identifier, a path, a URL) is a word.
"""

from collections.abc import Iterable, Iterator

from lton._patterns import compiled_when_used

_STOPS = "。！？、，；"  # noqa: RUF001 - they end clauses where words have no spaces between them
_PIECES = compiled_when_used(rf"[^\s{_STOPS}]+|[{_STOPS}]+")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_UNITS = (
    r"[kcm]?m|km|in|ft|yd|mi(?:les?)?|inch(?:es)?|feet|foot|yards?|(?:kilo|centi|milli)?met(?:er|re)s?"
    r"|[km]?g|mg|t|lbs?|oz|tons?|tonnes?|(?:kilo)?grams?|pounds?|ounces?|[mc]?l|lit(?:er|re)s?|gal"
    r"|[mun]?s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|decades?"
    r"|centuries|[kmgtp]i?b|[kmgt]?bytes?|bits?|[kmgt]?hz|[kmg]?w|[kmg]?wh|[km]?v|m?a|[kmg]?j|k?pa|bar"
    r"|degrees?|dollars?|euros?|cents?|usd|eur|gbp|chf|yen|tokens?|times|points?"
)
"""What a number is of, in short and in English."""
_FACTS = compiled_when_used(
    r"(?i:"
    r"(?<!`)(?P<ticks>`{1,3})(?!`)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?"
    rf"|\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}})?"
    r"|\b\d{4}-\d\d-\d\d\s\d\d?:\d\d"
    r"|\b\d\d?(?::\d\d)?\s[ap]\.?m\b"
    r"|\b\d{1,3}(?:\s\d{3})+\b"
    r"|[$€£¥]\s\d"
    r"|(?<![\w.,])\d[\d.,]*\s(?:%|(?:thousand|million|billion|trillion|percent|per\scent)\b"
    rf"|[°µμ]\w*|(?:{_UNITS})(?:[²³]|(?:/|\sper\s)\w+)?(?!\w))"
    r")"
)
_EXCEPTION = compiled_when_used(
    r"(?i:\b(?:unless|except(?:ing|ions?)?|excluding|other than|provided,?(?: however,)? that"
    r"|notwithstanding|save (?:for|where|as|that)"
    r"|es sei denn|au(?:ß|ss)er|(?:hiervon |davon )?ausgenommen|ausnahmen?|sofern nicht"
    r"|etwas anderes gilt|sauf|hormis|excepté|exception|à l.exception|à moins"
    r"|salvo|excepto|exceto|tranne|a menos|a meno|con excepción|ad eccezione|fatta eccezione"
    r"|com exceção|(?:se|quedan?) exceptú?u?a\w+|tenzij|behalve|met uitzondering"
    r"|z wyjątkiem|chyba że|oprócz|s výjimkou|kromě|ledaže|med undantag|undtagen|kivéve"
    r"|cu excepția|kecuali|(?:ngoại )?trừ|ancak"
    r"|за исключением|исключение|кроме(?! того)|если только|крім(?! того)|за винятком"
    r"|εκτός|με εξαίρεση|εξαιρ\w+|إلا|باستثناء|ما لم|सिवाय|बशर्ते|जब तक|다만|단,|제외"
    r"|למעט)(?!\w)"
    r"|그러하지 아니|[但除](?!了)|ただし|但し|もっとも、|例外|を除|ยกเว้น)"
)
_ELSE = compiled_when_used(
    r"(?i:only (?:if|where|when)|otherwise|or else|andernfalls|sonst|nur wenn|sinon|seulement si"
    r"|de lo contrario|solo si|altrimenti|caso contrário|anders|иначе|только если|w przeciwnym"
    r"|jinak|aksi|annars|ellers|muuten|وإلا|अन्यथा|그렇지 않으면)(?!\w)"
    r"|否则|否則|さもないと|そうでない"
)
_DENIES_ALL = compiled_when_used(
    r"(?i:\b(?:(?:does|do|shall) not apply|(?:is|are|shall be) exempt(?:ed)?"
    r"|(?:dies|das|satz \d|absatz \d|abs\. \d) gilt nicht|keine anwendung"
    r"|ne s.applique(?:nt)? pas|no se aplican?|non si applican?o?|não se aplicam?"
    r"|geldt niet|nie dotyczy|neplatí pro|hariç|uygulanmaz|gäller inte|gælder ikke|ei koske"
    r"|nem vonatkozik|не (?:относ|применя|распростран|стосу)\w+|و?لا يسري|को छोड़कर|लागू नहीं)(?!\w)"
    r"|この限りで|適用しない|不(?:适用|適用)|除外)"
)
"""What begins an exception from what was said before; what begins what holds else; and what says
anywhere in a sentence that something does not hold."""
_DENIALS = (
    " not apply", "exempt", "gilt nicht", "keine anwendung", "applique", "aplica", "applica",
    "geldt niet", "nie dotyczy", "neplatí", "hariç", "uygulanmaz", "gäller inte", "gælder ikke",
    "ei koske", "nem vonatkozik", "не ", "لا يسري", "को छोड़कर", "लागू नहीं", "この限りで",
    "適用しない", "不适用", "不適用", "除外",
)  # fmt: skip
"""What each of them has, which is found in a tenth of the time."""
_SENTENCE = compiled_when_used(r"(?:[^.!?。！？।؟\n]|\.(?=\S| \d)){1,3000}")  # noqa: RUF001
_NEAR = 120
"""Characters of a sentence that say whether it is an exception."""
_NEGATIONS = frozenset("cannot neither never no nor not without".split())
_AROUND = "\"'*_()[]"


def printable(text: str) -> str:
    r"""Get a text in which what cannot be printed is U+FFFD: marks of direction, ESC, surrogates.

    >>> printable("a\x1b[31m")
    'a�[31m'
    """
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def word_ends(text: str) -> list[int]:
    """Get the offsets at which a text may end, in their order.

    >>> text = "It must not begin before June 30."
    >>> [text[:end] for end in word_ends(text)][:3]
    ['It', 'It must not begin', 'It must not begin before']
    """
    facts = (fact.span() for fact in _FACTS.finditer(text))
    return list(outside(outside(_free_ends(text), facts), _with_exceptions(text)))


def outside(ends: Iterable[int], spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Get the offsets that are in no span; both come in order."""
    spans = iter(spans)
    first = last = 0
    for end in ends:
        while last <= end and (span := next(spans, None)):
            first, last = span
        if not first < end < last:
            yield end


def _with_exceptions(text: str) -> Iterator[tuple[int, int]]:
    """Get the spans of sentences that make an exception, of each to where that ends."""
    known = [each for each in (_EXCEPTION, _DENIES_ALL) if each.search(text)]
    for sentence in _SENTENCE.finditer(text) if known else ():
        if any(each.search(text, *sentence.span()) for each in known):
            yield sentence.span()


def excepts(text: str, start: int) -> bool:
    """Say whether the sentence that begins behind an offset is an exception from those before.

    >>> text = "It is free. Students are exempt. It is open."
    >>> excepts(text, 11), excepts(text, 32)
    (True, False)
    """
    said = _SENTENCE.match(text[start : start + _NEAR].lstrip())
    if not said:
        return False
    begins = _EXCEPTION.match(said[0]) or _ELSE.match(said[0])
    if begins:
        return True
    small = said[0].lower()
    return any(map(small.__contains__, _DENIALS)) and bool(_DENIES_ALL.search(said[0]))


def _free_ends(text: str) -> Iterator[int]:
    """Get the offsets after words that are no negations and come before none."""
    waiting: int | None = None
    for piece in _PIECES.finditer(text):
        word, end = piece[0], piece.end()
        if waiting is not None and not _denies(word.rstrip(".,;:!?")):
            yield waiting
        after = text[end : end + 1]
        is_end = not after or after.isspace() or (word[0] in _STOPS and not after.isdigit())
        waiting = end if is_end and not _denies(word) else None
    if waiting is not None:
        yield waiting


def _denies(word: str) -> bool:
    bare = word.strip(_AROUND).casefold().replace("’", "'")  # noqa: RUF001 - as many print it
    return bare in _NEGATIONS or bare.endswith("n't")
