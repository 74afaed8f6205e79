"""Test unions of objects: signatures, both directions, errors and grammars (R-438)."""

from typing import Any

import pytest

from lton.codec import decode, encode
from lton.codec._decode import find_errors
from lton.errors import DecodeError, EncodeError, GrammarError
from lton.grammar import to_gbnf
from lton.lenient import decode_lenient
from lton.schema.toolset import ToolSet
from lton.schema.types import Call
from tests.grammar.recogniser import recogniser

STRING, INTEGER = {"type": "string"}, {"type": "integer"}
FORMS: Any = ("wire", "keyed", "punctuated", "tagged")


def record(*required: str, **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": [*required]}


CAT = record("kind", "meows", kind={"const": "cat"}, meows=INTEGER)
DOG = record("kind", "barks", kind={"enum": ["dog", "wolf"]}, barks=STRING, breed=STRING)
PET = {"oneOf": [CAT, DOG]}
PAGE, DATABASE = record("page_id", page_id=STRING), record("base_id", base_id=STRING, n=INTEGER)
BLACK = record("kind", "color", kind={"const": "cat"}, color={"const": "black"}, shade=STRING)
WHITE = record("kind", "color", "n", kind={"const": "cat"}, color={"const": "white"}, n=INTEGER)
CAT_OBJECT, DOG_OBJECT = {"kind": "cat", "meows": 3}, {"kind": "dog", "barks": "7"}


def tools_of(schema: Any, **more: Any) -> ToolSet:
    parameters = {**record("x", x=schema), **more}
    return ToolSet.from_tools([{"name": "f", "parameters": parameters}])


UNIONS: list[tuple[str, Any, str, list[Any]]] = [
    ("labelled", PET, "x:(kind:cat meows:int)|(kind:dog|wolf barks breed?)",
     [CAT_OBJECT, DOG_OBJECT, {"kind": "wolf", "barks": "null", "breed": "a b"}]),
    ("optional", {"anyOf": [PET, {"type": "null"}]},
     "x:(kind:cat meows:int)|(kind:dog|wolf barks breed?)|null", [None, CAT_OBJECT]),
    ("flat-optional", {"anyOf": [CAT, DOG, {"type": "null"}]},
     "x:(kind:cat meows:int)|(kind:dog|wolf barks breed?)|null", [None, DOG_OBJECT]),
    ("list", {"type": "array", "items": PET},
     "x:[(kind:cat meows:int)|(kind:dog|wolf barks breed?)]",
     [[], [CAT_OBJECT, DOG_OBJECT], [DOG_OBJECT]]),
    ("common", {**PET, **record("name", name=STRING)},
     "x:(kind:cat name meows:int)|(kind:dog|wolf name barks breed?)",
     [{**CAT_OBJECT, "name": "5"}, {**DOG_OBJECT, "name": "Rex"}]),
    ("two-levels", {"oneOf": [{"oneOf": [BLACK, WHITE]}, DOG]},
     "x:(kind:cat color:black shade?)|(kind:cat color:white n:int)|(kind:dog|wolf barks breed?)",
     [{"kind": "cat", "color": "black"}, {"kind": "cat", "color": "white", "n": 1}, DOG_OBJECT]),
    ("no-label", {"oneOf": [PAGE, DATABASE]}, "x:(page_id)|(base_id n?:int)",
     [{"page_id": "a"}, {"base_id": "b c", "n": 1}]),
    ("numbers", {"oneOf": [record("v", "a", v={"const": 1}, a=STRING),
                           record("v", "b", v={"const": 2}, b=STRING)]},
     "x:(v:1 a)|(v:2 b)", [{"v": 1, "a": "x"}, {"v": 2, "b": "y"}]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "signature", "values"), [union[1:] for union in UNIONS])
def test_a_union_is_shown_written_and_read_by_its_branches(
    schema: Any, signature: str, values: list[Any]
) -> None:
    """A signature shows the branches, and each form round-trips under its grammar."""
    tools = tools_of(schema)
    assert tools.prompt(descriptions=False).splitlines()[-1] == f"f({signature})"
    assert ToolSet.from_prompt(tools.prompt()).fingerprint == tools.fingerprint
    for form in FORMS:
        accepts = recogniser(to_gbnf(tools, form=form, counted=99))
        for value in values:
            text = encode(Call("f", {"x": value}), tools, form=form)
            assert decode(text, tools) == [Call("f", {"x": value})], text
            assert accepts(text), (form, text)


@pytest.mark.parametrize(
    ("text", "code", "msg"),
    [
        ("f(x=(kind=dog))", "E205",
         "expected a string for 'barks' with kind one of 'dog', 'wolf', found the end of the"
         " arguments"),
        ("f (dog)", "E205",
         "expected a string for 'barks' with kind one of 'dog', 'wolf', found the end of the"
         " arguments"),
        ('f(x=(kind=dog, barks="a", meows=3))', "E202",
         "no parameter 'meows' with kind one of 'dog', 'wolf'"),
        ("f(x=(meows=3, kind=dog))", "E202", "no parameter 'meows' with kind one of 'dog', 'wolf'"),
        ("f(x=(kind=cow, meows=3))", "E204",
         "expected one of 'cat', 'dog', 'wolf', found 'cow'"),
        ("f(x=(meows=3))", "E205",
         "expected one of 'cat', 'dog', 'wolf' for 'kind', found the end of the arguments"),
    ],
)  # fmt: skip
def test_an_error_names_the_branch_and_what_it_lacks(text: str, code: str, msg: str) -> None:
    """The label chooses the branch, and errors are about the members of this branch."""
    tools = tools_of(PET)
    with pytest.raises(DecodeError) as raised:
        decode(text, tools)
    assert (raised.value.code, raised.value.msg) == (code, msg)
    assert not recogniser(to_gbnf(tools, form="punctuated"))(text)


def test_members_before_the_label_are_checked_when_the_label_is_read() -> None:
    """Keys may come in any order. The label checks the values that came before it."""
    numbers = record("kind", "v", kind={"const": "number"}, v=INTEGER)
    texts = record("kind", "v", kind={"const": "text"}, v={**STRING, "maxLength": 1})
    tools = tools_of({"oneOf": [numbers, texts]})
    assert decode("f(x=(v=5, kind=number))", tools)[0].arguments == {
        "x": {"v": 5, "kind": "number"}
    }
    with pytest.raises(DecodeError, match="for 'v' with kind 'text'") as raised:
        decode("f(x=(v=5, kind=text))", tools)
    assert raised.value.code == "E203"


@pytest.mark.parametrize("value", [{"kind": "dog"}, {"kind": "dog", "barks": "a", "meows": 3}])
def test_a_writer_checks_the_members_of_the_branch(value: Any) -> None:
    """A writer refuses objects that lack members of their branch, or have those of another."""
    with pytest.raises(EncodeError) as raised:
        encode(Call("f", {"x": value}), tools_of(PET))
    assert raised.value.code in ("E202", "E205")


def test_the_discriminator_of_openapi_is_a_label() -> None:
    """Without constants, the mapping or the names of the schemas are the labels."""
    cat = record("kind", kind=STRING, meows=INTEGER)
    definitions = {"Cat": cat, "Dog": record("barks", kind=STRING, barks=INTEGER)}
    parts = [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    mapped = {"propertyName": "kind", "mapping": {"kitty": "#/$defs/Cat"}}
    for discriminator, signature in (
        (mapped, "x:(kind:kitty meows?:int)|(kind:Dog barks:int)"),
        ({"propertyName": "kind"}, "x:(kind:Cat meows?:int)|(kind:Dog barks:int)"),
        ({"propertyName": "other"}, "x:(kind meows?:int)|(barks:int kind?)"),
        ("kind", "x:(kind meows?:int)|(barks:int kind?)"),
    ):
        schema = {"oneOf": parts, "discriminator": discriminator}
        tools = tools_of(schema, **{"$defs": definitions})
        assert tools.prompt(descriptions=False).splitlines()[-1] == f"f({signature})"


def test_a_discriminator_tells_schemas_apart_that_fit_the_same_objects() -> None:
    """An object needs to fit only the schema of its label. Without one, it must fit only one."""
    definitions = {
        "Cat": record("kind", kind=STRING, meows=INTEGER),
        "Dog": record("kind", kind=STRING),
    }
    parts = [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    labelled = {"oneOf": parts, "discriminator": {"propertyName": "kind"}}
    tools = tools_of(labelled, **{"$defs": definitions})
    for value in ({"kind": "Cat", "meows": 3}, {"kind": "Cat"}, {"kind": "Dog"}):
        call = Call("f", {"x": value})
        assert decode(encode(call, tools), tools) == [call]
    for text in ("f(x=(kind=Dog, meows=3))", "f(x=(kind=Cat, meows=a))", "f(x=(kind=cow))"):
        with pytest.raises(DecodeError, match=r"\[E20"):
            decode(text, tools)
    for discriminator in (None, "kind", {"propertyName": "other"}):
        schema = {"oneOf": parts, "discriminator": discriminator}
        with pytest.raises(DecodeError, match="is allowed by 2 schemas, not by one"):
            decode("f(x=(kind=Cat))", tools_of(schema, **{"$defs": definitions}))


def test_a_breach_names_the_branch_that_an_optional_label_chooses() -> None:
    """A schema with another label is not what an object was meant for."""
    cat = record("meows", kind={"const": "cat"}, meows=INTEGER)
    dog = record("barks", kind={"const": "dog"}, barks=INTEGER)
    references = [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/dog"}]
    for branches in ([cat, dog], references):
        tools = tools_of({"anyOf": branches}, **{"$defs": {"cat": cat, "dog": dog}})
        with pytest.raises(DecodeError) as raised:
            decode("f(x=(kind=dog, meows=3))", tools)
        assert raised.value.msg == "'barks' is missing"


def test_an_object_may_begin_with_a_value_that_is_no_label() -> None:
    """All errors of a text are found, also after a wrong label."""
    errors = find_errors("f(x=(kind=cow, meows=a))", tools_of(PET))
    assert [error.code for error in errors] == ["E204", "E203"]


def test_an_object_whose_label_no_branch_has_is_not_written() -> None:
    """The members of the union remain, and they refuse the label."""
    with pytest.raises(EncodeError) as raised:
        encode(Call("f", {"x": {"kind": "cow", "meows": 3}}), tools_of(PET))
    assert (raised.value.code, raised.value.path) == ("E204", "/x/kind")


def test_tools_of_a_prompt_write_branches() -> None:
    """Tools without a check also write the branch that the label chooses."""
    tools = ToolSet.from_prompt(tools_of(PET).prompt())
    text = encode(Call("f", {"x": DOG_OBJECT}), tools)
    assert text == "f (dog 7)"
    assert decode(text, tools) == [Call("f", {"x": DOG_OBJECT})]


def test_a_label_that_another_schema_declares_does_not_decide() -> None:
    """A union is not split by a member that a schema without it inherits."""
    common = record("kind", kind=STRING)
    tools = tools_of({**common, "anyOf": [{"oneOf": [CAT, DOG]}, {"properties": {"n": INTEGER}}]})
    value = {"kind": "cat", "meows": 3}
    text = encode(Call("f", {"x": value}), tools)
    assert decode(text, tools) == [Call("f", {"x": value})]


def test_branches_that_the_members_next_to_a_union_exclude_are_no_branches() -> None:
    """If the members next to a union exclude all branches, the merged layout is left."""
    closed = {**record("name", name=STRING), "additionalProperties": False}
    tools = tools_of({"anyOf": [{**closed, "oneOf": [PAGE, DATABASE]}, INTEGER]})
    assert tools.prompt(descriptions=False).splitlines()[-1] == "f(x:int|(name))"


def test_a_branch_without_values_is_not_in_a_grammar() -> None:
    """A grammar offers only the branches that can have values."""
    assert "a=" not in to_gbnf(ToolSet.from_prompt("f(x:(a:never)|(b:int))"))
    with pytest.raises(GrammarError) as raised:
        to_gbnf(ToolSet.from_prompt("f(x:(a:never)|(b:never))"))
    assert raised.value.code == "E602"


def test_labels_that_a_discriminator_cannot_give() -> None:
    """A schema without a `$ref` has no name, and needs no label of a mapping."""
    schema = {"oneOf": [record("kind", kind=STRING), DOG, INTEGER],
              "discriminator": {"propertyName": "kind", "mapping": []}}  # fmt: skip
    signature = tools_of(schema).prompt(descriptions=False).splitlines()[-1]
    assert signature == "f(x:int|(kind)|(kind:dog|wolf barks breed?))"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('```\nf({"x": {"barks": "7", "kind": "dog"}})\n```', DOG_OBJECT),
        ('{"name": "f", "arguments": {"x": {"kind": "cat", "meows": "3"}}}', CAT_OBJECT),
        ("!call f(x=(dog, 7,))", DOG_OBJECT),
    ],
)
def test_a_lenient_reader_knows_the_branch(text: str, value: Any) -> None:
    """The label also decides how repaired members are read."""
    result = decode_lenient(text, tools_of(PET))
    calls = [*result.calls, *(uncertain.call for uncertain in result.uncertain)]
    assert [call.arguments for call in calls] == [{"x": value}]


@pytest.mark.parametrize("label", ["[1]", '"cow"'])
def test_a_lenient_reader_invents_no_label(label: str) -> None:
    """An object with another label is an error."""
    text = f'{{"name": "f", "arguments": {{"x": {{"kind": {label}}}}}}}'
    result = decode_lenient(text, tools_of(PET))
    assert (result.calls, len(result.errors)) == ((), 1)


def test_branches_without_a_label_have_the_members_next_to_their_union() -> None:
    """Each branch also has the members that are declared next to the union."""
    tools = tools_of({**record("name", name=STRING), "oneOf": [PAGE, DATABASE]})
    signature = tools.prompt(descriptions=False).splitlines()[-1]
    assert signature == "f(x:(name page_id)|(name base_id n?:int))"
    call = Call("f", {"x": {"name": "a", "base_id": "b"}})
    assert decode(encode(call, tools), tools) == [call]
