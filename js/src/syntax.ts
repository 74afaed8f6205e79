// The lexemes of §3, as patterns and as functions that write them.

import { MAX_COUNT_DIGITS, sizeOf, type Num } from "./values.js";

/** The form of a call (§4.6). Without tools, "wire" is the map form. */
export type Form = "wire" | "keyed" | "punctuated" | "tagged";
export const FORMS: readonly string[] = ["wire", "keyed", "punctuated", "tagged"];

export const CALL = "!call ";
export const RESULT = "!result ";
export const ERROR = "!error ";
export const NO_CALL = "!error: ";
export const SIGILS = [CALL, RESULT, ERROR, NO_CALL];

const NAME = /^[A-Za-z0-9_./-]+$/;
export const BARE = /^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/;
export const NUMBER = /^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const LINE_END = /[\n\r]/;
const FENCES = /`{3,}/g;
/** one of these follows a fence in the parentheses of a call. */
export const FENCE_ENDS: ReadonlySet<string> = /* @__PURE__ */ new Set(",;)]}=");
const QUOTES = ['"', "'", "`"];

// Character classes as bits in a table, so that names and words are read without a pattern.
export const IN_NAME = 1;
export const IN_WORD = 2;
export const DIGIT = 4;
const CLASSES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const isIn = (pattern: RegExp): number => Number(pattern.test(String.fromCharCode(code)));
  return IN_NAME * isIn(/[A-Za-z0-9_./-]/) + IN_WORD * isIn(/[A-Za-z0-9_./:@+*-]/) + DIGIT * isIn(/[0-9]/);
});

/** Return the end of a run of characters in a class. */
export function runEnd(text: string, pos: number, kind: number): number {
  let end = pos;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code > 127 || !(CLASSES[code]! & kind)) break;
  }
  return end;
}

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Return whether the digits may begin a length (R-307, R-1103). */
export function mayBeLength(digits: string): boolean {
  return digits.length <= MAX_COUNT_DIGITS && (digits[0] !== "0" || digits === "0");
}

// --- writing ---------------------------------------------------------------------------------------

const FIRST_OF_COMMA = /["'`)\]}]$/;
const LETTER = /^[A-Za-z]/;

/** Join values (§6): with a comma after a closing character and before anything but a letter, otherwise with a space. */
export function joined(words: readonly string[]): string {
  let text = words[0] ?? "";
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index]!;
    text += (FIRST_OF_COMMA.test(words[index - 1]!) && !LETTER.test(word) ? "," : " ") + word;
  }
  return text;
}

/** Write a name in the first possible form: bare, quoted or fenced. */
export function spellName(name: string): string {
  return NAME.test(name) ? name : (quoted(name) ?? fenced(name));
}

/** Write a key in the tagged form, quoted if the key could be read as an atom or `_`. */
export function spellTaggedKey(name: string): string {
  return name === "n" || name === "_" ? `"${name}"` : spellName(name);
}

/** Write a string in the first possible form: bare, quoted, or counted (in the punctuated form, fenced). */
export function spellText(text: string, isBare: boolean, isPunctuated = false): string {
  if (isBare && BARE.test(text)) return text;
  return quoted(text) ?? (isPunctuated ? fenced(text) : counted("s", text));
}

export function counted(letter: string, text: string): string {
  return `${letter}${sizeOf(text)}:${text}`;
}

/** Put the text in the first kind of quotes that it does not contain, or return null. */
export function quoted(text: string): string | null {
  if (LINE_END.test(text)) return null;
  const quote = QUOTES.find((each) => !text.includes(each));
  return quote ? quote + text + quote : null;
}

function fenced(text: string): string {
  let longest = 2;
  for (const [found] of text.matchAll(FENCES)) longest = Math.max(longest, found.length);
  const fence = "`".repeat(longest + 1);
  return text.endsWith("\n") ? `${fence}+\n${text}${fence}` : `${fence}\n${text}\n${fence}`;
}

/** write all digits of an integer, or the shortest double with a fraction or an exponent. */
export function spellNumber(value: Num): string {
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace("+", "");
  const digits = String(value);
  return digits.includes(".") ? digits : `${digits}.0`;
}
