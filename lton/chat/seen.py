"""List the texts of a conversation that a model could repeat as an echo."""

from collections.abc import Iterable, Iterator

from lton.chat.records import Message


def seen_texts(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the messages of users and the results of tools.

    Such a text may contain a call that the model repeats without meaning it. The model's own turns
    and the instructions of the application are left out.

    >>> list(seen_texts([Message.saying("system", "s"), Message.saying("user", "u")]))
    ['u']
    """
    for message in messages:
        if message.role == "user" and message.text:
            yield message.text
        for result in message.results:
            yield result.text
