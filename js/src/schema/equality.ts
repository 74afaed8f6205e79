// Compare layouts: the values that types accept, and the order.

import { ArrayNode, ObjectNode, type NumberNode, type Param, type StringNode, type Type } from "../types.js";

/** Return whether two types accept the same values in the same layout. */
export function isSame(one: Type, other: Type): boolean {
  return (
    one === other ||
    (one.null === other.null &&
      sameList(one.booleans, other.booleans) &&
      sameNode(one.number, other.number) &&
      sameNode(one.string, other.string) &&
      sameNode(one.array, other.array) &&
      sameNode(one.object, other.object))
  );
}

type Node = NumberNode | StringNode | ArrayNode | ObjectNode | null;

/** Return whether two nodes of one kind are equal. */
export function sameNode(one: Node, other: Node): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (one instanceof ObjectNode && other instanceof ObjectNode) return sameMembers(one, other);
  const [a, b] = [one, other] as unknown as Record<string, unknown>[];
  return ["integer", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "min", "max", "format"].every((key) => a![key] == b![key])
    && sameList((one as StringNode).values, (other as StringNode).values)
    && (!(one instanceof ArrayNode) || sameItems(one, other as ArrayNode));
}

function sameItems(one: ArrayNode, other: ArrayNode): boolean {
  if (!isSame(one.items, other.items) || one.positions.length !== other.positions.length) return false;
  const isSameFurther = one.further === null || other.further === null ? one.further === other.further : isSame(one.further, other.further);
  return isSameFurther && one.positions.every((position, index) => isSame(position, other.positions[index]!));
}

function sameMembers(one: ObjectNode, other: ObjectNode): boolean {
  if (one.params.length !== other.params.length || (one.extra === null) !== (other.extra === null)) return false;
  if (one.label !== other.label || one.branches.length !== other.branches.length) return false;
  if (!one.branches.every((branch, index) => sameMembers(branch, other.branches[index]!))) return false;
  const isSameParam = (a: Param, b: Param): boolean => a.name === b.name && a.required === b.required && isSame(a.type, b.type);
  return one.params.every((param, index) => isSameParam(param, other.params[index]!)) && (one.extra === null || isSame(one.extra, other.extra!));
}

function sameList(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && one.length === other.length && one.every((value, index) => value == other[index]));
}
