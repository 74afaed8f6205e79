// JSON Schema to layouts, as far as a page needs it (LTON 0.1, R-407, R-414, R-409, R-417, R-420).
//
// A type says which kinds of value may stand at a position, at most one node for each kind:
// { null, booleans, number, string, array, object }. What a layout cannot say is not checked here;
// `unchecked` collects those keywords. What would change the layout and is not read here is refused.

import { escapeStep } from "./json.mjs";

const SPELLINGS = {
  null: "null None NoneType",
  boolean: "boolean bool Boolean",
  integer: "integer int Integer byte short long Long Bigint",
  number: "number float Float double Double Number",
  string: "string str String char",
  array: "array list List tuple set Set Array ArrayList Queue Stack",
  object: "object dict Dict Object Map HashMap Hashtable",
  any: "any Any",
};
const KINDS = new Map([["", "any"]]);
for (const [kind, names] of Object.entries(SPELLINGS)) for (const name of names.split(" ")) KINDS.set(name, kind);
const EVERY_KIND = ["null", "boolean", "number", "string", "array", "object"];

const words = (text) => new Set(text.split(" "));
const IMPLIES = [
  ["object", ["properties", "additionalProperties", "patternProperties"]],
  ["array", ["items", "prefixItems"]],
];
const BOUNDS = { minimum: "min", maximum: "max", exclusiveMinimum: "above", exclusiveMaximum: "below" };
const SAYS_KIND = words(
  "additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties" +
    " required unevaluatedProperties minimum maximum exclusiveMinimum exclusiveMaximum",
);
const REFUSED = words("$dynamicRef $recursiveRef dependencies dependentSchemas else if then");
const UNCHECKED = words(
  "contains dependentRequired format maxContains maxProperties minContains minProperties multipleOf not pattern" +
    " propertyNames unevaluatedItems uniqueItems",
);
const SAYS_MEMBERS = words("properties additionalProperties patternProperties $ref enum const anyOf oneOf allOf");
const MAX_DEPTH = 64;

/** What is wrong with a definition or a call, and the JSON Pointer of the part that is. */
export class PartError extends Error {
  constructor(message, pointer) {
    super(message);
    this.pointer = pointer;
  }
}

// --- types ----------------------------------------------------------------------------------------

const NOTHING = { null: false, booleans: [], number: null, string: null, array: null, object: null };
export const ANY = { null: true, booleans: [false, true], number: {}, string: {} };
ANY.array = { items: ANY };
ANY.object = objectOf([], ANY);

/** Get an object's node; its members in the order of the layout, the required ones first. */
function objectOf(members, extra) {
  const params = [...members.filter((member) => member.required), ...members.filter((member) => !member.required)];
  return { params, extra, byName: new Map(params.map((param) => [param.name, param])) };
}

export function isMap(node) {
  return node.params.length === 0 && node.extra !== null;
}

/** Get the type of a member: declared, or allowed beside those; undefined if neither. */
export function typeOf(node, name) {
  return node.byName.get(name)?.type ?? node.extra ?? undefined;
}

// --- tools ----------------------------------------------------------------------------------------

/** Get the tools of definitions (OpenAI's, Anthropic's or MCP's), by name; and what is not checked. */
export function readTools(value) {
  const list = value instanceof Map ? (value.get("tools") ?? [value]) : value;
  if (!Array.isArray(list)) throw new PartError("expected a tool definition, or a list of them", "");
  const base = list !== value && value.get("tools") ? "/tools" : "";
  const tools = new Map();
  const unchecked = new Set();
  list.forEach((definition, index) => {
    const tool = readTool(definition, Array.isArray(value) || base ? `${base}/${index}` : "", unchecked);
    if (tools.has(tool.name)) throw new PartError(`two tools have the name ${tool.name}`, tool.pointer);
    tools.set(tool.name, tool);
  });
  return { tools, unchecked: [...unchecked].sort() };
}

