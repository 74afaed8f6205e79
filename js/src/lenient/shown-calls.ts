// Recognizes definitions of tools and templates of calls, which are not calls.
//
// A *definition* describes a tool: its parameters are a schema. A *template* shows how a call is written: a value
// is the name of a type, a word in angle brackets, an ellipsis, and so on.

import type { Tool } from "../types.js";
import { ANY, type ObjectNode, type Type } from "../types.js";
import { isObject, type Call, type Value } from "../values.js";
import { ARGUMENTS, NAMES } from "./json-keys.js";
import { pattern } from "./patterns.js";
import { strip } from "./text.js";
import { isLeaf, type Bracketed, type Tree } from "./tree.js";

const JSON_TYPES = new Set("string number integer boolean array object null".split(" "));
const TYPE = "(?:string|number|integer|boolean|array|object|str|int|bool|float|dict)";
/** Alone, "null" stands for no value. */
const NEXT_TYPE = `(?:${TYPE}|null|None)`;
/** A value that is marked as a placeholder: `<path>`, `{path}`, `...`, `$HOME`. */
const MARKED = pattern(
  String.raw`\.{3}|\u2026` + // an ellipsis
    String.raw`|<[^\W\d_][^<>\n]{0,60}>|\{{1,2}[ ]?[^\W\d_][\w .-]{0,60}\}{1,2}|\[[^\W\d_][\w .-]{0,60}\]` +
    String.raw`|<%=?[ ]?\w[\w .]{0,60}%>|\u00ab[^\u00bb\n]{1,60}\u00bb|\u3010[^\u3011\n]{1,60}\u3011` +
    String.raw`|\u27e8[^\u27e9\n]{1,60}\u27e9|\u3008[^\u3009\n]{1,60}\u3009` +
    String.raw`|\$[^\W\d]\w{0,60}|\$\{\w{1,60}\}|%[A-Z_]{1,60}%|__[A-Z][A-Z_]{0,60}__|%[sdr]` +
    String.raw`|\*{1,2}[^\W\d]\w{0,60}`, // the arguments of a function in Python
);
/** A value that says what it stands for: `string`, `YOUR_KEY`, `path/to/file`, `value_1`. */
const WORDED = pattern(
  String.raw`${TYPE}(?:\[\])?\??` +
    String.raw`(?:[ ]?\|[ ]?${NEXT_TYPE}|[ ]or[ ]${NEXT_TYPE}|,?[ ]\(?(?:optional|required)\)?)*` +
    String.raw`|\w{1,60}:[ ]?${TYPE}` +
    String.raw`|(?:YOUR|INSERT|REPLACE|ENTER|PATH_TO)_\w{1,60}|\w{1,60}_HERE|your_[a-z_]{1,60}` +
    String.raw`|[/~.]{0,3}path/to/[\w./-]{0,80}` +
    String.raw`|(?:(?:param(?:eter)?|arg(?:ument)?)_?)?(?:value|arg)_?\d{0,3}`,
);
const SCHEMA_KEYS = new Set(
  (
    "type properties required description items enum anyOf oneOf allOf additionalProperties default title format minimum" +
    " maximum minLength maxLength minItems maxItems pattern nullable $ref $defs $schema const examples"
  ).split(" "),
);
/** The keys of a tool's parameters in a definition, besides those of a call's arguments. */
const OF_DEFINITIONS = ["input_schema", "inputSchema", "parametersJsonSchema", "schema"];

/** A value of a tree: a text, an array or an object. */
type Plain = string | Plain[] | ReadonlyMap<string | null, Plain>;

/** Return whether an object describes a tool instead of calling it. */
export function isDefinition(node: Bracketed, tools: ReadonlyMap<string, Tool>): boolean {
  const fields = new Map(node.entries.map((entry) => [entry.key, entry.value]));
  let name: string | null = null;
  for (const key of NAMES) {
    const value = fields.get(key);
    if (name === null && value && isLeaf(value)) name = value.text;
  }
  const groups = [...ARGUMENTS, ...OF_DEFINITIONS].flatMap((key) => fields.get(key) ?? []);
  if (fields.has("description") && !groups.length) return name !== null;
  const params = name === null ? null : (tools.get(name)?.args ?? null);
  if (groups.some((group) => isSchemaOfArguments(plain(group), params))) return true;
  for (const [key, value] of fields) {
    const tool = key === null ? undefined : tools.get(key);
    if (tool && isSchemaOfArguments(plain(value), tool.args)) return true;
  }
  return false;
}

function isSchemaOfArguments(value: Plain, params: ObjectNode | null): boolean {
  if (!(value instanceof Map) || value.size === 0) return false;
  const members = value as ReadonlyMap<string | null, Plain>;
  const isDeclared = ["type", "properties"].some((key) => members.has(key) && params?.byName.has(key));
  if (!isDeclared && (members.get("properties") instanceof Map || members.get("type") === "object")) return true;
  return [...members.values()].every(isSchema) && !takesObjects(members, params);
}

/** Return whether each of the keys is a parameter that accepts an object. */
function takesObjects(value: ReadonlyMap<string | null, Plain>, params: ObjectNode | null): boolean {
  return [...value.keys()].every((key) => params !== null && key !== null && Boolean(params.typeOf(key)?.object));
}

/** Return whether a value is a schema, as in `{"type": "string"}`. */
function isSchema(value: Plain): boolean {
  if (!(value instanceof Map)) return false;
  const members = value as ReadonlyMap<string | null, Plain>;
  const type = members.get("type");
  return [...members.keys()].every((key) => SCHEMA_KEYS.has(key ?? "")) && typeof type === "string" && JSON_TYPES.has(type);
}

/** Convert a tree to maps, arrays and strings. */
function plain(node: Tree): Plain {
  if (isLeaf(node)) return node.text;
  if (node.opener === "{") return new Map(node.entries.map((entry) => [entry.key, plain(entry.value)]));
  return node.entries.map((entry) => plain(entry.value));
}

/**
 * Return whether a call only shows how a call is written.
 *
 * Words are examined only in arguments and in their lists, because other data has its own words.
 */
export function isTemplate(call: Call, tools: ReadonlyMap<string, Tool>): boolean {
  const params = tools.get(call.name)?.args ?? null;
  return Object.entries(call.arguments).some(([key, value]) => {
    const type = params?.typeOf(key) ?? ANY;
    if (isWorded(value, type, key) || hasMark(value, type)) return true;
    return Array.isArray(value) && value.some((item) => isWorded(item, itemType(type), key));
  });
}

function itemType(type: Type): Type {
  return type.array?.items ?? ANY;
}

function isWorded(value: Value, type: Type, key: string): boolean {
  if (typeof value !== "string" || type.hasLabels) return false;
  const text = strip(value);
  return text === key || WORDED.fullmatch(text) !== null;
}

function hasMark(value: Value, type: Type): boolean {
  if (typeof value === "string") return MARKED.fullmatch(strip(value)) !== null && !type.hasLabels;
  if (Array.isArray(value)) return value.some((item) => hasMark(item, itemType(type)));
  if (!isObject(value)) return false;
  const members = type.object;
  if (isSchemaValue(value) && !members?.byName.has("type")) return true;
  return Object.entries(value).some(([key, part]) => hasMark(part, members?.typeOf(key) ?? ANY));
}

function isSchemaValue(value: { [key: string]: Value }): boolean {
  const { type } = value;
  return Object.keys(value).every((key) => SCHEMA_KEYS.has(key)) && typeof type === "string" && JSON_TYPES.has(type);
}
