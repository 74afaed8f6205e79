// Layouts: the kinds of value that a position accepts, with at most one node for each kind.


import { countNoun, quote } from "./errors.js";
import { NUMBER, spellNumber } from "./syntax.js";
import { hasOwn, isNumber, isWhole, keyOfNumber, sizeOf, sorted, type Members, type Num, type Value } from "./values.js";
import type { Exact } from "./json.js";

/** An error code, and the expected value. */
export type Refusal = [code: string, expected: string];

interface NumberBounds {
  integer: boolean;
  minimum?: Num | undefined;
  maximum?: Num | undefined;
  exclusiveMinimum?: Num | undefined;
  exclusiveMaximum?: Num | undefined;
  values?: readonly Num[] | undefined;
}

/** Numbers. With `integer`, 7 and 7.0 are allowed, but not 7.5. */
export class NumberNode {
  readonly integer: boolean;
  readonly minimum: Num | undefined;
  readonly maximum: Num | undefined;
  readonly exclusiveMinimum: Num | undefined;
  readonly exclusiveMaximum: Num | undefined;
  readonly values: readonly Num[] | undefined;
  private readonly listed: ReadonlySet<Num> | undefined;
  /** Whether every integer is allowed. */
  readonly isOpen: boolean;

  constructor(bounds: NumberBounds) {
    this.integer = bounds.integer;
    this.minimum = bounds.minimum;
    this.maximum = bounds.maximum;
    this.exclusiveMinimum = bounds.exclusiveMinimum;
    this.exclusiveMaximum = bounds.exclusiveMaximum;
    this.values = bounds.values;
    this.listed = bounds.values && new Set(bounds.values.map(keyOfNumber));
    this.isOpen = Object.entries(bounds).every(([name, bound]) => name === "integer" || bound === undefined);
  }

  private get kind(): string {
    return this.integer ? "an integer" : "a number";
  }

  get noun(): string {
    return this.values?.length ? describeChoices(this.values.map(spellNumber)) : this.kind;
  }

  refuse(value: Num): Refusal | null {
    if (this.integer && !isWhole(value)) return ["E203", "an integer"];
    if (this.isOpen) return null;
    if (this.listed && !this.listed.has(keyOfNumber(value))) return ["E204", this.noun];
    const bound = this.broken(value);
    return bound ? ["E208", `${this.kind} of ${bound}`] : null;
  }

  private broken(value: Num): string {
    if (this.minimum !== undefined && !(value >= this.minimum)) return `at least ${this.minimum}`;
    if (this.maximum !== undefined && !(value <= this.maximum)) return `at most ${this.maximum}`;
    if (this.exclusiveMinimum !== undefined && !(value > this.exclusiveMinimum)) return `more than ${this.exclusiveMinimum}`;
    if (this.exclusiveMaximum !== undefined && !(value < this.exclusiveMaximum)) return `less than ${this.exclusiveMaximum}`;
    return "";
  }
}

interface StringBounds {
  min?: number | undefined;
  max?: number | undefined;
  values?: readonly string[] | undefined;
  format?: string | undefined;
}

/** Strings. Lengths count Unicode scalar values. */
export class StringNode {
  readonly min: number;
  readonly max: number | undefined;
  readonly values: readonly string[] | undefined;
  private readonly listed: ReadonlySet<string> | undefined;
  /** Whether every string is allowed. */
  readonly isOpen: boolean;

  /** A format that is checked, for signatures. */
  readonly format: string | undefined;

  constructor({ min = 0, max, values, format }: StringBounds = {}) {
    this.format = format;
    this.min = min;
    this.max = max;
    this.values = values;
    this.listed = values && new Set(values);
    this.isOpen = min === 0 && max === undefined && values === undefined;
  }

  get noun(): string {
    return this.values ? describeChoices(this.values.map((value) => quote(value))) : "a string";
  }

  refuse(value: string): Refusal | null {
    if (this.isOpen) return null;
    if (this.listed && !this.listed.has(value)) return ["E204", this.noun];
    const problem = sizeProblem(sizeOf(value), this.min, this.max, "character");
    return problem ? ["E208", `a string of ${problem}`] : null;
  }
}

/**
 * Arrays whose items all have one type. The layout of a tuple is such an array, too: `positions` has the
 * types of its positions, and `further` the type of its further items, if there may be any, for signatures.
 */
export class ArrayNode {
  constructor(
    readonly items: Type,
    readonly min = 0,
    readonly max: number | undefined = undefined,
    readonly positions: readonly Type[] = [],
    readonly further: Type | null = null,
  ) {}

  refuse(value: readonly unknown[]): Refusal | null {
    const problem = sizeProblem(value.length, this.min, this.max, "item");
    return problem ? ["E208", `an array of ${problem}`] : null;
  }
}