function readTool(definition, pointer, unchecked) {
  if (definition instanceof Map && definition.get("function") instanceof Map) {
    return readTool(definition.get("function"), `${pointer}/function`, unchecked);
  }
  if (!(definition instanceof Map)) throw new PartError("expected a tool definition", pointer);
  const isSchema = !definition.has("name") && definition.has("properties");
  const name = definition.get(isSchema ? "title" : "name");
  if (typeof name !== "string" || !name) throw new PartError("the tool has no name", pointer);
  const key = ["parameters", "input_schema", "inputSchema"].find((each) => definition.get(each));
  const schema = isSchema ? definition : key ? definition.get(key) : new Map();
  const at = isSchema || !key ? pointer : `${pointer}/${key}`;
  if (!(schema instanceof Map)) throw new PartError("expected a schema", at);
  const compiler = new Compiler(schema, at, unchecked);
  const { object } = compiler.type(closed(schema), at, 0);
  if (!object) throw new PartError("expected the schema of an object", at);
  return { name, args: object, pointer };
}

/** A tool takes what it declares, also if that is nothing. */
function closed(schema) {
  const says = [...schema].some(([keyword, value]) => value !== null && SAYS_MEMBERS.has(keyword));
  return says ? schema : new Map([...schema, ["properties", new Map()]]);
}

// --- schemas --------------------------------------------------------------------------------------

class Compiler {
  constructor(root, pointer, unchecked) {
    this.root = root;
    this.pointer = pointer;
    this.unchecked = unchecked;
    this.open = new Set([root]); // the schemas with a name that are being compiled
  }

  type(schema, at, depth) {
    if (depth > MAX_DEPTH) throw new PartError(`a schema nested deeper than ${MAX_DEPTH}`, at);
    if (typeof schema === "boolean") return schema ? ANY : NOTHING;
    if (!(schema instanceof Map)) throw new PartError("expected a schema", at);
    const keywords = cleaned(schema, at);
    for (const keyword of keywords.keys()) {
      if (REFUSED.has(keyword)) throw new PartError(`this page lays out no schema with ${keyword}; the library does`, at);
      if (UNCHECKED.has(keyword)) this.unchecked.add(keyword);
    }
    const inner = (part, ...steps) => this.type(part, at + steps.map((step) => `/${escapeStep(step)}`).join(""), depth + 1);
    const types = [];
    if (keywords.has("$ref")) types.push(this.referenced(keywords.get("$ref"), `${at}/$ref`, depth));
    const kinds = kindsOf(keywords);
    if (kinds) types.push(typeOfKinds(kinds, keywords, inner));
    if (keywords.has("enum")) types.push(listed(keywords.get("enum")));
    if (keywords.has("const")) types.push(listed([keywords.get("const")]));
    const all = (keyword) => (keywords.get(keyword) ?? []).map((part, index) => inner(part, keyword, index));
    for (const keyword of ["anyOf", "oneOf"]) if (keywords.has(keyword)) types.push(union(all(keyword)));
    types.push(...all("allOf"));
    const found = intersection(types, at);
    return keywords.get("nullable") ? union([found, { ...NOTHING, null: true }]) : found;
  }

  /** what a reference in the schema names; inside of itself a schema is any value. */
  referenced(reference, at, depth) {
    let target = typeof reference === "string" && /^#(\/|$)/.test(reference) ? this.root : undefined;
    for (const step of String(reference).split("/").slice(1)) {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      target = target instanceof Map ? target.get(key) : Array.isArray(target) ? target[Number(key)] : undefined;
    }
    if (target === undefined) throw new PartError("no schema here has this name", at);
    if (this.open.has(target)) return ANY;
    this.open.add(target);
    const type = this.type(target, this.pointer + reference.slice(1), depth + 1);
    this.open.delete(target);
    return type;
  }
}

