// Patterns in the notation of Python's `re`, which the reader shares with the Python library.
//
// JavaScript lacks atomic groups, possessive quantifiers and flags of a group, and its `\w`, `\s`, `\b`, `^`
// and `$` mean something else. So a pattern is translated when it is first used: an atomic group `(?>x)`
// becomes a lookahead and a reference to its text, and letters without case become classes of two letters.

import { SPACES } from "./text.js";

/** The class of `\w`: letters, digits and the underscore of any script. */
const WORD = "\\p{L}\\p{N}_";
/** The characters of each class, without brackets. A class in upper case has all other characters. */
const CLASSES: Readonly<Record<string, string>> = { w: WORD, d: "\\p{Nd}", s: SPACES };
const ANCHORS: Readonly<Record<string, string>> = {
  A: "^",
  Z: "$",
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
};
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", "0": "\0" };
/** Letters that equal an ASCII letter without case. */
const FOLDED: Readonly<Record<string, string>> = { k: "\u212a", s: "\u017f" };
const QUANTIFIER = /(?:[*+?]|\{(\d*)(,?)(\d*)\})([+?]?)/y;
const HEX_SIZES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** "i" ignores case, "m" lets `^` and `$` match at lines, "s" lets `.` match line ends, "d" records the starts of groups. */
export type Flags = "" | "i" | "m" | "s" | "d" | "im" | "is";

/** A match of a pattern, with the groups by the numbers and names in the pattern. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** The matched text. */
  readonly text: string;
  /** Return the text of a group, or undefined if the group did not match. */
  group(key: number | string): string | undefined;
  /** Return the start of a group that matched. The pattern needs the flag "d". */
  startOf(key: number | string): number;
  /** The name of the last named group that matched, or the number of the last group. */
  readonly lastGroup: string | number;
}

/** A pattern that is compiled on first use. */
export class Pattern {
  private groups: Groups | null = null;
  private translated = "";
  private sticky: RegExp | null = null;
  private global: RegExp | null = null;
  private whole: RegExp | null = null;

  constructor(
    readonly source: string,
    private readonly flags: Flags = "",
  ) {}

  private compile(before: string, after: string, kind: string): RegExp {
    if (!this.groups) {
      const translator = new Translator(this.source, this.flags);
      this.translated = translator.translate();
      this.groups = translator.groups;
    }
    return new RegExp(before + this.translated + after, `u${kind}${this.flags.includes("d") ? "d" : ""}`);
  }

  /** Match at a position. The text ends at `end` for the pattern. */
  match(src: string, pos = 0, end = src.length): Match | null {
    this.sticky ??= this.compile("", "", "y");
    return this.run(this.sticky, src, pos, end);
  }

  /** Match the whole text from a position to `end`. */
  fullmatch(src: string, pos = 0, end = src.length): Match | null {
    this.whole ??= this.compile("(?:", ")$", "y");
    return this.run(this.whole, src, pos, end);
  }

  /** Find the first match that starts at a position or after it. */
  search(src: string, pos = 0, end = src.length): Match | null {
    this.global ??= this.compile("", "", "g");
    return this.run(this.global, src, pos, end);
  }

  *finditer(src: string, pos = 0, end = src.length): Generator<Match> {
    let at = pos;
    while (at <= end) {
      const match = this.search(src, at, end);
      if (!match) return;
      yield match;
      at = match.end > match.start ? match.end : match.end + sizeAt(src, match.end);
    }
  }

  /** Replace all matches, or the first. */
  sub(replacement: string | ((match: Match) => string), src: string, count = Infinity): string {
    let text = "";
    let pos = 0;
    let left = count;
    for (const match of this.finditer(src)) {
      text += src.slice(pos, match.start) + (typeof replacement === "string" ? replacement : replacement(match));
      pos = match.end;
      left -= 1;
      if (left <= 0) break;
    }
    return text + src.slice(pos);
  }

  private run(pattern: RegExp, src: string, pos: number, end: number): Match | null {
    if (pos > end) return null;
    const text = end < src.length ? src.slice(0, end) : src;
    pattern.lastIndex = pos;
    const found = pattern.exec(text);
    return found && new Found(found, this.groups!);
  }
}

function sizeAt(src: string, pos: number): number {
  return (src.codePointAt(pos) ?? 0) > 0xffff ? 2 : 1;
}

/** Return the source of a pattern that matches a text literally. */
export function escapeText(text: string): string {
  return text.replace(/[^\p{L}\p{N}_]/gu, "\\$&");
}

/** Return a pattern that is compiled on first use. */
export function pattern(source: string, flags: Flags = ""): Pattern {
  return new Pattern(source, flags);
}

class Found implements Match {
  readonly start: number;
  readonly end: number;
  readonly text: string;

  constructor(
    private readonly found: RegExpExecArray,
    private readonly groups: Groups,
  ) {
    this.start = found.index;
    this.text = found[0];
    this.end = found.index + found[0].length;
  }

  group(key: number | string): string | undefined {
    return this.found[this.groups.indexOf(key)];
  }

