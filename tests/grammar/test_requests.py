"""Test the fields of requests, and that the servers' engines accept their values.

Some tests need nothing; others need xgrammar and the client of OpenAI (`engines`), or a real
llama-server with a real model (`model`).
"""

import json
import re
from collections.abc import Callable
from itertools import product
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from lton import Call, DecodeError, Decoder, ToolSet, decode
from lton.events import CallEnd
from lton.grammar import Named, ToolChoice, to_ebnf, to_gbnf, to_lark, to_regex
from lton.grammar.requests import NO_GRAMMAR, SERVERS, WORD, probe, request, to_structural_tag
from lton_bench.demo import start_server
from tests.grammar.acceptors import gbnf_accepts, llguidance_accepts

llguidance = pytest.importorskip("llguidance")
TOOLS = ToolSet.from_prompt("wait(minutes:int)\nturn(side:left|right fast?:bool)\nsay(text)")
FORMS: list[dict[str, Any]] = [
    {"form": "wire"},
    {"form": "keyed"},
    {"form": "punctuated"},
    {"form": "tagged"},
]
PIECES = ["\n", "!", "!call wait 5", "!call wait x", "!result wait 1", "so", " "]
LINES = ["", "so", "so !call wait x", "!so", "!call wait 5", "!call wait x"]
TEXTS = {
    *("".join(pieces) for size in range(4) for pieces in product(PIECES, repeat=size)),
    *("\n".join(lines) for size in range(1, 5) for lines in product(LINES, repeat=size)),
}
"""Every text of up to three pieces, and every one of up to four lines: 1,919 of them."""


def calls_in(text: str) -> int | None:
    """Count the calls by R-429; return None if a line begins with `!` and is not a call."""
    marked = [line for line in text.split("\n") if line.startswith("!")]
    return len(marked) if all(line == "!call wait 5" for line in marked) else None


# --- the fields ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("choice", ["required", "auto", "none", Named("wait")])
def test_grammars_are_where_the_servers_look_for_them(
    form: dict[str, Any], choice: ToolChoice
) -> None:
    """Each server gets its own dialect in its own field, and a field that declares Lark if
    needed.
    """
    options: Any = {**form, "tool_choice": choice}
    gbnf, ebnf = to_gbnf(TOOLS, **options), to_ebnf(TOOLS, **options)
    lark = to_lark(TOOLS, **options)
    tagged = "%llguidance {}\n" + lark
    assert request(TOOLS, "llama-server", **options) == {"grammar": gbnf}
    assert request(TOOLS, "llama-server", dialect="lark", **options) == {"grammar": tagged}
    assert request(TOOLS, "vllm", **options) == {"structured_outputs": {"grammar": ebnf}}
    assert request(TOOLS, "vllm", dialect="lark", **options) == {
        "structured_outputs": {"grammar": lark}
    }
    assert "::=" in ebnf  # by which vLLM tells them apart
    assert "::=" not in lark
    assert request(TOOLS, "sglang", **options) == {"ebnf": ebnf}
    assert request(TOOLS, "sglang", dialect="lark", **options) == {"ebnf": tagged}


def test_structural_tags_are_where_the_servers_look_for_them() -> None:
    """vLLM gets the structural tag as a JSON string, and SGLang as the response format."""
    tag = to_structural_tag(TOOLS, parallel=True, form="wire")
    [vllm] = request(
        TOOLS, "vllm", dialect="structural_tag", tool_choice="auto", parallel=True, form="wire"
    )["structured_outputs"].items()
    assert (vllm[0], json.loads(vllm[1])) == ("structural_tag", tag)
    assert request(
        TOOLS, "sglang", dialect="structural_tag", tool_choice="auto", parallel=True, form="wire"
    ) == {"response_format": tag}


def test_a_structural_tag_writes_the_sigil_once() -> None:
    """Each call has one sigil, also in the tagged form, whose rules have a sigil of their own."""
    grammar = to_structural_tag(ToolSet.from_prompt("stop()"), form="tagged")["format"]["grammar"]
    assert 'tag-call ::= "call " tag-one\n' in grammar
    assert 'tag-one ::= "stop" "\\n" "()"\n' in grammar


