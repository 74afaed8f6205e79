// Normalize keywords of JSON Schema: their allowed values, and other spellings in use.

import { LtonError, excerpt } from "../errors.js";
import type { Exact, ExactMap } from "../json.js";
import { FORBIDDEN, MAX_DEPTH, STEERING, fits, isNumber } from "../values.js";
import { isPattern } from "./patterns.js";

export const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const;

export const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** The keywords whose value is a schema, a list of schemas, and a map of schemas by name. */
export const SCHEMAS = words(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties",
);
export const LISTS_OF_SCHEMAS = words("allOf anyOf items oneOf prefixItems");
export const MAPS_OF_SCHEMAS = words("$defs definitions dependencies dependentSchemas patternProperties properties");
/** The keywords for which null has a meaning. */
const NULLS = words("const default example type");
/** Every spelling of a kind, with the kind first. */
const SPELLINGS =
  "null None NoneType|boolean bool Boolean|integer int Integer byte short long Long Bigint" +
  "|number float Float double Double Number|string str String char date datetime" +
  "|array list List tuple Tuple set Set Array ArrayList Queue Stack|object dict Dict Object Map HashMap Hashtable|any Any";
const KINDS = new Map([["", "any"]]);
for (const line of SPELLINGS.split("|")) for (const name of line.split(" ")) KINDS.set(name, line.split(" ")[0]!);
/** The keyword for the content of a kind. */
const HOLD = new Map([["array", "items"], ["object", "additionalProperties"]]);

export function isMap(value: Exact | undefined): value is ExactMap {
  return value instanceof Map;
}

export const NEWEST_DRAFT = 2020;
/** The keywords that drafts added to draft 4. */
const SINCE = new Map<string, number>();
for (const [draft, added] of [
  [6, "const contains propertyNames"],
  [7, "else if then"],
  [2019, "$recursiveRef dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties"],
  [NEWEST_DRAFT, "$dynamicRef prefixItems"],
] as const) for (const keyword of added.split(" ")) SINCE.set(keyword, draft);

/**
 * Normalize the keywords of a schema, but not those of its subschemas. With `standard`, an `enum` next to
 * `type: array` lists arrays, and keywords that are newer than the schema's draft are dropped.
 */
