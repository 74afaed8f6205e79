// The strict reader for strings and streams.
//
// One loop reads nested groups, and each step changes the state only when the result is certain. So if
// the text ends too early, the reader can continue when more text arrives. At most one lexeme and its
// key are read again.

import { quote } from "../errors.js";
import { BARE, DIGIT, FENCE_ENDS, IN_NAME, IN_WORD, NUMBER, mayBeLength, runEnd } from "../syntax.js";
import { ANY, type Type } from "../types.js";
import { FORBIDDEN, MAX_DEPTH, MAX_DIGITS, sizeOf, type Integers, type Num, type Value } from "../values.js";
import type { Event } from "../events.js";
import type { Group } from "./groups.js";
import { More, Wrong } from "./stops.js";
import type { Watcher } from "./watchers.js";

/** Placeholders for a value: the start of a group, `_`, and a key of a row. */
export const ENTERED = Symbol("entered");
export const ABSENT = Symbol("absent");
/** Returned if there is no plain value. */
export const NONE = Symbol("none");
export type Read = Value | typeof ENTERED | typeof ABSENT;

/** The next step in the current group. */
export enum State {
  /** Read the first value, or the closer. */
  Enter,
  /** Read a value. */
  Value,
  /** Read the text after the value. */
  After,
  /** Read a separator, or the closer. */
  Gap,
  /** Read another group of a tagged call, or the end of the call. */
  Between,
  /** Stop, because the outermost group has ended. */
  Done,
}

