// The values of a call in JavaScript, and the kinds of number.

/** A value. Objects that are read have no prototype, so that every key is a plain key. */
export type Value = null | boolean | number | bigint | string | Value[] | { [key: string]: Value };

/** An object of values by key. */
export type Members = { [key: string]: Value };

/** A call to a tool. */
export interface Call {
  name: string;
  arguments: Members;
}

/** An answer to a call. An error with an empty name means that there was no call. */
export interface Result {
  name: string;
  value: Value;
  error: boolean;
}

/**
 * The type that integers become:
 *
 * - "number" (the default): a Number. An integer beyond 2^53 - 1 is an error (E302), because no Number equals it.
 * - "large": a Number, or a BigInt beyond 2^53 - 1.
 * - "bigint": always a BigInt. So a Number is always a double, and 1 and 1.0 differ.
 */
export type Integers = "number" | "large" | "bigint";

export type Num = number | bigint;

export const MAX_DEPTH = 64;
export const MAX_DIGITS = 4096;
export const MAX_COUNT_DIGITS = 15;
export const MAX_CALL = 2 ** 26;
export const MAX_POSITIONS = 100_000;
/** R-1105: the number of repeated characters that count as one position. */
export const CHARACTERS_A_POSITION = 100;
const MOST_INTEGER = 10n ** BigInt(MAX_DIGITS) - 1n;
const LEAST_INTEGER = 1n - 10n ** BigInt(MAX_DIGITS - 1);

/** characters that no string may contain. Because of the flag `u`, halves of a surrogate pair do not match. */
export const FORBIDDEN = /[\0\ud800-\udfff]/u;
/** Characters that control a terminal, reverse text, end a line or are invisible tags. No name of a tool contains them. */
export const STEERING = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}\ud800-\udfff]/u;

/** Write a character as JSON escapes it: a `\u` and four digits for each of its UTF-16 code units. */
export function escapes(char: string): string {
  return char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const SURROGATE = /[\ud800-\udfff]/;
const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Return the number of Unicode scalar values of a text. */
export function sizeOf(text: string): number {
  return SURROGATE.test(text) ? text.length - (text.match(PAIRS)?.length ?? 0) : text.length;
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isNumber(value: unknown): value is Num {
  return typeof value === "number" || typeof value === "bigint";
}

export function isWhole(value: Num): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

/** Return whether an integer has a lexeme of at most `MAX_DIGITS` characters (R-1102). */
export function fits(value: bigint): boolean {
  return LEAST_INTEGER <= value && value <= MOST_INTEGER;
}

/** Return the same key for equal numbers: 1, 1n and 1.0. */
export function keyOfNumber(value: Num): Num {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function emptyObject(): Members {
  return Object.create(null) as Members;
}

const has = Object.prototype.hasOwnProperty;

export function hasOwn(object: object, key: string): boolean {
  return has.call(object, key);
}

/** Sort strings by their scalar values, which is not the order of their UTF-16 units. */
export function sorted(texts: Iterable<string>): string[] {
  return [...texts].sort(byScalars);
}

function byScalars(one: string, other: string): number {
  const size = Math.min(one.length, other.length);
  for (let at = 0; at < size; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    // A surrogate belongs to a character above all characters of one unit.
    if (a !== b) return a >= 0xd800 && b >= 0xd800 ? rank(a) - rank(b) : a - b;
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  return unit < 0xe000 ? unit + 0x10000 : unit;
}
