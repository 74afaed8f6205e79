// Combine types to unions and intersections, for `anyOf`, `allOf` and similar keywords.
//
// A type has at most one node for each kind of value, so a union may accept more values than its parts.
// An intersection accepts only the values that all its parts accept.

import { LtonError } from "../errors.js";
import { ANY, ArrayNode, NumberNode, ObjectNode, StringNode, Type, UNSAID, type Param } from "../types.js";
import { isSame, sameNode } from "./equality.js";
import { keyOfNumber, type Num } from "../values.js";

const MAX_PAIRS = 1_000_000;
/** A union of more objects is not split, because each use of the union would repeat all of them. */
const MAX_BRANCHES = 100;

/** Return a type that accepts the values of all these types, and whether it accepts no others. */
export function union(types: readonly Type[]): { type: Type; isExact: boolean } {
  if (types.some((type) => isSame(type, ANY))) return { type: unionWithRecursion(types) ?? ANY, isExact: true };
  let isExact = true;
  const unite = <N extends NumberNode | StringNode | ArrayNode | ObjectNode>(nodes: (N | null)[], how: (found: N[]) => [N, boolean]): N | null => {
    const found = nodes.filter((node) => node !== null);
    if (found.every((node) => sameNode(node, found[0]!))) return found[0] ?? null;
    const [united, exactly] = how(found);
    isExact &&= exactly || found.some((node) => sameNode(node, united));
    return united;
  };
  const type = new Type({
    null: types.some((each) => each.null),
    booleans: [false, true].filter((value) => types.some((each) => each.booleans.includes(value))),
    number: unite(types.map((each) => each.number), unionOfNumbers),
    string: unite(types.map((each) => each.string), unionOfStrings),
    array: unite(types.map((each) => each.array), unionOfArrays),
    object: unite(types.map((each) => each.object), unionOfObjects),
  });
  return { type, isExact };
}

/** Return a union that contains one recursive schema, or null for another union. */
function unionWithRecursion(types: readonly Type[]): Type | null {
  const recursions = types.map((type) => type.recursion).filter((recursion) => recursion !== null);
  const name = recursions[0]?.name;
  if (name === undefined || recursions.some((recursion) => recursion.name !== name)) return null;
  const plain = types.filter((type) => type.recursion === null);
  const others = [...plain, ...recursions.map((recursion) => recursion.others).filter((type) => type !== null)];
  if (others.some((type) => isSame(type, ANY))) return null;
  const united = others.length ? union(others).type : null;
  const object = united?.object ? closed(united.object, []) : null;
  return new Type({ ...ANY, recursion: { name, others: united && new Type({ ...united, object }) } });
}

function unionOfNumbers(nodes: NumberNode[]): [NumberNode, boolean] {
  const integer = nodes.every((node) => node.integer);
  if (nodes.every((node) => node.values)) {
    const values = new Map(nodes.flatMap((node) => node.values!).reverse().map((value) => [keyOfNumber(value), value]));
    return [new NumberNode({ integer, values: [...values.values()].reverse() }), true];
  }
  if (nodes.some((node) => node.values)) return [new NumberNode({ integer }), false];
  const loosest = (name: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"): Num | undefined => {
    const bounds = nodes.map((node) => node[name]);
    return bounds.includes(undefined) ? undefined : (bounds as Num[]).reduce(/min/i.test(name) ? lesser : greater);
  };
  const bounds = { minimum: loosest("minimum"), maximum: loosest("maximum") };
  const exclusive = { exclusiveMinimum: loosest("exclusiveMinimum"), exclusiveMaximum: loosest("exclusiveMaximum") };
  return [new NumberNode({ integer, ...bounds, ...exclusive }), false];
}

const lesser = (one: Num, other: Num): Num => (other < one ? other : one);
const greater = (one: Num, other: Num): Num => (other > one ? other : one);