@pytest.mark.parametrize(
    ("choice", "tool_choice", "grammar"),
    [
        ("required", {"type": "custom", "name": "call"}, "required"),
        (Named("wait"), {"type": "custom", "name": "call"}, Named("wait")),
        ("auto", "auto", "required"),
        ("none", "none", "required"),
    ],
)
def test_openai_gets_a_tool_whose_input_is_calls(
    choice: ToolChoice, tool_choice: Any, grammar: ToolChoice
) -> None:
    """The input of OpenAI's tool is always calls; OpenAI decides whether the tool is called."""
    for dialect, emit in (("lark", to_lark), ("regex", to_regex)):
        definition = emit(TOOLS, tool_choice=grammar, form="wire")
        assert request(TOOLS, "openai", dialect=dialect, tool_choice=choice, form="wire") == {
            "tools": [
                {
                    "type": "custom",
                    "name": "call",
                    "format": {"type": "grammar", "syntax": dialect, "definition": definition},
                }
            ],
            "tool_choice": tool_choice,
        }


@pytest.mark.parametrize(
    ("server", "options"),
    [
        ("ollama", {"form": "wire"}),
        ("llama-server", {"form": "wire", "dialect": "ebnf"}),
        ("openai", {"form": "wire", "dialect": "structural_tag"}),
        ("llama-server", {"form": "wire", "lazy": True}),
        ("vllm", {"form": "wire", "lazy": True, "tool_choice": "auto"}),
        ("vllm", {"form": "wire", "dialect": "structural_tag", "tool_choice": "none"}),
        ("sglang", {"form": "wire", "tool_choice": Named("stop")}),
    ],
)
def test_what_a_server_would_not_heed_is_refused(server: Any, options: Any) -> None:
    """A field that a server would ignore is refused."""
    with pytest.raises(
        ValueError, match=r"no request|no grammar|lazy is for|no tool|no structural tag"
    ):
        request(TOOLS, server, **options)


# --- lazy grammars ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "start_text"),
    [
        ("!call", "!call"),
        ("So.\n!call wait", "\n!call wait"),
        ("So.\n\n!call wait", "\n!call wait"),
        ("You write !call wait 5", None),
        ("!called", None),
        ("So.\n!call\n", None),
        ("!result wait 1", None),
    ],
)
def test_a_call_at_the_beginning_of_a_line_triggers(text: str, start_text: str | None) -> None:
    """llama.cpp passes the match and the following text to the grammar (R-429)."""
    [trigger] = request(TOOLS, "llama-server", lazy=True, tool_choice="auto", form="wire")[
        "grammar_triggers"
    ]
    match = re.search(trigger["value"], text)
    assert (match and text[match.start() :]) == start_text


@pytest.mark.parametrize("parallel", [False, True])
def test_a_lazy_grammar_takes_what_triggers_it(parallel: bool) -> None:
    """A lazy grammar also accepts the newline of the trigger, and the whole text from the start."""
    whole = request(TOOLS, "llama-server", tool_choice="auto", parallel=parallel, form="wire")
    lazy = request(
        TOOLS, "llama-server", tool_choice="auto", parallel=parallel, lazy=True, form="wire"
    )
    assert lazy == {**whole, "grammar_lazy": True, "grammar_triggers": lazy["grammar_triggers"]}
    more = ["\n!call wait 5\nSo."] if parallel else []
    for text in ("!call wait 5", "\n!call wait 5", *more):
        assert gbnf_accepts(lazy["grammar"], text)
    for text in ("!call wait x", "\n!call", "\n!call wait 5 so"):
        assert not gbnf_accepts(lazy["grammar"], text)


# --- llguidance: vLLM's guidance backend, SGLang's llguidance backend, OpenAI -------------------


