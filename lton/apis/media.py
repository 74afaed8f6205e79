"""Convert images, documents and sounds between the three APIs."""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from lton.apis.names import ApiName
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


def media_for(part: Other, api: ApiName) -> tuple[Text | Other, ...] | None:
    """Convert a message part for an API, or return None if the API has no such part.

    Text documents and search results become text if the API has no documents.
    """
    if (texts := _texts_of(part.value, api)) is not None:
        return texts or None
    found = read_media(part.value)
    if found is not None and api == "messages" and (text := _text_of(found)) is not None:
        source = {"type": "text", "media_type": "text/plain", "data": text}
        return (Other({"type": "document", "source": source, **_title_of(found)}),)
    written = found and write_media(found, api)
    return (Other(written),) if written else None


def read_media(value: Any) -> Media | None:  # noqa: PLR0911 - one a kind
    """Return the image, document or sound in a message part, or None for any other part."""
    match value:
        case {"type": "image_url", "image_url": {"url": str(url), **more}}:
            return Media(kind="image", url=url, detail=_string(more, "detail"))
        case {"type": "image_url" | "input_image", "image_url": str(url)}:
            return Media(kind="image", url=url, detail=_string(value, "detail"))
        case {"type": "input_image", "file_id": str(file_id)}:
            return Media(kind="image", file_id=file_id, detail=_string(value, "detail"))
        case {"type": "file", "file": dict(file)} | {"type": "input_file", **file}:
            return _file(file)
        case {"type": "image" | "document" as kind, "source": dict(source)}:
            return _source(kind, source, _string(value, "title"))
        case {"type": "input_audio", "input_audio": dict(sound)} if sound:
            return Media(kind="sound", sound=sound)
    return None


def write_media(media: Media, api: ApiName) -> dict[str, Any] | None:
    """Write an image, document or sound for an API; return None if the API does not accept it."""
    if media.file_id and (media.store == "anthropic" or api == "messages"):
        return None  # the other provider does not have the file
    if api == "messages":
        return None if media.sound else _write_source(media)
    if media.sound:
        return {"type": "input_audio", "input_audio": media.sound}
    if media.kind == "document":
        return _write_file(media, api)
    detail = {"detail": media.detail} if media.detail else {}
    if api == "responses":
        place = {"file_id": media.file_id} if media.file_id else {"image_url": media.url}
        return {"type": "input_image", **place, **detail}
    # Chat has no file ids of images.
    url = {"type": "image_url", "image_url": {"url": media.url, **detail}}
    return None if media.file_id else url


# --- text documents -------------------------------------------------------------------------------


def _texts_of(value: Any, api: ApiName) -> tuple[Text | Other, ...] | None:
    """Convert a text document or search result. Return () if invalid, None for other parts."""
    match value:
        case {"type": "document", "source": {"type": "text", "data": str(text)}} | {
            "type": "document",
            "source": {"type": "content", "content": str(text)},
        }:
            return (_document(value, text),)
        case {"type": "document", "source": {"type": "content", "content": [*blocks]}} | {
            "type": "search_result",
            "content": [*blocks],
        }:
            return _blocks(value, blocks, api)
        case {"type": "tool_reference", "tool_name": str(name)}:
            return (Text(f"The tool {name} can be called now."),)
    return None


def _document(value: Mapping[str, Any], text: str) -> Text:
    head = [_string(value, key) for key in ("title", "source", "context")]
    return Text("\n".join([*filter(None, head), text]))


def _blocks(value: Mapping[str, Any], blocks: list[Any], api: ApiName) -> tuple[Text | Other, ...]:
    made = list[Text | Other]()
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                made.append(Text(text))
            case dict() if found := media_for(Other(block), api):
                made += found
            case _:
                return ()
    match made:
        case [Text(text), *rest]:
            return _document(value, text), *rest
    return _document(value, ""), *made


def _text_of(media: Media) -> str | None:
    head, comma, data = media.url.partition(",")
    kind = head.removeprefix("data:").split(";")[0]
    if media.kind != "document" or not comma or kind not in _TEXTS or "base64" not in head:
        return None
    try:
        return b64decode(data, validate=True).decode()
    except ValueError:
        return None


# --- files and sources ----------------------------------------------------------------------------


def _file(file: Mapping[Any, Any]) -> Media | None:
    name = _string(file, "filename")
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


def _write_file(media: Media, api: ApiName) -> dict[str, Any]:
    name = {"filename": media.name} if media.name else {}
    if media.file_id:
        file = {"file_id": media.file_id, **name}
    elif api == "responses" and not media.url.startswith("data:"):
        file = {"file_url": media.url, **name}
    else:
        file = {"filename": media.name or _NAME, "file_data": media.url}
    return {"type": "file", "file": file} if api == "chat" else {"type": "input_file", **file}


def _source(kind: Kind, source: Mapping[str, Any], name: str) -> Media | None:
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


def _string(holder: Mapping[Any, Any], key: str) -> str:
    found = holder.get(key)
    return found if isinstance(found, str) else ""