export function clean(schema: ExactMap, pointer: string, standard: boolean, draft: number): ExactMap {
  const isThere = (keyword: string): boolean => !standard || (SINCE.get(keyword) ?? 0) <= draft;
  const cleaned: ExactMap = new Map([...schema].filter(([keyword, value]) => (value !== null || NULLS.has(keyword)) && isThere(keyword)));
  const named = schema.get("type");
  const isScalar = typeof named === "string" && !["any", "object"].includes(KINDS.get(named) ?? "any");
  if (typeof cleaned.get("required") === "boolean" && isScalar) cleaned.delete("required");
  for (const [bound, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
    const isExclusive = cleaned.get(exclusive);
    if (typeof isExclusive !== "boolean") continue;
    cleaned.delete(exclusive);
    if (!isExclusive || !cleaned.has(bound)) continue;
    cleaned.set(exclusive, cleaned.get(bound)!);
    cleaned.delete(bound);
  }
  return cleaned.has("type") ? withKinds(cleaned, pointer, standard) : cleaned;
}

function withKinds(cleaned: ExactMap, pointer: string, standard: boolean): ExactMap {
  let named = cleaned.get("type")!;
  const meant = typeof named === "string" && !KINDS.has(named) ? annotated(named) : null;
  if (meant) {
    cleaned = new Map([...meant, ...cleaned]);
    named = meant.get("type")!;
  }
  checkShape("type", named, `${pointer}/type`);
  const kinds = [named].flat().map((name) => KINDS.get(name as string));
  const unknown = kinds.indexOf(undefined);
  if (unknown >= 0) {
    throw new LtonError("E501", `no type has the name ${excerpt([named].flat()[unknown])}`, { pointer: `${pointer}/type` });
  }
  if (kinds.includes("any")) cleaned.delete("type");
  else cleaned.set("type", kinds as string[]);
  const labels = cleaned.get("enum");
  const items = cleaned.get("items") ?? new Map();
  const listsItems = Array.isArray(labels) && labels.length > 0 && !labels.some(Array.isArray);
  if (kinds.join() === "array" && isMap(items) && listsItems && !standard) {
    cleaned.set("items", new Map([...items, ["enum", labels]]));
    cleaned.delete("enum");
  }
  return cleaned;
}

/** Parse a Python annotation, such as `List[str]`, or return null. */
function annotated(name: string): ExactMap | null {
  const plain = name.trim().replace(/optional$/, "").replace(/[, ]+$/, "");
  const isOptional = plain.startsWith("Optional[") && plain.endsWith("]");
  const inner = isOptional ? plain.slice(9, -1) : plain;
  const bracket = inner.indexOf("[");
  const kind = KINDS.get(bracket < 0 ? inner : inner.slice(0, bracket));
  const hold = HOLD.get(kind ?? "");
  if (kind === undefined || (bracket >= 0 && !(hold && inner.endsWith("]")))) return null;
  const schema: ExactMap = new Map([["type", kind]]);
  if (bracket >= 0) {
    const held = inner.slice(bracket + 1, -1);
    const comma = held.indexOf(",");
    const type = kind === "array" ? held : comma < 0 ? "" : held.slice(comma + 1);
    schema.set(hold!, new Map([["type", type.trim()]]));
  }
  return isOptional ? schema.set("nullable", true) : schema;
}

/** Keywords whose value may be an object. */
const HOLDERS = words(
  "$defs additionalItems additionalProperties const contains default definitions dependencies dependentSchemas else" +
    " example if items not patternProperties properties propertyNames then unevaluatedItems unevaluatedProperties",
);

/** Return the schema of parameters without an enclosing schema. Other schemas stay unchanged. */
export function unflattened(schema: ExactMap): ExactMap {
  const isParam = (part: Exact): boolean => isMap(part) && typeof part.get("type") === "string";
  if (schema.size === 0 || ![...schema.values()].every(isParam) || [...schema.keys()].some((key) => HOLDERS.has(key))) return schema;
  const params = [...schema] as [string, ExactMap][];
  const needed = params.filter(([, part]) => !part.has("default") && !(part.get("type") as string).endsWith("optional"));
  return new Map<string, Exact>([["type", "object"], ["properties", schema], ["required", needed.map(([name]) => name)]]);
}

// --- shapes ------------------------------------------------------------------------------------------

type Shape = (value: Exact) => boolean;

const isText: Shape = (value) => typeof value === "string";
const isBoolean: Shape = (value) => typeof value === "boolean";
const isName: Shape = (value) => typeof value === "string" && !FORBIDDEN.test(value);
const isBounded: Shape = (value) => (typeof value === "bigint" ? fits(value) : typeof value === "number" && Number.isFinite(value));
const isSize: Shape = (value) => isNumber(value) && isBounded(value) && value >= 0 && (typeof value === "bigint" || Number.isInteger(value));
const isNames: Shape = (value) => Array.isArray(value) && value.every(isName);
const isChoice: Shape = (value) => Array.isArray(value) && value.length > 0;
const isSchema: Shape = (value) => isBoolean(value) || isMap(value);
const isMatched: Shape = (value) => isText(value) && isPattern(value as string);
const byName: Shape = (value) => isMap(value) && [...value.keys()].every(isName);

const SHAPES = new Map<string, Shape>();
for (const [keywords, shape] of [
  ["$ref format $dynamicRef $recursiveRef", isText],
  ["type", (value) => isText(value) || isNames(value)],
  ["required", isNames],
  ["additionalItems", isSchema],
  ["items", (value) => isSchema(value) || Array.isArray(value)],
  ["pattern", isMatched],
  ["patternProperties", (value) => isMap(value) && [...value.keys()].every(isMatched)],
  ["prefixItems", Array.isArray],
  ["dependencies dependentSchemas", byName],
  ["properties", isMap],
  ["enum", Array.isArray],
  ["anyOf oneOf allOf", isChoice],
  ["minContains maxContains minItems maxItems minLength maxLength minProperties maxProperties", isSize],
  ["nullable uniqueItems", isBoolean],
  ["multipleOf", (value) => isNumber(value) && isBounded(value) && value > 0],
  ["dependentRequired", (value) => isMap(value) && [...value.values()].every(isNames)],
  [BOUNDS.join(" "), isBounded],
] as [string, Shape][]) for (const keyword of keywords.split(" ")) SHAPES.set(keyword, shape);

/** Throw if the keyword must not have this value. */
export function checkShape(keyword: string, value: Exact, pointer: string): void {
  if (SHAPES.get(keyword)?.(value) === false) throw new LtonError("E502", `${keyword} cannot be ${excerpt(value)}`, { pointer });
  if (keyword === "properties") for (const name of (value as ExactMap).keys()) checkName(name, pointer);
  if (keyword === "required" && Array.isArray(value)) for (const name of value) checkName(name as string, pointer);
}

/** Throw if a name could end a line or control a terminal. */
export function checkName(name: string, pointer: string): void {
  const found = STEERING.exec(name)?.[0];
  if (found === undefined) return;
  const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  throw new LtonError("E502", `${excerpt(name)} cannot be a name: U+${code}`, { pointer });
}

/** Return whether a value is a scalar of the data model. */
export function isLabel(value: Exact): boolean {
  return value === null || isBoolean(value) || isName(value) || isBounded(value);
}

/** Return whether a value belongs to the data model, with limited nesting. */
export function isValue(value: Exact, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  if (isMap(value)) return [...value].every(([key, part]) => isName(key) && isValue(part, depth + 1));
  return Array.isArray(value) ? value.every((item) => isValue(item, depth + 1)) : isLabel(value);
}
