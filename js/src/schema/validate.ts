// Check values against a JSON Schema, in drafts 4 to 2020-12 (R-423), with a limit of steps.
//
// Schemas may come from strangers, so the cost of a check is limited (E506). The result of each schema for a
// value is computed once. No check takes quadratic time.

import { LtonError, excerpt } from "../errors.js";
import type { Exact, ExactMap } from "../json.js";
import type { Breach } from "../types.js";
import { hasOwn, isNumber, isObject, isWhole, keyOfNumber, sizeOf, type Members, type Num, type Value } from "../values.js";
import { FORMATS } from "./formats.js";
import { checkShape, clean, isMap, words } from "./keywords.js";
import { Matcher, STEP } from "./patterns.js";
import { Scope, isOld, type Resource } from "./references.js";

const MAX_STEPS = 10_000_000;
const STEPS_PER_CHARACTER = 20;
/** The number of characters that a value costs in addition to its content. */
const VALUE = 30;
const JUDGE = 10 * STEP;

type Found = Breach | null;
type Marks = Set<string | number> | null;
type Judge = (operand: Exact, value: never, place: Place) => Found;
type Rule = [concerns: (value: Value) => boolean, judge: Judge];

const APPLICATORS = words("$dynamicRef $recursiveRef $ref allOf anyOf dependentSchemas if not oneOf");

class TooManySteps extends Error {}

/** A schema in the newest draft, and its checks. */
interface Plan {
  keywords: ExactMap;
  judges: [Rule, Exact][];
  asksForMarks: boolean;
  isKept: boolean;
}

/** Return a function that checks arguments against the whole schema. */
export function checker(schema: Exact, standard: boolean): (args: Members) => Breach | null {
  const scope = Scope.of(schema);
  const known = new Known(standard);
  return (args) => {
    const run = new Run(args, known, !standard);
    try {
      return run.judge(schema, args, scope, [], null);
    } catch (error) {
      if (error instanceof TooManySteps) {
        return { path: [], problem: `it takes more than ${MAX_STEPS} steps to check the arguments`, code: "E506" };
      }
      if (error instanceof LtonError || error instanceof RangeError) return breach(`the arguments cannot be checked: ${error.message}`);
      throw error;
    }
  };
}

/** Facts about a schema that are the same for every value, so they are computed once. */
class Known {
  constructor(private readonly standard: boolean) {}

  private readonly plans = new Map<ExactMap, Plan>();
  private readonly matchers = new Map<string, Matcher | null>();
  readonly keys = new Map<Exact, ReadonlySet<string>>();

  plan(schema: ExactMap, around: Resource): Plan {
    let plan = this.plans.get(schema);
    if (!plan) {
      const keywords = newest(schema, around, this.standard);
      const judges = [...JUDGES].filter(([name]) => keywords.has(name)).map(([name, rule]): [Rule, Exact] => [rule, keywords.get(name)!]);
      const asksForMarks = keywords.has("unevaluatedItems") || keywords.has("unevaluatedProperties");
      plan = { keywords, judges, asksForMarks, isKept: [...keywords.keys()].some((keyword) => APPLICATORS.has(keyword)) };
      this.plans.set(schema, plan);
    }
    return plan;
  }

  matcher(pattern: string): Matcher | null {
    let found = this.matchers.get(pattern);
    if (found === undefined) this.matchers.set(pattern, (found = Matcher.of(pattern)));
    return found;
  }
}

/** A check of one value. */
class Run {
  private steps = 0;
  private limit = MAX_STEPS;
  private readonly judged = new Map<ExactMap, Map<unknown, [readonly Resource[], Found][]>>();

  constructor(
    private readonly value: Value,
    readonly known: Known,
    readonly formats: boolean,
  ) {}

  readonly spend = (steps: number): void => {
    this.steps += steps;
    if (this.steps <= this.limit) return;
    this.limit = MAX_STEPS + STEPS_PER_CHARACTER * extent(this.value);
    if (this.steps > this.limit) throw new TooManySteps();
  };

