// Finds the calls in a model's output.
//
// Text that can be read strictly is read strictly. Other text is searched from left to right for places where a call
// can begin: a line, a tag, a brace. Each call is read strictly, and if this fails, loosely (`candidates.ts`,
// `tree.ts`). The schema decides the meaning of the values (`coerce.ts`). Then the encoder writes the call and checks
// everything, so every repaired call is valid in LTON. If two readings fit, neither is used.
//
// A call that cannot be read is an error, and does not affect other calls. The search continues after the text of a
// call and never inside it, because the content of a string must not become a call. Quotations are skipped
// (`quoted.ts`). If the text does not show whether a call is intended, the call is uncertain (`doubt.ts`,
// `evidence.ts`), and is accepted only on request.

import { readCalls } from "../decode.js";
import { Wrong } from "../reader/stops.js";
import { THINK, ThoughtReader, type Marks } from "../reader/thoughts.js";
import type { ToolSet } from "../toolset.js";
import { sizeOf, type Call, type Integers } from "../values.js";
import { isShaped } from "./arguments.js";
import { NamedCalls } from "./calls-by-name.js";
import { ForeignCalls } from "./calls-in-json.js";
import { CallReader, hasNone, unsafePath } from "./candidates.js";
import { Doubt } from "./doubt.js";
import { SeenTexts } from "./echo.js";
import { Cost, Effort, EffortSpent } from "./effort.js";
import { ELEMENT, INVOKES } from "./call-elements.js";
import { ANNOUNCES, MARKS, NEXT, OPENS_CALL, SPECIAL } from "./marks.js";
import { Names } from "./names.js";
import { pattern } from "./patterns.js";
import { ANSWER, QUOTED_LINE, TURN, passageAt } from "./quoted.js";
import { RepairCode } from "./repairs.js";
import { finished, hasSameCalls, resultOf, resultOfStrict, type Found, type LenientResult } from "./results.js";
import { Spans } from "./spans.js";
import { Extents, Strings } from "./strings.js";
import { readSyntaxes } from "./syntaxes.js";
import { nextChar, stripEnd, stripStart } from "./text.js";

/** Reading stops after this number of errors, which models do not reach. */
const MAX_ERRORS = 100;
const TICKED = pattern("(?<!`)(``?)[ \\t]*\\Z");
/**
 * A possible start of a call or a passage: a line that is not blank, a tag, a bracket.
 *
 * Inside a line, a tag begins with a letter or a mark, a list with a call, and an object with a key.
 */
const SPOT = pattern(
  String.raw`^(?![ \t]*\r?\n)|<(?=[!/|\uff5c:\[\w\u2581])|\u25c1|\[(?=/|\s*(?:\{|[^\W\d]))` +
    String.raw`|\{(?=\{?\s*["'\u201cA-Za-z_$])|\bto=(?=\w)`,
  "m",
);
/** Special tokens after which every call has arguments, at least an empty object. */
const NEEDS_BODY = pattern(
  String.raw`\[TOOL_CALLS\]|<\|tool_call>|<start_function_call>|<[|\uff5c]tool[_\u2581](?:call[_\u2581]begin|sep)[|\uff5c]>`,
);
const BRACKETS = new Set("{[");

export interface LenientOptions {
  /** Leave out calls that may not be intended (the default). With false, they are accepted, and a repair reports the doubt. */
  safe?: boolean;
  /** Read a thought at the start: between `<think>` and `</think>` (true), or between two other marks. Thoughts between common marks are always recognized. */
  thoughts?: boolean | Marks;
  /** Whether the text is complete (true) or was cut off (false), if this is known. */
  ended?: boolean | null;
  /** The call syntaxes that the model is known to write (see `syntaxesOfModel`). Next to other text, only calls in these syntaxes are certain. */
  syntax?: string | Iterable<string>;
  /** Texts that the model was given. A call whose name and values are in one of them is uncertain. */
  seen?: Iterable<string>;
  /** The type that integers become; "number" by default. */
  integers?: Integers;
}

/**
 * Decode the calls in a model's output, and repair them if only one reading is possible.
 *
 * If `decode` accepts the text, the calls are the same and there are no repairs. Otherwise, calls are found in prose,
 * fences and tags, and may be in LTON, JSON, Python's notation or elements. Each departure from LTON is in `repairs`,
 * with its position. A call that cannot be read is in `errors`, and does not affect other calls. Unknown names,
 * missing arguments and ambiguous values are never repaired. No text throws an error.
 *
 * Every value of a call comes from the text. A call is in `uncertain` if the text does not show whether it is
 * intended, or if it may be cut off.
 */
