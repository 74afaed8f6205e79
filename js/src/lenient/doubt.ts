// Decides from the surrounding text whether a call is intended or only mentioned.
//
// A doubt lasts up to a position or to the end of the text. If a string has no end, it may contain all following
// text, because a string can contain every mark that could end it.

import { enclosed, type Span } from "./enclosed.js";
import { doubtOfLayout } from "./layout.js";
import { ANNOUNCES, CALL_LANGUAGES, CODE_LINE, LABEL_LINE, LINE_REST } from "./marks.js";
import { pattern, type Match } from "./patterns.js";
import { thoughtBefore } from "./quoted.js";
import { RepairCode } from "./repairs.js";
import { ENDING_TAG, TAG, type Strings } from "./strings.js";
import { countOf, findLast, isBlank, isDigits, strip } from "./text.js";

const BEFORE_QUOTE = new Set(" \t\n,=:([{>\uff1a\uff0c\uff08\u3001\u3002\u300c");
/** Quotes that open a quotation only after a space. Marks of other scripts open one anywhere. */
const SPACED = new Set("\"'`");
const OPENERS = "\"'\u201c\u2018\u201a\xab\u2039\u300c\u300e\u300a\u301d\uff02";
const ENDS = "\"'\u201d\u2019\u2018\xbb\u203a\u300d\u300f\u300b\u301f\uff02";
const CLOSING = new Map([["``", "''"], ...[...OPENERS].map((opener, index) => [opener, ENDS[index]!] as const)]);
/** Marks with several uses, which open a quotation only if a mark closes it. */
const SINGLE = new Set(["'", "\u2019", "''"]);
const SINGLE_CLOSES = pattern(String.raw`(?<=[^\s(\[{])'(?!['\w])|^'(?!['\w])|\u2019(?![^\W\u2e80-\uffff])|''`, "m");
/** Languages of fences whose calls are intended. */
const OWN_LANGUAGES = new Set([...CALL_LANGUAGES].filter((one) => one.startsWith("tool_") || one.startsWith("function_")));
const LIST_MARKS = pattern(String.raw`[\s,;\[\]]*`);
const CLOSERS = /^[)\]}]{1,3}/;
/** Pieces of calls that do not occur in prose. */
const REMAINS = pattern(
  String.raw`</?(?:[|\uff5c]{1,2}DSML[|\uff5c]{1,2}|\w{1,20}:)?(?:param(?:eter)?|arg_key|arg_value|function|invoke)[\s=>]` +
    String.raw`|</?\w{1,20}_arg_(?:key|value)>` +
    String.raw`|"""|'''|^[ \t]*(?:""|'')|s\d+:|^\d+:(?!\d)|(?<![\d:])\d+:(?=[^\d\s/])`,
  "m",
);
const UNPAIRED = /["`()[\]{}\u201c\u201d]/;
/** Brackets and quotes that need no partner, as in list numbers, smileys and inches. */
const NO_BRACKETS = pattern(String.raw`(?:^|(?<=\s))\(?\w{1,3}[.)]+(?=\s)|[:;]['"]?-?[()\[\]]|(?<=\d)"`);
const ELEMENT_TAG = pattern(String.raw`<(/)?\w*(?:tool|call|func)\w*>`);
const ENDS_OF_ELEMENT = pattern(String.raw`(?>(?:\s*+(?:\`{3,}|${ENDING_TAG.source}))*)`);
const FENCE_END = pattern(String.raw`\s*\`{3,}`);
/** A line that opens a fence, with the fence's language. */
const FENCE_LINE = pattern(String.raw`[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(\`{3,}|~{3,})([\w+#.-]*)`);
const FENCE_CLOSE = pattern(String.raw`[ \t]*(\`{3,}|~{3,})(?=[ \t]*(?:\r?\n|\Z))`);
/** Marks in a line of prose that may open a counted string, a fence or a quotation. */
const PROSE_MARK = pattern(
  String.raw`(?<![^\s=,:(\[{>])s(\d{1,15}):|(\`{3,}|~{3,})([\w+#.-]*)(?=([ \t]*\r?\n)?)` +
    String.raw`|["\u201c\u201d\xab\xbb\u2039\u203a\u300c-\u300f\u300a\u300b\u301d\u301f\uff02]` +
    String.raw`|\u2018(?!\d)|\u201a(?!\d)|\u2019(?![^\W\u2e80-\uffff])|(?<!\`)\`\`(?!\`)|''|(?<!\w)'(?![\d'])|(?<=\S)'(?![\w'])`,
);
/** The language of a fence that may contain other fences. */
const NESTING = "markdown";
const FENCE = pattern(String.raw`(\`{3,})([\w+-]*)`);
/** Before a tag: not prose, but the end of a prompt, a row, … */
const NO_PROSE = new Set("|=];");
const ARROWS = ["=>", "->"];
/** The number of characters before a call on its line that are examined. */
const BACK = 200;
const WORD = /[\p{L}\p{N}_]/u;

/** A fence in an output. */
interface Fence {
  readonly start: number;
  readonly content: number;
  readonly ticks: string;
  language: string;
  /** Whether the marks before the fence say that calls follow. */
  readonly isAnnounced: boolean;
  end: number;
}

/** The span of a call, and the number of its fence, or null. */
export interface CallPlace {
  readonly start: number;
  readonly end: number;
  readonly fence: number | null;
}

/** A part of a text, with its position. */
export type Piece = readonly [pos: number, text: string];

/** Collects reasons to doubt an output's calls. Positions must be passed in ascending order. */
export class Doubt {
  readonly src: string;
  readonly thoughts: Span[] = [];
  private readonly passed: Span[] = [];
  private readonly thoughtEnd: number;
  private until: number;
  private remaining: RepairCode | null = null;
  private readonly fences: Fence[] = [];
  private isOpen = false;
  private quote: string | null = null;
  private closes: Map<string, number> | null = null;
  private line = 0;
  private seen = 0;
  private eol = -1;
  private own = -1;

  constructor(private readonly strings: Strings) {
    this.src = strings.src;
    [this.thoughtEnd, this.until] = thoughtBefore(this.src);
    if (this.until) this.thoughts.push([0, this.until]);
  }

  /**
   * Return the reason to doubt a call, or null.
   *
   * A closing mark of a thought raises a doubt about all calls before it, except a call that contains the mark.
   */
  at(start: number, end: number): RepairCode | null {
    const holdsMark = start < this.thoughtEnd && this.thoughtEnd < end && !this.passed.length;
    return start < this.until && !holdsMark ? RepairCode.ECHO : this.remaining;
  }

  /** Mark all calls in the rest of the text as uncertain. The first reason is kept. */
  doubtRest(code: RepairCode): void {
    this.remaining ??= code;
  }

  /** Skip a passage without calls and mark the calls up to `doubtEnd` as uncertain. */
  passOver(start: number, end: number, doubtEnd: number, isThought = false): void {
    this.passed.push([start, end]);
    if (isThought) this.thoughts.push([start, end]);
    this.until = Math.max(this.until, doubtEnd);
  }

  // --- lines -------------------------------------------------------------------------------------------------

  /** Return whether a line begins at `pos`. If so, an open quotation is never closed. */
  isLineStart(pos: number): boolean {
    if (pos > 0 && this.src[pos - 1] !== "\n") return false;
    if (this.quote) {
      this.doubtRest(RepairCode.DAMAGE);
      this.quote = null;
    }
    return true;
  }

  private lineOf(pos: number): number {
    const newline = findLast(this.src, "\n", this.seen, pos);
    if (newline >= 0) this.line = newline + 1;
    this.seen = Math.max(pos, this.seen);
    return this.line;
  }

  private hasLines(pos: number, end: number): boolean {
    if (pos > this.eol) {
      const eol = this.src.indexOf("\n", pos);
      this.eol = eol < 0 ? this.src.length : eol;
    }
    return end > this.eol;
  }

  /** Track quotes and fences in prose. Return the end of a counted string, or `start`. */
  passProse(start: number, end: number): number {
    for (const match of PROSE_MARK.finditer(this.src, start, end)) {
      const digits = match.group(1);
      if (digits) {
        const stop = this.strings.skip(match.end, Number(digits));
        if (!this.hasLines(match.end, stop)) continue;
        this.doubtRest(RepairCode.DAMAGE);
        if (stop <= this.src.length) return stop;
      } else if (match.group(2)) this.passTicks(match);
      else if (this.quote === null) this.quote = this.closingOf(match);
      else if (match.text === this.quote || (match.text === "``" && this.quote === "''")) this.quote = null;
    }
    return start;
  }

  /** Return the mark that closes the quotation that a mark opens, or null if it opens none. */
  private closingOf(match: Match): string | null {
    const closing = CLOSING.get(match.text);
    if (closing === undefined || !mayOpen(match.text[0]!, this.src.slice(Math.max(0, match.start - 1), match.start))) return null;
    return !SINGLE.has(closing) || this.lastClose(closing) > match.start ? closing : null;
  }

  private lastClose(closing: string): number {
    if (!this.closes) {
      this.closes = new Map();
      for (const match of SINGLE_CLOSES.finditer(this.src)) this.closes.set(match.text, match.start);
    }
    return this.closes.get(closing) ?? -1;
  }

  /** Open or close a fence or a code span at backticks in prose. */
  private passTicks(match: Match): void {
    const ticks = match.group(2)!;
    if (match.group(4) === undefined) this.quote = this.quote === null ? ticks : null;
    else if (this.isOpen) this.close(ticks, match.end);
    else if (this.quote === null) this.open(match.start, match.end, ticks, match.group(3)!, false);
    else this.quote = null;
  }

  // --- fences ------------------------------------------------------------------------------------------------

  /** Open or close the fence at the start of a line. Return the position after it, or null. */
  passFenceLine(pos: number): number | null {
    const match = FENCE_LINE.match(this.src, pos);
    if (this.isOpen) return this.inFence(pos, match);
    if (!match) return null;
    if (match.end === this.own) return this.own;
    const [ticks, language] = [match.group(1)!, match.group(2)!];
    const above = findLast(this.src, "\n", Math.max(0, pos - BACK), Math.max(0, pos - 1)) + 1;
    this.open(pos, match.end, ticks, language, LABEL_LINE.fullmatch(this.src, above, pos) !== null);
    return ticks.startsWith("~") ? match.end : null;
  }

  private inFence(pos: number, match: Match | null): number | null {
    const close = FENCE_CLOSE.match(this.src, pos);
    if (close && this.close(close.group(1)!, close.end)) return close.end;
    const fence = this.fences.at(-1)!;
    const ticks = match?.group(1);
    if (!match || ticks === fence.ticks || !fence.ticks.startsWith(ticks!)) return null; // a shorter fence is part of the text
    fence.language = NESTING;
    return match.end;
  }

  /** Open the fence, if any, among the marks before a call. */
  openInMarks(start: number, end: number): void {
    const closed = this.isOpen ? this.closeInMarks(start, end) : start;
    const match = FENCE.search(this.src, closed, end);
    if (!match || this.isOpen) return;
    const isAnnounced = ANNOUNCES.search(this.src, start, match.start) !== null;
    this.open(match.start, match.end, match.group(1)!, match.group(2)!, isAnnounced);
  }

  /** Close the open fence at the first mark that can end it. Return the end, or `start`. */
  private closeInMarks(start: number, end: number): number {
    for (const match of FENCE.finditer(this.src, Math.max(start, this.fences.at(-1)!.content), end)) {
      const close = FENCE_CLOSE.match(this.src, match.start);
      if (close && this.close(close.group(1)!, close.end)) return close.end;
    }
    return start;
  }

  /** Skip the closing fence, if any, after a call. */
  skipEnd(pos: number): void {
    const match = FENCE_END.match(this.src, pos);
    if (!match) return;
    this.own = match.end;
    this.passed.push([pos, this.own]);
  }

  /** If a closing mark follows the call on its line, close the fence and return its end. */
  closeAfter(pos: number): number | null {
    const match = this.isOpen ? FENCE_LINE.match(this.src, pos) : null;
    return match && this.close(match.group(1)!, match.end) ? match.end : null;
  }

  private open(start: number, content: number, ticks: string, language: string, isAnnounced: boolean): void {
    this.fences.push({ start, content, ticks, language: language.toLowerCase(), isAnnounced, end: this.src.length });
    this.isOpen = true;
  }

  private close(ticks: string, end: number): boolean {
    const fence = this.fences.at(-1)!;
    if (!ticks.startsWith(fence.ticks)) return false;
    fence.end = end;
    this.isOpen = false;
    return true;
  }

  /** The number of the open fence, or null. */
  get fence(): number | null {
    return this.isOpen ? this.fences.length - 1 : null;
  }

  /**
   * For each call, return the reason to doubt the call, or null.
   *
   * A call may be an example if it is in a fence with another language, or in a fence with text next to it; if it
   * is before an unclosed fence without a language, which may close an earlier fence; or if it is next to code. A
   * call may be a part of another syntax if other parts are left over.
   */
  judge(calls: readonly CallPlace[]): (RepairCode | null)[] {
    const outside = [...this.outside(calls.map(({ start, end }) => [start, end] as const))];
    const text = outside.map(([, piece]) => piece).join("");
    const saysMore = hasWords(text);
    const hasProse = calls.some(({ fence }) => fence === null) || saysMore;
    const hasCode = CODE_LINE.search(text) !== null;
    const last = this.isOpen ? this.fences.at(-1)! : null;
    const unopened = last && !last.language ? last.start : 0;
    const leftOver = this.leftOver(calls, outside, text);
    const words = outside.findLast(([, piece]) => hasWords(piece))?.[0] ?? -1;
    const places = calls.map(({ start, end }): Span => [start, end]);
    const quoted = this.enclosedStarts(places);
    const layout = this.masked([...places, ...this.thoughts]);
    return calls.map(({ start, fence: number }) => {
      if (start >= leftOver) return RepairCode.DAMAGE;
      if (quoted.has(start)) return RepairCode.SENTENCE;
      const laid = doubtOfLayout(layout, start, saysMore);
      if (laid) return laid;
      const fence = number === null ? null : this.fences[number]!;
      const isExample = fence ? isExampleIn(fence, words, hasProse) : hasCode || start < unopened;
      return isExample ? RepairCode.EXAMPLE : null;
    });
  }

  /** Return the position after which calls may be damaged by parts of other calls that are left over. */
  private leftOver(calls: readonly CallPlace[], outside: readonly Piece[], text: string): number {
    const ends = new Set(calls.map(({ end }) => end));
    // A surplus closing bracket after a call is a mistake that raises no doubt.
    const pieces = outside.filter(([, piece]) => !LIST_MARKS.fullmatch(piece));
    const less = pieces.map(([pos, piece]) => (ends.has(pos) ? piece.replace(CLOSERS, "") : piece)).join("");
    if (hasRemains(text) && hasRemains(less)) return 0;
    // If the text begins with a call, its opening mark may be in the prompt.
    const isFirst = calls.length > 0 && isBlank(this.src.slice(this.until, calls[0]!.start));
    return unopenedTag(outside, ends, isFirst ? 1 : 0);
  }

  private enclosedStarts(calls: readonly Span[]): Set<number> {
    const parts = enclosed(this.masked([...calls, ...this.passed])).sort(compareSpans);
    const found = new Set<number>();
    let [reach, index] = [0, 0];
    for (const start of calls.map(([start]) => start).sort((one, other) => one - other)) {
      for (; index < parts.length && parts[index]![0] < start; index += 1) reach = Math.max(reach, parts[index]![1]);
      if (start < reach) found.add(start);
    }
    return found;
  }

  /** Return the text with letters instead of spans. Then their content has no meaning. */
  private masked(spans: Span[]): string {
    let masked = "";
    let pos = 0;
    for (const [start, end] of spans.sort(compareSpans)) {
      masked += this.src.slice(pos, Math.max(pos, start)) + "x".repeat(Math.max(0, end - Math.max(pos, start)));
      pos = Math.max(pos, end);
    }
    return masked + this.src.slice(pos);
  }

  /** Yield the position and text of each piece outside calls, fences and skipped passages. */
  *outside(calls: Iterable<Span>): Iterable<Piece> {
    const size = this.src.length;
    const fences = this.fences.map((fence) => [fence.start, fence.end] as const);
    const spans: Span[] = [...fences, ...this.passed, ...calls, [size, size]];
    let pos = 0;
    for (const [start, end] of spans.sort(compareSpans)) {
      if (pos < start) yield [pos, this.src.slice(pos, start)];
      pos = Math.max(pos, end);
    }
  }

  // --- sentences ---------------------------------------------------------------------------------------------

  /**
   * Return whether the text on a call's line shows that the call is part of a sentence. `after` is the end of the
   * previous call. After a colon, a call is not part of a sentence. After a tag, it is part of a sentence only
   * between words or in quotes, and after a special token only in quotes.
   */
  inSentence(start: number, end: number, after: number, isTagged: boolean, isSpecial: boolean): boolean {
    const content = this.isOpen ? this.fences.at(-1)!.content : 0;
    const thought = this.until <= start ? this.until : 0;
    const first = Math.max(this.lineOf(start), after, content, thought, start - BACK);
    const before = strip(this.src.slice(first, Math.max(first, start)), after > 0 && after === first ? " \t,;" : " \t,");
    let goesOn = LINE_REST.match(this.src, end) === null;
    if (isTagged && !goesOn) {
      // The end of the element may be on a later line.
      goesOn = LINE_REST.match(this.src, ENDS_OF_ELEMENT.match(this.src, end)!.end) === null;
    }
    if (this.quote || (before && "`\"'\u201c\u2018".includes(before.at(-1)!))) return true;
    if (isSpecial) return false;
    if (!isTagged) return goesOn || (before !== "" && !before.endsWith(":"));
    return before !== "" && (goesOn || NO_PROSE.has(before.at(-1)!) || ARROWS.includes(before) || isDigits(before));
  }
}

function isExampleIn(fence: Fence, words: number, hasProse: boolean): boolean {
  // The calls in such a fence are intended if no words follow the fence.
  const isOwn = OWN_LANGUAGES.has(fence.language) && words < fence.start;
  const isBesideProse = hasProse && !(fence.isAnnounced || isOwn);
  return isBesideProse || !CALL_LANGUAGES.has(fence.language);
}

function compareSpans([start, end]: Span, [otherStart, otherEnd]: Span): number {
  return start - otherStart || end - otherEnd;
}

function mayOpen(mark: string, before: string): boolean {
  if (before === "" || BEFORE_QUOTE.has(before)) return true;
  // Between letters \u2018 is an apostrophe, except in a script without spaces.
  return !SPACED.has(mark) && (mark !== "\u2018" || before > "\u2e80");
}

function hasWords(text: string): boolean {
  return WORD.test(TAG.sub("", text));
}

/**
 * Return whether prose contains parts of calls: tags of parameters or functions, lengths, triple quotes, and
 * brackets, quotes or backticks without a partner on their line.
 */
function hasRemains(prose: string): boolean {
  if (REMAINS.search(prose)) return true;
  return prose.split("\n").some((line) => UNPAIRED.test(line) && !pairsUp(line));
}

function pairsUp(line: string): boolean {
  const plain = NO_BRACKETS.sub("", TAG.sub("", line));
  if (countOf(plain, "`") % 2 || countOf(plain, '"') % 2) return false;
  return ["()", "[]", "{}", "\u201c\u201d"].every(([one, other]) => countOf(plain, one!) === countOf(plain, other!));
}

/**
 * Return the end of the first closing tag that has no opening tag, or infinity.
 *
 * `depth` elements were opened before the text. A tag directly after a call belongs to the call.
 */
function unopenedTag(pieces: readonly Piece[], ends: ReadonlySet<number>, depth: number): number {
  let open = depth;
  for (const [pos, piece] of pieces) {
    for (const match of ELEMENT_TAG.finditer(piece)) {
      open += match.group(1) ? -1 : 1;
      if (open < 0 && ends.has(pos) && isBlank(piece.slice(0, match.start))) open = 0;
      if (open < 0) return pos + match.end;
    }
  }
  return Infinity;
}