  judge(schema: Exact, value: Value, scope: Scope, around: readonly Resource[], marks: Marks): Found {
    if (!isMap(schema)) return schema === false ? breach("nothing is allowed here") : null;
    this.spend(JUDGE);
    scope = scope.inside(schema);
    if (around.at(-1) !== scope.resource) around = [...around, scope.resource];
    const plan = this.known.plan(schema, scope.resource);
    // Results for objects are cached by identity, and results for scalars by value.
    const kept = marks === null && plan.isKept ? this.keptOf(schema, value) : null;
    const old = kept?.find(([way]) => way.length === around.length && way.every((resource, index) => resource === around[index]));
    if (old) return old[1];
    this.spend(2 * STEP * plan.judges.length);
    const own = marks ?? (plan.asksForMarks ? new Set<string | number>() : null);
    const place = new Place(this, plan.keywords, scope, around, own);
    let found: Found = null;
    for (const [[concerns, judge], operand] of plan.judges) {
      if (concerns(value) && (found = judge(operand, value as never, place))) break;
    }
    kept?.push([around, found]);
    return found;
  }

  private keptOf(schema: ExactMap, value: Value): [readonly Resource[], Found][] {
    const ofSchema = this.judged.get(schema) ?? new Map<unknown, [readonly Resource[], Found][]>();
    const found = ofSchema.get(value) ?? [];
    ofSchema.set(value, found);
    this.judged.set(schema, ofSchema);
    return found;
  }
}

/** A check of a value against a schema, and the place of the value. */
class Place {
  constructor(
    readonly run: Run,
    readonly keywords: ExactMap,
    readonly scope: Scope,
    readonly around: readonly Resource[],
    /** The members or items that schemas have checked, or null if they are not needed. */
    readonly marks: Marks,
  ) {}

  judge(schema: Exact, value: Value, marks: Marks = null): Found {
    return this.run.judge(schema, value, this.scope, this.around, marks);
  }

  /** Check the same value against another schema. The marks of that schema count if it allows the value. */
  beside(schema: Exact, value: Value): Found {
    const marks: Marks = this.marks && new Set();
    const found = this.judge(schema, value, marks);
    if (!found) for (const mark of marks ?? []) this.marks!.add(mark);
    return found;
  }

  /** Check a member or an item, and add its step to the path. */
  inner(schema: Exact, value: Value, step: string | number): Found {
    this.marks?.add(step);
    const found = this.judge(schema, value);
    return found && { ...found, path: [step, ...found.path] };
  }

  lookup(reference: string): { target: Exact; there: Place } {
    const { target, scope } = this.scope.lookup(reference, "");
    return { target, there: this.at(scope) };
  }

  at(scope: Scope): Place {
    return new Place(this.run, this.keywords, scope, this.around, this.marks);
  }

  /** Return whether a pattern matches, or null if it cannot be matched. */
  matches(pattern: string, text: string): boolean | null {
    return this.run.known.matcher(pattern)?.search(text, this.run.spend) ?? null;
  }
}

function breach(problem: string): Breach {
  return { path: [], problem, code: "E214" };
}

/** Return the approximate number of characters of a value. */
export function extent(value: Value | Exact): number {
  let size = VALUE;
  if (typeof value === "string") size += sizeOf(value);
  else if (Array.isArray(value)) for (const item of value) size += extent(item);
  else if (typeof value === "object" && value !== null) {
    const members = value instanceof Map ? value : Object.entries(value);
    for (const [name, member] of members) size += sizeOf(name) + extent(member);
  }
  return size;
}

/** Return equal keys for values that are equal in JSON Schema: 1 and 1.0, but not 1 and true. */
function keyOf(value: Value | Exact): string {
  if (isNumber(value)) return String(keyOfNumber(value));
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = [...(value instanceof Map ? value : Object.entries(value))];
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member)}`).sort().join()}}`;
}

/** Return a schema in the newest draft, without its parts and without other spellings (R-420). */
function newest(schema: ExactMap, around: Resource, standard: boolean): ExactMap {
  const cleaned: ExactMap = new Map(clean(schema, "", standard, around.draft));
  if (isOld(around) && cleaned.has("$ref")) return new Map([["$ref", cleaned.get("$ref")!]]);
  if (Array.isArray(cleaned.get("items"))) {
    cleaned.set("prefixItems", cleaned.get("items")!);
    cleaned.delete("items");
    if (cleaned.has("additionalItems")) cleaned.set("items", cleaned.get("additionalItems")!);
  }
  for (const [name, part] of (cleaned.get("dependencies") as ExactMap | undefined) ?? []) {
    const keyword = Array.isArray(part) ? "dependentRequired" : "dependentSchemas";
    cleaned.set(keyword, new Map([...((cleaned.get(keyword) as ExactMap | undefined) ?? []), [name, part]]));
  }
  for (const [keyword, value] of cleaned) checkShape(keyword, value, "");
  const isNullable = cleaned.get("nullable") === true;
  cleaned.delete("nullable");
  return isNullable ? new Map([["anyOf", [cleaned, new Map([["type", ["null"]]])]]]) : cleaned;
}