function unionOfStrings(nodes: StringNode[]): [StringNode, boolean] {
  if (nodes.every((node) => node.values)) return [new StringNode({ values: [...new Set(nodes.flatMap((node) => node.values!))] }), true];
  if (nodes.some((node) => node.values)) return [new StringNode(), false];
  const format = nodes.every((node) => node.format === nodes[0]!.format) ? nodes[0]!.format : undefined;
  return [new StringNode({ min: Math.min(...nodes.map((node) => node.min)), max: loosestSize(nodes), format }), false];
}

function unionOfArrays(nodes: ArrayNode[]): [ArrayNode, boolean] {
  const items = union(nodes.map((node) => node.items)).type;
  return [new ArrayNode(items, Math.min(...nodes.map((node) => node.min)), loosestSize(nodes)), false];
}

function loosestSize(nodes: { max: number | undefined }[]): number | undefined {
  const sizes = nodes.map((node) => node.max);
  return sizes.includes(undefined) ? undefined : Math.max(...(sizes as number[]));
}

function tightestSize(nodes: { max: number | undefined }[]): number | undefined {
  const sizes = nodes.map((node) => node.max).filter((size) => size !== undefined);
  return sizes.length ? Math.min(...sizes) : undefined;
}

/** Return the members of all objects by name, in the order in which they are first declared. */
function membersOf(nodes: readonly ObjectNode[], others: readonly unknown[]): Map<string, Param[]> {
  const given = new Map<string, Param[]>();
  for (const node of nodes) for (const param of node.params) given.set(param.name, [...(given.get(param.name) ?? []), param]);
  checkSize(given.size, others.length); // the types that each object has for the members of the others
  return given;
}

/** R-1105: limit the members that objects combine to. */
function checkSize(members: number, objects: number): void {
  if (members * objects > MAX_PAIRS) throw new LtonError("E505", `objects combine to over ${MAX_PAIRS} members`);
}

function unionOfObjects(nodes: ObjectNode[]): [ObjectNode, boolean] {
  const open = nodes.filter((node) => node.extra !== null && node.extra !== UNSAID);
  let hides = false;
  const params = [...membersOf(nodes, open)].map(([name, found]) => {
    const others = open.filter((node) => !node.byName.has(name)).map((node) => node.extra!);
    const type = union([...found.map((param) => param.type), ...others]).type;
    const required = found.length === nodes.length && found.every((param) => param.required);
    if (!required && found.some((param) => param.required)) hides = true;
    if (isSame(type, ANY) && found.some((param) => !isSame(param.type, ANY))) hides = true;
    return { ...found[0]!, type, required };
  });
  let extra: Type | null = null;
  if (open.length) extra = union(open.map((node) => node.extra!)).type;
  else if (nodes.some((node) => node.extra === UNSAID)) extra = UNSAID;
  return [split(new ObjectNode(params, extra), nodes, hides), false];
}

/**
 * Add the branches to the layout that merges the objects of a union.
 *
 * The label that decides between the objects is looked for first. If there is none, the objects are only split
 * if the merged layout hides a requirement of one of them.
 */
function split(merged: ObjectNode, nodes: readonly ObjectNode[], hides: boolean): ObjectNode {
  const flat = nodes.flatMap((node) => (node.branches.length ? node.branches : [node]));
  if (flat.length > MAX_BRANCHES || !flat.every((node) => node.params.length)) return merged;
  for (const branches of [nodes, flat]) {
    const label = branches[0]!.params.find(({ name }) => decides(name, branches));
    if (label) return labelled(merged, label.name, branches);
  }
  return hides ? new ObjectNode(merged.params, merged.extra, flat) : merged;
}

/** Return whether all branches require a member, and list different values for it. */
function decides(name: string, branches: readonly ObjectNode[]): boolean {
  const lists = branches.map((branch) => listedValues(branch.byName.get(name)));
  const values = lists.flat();
  return lists.every((list) => list.length) && new Set(values).size === values.length;
}

/** Return the values of a required member that lists its values, otherwise an empty list. */
function listedValues(param: Param | undefined): unknown[] {
  if (!param?.required) return [];
  const { string, number, booleans, array, object } = param.type;
  const isOpen = [string, number].some((node) => node && !node.values);
  if (isOpen || param.type.null || array || object || booleans.length > 1) return [];
  return [...(string?.values ?? []), ...(number?.values ?? []).map(keyOfNumber), ...booleans];
}