const NAME_RUN = /^[A-Za-z0-9_./-]+$/;
const WORD_RUN = /^[A-Za-z0-9_./:@+*-]+$/;
const IN_QUOTES: Record<string, RegExp> = { '"': /[^"\n\r\0\ud800-\udfff]*/uy, "'": /[^'\n\r\0\ud800-\udfff]*/uy, "`": /[^`\n\r\0\ud800-\udfff]*/uy };
const ALL_IN_QUOTES: Record<string, RegExp> = Object.fromEntries(Object.entries(IN_QUOTES).map(([quote, { source }]) => [quote, new RegExp(`^${source}$`, "u")]));
const LITERALS = new Map<string, Value>([["null", null], ["true", true], ["false", false]]);
/** Whether a character may follow a value, by its code. */
const ENDS = new Uint8Array(65536);
for (const char of " ,;)]}\n") ENDS[char.charCodeAt(0)] = 1;
const SURROGATE = /[\ud800-\udfff]/;

export const isQuote = (char: string | undefined): boolean => char === '"' || char === "'" || char === "`";
export const isOpener = (char: string | undefined): boolean => char === "[" || char === "(" || char === "{";

export class Reader {
  src = "";
  pos = 0;
  /** Whether more text may follow. */
  isOpen = false;
  group!: Group;
  state = State.Enter;
  value: Read = null;
  /** Receives certain arguments. */
  events: Event[] | null = null;
  /** Is told each value inside the arguments. */
  watcher: Watcher | null = null;
  /** R-1104: the number of scalar values that the frame may have from the start of the received text. */
  room = Infinity;
  /** Whether the text has no forbidden character, and whether it has a character of two UTF-16 units. */
  private isClean = true;
  private isAstral = false;
  private counted: [pos: number, size: number] = [0, 0];

  constructor(readonly integers: Integers = "number") {}

  setText(src: string, pos: number): void {
    this.src = src;
    this.pos = pos;
    this.isAstral = SURROGATE.test(src);
    this.isClean = !src.includes("\0") && !(this.isAstral && FORBIDDEN.test(src));
    this.counted = [0, 0];
  }

  /** Read to the end of the outermost group. */
  run(): void {
    while (this.state !== State.Done) {
      const { group } = this;
      if (this.state === State.Value) {
        group.at = this.pos;
        group.step = null;
        const value = group.element(this);
        if (value === ENTERED) continue;
        this.value = value;
        this.state = State.After;
      } else if (this.state === State.After) group.after(this);
      else if (this.state === State.Gap) group.gap(this);
      else if (this.state === State.Enter) group.enter(this);
      else group.between(this);
    }
  }

  /** Begin a group that contains the text from here on. */
  push(group: Group, pos: number): typeof ENTERED {
    this.group = group;
    this.pos = pos;
    this.state = State.Enter;
    return ENTERED;
  }

  /** End the current group, and pass its value to the group above. */
  leave(value: Value): void {
    const { up } = this.group;
    this.value = value;
    this.state = up ? State.After : State.Done;
    if (up) this.group = up;
  }

  // --- stops -------------------------------------------------------------------------------------------

  /** Return the stop for a character that is not allowed here, or for the end of the text. */
  unexpected(pos: number, expected: string): Wrong | More {
    if (pos >= this.src.length) {
      return this.isOpen ? new More() : new Wrong("E110", `expected ${expected}, found the end of the text`, pos);
    }
    const char = String.fromCodePoint(this.src.codePointAt(pos)!);
    if (FORBIDDEN.test(char)) return new Wrong("E108", `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")} is not allowed in a text`, pos);
    return new Wrong("E101", `expected ${expected}, found ${char === "\n" ? "a newline" : quote(char)}`, pos);
  }

  /** Return the stop for a run of characters that reaches the end of a text that may continue. */
  runOut(pos: number, run: "name" | "word" | null): More {
    const pattern = run && (run === "name" ? NAME_RUN : WORD_RUN);
    return new More(pos, pattern && ((piece) => pattern.test(piece)));
  }

  runsOut(end: number): boolean {
    return this.isOpen && end === this.src.length;
  }

  // --- values --------------------------------------------------------------------------------------------

  /** Read a value of a type, or start reading a group. */
  read(type: Type): Read {
    const { src, pos } = this;
    if (this.group.isTagged) return this.tagged(type);
    const char = src[pos];
    if (isOpener(char)) return this.open(type);
    const isCounted = char === "s" && runEnd(src, pos + 1, DIGIT) > pos + 1;
    if (isCounted || isQuote(char)) {
      if (!type.string) throw new Wrong("E203", `expected ${type.noun}`, pos);
      return this.fit(type, isCounted ? this.countedText() : this.text(), pos);
    }
    return this.word(type);
  }

  /**
   * Read a plain value: a short number, a word, or a string in double quotes, followed by a character that ends
   * a value. For any other or invalid value, return `NONE` and read nothing.
   */
  plain(type: Type): Value | typeof NONE {
    const { src, pos } = this;
    const first = src.charCodeAt(pos);
    let end: number;
    let value: Value;
    let isFine = false;
    if (first === 34) {
      if (!this.isClean || !type.string) return NONE;
      const close = src.indexOf('"', pos + 1);
      if (close < 0) return NONE;
      value = src.slice(pos + 1, close);
      if (value.includes("\n") || value.includes("\r")) return NONE;
      end = close + 1;
    } else if (type.number && (first === 45 || (first > 47 && first < 58))) {
      let number = 0;
      end = first === 45 ? pos + 1 : pos;
      const start = end;
      for (let code = src.charCodeAt(end); code > 47 && code < 58; code = src.charCodeAt(++end)) number = number * 10 + code - 48;
      const digits = end - start;
      if (digits === 0 || digits > 15 || (digits > 1 && src.charCodeAt(start) === 48) || (number === 0 && first === 45)) return NONE;
      if (src.charCodeAt(end) === 46) {
        const point = end;
        end = runEnd(src, end + 1, DIGIT);
        if (end === point + 1 || end - start > 17) return NONE;
        value = Number(src.slice(pos, end));
      } else {
        number = first === 45 ? -number : number;
        value = this.integers === "bigint" ? BigInt(number) : number;
        isFine = type.number.isOpen;
      }
    } else if (type.isWordy && first !== 95) {
      end = runEnd(src, pos, IN_WORD);
      if (end === pos || (first === 115 && src.charCodeAt(pos + 1) < 58)) return NONE;
      value = src.slice(pos, end);
      if (type.number && NUMBER.test(value)) return NONE;
    } else return NONE;
    if (end === src.length ? this.isOpen : !ENDS[src.charCodeAt(end)]) return NONE;
    if (isFine) {
      this.pos = end;
      return value;
    }
    if (typeof value === "string" ? !type.string!.isOpen && type.string!.refuse(value) : type.number!.refuse(value as Num)) return NONE;
    this.pos = end;
    return value;
  }

  /** Read one separator that a plain value may follow, and return whether it was present. */
  skipOne(): boolean {
    const code = this.src.charCodeAt(this.pos);
    if (code !== 32 && code !== 44) return false;
    const next = this.src.charCodeAt(this.pos + 1);
    if (!(next < 128) || ENDS[next] || next === 95) return false;
    this.pos += 1;
    return true;
  }

  private fit(type: Type, value: Value, start: number): Value {
    const refusal = type.refuse(value);
    if (refusal) throw new Wrong(refusal[0], `expected ${refusal[1]}`, start);
    return value;
  }

  /** start reading an array or an object. */
  open(type: Type): typeof ENTERED {
    const { src, pos, group } = this;
    if (group.depth >= MAX_DEPTH) throw new Wrong("E301", `nested deeper than ${MAX_DEPTH}`, pos);
    const inner = group.inner(this, type, src[pos]!, pos);
    if (!inner) throw new Wrong("E203", `expected ${type.nounAt(src[pos]!)}`, pos);
    return this.push(inner, pos + 1);
  }

  /** read a bare word according to the type. */
  private word(type: Type): Value {
    const { src, pos } = this;
    const end = runEnd(src, pos, IN_WORD);
    if (end === pos) throw this.unexpected(pos, type.noun);
    const word = src.slice(pos, end);
    if (this.runsOut(end)) throw this.runOut(pos, word === "s" ? null : "word");
    this.pos = end;
    if (type.takesBare(word)) {
      if (!type.string) throw new Wrong("E203", `expected ${type.noun}`, pos);
      if (!BARE.test(word)) throw new Wrong("E101", "such a word is quoted", pos);
      return this.fit(type, word, pos);
    }
    return this.fit(type, LITERALS.has(word) ? LITERALS.get(word)! : this.number(word, pos), pos);
  }

  private number(word: string, start: number): Num {
    if (word.length > MAX_DIGITS) throw tooLong(start);
    if (word === "-0") throw new Wrong("E105", "the double is -0.0", start);
    if (!/[.eE]/.test(word)) return this.integer(word, start);
    const value = Number(word);
    if (!Number.isFinite(value)) throw new Wrong("E105", "a number larger than every double", start);
    return value;
  }

  private integer(digits: string, start: number): Num {
    if (this.integers === "bigint") return BigInt(digits);
    const value = Number(digits);
    if (Number.isSafeInteger(value)) return value;
    if (this.integers === "large") return BigInt(digits);
    throw new Wrong("E302", "an integer beyond 2^53 - 1 (see `integers`)", start);
  }

  // --- texts: R-306 to R-308 -------------------------------------------------------------------------------

  /** Read a quoted or fenced string. At the end of an open text, a backtick may become a fence. */
  text(inCall = this.group.inCall): string {
    const { src, pos } = this;
    const quote = src[pos]!;
    if (quote === "`" && ((this.isOpen && pos + 1 === src.length) || src[pos + 1] === "`")) return this.fenced(inCall);
    if (this.isClean) {
      const close = src.indexOf(quote, pos + 1);
      const text = src.slice(pos + 1, close);
      if (close >= 0 && !text.includes("\n") && !text.includes("\r")) {
        this.pos = close + 1;
        return text;
      }
    }
    const pattern = IN_QUOTES[quote]!;
    pattern.lastIndex = pos + 1;
    const end = pos + 1 + pattern.exec(src)![0].length;
    if (src[end] === quote) {
      this.pos = end + 1;
      return src.slice(pos + 1, end);
    }
    if (this.runsOut(end)) {
      const more = new More(pos + 1, (piece) => ALL_IN_QUOTES[quote]!.test(piece));
      more.closer = "";
      throw more;
    }
    if (src[end] === "\n" || src[end] === "\r") throw new Wrong("E102", "no closing quote; text with lines is counted (sN:…) or fenced", pos);
    throw this.unexpected(end, `a closing ${quote}`);
  }

  /** read a fenced string. The content is checked when the fence ends. */
  private fenced(inCall: boolean): string {
    const { src, pos } = this;
    let end = pos;
    while (src[end] === "`") end += 1;
    const fence = src.slice(pos, end);
    const keeps = fence.length >= 3 && src[end] === "+";
    if (keeps) end += 1;
    if (this.runsOut(end)) throw new More(end, keeps ? null : (piece) => /^`+$/.test(piece));
    if (fence.length < 3 || end >= src.length) throw this.unexpected(end, "a fence: three backticks and a newline");
    if (src[end] !== "\n") {
      const stop = this.unexpected(end, "a newline");
      throw stop instanceof Wrong && stop.code === "E101" ? new Wrong("E106", stop.problem, end) : stop;
    }
    const start = end + 1;
    const close = lastFence(src, fence, start, inCall ? endsValue : null);
    // A newline directly before the closing fence is part of the text only if the opening fence has `+`.
    const isCut = !keeps && close > start && src[close - 1] === "\n";
    const text = this.allowed(start, close < 0 ? src.length : close - Number(isCut));
    if (close >= 0) {
      const early = inCall ? lastFence(src, fence, start, spacedCloser, close) : -1;
      if (early >= 0) throw new Wrong("E106", "expected a separator or a closer right after a fence", early + fence.length);
      this.pos = close + fence.length;
      return text;
    }
    if (!this.isOpen) throw this.unexpected(src.length, `a closing ${fence.slice(0, 20)}`);
    const more = new More(start, unclosedFence(fence, text, inCall));
    more.closer = fence;
    throw more;
  }

  /** Return a part of the text, or throw for a character that R-202 forbids. */
  private allowed(start: number, end: number): string {
    const piece = this.src.slice(start, end);
    const wrong = this.isClean ? null : FORBIDDEN.exec(piece);
    if (wrong) throw this.unexpected(start + wrong.index, "text");
    return piece;
  }

  private countedText(): string {
    if (this.runsOut(runEnd(this.src, this.pos + 1, DIGIT))) throw new More();
    const text = this.take(this.length(), true);
    this.group.countedEnd = this.pos;
    return text;
  }

  /** Read a length and the colon, after the letter. */
  private length(): number {
    const { src, pos } = this;
    const end = runEnd(src, pos + 1, DIGIT);
    const digits = src.slice(pos + 1, end);
    if (!mayBeLength(digits)) throw new Wrong("E104", "expected a length of up to 15 digits, without leading zeros", pos);
    if (src[end] !== ":") throw this.unexpected(end, "a colon after the length");
    this.pos = end + 1;
    return Number(digits);
  }

  /** Read a number of scalar values of any kind. */
  private take(size: number, isText: boolean): string {
    const { src, pos } = this;
    if (this.isOpen && this.sizeTo(pos) + size > this.room) throw new Wrong("E303", `no room for ${size} characters`, 0);
    let end = pos + size;
    let left = Math.max(0, end - src.length);
    if (this.isAstral) {
      for (end = pos, left = size; left > 0 && end < src.length; left -= 1) end += src.codePointAt(end)! > 0xffff ? 2 : 1;
    }
    const text = this.allowed(pos, end);
    if (left === 0) {
      this.pos = end;
      return text;
    }
    if (!this.isOpen) throw this.unexpected(src.length, `${left} more characters of a counted text`);
    const more = new More(pos, (piece) => !FORBIDDEN.test(piece));
    more.closer = isText ? "" : null;
    more.left = left;
    throw more;
  }

  /** Return the number of scalar values before a position. Positions only grow, so all calls together take linear time. */
  sizeTo(pos: number): number {
    if (!this.isAstral) return pos;
    const [from, size] = this.counted[0] <= pos ? this.counted : [0, 0];
    this.counted = [pos, size + sizeOf(this.src.slice(from, pos))];
    return this.counted[1];
  }

  /** read the name of a tool or a key: bare, quoted or fenced. */
  name(noun: string, inCall = false): string {
    const { src, pos } = this;
    const end = runEnd(src, pos, IN_NAME);
    if (end === pos && isQuote(src[pos])) {
      try {
        return this.text(inCall);
      } catch (stop) {
        if (stop instanceof More) stop.closer = null; // a name is not a value
        throw stop;
      }
    }
    if (this.runsOut(end)) throw this.runOut(pos, end > pos ? "name" : null);
    if (end === pos) throw this.unexpected(pos, noun);
    this.pos = end;
    return src.slice(pos, end);
  }

  /** return whether a parenthesis, a key and `=` are at this position. */
  beginsRecord(): boolean {
    const { pos } = this;
    this.pos += 1;
    try {
      this.name("a key", this.group.inCall);
      if (this.runsOut(this.pos)) throw new More();
      return this.src[this.pos] === "=";
    } catch (stop) {
      if (stop instanceof Wrong) return false;
      throw stop;
    } finally {
      this.pos = pos;
    }
  }

  // --- atoms: R-502 ----------------------------------------------------------------------------------------

  private tagged(type: Type): Read {
    const { src, pos } = this;
    const end = runEnd(src, pos, IN_NAME);
    if (end === pos) {
      if (src[pos] !== "[" && src[pos] !== "{") throw this.unexpected(pos, "a tagged value");
      return this.open(type);
    }
    if (this.runsOut(end)) throw this.runOut(pos, "name");
    if (end === pos + 1 && src[pos] === "n") {
      this.pos = end;
      return this.fit(type, null, pos);
    }
    return this.fit(type, this.atom(type, end), pos);
  }

  private atom(type: Type, end: number): Value {
    const { src, pos } = this;
    const letter = src[pos]!;
    if (!"suifbe".includes(letter) || runEnd(src, pos + 1, DIGIT) === pos + 1) {
      const isCut = end === src.length && end === pos + 1 && "suifbe".includes(letter);
      throw this.unexpected(isCut ? end : pos, "a tagged value");
    }
    const size = this.length();
    if (!takes(type, letter)) throw new Wrong("E203", `expected ${type.noun}`, pos);
    const isText = letter === "s" || letter === "e";
    if (!isText && letter !== "b" && size > MAX_DIGITS) throw tooLong(pos);
    const payload = this.take(size, isText);
    this.group.countedEnd = this.pos;
    const value = isText ? payload : this.payload(letter, payload, pos);
    if (value === undefined) throw new Wrong("E109", `expected a payload that the tag '${letter}' allows`, pos);
    return value;
  }

  private payload(letter: string, payload: string, start: number): Value | undefined {
    if (letter === "b") return payload === "true" ? true : payload === "false" ? false : undefined;
    const match = NUMBER.exec(payload);
    if (!match) return undefined;
    const value = Number(payload);
    if (letter === "f") return Number.isFinite(value) ? value : undefined;
    const isWrong = match[1] || match[2] || payload === "-0" || (letter === "u" && payload[0] === "-");
    return isWrong ? undefined : this.integer(payload, start);
  }

  /** Return an object for the values by name, if the arguments are reported. */
  report(event: Event): void {
    this.events?.push(event);
  }
}

/** return whether a value of the type may have this tag. */
function takes(type: Type, letter: string): boolean {
  if (letter === "s") return type.string !== null;
  if (letter === "b") return type.booleans.length > 0;
  if (letter === "e") return type.hasLabels || type === ANY;
  return type.number !== null;
}

function tooLong(start: number): Wrong {
  return new Wrong("E302", `a number of more than ${MAX_DIGITS} characters`, start);
}

/**
 * return the position of the closing fence of a text that begins at `start`, or -1. This is the first
 * occurrence of the backticks before `stop`, or the end of the first such run that `after` accepts.
 */
function lastFence(src: string, fence: string, start: number, after: After | null, stop = src.length): number {
  let at = src.indexOf(fence, start);
  while (after && at >= 0 && at < stop) {
    const end = ticksEnd(src, at);
    if (after(src, end)) return end - fence.length;
    at = src.indexOf(fence, end);
  }
  return at < stop ? at : -1;
}

/** Whether the text at a position may follow a run of backticks. */
type After = (src: string, end: number) => boolean;

/** In the parentheses of a call, one of these characters follows the closing fence. */
const endsValue: After = (src, end) => FENCE_ENDS.has(src[end] ?? "");

/** A closer or a comma after spaces or newlines may be the end of an earlier call. */
const spacedCloser: After = (src, end) => {
  let next = end;
  while (src[next] === " " || src[next] === "\n") next += 1;
  return next > end && (src[next] === "," || src[next] === ")" || src[next] === "]");
};

function ticksEnd(text: string, pos: number): number {
  while (text[pos] === "`") pos += 1;
  return pos;
}

function ticksAtEnd(text: string): number {
  let end = text.length;
  while (text[end - 1] === "`") end -= 1;
  return text.length - end;
}

/** Return a function that checks for each later piece whether the closing fence of a text is still missing. */
function unclosedFence(fence: string, text: string, inCall: boolean): (piece: string) => boolean {
  let run = ticksAtEnd(text);
  return (piece) => {
    const end = ticksEnd(piece, 0);
    run += end;
    if (run >= fence.length && (!inCall || endsValue(piece, end))) return false;
    if (end === piece.length) return true;
    run = ticksAtEnd(piece);
    return !FORBIDDEN.test(piece) && lastFence(piece, fence, end, inCall ? endsValue : null) < 0;
  };
}

/** Return a function that waits for the closing mark of a text, which may arrive in pieces. */
export function unclosed(closer: string, tail: string): (piece: string) => boolean {
  return (piece) => {
    const text = tail + piece;
    tail = text.slice(1 - closer.length);
    return !FORBIDDEN.test(piece) && !text.includes(closer);
  };
}

