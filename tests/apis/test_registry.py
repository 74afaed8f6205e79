"""Test the objects of the APIs, and how they are found."""

from typing import get_args

import pytest

from lton.apis.answer_usage import AnswerUsage, sum_usage_as_openai
from lton.apis.api import Api
from lton.apis.registry import (
    APIS,
    KEY_HEADERS,
    api_of_path,
    client_key_in,
    find_api_of_message,
    hosted_apis,
    upstream_headers,
)
from lton.chat import Message
from lton.chat.records import ApiName
from lton.tokens.billing import PRICES, PromptTokens
from lton.tokens.usage import ReportedUsage, try_read_usage


def test_there_is_one_vocabulary() -> None:
    """The names of the objects are those of messages, and each path belongs to one API."""
    assert tuple(APIS) == get_args(ApiName)
    paths = [path for api in APIS.values() for path in (*api.client_paths, api.count_path) if path]
    assert len({*paths}) == len(paths)
    assert all(api_of_path(path) is api for api in APIS.values() for path in api.client_paths)
    assert {api.prices for api in APIS.values()} <= {*PRICES}


def test_the_api_of_a_message_is_found() -> None:
    assert find_api_of_message(Message("user", ())) is None
    assert find_api_of_message(Message("user", (), api="messages")) is APIS["messages"]


@pytest.mark.parametrize("api", APIS.values(), ids=[*APIS])
def test_every_api_reads_the_counts_that_it_writes(api: Api) -> None:
    """Tokens that the gateway adds to an answer have the names of the client's API."""
    counts = ReportedUsage(PromptTokens(input=7, read=5), 3)
    usage = AnswerUsage()
    usage.update(sum_usage_as_openai([counts]))
    assert (
        api.convert_usage(usage).read() == try_read_usage(api.convert_usage(usage).fields) == counts
    )


HOSTS = [
    ("api.openai.com", ["chat", "responses"]),
    ("anthropic.com", ["messages"]),
    ("generativelanguage.googleapis.com", ["gemini"]),
    ("aiplatform.googleapis.com", []),
    ("notopenai.com", []),
]


@pytest.mark.parametrize(("host", "names"), HOSTS)
def test_known_hosts_have_apis(host: str, names: list[str]) -> None:
    assert [api.name for api in hosted_apis(host)] == names


VERSION = {"anthropic-version": "2023-06-01"}
MOVED = [
    ("/v1/chat/completions", {"x-api-key": "k"}, {"authorization": "Bearer k"}),
    (
        "/v1/chat/completions",
        {"authorization": "Basic k", "x-api-key": "j"},
        {"authorization": "Basic k"},
    ),
    ("/v1/messages", {"authorization": "Bearer k"}, {"x-api-key": "k", **VERSION}),
    (
        "/v1/messages",
        {"x-api-key": "k", "anthropic-version": "1"},
        {"x-api-key": "k", "anthropic-version": "1"},
    ),
    (
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {"authorization": "Bearer k"},
        {"x-goog-api-key": "k"},
    ),
    ("/props", {"accept": "*"}, {"accept": "*"}),
]


@pytest.mark.parametrize(("path", "headers", "expected"), MOVED)
def test_a_key_is_sent_in_the_header_of_the_api(
    path: str, headers: dict[str, str], expected: dict[str, str]
) -> None:
    assert upstream_headers(path, headers) == expected


def test_a_key_is_found_in_any_of_the_headers() -> None:
    assert KEY_HEADERS == ("authorization", "x-api-key", "x-goog-api-key")
    assert [client_key_in({name: "k"}) for name in KEY_HEADERS] == ["k"] * 3
    assert client_key_in({}) == ""