@pytest.mark.parametrize("form", FORMS)
def test_llguidance_reads_what_servers_hand_to_it(form: dict[str, Any]) -> None:
    """Servers use the names `grammar` and `ebnf`, and llguidance detects the format."""
    texts = {
        "wire": "wait 5",
        "keyed": "wait minutes=5",
        "punctuated": "wait(minutes=5)",
        "tagged": "!call wait\n(u1:5)",
    }
    text = texts[form["form"]]
    sglang, vllm = (
        request(TOOLS, "sglang", dialect="lark", **form),
        request(TOOLS, "vllm", dialect="lark", **form),
    )
    grammars = [
        llguidance.grammar_from("ebnf", sglang["ebnf"]),
        llguidance.grammar_from("grammar", vllm["structured_outputs"]["grammar"]),
    ]
    definition = request(TOOLS, "openai", dialect="regex", **form)["tools"][0]["format"]
    grammars.append(llguidance.grammar_from("regex", definition["definition"]))
    tokenizer = llguidance.LLTokenizer("byte")
    for grammar in grammars:
        assert not llguidance.LLMatcher.validate_grammar(grammar, tokenizer)
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        tokens = list(text.encode())
        assert matcher.try_consume_tokens(tokens) == len(tokens)
        assert matcher.is_accepting()
        assert matcher.try_consume_tokens(list(b"\nx")) < 2


def test_whole_texts_of_prose_and_calls() -> None:
    """For each text, the grammar and the decoder agree with R-429."""
    grammar = to_lark(TOOLS, tool_choice="auto", parallel=True, form="wire")
    for text in TEXTS:
        calls = calls_in(text)
        assert llguidance_accepts(grammar, text) == (calls is not None), text
        if calls is not None:
            assert read(text).count(Call("wait", {"minutes": 5})) == calls, text


def read(text: str) -> list[Call]:
    """Return the calls of a text of prose and calls."""
    decoder = Decoder(TOOLS, prose=True)
    decoder.feed(text)
    decoder.close()
    return [event.call for event in decoder if isinstance(event, CallEnd)]


# --- xgrammar: vLLM's and SGLang's default backend ----------------------------------------------


@pytest.fixture(scope="module")
def accepts() -> Callable[[str, str], bool]:
    """Return whether xgrammar accepts a text byte by byte, and its end."""
    xgrammar = pytest.importorskip("xgrammar")
    vocabulary = [bytes([byte]) for byte in range(256)]
    tokens = xgrammar.TokenizerInfo([*vocabulary, b"</s>"], stop_token_ids=[256])
    compiler = xgrammar.GrammarCompiler(tokens)

    def accept(tag: str, text: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiler.compile_structural_tag(tag))
        return bool(all(map(matcher.accept_token, [*text.encode(), 256])))

    return accept


@pytest.mark.engines
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("choice", ["auto", "required", Named("wait")])
def test_a_structural_tag_is_right_for_every_text(
    accepts: Callable[[str, str], bool], choice: ToolChoice, parallel: bool
) -> None:
    """Calls begin and end with lines, no call is inside a line, and a text may end with a call."""
    tag = json.dumps(to_structural_tag(TOOLS, tool_choice=choice, parallel=parallel, form="wire"))
    for text in TEXTS:
        calls = calls_in(text)
        expected = calls is not None and (choice == "auto" or calls > 0)
        if calls and not parallel:
            expected = calls == 1 and text.split("\n")[-1] == "!call wait 5"
        assert accepts(tag, text) == expected, text


@pytest.mark.engines
@pytest.mark.parametrize(
    ("form", "call", "wrong"),
    [
        ({"form": "wire"}, "!call turn left true", "!call turn up"),
        ({"form": "keyed"}, "!call say text='!call x'", "!call say '!call x'"),
        (FORMS[2], "!call say(text=```\n!call x\n```)", "!call say(text=x)"),
        ({"form": "tagged", "counted": 99}, "!call say\n(s7:!call x)", "!call say\n(s7:!call)"),
    ],
)
def test_structural_tags_of_all_forms(
    accepts: Callable[[str, str], bool], form: Any, call: str, wrong: str
) -> None:
    """Text inside a call never begins another call."""
    tag = json.dumps(to_structural_tag(TOOLS, parallel=True, **form))
    for text in (call, f"{call}\n{call}\n", f"Well,\n\n{call}\nor !call x\n{call}"):
        assert accepts(tag, text), text
        assert len(read(text)) == text.count(call)
    for text in (
        wrong,
        f"Well,\n{wrong}",
        f"{call} x",
        "a\0",
        f"{call}\n!error say x",
    ):
        assert not accepts(tag, text), text
    # A parenthesis is prose, but for behind a tagged call.
    assert accepts(tag, f"{call}\n(so") != (form.get("form") == "tagged")


