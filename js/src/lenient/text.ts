// Properties of characters and searches as the specification counts them: white space, letters and digits of
// all scripts.

/** The characters of white space, for a class of a pattern. U+FEFF is not one of them. */
export const SPACES = "\\t-\\r\\u{1c}-\\u{20}\\u{85}\\u{a0}\\u{1680}\\u{2000}-\\u{200a}\\u{2028}\\u{2029}\\u{202f}\\u{205f}\\u{3000}";
const SPACE = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const FIRST = /[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const WORDS = /[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const WORD = /^[\p{L}\p{N}]$/u;
const LETTER = /^\p{L}$/u;

export function isSpace(char: string | undefined): boolean {
  return char !== undefined && SPACE.test(char);
}

/** Return a text without white space, or without other characters, at its end. */
export function stripEnd(text: string, chars: string | null = null): string {
  let end = text.length;
  while (end > 0 && (chars === null ? SPACE.test(text[end - 1]!) : chars.includes(text[end - 1]!))) end -= 1;
  return text.slice(0, end);
}

/** Return a text without white space, or without other characters, at its start. */
export function stripStart(text: string, chars: string | null = null): string {
  if (chars === null) {
    const start = text.search(FIRST);
    return start < 0 ? "" : text.slice(start);
  }
  let start = 0;
  while (start < text.length && chars.includes(text[start]!)) start += 1;
  return text.slice(start);
}

export function strip(text: string, chars: string | null = null): string {
  return stripStart(stripEnd(text, chars), chars);
}

export function isBlank(text: string): boolean {
  return !FIRST.test(text);
}

/** Return the words between white space. */
export function wordsIn(text: string): string[] {
  return text.match(WORDS) ?? [];
}

/** Return whether a character is a letter or a number. "" is neither. */
export function isAlphanumeric(char: string): boolean {
  return WORD.test(char);
}

export function isLetter(char: string): boolean {
  return LETTER.test(char);
}

export function isDigits(text: string): boolean {
  return /^\p{Nd}+$/u.test(text);
}

/** Return whether a text has upper case and no lower case. */
export function isUpper(text: string): boolean {
  return text !== text.toLowerCase() && text === text.toUpperCase();
}

/** Return a text for comparison without case. */
export function caseless(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll("\u03c2", "\u03c3");
}

/** Normalize a name: convert it to lower case, and replace `-` with `_`. */
export function fold(name: string): string {
  return caseless(name).replaceAll("-", "_");
}

/** Return the first position of a text between two positions, or -1. */
export function find(src: string, text: string, start: number, end = src.length): number {
  return src.slice(0, end).indexOf(text, start);
}

/** Return the last position of a text between two positions, or -1. */
export function findLast(src: string, text: string, start: number, end: number): number {
  const at = src.slice(start, Math.max(start, end)).lastIndexOf(text);
  return at < 0 ? -1 : start + at;
}

export function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Return a text whose tabs reach to the next multiple of `size` columns. */
export function expandTabs(text: string, size: number): string {
  let found = "";
  for (const char of text) found += char === "\t" ? " ".repeat(size - (found.length % size)) : char;
  return found;
}

/** Return the position after the character at a position. */
export function nextChar(src: string, pos: number): number {
  return pos + ((src.codePointAt(pos) ?? 0) > 0xffff ? 2 : 1);
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Converts positions in UTF-16 units to positions in scalar values, and back. */
export class ScalarPositions {
  /** The positions of the characters of two units. */
  private readonly pairs: readonly number[];

  constructor(src: string) {
    this.pairs = [...src.matchAll(PAIR)].map((match) => match.index);
  }

  /** Return the number of scalar values before a position. */
  scalarsBefore(unit: number): number {
    return unit - this.countPairs((index) => this.pairs[index]! < unit);
  }

  /** Return the position after a number of scalar values from a position, which may be beyond the text. */
  skip(unit: number, size: number): number {
    if (this.pairs.length === 0) return unit + size;
    const target = this.scalarsBefore(unit) + size;
    return target + this.countPairs((index) => this.pairs[index]! - index < target);
  }

  /** Return the number of leading pairs for which a condition holds. */
  private countPairs(holds: (index: number) => boolean): number {
    let [low, high] = [0, this.pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
