// Read and write JSON exactly: 1 is a BigInt and 1.0 a Number, and an object is a Map, which keeps the
// order of its keys. `JSON.parse` loses both, and layouts depend on both.

import { LtonError } from "./errors.js";
import type { Value } from "./values.js";

/** The value of a JSON text. */
export type Exact = null | boolean | number | bigint | string | Exact[] | ExactMap;
export type ExactMap = Map<string, Exact>;

const MAX_NESTED = 1000;
const MAX_DIGITS = 100_000;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
export const LITERALS: ReadonlyMap<string, boolean | null> = new Map([["true", true], ["false", false], ["null", null]]);

/**
 * Parse a JSON text. Throws a `LtonError` (E502) with the position if the text is not JSON, and with `isUnique`
 * also if an object has a duplicate key. Otherwise the last value of the key is used.
 */
export function parseJSON(text: string, isUnique = false): Exact {
  const reader = new Reader(text, isUnique);
  const value = reader.value(0);
  if (reader.pos < text.length) throw reader.unexpected("the end of the text");
  return value;
}

/** Reads a text by marks and patterns, which are sticky. */
export class Scanner {
  pos = 0;

  constructor(protected readonly text: string) {}

  skip(mark: string): boolean {
    const isHere = this.text[this.pos] === mark;
    this.pos += Number(isHere);
    return isHere;
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.pos;
    const match = pattern.exec(this.text);
    this.pos += match ? match[0].length : 0;
    return match;
  }
}

class Reader extends Scanner {
  constructor(
    text: string,
    private readonly isUnique: boolean,
  ) {
    super(text);
  }

  value(depth: number): Exact {
    this.match(SPACE);
    if (depth > MAX_NESTED) throw this.unexpected("less nesting");
    const value = this.unspaced(depth);
    this.match(SPACE);
    return value;
  }

  private unspaced(depth: number): Exact {
    const text = this.match(STRING);
    if (text) return JSON.parse(text[0]) as string;
    const number = this.match(NUMBER);
    if (number) return this.number(number);
    const literal = this.match(LITERAL);
    if (literal) return LITERALS.get(literal[0])!;
    if (this.skip("[")) return this.array(depth + 1);
    if (this.skip("{")) return this.object(depth + 1);
    throw this.unexpected("a value");
  }

  private number([digits, fraction, exponent]: RegExpExecArray): Exact {
    if (fraction || exponent) return Number(digits);
    if (digits.length > MAX_DIGITS) throw this.unexpected("fewer digits");
    return digits === "-0" ? -0 : BigInt(digits);
  }

  private array(depth: number): Exact[] {
    const items: Exact[] = [];
    this.match(SPACE);
    if (this.skip("]")) return items;
    do items.push(this.value(depth));
    while (this.skip(","));
    if (!this.skip("]")) throw this.unexpected("a comma or ]");
    return items;
  }

  private object(depth: number): ExactMap {
    const members: ExactMap = new Map();
    this.match(SPACE);
    if (this.skip("}")) return members;
    do {
      this.match(SPACE);
      const key = this.match(STRING);
      if (!key) throw this.unexpected("a key in double quotes");
      this.match(SPACE);
      if (!this.skip(":")) throw this.unexpected("a colon");
      const name = JSON.parse(key[0]) as string;
      if (this.isUnique && members.has(name)) throw this.unexpected("a key once");
      members.set(name, this.value(depth));
    } while (this.skip(","));
    if (!this.skip("}")) throw this.unexpected("a comma or }");
    return members;
  }

  unexpected(what: string): LtonError {
    const [found = ""] = this.text.slice(this.pos, this.pos + 2);
    const seen = found ? JSON.stringify(found) : "the end of the text";
    return new LtonError("E502", `expected ${what}, found ${seen}`, { pos: this.pos });
  }
}

/** Convert JavaScript values to the same form. Throws a `LtonError` (E502) for values that JSON does not have. */
export function toExact(value: unknown): Exact {
  return exact(value, new Map(), 0);
}

/** An object that occurs twice is converted once, so that it remains one schema and cycles are found. */
function exact(value: unknown, known: Map<object, Exact | undefined>, depth: number): Exact {
  if (typeof value === "number") return Number.isInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  if (value === null || ["boolean", "bigint", "string"].includes(typeof value)) return value as Exact;
  if (typeof value !== "object") throw new LtonError("E502", `a ${typeof value} is no JSON`);
  if (known.has(value)) {
    const found = known.get(value);
    if (found === undefined) throw new LtonError("E502", "a definition contains itself");
    return found;
  }
  if (depth > MAX_NESTED) throw new LtonError("E301", `nested deeper than ${MAX_NESTED}`);
  known.set(value, undefined);
  const convert = (part: unknown): Exact => exact(part, known, depth + 1);
  const found = Array.isArray(value)
    ? value.map(convert)
    : new Map([...entriesOf(value)].filter(([, part]) => part !== undefined).map(([key, part]) => [key, convert(part)]));
  known.set(value, found);
  return found;
}

function entriesOf(value: object): Iterable<[string, unknown]> {
  return value instanceof Map ? (value as Map<string, unknown>) : Object.entries(value);
}

/** Convert a value to the objects and Numbers of JavaScript, which `JSON.stringify` writes. */
export function fromExact(value: Exact): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(fromExact);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, part]) => [key, fromExact(part)])) : value;
}

/** Write a value whose integers are BigInts as JSON. Doubles are written with a point. */
export function writeJSON(value: Value | Exact): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return jsonOfDouble(value);
  if (Array.isArray(value)) return `[${(value as Value[]).map(writeJSON).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = [...entriesOf(value)].map(([key, part]) => `${JSON.stringify(key)}:${writeJSON(part as Value)}`);
  return `{${members.join(",")}}`;
}

function jsonOfDouble(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const digits = String(value);
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}
