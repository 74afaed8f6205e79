// Reads strings with the quotes and escapes that models use, and finds the ends of calls.
//
// The content of a string must never become a call. So the end of a call is determined only by its lexemes,
// before their meaning is known.

import { MAX_DEPTH } from "../values.js";
import type { Effort } from "./effort.js";
import { escapeText, pattern, type Match, type Pattern } from "./patterns.js";
import { RepairCode } from "./repairs.js";
import { ScalarPositions, find } from "./text.js";

const TAG_WORDS = String.raw`tool|call|func|param|python|action|plugin|sep|message|channel|constrain|invoke|DSML|(?<!f)im_|eo[tm]_`;
/** Tags that models write around calls: `<tool_call>`, `<|python_tag|>`, `[TOOL_CALLS]`. */
export const TAG = pattern(
  String.raw`<[/|\uff5c]?[\w|\uff5c\u2581:]{0,40}?(?i:${TAG_WORDS})[\w|\uff5c\u2581:]{0,40}>(?:json\b)?` +
    String.raw`|</?[|\uff5c]{1,2}DSML[|\uff5c]{1,2} ?\w{1,40}>|\[/?(?:TOOL_CALLS?|ARGS)\]` +
    String.raw`|<(?:tool|function)_(?:call|use|invocation)s?` +
    String.raw`(?:\s{1,9}(?:id|call_id|index|type)=["'][^"'<>\n]{0,80}["'])+>`,
);
/** Closing tags, and special tokens that end a call, a message or a turn. */
export const ENDING_TAG = pattern(
  String.raw`</[\w|\uff5c\u2581: ]{1,40}>|\[/TOOL_CALLS?\]|<end_\w{1,40}>` +
    String.raw`|<\w{1,40}\|>|<\|(?:call|return)\|>` +
    String.raw`|<[|\uff5c](?=[\w\u2581]{1,40}[|\uff5c]>)[\w\u2581]{0,40}(?i:end|suffix|stop)[\w\u2581]{0,40}[|\uff5c]>`,
);
/** The text that may follow a string. */
const AFTER = pattern(String.raw`[\s,)\]}};\`]|\.?[ \t]*(?:$|\n)|[ \t]*[:=]|${TAG.source}`);
const FENCE_AFTER = String.raw`[,;)\]}=]`;
const AFTER_FENCE = pattern(String.raw`${FENCE_AFTER}|[ \n]{1,80}+[,)\]]`);
/** The text that may follow the last fence of a value in the parentheses of a call. */
const LOOSELY_AFTER_FENCE = pattern(String.raw`\s{0,80}+(?:[,;)\]}]|\Z|${TAG.source})`);
export const FENCE = pattern("(`{3,})(\\+?)\\n");
const TICKS = pattern("`+");

const IN_LINE = String.raw`\n\r\x00\ud800-\udfff`;
/** A quoted string on one line, without its closing quote if that is missing. */
export const QUOTED: Readonly<Record<string, Pattern>> = {
  '"': pattern(`"([^"${IN_LINE}]*+)("?)`),
  "'": pattern(`'([^'${IN_LINE}]*+)('?)`),
  "`": pattern(`\`(?!\`)([^\`${IN_LINE}]*+)(\`?)`),
};
const ESCAPED: Readonly<Record<string, Pattern>> = {
  '"': pattern(String.raw`"((?>[^"\\]*(?:\\.[^"\\]*)*))"`, "s"),
  "'": pattern(String.raw`'((?>[^'\\]*(?:\\.[^'\\]*)*))'`, "s"),
};
const ON_LINES: Readonly<Record<string, Pattern>> = { '"': pattern(`"([^"]*+)"`), "'": pattern(`'([^']*+)'`) };
const OTHER: Readonly<Record<string, string>> = {
  '"""': '"""',
  "'''": "'''",
  "\u201c": "\u201d", // typographic
  "\u2018": "\u2019",
  '<|"|>': '<|"|>',
  "<escape>": "<escape>",
};
/** Quotes that are special tokens of models, which do not occur in text. */
export const TOKENS: readonly string[] = ['<|"|>', "<escape>"];
/** Marks that close a string. In a run of marks, only the last one can. */
const CLOSES = new Map(Object.values(OTHER).map((closing) => [closing, closingPattern(closing)]));