/** get a schema as the standard spells it. */
function cleaned(schema, at) {
  const kept = [...schema].filter(([keyword, value]) => value !== null || ["const", "type"].includes(keyword));
  const keywords = new Map(kept);
  if (typeof keywords.get("required") === "boolean") keywords.delete("required");
  for (const [bound, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]]) {
    if (typeof keywords.get(exclusive) !== "boolean") continue;
    const isExclusive = keywords.get(exclusive);
    keywords.delete(exclusive);
    if (!isExclusive || !keywords.has(bound)) continue;
    keywords.set(exclusive, keywords.get(bound));
    keywords.delete(bound);
  }
  if (!keywords.has("type")) return keywords;
  const kinds = [keywords.get("type")].flat().map((name) => KINDS.get(name));
  if (kinds.includes(undefined)) throw new PartError("no kind of value is called so", `${at}/type`);
  keywords.set("type", kinds);
  if (kinds.includes("any")) keywords.delete("type");
  const labels = keywords.get("enum");
  const items = keywords.get("items") ?? new Map();
  if (kinds.join() === "array" && labels && items instanceof Map && !labels.some(Array.isArray)) {
    keywords.set("items", new Map([...items, ["enum", labels]]));
    keywords.delete("enum");
  }
  return keywords;
}

/** Get the kinds that are named or implied; nothing where a schema does not speak of them. */
function kindsOf(keywords) {
  if (keywords.has("type")) return keywords.get("type");
  if (![...keywords.keys()].some((keyword) => SAYS_KIND.has(keyword))) return null;
  const implied = IMPLIES.find(([, says]) => says.some((keyword) => keywords.has(keyword)));
  return implied ? [implied[0]] : EVERY_KIND;
}

function typeOfKinds(kinds, keywords, inner) {
  const has = (kind) => kinds.includes(kind);
  const isNumber = has("number") || has("integer");
  return {
    null: has("null"),
    booleans: has("boolean") ? [false, true] : [],
    number: isNumber ? { integer: !has("number"), ...sizes(keywords, BOUNDS) } : null,
    string: has("string") ? sizes(keywords, { minLength: "min", maxLength: "max" }) : null,
    array: has("array") ? arrayOf(keywords, inner) : null,
    object: has("object") ? membersOf(keywords, inner) : null,
  };
}

function sizes(keywords, names) {
  const given = Object.entries(names).filter(([keyword]) => keywords.has(keyword));
  return Object.fromEntries(given.map(([keyword, name]) => [name, keywords.get(keyword)]));
}

/** The items of a tuple have one type in the layout: the union of theirs. */
function arrayOf(keywords, inner) {
  const items = keywords.get("items") ?? true;
  const isOld = Array.isArray(items);
  const parts = isOld ? items : (keywords.get("prefixItems") ?? []);
  const rest = isOld ? (keywords.get("additionalItems") ?? true) : items;
  const types = parts.map((part, index) => inner(part, isOld ? "items" : "prefixItems", index));
  if (rest !== false || !parts.length) types.push(inner(rest, isOld ? "additionalItems" : "items"));
  const bounds = sizes(keywords, { minItems: "min", maxItems: "max" });
  if (rest === false && !(bounds.max <= parts.length)) bounds.max = parts.length;
  return { ...bounds, items: union(types) };
}

/** an object that declares members takes no others unless the schema says it does. */
function membersOf(keywords, inner) {
  const properties = keywords.get("properties") ?? new Map();
  const required = keywords.get("required") ?? [];
  const extra = extraOf(keywords, inner);
  const params = [...properties].map(([name, part]) => (
    { name, type: inner(part, "properties", name), required: required.includes(name) }
  ));
  const undeclared = [...new Set(required)].filter((name) => !properties.has(name));
  const takes = extra ?? (keywords.get("additionalProperties") === false ? NOTHING : ANY);
  return objectOf([...params, ...undeclared.map((name) => ({ name, type: takes, required: true }))], extra);
}

