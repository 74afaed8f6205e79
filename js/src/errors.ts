// The error class, with a stable code for each case (§9).

/** The place of an error, if it has one. */
export interface Place {
  /** For an error in a text: a 0-based index that counts Unicode scalar values. */
  pos?: number;
  /** For an error in a value: a JSON Pointer into the call's arguments ("" for the call itself). */
  path?: string;
  /** For an error in a definition: a JSON Pointer into the list of definitions. */
  pointer?: string;
  /** The text, or the part of the text that begins at `start`, on line `firstLine`. */
  doc?: string;
  start?: number;
  firstLine?: number;
}

/** The error that this package throws for any invalid text, value or definition. */
export class LtonError extends Error {
  override readonly name = "LtonError";
  readonly pos?: number;
  readonly path?: string;
  readonly pointer?: string;
  /** The line and the column of `pos`, counted from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly #lineText: string;

  constructor(
    /** A code of the specification, "E101" to "E506". */
    readonly code: string,
    /** One sentence about the error. */
    readonly problem: string,
    { doc, start = 0, firstLine = 1, ...place }: Place = {},
  ) {
    const { pos, path, pointer } = place;
    const at = path || pointer ? `at ${path || pointer}` : "";
    let where = pos === undefined ? at : `position ${pos}`;
    let shown = {};
    let lineText = "";
    if (doc !== undefined && pos !== undefined) {
      const before = unitsBefore(doc, pos - start);
      const lines = before.split("\n");
      const [line, column] = [firstLine + lines.length - 1, [...lines.at(-1)!].length + 1];
      const end = doc.indexOf("\n", before.length);
      lineText = doc.slice(before.lastIndexOf("\n") + 1, end < 0 ? doc.length : end);
      shown = { line, column };
      where = `line ${line}, column ${column}${at && `, ${at}`}`;
    }
    super(`${problem}${where ? ` (${where})` : ""} [${code}]`);
    Object.assign(this, place, shown);
    this.#lineText = lineText;
  }

  /** Return the line that contains the error, cut to `width` characters, with a caret below, or "" without a text. */
  picture(width = 76): string {
    if (this.column === undefined) return "";
    const line = [...this.#lineText].map(shownSign);
    const at = this.column - 1;
    const left = Math.max(0, Math.min(at - (width >> 1), line.length - width));
    return `${line.slice(left, left + width).join("")}\n${line.slice(left, at).map(blankOf).join("")}^`;
  }
}

/** Return the part of a text before a position that counts scalar values. */
export function unitsBefore(text: string, pos: number): string {
  let end = 0;
  for (let left = pos; left > 0 && end < text.length; left -= 1) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Replace characters that would control a terminal. */
function shownSign(sign: string): string {
  return /^[^\p{C}\p{Z}]$|^[ \t]$/u.test(sign) ? sign : "\ufffd";
}

const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Return as many spaces as a character has terminal cells. */
function blankOf(sign: string): string {
  if (sign === "\t") return sign;
  return /\p{M}/u.test(sign) ? "" : WIDE.test(sign) ? "  " : " ";
}

/** Build a JSON Pointer (RFC 6901). */
export function pointer(steps: Iterable<string | number>): string {
  let text = "";
  for (const step of steps) text += `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return text;
}

/** Shorten a text for a message, and put it on one line. */
export function excerpt(value: unknown): string {
  let text: string;
  if (typeof value === "string") text = quote(value.slice(0, 41));
  else if (value === null || typeof value !== "object") text = String(value).slice(0, 41);
  else text = Array.isArray(value) ? "an array" : "an object";
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Describe a value for a message. An array has the number of its items. */
export function describe(value: unknown): string {
  return Array.isArray(value) ? `an array of ${countNoun(value.length, "item")}` : excerpt(value);
}

/** Write a number with its noun, in the plural unless the number is 1. */
export function countNoun(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

/** Quote a part of a text for a message, in single quotes unless the part contains single quotes. */
export function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`;
}
