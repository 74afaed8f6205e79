// What can go wrong: one class of error, and a stable code for each case (§9).

/** Where an error is, as far as its kind has such a place. */
export interface Place {
  /** Of a text: a 0-based index, counted in Unicode scalar values. */
  pos?: number;
  /** Of a value: a JSON Pointer into the arguments of the call, "" for the call itself. */
  path?: string;
  /** Of a definition: a JSON Pointer into the list of definitions. */
  pointer?: string;
}

/** The only error that this package throws for a text, a value or a definition, whatever it is. */
export class LtonError extends Error {
  override readonly name = "LtonError";
  readonly pos?: number;
  readonly path?: string;
  readonly pointer?: string;

  constructor(
    /** A code of the specification, "E101" to "E506". */
    readonly code: string,
    /** What is wrong, in one sentence. */
    readonly problem: string,
    place: Place = {},
  ) {
    const where = place.pos === undefined ? place.path || place.pointer : `position ${place.pos}`;
    super(`${problem}${where ? ` (${where})` : ""} [${code}]`);
    Object.assign(this, place);
  }
}

/** Get a JSON Pointer (RFC 6901). */
export function pointer(steps: Iterable<string | number>): string {
  let text = "";
  for (const step of steps) text += `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return text;
}

/** Get a part of a foreign text for a message: on one line, and short. */
export function excerpt(value: unknown): string {
  let text: string;
  if (typeof value === "string") text = JSON.stringify(value.slice(0, 41));
  else if (value === null || typeof value !== "object") text = String(value).slice(0, 41);
  else text = Array.isArray(value) ? "an array" : "an object";
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