@pytest.mark.engines
@pytest.mark.parametrize("form", FORMS)
def test_xgrammar_reads_what_vllm_hands_to_it(form: Any) -> None:
    """vLLM's own checks accept EBNF, Lark and structural tags."""
    xgrammar = pytest.importorskip("xgrammar")
    for choice in ("required", "auto", Named("wait")):
        options = {**form, "tool_choice": choice}
        for dialect, parse in (
            ("ebnf", xgrammar.Grammar.from_ebnf),
            ("lark", xgrammar.Grammar.from_lark),
            ("structural_tag", xgrammar.Grammar.from_structural_tag),
        ):
            [value] = request(TOOLS, "vllm", dialect=dialect, **options)[
                "structured_outputs"
            ].values()
            assert parse(value)
    tag = request(TOOLS, "sglang", dialect="structural_tag", **form)["response_format"]
    assert xgrammar.StructuralTag.model_validate(tag).model_dump() == tag


@pytest.mark.engines
@pytest.mark.parametrize("choice", ["required", "auto", "none"])
def test_openai_s_own_types_take_the_request(choice: ToolChoice) -> None:
    """The request has all fields of OpenAI's types, and no others."""
    responses = pytest.importorskip("openai.types.responses")
    pydantic = pytest.importorskip("pydantic")
    for dialect in SERVERS["openai"]:
        body = request(TOOLS, "openai", dialect=dialect, tool_choice=choice, form="wire")
        [tool] = body["tools"]
        assert pydantic.TypeAdapter(responses.CustomToolParam).validate_python(tool) == tool
        kinds = responses.ToolChoiceCustomParam | responses.ToolChoiceOptions
        validated = pydantic.TypeAdapter(kinds).validate_python(body["tool_choice"])
        assert validated == body["tool_choice"]


@pytest.mark.parametrize("choice", ["required", "auto"])
def test_openai_s_chat_has_the_same_nested(choice: ToolChoice) -> None:
    """The request nests fields as in OpenAI's types for chat completions."""
    flat = request(TOOLS, "openai", tool_choice=choice)
    body = request(TOOLS, "openai-chat", tool_choice=choice)
    [tool] = body["tools"]
    rule = {key: flat["tools"][0]["format"][key] for key in ("syntax", "definition")}
    form = {"type": "grammar", "grammar": rule}
    assert tool == {"type": "custom", "custom": {"name": "call", "format": form}}
    forced = {"type": "custom", "custom": {"name": "call"}}
    assert body["tool_choice"] == (choice if choice == "auto" else forced)


def test_localai_reads_what_llama_server_reads() -> None:
    assert request(TOOLS, "localai") == request(TOOLS, "llama-server")
    with pytest.raises(ValueError, match="no request of dialect 'lark'"):
        request(TOOLS, "localai", dialect="lark")


@pytest.mark.parametrize("server", NO_GRAMMAR)
def test_servers_without_grammars_are_refused_with_what_to_do(server: Any) -> None:
    with pytest.raises(ValueError, match="lton serve"):
        request(TOOLS, server)


@pytest.mark.parametrize(
    ("server", "dialect"), [(name, dialect) for name, all_ in SERVERS.items() for dialect in all_]
)
def test_a_probe_has_the_fields_of_a_request(server: Any, dialect: str) -> None:
    def keys(value: Any) -> Any:
        return (
            {key: keys(member) for key, member in value.items()} if isinstance(value, dict) else 0
        )

    probe_body = probe(server, dialect=dialect)
    assert keys(probe_body) == keys(request(TOOLS, server, dialect=dialect))
    assert WORD in json.dumps(probe_body)