function closingPattern(closing: string): Pattern {
  if (TOKENS.includes(closing)) return pattern(escapeText(closing));
  return pattern(`${escapeText(closing)}(?!${escapeText(closing.at(-1)!)})(?=${AFTER.source})`);
}

/** A part of such a token. */
const PIECE = pattern(String.raw`<\|"|"\|>|</?escape\b|\bescape>`);
/** Quotes that LTON does not have. Triple quotes are from Python. */
export const OTHER_QUOTE = pattern(Object.keys(OTHER).map(escapeText).join("|"));
const ESCAPE = pattern(
  String.raw`\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})` +
    String.raw`|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))`,
  "s",
);
const ESCAPES = new Map([...Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", "\n": "" }), ...[..."\"'\\/"].map((char) => [char, char] as const)]);
const OF_JSON = new Set('"\\/bfnrt');
const OF_PYTHON = new Set([...OF_JSON, "'", "\n"]);

// --- strings -----------------------------------------------------------------------------------------------

/** A string that was read: its end, its text, and a repair. */
export interface Scanned {
  readonly end: number;
  readonly text: string;
  readonly repair: RepairCode | null;
}

/** The text of a fence, and the position after the fence. */
export interface FenceEnd {
  readonly start: number;
  readonly stop: number;
  readonly end: number;
}

/** Reads the strings in an output. */
export class Strings {
  private readonly closes = new Map<string, readonly [since: number, close: number]>();

  private readonly positions: ScalarPositions;

  constructor(readonly src: string) {
    this.positions = new ScalarPositions(src);
  }

  /** Return the position after a number of characters, which may be beyond the text. */
  skip(pos: number, size: number): number {
    return this.positions.skip(pos, size);
  }

  /**
   * Read the string at a position, or return null.
   *
   * With `escapes`, backslashes are read as in JSON or Python. Otherwise, they are literal.
   */
  scan(pos: number, end: number, escapes: boolean): Scanned | null {
    const { src } = this;
    const other = OTHER_QUOTE.match(src, pos, end);
    if (other) return this.scanOther(pos, end, other.text, escapes);
    const quote = src[pos]!;
    if (escapes && quote in ESCAPED) {
      const match = ESCAPED[quote]!.match(src, pos, end);
      if (!match) return null;
      const text = match.group(1)!;
      return { end: match.end, text: unescape(text), repair: text.includes("\n") ? RepairCode.QUOTES : null };
    }
    const match = QUOTED[quote]!.match(src, pos, end);
    if (match?.group(2) && AFTER.match(src, match.end, end)) return { end: match.end, text: match.group(1)!, repair: null };
    const onLines = ON_LINES[quote]?.match(src, pos, end);
    if (onLines && AFTER.match(src, onLines.end, end)) return { end: onLines.end, text: onLines.group(1)!, repair: RepairCode.QUOTES };
    return null;
  }

  private scanOther(pos: number, end: number, opening: string, escapes: boolean): Scanned | null {
    const closing = OTHER[opening]!;
    const start = pos + opening.length;
    const close = this.close(closing, start);
    const after = close + closing.length;
    if (after > end) return null;
    const text = this.src.slice(start, close);
    if (TOKENS.includes(opening) && PIECE.search(text)) return null; // the string may contain another argument
    const isPython = escapes && opening.length === 3;
    return { end: after, text: isPython ? unescape(text) : text, repair: RepairCode.QUOTES };
  }

  /** Return the position of the next mark that may close a string. */
  private close(closing: string, pos: number): number {
    const known = this.closes.get(closing);
    if (known && known[0] <= pos && pos <= known[1]) return known[1];
    const close = CLOSES.get(closing)!.search(this.src, pos)?.start ?? this.src.length;
    this.closes.set(closing, [pos, close]);
    return close;
  }

  /**
   * Return the position of the fence that closes a string, or -1.
   *
   * In the parentheses of a call, this is the closing fence by R-308, otherwise the first fence that is
   * followed by white space and text that can end a value, otherwise the first fence.
   */
  private lastFence(ticks: string, pos: number, end: number, inCall: boolean): number {
    const ways = inCall ? [AFTER_FENCE, LOOSELY_AFTER_FENCE, null] : [null];
    for (const after of ways) {
      const key = `${ticks} ${after?.source ?? ""}`;
      let known = this.closes.get(key);
      if (!known || known[0] > pos || pos > known[1]) {
        const found = closingFence(this.src, ticks, pos, after);
        known = [pos, found < 0 ? this.src.length : found];
        this.closes.set(key, known);
      }
      if (known[1] + ticks.length <= end) return known[1];
    }
    return -1;
  }