// --- what each keyword allows ------------------------------------------------------------------------------

const isAny = (): boolean => true;
const isText = (value: Value): boolean => typeof value === "string";
const isList = (value: Value): boolean => Array.isArray(value);
const KINDS: Record<string, (value: Value) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  integer: (value) => isNumber(value) && isWhole(value),
  number: isNumber,
  string: isText,
  array: isList,
  object: isObject,
};

function first<T>(items: Iterable<T>, judge: (item: T) => Found): Found {
  for (const item of items) {
    const found = judge(item);
    if (found) return found;
  }
  return null;
}

const bound = (says: string, allows: (value: Num, bound: Num) => boolean): Judge => (limit, value: Num) =>
  allows(value, limit as Num) ? null : breach(`${value} is not ${says} ${String(limit)}`);

const size = <T>(says: string, sizeIn: (value: T) => number, allows: (size: number, bound: Num) => boolean): Judge => (limit, value) => {
  const count = sizeIn(value as T);
  return allows(count, limit as Num) ? null : breach(`a size of ${count}, not ${says} ${String(limit)}`);
};

const least = (count: Num, limit: Num): boolean => count >= limit;
const most = (count: Num, limit: Num): boolean => count <= limit;
const countOf = (value: Members): number => Object.keys(value).length;

/** Return a number as an integer and a power of ten. */
function decimal(value: Num): [bigint, number] {
  if (typeof value === "bigint") return [value, 0];
  const [digits = "", exponent] = value.toExponential().split("e");
  const point = digits.indexOf(".");
  return [BigInt(digits.replace(".", "")), Number(exponent) - (point < 0 ? 0 : digits.length - point - 1)];
}

/** Check numbers in decimal notation, so that 0.07 is a multiple of 0.01. */
function isMultiple(value: Num, unit: Num): boolean {
  const [[a, i], [b, j]] = [decimal(value), decimal(unit)];
  return i >= j ? (a * 10n ** BigInt(i - j)) % b === 0n : a % (b * 10n ** BigInt(j - i)) === 0n;
}

const missing = (names: readonly string[], value: Members): Found => {
  const name = names.find((each) => !hasOwn(value, each));
  return name === undefined ? null : breach(`${excerpt(name)} is missing`);
};

/** Check an undeclared member. If no such member is allowed, the error is in the object. */
const other = (part: Exact, value: Members, name: string, place: Place): Found =>
  part === false ? breach(`${excerpt(name)} is not allowed here`) : place.inner(part, value[name]!, name);

/**
 * Return the reason of the schema that a label chooses, or the reason with the longest path.
 *
 * If several paths are longest, return a general reason.
 */
function likeliest(parts: readonly Exact[], found: readonly Breach[], value: Value, place: Place): Breach {
  const labels = new Set(found.filter(isAboutLabel).map((one) => one.path[0]!));
  const others = found.flatMap((one, index) => (isAboutLabel(one) ? [] : [index]));
  const [chosen] = others;
  if (chosen !== undefined && others.length === 1 && labels.size === 1) {
    const [label] = labels;
    if (declares(parts[chosen]!, label!, place)) return found[chosen]!;
  }
  const depth = Math.max(...found.map((each) => each.path.length));
  const last = found.filter((each) => each.path.length === depth);
  return last.length === 1 ? last[0]! : breach(`${excerpt(value)} is allowed by no schema`);
}

/** Return whether a member has a value that a schema does not list. */
function isAboutLabel(breach: Breach): boolean {
  return breach.isOfList === true && breach.path.length === 1;
}

/** Return whether a schema, or the target of its `$ref`, declares a member. */
function declares(part: Exact, name: string | number, place: Place): boolean {
  const reference = isMap(part) ? part.get("$ref") : undefined;
  const schema = reference === undefined ? part : place.lookup(reference as string).target;
  const properties = isMap(schema) ? schema.get("properties") : null;
  return isMap(properties) && properties.has(String(name));
}

