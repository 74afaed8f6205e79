"""Read e-mails (EML): the headers that a mail program shows, the texts, and names of attachments.

Of several alternatives, the one that lacks the fewest words of the others is shown, and the missing
words are counted. Attached texts and attached e-mails are read; of other files, the names are
given.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import reduce
from operator import or_
from typing import cast

from lton.documents.layout import count_characters, write_missing_note
from lton.documents.web_page import check_tags, read_page_and_missing_count

_OTHER = "word of another alternative"
_AFTER = "character after the last part"
_WORD = re.compile(r"[^\W_]+")
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_ENRICHED_TAG = re.compile(r"<param>.*?</param>|<(?!<)[^<>]*>", re.DOTALL | re.IGNORECASE)
_FILES = frozenset(["text/rtf", "text/richtext"])
"""Kinds of texts with marks that no reader of texts shows."""
_SUPERSETS = {
    "ascii": "cp1252", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030",
    "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "shift_jis": "cp932",
}  # fmt: skip
"""Encodings that contain more characters than the declared ones, as in the Encoding Standard."""


def iterate_mail_lines(content: bytes) -> Iterator[str]:
    """Yield the text of an e-mail, and of e-mails that are attached to it, as pages."""
    yield from _iterate_mail_pages(message_from_bytes(content, policy=policy.default))


def _iterate_mail_pages(message: EmailMessage) -> Iterator[str]:
    lines = [f"{name}: {message[name]}" for name in _SHOWN if message[name]]
    content = _read_part(message)
    texts = [text.strip() for text in content.texts]
    lines += [
        *content.files,
        *(f"\n{text}" for text in texts),
        *write_missing_note(content.amounts),
    ]
    yield "\n".join(lines)
    for attached in content.mails:
        yield from _iterate_mail_pages(attached)


@dataclass
class _Content:
    """What a part of an e-mail contains."""

    texts: list[str] = field(default_factory=list)
    mails: list[EmailMessage] = field(default_factory=list)
    files: list[str] = field(default_factory=list)  # a line for each file that is not read
    amounts: Counter[str] = field(default_factory=Counter)  # of what is missing
    is_choice: bool = False  # whether it may replace, or be replaced by, another alternative


def _read_part(part: EmailMessage) -> _Content:
    kind = part.get_content_type()
    if kind == "message/rfc822":
        return _Content(mails=cast("list[EmailMessage]", part.get_payload()))
    if part.is_multipart():
        contents = [_read_part(child) for child in cast("list[EmailMessage]", part.get_payload())]
        if kind == "multipart/alternative":
            contents = _without_repeated_alternatives(contents)
        rest = count_characters(str(part.epilogue or ""))
        return _join_contents([*contents, _Content(amounts=Counter({_AFTER: rest}))])
    label = f"[Attachment: {part.get_filename() or 'without a name'}, {kind}]"
    # A multipart part that cannot be divided is a text, too.
    if part.get_content_maintype() not in ("text", "multipart") or kind in _FILES:
        return _Content(files=[label])
    text, amounts = _read_text_and_missing(part)
    if part.is_attachment():
        return _Content([f"{label}\n{text.strip()}"], amounts=amounts)
    is_choice = kind in ("text/plain", "text/enriched") or kind.endswith("html")
    return _Content([text], amounts=amounts, is_choice=is_choice)


def _join_contents(contents: Iterable[_Content]) -> _Content:
    whole = _Content()
    for content in contents:
        whole.texts += content.texts
        whole.mails += content.mails
        whole.files += content.files
        whole.amounts += content.amounts
        whole.is_choice = whole.is_choice or content.is_choice
    return whole


def _without_repeated_alternatives(contents: list[_Content]) -> list[_Content]:
    """Return the alternatives without the texts that repeat another text.

    The text that lacks the fewest words of the others is left, or the first of them. Alternatives
    of other kinds, such as an entry of a calendar, are left, too.
    """
    choices = [content for content in contents if content.is_choice]
    if len(choices) > 1:
        words = [_count_words(choice.texts) for choice in choices]
        whole = reduce(or_, words)
        lacking = [(whole - some).total() for some in words]
        chosen = choices[lacking.index(min(lacking))]
        chosen.amounts[_OTHER] += min(lacking)
        for choice in choices:
            if choice is not chosen:
                choice.texts = []
                choice.amounts = Counter()
    return contents


def _count_words(texts: list[str]) -> Counter[str]:
    return Counter(word.lower() for text in texts for word in _WORD.findall(text))


def _read_text_and_missing(part: EmailMessage) -> tuple[str, Counter[str]]:
    """Return the text of a part, and how many of its characters are missing."""
    raw = part.get_payload(decode=True)
    text, unreadable = _decode_text_and_count_missing(raw if isinstance(raw, bytes) else b"", part)
    amounts = Counter({"unreadable character": unreadable})
    subtype = part.get_content_subtype()
    if subtype == "enriched":
        text = _ENRICHED_TAG.sub("", text).replace("<<", "<")
    elif subtype.endswith("html") and text.strip():
        page = text.encode("utf-8", "replace")
        check_tags(page)
        text, amounts["hidden character"] = read_page_and_missing_count(page)
    return text, amounts


def _decode_text_and_count_missing(content: bytes, part: EmailMessage) -> tuple[str, int]:
    """Decode a text, and count the characters that no encoding has.

    If the declared encoding is wrong, it is UTF-8 or, at last, the declared one in part.
    """
    declared = part.get_content_charset() or "ascii"
    try:
        name = codecs.lookup(declared).name
        "".encode(name)  # some codecs are not of text
    except LookupError:  # an unknown character set
        name = "ascii"
    name = _SUPERSETS.get(name, name)
    encodings = ("utf-8", name) if name == "cp1252" else (name, "utf-8")
    for encoding in encodings:
        try:
            return content.decode(encoding), 0
        except UnicodeDecodeError:
            continue
    text = content.decode(name, "replace")
    return text, text.count("\ufffd")