function labelled(merged: ObjectNode, label: string, branches: readonly ObjectNode[]): ObjectNode {
  const { params, extra } = ledBy(label, merged);
  return new ObjectNode(params, extra, branches.map((branch) => ledBy(label, branch)), label);
}

/** Return an object with its label before all other members, and the same in its branches. */
function ledBy(label: string, node: ObjectNode): ObjectNode {
  const isLabel = (param: Param): boolean => param.name === label;
  const params = [...node.params.filter(isLabel), ...node.params.filter((param) => !isLabel(param))];
  return new ObjectNode(params, node.extra, node.branches.map((branch) => ledBy(label, branch)), node.label, node.name);
}

/** Return an object to which no other schema can add members, and the same for its branches. */
export function closed(node: ObjectNode, more: readonly Param[]): ObjectNode {
  const branches = node.branches.map((branch) => closed(branch, more));
  if (node.extra !== UNSAID) return new ObjectNode(node.params, node.extra, branches, node.label, node.name);
  const params = [...node.params, ...more.filter((param) => !node.byName.has(param.name))];
  return new ObjectNode(params, null, branches, node.label, node.name);
}

/**
 * Adapt the types of a union to schemas of the same position that declare members.
 *
 * A type that does not mention undeclared members accepts the members that those schemas declare. So if one
 * such type lacks a declared member, the member is removed from the other types.
 */