function contains(part: Exact, value: Value[], place: Place): Found {
  const found = value.flatMap((item, index) => (place.judge(part, item) ? [] : [index]));
  for (const index of found) place.marks?.add(index);
  const few = (place.keywords.get("minContains") ?? 1) as Num;
  const many = (place.keywords.get("maxContains") ?? value.length) as Num;
  return few <= found.length && found.length <= many ? null : breach(`${found.length} items match \`contains\``);
}

function dynamicRef(reference: string, value: Value, place: Place): Found {
  let { target, there } = place.lookup(reference);
  const name = reference.slice(reference.lastIndexOf("#") + 1);
  if (there.scope.resource.dynamic.get(name) === target) {
    const outermost = [...place.around, there.scope.resource].find((each) => each.dynamic.has(name))!;
    target = outermost.dynamic.get(name)!;
    there = there.at(there.scope.in(outermost));
  }
  return there.beside(target, value);
}

function recursiveRef(reference: string, value: Value, place: Place): Found {
  let { target, there } = place.lookup(reference);
  const mayExtend = (schema: Exact): boolean => isMap(schema) && schema.get("$recursiveAnchor") === true;
  if (mayExtend(target)) {
    for (const resource of [...place.around].reverse()) {
      if (!mayExtend(resource.schema)) break;
      target = resource.schema;
      there = there.at(there.scope.in(resource));
    }
  }
  return there.beside(target, value);
}

function anyOf(parts: Exact[], value: Value, place: Place): Found {
  const found: Breach[] = [];
  for (const part of parts) {
    const wrong = place.beside(part, value);
    if (wrong) found.push(wrong);
    else if (place.marks === null) return null; // otherwise the other parts still have to mark members
  }
  return found.length === parts.length ? likeliest(parts, found, value, place) : null;
}

function oneOf(parts: Exact[], value: Value, place: Place): Found {
  const found = parts.map((part) => place.beside(part, value)).filter((each) => each !== null);
  const right = parts.length - found.length;
  if (right > 1 && !hasLabel(value, place.keywords)) return breach(`${excerpt(value)} is allowed by ${right} schemas, not by one`);
  return right ? null : likeliest(parts, found, value, place);
}

/**
 * Return whether an object has the label that OpenAPI's `discriminator` names.
 *
 * The label chooses one schema, so the others may fit, too: in many documents, only the label tells them apart.
 */
function hasLabel(value: Value, keywords: ExactMap): boolean {
  const discriminator = keywords.get("discriminator");
  const name = isMap(discriminator) ? discriminator.get("propertyName") : null;
  return isObject(value) && typeof name === "string" && hasOwn(value, name);
}

function isListed(values: Exact[], value: Value, place: Place): boolean {
  place.run.spend(extent(value));
  const { keys } = place.run.known;
  if (!keys.has(values)) keys.set(values, new Set(values.map(keyOf)));
  return keys.get(values)!.has(keyOf(value));
}

