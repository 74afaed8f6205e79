// Checks that a value belongs to the data model, whatever its type.

import { LtonError, pointer } from "./errors.js";
import { FORBIDDEN, MAX_DIGITS, fits } from "./values.js";

/** The steps down to a value. */
export type Path = readonly (string | number)[];

export function refuse(code: string, problem: string, path: Path): LtonError {
  return new LtonError(code, problem, { path: pointer(path) });
}

/** Throw a `LtonError` for a value that is not in the data model, without checking its content. `forbidden` matches what no text may contain. */
export function checkModel(value: unknown, path: Path, forbidden: RegExp = FORBIDDEN): void {
  if (typeof value === "string") {
    if (forbidden.test(value)) throw refuse("E401", "U+0000 or a lone surrogate in a text", path);
  } else if (typeof value === "bigint") {
    if (!fits(value)) throw refuse("E302", `an integer of more than ${MAX_DIGITS} characters`, path);
  } else if (typeof value === "number" ? !Number.isFinite(value) : !isPlain(value)) {
    throw refuse("E401", `expected a value of JSON, found ${typeof value === "number" ? value : Object.prototype.toString.call(value).slice(8, -1)}`, path);
  }
}

/** Return the members of an object or a Map, except undefined members, as in `JSON.stringify`. */
export function* membersOf(value: object, path: Path, forbidden: RegExp = FORBIDDEN): Iterable<[string, unknown]> {
  for (const [name, member] of value instanceof Map ? (value as Map<unknown, unknown>) : Object.entries(value)) {
    if (typeof name !== "string" || forbidden.test(name)) throw refuse("E401", "this cannot be a name", path);
    if (member !== undefined) yield [name, member];
  }
}

/** Return whether a value is null, a boolean, an array, a Map, or a plain object. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "boolean" || Array.isArray(value) || value instanceof Map) return true;
  if (typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