  startOf(key: number | string): number {
    return this.found.indices![this.groups.indexOf(key)]![0];
  }

  get lastGroup(): string | number {
    let last: string | number = 0;
    for (const [number, index] of this.groups.indices.entries()) {
      if (number > 0 && this.found[index] !== undefined) last = this.groups.names.get(number) ?? number;
    }
    return last;
  }
}

/** The groups of a pattern: their indices in JavaScript, where atomic groups are groups, too. */
class Groups {
  readonly indices: number[] = [0];
  readonly names = new Map<number, string>();
  private readonly numbers = new Map<string, number>();
  size = 0;

  /** Add a group of the pattern and return its number. */
  add(name: string | null): number {
    this.size += 1;
    const number = this.indices.push(this.size) - 1;
    if (name !== null) {
      this.names.set(number, name);
      this.numbers.set(name, number);
    }
    return number;
  }

  /** Add a group that the pattern does not have and return its index. */
  addHidden(): number {
    this.size += 1;
    return this.size;
  }

  mark(): readonly [count: number, size: number] {
    return [this.indices.length, this.size];
  }

  /** Remove the groups that were added since `mark`. */
  reset([count, size]: readonly [count: number, size: number]): void {
    this.indices.length = count;
    this.size = size;
  }

  indexOf(key: number | string): number {
    return this.indices[typeof key === "number" ? key : this.numbers.get(key)!]!;
  }
}

/** Translates a pattern. The methods read the source from `pos`. */
class Translator {
  readonly groups = new Groups();
  private pos = 0;
  /** Whether the last quantifier was possessive. */
  private isPossessive = false;
  private ignoresCase: boolean;
  private isMultiline: boolean;
  private readonly dotMatchesAll: boolean;

  constructor(
    private readonly source: string,
    flags: string,
  ) {
    this.ignoresCase = flags.includes("i");
    this.isMultiline = flags.includes("m");
    this.dotMatchesAll = flags.includes("s");
  }

  translate(): string {
    const found = this.alternatives();
    if (this.pos < this.source.length) throw this.invalid();
    return found;
  }

  private invalid(): SyntaxError {
    return new SyntaxError(`an invalid pattern at ${this.pos}: ${this.source}`);
  }

  private take(text: string): boolean {
    const isHere = this.source.startsWith(text, this.pos);
    if (isHere) this.pos += text.length;
    return isHere;
  }

  private alternatives(): string {
    const parts = [this.sequence()];
    while (this.take("|")) parts.push(this.sequence());
    return parts.join("|");
  }

  private sequence(): string {
    let found = "";
    while (this.pos < this.source.length && !"|)".includes(this.source[this.pos]!)) {
      const start = this.pos;
      const mark = this.groups.mark();
      const atom = this.atom();
      const quantifier = this.quantifier() ?? "";
      if (!this.isPossessive) {
        found += repeated(atom, quantifier);
        continue;
      }
      // The group around the atom has a number before the groups in the atom, so the atom is read again.
      this.pos = start;
      this.groups.reset(mark);
      found += this.atomic(() => repeated(this.atom(), this.quantifier()!));
    }
    return found;
  }

  /** Return a quantifier as JavaScript spells it, without the mark of a possessive one, or null. */
  private quantifier(): string | null {
    QUANTIFIER.lastIndex = this.pos;
    const match = QUANTIFIER.exec(this.source);
    this.isPossessive = match?.[4] === "+";
    if (!match) return null;
    this.pos += match[0].length;
    const [text, least, comma, most, mode] = match;
    const isLazy = mode === "?" ? "?" : "";
    if (!text.startsWith("{")) return text[0]! + isLazy;
    return `{${least || "0"}${comma}${most}}${isLazy}`;
  }

  private atomic(inner: () => string): string {
    const index = this.groups.addHidden();
    return `(?:(?=(${inner()}))\\${index})`;
  }

  private atom(): string {
    const char = String.fromCodePoint(this.source.codePointAt(this.pos)!);
    if (char === "(") return this.group();
    if (char === "[") return this.characterClass();
    this.pos += char.length;
    if (char === "\\") return this.escape();
    if (char === ".") return this.dotMatchesAll ? "[^]" : "[^\\n]";
    if (char === "^") return this.isMultiline ? "(?:^|(?<=\\n))" : "^";
    if (char === "$") return this.isMultiline ? "(?=\\n|$)" : "(?=\\n?$)";
    return this.literal(char);
  }

  private group(): string {
    this.pos += 1;
    if (!this.take("?")) return this.capture(null);
    if (this.take("P<")) {
      const end = this.source.indexOf(">", this.pos);
      const name = this.source.slice(this.pos, end);
      this.pos = end + 1;
      return this.capture(name);
    }
    if (this.take("P=")) {
      const end = this.source.indexOf(")", this.pos);
      const index = this.groups.indexOf(this.source.slice(this.pos, end));
      this.pos = end + 1;
      return `(?:\\${index})`;
    }
    if (this.take(">")) return this.atomic(() => this.rest());
    for (const kind of [":", "=", "!", "<=", "<!"]) if (this.take(kind)) return `(?${kind}${this.rest()})`;
    const before = [this.ignoresCase, this.isMultiline] as const;
    if (this.take("i:")) this.ignoresCase = true;
    else if (this.take("m:")) this.isMultiline = true;
    else throw this.invalid();
    const inner = this.rest();
    [this.ignoresCase, this.isMultiline] = before;
    return `(?:${inner})`;
  }