export function decodeLenient<C = Call>(text: string, tools?: ToolSet<C> | null, options?: LenientOptions & { integers?: "number" }): LenientResult<C>;
export function decodeLenient(text: string, tools?: ToolSet<unknown> | null, options?: LenientOptions): LenientResult;
export function decodeLenient(text: string, tools: ToolSet<unknown> | null = null, options: LenientOptions = {}): LenientResult {
  const { safe = true, thoughts = false, ended = null, syntax = [], seen = [], integers = "number" } = options;
  if (typeof text !== "string") throw new TypeError(`expected a string, found a ${typeof text}`);
  const evidence = { syntaxes: readSyntaxes(syntax), seen: new SeenTexts(seen) };
  const marks = thoughts === true ? THINK : thoughts || null;
  let strict: Found | null = null;
  const calls = strictCalls(text, tools, marks, integers);
  if (calls && !hasNone(text, tools, calls) && !(calls.length && ended === false)) {
    strict = resultOfStrict(text, calls, tools, safe, evidence);
    if (!strict.uncertain.length && !strict.repairs.length) return finished(strict, text, integers);
  }
  const search = new Search(text, tools, integers);
  search.run(marks);
  const found = resultOf(search.spans, tools, { isSafe: safe, complete: search.complete, ended, evidence });
  // The search knows the positions of calls in doubt, but does not find calls in every form.
  return finished(!strict || hasSameCalls(found, strict) ? found : strict, text, integers);
}

/** Return the calls of a text that can be read strictly, or null. */
function strictCalls(text: string, tools: ToolSet<unknown> | null, marks: Marks | null, integers: Integers): Call[] | null {
  try {
    const calls = readCalls(text, marks ? endOfThought(text, marks) : 0, tools, "bigint");
    const isUnsafe = integers === "number" && calls.some((call) => unsafePath(call.arguments, "") !== null);
    return isUnsafe ? null : calls;
  } catch (stop) {
    if (stop instanceof Wrong) return null;
    throw stop;
  }
}

/** Return the end of the thought at the start of a text, or 0. */
function endOfThought(text: string, marks: Marks): number {
  const reader = new ThoughtReader(marks, false, false);
  let pos = 0;
  for (let said = reader.read(text, 0, false); said; said = reader.read(text, pos, false)) pos = said.pos;
  return pos;
}

class Search {
  readonly spans: Spans;
  complete = true;
  private readonly effort: Effort;
  private readonly strings: Strings;
  private readonly doubt: Doubt;
  private readonly names: Names;
  private readonly reader: CallReader;
  private readonly named: NamedCalls;
  private readonly foreign: ForeignCalls;

  constructor(
    private readonly src: string,
    tools: ToolSet<unknown> | null,
    integers: Integers,
  ) {
    this.effort = new Effort(sizeOf(src));
    this.strings = new Strings(src);
    this.doubt = new Doubt(this.strings);
    this.spans = new Spans(this.doubt);
    this.names = new Names(src, tools, this.spans);
    this.reader = new CallReader(this.strings, tools, this.effort, (pos) => this.names.begins(pos), integers);
    this.named = new NamedCalls(this.names, this.reader, this.spans);
    this.foreign = new ForeignCalls(this.names, this.reader, this.spans);
  }

  run(marks: Marks | null): void {
    const { src, spans } = this;
    let pos = marks ? this.passThought(marks) : 0;
    try {
      while (pos < src.length && spans.errors.length < MAX_ERRORS) {
        const start = pos === spans.fresh ? pos : (SPOT.search(src, pos)?.start ?? src.length);
        const after = this.doubt.passProse(pos, start);
        pos = after > start ? after : this.readSpot(start);
      }
    } catch (reason) {
      if (!(reason instanceof EffortSpent)) throw reason;
      this.complete = false;
    }
    this.complete &&= pos >= src.length;
  }

  private passThought([opening, closing]: Marks): number {
    const { src } = this;
    if (!stripStart(src).startsWith(opening)) return 0;
    const close = src.indexOf(closing);
    const end = close < 0 ? src.length : close + closing.length;
    this.doubt.passOver(0, end, Math.max(end, src.lastIndexOf(closing) + closing.length), true);
    this.spans.fresh = end;
    return end;
  }

