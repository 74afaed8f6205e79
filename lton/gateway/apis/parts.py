"""Parts of a message, as each of OpenAI's two APIs has them: their clients may use either."""

from dataclasses import replace

from lton.chat import Message, Other, Part, Text


def for_chat(message: Message) -> Message:
    """Get a message whose texts, images and files are those of chat completions.

    >>> image = Other({"type": "input_image", "image_url": "http://a/b", "detail": "low"})
    >>> for_chat(Message("user", (image,))).parts[0].value
    {'type': 'image_url', 'image_url': {'url': 'http://a/b', 'detail': 'low'}}
    """
    return replace(message, parts=tuple(map(_chat_part, message.parts)), api=None)


def for_responses(message: Message) -> Message:
    """Get a message whose texts and images are those of responses."""
    return replace(message, parts=tuple(map(_responses_part, message.parts)), api=None)


def _chat_part(part: Part) -> Part:
    match part:
        case Text(text, {"type": "input_text" | "output_text"}):
            return Text(text)
        case Other({"type": "input_image", "image_url": str(url), **more}):
            detail = {"detail": more["detail"]} if more.get("detail") else {}
            return Other({"type": "image_url", "image_url": {"url": url, **detail}})
        case Other({"type": "input_file", **file}):
            return Other({"type": "file", "file": file})
    return part


def _responses_part(part: Part) -> Part:
    match part:
        case Text(text):
            return Text(text)
        case Other({"type": "image_url", "image_url": {"url": str(url)}}):
            return Other({"type": "input_image", "image_url": url})
    return part
