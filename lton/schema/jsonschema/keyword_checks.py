"""Define the checks of JSON Schema keywords, for drafts 4 to 2020-12.

Values are compared by keys (`key_of`), and patterns are matched in linear time, so no check takes
quadratic time.
"""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from lton.schema.jsonschema.formats import EXAMPLES, FORMATS
from lton.schema.jsonschema.keywords import Schema, format_excerpt
from lton.schema.jsonschema.validation import Judge, Judges, Where, first_breach, size_of_value
from lton.schema.types import Breach


def key_of(value: Any) -> Any:
    """Return a key that is the same for values that are equal in JSON Schema, such as 1 and 1.0.

    >>> key_of([1, {"a": 2}]) == key_of([1.0, {"a": 2.0}]), key_of([1]) == key_of([True])
    (True, False)
    >>> key_of(True) == key_of(["bool", 1])
    False
    """
    if isinstance(value, bool):
        return bool, value
    if isinstance(value, Mapping):
        return frozenset((name, key_of(member)) for name, member in value.items())
    return tuple(map(key_of, value)) if isinstance(value, list) else value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_class(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _is_any(_: object) -> bool:
    return True


_KINDS: dict[str, Callable[[Any], bool]] = {
    "null": _has_class(type(None)),
    "boolean": _has_class(bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or not value % 1),
    "number": _is_number,
    "string": _has_class(str),
    "array": _has_class(list),
    "object": _has_class(dict),
}


def _make_breach(msg: str) -> Breach:
    return Breach((), msg)


def _check_type(kinds: list[str], value: Any, _: Where) -> Breach | None:
    if any(_KINDS[kind](value) for kind in kinds):
        return None
    return _make_breach(f"{format_excerpt(value)} is not of type {' or '.join(kinds) or 'never'}")


def _check_enum(values: list[Any], value: Any, context: Where) -> Breach | None:
    context.run.spend_steps(size_of_value(value))
    keys = context.run.compiled.keys
    if id(values) not in keys:
        keys[id(values)] = frozenset(map(key_of, values))
    if key_of(value) in keys[id(values)]:
        return None
    return _make_breach(f"{format_excerpt(value)} is not listed")._replace(is_of_list=True)


def _check_const(const: Any, value: Any, context: Where) -> Breach | None:
    context.run.spend_steps(size_of_value(value) + size_of_value(const))
    if key_of(value) == key_of(const):
        return None
    return _make_breach(f"{format_excerpt(value)} is not {format_excerpt(const)}")._replace(
        is_of_list=True
    )


def _judge_bound(says: str, allows: Callable[[Any, Any], bool]) -> Judge:
    return lambda bound, value, _: (
        None
        if allows(value, bound)
        else _make_breach(f"{format_excerpt(value)} is not {says} {bound}")
    )


def _check_size(what: str, says: str, allows: Callable[[Any, Any], bool]) -> Judge:
    return lambda bound, value, _: (
        None
        if allows(len(value), bound)
        else _make_breach(f"{len(value)} {what}, not {says} {bound}")
    )


def _check_multiple_of(part: Any, value: Any, _: Where) -> Breach | None:
    """Check `multipleOf` with decimal numbers, so that 0.07 is a multiple of 0.01."""
    whole, unit = (Fraction(str(n)) if isinstance(n, float) else n for n in (value, part))
    return (
        _make_breach(f"{format_excerpt(value)} is not a multiple of {part}")
        if whole % unit
        else None
    )


def _check_pattern(pattern: str, value: Any, context: Where) -> Breach | None:
    if context.matches(pattern, value) is False:
        text = f"{format_excerpt(value)} does not match {format_excerpt(pattern)}"
        return _make_breach(f"{text}{_example_hint(context)}")
    return None


def _check_format(name: str, value: Any, context: Where) -> Breach | None:
    if not context.run.formats or name not in FORMATS:
        return None
    context.run.spend_steps(len(value))
    if FORMATS[name](value):
        return None
    return _make_breach(f"{format_excerpt(value)} is not a {name}{_example_hint(context)}")


def _example_hint(context: Where) -> str:
    """Return the end of a message: a string in the format that the pattern also matches."""
    keywords = context.keywords
    pattern = keywords.get("pattern")
    for text in EXAMPLES.get(str(keywords.get("format")), ()):
        if pattern is None or context.matches(pattern, text) is not False:
            return f", such as {text}"
    return ""


def _check_unique_items(is_asked: bool, value: Any, context: Where) -> Breach | None:
    context.run.spend_steps(size_of_value(value))
    if not is_asked or len(set(map(key_of, value))) == len(value):
        return None
    return _make_breach(f"{format_excerpt(value)} has an item twice")


def _check_prefix_items(parts: list[Any], value: Any, context: Where) -> Breach | None:
    pairs = enumerate(zip(parts, value, strict=False))
    return first_breach(context.check_inner(part, item, index) for index, (part, item) in pairs)


def _check_items(part: Any, value: Any, context: Where) -> Breach | None:
    indexes = range(len(context.keywords.get("prefixItems", ())), len(value))
    return first_breach(context.check_inner(part, value[index], index) for index in indexes)


def _check_contains(part: Any, value: Any, context: Where) -> Breach | None:
    indexes = [index for index, item in enumerate(value) if context.find_breach(part, item) is None]
    if context.marks is not None:
        context.marks.update(indexes)
    least = context.keywords.get("minContains", 1)
    most = context.keywords.get("maxContains", len(value))
    if least <= len(indexes) <= most:
        return None
    return _make_breach(f"{len(indexes)} items match `contains`, not {least} to {most}")


def _check_unevaluated_items(part: Any, value: Any, context: Where) -> Breach | None:
    marks = context.marks or ()
    indexes = [index for index in range(len(value)) if index not in marks]
    return first_breach(context.check_inner(part, value[index], index) for index in indexes)


def _judge_required(names: list[str], value: Any, _: Where) -> Breach | None:
    missing = [name for name in names if name not in value]
    return _make_breach(f"{format_excerpt(missing[0])} is missing") if missing else None


def _check_dependent_required(
    needs: Mapping[str, list[str]], value: Any, context: Where
) -> Breach | None:
    return first_breach(
        _judge_required(names, value, context) for name, names in needs.items() if name in value
    )


def _check_dependent_schemas(parts: Schema, value: Any, context: Where) -> Breach | None:
    return first_breach(
        context.check_same_value(part, value) for name, part in parts.items() if name in value
    )


def _check_properties(parts: Schema, value: Any, context: Where) -> Breach | None:
    names = [name for name in value if name in parts]
    return first_breach(context.check_inner(parts[name], value[name], name) for name in names)


def _check_pattern_properties(parts: Schema, value: Any, context: Where) -> Breach | None:
    return first_breach(
        context.check_inner(part, member, name)
        for pattern, part in parts.items()
        for name, member in value.items()
        if context.matches(pattern, name)
    )


def _check_additional_properties(part: Any, value: Any, context: Where) -> Breach | None:
    declared = context.keywords.get("properties", ())
    patterns = context.keywords.get("patternProperties", ())
    others = (
        name
        for name in value
        if name not in declared
        and all(context.matches(pattern, name) is False for pattern in patterns)
    )
    return first_breach(_check_undeclared(part, value, name, context) for name in others)


def _check_unevaluated_properties(part: Any, value: Any, context: Where) -> Breach | None:
    marks = context.marks or ()
    names = [name for name in value if name not in marks]
    return first_breach(_check_undeclared(part, value, name, context) for name in names)


def _check_undeclared(part: Any, value: Any, name: str, context: Where) -> Breach | None:
    """Check the value of an undeclared member."""
    if part is False:
        return _make_breach(f"{format_excerpt(name)} is not allowed here")
    return context.check_inner(part, value[name], name)


def _check_property_names(part: Any, value: Any, context: Where) -> Breach | None:
    breach = first_breach(context.find_breach(part, name) for name in value)
    return breach and breach._replace(path=())


def _check_ref(reference: str, value: Any, context: Where) -> Breach | None:
    target, there = context.find_schema(reference)
    return there.check_same_value(target, value)


def _check_dynamic_ref(reference: str, value: Any, context: Where) -> Breach | None:
    """Check a value against the outermost schema with the same dynamic anchor."""
    target, there = context.find_schema(reference)
    name = reference.rpartition("#")[2]
    if there.scope.resource.dynamic.get(name) is target:
        around = (*context.around, there.scope.resource)
        outermost = next(one for one in around if name in one.dynamic)
        target = outermost.dynamic[name]
        there = there._replace(scope=there.scope._replace(resource=outermost))
    return there.check_same_value(target, value)


def _check_recursive_ref(reference: str, value: Any, context: Where) -> Breach | None:
    """Check a value against the outermost schema with `$recursiveAnchor`."""
    target, there = context.find_schema(reference)
    if isinstance(target, Mapping) and target.get("$recursiveAnchor") is True:
        for resource in reversed(context.around):
            if resource.schema.get("$recursiveAnchor") is not True:
                break
            target = resource.schema
            there = there._replace(scope=there.scope._replace(resource=resource))
    return there.check_same_value(target, value)


def _check_any_of(parts: list[Any], value: Any, context: Where) -> Breach | None:
    breaches = []
    for part in parts:
        breach = context.check_same_value(part, value)
        if breach is not None:
            breaches.append(breach)
        elif context.marks is None:  # otherwise the other parts still have to mark members
            return None
    return (
        _likeliest_breach(parts, breaches, value, context) if len(breaches) == len(parts) else None
    )


def _check_one_of(parts: list[Any], value: Any, context: Where) -> Breach | None:
    outcomes = [context.check_same_value(part, value) for part in parts]
    breaches = [breach for breach in outcomes if breach is not None]
    right = len(parts) - len(breaches)
    if right > 1 and not _has_label(value, context.keywords):
        return _make_breach(f"{format_excerpt(value)} is allowed by {right} schemas, not by one")
    return None if right else _likeliest_breach(parts, breaches, value, context)


def _has_label(value: Any, keywords: Mapping[str, Any]) -> bool:
    """Return whether an object has the label that OpenAPI's `discriminator` names.

    The label chooses one schema, so the others may fit, too: in many documents, only the label
    tells them apart.
    """
    discriminator = keywords.get("discriminator")
    name = discriminator.get("propertyName") if isinstance(discriminator, Mapping) else None
    return isinstance(value, dict) and isinstance(name, str) and name in value


def _likeliest_breach(
    parts: list[Any], breaches: list[Breach], value: Any, context: Where
) -> Breach:
    """Return the breach of the schema that a label chooses, or the breach with the longest path.

    If there are several breaches with the longest path, return a general breach.
    """
    breach = _breach_of_labelled(parts, breaches, context)
    if breach is not None:
        return breach
    depth = max(len(breach.path) for breach in breaches)
    deepest = [breach for breach in breaches if len(breach.path) == depth]
    return (
        deepest[0]
        if len(deepest) == 1
        else _make_breach(f"{format_excerpt(value)} is allowed by no schema")
    )


def _breach_of_labelled(parts: list[Any], breaches: list[Breach], context: Where) -> Breach | None:
    """Return the only breach that is not about a label, if its schema declares that label."""
    labels = {breach.path[0] for breach in breaches if _is_unlisted_member_value(breach)}
    pairs = zip(parts, breaches, strict=True)
    labelled = [(part, breach) for part, breach in pairs if not _is_unlisted_member_value(breach)]
    if len(labelled) != 1 or len(labels) != 1:
        return None
    part, breach = labelled[0]
    return breach if labels <= _declared_names(part, context) else None


def _is_unlisted_member_value(breach: Breach) -> bool:
    """Return whether a member has a value that a schema does not list."""
    return breach.is_of_list and len(breach.path) == 1


def _declared_names(part: Any, context: Where) -> set[str]:
    """Return the names of the members that a schema, or the target of its `$ref`, declares."""
    if isinstance(part, Mapping) and "$ref" in part:
        part, _ = context.find_schema(part["$ref"])
    properties = part.get("properties") if isinstance(part, Mapping) else None
    return set(properties) if isinstance(properties, Mapping) else set()


def _check_not(part: Any, value: Any, context: Where) -> Breach | None:
    is_right = context.find_breach(part, value) is not None
    return None if is_right else _make_breach(f"{format_excerpt(value)} is what `not` excludes")


def _check_if(part: Any, value: Any, context: Where) -> Breach | None:
    branch = "then" if context.check_same_value(part, value) is None else "else"
    return context.check_same_value(context.keywords.get(branch, True), value)


JUDGES: Judges = {
    "type": (_is_any, _check_type),
    "enum": (_is_any, _check_enum),
    "const": (_is_any, _check_const),
    "minimum": (_is_number, _judge_bound("at least", operator.ge)),
    "maximum": (_is_number, _judge_bound("at most", operator.le)),
    "exclusiveMinimum": (_is_number, _judge_bound("more than", operator.gt)),
    "exclusiveMaximum": (_is_number, _judge_bound("less than", operator.lt)),
    "multipleOf": (_is_number, _check_multiple_of),
    "minLength": (_has_class(str), _check_size("characters", "at least", operator.ge)),
    "maxLength": (_has_class(str), _check_size("characters", "at most", operator.le)),
    "minItems": (_has_class(list), _check_size("items", "at least", operator.ge)),
    "maxItems": (_has_class(list), _check_size("items", "at most", operator.le)),
    "minProperties": (_has_class(dict), _check_size("members", "at least", operator.ge)),
    "maxProperties": (_has_class(dict), _check_size("members", "at most", operator.le)),
    "pattern": (_has_class(str), _check_pattern),
    "format": (_has_class(str), _check_format),
    "required": (_has_class(dict), _judge_required),
    "dependentRequired": (_has_class(dict), _check_dependent_required),
    "uniqueItems": (_has_class(list), _check_unique_items),
    "propertyNames": (_has_class(dict), _check_property_names),
    "additionalProperties": (_has_class(dict), _check_additional_properties),
    "prefixItems": (_has_class(list), _check_prefix_items),
    "items": (_has_class(list), _check_items),
    "contains": (_has_class(list), _check_contains),
    "properties": (_has_class(dict), _check_properties),
    "patternProperties": (_has_class(dict), _check_pattern_properties),
    "$ref": (_is_any, _check_ref),
    "$dynamicRef": (_is_any, _check_dynamic_ref),
    "$recursiveRef": (_is_any, _check_recursive_ref),
    "allOf": (
        _is_any,
        lambda parts, value, context: first_breach(
            context.check_same_value(p, value) for p in parts
        ),
    ),
    "anyOf": (_is_any, _check_any_of),
    "oneOf": (_is_any, _check_one_of),
    "if": (_is_any, _check_if),
    "dependentSchemas": (_has_class(dict), _check_dependent_schemas),
    "not": (_is_any, _check_not),
    "unevaluatedItems": (_has_class(list), _check_unevaluated_items),
    "unevaluatedProperties": (_has_class(dict), _check_unevaluated_properties),
}
"""The checks by keyword, in order. Errors of the value itself are more informative than errors
inside it, so they come first. The last two keywords need the marks of all others."""
