// What may come: which beginnings of a lexeme some value of a type goes on from.
//
// This is asked only where a text that is still being written runs out.

import { BARE, NUMBER, mayBeLength, mayBeNumber } from "../syntax.js";
import { ANY, type Type } from "../types.js";
import { MAX_DIGITS, sizeOf } from "../values.js";

const TAG = /^([suifbe])([0-9]*)$/;
const COUNTED_HEAD = /^s([0-9]*)$/;
const NUMBER_SIZE = /^(?:[1-9][0-9]{0,3})?$/;
const WHOLE_HEAD: Record<string, RegExp> = { u: /^(?:[1-9][0-9]*)?$/, i: /^-?(?:[1-9][0-9]*)?$/ };

/** Texts that are looked up by how they begin. */
export class Texts {
  readonly ordered: readonly string[];

  constructor(texts: Iterable<string>) {
    this.ordered = [...texts].sort();
  }

  /** Say whether a text that is not given, and matches the pattern, begins so. */
  begin(part: string, spelling: RegExp | null = null, given: object = {}): boolean {
    for (let index = this.first(part); index < this.ordered.length; index += 1) {
      const text = this.ordered[index]!;
      if (!text.startsWith(part)) break;
      if (!Object.hasOwn(given, text) && (!spelling || spelling.test(text))) return true;
    }
    return false;
  }

  private first(part: string): number {
    let [low, high] = [0, this.ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ordered[middle]! < part) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What values of a type begin with. */
export class Beginnings {
  private static readonly known = new WeakMap<Type, Beginnings>();
  readonly isOpen: boolean;
  private readonly texts: Texts;
  private readonly bareTexts: Texts;
  private readonly byLength = new Map<number, Texts>();
  private readonly booleans: string[];

  private constructor(private readonly type: Type) {
    this.isOpen = type.string !== null && !type.hasLabels;
    const labels = type.string?.values ?? [];
    this.texts = new Texts(labels);
    this.bareTexts = new Texts(labels.filter((label) => BARE.test(label) && type.takesBare(label)));
    for (const size of new Set(labels.map(sizeOf))) this.byLength.set(size, new Texts(labels.filter((label) => sizeOf(label) === size)));
    this.booleans = type.booleans.map(String);
  }

  static of(type: Type): Beginnings {
    let found = Beginnings.known.get(type);
    if (!found) Beginnings.known.set(type, (found = new Beginnings(type)));
    return found;
  }

  /** Say whether some bare word, or counted text, begins so. */
  readonly bare = (part: string): boolean => {
    const count = COUNTED_HEAD.exec(part);
    return (
      (this.isOpen && BARE.test(part)) ||
      (this.type.null && "null".startsWith(part)) ||
      this.booleans.some((word) => word.startsWith(part)) ||
      (this.type.number !== null && mayBeNumber(part)) ||
      (count !== null && this.count(count[1]!)) ||
      this.bareTexts.begin(part)
    );
  };

  /** Say whether all words that begin so are strings that are allowed here. */
  isWord(part: string): boolean {
    return this.isOpen && part !== "s" && BARE.test(part);
  }

  /** Say whether some string begins so, and can be so spelled. */
  readonly text = (part: string, spelling: RegExp | null): boolean => this.isOpen || this.texts.begin(part, spelling);

  /** Say whether the length of some string begins so. */
  private count(digits: string): boolean {
    return this.isOpen ? mayBeLength(digits) : [...this.byLength.keys()].some((size) => String(size).startsWith(digits));
  }

  /** Say whether a payload of this length, of which more is to come, begins so. */
  payload(letter: string, size: number, part: string): boolean {
    if (letter === "s" || letter === "e") return this.isOpen || (this.byLength.get(size)?.begin(part) ?? false);
    if (letter === "b") return this.booleans.some((word) => word.length === size && word.startsWith(part));
    if (letter !== "f") return WHOLE_HEAD[letter]!.test(part);
    const left = size - part.length;
    const zeros = "0".repeat(left);
    const endings = [zeros, "9".repeat(left), ...["0.", ".", "e"].map((head) => head + zeros), `e-${"9".repeat(left)}`];
    return endings.some((end) => NUMBER.test(part + end.slice(0, left)) && Number.isFinite(Number(part + end.slice(0, left))));
  }

  /** Say whether an atom begins with this letter, and digits. */
  readonly tag = (part: string): boolean => {
    if (!part || (this.type.null && part === "n")) return true;
    const match = TAG.exec(part);
    if (!match || !takes(this.type, match[1]!)) return false;
    const digits = match[2]!;
    if (/[se]/.test(match[1]!)) return this.count(digits);
    if (match[1] === "b") return this.booleans.some((word) => String(word.length).startsWith(digits));
    return NUMBER_SIZE.test(digits) && Number(digits || 1) <= MAX_DIGITS;
  };
}

/** say whether a value of the type may have this tag. */
export function takes(type: Type, letter: string): boolean {
  if (letter === "s") return type.string !== null;
  if (letter === "b") return type.booleans.length > 0;
  if (letter === "e") return type.hasLabels || type === ANY;
  return type.number !== null;
}