/** Get the type of members that are not declared; null where there are none. */
function extraOf(keywords, inner) {
  const more = keywords.get("additionalProperties");
  const patterns = [...(keywords.get("patternProperties") ?? [])];
  const types = patterns.map(([key, part]) => inner(part, "patternProperties", key));
  if (more !== undefined) types.push(inner(more, "additionalProperties"));
  if (more === undefined && (keywords.get("unevaluatedProperties") ?? false) !== false) return ANY;
  if (!types.length) return keywords.has("properties") ? null : ANY;
  return more === false && !patterns.length ? null : union(types);
}

/** Get the type of an enumeration. Arrays and objects are not listed in a layout. */
function listed(values) {
  const numbers = values.filter((value) => typeof value === "number" || typeof value === "bigint");
  const strings = values.filter((value) => typeof value === "string");
  const integer = numbers.every((value) => typeof value === "bigint");
  return {
    null: values.includes(null),
    booleans: [false, true].filter((value) => values.includes(value)),
    number: numbers.length ? { integer, values: numbers } : null,
    string: strings.length ? { values: [...new Set(strings)] } : null,
    array: values.some(Array.isArray) ? ANY.array : null,
    object: values.some((value) => value instanceof Map) ? ANY.object : null,
  };
}

// --- unions and intersections: R-414 ---------------------------------------------------------------

function union(types) {
  if (types.includes(ANY)) return ANY;
  if (types.length === 1) return types[0];
  const nodes = (kind) => types.map((type) => type[kind]).filter(Boolean);
  const unite = (kind, how) => (nodes(kind).length > 1 ? how(nodes(kind)) : (nodes(kind)[0] ?? null));
  return {
    null: types.some((type) => type.null),
    booleans: [false, true].filter((value) => types.some((type) => type.booleans.includes(value))),
    number: unite("number", (found) => ({ integer: found.every((node) => node.integer), values: allListed(found) })),
    string: unite("string", (found) => ({ values: allListed(found) })),
    array: unite("array", (found) => ({ items: union(found.map((node) => node.items)) })),
    object: unite("object", unionOfObjects),
  };
}

function allListed(nodes) {
  return nodes.every((node) => node.values) ? [...new Set(nodes.flatMap((node) => node.values))] : undefined;
}

function unionOfObjects(nodes) {
  const names = new Set(nodes.flatMap((node) => node.params.map((param) => param.name)));
  const params = [...names].map((name) => ({
    name,
    type: union(nodes.map((node) => typeOf(node, name)).filter(Boolean)),
    required: nodes.every((node) => node.byName.get(name)?.required),
  }));
  const extras = nodes.map((node) => node.extra).filter(Boolean);
  return objectOf(params, extras.length ? union(extras) : null);
}

function intersection(types, at) {
  const narrow = types.filter((type) => type !== ANY);
  if (narrow.length < 2) return narrow[0] ?? ANY;
  const all = (kind, how) => {
    const nodes = narrow.map((type) => type[kind]);
    return nodes.every(Boolean) ? how(nodes) : null;
  };
  return {
    null: narrow.every((type) => type.null),
    booleans: [false, true].filter((value) => narrow.every((type) => type.booleans.includes(value))),
    number: all("number", (nodes) => ({ ...scalars(nodes), integer: nodes.some((node) => node.integer) })),
    string: all("string", scalars),
    array: all("array", (nodes) => ({
      ...Object.assign({}, ...nodes),
      items: intersection(nodes.map((node) => node.items), at),
    })),
    object: all("object", (nodes) => intersectionOfObjects(nodes, at)),
  };
}

/** Values that all list; of several bounds the last is kept, for the page is no validator. */
function scalars(nodes) {
  const lists = nodes.map((node) => node.values).filter(Boolean);
  const values = lists[0]?.filter((value) => lists.every((list) => list.includes(value)));
  return { ...Object.assign({}, ...nodes), values };
}

function intersectionOfObjects(nodes, at) {
  const narrow = nodes.filter((node) => node !== ANY.object);
  if (narrow.length > 1) throw new PartError("this page lays out no object that several schemas describe; the library does", at);
  return narrow[0] ?? ANY.object;
}