export function loosened(types: readonly Type[], declared: readonly ReadonlyMap<string, unknown>[]): readonly Type[] {
  const unsaid = types.map((type) => type.object).filter((node) => node?.extra === UNSAID) as ObjectNode[];
  const counts = new Map<string, number>();
  for (const node of unsaid) for (const name of node.byName.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isLoose = ([name, count]: [string, number]): boolean => count < unsaid.length && declared.some((one) => one.has(name));
  const loose = new Set([...counts].filter(isLoose).map(([name]) => name));
  if (!loose.size) return types;
  return types.map((type) => {
    if (type.object?.extra !== UNSAID) return type;
    return new Type({ ...type, object: without(type.object, loose) });
  });
}

function without(node: ObjectNode, names: ReadonlySet<string>): ObjectNode {
  const params = node.params.filter((param) => !names.has(param.name));
  if (node.label !== null && names.has(node.label)) return new ObjectNode(params, node.extra, [], null, node.name);
  return new ObjectNode(params, node.extra, node.branches.map((branch) => without(branch, names)), node.label, node.name);
}

/** Return whether two of these types may accept the same value. */
export function overlap(types: readonly Type[]): boolean {
  const count = (has: (type: Type) => unknown): number => types.filter(has).length;
  const booleans = types.flatMap((type) => type.booleans);
  const listsOverlap = (nodes: ({ values: readonly unknown[] | undefined } | null)[]): boolean => {
    const found = nodes.filter((node) => node !== null);
    const listed = found.flatMap((node) => node.values ?? []);
    return found.length > 1 && (found.some((node) => !node.values) || new Set(listed.map(String)).size < listed.length);
  };
  return (
    count((type) => type.null) > 1 ||
    new Set(booleans).size < booleans.length ||
    listsOverlap(types.map((type) => type.number)) ||
    listsOverlap(types.map((type) => type.string)) ||
    count((type) => type.array) > 1 ||
    count((type) => type.object) > 1
  );
}

// --- intersections -----------------------------------------------------------------------------------

/** Return the type of the values that all these types accept. */
export function intersection(types: readonly Type[]): Type {
  const narrow = types.filter((type) => !isSame(type, ANY));
  if (narrow.length < 2) return narrow[0] ?? types.find((type) => type.recursion !== null) ?? ANY;
  const intersect = <N extends NumberNode | StringNode | ArrayNode | ObjectNode>(nodes: (N | null)[], how: (found: N[]) => N | null): N | null => {
    const found = nodes.filter((node) => node !== null);
    if (found.length < nodes.length) return null;
    return found.every((node) => sameNode(node, found[0]!)) ? found[0]! : how(found);
  };
  return new Type({
    null: narrow.every((type) => type.null),
    booleans: [false, true].filter((value) => narrow.every((type) => type.booleans.includes(value))),
    number: intersect(narrow.map((type) => type.number), numbersOfAll),
    string: intersect(narrow.map((type) => type.string), stringsOfAll),
    array: intersect(narrow.map((type) => type.array), arraysOfAll),
    object: intersect(narrow.map((type) => type.object), objectsOfAll),
  });
}

function numbersOfAll(nodes: NumberNode[]): NumberNode | null {
  const integer = nodes.some((node) => node.integer);
  const tightest = (name: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"): Num | undefined => {
    const bounds = nodes.map((node) => node[name]).filter((bound) => bound !== undefined);
    return bounds.length ? bounds.reduce(/min/i.test(name) ? greater : lesser) : undefined;
  };
  const bounds = { minimum: tightest("minimum"), maximum: tightest("maximum") };
  const exclusive = { exclusiveMinimum: tightest("exclusiveMinimum"), exclusiveMaximum: tightest("exclusiveMaximum") };
  const bounded = new NumberNode({ integer, ...bounds, ...exclusive });
  const lists = nodes.filter((node) => node.values);
  if (!lists.length) return bounded;
  const values = lists[0]!.values!.filter((value) => [bounded, ...lists].every((node) => node.refuse(value) === null));
  return values.length ? new NumberNode({ integer, values }) : null;
}

function stringsOfAll(nodes: StringNode[]): StringNode | null {
  const format = nodes.find((node) => node.format !== undefined)?.format;
  const bounded = new StringNode({ min: Math.max(...nodes.map((node) => node.min)), max: tightestSize(nodes), format });
  const lists = nodes.filter((node) => node.values);
  if (!lists.length) return bounded;
  const values = lists[0]!.values!.filter((value) => [bounded, ...lists].every((node) => node.refuse(value) === null));
  return values.length ? new StringNode({ values }) : null;
}

function arraysOfAll(nodes: ArrayNode[]): ArrayNode {
  const items = intersection(nodes.map((node) => node.items));
  return new ArrayNode(items, Math.max(...nodes.map((node) => node.min)), tightestSize(nodes));
}

function objectsOfAll(nodes: ObjectNode[]): ObjectNode | null {
  const narrow = nodes.filter((node) => node.extra !== UNSAID && !(node.extra && isSame(node.extra, ANY)));
  const params: Param[] = [];
  for (const [name, found] of membersOf(nodes, narrow)) {
    const required = found.some((param) => param.required);
    const others = narrow.filter((node) => !node.byName.has(name)).map((node) => node.extra);
    if (others.includes(null)) {
      if (required) return null;
      continue;
    }
    const type = intersection([...found.map((param) => param.type), ...(others as Type[])]);
    const about = found.find((param) => param.description || param.default !== undefined) ?? found[0]!;
    params.push({ ...about, type, required });
  }
  return withCommonMembers(new ObjectNode(params, extraOfAll(nodes.map((node) => node.extra))), nodes);
}

/** Add the branches of the only union among the nodes, each with the members of the others. */
function withCommonMembers(merged: ObjectNode, nodes: readonly ObjectNode[]): ObjectNode {
  const unions = nodes.filter((node) => node.branches.length);
  const union = unions[0];
  if (!union || unions.length > 1) return merged;
  checkSize(merged.params.length, union.branches.length);
  const joined = union.branches.map((branch) => objectsOfAll(nodes.map((node) => (node === union ? branch : node))));
  const branches = joined.filter((branch) => branch !== null);
  const { label } = union;
  if (!branches.length) return merged;
  if (label === null) return new ObjectNode(merged.params, merged.extra, branches);
  return decides(label, branches) ? labelled(merged, label, branches) : merged;
}

function extraOfAll(extras: readonly (Type | null)[]): Type | null {
  if (extras.includes(null)) return null;
  const said = (extras as Type[]).filter((extra) => extra !== UNSAID);
  const isUnsaid = said.length < extras.length && said.every((extra) => isSame(extra, ANY));
  return isUnsaid ? UNSAID : intersection(said);
}