# --- a real llama-server ------------------------------------------------------------------------

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def ask() -> Ask:
    """Return a function that sends a request to a llama-server with SmolLM2."""
    pytest.importorskip("xllamacpp")
    server = start_server()

    def post(path: str, **body: Any) -> dict[str, Any]:
        data = json.dumps({"temperature": 0, "n_predict": 60, **body}).encode()
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(server.listening_address + path, data, headers)) as reply:
            return dict(json.load(reply))

    return post


def shots(answer: str) -> str:
    """Return a prompt after which the unconstrained model writes this answer."""
    turns = [f"User: number {number}\nAssistant:\n{answer}\n\n" for number in range(4)]
    return "".join(turns) + "User: number 9\nAssistant:\n"


@pytest.mark.model
@pytest.mark.parametrize("dialect", SERVERS["llama-server"])
@pytest.mark.parametrize("form", FORMS)
def test_llama_server_lets_only_calls_through(ask: Ask, form: Any, dialect: str) -> None:
    """At a high temperature, all samples are valid calls; without the grammar they are not."""
    constraint = request(TOOLS.select("wait", "turn"), "llama-server", dialect=dialect, **form)
    body = {"prompt": "User: Turn left!\nAssistant:", "temperature": 2.0}
    for seed in range(8):
        reply = ask("/completion", seed=seed, **body, **constraint)
        assert reply["stop_type"] == "eos"
        assert len(decode(reply["content"], TOOLS)) == 1
    with pytest.raises(DecodeError):
        decode(ask("/completion", seed=0, **body)["content"], TOOLS)


@pytest.mark.model
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ("!call wait soon", 1),
        ("I do it.\n!call weather London\nDone.", 1),
        ("You write !call weather London here.", 0),
        ("Now.\n!call wait 5\n!call turn left\n!call look up", 3),
    ],
)
def test_llama_server_constrains_calls_in_prose(
    ask: Ask, answer: str, calls: int, lazy: bool
) -> None:
    """At the start of a line the model has to call a tool, and elsewhere it may write anything."""
    constraint = request(
        TOOLS, "llama-server", tool_choice="auto", parallel=True, lazy=lazy, form="wire"
    )
    body = {"prompt": shots(answer), "stop": ["\n\n", "User:"]}
    assert ask("/completion", **body)["content"].strip() == answer
    text = ask("/completion", **body, **constraint)["content"]
    assert len(read(text)) == calls
    if not calls:
        assert text.strip() == answer


@pytest.mark.model
def test_llama_server_chats_under_a_lazy_grammar(ask: Ask) -> None:
    """The chat endpoint ignores `grammar_lazy` and applies the grammar at once, so it must allow
    prose.
    """
    messages = []
    for number in range(4):
        messages.append({"role": "user", "content": f"number {number}"})
        messages.append({"role": "assistant", "content": "I do it.\n!call weather London\nDone."})
    body = {"messages": [*messages, {"role": "user", "content": "number 9"}]}
    constraint = request(TOOLS, "llama-server", tool_choice="auto", lazy=True, form="wire")
    reply = ask("/v1/chat/completions", **body, **constraint)
    text = reply["choices"][0]["message"]["content"]
    assert text.startswith("I do it.\n!call ")
    assert len(read(text)) == 1


@pytest.mark.model
def test_llama_server_says_what_it_cannot_read(ask: Ask) -> None:
    """An invalid grammar, and tools next to a grammar, are errors of the server."""
    for body in (
        {"prompt": "x", "grammar": "root ::= ("},
        {"prompt": "x", "grammar": "root ::= missing"},
        {"prompt": "x", "grammar": 'root ::= root "a" | "b"'},
    ):
        with pytest.raises(HTTPError) as caught:
            ask("/completion", **body)
        assert caught.value.code == 400
        caught.value.close()
