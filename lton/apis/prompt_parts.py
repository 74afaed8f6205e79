"""Split a request in any API into the parts that a provider can cache, in the order of the prompt.

The parts include neither cache marks nor the text that a chat template adds.
"""

from collections.abc import Iterable, Iterator

from lton._json import minified
from lton.apis.api import Api
from lton.apis.members import Body
from lton.tokens.pictures import without_media
from lton.tokens.usage import UNKNOWN_TOOL, PromptPart, without_cache_marks


def iterate_prompt_parts(body: Body, api: Api) -> Iterator[PromptPart]:
    """Yield the parts of a request as JSON: its tools, its system prompt, and its messages."""
    yield from iterate_parts_before_messages(body, api)
    yield from iterate_message_parts(api.conversation_in(body), {}, api)


def iterate_parts_before_messages(body: Body, api: Api) -> Iterator[PromptPart]:
    """Yield the tools and the system prompt of a request, if it is not a message."""
    for name, definition in api.iterate_definitions_in(body):
        yield PromptPart("tools", minified(without_cache_marks(definition)), name)
    for key in api.system_keys:
        if prompt := body.get(key):
            yield PromptPart("system", minified(without_cache_marks(prompt)))


def iterate_message_parts(
    messages: Iterable[object], called: dict[str, str], api: Api
) -> Iterator[PromptPart]:
    """Convert messages or input items to `PromptPart`s.

    `called` has the tools by the ids of their calls, and gets those of the messages.
    """
    for message in messages:
        fields = message if isinstance(message, dict) else {}
        names = dict.fromkeys(_iterate_used_tools(fields, called, api))
        text, pictures = without_media(minified(without_cache_marks(message)))
        yield PromptPart(api.role_in(fields), text, ", ".join(names), pictures)


def _iterate_used_tools(message: Body, called: dict[str, str], api: Api) -> Iterator[str]:
    """Yield the tools that a message calls or answers."""
    for call_id, name in api.iterate_calls_in(message):
        called[call_id] = name
        yield name
    for call_id, name in api.iterate_results_in(message):
        yield name or called.get(call_id, UNKNOWN_TOOL)
