"""Read e-mails (EML): the headers that a mail program shows, the text, and names of attachments."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from lton.documents.layout import missing_note
from lton.documents.web_page import check_tags, page_text

_SHOWN = ("From", "To", "Cc", "Date", "Subject")


def read_mail(content: bytes) -> Iterator[str]:
    """Yield the text of an e-mail, and of e-mails that are attached to it, as pages."""
    yield from _read_pages(message_from_bytes(content, policy=policy.default))


def _read_pages(message: EmailMessage) -> Iterator[str]:
    lines = [f"{name}: {message[name]}" for name in _SHOWN if message[name]]
    inner: list[EmailMessage] = []
    bodies: list[EmailMessage] = []
    _sort_parts(message, bodies, inner, lines)
    hidden = 0
    for body in bodies:
        text, missing = _body_text(body)
        lines += ["", text.strip()]
        hidden += missing
    yield "\n".join([*lines, *missing_note({"hidden character": hidden})])
    for attached in inner:
        yield from _read_pages(attached)


def _sort_parts(
    part: EmailMessage, bodies: list[EmailMessage], inner: list[EmailMessage], lines: list[str]
) -> None:
    """Sort the parts of an e-mail into texts, attached e-mails, and lines about other files."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        inner += cast("list[EmailMessage]", part.get_payload())
    elif part.is_multipart() or kind == "multipart/alternative":
        for child in _shown_parts(part):
            _sort_parts(child, bodies, inner, lines)
    elif part.get_content_maintype() == "text" and not part.is_attachment():
        bodies.append(part)
    else:
        name = part.get_filename() or "without a name"
        lines.append(f"[Attachment: {name}, {kind}]")


def _shown_parts(part: EmailMessage) -> list[EmailMessage]:
    """Return the parts of a multipart part; of alternatives, the plain text or the last one."""
    parts = cast("list[EmailMessage]", list(part.iter_parts()))
    if part.get_content_type() != "multipart/alternative":
        return parts
    plain = [choice for choice in parts if choice.get_content_type() == "text/plain"]
    return plain[-1:] or parts[-1:]


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
