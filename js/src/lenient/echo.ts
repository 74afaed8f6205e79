// Finds calls that only repeat a text that the model was given.
//
// A result of a tool, a page or a user may contain a call, and a model that repeats it does not mean it. A call is
// an *echo* of a text if its name and all its values stand together in the text, in any order and notation. A name
// that is an ordinary word (`search`) also occurs in sentences. It counts only next to a sign that surrounds names
// in code, such as a quote or a bracket.

import type { Call, Value } from "../values.js";
import { escapeText, pattern, type Match } from "./patterns.js";
import { isAlphanumeric, strip } from "./text.js";

/** Characters around a name, in addition to the length of the values. */
const WINDOW = 400;
/** Occurrences of a name that are examined; with more, each call is an echo. */
const MOST_NAMES = 100;
/** In a name that is not an ordinary word. */
const UNUSUAL = /[._/0-9-]|[a-z][A-Z]/;
const BEFORE_NAME = new Set("\"'`(=<.!/@");
const AFTER_NAME = pattern(String.raw`["'\`(\[{=>#]|[ \t]*[(\[{"'\`]`);
const SPACES = pattern(String.raw`(?:\\[nrt]|\s)+`);
const BACKSLASHES = /\\(?=["'\\/])/g;

/** The place of a tool's name in a text. */
interface NamePlace {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether signs of code are around the name. */
  readonly isCode: boolean;
}

/** Texts that a model was given, which are searched for the calls of its answer. */
export class SeenTexts {
  private readonly texts: readonly string[];
  private readonly places = new Map<string, readonly NamePlace[]>();

  constructor(texts: Iterable<string> = []) {
    this.texts = [...texts];
  }

  /** Return whether the name and all values of a call stand together in one of the texts. */
  hold(call: Call): boolean {
    if (!this.texts.length) return false;
    const places = this.placesOf(call.name);
    if (places.length === MOST_NAMES) return true;
    const values = [...scalarsIn(call.arguments)].map(plainText);
    const reach = WINDOW + 2 * values.reduce((size, value) => size + value.length, 0);
    // A call without values has only its name, so the name must be written as in a call.
    const needsSign = !values.length || !UNUSUAL.test(call.name);
    return places.some((place) => {
      if (needsSign && !place.isCode) return false;
      const window = plainText(place.text.slice(Math.max(0, place.start - reach), place.end + reach));
      return values.every((value) => hasWord(window, value));
    });
  }

  private placesOf(name: string): readonly NamePlace[] {
    const known = this.places.get(name);
    if (known) return known;
    const found: NamePlace[] = [];
    const names = pattern(String.raw`(?<!\w)${escapeText(name)}(?!\w)`, "i");
    for (const text of this.texts) {
      for (const match of names.finditer(text)) {
        if (found.length === MOST_NAMES) break;
        found.push({ text, start: match.start, end: match.end, isCode: isWrittenAsCode(text, match) });
      }
    }
    this.places.set(name, found);
    return found;
  }
}

function isWrittenAsCode(text: string, { start, end }: Match): boolean {
  return (start > 0 && BEFORE_NAME.has(text[start - 1]!)) || AFTER_NAME.match(text, end) !== null;
}

function hasWord(text: string, value: string): boolean {
  const first = String.fromCodePoint(value.codePointAt(0) ?? 0);
  const last = [...value].at(-1) ?? "";
  for (let pos = text.indexOf(value); pos >= 0; pos = text.indexOf(value, pos + 1)) {
    const joinsBefore = isAlphanumeric(charBefore(text, pos)) && isAlphanumeric(first);
    const joinsAfter = isAlphanumeric(charAt(text, pos + value.length)) && isAlphanumeric(last);
    if (!(joinsBefore || joinsAfter)) return true;
    if (value === "") break;
  }
  return false;
}

function charAt(text: string, pos: number): string {
  return pos < text.length ? String.fromCodePoint(text.codePointAt(pos)!) : "";
}

function charBefore(text: string, pos: number): string {
  return [...text.slice(Math.max(0, pos - 2), pos)].at(-1) ?? "";
}

/** Return a text without escapes, and with one space for each run of white space. */
function plainText(text: string): string {
  return strip(SPACES.sub(" ", text.replace(BACKSLASHES, "")));
}

/** Yield the spelling of each string and number in a value, except empty strings. */
function* scalarsIn(value: Value): Iterable<string> {
  if (typeof value === "string") {
    if (strip(value)) yield value;
  } else if (typeof value === "bigint") yield String(value);
  else if (typeof value === "number") yield spellDouble(value);
  else if (value !== null && typeof value === "object") for (const part of Object.values(value)) yield* scalarsIn(part);
}

/** Write a double as JSON libraries do: with a point, or with an exponent of two digits and a sign. */
function spellDouble(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  const digits = String(value);
  return digits.includes(".") ? digits : `${digits}.0`;
}