/** A parameter of a tool, or a member of an object. */
export interface Param {
  readonly name: string;
  readonly type: Type;
  readonly required: boolean;
  readonly description: string;
  /** Undefined if there is no default. */
  readonly default?: Exact | undefined;
  /** The first example, if there is one; it is shown to models. */
  readonly examples?: readonly Exact[];
  /** The pattern of a string without a format, or empty; it is shown to models. */
  readonly pattern?: string;
}

/** The parameters written by position (null for `_`), and the names written by key. */
interface Arrangement {
  row: (Param | null)[];
  keyed: string[];
}

/**
 * Objects. The members are in layout order: required members, then optional members.
 *
 * If this layout merges the objects of a union, `branches` has these objects. With a `label`, the value
 * of the member with this name decides which branch an object belongs to.
 */
export class ObjectNode {
  readonly params: readonly Param[];
  readonly byName: ReadonlyMap<string, Param>;
  /** Required members. */
  readonly needs: readonly Param[];
  /** Whether the object declares no members and accepts any, so that it is written `{key value}`. */
  readonly isMap: boolean;
  /** The members that may be written by position: none if no label decides between branches. */
  readonly turns: readonly Param[];

  constructor(
    params: readonly Param[] = [],
    /** The type of undeclared members, or null if they are not allowed. */
    readonly extra: Type | null = null,
    readonly branches: readonly ObjectNode[] = [],
    readonly label: string | null = null,
    /** The name of the schema, if it occurs again inside itself. */
    readonly name: string | null = null,
  ) {
    this.needs = params.filter((param) => param.required);
    this.params = [...this.needs, ...params.filter((param) => !param.required)];
    this.byName = new Map(this.params.map((param) => [param.name, param]));
    this.isMap = params.length === 0 && extra !== null;
    const isKeyed = branches.length > 0 && label === null;
    this.turns = isKeyed ? [] : this.params;
  }

  /** Return the branch that the value of the label chooses, or null. */
  branchWith(value: Value): ObjectNode | null {
    const { label } = this;
    if (label === null) return null;
    return this.branches.find((branch) => branch.byName.get(label)?.type.refuse(value) === null) ?? null;
  }

  /** Return the branch that the labels of an object choose, at every level of unions. */
  branchOf(values: Members): ObjectNode {
    const { label } = this;
    if (label === null || !hasOwn(values, label)) return this;
    return this.branchWith(values[label]!)?.branchOf(values) ?? this;
  }

  /** Return the type of a member, declared or not, or null if it is not allowed. */
  typeOf(name: string): Type | null {
    return this.byName.get(name)?.type ?? this.extra;
  }

  /** Return the present names in layout order, followed by sorted undeclared names. */
  inOrder(values: Members): string[] {
    const declared = this.params.map((param) => param.name).filter((name) => hasOwn(values, name));
    return [...declared, ...sorted(Object.keys(values).filter((name) => !this.byName.has(name)))];
  }

  arrange(values: Members): Arrangement {
    let row = this.turns.map((param) => (hasOwn(values, param.name) ? param : null));
    while (row.length && row.at(-1) === null) row.pop();
    const gap = row.indexOf(null);
    const absent = row.filter((param) => param === null).length;
    if (gap >= 0 && absent > row.length - gap - absent) row = row.slice(0, gap);
    const written = new Set(row.map((param) => param?.name));
    return { row, keyed: this.inOrder(values).filter((name) => !written.has(name)) };
  }
}

interface Nodes {
  null?: boolean;
  booleans?: readonly boolean[];
  number?: NumberNode | null;
  string?: StringNode | null;
  array?: ArrayNode | null;
  object?: ObjectNode | null;
  recursion?: Recursion | null;
}

/** The schema that occurs again inside itself: its name, and the other types of the union that it is in. */
export interface Recursion {
  readonly name: string;
  readonly others: Type | null;
}

/** The kinds of value that a position accepts. */
export class Type {
  /** Whether every word that is not a number is a string here. */
  readonly isWordy: boolean;
  readonly null: boolean;
  readonly booleans: readonly boolean[];
  readonly number: NumberNode | null;
  readonly string: StringNode | null;
  readonly array: ArrayNode | null;
  readonly object: ObjectNode | null;
  /** For signatures: the recursive schema in whose place any value is allowed. */
  readonly recursion: Recursion | null;

  constructor(nodes: Nodes = {}) {
    this.null = nodes.null ?? false;
    this.booleans = nodes.booleans ?? [];
    this.number = nodes.number ?? null;
    this.string = nodes.string ?? null;
    this.array = nodes.array ?? null;
    this.object = nodes.object ?? null;
    this.recursion = nodes.recursion ?? null;
    this.isWordy = this.string !== null && !this.null && this.booleans.length === 0;
  }

