"""Define the checks of JSON Schema keywords, for drafts 4 to 2020-12.

Values are compared by keys (`key_of`), and patterns are matched in linear time, so no check takes
quadratic time.
"""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from lton.schema.jsonschema.formats import EXAMPLES, FORMATS
from lton.schema.jsonschema.keywords import Schema, find_label_name, format_excerpt
from lton.schema.jsonschema.validation import Judge, Judges, Where, find_first_breach, size_of_value
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


def _make_class_test(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _is_any(_: object) -> bool:
    return True


_KINDS: dict[str, Callable[[Any], bool]] = {
    "null": _make_class_test(type(None)),
    "boolean": _make_class_test(bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or not value % 1),
    "number": _is_number,
    "string": _make_class_test(str),
    "array": _make_class_test(list),
    "object": _make_class_test(dict),
}


def _make_breach(msg: str) -> Breach:
    return Breach((), msg)


def _find_breach_of_type(kinds: list[str], value: Any, _: Where) -> Breach | None:
    if any(_KINDS[kind](value) for kind in kinds):
        return None
    return _make_breach(f"{format_excerpt(value)} is not of type {' or '.join(kinds) or 'never'}")


def _find_breach_of_enum(values: list[Any], value: Any, context: Where) -> Breach | None:
    context.run.spend_steps(size_of_value(value))
    keys = context.run.compiled.keys
    if id(values) not in keys:
        keys[id(values)] = frozenset(map(key_of, values))
    if key_of(value) in keys[id(values)]:
        return None
    return _make_breach(f"{format_excerpt(value)} is not listed")._replace(is_of_list=True)


def _find_breach_of_const(const: Any, value: Any, context: Where) -> Breach | None:
    context.run.spend_steps(size_of_value(value) + size_of_value(const))
    if key_of(value) == key_of(const):
        return None
    return _make_breach(f"{format_excerpt(value)} is not {format_excerpt(const)}")._replace(
        is_of_list=True
    )


def _make_bound_judge(says: str, allows: Callable[[Any, Any], bool]) -> Judge:
    return lambda bound, value, _: (
        None
        if allows(value, bound)
        else _make_breach(f"{format_excerpt(value)} is not {says} {bound}")
    )


def _make_size_judge(what: str, says: str, allows: Callable[[Any, Any], bool]) -> Judge:
    return lambda bound, value, _: (
        None
        if allows(len(value), bound)
        else _make_breach(f"{len(value)} {what}, not {says} {bound}")
    )


def _find_breach_of_multiple_of(part: Any, value: Any, _: Where) -> Breach | None:
    """Check `multipleOf` with decimal numbers, so that 0.07 is a multiple of 0.01."""
    whole, unit = (Fraction(str(n)) if isinstance(n, float) else n for n in (value, part))
    return (
        _make_breach(f"{format_excerpt(value)} is not a multiple of {part}")
        if whole % unit
        else None
    )


def _find_breach_of_pattern(pattern: str, value: Any, context: Where) -> Breach | None:
    if context.matches(pattern, value) is False:
        text = f"{format_excerpt(value)} does not match {format_excerpt(pattern)}"
        return _make_breach(f"{text}{_example_hint(context)}")
    return None


def _find_breach_of_format(name: str, value: Any, context: Where) -> Breach | None:
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


def _find_breach_of_unique_items(is_asked: bool, value: Any, context: Where) -> Breach | None:
    context.run.spend_steps(size_of_value(value))
    if not is_asked or len(set(map(key_of, value))) == len(value):
        return None
    return _make_breach(f"{format_excerpt(value)} has an item twice")


def _find_breach_of_prefix_items(parts: list[Any], value: Any, context: Where) -> Breach | None:
    pairs = enumerate(zip(parts, value, strict=False))
    return find_first_breach(
        context.find_breach_inside(part, item, index) for index, (part, item) in pairs
    )


def _find_breach_of_items(part: Any, value: Any, context: Where) -> Breach | None:
    indexes = range(len(context.keywords.get("prefixItems", ())), len(value))
    return find_first_breach(
        context.find_breach_inside(part, value[index], index) for index in indexes
    )


def _find_breach_of_contains(part: Any, value: Any, context: Where) -> Breach | None:
    indexes = [index for index, item in enumerate(value) if context.find_breach(part, item) is None]
    if context.marks is not None:
        context.marks.update(indexes)
    least = context.keywords.get("minContains", 1)
    most = context.keywords.get("maxContains", len(value))
    if least <= len(indexes) <= most:
        return None
    return _make_breach(f"{len(indexes)} items match `contains`, not {least} to {most}")


def _find_breach_of_unevaluated_items(part: Any, value: Any, context: Where) -> Breach | None:
    marks = context.marks or ()
    indexes = [index for index in range(len(value)) if index not in marks]
    return find_first_breach(
        context.find_breach_inside(part, value[index], index) for index in indexes
    )


def _find_breach_of_required(names: list[str], value: Any, _: Where) -> Breach | None:
    missing = [name for name in names if name not in value]
    return _make_breach(f"{format_excerpt(missing[0])} is missing") if missing else None


def _find_breach_of_dependent_required(
    needs: Mapping[str, list[str]], value: Any, context: Where
) -> Breach | None:
    return find_first_breach(
        _find_breach_of_required(names, value, context)
        for name, names in needs.items()
        if name in value
    )


def _find_breach_of_dependent_schemas(parts: Schema, value: Any, context: Where) -> Breach | None:
    return find_first_breach(
        context.find_breach_of_same_value(part, value)
        for name, part in parts.items()
        if name in value
    )


def _find_breach_of_properties(parts: Schema, value: Any, context: Where) -> Breach | None:
    names = [name for name in value if name in parts]
    return find_first_breach(
        context.find_breach_inside(parts[name], value[name], name) for name in names
    )


def _find_breach_of_pattern_properties(parts: Schema, value: Any, context: Where) -> Breach | None:
    return find_first_breach(
        context.find_breach_inside(part, member, name)
        for pattern, part in parts.items()
        for name, member in value.items()
        if context.matches(pattern, name)
    )


def _find_breach_of_additional_properties(part: Any, value: Any, context: Where) -> Breach | None:
    declared = context.keywords.get("properties", ())
    patterns = context.keywords.get("patternProperties", ())
    others = (
        name
        for name in value
        if name not in declared
        and all(context.matches(pattern, name) is False for pattern in patterns)
    )
    return find_first_breach(
        _find_breach_of_undeclared(part, value, name, context) for name in others
    )


def _find_breach_of_unevaluated_properties(part: Any, value: Any, context: Where) -> Breach | None:
    marks = context.marks or ()
    names = [name for name in value if name not in marks]
    return find_first_breach(
        _find_breach_of_undeclared(part, value, name, context) for name in names
    )


def _find_breach_of_undeclared(part: Any, value: Any, name: str, context: Where) -> Breach | None:
    """Check the value of an undeclared member."""
    if part is False:
        return _make_breach(f"{format_excerpt(name)} is not allowed here")
    return context.find_breach_inside(part, value[name], name)


def _find_breach_of_property_names(part: Any, value: Any, context: Where) -> Breach | None:
    breach = find_first_breach(context.find_breach(part, name) for name in value)
    return breach and breach._replace(path=())


def _find_breach_of_ref(reference: str, value: Any, context: Where) -> Breach | None:
    target, there = context.find_schema(reference)
    return there.find_breach_of_same_value(target, value)


def _find_breach_of_dynamic_ref(reference: str, value: Any, context: Where) -> Breach | None:
    """Check a value against the outermost schema with the same dynamic anchor."""
    target, there = context.find_schema(reference)
    name = reference.rpartition("#")[2]
    if there.scope.resource.dynamic.get(name) is target:
        around = (*context.around, there.scope.resource)
        outermost = next(one for one in around if name in one.dynamic)
        target = outermost.dynamic[name]
        there = there._replace(scope=there.scope._replace(resource=outermost))
    return there.find_breach_of_same_value(target, value)


def _find_breach_of_recursive_ref(reference: str, value: Any, context: Where) -> Breach | None:
    """Check a value against the outermost schema with `$recursiveAnchor`."""
    target, there = context.find_schema(reference)
    if isinstance(target, Mapping) and target.get("$recursiveAnchor") is True:
        for resource in reversed(context.around):
            if resource.schema.get("$recursiveAnchor") is not True:
                break
            target = resource.schema
            there = there._replace(scope=there.scope._replace(resource=resource))
    return there.find_breach_of_same_value(target, value)


def _find_breach_of_any_of(parts: list[Any], value: Any, context: Where) -> Breach | None:
    breaches = []
    for part in parts:
        breach = context.find_breach_of_same_value(part, value)
        if breach is not None:
            breaches.append(breach)
        elif context.marks is None:  # otherwise the other parts still have to mark members
            return None
    return (
        _likeliest_breach(parts, breaches, value, context) if len(breaches) == len(parts) else None
    )


def _find_breach_of_one_of(parts: list[Any], value: Any, context: Where) -> Breach | None:
    outcomes = [context.find_breach_of_same_value(part, value) for part in parts]
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
    return isinstance(value, dict) and find_label_name(keywords) in value


def _likeliest_breach(
    parts: list[Any], breaches: list[Breach], value: Any, context: Where
) -> Breach:
    """Return the breach of the schema that a label chooses, or the breach with the longest path.

    If there are several breaches with the longest path, return a general breach.
    """
    breach = _find_breach_of_labelled(parts, breaches, context)
    if breach is not None:
        return breach
    depth = max(len(breach.path) for breach in breaches)
    deepest = [breach for breach in breaches if len(breach.path) == depth]
    return (
        deepest[0]
        if len(deepest) == 1
        else _make_breach(f"{format_excerpt(value)} is allowed by no schema")
    )


def _find_breach_of_labelled(
    parts: list[Any], breaches: list[Breach], context: Where
) -> Breach | None:
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


def _find_breach_of_not(part: Any, value: Any, context: Where) -> Breach | None:
    is_right = context.find_breach(part, value) is not None
    return None if is_right else _make_breach(f"{format_excerpt(value)} is what `not` excludes")


def _find_breach_of_if(part: Any, value: Any, context: Where) -> Breach | None:
    branch = "then" if context.find_breach_of_same_value(part, value) is None else "else"
    return context.find_breach_of_same_value(context.keywords.get(branch, True), value)


JUDGES: Judges = {
    "type": (_is_any, _find_breach_of_type),
    "enum": (_is_any, _find_breach_of_enum),
    "const": (_is_any, _find_breach_of_const),
    "minimum": (_is_number, _make_bound_judge("at least", operator.ge)),
    "maximum": (_is_number, _make_bound_judge("at most", operator.le)),
    "exclusiveMinimum": (_is_number, _make_bound_judge("more than", operator.gt)),
    "exclusiveMaximum": (_is_number, _make_bound_judge("less than", operator.lt)),
    "multipleOf": (_is_number, _find_breach_of_multiple_of),
    "minLength": (_make_class_test(str), _make_size_judge("characters", "at least", operator.ge)),
    "maxLength": (_make_class_test(str), _make_size_judge("characters", "at most", operator.le)),
    "minItems": (_make_class_test(list), _make_size_judge("items", "at least", operator.ge)),
    "maxItems": (_make_class_test(list), _make_size_judge("items", "at most", operator.le)),
    "minProperties": (_make_class_test(dict), _make_size_judge("members", "at least", operator.ge)),
    "maxProperties": (_make_class_test(dict), _make_size_judge("members", "at most", operator.le)),
    "pattern": (_make_class_test(str), _find_breach_of_pattern),
    "format": (_make_class_test(str), _find_breach_of_format),
    "required": (_make_class_test(dict), _find_breach_of_required),
    "dependentRequired": (_make_class_test(dict), _find_breach_of_dependent_required),
    "uniqueItems": (_make_class_test(list), _find_breach_of_unique_items),
    "propertyNames": (_make_class_test(dict), _find_breach_of_property_names),
    "additionalProperties": (_make_class_test(dict), _find_breach_of_additional_properties),
    "prefixItems": (_make_class_test(list), _find_breach_of_prefix_items),
    "items": (_make_class_test(list), _find_breach_of_items),
    "contains": (_make_class_test(list), _find_breach_of_contains),
    "properties": (_make_class_test(dict), _find_breach_of_properties),
    "patternProperties": (_make_class_test(dict), _find_breach_of_pattern_properties),
    "$ref": (_is_any, _find_breach_of_ref),
    "$dynamicRef": (_is_any, _find_breach_of_dynamic_ref),
    "$recursiveRef": (_is_any, _find_breach_of_recursive_ref),
    "allOf": (
        _is_any,
        lambda parts, value, context: find_first_breach(
            context.find_breach_of_same_value(p, value) for p in parts
        ),
    ),
    "anyOf": (_is_any, _find_breach_of_any_of),
    "oneOf": (_is_any, _find_breach_of_one_of),
    "if": (_is_any, _find_breach_of_if),
    "dependentSchemas": (_make_class_test(dict), _find_breach_of_dependent_schemas),
    "not": (_is_any, _find_breach_of_not),
    "unevaluatedItems": (_make_class_test(list), _find_breach_of_unevaluated_items),
    "unevaluatedProperties": (_make_class_test(dict), _find_breach_of_unevaluated_properties),
}
"""The checks by keyword, in order. Errors of the value itself are more informative than errors
inside it, so they come first. The last two keywords need the marks of all others."""