  /** Return the text of the fence at a position, or null. If the fence is not closed, all positions are `end`. */
  fenceEnd(pos: number, end: number, inCall: boolean): FenceEnd | null {
    const match = FENCE.match(this.src, pos, end);
    if (!match) return null;
    const ticks = match.group(1)!;
    const start = match.end;
    const close = this.lastFence(ticks, start, end, inCall);
    if (close < 0) return { start: end, stop: end, end };
    const isCut = !match.group(2) && close > start && this.src[close - 1] === "\n";
    return { start, stop: isCut ? close - 1 : close, end: close + ticks.length };
  }
}

function closingFence(src: string, ticks: string, pos: number, after: Pattern | null): number {
  let at = src.indexOf(ticks, pos);
  while (after && at >= 0) {
    const { end } = TICKS.match(src, at)!;
    if (after.match(src, end)) return end - ticks.length;
    at = src.indexOf(ticks, end);
  }
  return at;
}

/** Replace the escapes in a JSON or Python string. Invalid escapes stay as they are. */
export function unescape(text: string): string {
  return ESCAPE.sub(unescapeOne, text);
}

function unescapeOne(match: Match): string {
  const [high, low] = [match.group(1), match.group(2)];
  if (high) return String.fromCharCode(parseInt(high, 16), parseInt(low!, 16));
  const digits = match.group(3) ?? match.group(4);
  if (digits) return String.fromCharCode(parseInt(digits, 16));
  return ESCAPES.get(match.group(5)!) ?? match.text;
}

/** Thrown for a string whose backslashes can be read in two ways. */
export class MixedEscapes {
  readonly expected = "all backslashes of a string to be escaped, or none";
}

/**
 * Return the text of a string in which only quotes are escaped, or null for any other string.
 *
 * Such a string contains an escape that JSON (or with `isPython`, Python) does not have. Throws `MixedEscapes`
 * if other escapes contradict this, or if the escape may be a mistake: `\'`.
 */
export function literal(text: string, quote: string, isPython: boolean): string | null {
  const known = isPython ? OF_PYTHON : OF_JSON;
  const found = [...ESCAPE.finditer(text)];
  const foreign = new Set<string>();
  for (const match of found) {
    if (match.group(1) || match.group(3)) continue;
    const char = match.group(5) ?? "x";
    if (!known.has(char) && char !== quote) foreign.add(char);
  }
  if (isPython && !found.some((match) => match.group(5) === "x")) foreign.delete("x");
  if (foreign.size === 0) return null;
  const isOnlyQuote = foreign.size === 1 && foreign.has("'");
  const isMixed = found.some((match) => match.group(1) || match.group(3) || match.group(5) === "\\");
  if (isOnlyQuote || isMixed) throw new MixedEscapes();
  return text.replaceAll(`\\${quote}`, quote);
}

// --- the end of a call -------------------------------------------------------------------------------------

