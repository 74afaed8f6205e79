"""Read e-mails (EML): the headers that a mail program shows, the text, and names of attachments.

Of two alternatives, the one that lacks fewer words of the other is shown: the plain text, or the
page.
"""

import re
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from lton.documents.layout import missing_note
from lton.documents.web_page import check_tags, page_text

_OTHER = "word of another alternative"
_WORD = re.compile(r"[^\W_]+")
_SHOWN = ("From", "To", "Cc", "Date", "Subject")


def read_mail(content: bytes) -> Iterator[str]:
    """Yield the text of an e-mail, and of e-mails that are attached to it, as pages."""
    yield from _read_pages(message_from_bytes(content, policy=policy.default))


def _read_pages(message: EmailMessage) -> Iterator[str]:
    lines = [f"{name}: {message[name]}" for name in _SHOWN if message[name]]
    inner: list[EmailMessage] = []
    bodies: list[EmailMessage] = []
    amounts: Counter[str] = Counter()
    _sort_parts(message, bodies, inner, lines, amounts)
    for body in bodies:
        text, missing = _body_text(body)
        lines += ["", text.strip()]
        amounts["hidden character"] += missing
    yield "\n".join([*lines, *missing_note(amounts)])
    for attached in inner:
        yield from _read_pages(attached)


def _sort_parts(
    part: EmailMessage,
    bodies: list[EmailMessage],
    inner: list[EmailMessage],
    lines: list[str],
    amounts: Counter[str],
) -> None:
    """Sort the parts of an e-mail into texts, attached e-mails, and lines about other files."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        inner += cast("list[EmailMessage]", part.get_payload())
    elif part.is_multipart() or kind == "multipart/alternative":
        for child in _shown_parts(part, amounts):
            _sort_parts(child, bodies, inner, lines, amounts)
    elif part.get_content_maintype() == "text" and not part.is_attachment():
        bodies.append(part)
    else:
        name = part.get_filename() or "without a name"
        lines.append(f"[Attachment: {name}, {kind}]")


def _shown_parts(part: EmailMessage, amounts: Counter[str]) -> list[EmailMessage]:
    """Return the parts of a multipart part; of alternatives, the one with more of the text."""
    parts = cast("list[EmailMessage]", list(part.iter_parts()))
    if part.get_content_type() != "multipart/alternative":
        return parts
    plain = [choice for choice in parts if choice.get_content_type() == "text/plain"][-1:]
    pages = [choice for choice in parts if choice.get_content_type() == "text/html"][-1:]
    if not plain or not pages:
        return plain or parts[-1:]
    plain_words = _words(plain[0])
    page_words = _words(pages[0])
    only_plain = plain_words - page_words
    only_page = page_words - plain_words
    amounts[_OTHER] += min(len(only_plain), len(only_page))
    return pages if len(only_page) > len(only_plain) else plain


def _words(part: EmailMessage) -> set[str]:
    text, _ = _body_text(part)
    return {word.lower() for word in _WORD.findall(text)}


def _body_text(part: EmailMessage) -> tuple[str, int]:
    raw = part.get_payload(decode=True)
    content = raw if isinstance(raw, bytes) else b""
    charset = part.get_content_charset() or "utf-8"
    try:
        text = content.decode(charset, "replace")
    except LookupError:  # an unknown character set
        text = content.decode("utf-8", "replace")
    if part.get_content_subtype() != "html":
        return text, 0
    page = text.encode("utf-8", "replace")
    check_tags(page)
    return page_text(page) if text.strip() else ("", 0)
