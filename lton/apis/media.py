"""Convert images, documents and sounds between the APIs."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton.chat import Other, Text

Kind: TypeAlias = Literal["image", "document", "sound"]
_TEXTS = ("text/plain", "text/markdown", "text/csv", "text/html")
"""Media types of documents that become text. Anthropic's API takes only PDF in base64."""
_NAME = "document.pdf"  # OpenAI requires a file name with file data


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, a document or a sound. `file_id` is only valid for the provider in `store`."""

    kind: Kind
    url: str = ""
    file_id: str = ""
    store: Literal["openai", "anthropic"] = "openai"
    name: str = ""
    detail: str = ""  # how closely a model should look at an image
    sound: Any = None


WriteMedia: TypeAlias = Callable[[Media], Mapping[str, Any] | None]
"""Writes media for an API, or returns None if the API does not accept them."""


def try_convert_media(part: Other, try_write_media: WriteMedia) -> tuple[Text | Other, ...] | None:
    """Convert a message part for an API, or return None if the API has no such part.

    `try_write_media` writes media for the API. Text documents and search results become text if the
    API has no documents.
    """
    if (texts := _find_texts(part.value, try_write_media)) is not None:
        return texts or None
    media = find_media(part.value)
    part_value = try_write_media(media) if media else None
    return (Other(part_value),) if part_value else None


def find_media(value: Any) -> Media | None:  # noqa: PLR0911 - one a kind
    """Return the image, document or sound in a message part, or None for any other part."""
    match value:
        case {"type": "image_url", "image_url": {"url": str(url), **more}}:
            return Media(kind="image", url=url, detail=_string_in(more, "detail"))
        case {"type": "image_url" | "input_image", "image_url": str(url)}:
            return Media(kind="image", url=url, detail=_string_in(value, "detail"))
        case {"type": "input_image", "file_id": str(file_id)}:
            return Media(kind="image", file_id=file_id, detail=_string_in(value, "detail"))
        case {"type": "file", "file": dict(file)} | {"type": "input_file", **file}:
            return _find_file(file)
        case {"type": "image" | "document" as kind, "source": dict(source)}:
            return _find_source(kind, source, _string_in(value, "title"))
        case {"type": "input_audio", "input_audio": dict(sound)} if sound:
            return Media(kind="sound", sound=sound)
        case {"fileData": dict(file)} | {"file_data": dict(file)}:
            return _find_gemini_file(file)
    return None


def _find_gemini_file(file: Mapping[Any, Any]) -> Media | None:
    """Return an image at a public address, which Gemini's API may name instead of its data.

    Only Google reads files that are stored there.
    """
    kind = _string_in(file, "mimeType") or _string_in(file, "mime_type")
    url = _string_in(file, "fileUri") or _string_in(file, "file_uri")
    is_public = url.startswith(("https://", "http://")) and "googleapis.com/" not in url
    return Media(kind="image", url=url) if is_public and kind.startswith("image/") else None


def try_write_chat_media(media: Media) -> dict[str, Any] | None:
    """Write an image, document or sound for chat completions, which have no ids of images."""
    if media.store != "openai":
        return None
    if media.sound:
        return {"type": "input_audio", "input_audio": media.sound}
    if media.kind == "document":
        return {"type": "file", "file": _write_file(media, takes_urls=False)}
    if media.file_id:
        return None
    return {"type": "image_url", "image_url": {"url": media.url, **_detail_of(media)}}


def try_write_responses_media(media: Media) -> dict[str, Any] | None:
    """Write an image, document or sound for OpenAI's responses API."""
    if media.store != "openai":
        return None
    if media.sound:
        return {"type": "input_audio", "input_audio": media.sound}
    if media.kind == "document":
        return {"type": "input_file", **_write_file(media, takes_urls=True)}
    source = {"file_id": media.file_id} if media.file_id else {"image_url": media.url}
    return {"type": "input_image", **source, **_detail_of(media)}