  /** Read the passage or calls at a position. Return the end. */
  private readSpot(spot: number): number {
    const { src, spans, doubt } = this;
    if (spot === src.length) return spot;
    this.effort.spend(Cost.Spot);
    const next = nextChar(src, spot);
    const isLine = doubt.isLineStart(spot) || spot === spans.fresh;
    let after = this.readWhole(spot, spot, isLine);
    if (after !== null) return after;
    if (!isLine && "<\u25c1".includes(src[spot]!) && !OPENS_CALL.match(src, spot)) return next;
    const match = MARKS.match(src, spot)!; // the pattern also matches no marks
    const start = match.end;
    doubt.openInMarks(spot, start);
    if (start > spot) {
      after = this.readWhole(spot, start, doubt.isLineStart(start) || isLine);
      if (after !== null) return after;
    }
    spans.spot = spot;
    spans.isTagged = OPENS_CALL.search(match.text) !== null;
    spans.isSpecial = SPECIAL.search(src, spot, Math.min(start + 1, src.length)) !== null;
    return this.readCalls(spot, start, next, isLine, match.text);
  }

  /** Read the calls after marks. Return the end. */
  private readCalls(spot: number, start: number, next: number, isLine: boolean, marks: string): number {
    const { src, spans, doubt, named } = this;
    let pos = Math.max(start, next);
    let isJSON = !(isLine || spans.isSpecial) && BRACKETS.has(src[spot]!);
    named.inLine = isJSON && start > spot && this.names.head(start) !== null;
    isJSON &&= !named.inLine;
    let end = isJSON ? this.foreign.inJSON(spot) : this.readCall(start, marks);
    while (end !== null) {
      pos = Math.max(pos, end);
      named.needsBody = false;
      const after = doubt.closeAfter(pos);
      if (after) return after;
      end = this.readFollowing(pos);
    }
    if (pos === next) doubt.passProse(spot, pos); // no call or passage begins at this position
    return pos;
  }

  /** Skip a passage, or read an element that is named after a tool. Return the end, or null. */
  private readWhole(spot: number, pos: number, isLine: boolean): number | null {
    const after = this.passOthers(pos, isLine);
    if (after !== null || !isLine || !this.src.startsWith("<", pos)) return after;
    this.spans.spot = spot;
    this.spans.isSpecial = false;
    return this.foreign.inToolElement(pos);
  }

  /** Return the end of the quotation or of another speaker's turn at a position, or null. */
  private passOthers(pos: number, isLine: boolean): number | null {
    const { src, doubt } = this;
    if (isLine) {
      const after = doubt.passFenceLine(pos);
      if (after) return after;
      const quoted = QUOTED_LINE.match(src, pos);
      if (quoted) return quoted.end;
      const answer = ANSWER.match(src, pos);
      if (answer) return this.failAnswer(pos, answer.end);
    }
    const found = passageAt(src, pos);
    if (found) {
      doubt.passOver(pos, found.end, found.doubtEnd, found.isThought);
      this.spans.fresh = found.end;
      return found.end;
    }
    const turn = TURN.match(src, pos);
    if (turn) doubt.doubtRest(RepairCode.ECHO);
    return turn?.end ?? null;
  }

  private failAnswer(pos: number, start: number): number {
    const error = new Wrong("E213", "expected a call, found the answer to one", pos, "");
    const { end } = new Extents(this.strings, this.effort, () => false).find(start);
    const eol = this.src.indexOf("\n", end);
    this.doubt.doubtRest(RepairCode.ECHO);
    return this.spans.fail(pos, eol < 0 ? this.src.length : eol, error, false);
  }

  private readCall(pos: number, marks: string): number | null {
    const { src, named } = this;
    named.inList = stripEnd(marks).endsWith("[");
    if (BRACKETS.has(src[pos]!)) return this.foreign.inJSON(pos);
    if (ELEMENT.match(src, pos)) return this.foreign.inElement(pos);
    const invoked = INVOKES.match(src, pos);
    if (invoked) return this.foreign.announced(pos, invoked);
    const isAnnounced = ANNOUNCES.search(marks) !== null;
    const ticks = TICKED.search(marks);
    this.reader.extents.isTicked = ticks?.group(1) === "`";
    named.needsBody = NEEDS_BODY.search(marks) !== null;
    const head = this.names.head(pos);
    if (!head) return named.unknown(pos, isAnnounced);
    if (head.sigil.startsWith("to=") && !isShaped(src, head.args)) return named.withoutMessage(head);
    return named.read(head, isAnnounced, ticks !== null);
  }

  private readFollowing(pos: number): number | null {
    const match = NEXT.match(this.src, pos);
    if (!match || this.spans.errors.length >= MAX_ERRORS) return null;
    const head = this.names.head(match.end);
    return head && this.src.startsWith("(", head.end) ? this.named.read(head, true, false) : null;
  }
}