  private capture(name: string | null): string {
    this.groups.add(name);
    return `(${this.rest()})`;
  }

  /** Return the content of a group and skip its closing parenthesis. */
  private rest(): string {
    const found = this.alternatives();
    if (!this.take(")")) throw this.invalid();
    return found;
  }

  /** Translate an escape outside classes, after its backslash. */
  private escape(): string {
    const letter = this.source[this.pos]!;
    const named = CLASSES[letter.toLowerCase()];
    const known = ANCHORS[letter] ?? (named && `[${letter in CLASSES ? "" : "^"}${named}]`);
    if (known) {
      this.pos += 1;
      return known;
    }
    if (/[1-9]/.test(letter)) {
      this.pos += 1;
      return `(?:\\${this.groups.indexOf(Number(letter))})`;
    }
    return this.literal(this.escapedChar());
  }

  /** Return the character of an escape, after its backslash. */
  private escapedChar(): string {
    const letter = String.fromCodePoint(this.source.codePointAt(this.pos)!);
    this.pos += letter.length;
    const size = HEX_SIZES[letter];
    if (size !== undefined) {
      this.pos += size;
      return String.fromCodePoint(parseInt(this.source.slice(this.pos - size, this.pos), 16));
    }
    return CONTROLS[letter] ?? letter;
  }

  private literal(char: string): string {
    const both = this.ignoresCase ? casesOf(char) : [char];
    return both.length > 1 ? `[${both.map(spellChar).join("")}]` : spellChar(char);
  }

  private characterClass(): string {
    this.pos += 1;
    const isNegated = this.take("^");
    let found = "";
    /** The characters of which the class has all others, as in `[^\W\d]`. */
    const complements: string[] = [];
    let isFirst = true;
    while (isFirst || this.source[this.pos] !== "]") {
      isFirst = false;
      const complement = this.complement();
      if (complement === null) found += this.item();
      else complements.push(complement);
    }
    this.pos += 1;
    if (!complements.length) return `[${isNegated ? "^" : ""}${found}]`;
    if (!isNegated) return `(?:[${found}]|${complements.map((one) => `[^${one}]`).join("|")})`;
    const [last, ...others] = complements;
    return `(?:(?![${found}])${others.map((one) => `(?=[${one}])`).join("")}[${last}])`;
  }

  /** Read a class in upper case inside a class, and return its characters, or null. */
  private complement(): string | null {
    const letter = this.source[this.pos] === "\\" ? this.source[this.pos + 1]! : "";
    const named = CLASSES[letter.toLowerCase()];
    if (!named || letter in CLASSES) return null;
    this.pos += 2;
    return named;
  }

  private item(): string {
    const named = this.source[this.pos] === "\\" ? CLASSES[this.source[this.pos + 1]!] : undefined;
    if (named) {
      this.pos += 2;
      return named;
    }
    const low = this.classChar();
    const isRange = this.source[this.pos] === "-" && this.source[this.pos + 1] !== "]";
    if (!isRange) return (this.ignoresCase ? casesOf(low) : [low]).map(spellChar).join("");
    this.pos += 1;
    const high = this.classChar();
    const range = `${spellChar(low)}-${spellChar(high)}`;
    const isOfLetters = /^[a-z]{2}$/i.test(low + high);
    if (!this.ignoresCase || !isOfLetters) return range;
    return `${range}${swapCase(low)}-${swapCase(high)}`;
  }

  private classChar(): string {
    if (this.take("\\")) return this.escapedChar();
    const char = String.fromCodePoint(this.source.codePointAt(this.pos)!);
    this.pos += char.length;
    return char;
  }
}

/**
 * Return an atom with its quantifier. In JavaScript an optional group that matches an empty text does not match,
 * so an optional group is an alternative.
 */
function repeated(atom: string, quantifier: string): string {
  if (quantifier === "?" && atom.startsWith("(")) return `(?:${atom}|)`;
  if (quantifier === "??" && atom.startsWith("(")) return `(?:|${atom})`;
  return atom + quantifier;
}

function swapCase(char: string): string {
  return char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase();
}

/** Return the characters that equal a character without case. */
function casesOf(char: string): string[] {
  const lower = char.toLowerCase();
  const upper = char.toUpperCase();
  if (lower === upper || [...lower].length > 1 || [...upper].length > 1) return [char];
  const other = FOLDED[lower];
  return other ? [lower, upper, other] : [lower, upper];
}

/** Write a character for a class or a sequence. */
function spellChar(char: string): string {
  return /^[A-Za-z0-9]$/.test(char) ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`;
}
