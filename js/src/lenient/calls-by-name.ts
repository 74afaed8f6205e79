// Reads calls that begin with the name of a tool.

import { Wrong } from "../reader/stops.js";
import { IN_NAME, runEnd } from "../syntax.js";
import { bodyAfter, isShaped } from "./arguments.js";
import { Failure, type CallReader, type Candidate, type Head } from "./candidates.js";
import type { Doubt } from "./doubt.js";
import { ELEMENT_END, firstKey } from "./call-elements.js";
import { MARKS, NEXT, OPENS_TEXT, REPEATS, SIGILS, TAIL, endAt } from "./marks.js";
import type { Names } from "./names.js";
import { pattern } from "./patterns.js";
import { Programs } from "./programs.js";
import { RepairCode } from "./repairs.js";
import type { Spans } from "./spans.js";
import { find, findLast, strip, wordsIn } from "./text.js";

const BRACKETS = new Set("{[");
const LINE_ENDS = new Set(["", "\r", "\n"]);
/** In a name that is not an ordinary word. */
const TELLING = /[._/0-9]|[a-z][A-Z]/;
/** An argument that cannot be the next word in a sentence. */
const ARGUMENT = pattern(String.raw`\#|[ \t]+(?:["'\`\u201c\[{(]|[+-]?\d|_(?!\w)|[A-Za-z0-9_./-]+[ \t]*=|s([0-9]++)(:?))`);
/** A possible length in an unreadable call. */
const LENGTH = pattern(String.raw`\bs\d|\d[^\w\s]?:`);
/** A possible length in a readable call. Times of day do not match. */
const LOST_LENGTH = pattern(String.raw`[^"'\`\n]*?(?<=[\s=(,])(?!s\d)\w{0,2}?\d+:(?!\d)`);
const FENCE_BEFORE_JSON = pattern(String.raw`[^{\`]{0,80}\`\`\`[^{\`]{0,20}\{`);
const LINE_END = pattern("\n");
/** A group on the line of a call without arguments, which may be the arguments. */
const GROUP_AFTER = pattern(String.raw`[ \t]*+(?:\{|\[\s*+[{"']|\(\s*+(?:[\w.-]{1,64}\s*+=|["'{\[]))`);
const WRAPPED = pattern(String.raw`\(\s*+(?:functions|default_api)\.([\w.-]{1,200})\s*+\(`, "d");
const EMPTY_STRINGS = ['""', "''"];
/** Repairs that could turn a sentence into a call if the tool's name is an ordinary word. */
const NOT_IN_SENTENCES: ReadonlySet<RepairCode> = new Set([RepairCode.BARE, RepairCode.ORDER, RepairCode.SIGIL]);

/** Reads calls that begin with a tool's name, which may also be a word in a sentence. */
export class NamedCalls {
  /** Whether the calls are in a Python list. */
  inList = false;
  /** Whether the list is in the middle of a line. */
  inLine = false;
  /** Whether arguments must follow the name. */
  needsBody = false;
  private readonly src: string;
  private readonly doubt: Doubt;
  private readonly programs: Programs;

  constructor(
    private readonly names: Names,
    private readonly reader: CallReader,
    private readonly spans: Spans,
  ) {
    this.src = names.src;
    this.doubt = spans.doubt;
    this.programs = new Programs(names.src);
  }

  /** Read a call, or report an error. Return null if the name is only a word in a sentence. */
  read(head: Head, isAnnounced: boolean, isTicked: boolean): number | null {
    const { src } = this;
    const shaped = isShaped(src, head.args);
    const isTelling = shaped || head.sigil !== "" || TELLING.test(head.name);
    if (!isTelling && !head.isExact) return null;
    const isMarked = isTelling || isAnnounced || ARGUMENT.match(src, head.args) !== null;
    const limit = isMarked ? null : endAt(LINE_END, src, head.args);
    let python = this.inList;
    if (src.startsWith("(", head.args)) python = this.programs.contain(head.start, this.spans.end) || python;
    const found = this.reader.read(head, python, limit);
    if (found instanceof Failure) return isMarked ? this.fail(head, found) : null;
    const isEmpty = Object.keys(found.call.arguments).length === 0;
    if (this.needsBody && !shaped && isEmpty) return this.spans.fail(head.start, found.end, this.reader.noBody(found.end), true);
    if (!isMarked && this.isSentence(head, found)) return null;
    if (!(shaped || isTicked) || this.needsBody || this.isWhole(found.end)) return this.accept(head, found, isTicked);
    return isTicked ? null : this.failAtEnd(head, found);
  }

  /** Report a call whose arguments are missing. */
  withoutMessage(head: Head): number | null {
    const body = bodyAfter(this.src, head.args);
    if (head.sigil === "to=" && body === null) return null;
    const end = body || head.args;
    return this.spans.fail(head.start, end, this.reader.noBody(end), true);
  }

  private fail(head: Head, found: Failure): number {
    const end = this.endOf(head);
    const isDamaged = found.isDamaged || LENGTH.search(this.src, head.end, end) !== null;
    return this.spans.fail(head.start, end, found.error, isDamaged);
  }

  /**
   * Report an error for text after the call.
   *
   * Return null if the call has no arguments, unless a group after it may be its arguments.
   */
  private failAtEnd(head: Head, found: Candidate): number | null {
    const isEmpty = Object.keys(found.call.arguments).length === 0;
    if (isEmpty && !GROUP_AFTER.match(this.src, found.end)) return null;
    const error = new Wrong("E101", "expected the end of the line after the call", found.end, "");
    return this.spans.fail(head.start, found.end, error, found.damage.atEnd);
  }

