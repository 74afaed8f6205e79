// Parses values in LTON, JSON or Python notation as a tree, without a schema.
//
// This module does not use types. The tree keeps the spelling of each scalar, and departures from LTON are
// recorded as repairs. `coerce.ts` determines the meaning of the tree. The length of a counted string is never
// guessed: a wrong length throws `WrongLength`, and the caller tries the possible lengths.

import { quote as quoteText } from "../errors.js";
import { Wrong } from "../reader/stops.js";
import { readValue } from "../reader/value.js";
import { isName } from "../syntax.js";
import { ANY } from "../types.js";
import { MAX_COUNT_DIGITS, MAX_DEPTH } from "../values.js";
import { pattern, type Match } from "./patterns.js";
import { RepairCode, Repairs, type Note } from "./repairs.js";
import { FENCE, MixedEscapes, OTHER_QUOTE, TAG, TOKENS, literal, type Strings } from "./strings.js";
import { find, isBlank, isDigits, wordsIn } from "./text.js";
import { Unreadable, WrongLength } from "./unreadable.js";

/** The maximum depth of groups, including JSON around a call. */
const MAX_NESTED = MAX_DEPTH + 8;
/** The maximum number of lengths that are tried for a counted string. */
const MAX_LENGTHS = 200;

const SKIP = "_";
const NULL_ATOM = "n";
const NAME_CLASS = "A-Za-z0-9_./-";
const CLOSERS: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}" };
const QUOTES = "\"'`";
const COLON = String.raw`[ \t]*:(?=[\s"'\u201c\u2018<\[{(\d-])\s*`;
const KEY_MARK = pattern(String.raw`[ \t]*=(?!=)[ \t]*|${COLON}`);
const KEY = pattern(String.raw`[${NAME_CLASS}]++(?=[ \t]*=(?!=))|[A-Za-z_][${NAME_CLASS}]*+(?=${COLON})`);
const MAP_KEY = pattern(String.raw`[\w$./-]++`);
/** A bare key, possibly of several words, before a colon. */
const JSON_KEY = pattern(String.raw`[\w$./-]++(?:[ \t]++[\w$./-]++){0,9}(?=[ \t]*:)`);
const MAP_MARK = pattern(String.raw`\s*[:=]\s*|\s+`);
const WORD_CHARS = String.raw`(?>(?:[^\s,;()\[\]{}"'\`\u201c\u201d\u2018\u2019=<>]|(?<=\w)['\u2019](?=\w))+)`;
const WORD = pattern(WORD_CHARS);
const PHRASE = pattern(String.raw`${WORD_CHARS}(?>(?:[ \t]+(?!${KEY.source})${WORD_CHARS})*)`);
const COMMENT = String.raw`(?://|\#)[ \t!][^\n]*|/\*(?:[^*]|\*(?!/)){0,1000}\*/`;
const GAP = pattern(String.raw`(?>[\s,]*(?:(?:${COMMENT})[\s,]*)*)`);
const LINE_GAP = pattern(String.raw`[ \t,]*+`);
export const JSON_OBJECT = pattern(
  String.raw`\{(?:\{(?=\s*"))?\s*(?:"(?>[^"\\]*(?:\\.[^"\\]*)*)"|'(?>[^'\\]*(?:\\.[^'\\]*)*)'` +
    String.raw`|\u201c[^\u201c\u201d\n]*\u201d|[A-Za-z_$][\w$.-]*+)\s*:`,
);
const BLANK = pattern(String.raw`[ \t]`);
const PYTHON = new Set(["True", "False", "None"]);
const KEY_QUOTES = `${QUOTES}\u201c`;
const BLANKS = pattern(String.raw`\s*+`);
const LONE = pattern(`[${NULL_ATOM}${SKIP}](?=[ ,)])`);
const COUNTED = pattern("s([0-9]++)(:?)");
const ATOM = pattern("([suifbe])([0-9]++)(:?)");
/** The payload of an atom, by its tag. */
const PAYLOADS: Readonly<Record<string, RegExp>> = {
  u: /^(?:0|[1-9][0-9]*)$/,
  i: /^-[1-9][0-9]*$/,
  f: /^-?(?:0|[1-9][0-9]*)(?=[.eE])(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/,
  b: /^(?:true|false)$/,
};
const SEPARATOR = /^(?: *, *| +)$/;
const ENDS_IN_GROUP = new Set(" ,)]}");
const ENDS_ON_LINE = new Set(" ,;)]}\n");
/** Words that are types after a colon, as in a signature, and not values. */
const TYPE_NAMES = new Set("str int num bool any null never string integer number boolean float list dict array object".split(" "));

/**
 * The kind of a scalar: a bare word; a literal (bare, but not a string, as in JSON); a phrase (bare words that can
 * only be a string); a text (a string); a label (a listed string, according to its tag); raw (the text of an
 * element); or json (the text of an element that is declared not to be a string).
 */
export type LeafKind = "word" | "literal" | "phrase" | "text" | "label" | "raw" | "json";

/** A scalar with its original spelling. */
export class Leaf {
  constructor(
    readonly start: number,
    readonly end: number,
    readonly kind: LeafKind,
    readonly text: string,
  ) {}
}

/** A value in a group, with its key if it has one. */
export interface Entry {
  readonly start: number;
  readonly key: string | null;
  readonly value: Tree;
}

export type Opener = "" | "(" | "[" | "{";

interface GroupFacts {
  readonly json?: boolean;
  /** Whether the group is a table, which is never repaired, because a missing value shifts the others. */
  readonly isTable?: boolean;
  /** Repairs of elements. */
  readonly notes?: readonly Note[];
  /** Whether the values are the content of elements. */
  readonly hasTags?: boolean;
  /** Whether this content has a closing mark without an opening mark. */
  readonly isTorn?: boolean;
}

/** The values in a pair of brackets, or on a line if `opener` is "". */
export class Bracketed {
  readonly json: boolean;
  readonly isTable: boolean;
  readonly notes: readonly Note[];
  readonly hasTags: boolean;
  readonly isTorn: boolean;

  constructor(
    readonly start: number,
    readonly end: number,
    readonly opener: Opener,
    readonly entries: readonly Entry[],
    facts: GroupFacts = {},
  ) {
    this.json = facts.json ?? false;
    this.isTable = facts.isTable ?? false;
    this.notes = facts.notes ?? [];
    this.hasTags = facts.hasTags ?? false;
    this.isTorn = facts.isTorn ?? false;
  }
}

export type Tree = Leaf | Bracketed;

export function isLeaf(tree: Tree): tree is Leaf {
  return tree instanceof Leaf;
}

export interface LooseOptions {
  /** Strings have escapes as in Python. */
  escapes?: boolean;
  /** Values are in the tagged form. */
  tagged?: boolean;
  /** Replaces the lengths of counted strings by position. */
  lengths?: ReadonlyMap<number, number>;
}

export interface ValueOptions {
  json?: boolean;
  depth?: number;
  phrases?: boolean;
}

/** Parses a part of an output up to `end`, and collects repairs. */
export class Loose {
  readonly src: string;
  readonly repairs = new Repairs();
  private readonly escapes: boolean;
  private readonly tagged: boolean;
  private readonly lengths: ReadonlyMap<number, number>;
  /** Whether the call has parentheses. */
  private inCall = false;

  constructor(
    private readonly strings: Strings,
    private readonly end: number,
    { escapes = false, tagged = false, lengths = new Map() }: LooseOptions = {},
  ) {
    this.src = strings.src;
    this.escapes = escapes;
    this.tagged = tagged;
    this.lengths = lengths;
  }

  private note(code: RepairCode, pos: number): void {
    this.repairs.add(pos, code);
  }

  unreadable(pos: number, expected: string, code = "E101"): Unreadable {
    if (pos >= this.src.length) return new Unreadable(new Wrong("E110", `expected ${expected}, found the end of the text`, pos, ""));
    const found = quoteText(String.fromCodePoint(this.src.codePointAt(pos)!));
    return new Unreadable(new Wrong(code, `expected ${expected}, found ${found}`, pos, ""));
  }

  // --- groups ------------------------------------------------------------------------------------------------

  /** Read arguments without parentheses, up to the end of the line. */
  line(pos: number): Bracketed {
    const [entries, end] = this.readEntries(pos, "", false, 0);
    return new Bracketed(pos, end, "", entries);
  }

  /** Read the arguments of a call in parentheses. */
  callGroup(pos: number): Bracketed {
    this.inCall = true;
    return this.group(pos);
  }

  group(pos: number, { json = false, depth = 0 }: ValueOptions = {}): Bracketed {
    if (depth >= MAX_NESTED) throw this.unreadable(pos, `at most ${MAX_DEPTH} values in each other`, "E301");
    const { src } = this;
    const opener = src[pos] as Opener;
    if ((src.startsWith("[(", pos) || src.startsWith("{(", pos)) && !(json || this.tagged)) {
      const table = readValue(src, pos, ANY);
      if (!(table instanceof Wrong) && table.end <= this.end) return new Bracketed(pos, table.end, opener, [], { isTable: true });
    }
    let isJson = json;
    if (!json && JSON_OBJECT.match(src, pos, this.end)) {
      this.note(RepairCode.JSON, pos);
      isJson = true;
    }
    if (isJson && src.startsWith("{{", pos) && JSON_OBJECT.match(src, pos + 1)) return this.doubled(pos, depth);
    const [entries, end] = this.readEntries(pos + 1, opener, isJson, depth + 1);
    return new Bracketed(pos, this.close(end, opener, entries), opener, entries, { json: isJson });
  }

  private doubled(pos: number, depth: number): Bracketed {
    const inner = this.group(pos + 1, { json: true, depth: depth + 1 });
    if (!this.src.startsWith("}", inner.end)) throw this.unreadable(inner.end, "a second closing brace");
    this.note(RepairCode.BRACKETS, pos);
    return new Bracketed(pos, inner.end + 1, "{", inner.entries, { json: true });
  }

  /** Read the groups of the tagged form, the first of which begins at `start`. */
  taggedGroups(start: number): Bracketed {
    const { src } = this;
    const entries: Entry[] = [];
    let [pos, end] = [start, start];
    while (src.startsWith("(", pos) && pos < this.end) {
      let found: readonly Entry[];
      [found, end] = this.readEntries(pos + 1, "(", false, 1);
      if (found.length > 1 && found.some((entry) => entry.key !== null)) this.note(RepairCode.LINES, found[1]!.start);
      if (found.length === 0 && pos > start) this.note(RepairCode.SEPARATOR, pos);
      // One group contains all positional arguments.
      if (entries.length && found.length && entries.at(-1)!.key === null && found[0]!.key === null) this.note(RepairCode.LINES, pos);
      for (const entry of found) entries.push(entry);
      end = this.close(end, "(", found);
      pos = BLANKS.match(src, end, this.end)!.end;
      if (src.slice(end, pos) !== "\n" && src.startsWith("(", pos)) this.note(RepairCode.LINES, end);
    }
    return new Bracketed(start, end, "(", entries);
  }

  /** Return the position after the closing bracket, or after the value if it is missing. */
  private close(pos: number, opener: Opener, entries: readonly Entry[]): number {
    if (this.src.startsWith(CLOSERS[opener]!, pos) && pos < this.end) return pos + 1;
    if (entries.length === 0) throw this.unreadable(pos, "a value or the end of the group");
    this.note(RepairCode.CLOSER, pos);
    return pos;
  }

  private readEntries(start: number, opener: Opener, json: boolean, depth: number): [entries: readonly Entry[], end: number] {
    const { src } = this;
    const entries: Entry[] = [];
    let pos = start;
    for (;;) {
      const gap = (opener ? GAP : LINE_GAP).match(src, pos, this.end)!;
      if (this.isCut(gap.end, opener, gap.text)) {
        if (opener && gap.text.includes(",")) throw this.unreadable(gap.end, "another value");
        if (!isBlank(gap.text) || (gap.text && !opener)) this.note(RepairCode.SEPARATOR, pos);
        return [entries, opener ? pos : gap.end];
      }
      const atEnd = ")]}".includes(src[gap.end]!);
      this.checkGap(pos, gap.text, atEnd || entries.length === 0, json);
      pos = gap.end;
      if (atEnd) return [entries, pos];
      const entry = this.entry(pos, opener, json, depth);
      entries.push(entry);
      pos = entry.value.end;
    }
  }

  /** Return whether a group ends at a position without its closing bracket. */
  private isCut(pos: number, opener: Opener, gap: string): boolean {
    const { src } = this;
    if (pos >= this.end || (!opener && "\r\n".includes(src[pos]!))) return true;
    if (src.startsWith("```", pos) && (!opener || gap.includes("\n"))) return opener !== "" || !FENCE.match(src, pos);
    if (opener === "{" && src[pos] === "{") return gap.includes("\n");
    return TAG.match(src, pos) !== null;
  }

  private checkGap(pos: number, gap: string, isEdge: boolean, json: boolean): void {
    let fits: boolean;
    let lacks: boolean;
    if (json) {
      const commas = wordsIn(gap).join("");
      fits = commas === (isEdge ? "" : ",");
      lacks = !(isEdge || commas || gap.includes("\n") || TOKENS.some((token) => this.src.endsWith(token, pos)));
    } else {
      fits = isEdge ? gap === "" : SEPARATOR.test(gap);
      lacks = !isEdge && !gap;
    }
    if (lacks) throw this.unreadable(pos, "a separator");
    if (!fits) this.note(RepairCode.SEPARATOR, pos);
  }

  private entry(start: number, opener: Opener, json: boolean, depth: number): Entry {
    let pos = start;
    let key: string | null = null;
    if (opener === "{") [pos, key] = this.mapKey(pos, json);
    else if (this.tagged && depth === 1) [pos, key] = this.taggedKey(pos);
    else if (opener !== "[") [pos, key] = this.key(pos);
    const phrases = key !== null && (json || opener !== "{");
    return { start, key, value: this.value(pos, { json, depth, phrases }) };
  }

  // --- keys --------------------------------------------------------------------------------------------------

  private key(pos: number): [pos: number, key: string | null] {
    const { src } = this;
    const bare = KEY.match(src, pos, this.end);
    let found: { end: number; text: string; repair: RepairCode | null } | null = null;
    if (bare) found = { end: bare.end, text: bare.text, repair: null };
    else if (KEY_QUOTES.includes(src[pos]!)) found = this.strings.scan(pos, this.end, false);
    const mark = found && KEY_MARK.match(src, found.end, this.end);
    if (!found || !mark) return [pos, null];
    if (found.repair) this.note(found.repair, pos);
    if (mark.text.includes(":")) {
      this.note(RepairCode.KEY, found.end);
      const word = WORD.match(src, mark.end, this.end);
      if (word && TYPE_NAMES.has(word.text)) throw this.unreadable(mark.end, "a value, not the name of a type");
    } else if (mark.text !== "=") this.note(RepairCode.SEPARATOR, found.end);
    return [mark.end, found.text];
  }

  private mapKey(pos: number, json: boolean): [pos: number, key: string] {
    const { src } = this;
    const found = KEY_QUOTES.includes(src[pos]!) ? this.string(pos, json) : null;
    const bare = found ? null : ((json ? JSON_KEY.match(src, pos, this.end) : null) ?? MAP_KEY.match(src, pos, this.end));
    if (bare && !json && !isName(bare.text)) this.note(RepairCode.BARE, pos);
    const read = found ?? bare;
    if (!read) throw this.unreadable(pos, "a key");
    const mark = MAP_MARK.match(src, read.end, this.end);
    if (!mark || (json && isBlank(mark.text))) throw this.unreadable(read.end, "a value after the key");
    if (wordsIn(mark.text).join("") !== (json ? ":" : "")) this.note(RepairCode.KEY, read.end);
    else if (!json && mark.text !== " ") this.note(RepairCode.SEPARATOR, read.end);
    return [mark.end, read.text];
  }

  /** Read the key of a tagged group, unless the text looks like a value. */
  private taggedKey(pos: number): [pos: number, key: string | null] {
    const atom = ATOM.match(this.src, pos, this.end);
    const isValue = atom?.group(3) || "[{".includes(this.src[pos]!) || LONE.match(this.src, pos, this.end);
    return isValue ? [pos, null] : this.mapKey(pos, false);
  }

  // --- values ------------------------------------------------------------------------------------------------

  value(pos: number, { json = false, depth = 0, phrases = false }: ValueOptions = {}): Tree {
    const { src } = this;
    if (pos >= this.end) throw this.unreadable(pos, "a value");
    const first = src[pos]!;
    if (first in CLOSERS) return this.group(pos, { json, depth });
    const escapes = json || this.escapes;
    if (first === "`" && (escapes || src.startsWith("``", pos))) return this.fence(pos);
    if (QUOTES.includes(first) || OTHER_QUOTE.match(src, pos, this.end)) {
      if (this.tagged) this.note(RepairCode.LENGTH, pos);
      return this.string(pos, escapes);
    }
    if (this.tagged) return this.atom(pos);
    const counted = json ? null : COUNTED.match(src, pos, this.end);
    if (counted?.group(2)) return this.counted(pos, counted.group(1)!, counted, depth > 0);
    const match = (phrases ? PHRASE : WORD).match(src, pos, this.end);
    if (!match) throw this.unreadable(pos, "a value");
    const isLiteral = json || (this.escapes && PYTHON.has(match.text));
    let kind: LeafKind = isLiteral ? "literal" : "word";
    if (BLANK.search(match.text)) kind = "phrase";
    return new Leaf(pos, match.end, kind, match.text);
  }

  private string(pos: number, escapes: boolean): Leaf {
    const found = this.strings.scan(pos, this.end, escapes);
    if (!found) throw this.unreadable(pos, "a string with a closing quote", "E102");
    if (found.repair) this.note(found.repair, pos);
    const raw = this.src.slice(pos, found.end);
    const quote = raw[0]!;
    if (escapes && raw.includes("\\") && (quote === '"' || quote === "'")) {
      const size = raw.startsWith(quote.repeat(3)) ? 3 : 1;
      const kept = this.literal(pos, raw.slice(size, -size), quote);
      if (kept !== null) {
        this.note(RepairCode.BACKSLASH, pos);
        return new Leaf(pos, found.end, "text", kept);
      }
      if (this.escapes) this.note(RepairCode.ESCAPE, pos);
    }
    return new Leaf(pos, found.end, "text", found.text);
  }

  private literal(pos: number, text: string, quote: string): string | null {
    try {
      return literal(text, quote, this.escapes);
    } catch (error) {
      if (error instanceof MixedEscapes) throw this.unreadable(pos, error.expected);
      throw error;
    }
  }

  private fence(pos: number): Leaf {
    const fence = this.strings.fenceEnd(pos, this.end, this.inCall);
    if (!fence || fence.start === fence.end) throw this.unreadable(pos, "a fence with its end", "E106");
    if (this.inCall && this.src.startsWith(" ", fence.end)) this.note(RepairCode.SEPARATOR, fence.end);
    return new Leaf(pos, fence.end, "text", this.src.slice(fence.start, fence.stop));
  }

  /** Read an atom of the tagged form. The length of a number is ignored. */
  private atom(pos: number): Leaf {
    const { src } = this;
    const match = ATOM.match(src, pos, this.end);
    const head = match?.group(3) ? match : null;
    const [tag, digits] = head ? [head.group(1)!, head.group(2)!] : ["", ""];
    if (head && (tag === "s" || tag === "e")) return this.counted(pos, digits, head, true);
    const word = WORD.match(src, head ? head.end : pos, this.end);
    if (!word) throw this.unreadable(pos, "a tagged value");
    if (head) {
      const text = tag === "f" && isDigits(word.text) ? `${word.text}.0` : word.text;
      if (digits !== String([...word.text].length) || !PAYLOADS[tag]!.test(text)) this.note(RepairCode.LENGTH, pos);
      return new Leaf(pos, word.end, "literal", text);
    }
    if (word.text === NULL_ATOM) return new Leaf(pos, word.end, "literal", "null");
    if (word.text !== SKIP) this.note(RepairCode.LENGTH, pos);
    return new Leaf(pos, word.end, "word", word.text);
  }

  private counted(pos: number, digits: string, head: Match, inGroup: boolean): Leaf {
    if (digits.length > MAX_COUNT_DIGITS) throw this.unreadable(pos, "a length", "E104");
    const start = head.end;
    const corrected = this.lengths.get(pos);
    const stop = this.strings.skip(start, corrected ?? Number(digits));
    if (stop > this.end) throw this.unreadable(this.end, "more characters of a counted text", "E103");
    if (corrected !== undefined || (digits[0] === "0" && digits !== "0")) this.note(RepairCode.LENGTH, pos);
    if (corrected === undefined && !this.endsValue(stop, inGroup)) throw this.wrongLength(pos, start, stop, inGroup);
    return new Leaf(pos, stop, this.src[pos] === "e" ? "label" : "text", this.src.slice(start, stop));
  }

  private endsValue(pos: number, inGroup: boolean): boolean {
    // In a group, a closing bracket must follow, or it may be in the string.
    if (pos === this.end) return !inGroup;
    return (inGroup ? ENDS_IN_GROUP : ENDS_ON_LINE).has(this.src[pos]!);
  }

  /** List the possible lengths of a counted string whose declared length is wrong. */
  private wrongLength(pos: number, start: number, stop: number, inGroup: boolean): WrongLength {
    const eol = find(this.src, "\n", stop, this.end);
    const last = Math.min(eol < 0 ? this.end : eol, start + 50 * MAX_LENGTHS);
    const lengths: number[] = [];
    let size = 0;
    for (let at = start; at <= last; size += 1) {
      if (this.endsValue(at, inGroup)) lengths.push(size);
      at = this.strings.skip(at, 1);
    }
    const { error } = this.unreadable(stop, "a value to end where its length says", "E103");
    return new WrongLength(error, pos, lengths.length <= MAX_LENGTHS ? lengths : []);
  }
}