  /** Whether every value is allowed. */
  get isAny(): boolean {
    const { array, number, object, string } = this;
    if (this === ANY) return true;
    const isAtoms = this.null && this.booleans.length === 2 && string?.isOpen && number?.isOpen && !number.integer;
    const isArrays = array?.items === ANY && array.min === 0 && array.max === undefined;
    return Boolean(isAtoms) && isArrays && object?.isMap === true && object.extra === ANY;
  }

  get hasLabels(): boolean {
    return this.string?.values !== undefined;
  }

  /** return whether a bare word is a string here, and not of another allowed kind. */
  takesBare(word: string): boolean {
    return !(
      (this.null && word === "null") ||
      (this.booleans.length > 0 && (word === "true" || word === "false")) ||
      (this.number !== null && NUMBER.test(word))
    );
  }

  /** Return the error code and the expected value if a value is not allowed, or null. Members are not checked. */
  refuse(value: Value): Refusal | null {
    if (typeof value === "string") return this.string ? this.nameChoices(this.string.refuse(value)) : this.wrongKind();
    if (isNumber(value)) return this.number ? this.nameChoices(this.number.refuse(value)) : this.wrongKind();
    if (value === null) return this.null ? null : this.wrongKind();
    if (typeof value === "boolean") return this.booleans.includes(value) ? null : this.wrongKind();
    if (Array.isArray(value)) return this.array ? this.array.refuse(value) : this.wrongKind();
    return this.object ? null : this.wrongKind();
  }

  /** Let a refusal name all allowed kinds and listed values, unless it is about a limit. */
  private nameChoices(refusal: Refusal | null): Refusal | null {
    return refusal && refusal[0] !== "E208" ? [refusal[0], this.noun] : refusal;
  }

  private wrongKind(): Refusal {
    return ["E203", this.noun];
  }

  /** The allowed kinds of value where a group begins, with the brackets of an object if it has other ones. */
  nounAt(opener: string): string {
    if (!this.object || opener === "[") return this.noun;
    return this.noun.replace("an object", `an object in ${this.object.isMap ? "braces" : "parentheses"}`);
  }

  /** The allowed kinds of value in words, or the listed values. */
  get noun(): string {
    const lists = [this.string, this.number].filter((node) => node !== null).map((node) => node.values);
    const isListed = lists.some((values) => values?.length) && lists.every((values) => values !== undefined);
    if (isListed && !this.array && !this.object) return this.listedNoun;
    const nouns = [
      this.string?.noun,
      this.number?.noun,
      this.array && "an array",
      this.object && "an object",
      this.booleans.join(" or "),
      this.null && "null",
    ];
    return nouns.filter(Boolean).join(" or ") || "nothing";
  }

  /** The values of a type that lists all of its values. */
  private get listedNoun(): string {
    const words = [...this.booleans, ...(this.null ? [null] : [])].map(String);
    return describeChoices([...(this.string?.values ?? []).map((value) => quote(value)), ...(this.number?.values ?? []).map(spellNumber), ...words]);
  }
}

function anything(): Type {
  const type = new Type({ null: true, booleans: [false, true], number: new NumberNode({ integer: false }), string: new StringNode() });
  return Object.assign(type, { array: new ArrayNode(type), object: new ObjectNode([], type) });
}

/** The type of a position without a schema, which contains itself. */
export const ANY = anything();
/** The members of an object without a schema. */
export const FREE = ANY.object!;
/**
 * The `extra` of an object that declares members and does not mention others: other schemas for the same
 * position decide whether undeclared members are allowed. By default they are not.
 */
export const UNSAID = new Type({ ...ANY });
export const NOTHING = new Type();

/** A tool: its name, its purpose, and its arguments. */
export interface Tool {
  readonly name: string;
  /** The name of the tool in calls, if it is different. */
  readonly alias: string;
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly schema: Exact;
  readonly args: ObjectNode;
  /** Returns the reason why arguments that fit the layout are invalid, or null. */
  readonly check: ((args: Members) => Breach | null) | null;
}

/** The reason why a schema refuses arguments: the path to the value, and a message. */
export interface Breach {
  path: readonly (string | number)[];
  problem: string;
  code: string;
  /** Whether the value is none of the values that a schema lists. */
  isOfList?: boolean;
}

// --- words -----------------------------------------------------------------------------------------

const MOST_SHOWN = 8;

function describeChoices(values: readonly string[]): string {
  if (values.length === 1) return values[0]!;
  const more = values.length > MOST_SHOWN ? `, … (${values.length} in all)` : "";
  return `one of ${values.slice(0, MOST_SHOWN).join(", ")}${more}`;
}

function sizeProblem(size: number, min: number, max: number | undefined, noun: string): string {
  if (size < min) return `at least ${countNoun(min, noun)}`;
  return max !== undefined && size > max ? `at most ${countNoun(max, noun)}` : "";
}