/** The checks by keyword. A breach of the value itself is more informative than a breach inside it. */
const JUDGES = new Map<string, Rule>([
  ["type", [isAny, (kinds, value: Value) => ((kinds as string[]).some((kind) => KINDS[kind]!(value)) ? null : breach(`${excerpt(value)} is not of type ${String(kinds)}`))]],
  ["enum", [isAny, (values, value: Value, place) => (isListed(values as Exact[], value, place) ? null : { ...breach(`${excerpt(value)} is not listed`), isOfList: true })]],
  ["const", [isAny, (only, value: Value, place) => {
    place.run.spend(extent(value) + extent(only));
    return keyOf(value) === keyOf(only) ? null : { ...breach(`${excerpt(value)} is not ${excerpt(only)}`), isOfList: true };
  }]],
  ["minimum", [isNumber, bound("at least", least)]],
  ["maximum", [isNumber, bound("at most", most)]],
  ["exclusiveMinimum", [isNumber, bound("more than", (value, limit) => value > limit)]],
  ["exclusiveMaximum", [isNumber, bound("less than", (value, limit) => value < limit)]],
  ["multipleOf", [isNumber, (unit, value: Num) => (isMultiple(value, unit as Num) ? null : breach(`${value} is not a multiple of ${String(unit)}`))]],
  ["minLength", [isText, size<string>("at least", sizeOf, least)]],
  ["maxLength", [isText, size<string>("at most", sizeOf, most)]],
  ["minItems", [isList, size<Value[]>("at least", (value) => value.length, least)]],
  ["maxItems", [isList, size<Value[]>("at most", (value) => value.length, most)]],
  ["minProperties", [isObject, size<Members>("at least", countOf, least)]],
  ["maxProperties", [isObject, size<Members>("at most", countOf, most)]],
  ["pattern", [isText, (pattern, value: string, place) => (place.matches(pattern as string, value) === false ? breach(`${excerpt(value)} does not match ${excerpt(pattern)}`) : null)]],
  ["format", [isText, (name, value: string, place) => {
    const format = place.run.formats ? FORMATS.get(name as string) : undefined;
    if (format) place.run.spend(value.length);
    return format?.(value) === false ? breach(`${excerpt(value)} is not a ${String(name)}`) : null;
  }]],
  ["required", [isObject, (names, value: Members) => missing(names as string[], value)]],
  ["dependentRequired", [isObject, (needs, value: Members) => first(needs as ExactMap, ([name, names]) => (hasOwn(value, name) ? missing(names as string[], value) : null))]],
  ["uniqueItems", [isList, (isAsked, value: Value[], place) => {
    place.run.spend(extent(value));
    return isAsked && new Set(value.map(keyOf)).size < value.length ? breach("an item is there twice") : null;
  }]],
  ["propertyNames", [isObject, (part, value: Members, place) => {
    const found = first(Object.keys(value), (name) => place.judge(part, name));
    return found && { ...found, path: [] };
  }]],
  ["additionalProperties", [isObject, (part, value: Members, place) => {
    const declared = place.keywords.get("properties") as ExactMap | undefined;
    const patterns = [...((place.keywords.get("patternProperties") as ExactMap | undefined)?.keys() ?? [])];
    const others = (name: string): boolean => !declared?.has(name) && patterns.every((pattern) => place.matches(pattern, name) === false);
    return first(Object.keys(value), (name) => (others(name) ? other(part, value, name, place) : null));
  }]],
  ["prefixItems", [isList, (parts, value: Value[], place) => first((parts as Exact[]).slice(0, value.length).entries(), ([index, part]) => place.inner(part, value[index]!, index))]],
  ["items", [isList, (part, value: Value[], place) => {
    const start = ((place.keywords.get("prefixItems") ?? []) as Exact[]).length;
    return first(value.slice(start).entries(), ([index, item]) => place.inner(part, item, start + index));
  }]],
  ["contains", [isList, contains as Judge]],
  ["properties", [isObject, (parts, value: Members, place) => first(Object.keys(value), (name) => ((parts as ExactMap).has(name) ? place.inner((parts as ExactMap).get(name)!, value[name]!, name) : null))]],
  ["patternProperties", [isObject, (parts, value: Members, place) => first(parts as ExactMap, ([pattern, part]) => first(Object.keys(value), (name) => (place.matches(pattern, name) ? place.inner(part, value[name]!, name) : null)))]],
  ["$ref", [isAny, (reference, value: Value, place) => {
    const { target, there } = place.lookup(reference as string);
    return there.beside(target, value);
  }]],
  ["$dynamicRef", [isAny, dynamicRef as Judge]],
  ["$recursiveRef", [isAny, recursiveRef as Judge]],
  ["allOf", [isAny, (parts, value: Value, place) => first(parts as Exact[], (part) => place.beside(part, value))]],
  ["anyOf", [isAny, anyOf as Judge]],
  ["oneOf", [isAny, oneOf as Judge]],
  ["if", [isAny, (part, value: Value, place) => place.beside(place.keywords.get(place.beside(part, value) ? "else" : "then") ?? true, value)]],
  ["dependentSchemas", [isObject, (parts, value: Members, place) => first(parts as ExactMap, ([name, part]) => (hasOwn(value, name) ? place.beside(part, value) : null))]],
  ["not", [isAny, (part, value: Value, place) => (place.judge(part, value) ? null : breach(`${excerpt(value)} is what \`not\` excludes`))]],
  ["unevaluatedItems", [isList, (part, value: Value[], place) => first(value.entries(), ([index, item]) => (place.marks!.has(index) ? null : place.inner(part, item, index)))]],
  ["unevaluatedProperties", [isObject, (part, value: Members, place) => first(Object.keys(value), (name) => (place.marks!.has(name) ? null : other(part, value, name, place)))]],
]);