def try_write_messages_media(media: Media) -> dict[str, Any] | None:
    """Write an image or document for Anthropic's API, which has no sounds."""
    if media.file_id or media.sound:  # the other provider does not have the file
        return None
    text = _find_document_text(media)
    if text is None:
        return _write_source(media)
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source, **_title_of(media)}


def _detail_of(media: Media) -> dict[str, str]:
    return {"detail": media.detail} if media.detail else {}


# --- text documents -------------------------------------------------------------------------------


def _find_texts(value: Any, try_write_media: WriteMedia) -> tuple[Text | Other, ...] | None:
    """Convert a text document or search result. Return () if invalid, None for other parts."""
    match value:
        case {"type": "document", "source": {"type": "text", "data": str(text)}} | {
            "type": "document",
            "source": {"type": "content", "content": str(text)},
        }:
            return (_describe_document(value, text),)
        case {"type": "document", "source": {"type": "content", "content": [*blocks]}} | {
            "type": "search_result",
            "content": [*blocks],
        }:
            return _read_blocks(value, blocks, try_write_media)
        case {"type": "tool_reference", "tool_name": str(name)}:
            return (Text(f"The tool {name} can be called now."),)
    return None


def _describe_document(value: Mapping[str, Any], text: str) -> Text:
    head = [_string_in(value, key) for key in ("title", "source", "context")]
    return Text("\n".join([*filter(None, head), text]))


def _read_blocks(
    value: Mapping[str, Any], blocks: list[Any], try_write_media: WriteMedia
) -> tuple[Text | Other, ...]:
    parts = list[Text | Other]()
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                parts.append(Text(text))
            case dict() if media := try_convert_media(Other(block), try_write_media):
                parts += media
            case _:
                return ()
    match parts:
        case [Text(text), *others]:
            return _describe_document(value, text), *others
    return _describe_document(value, ""), *parts


def _find_document_text(media: Media) -> str | None:
    head, comma, data = media.url.partition(",")
    kind = head.removeprefix("data:").split(";")[0]
    if media.kind != "document" or not comma or kind not in _TEXTS or "base64" not in head:
        return None
    try:
        return b64decode(data, validate=True).decode()
    except ValueError:
        return None


# --- files and sources ----------------------------------------------------------------------------


def _find_file(file: Mapping[Any, Any]) -> Media | None:
    name = _string_in(file, "filename")
    match file:
        case {"file_data": str(data)} if data:
            # Some clients send only the data.
            is_url = data.startswith(("data:", "http:", "https:"))
            url = data if is_url else f"data:application/pdf;base64,{data}"
            return Media(kind="document", url=url, name=name)
        case {"file_url": str(url)} if url:
            return Media(kind="document", url=url, name=name)
        case {"file_id": str(file_id)} if file_id:
            return Media(kind="document", file_id=file_id, name=name)
    return None


def _write_file(media: Media, *, takes_urls: bool) -> dict[str, Any]:
    name = {"filename": media.name} if media.name else {}
    if media.file_id:
        return {"file_id": media.file_id, **name}
    if takes_urls and not media.url.startswith("data:"):
        return {"file_url": media.url, **name}
    return {"filename": media.name or _NAME, "file_data": media.url}


def _find_source(kind: Kind, source: Mapping[str, Any], name: str) -> Media | None:
    match source:
        case {"type": "url", "url": str(url)}:
            return Media(kind=kind, url=url, name=name)
        case {"type": "base64", "media_type": str(media), "data": str(data)}:
            return Media(kind=kind, url=f"data:{media};base64,{data}", name=name)
        case {"type": "file", "file_id": str(file_id)}:
            return Media(kind=kind, file_id=file_id, store="anthropic", name=name)
    return None


def _write_source(media: Media) -> dict[str, Any]:
    head, comma, data = media.url.partition(",")
    source = {"type": "url", "url": media.url}
    if comma and head.startswith("data:") and head.endswith(";base64"):
        source = {"type": "base64", "media_type": head[5:-7], "data": data}
    return {"type": media.kind, "source": source, **_title_of(media)}


def _title_of(media: Media) -> dict[str, str]:
    return {"title": media.name} if media.name else {}


def _string_in(holder: Mapping[Any, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""
