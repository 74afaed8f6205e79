// Compile JSON Schema to a layout with a position for every value that the schema allows.
//
// If the layout allows more values than the schema, arguments are checked against the whole schema after
// they have been read.

import { LtonError, excerpt, pointer } from "../errors.js";
import type { Exact, ExactMap } from "../json.js";
import { ANY, ArrayNode, NOTHING, NumberNode, ObjectNode, StringNode, Type, UNSAID, type Param } from "../types.js";
import { CHARACTERS_A_POSITION, FORBIDDEN, MAX_DEPTH, MAX_POSITIONS, isNumber, sizeOf, type Num } from "../values.js";
import { closed, intersection, loosened, overlap, union } from "./combine.js";
import { isSame } from "./equality.js";
import { FORMATS } from "./formats.js";
import { BOUNDS, checkShape, clean, isLabel, isMap, isValue, words } from "./keywords.js";
import { Matcher } from "./patterns.js";
import { Scope, isOld } from "./references.js";
import { extent } from "./validate.js";

const APPLICATORS = ["enum", "const", "anyOf", "oneOf", "allOf"];
const SAYS_MEMBERS = ["properties", "additionalProperties", "patternProperties", "$ref", ...APPLICATORS];
const SAYS_KIND = [
  ...words("additionalProperties items maxItems maxLength minItems minLength patternProperties prefixItems properties required unevaluatedProperties"),
  ...BOUNDS,
];
/** Keywords that a layout does not enforce completely. */
const CHECKED = words(
  "$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSchemas else if maxContains maxProperties" +
    " minContains minProperties multipleOf not pattern patternProperties prefixItems propertyNames then unevaluatedItems" +
    " unevaluatedProperties uniqueItems",
);
const IMPLIES: [string, string][] = [
  ["properties", "object"],
  ["additionalProperties", "object"],
  ["patternProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
];
/** R-1105: the number of states of a pattern that count as one position. */
const STATES_A_POSITION = 10;

/** The arguments of a tool, compiled from a schema. */
export interface Compiled {
  args: ObjectNode;
  /** Whether arguments that fit the layout have to be checked against the schema. */
  isChecked: boolean;
  notes: Notes;
}

/** JSON Pointers for readers of a definition. */
export interface Notes {
  /** Patterns that are not checked, because they cannot be matched. */
  unmatched: string[];
  /** Labels that are omitted in part, because no text can contain U+0000 or a lone surrogate. */
  unsayable: string[];
  defaulted: string[];
}

/** Return the layout of a tool's arguments. With `standard`, a schema allows everything that it does not mention. */
export function compileObject(schema: Exact, at: string, standard: boolean): Compiled {
  if (!standard && isMap(schema)) schema = withoutOthers(schema);
  const compiler = new Compiler(schema, at, standard);
  const { object } = compiler.position(schema, at, compiler.scope, 0);
  if (!object) throw new LtonError("E502", "expected the schema of an object", { pointer: at });
  const name = compiler.recursive.get(schema) ?? object.name;
  const args = new ObjectNode(object.params, object.extra, [], null, name); // the parameters of a tool are not split
  return { args, isChecked: compiler.isChecked, notes: compiler.notes };
}

/** Return a type whose object has the name of its schema, if the schema is recursive. */
function withName(type: Type, name: string | undefined): Type {
  const { object } = type;
  if (name === undefined || !object || object.branches.length) return type;
  return new Type({ ...type, object: new ObjectNode(object.params, object.extra, [], object.label, name) });
}

/** A tool accepts the parameters that it declares, even if it declares none. */
function withoutOthers(schema: ExactMap): ExactMap {
  const saysMembers = SAYS_MEMBERS.some((keyword) => (schema.get(keyword) ?? null) !== null);
  return saysMembers ? schema : new Map([...schema, ["properties", new Map()]]);
}

/** The types that conditional schemas have for members, by name. */
type Mentioned = Map<string, Type[]>;

/** Compiles a schema, and counts its positions. */
class Compiler {
  readonly scope: Scope;
  isChecked = false;
  readonly notes: Notes = { unmatched: [], unsayable: [], defaulted: [] };
  positions = 0;
  /** The number of characters of labels, defaults and descriptions, including repetitions by references. */
  texts = 0;
  /** The number of these characters that references repeat. */
  repeated = 0;
  /** The number of positions that contain the current position. */
  steps = 0;
  /** The results of named schemas, and the steps to the named schemas that are being compiled. */
  readonly done = new Map<Exact, { type: Type; positions: number; texts: number; mentioned: Mentioned }>();
  readonly open = new Map<Exact, number>();
  /** The names of the schemas that occur inside themselves. */
  readonly recursive = new Map<Exact, string>();
  mentioned: Mentioned = new Map();
  /** The members that the enclosing schemas declare at the same position. */
  declared: readonly ReadonlyMap<string, unknown>[] = [];

  constructor(
    schema: Exact,
    readonly root: string,
    readonly standard: boolean,
  ) {
    this.scope = Scope.of(isMap(schema) ? schema : new Map());
    this.open.set(schema, 1);
  }

  /** R-1105: limit positions, because a few references can expand to any number. */
  count(positions: number): void {
    this.positions += positions;
    if (this.positions + Math.floor(this.repeated / CHARACTERS_A_POSITION) > MAX_POSITIONS) {
      throw new LtonError("E505", `a schema of more than ${MAX_POSITIONS} positions`, { pointer: this.root });
    }
  }

  /** R-1105: limit characters, because a few references can repeat a long text often. */
  countTexts(characters: number, isRepeated: boolean): void {
    this.texts += characters;
    if (isRepeated) this.repeated += characters;
    this.count(0);
  }

  /** Record members that only conditional schemas declare, because they need a position in the layout. */
  mention(name: string, types: readonly Type[]): void {
    this.mentioned.set(name, [...(this.mentioned.get(name) ?? []), ...types]);
  }

  /** Compile with other mentioned and declared members. Return the type and the mentioned members. */
  apart(compile: () => Type): { type: Type; mentioned: Mentioned } {
    const { mentioned, declared } = this;
    this.mentioned = new Map();
    this.declared = [];
    const found = { type: compile(), mentioned: this.mentioned };
    this.mentioned = mentioned;
    this.declared = declared;
    return found;
  }

  /** Return the type of a position that has only this schema. */
  position(schema: Exact, at: string, scope: Scope, depth: number): Type {
    this.steps += 1;
    const { type, mentioned } = this.apart(() => this.schema(schema, at, scope, depth));
    this.steps -= 1;
    const { object } = type;
    if (!object || (object.extra !== UNSAID && !object.branches.length)) return type;
    const names = [...mentioned.keys()].filter((name) => !object.byName.has(name));
    const more = names.map((name): Param => ({ name, type: union(mentioned.get(name)!).type, required: false, description: "" }));
    return new Type({ ...type, object: closed(object, more) });
  }

  /** Return the type of a schema, which may share its position with others. */
  schema(schema: Exact, at: string, scope: Scope, depth: number): Type {
    if (depth > MAX_DEPTH) throw new LtonError("E301", `nested deeper than ${MAX_DEPTH}`, { pointer: at });
    this.count(1);
    if (typeof schema === "boolean") return schema ? ANY : NOTHING;
    if (!isMap(schema)) throw new LtonError("E502", `expected a schema, found ${excerpt(schema)}`, { pointer: at });
    scope = scope.inside(schema);
    const part = new Part(this, clean(schema, at, this.standard, scope.resource.draft), at, scope, depth);
    part.look();
    try {
      const type = part.compile();
      return isSame(type, ANY) && !type.recursion ? ANY : type; // the reader compares by identity
    } catch (error) {
      if (!(error instanceof LtonError) || error.pointer !== undefined) throw error;
      throw new LtonError(error.code, error.problem, { pointer: at });
    }
  }
}

/** A schema that is an object, its place, and the compiler for its parts. */
class Part {
  constructor(
    private readonly run: Compiler,
    private readonly keywords: ExactMap,
    private readonly place: string,
    private readonly scope: Scope,
    private readonly depth: number,
  ) {}

  private at(...steps: (string | number)[]): string {
    return this.place + pointer(steps);
  }

  /** Compile the schema of a position inside this one. */
  private inner(part: Exact, ...steps: (string | number)[]): Type {
    return this.run.position(part, this.at(...steps), this.scope, this.depth + 1);
  }

  /** Compile a schema of the same position. */
  private beside(part: Exact, ...steps: (string | number)[]): Type {
    return this.run.schema(part, this.at(...steps), this.scope, this.depth + 1);
  }

  private all(keyword: string): Type[] {
    return ((this.keywords.get(keyword) ?? []) as Exact[]).map((part, index) => this.beside(part, keyword, index));
  }

  private members(keyword: string): ExactMap {
    return (this.keywords.get(keyword) ?? new Map()) as ExactMap;
  }

  /** Note the keywords that a layout does not enforce, and throw if a keyword is invalid. */
  look(): void {
    for (const [keyword, value] of this.keywords) {
      checkShape(keyword, value, this.at(keyword));
      if (keyword === "pattern") this.match([value as string], keyword);
      else if (keyword === "patternProperties") this.match([...(value as ExactMap).keys()], keyword);
      else if (keyword === "format") this.run.isChecked ||= !this.run.standard && FORMATS.has(value as string);
      else if (CHECKED.has(keyword) && !(keyword === "uniqueItems" && value === false)) this.run.isChecked = true;
    }
  }

  /** Check whether patterns can be matched, and count their states. */
  private match(patterns: string[], keyword: string): void {
    const matchers = patterns.map((pattern) => Matcher.of(pattern));
    this.run.count(Math.floor(matchers.reduce((sum, one) => sum + (one?.size ?? 0), 0) / STATES_A_POSITION));
    if (matchers.includes(null)) this.run.notes.unmatched.push(this.at(keyword));
    else this.run.isChecked = true;
  }

  compile(): Type {
    const { keywords, run } = this;
    const types: Type[] = [];
    if (keywords.has("$ref")) {
      types.push(this.referenced(keywords.get("$ref") as string));
      if (isOld(this.scope.resource)) return types[0]!;
    }
    const kinds = this.kinds();
    if (kinds) types.push(this.byKind(kinds));
    const around = run.declared;
    run.declared = [...around, ...types.flatMap((type) => type.object?.byName ?? [])];
    if (keywords.has("enum")) types.push(this.listed("enum", keywords.get("enum") as Exact[]));
    if (keywords.has("const")) types.push(this.listed("const", [keywords.get("const")!]));
    for (const keyword of ["anyOf", "oneOf"]) if (keywords.has(keyword)) types.push(this.union(keyword));
    types.push(...this.all("allOf"));
    run.declared = around;
    const compiled = intersection(types);
    this.mention();
    this.checkHidden();
    return keywords.get("nullable") ? union([compiled, new Type({ null: true })]).type : compiled;
  }

  /** Return the type that a `$ref` names. A recursive `$ref` is any value. */
  private referenced(reference: string): Type {
    const { run } = this;
    let at = this.at("$ref");
    const { target, scope } = this.scope.lookup(reference, at);
    if (run.open.has(target)) {
      if (run.open.get(target) === run.steps) throw new LtonError("E504", "the reference names itself", { pointer: at });
      run.isChecked = true;
      const name = reference.slice(reference.lastIndexOf("/") + 1).replace(/^#/, "");
      run.recursive.set(target, name);
      return new Type({ ...ANY, recursion: { name, others: null } });
    }
    let done = run.done.get(target);
    if (done) {
      run.count(done.positions);
      run.countTexts(done.texts, true);
    } else {
      if (reference.startsWith("#/")) at = run.root + reference.slice(1);
      const { positions, texts } = run;
      run.open.set(target, run.steps);
      const found = run.apart(() => run.schema(target, at, scope, this.depth + 1));
      run.open.delete(target);
      done = { ...found, type: withName(found.type, run.recursive.get(target)), positions: run.positions - positions, texts: run.texts - texts };
      run.done.set(target, done);
    }
    for (const [name, types] of done.mentioned) run.mention(name, types);
    return done.type;
  }

  private union(keyword: string): Type {
    const types = this.labelled(this.all(keyword), keyword);
    const loose = loosened(types, this.run.declared);
    const united = union(loose);
    if (!united.isExact || loose !== types || (keyword === "oneOf" && overlap(types))) this.run.isChecked = true;
    return united.type;
  }

  /** Require the label that OpenAPI's `discriminator` names in each object of a union. */
  private labelled(types: Type[], keyword: string): Type[] {
    const discriminator = this.keywords.get("discriminator");
    const name = isMap(discriminator) ? discriminator.get("propertyName") : null;
    if (!isMap(discriminator) || typeof name !== "string") return types;
    const mapping = discriminator.get("mapping");
    const targets: ExactMap = isMap(mapping) ? mapping : new Map();
    const parts = this.keywords.get(keyword) as Exact[];
    return types.map((type, index) => withLabel(type, name, labelsOf(parts[index]!, targets)));
  }

  /** Find the members that conditional schemas declare. */
  private mention(): void {
    const found: Type[] = [];
    for (const keyword of ["if", "then", "else"]) {
      if (this.keywords.has(keyword)) found.push(this.beside(this.keywords.get(keyword)!, keyword));
    }
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      for (const [name, part] of this.members(keyword)) if (!Array.isArray(part)) found.push(this.beside(part, keyword, name));
    }
    for (const { object } of found) for (const param of object?.params ?? []) this.run.mention(param.name, [param.type]);
  }

  /** Compile the schemas that do not shape the layout, only to find their errors. */
  private checkHidden(): void {
    if (this.keywords.has("not")) this.beside(this.keywords.get("not")!, "not");
    for (const keyword of ["contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"]) {
      if (this.keywords.has(keyword)) this.inner(this.keywords.get(keyword)!, keyword);
    }
  }

  /** Return the type of an enumeration. Arrays and objects are not listed in a layout. */
  private listed(keyword: string, listed: Exact[]): Type {
    const values = listed.filter(canBeSaid);
    if (values.length < listed.length) this.run.notes.unsayable.push(this.at(keyword));
    const groups = values.filter((value) => typeof value === "object" && value !== null);
    if (groups.length) this.run.isChecked = true;
    const labels = values.filter((value) => typeof value !== "object" || value === null);
    const wrong = labels.find((value) => !isLabel(value));
    if (wrong !== undefined) throw new LtonError("E502", `a label cannot be ${excerpt(wrong)}`, { pointer: this.at(keyword) });
    const numbers = labels.filter(isNumber);
    const strings = labels.filter((value) => typeof value === "string");
    this.run.countTexts(strings.reduce((sum, text) => sum + sizeOf(text), 9 * values.length), false);
    return new Type({
      null: labels.includes(null),
      booleans: [false, true].filter((value) => labels.includes(value)),
      number: numbers.length ? new NumberNode({ integer: numbers.every((value) => typeof value === "bigint"), values: numbers }) : null,
      string: strings.length ? new StringNode({ values: [...new Set(strings)] }) : null,
      array: groups.some(Array.isArray) ? ANY.array : null,
      object: groups.some(isMap) ? ANY.object : null,
    });
  }

  // --- kinds -----------------------------------------------------------------------------------------

  /** Return the named or implied kinds, or null if the schema does not restrict them. */
  private kinds(): string[] | null {
    const { keywords } = this;
    if (keywords.has("type")) return keywords.get("type") as string[];
    if (!SAYS_KIND.some((keyword) => keywords.has(keyword))) return null;
    const implied = this.run.standard ? undefined : IMPLIES.find(([keyword]) => keywords.has(keyword));
    return implied ? [implied[1]] : ["null", "boolean", "number", "string", "array", "object"];
  }

  private byKind(kinds: string[]): Type {
    const isNumbered = kinds.includes("number") || kinds.includes("integer");
    return new Type({
      null: kinds.includes("null"),
      booleans: kinds.includes("boolean") ? [false, true] : [],
      number: isNumbered ? this.number(!kinds.includes("number")) : null,
      string: kinds.includes("string") ? this.string() : null,
      array: kinds.includes("array") ? this.array() : null,
      object: kinds.includes("object") ? this.object() : null,
    });
  }

  private string(): StringNode {
    const format = this.keywords.get("format");
    const isKnown = typeof format === "string" && !this.run.standard && FORMATS.has(format);
    return new StringNode({ min: this.size("minLength") ?? 0, max: this.size("maxLength"), format: isKnown ? format : undefined });
  }

  private number(integer: boolean): NumberNode {
    const bounds = BOUNDS.map((keyword) => [keyword, this.keywords.get(keyword)] as [string, Num | undefined]);
    return new NumberNode({ integer, ...Object.fromEntries(bounds) });
  }

  private size(keyword: string): number | undefined {
    return this.keywords.has(keyword) ? Number(this.keywords.get(keyword)) : undefined;
  }

  /** The items of a tuple have one type in the layout: the union of their types. */
  private array(): ArrayNode {
    const items = this.keywords.get("items") ?? true;
    const isTuple = Array.isArray(items);
    if (isTuple) this.run.isChecked = true;
    const parts = isTuple ? items : ((this.keywords.get("prefixItems") ?? []) as Exact[]);
    const rest = isTuple ? (this.keywords.get("additionalItems") ?? true) : items;
    const types = parts.map((part, index) => this.inner(part, isTuple ? "items" : "prefixItems", index));
    let max = this.size("maxItems");
    if (rest === false) max = Math.min(max ?? Infinity, parts.length);
    const positions = [...types];
    let further = rest === false && parts.length ? null : this.inner(rest, isTuple ? "additionalItems" : "items");
    if (max !== undefined && parts.length && max <= parts.length) further = null; // no further item can come
    if (further) types.push(further);
    const united = union(types).type;
    const min = this.size("minItems") ?? 0;
    return parts.length ? new ArrayNode(united, min, max, positions, further) : new ArrayNode(united, min, max);
  }

  /** an object that declares members accepts others only if the schema allows this. */
  private object(): ObjectNode {
    const required = new Set((this.keywords.get("required") ?? []) as string[]);
    const properties = this.members("properties");
    const extra = this.extra();
    const params = [...properties].map(([name, part]) => this.param(name, part, required.has(name)));
    const type = extra === UNSAID ? ANY : (extra ?? NOTHING);
    const undeclared = [...required].filter((name) => !properties.has(name));
    this.run.count(undeclared.length);
    return new ObjectNode([...params, ...undeclared.map((name) => ({ name, type, required: true, description: "" }))], extra);
  }

  /** Return the type of undeclared members. */
  private extra(): Type | null {
    const { keywords } = this;
    const more = keywords.get("additionalProperties");
    const types = more === undefined ? [] : [this.inner(more, "additionalProperties")];
    const patterns = this.members("patternProperties");
    for (const [key, part] of patterns) types.push(this.inner(part, "patternProperties", key));
    const isOpen = (keywords.get("unevaluatedProperties") ?? false) !== false;
    if (more === undefined && (this.run.standard || isOpen)) return ANY;
    if (more === undefined && !types.length) return keywords.has("properties") ? UNSAID : ANY;
    return more === false && !patterns.size ? null : union(types).type;
  }

  private param(name: string, part: Exact, required: boolean): Param {
    const type = this.inner(part, "properties", name);
    let about: ExactMap = isMap(part) ? part : new Map();
    let isRepeated = false;
    const reference = about.get("$ref");
    if (typeof reference === "string" && reference && !about.get("description")) {
      const { target } = this.scope.inside(about).lookup(reference, this.at("properties", name, "$ref"));
      isRepeated = isMap(target);
      if (isMap(target)) about = new Map([...target, ...about]);
    }
    const found = about.get("default");
    const said = about.get("description");
    const description = typeof said === "string" ? said : "";
    const initial = found !== undefined && isValue(found) ? found : undefined;
    if (required && initial !== undefined) this.run.notes.defaulted.push(this.at("properties", name));
    this.run.countTexts(sizeOf(description) + (initial === undefined ? 0 : extent(initial)), isRepeated);
    return { name, type, required, description, default: initial, examples: examplesOf(about), pattern: patternOf(about) };
  }
}

/** Return the first example of a schema, as JSON Schema or OpenAPI 3.0 writes it. */
function examplesOf(about: ExactMap): Exact[] {
  const examples = about.get("examples");
  const example = about.get("example");
  const listed = Array.isArray(examples) ? examples : example === undefined ? [] : [example];
  return listed.slice(0, 1).filter(isValue);
}

/** Return the pattern of a string without a format, or of the only branch that is not null. */
function patternOf(about: ExactMap): string {
  const branches = about.get("anyOf");
  const others = Array.isArray(branches) ? branches.filter(isMap).filter((branch) => branch.get("type") !== "null") : [];
  const schema = others.length === 1 ? others[0]! : about;
  const pattern = schema.get("pattern");
  return typeof pattern === "string" && !schema.has("format") ? pattern : "";
}

/** Return the labels that a `discriminator` gives to a schema: mapped, or its own name. */
function labelsOf(part: Exact, targets: ExactMap): string[] {
  const reference = isMap(part) ? part.get("$ref") : null;
  if (typeof reference !== "string") return [];
  const name = lastStep(reference);
  const mapped = [...targets].filter(([, target]) => typeof target === "string" && lastStep(target) === name);
  return mapped.length ? mapped.map(([label]) => label) : [name];
}

function lastStep(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function withLabel(type: Type, name: string, labels: readonly string[]): Type {
  const { object } = type;
  const param = object?.byName.get(name);
  if (!object || !param?.type.string) return type;
  if (!param.type.hasLabels && !labels.length) return type;
  const listed = param.type.hasLabels ? param.type : new Type({ string: new StringNode({ values: labels }) });
  const named: Param = { ...param, type: listed, required: true, default: undefined };
  const params = object.params.map((one) => (one === param ? named : one));
  return new Type({ ...type, object: new ObjectNode(params, object.extra, object.branches, object.label, object.name) });
}

/** Return whether a text can contain a label: a string with U+0000 is not a value. */
function canBeSaid(value: Exact): boolean {
  return typeof value !== "string" || !FORBIDDEN.test(value);
}