const LEXEME = pattern(
  String.raw`${OTHER_QUOTE.source}|["'\`()\[\]{}<]|\r?\n|\b[se]([0-9]{1,15}):` + String.raw`|\[/?(?:TOOL_CALLS?|ARGS)\]`,
);
const BRACKETS: Readonly<Record<string, number>> = { "(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1 };
const ENDS_ON_LINE = new Set([..." ,;)]}\n", ""]);
const ENDS_IN_GROUP = new Set([..." ,;)]}", ""]);
const BEFORE_VALUE = new Set(" \t\n,=:([{");
const GOES_ON = pattern(String.raw`[(\[{,:=][ \t]*\Z`);
/** The number of characters before a line end that are searched for a continuation. */
const BACK = 80;

/** The end of the text of a call, and whether all its brackets and quotes are closed. */
export interface Extent {
  readonly end: number;
  readonly isClosed: boolean;
}

export interface ExtentOptions {
  /** End after the last group instead of after the line. */
  groups?: boolean;
  escapes?: boolean;
  stop?: number;
}

interface TextEnd {
  readonly end: number;
  /** The declared end of a counted string with a wrong length. */
  readonly least: number;
  readonly isClosed: boolean;
}

/** Finds the ends of calls that cannot be read strictly. */
export class Extents {
  private readonly src: string;
  /** Whether the call is in backticks, which then do not quote strings. */
  isTicked = false;

  constructor(
    private readonly strings: Strings,
    private readonly effort: Effort,
    private readonly begins: (pos: number) => boolean,
  ) {
    this.src = strings.src;
  }

  /**
   * Return the end of a call's text.
   *
   * The arguments of the call start at `pos`. If they start with a parenthesis, the call ends after the closing
   * parenthesis. Otherwise it ends at the end of the line, or at a tag or backtick outside strings and brackets.
   * If a bracket is not closed, the call ends after the first line that can be its last. If a string is not
   * closed, everything that may be inside the string belongs to the call.
   */
  find(pos: number, { groups = false, escapes = false, stop = this.src.length }: ExtentOptions = {}): Extent {
    const { src } = this;
    const shuts = !groups && src.startsWith("(", pos);
    const never = src.length + 1;
    let [depth, least, first, i] = [0, 0, never, pos];
    for (let match = LEXEME.search(src, i, stop); match; match = LEXEME.search(src, i, stop)) {
      this.effort.scan(match.end - i);
      const at = match.start;
      i = match.end;
      const step = BRACKETS[match.text];
      if (step !== undefined) {
        depth += step;
        if (depth > MAX_DEPTH || (shuts && depth === 0)) return { end: i, isClosed: depth === 0 };
        if (depth <= 0) first = never;
      } else if (match.text.endsWith("\n")) {
        if (depth <= 0) {
          if (at < least || (groups && src.startsWith("(", i))) continue;
          return { end: at, isClosed: true };
        }
        if (first > at && !GOES_ON.search(src, Math.max(pos, at - BACK), at)) first = at;
        if (this.begins(i)) return { end: Math.min(at, first), isClosed: false };
      } else {
        const found = this.textEnd(match, pos, depth > 0, shuts, escapes);
        if (found) {
          [i, least] = [found.end, found.least];
          this.effort.scan(Math.min(i, stop) - at);
          if (!found.isClosed) return { end: Math.min(i, stop), isClosed: false };
        } else if (endsCall(src, at)) return { end: Math.min(at, first), isClosed: depth <= 0 };
      }
    }
    return { end: Math.min(stop, first), isClosed: depth <= 0 };
  }

  /** Return the end of the string at a position, or null. */
  private textEnd(match: Match, pos: number, inGroup: boolean, inCall: boolean, escapes: boolean): TextEnd | null {
    const { src } = this;
    const { start: at, end, text } = match;
    if (at > pos && !BEFORE_VALUE.has(src[at - 1]!)) return null;
    const digits = match.group(1);
    if (digits) return this.countedEnd(end, this.strings.skip(end, Number(digits)), inGroup);
    const fence = this.strings.fenceEnd(at, src.length, inCall);
    if (fence) return { end: fence.end, least: 0, isClosed: fence.end > fence.start };
    const isTick = text === "`";
    const isQuote = text in QUOTED || OTHER_QUOTE.fullmatch(text);
    if (!isQuote || (isTick && this.isTicked)) return null;
    const found = this.strings.scan(at, src.length, escapes);
    if (found) return { end: found.end, least: 0, isClosed: true };
    return isTick ? null : { end: this.unclosedEnd(at, text), least: 0, isClosed: false };
  }

  private countedEnd(start: number, stop: number, inGroup: boolean): TextEnd {
    const { src } = this;
    if (stop > src.length) return { end: src.length, least: 0, isClosed: false };
    const ends = inGroup ? ENDS_IN_GROUP : ENDS_ON_LINE;
    const fits = ends.has(src.slice(stop, stop + 1)) || (!inGroup && endsCall(src, stop));
    return { end: fits ? stop : start, least: stop, isClosed: true };
  }

  /** Return the possible end of a string that is not closed on its line. */
  private unclosedEnd(pos: number, quote: string): number {
    const { src } = this;
    const close = src.indexOf(quote, pos + 1);
    if (close < 0) return src.length;
    const after = close + quote.length;
    const opens = BEFORE_VALUE.has(src[close - 1]!) && !AFTER.match(src, after);
    const eol = find(src, "\n", opens ? pos : after);
    return eol < 0 ? src.length : eol;
  }
}

/** Return whether a call without parentheses ends at a position, before a tag or a backtick. */
export function endsCall(src: string, pos: number): boolean {
  return src.startsWith("`", pos) || TAG.match(src, pos) !== null;
}