  /** Return whether a readable call may be part of a sentence. */
  private isSentence(head: Head, found: Candidate): boolean {
    for (const [, code] of found.repairs) if (NOT_IN_SENTENCES.has(code)) return true;
    return Object.keys(found.call.arguments).length === 0 && this.inProse(head.start, found.end);
  }

  private accept(head: Head, found: Candidate, isTicked: boolean): number {
    const { src, doubt } = this;
    const isEmptyString = EMPTY_STRINGS.includes(src.slice(found.end - 2, found.end));
    if (isEmptyString && OPENS_TEXT.match(src, found.end)) doubt.doubtRest(RepairCode.DAMAGE); // perhaps two of three quotes
    if (FENCE_BEFORE_JSON.match(src, head.args, found.end)) doubt.skipEnd(found.end);
    let reason: RepairCode | null = this.inSentence(head, found.end) ? RepairCode.SENTENCE : null;
    if (this.isKeyed(head, found)) reason = RepairCode.DAMAGE;
    const end = this.spans.accept(head.start, found, reason, head.repeats);
    if (this.hasLost(head, end, isTicked)) doubt.doubtRest(RepairCode.DAMAGE);
    return end;
  }

  /** Report a call to an unknown tool, if the text can only be a call. */
  unknown(pos: number, isAnnounced: boolean): number | null {
    const { src, spans, names } = this;
    const last = spans.found.at(-1);
    if (last && !last.candidate && REPEATS.match(src, pos)) {
      const { end, isClosed } = this.reader.extents.find(pos + 1);
      return spans.fail(pos, end, new Wrong("E211", "no call above to repeat", pos, ""), !isClosed);
    }
    const sigil = SIGILS.match(src, pos);
    const start = sigil?.end ?? pos;
    const nameEnd = runEnd(src, start, IN_NAME);
    const name = src.slice(start, nameEnd);
    if (!name || !names.tools || names.known(name)) return null;
    const isCalled = sigil !== null && sigil.text !== "!" && sigil.text !== "to=";
    // The message after `to=` may contain the calls.
    if (!isCalled && !(isAnnounced && sigil?.text !== "to=" && isShaped(src, nameEnd))) return this.unknownFunction(pos, nameEnd);
    const args = bodyAfter(src, nameEnd) || nameEnd;
    const { end, isClosed } = this.reader.extents.find(args, { groups: !src.startsWith("(", args) });
    const isDamaged = !isClosed || src.slice(pos, end).includes("\n");
    return spans.fail(pos, end, names.noTool(name, start), isDamaged);
  }

  /** Skip the call of an unknown function. A call is never inside another function's parentheses. */
  private unknownFunction(pos: number, nameEnd: number): number | null {
    if (!this.src.startsWith("(", nameEnd)) return null;
    const { end, isClosed } = this.reader.extents.find(nameEnd);
    const wrapped = this.wrapped(nameEnd);
    if (wrapped) return this.spans.fail(pos, end, wrapped, !isClosed);
    if (!isClosed) this.doubt.doubtRest(RepairCode.DAMAGE);
    return end;
  }

  /**
   * Return an error if a parenthesis contains only a call with the prefix of a namespace.
   *
   * Only models write `print(default_api.f())`, but nobody knows what is done with the result.
   */
  private wrapped(pos: number): Wrong | null {
    const match = WRAPPED.match(this.src, pos);
    if (!match || !this.names.known(match.group(1)!)) return null;
    return new Wrong("E101", "expected a call, found it in the parentheses of something else", match.startOf(1), "");
  }

  /** Return whether a call is in a list within a line, or in a tag next to words. */
  private inSentence(head: Head, end: number): boolean {
    const isTagged = this.spans.isTagged || head.sigil.startsWith("to=");
    return this.inLine || (isTagged && this.spans.inSentence(end, true));
  }

  private isKeyed(head: Head, found: Candidate): boolean {
    if (!this.names.tools) return false;
    const names = this.names.byName.get(head.name)!.args.byName;
    const words = wordsIn(this.src.slice(head.args, found.end));
    const keyed = new Set(words.filter((word) => word.includes(":") && names.has(word.slice(0, word.indexOf(":")))));
    return Object.values(found.call.arguments).some((value) => typeof value === "string" && keyed.has(value));
  }

  /** Return whether a string may lack its length prefix, or may be cut off at a backtick. */
  private hasLost(head: Head, end: number, isTicked: boolean): boolean {
    const isCut = !isTicked && this.src.startsWith("`", end);
    const hasKeys = this.src.startsWith("{", head.args); // so what ends with a digit is a key
    return isCut || (!hasKeys && LOST_LENGTH.match(this.src, head.args, end) !== null);
  }

  private endOf(head: Head): number {
    if (firstKey(this.src, head.args) !== null) return endAt(ELEMENT_END, this.src, head.args);
    return this.reader.endOf(head.args, { groups: !this.src.startsWith("(", head.args) });
  }

  private inProse(start: number, end: number): boolean {
    const { src } = this;
    const above = findLast(src, "\n", 0, start);
    if (above <= this.spans.end) return false;
    const before = strip(src.slice(findLast(src, "\n", 0, above) + 1, above));
    const after = find(src, "\n", end) + 1;
    if (!after || MARKS.fullmatch(before)) return false;
    const below = MARKS.match(src, after)?.end ?? after;
    const isBlankBelow = LINE_ENDS.has(src.slice(below, below + 1)) || src.slice(after, below).includes("\n");
    return !(isBlankBelow || BRACKETS.has(src[below]!) || this.names.head(below));
  }

  /** Return whether the rest of the line shows that the call is not part of a sentence. */
  private isWhole(pos: number): boolean {
    if (TAIL.match(this.src, pos)) return true;
    const match = NEXT.match(this.src, pos);
    return match !== null && this.names.begins(match.end);
  }
}
