// Decides which calls are certain: the ladder of evidence (§10.5).
//
// Words cannot tell whether a model means a call, in any language. Evidence can. A call that was read climbs these
// rungs, and is uncertain at the first that it misses:
//
// 1. *Shape.* Its values are values, not placeholders or types (`shown-calls.ts`).
// 2. *Nothing left over.* No text next to it can belong to its arguments (`left-over.ts`), and no damage before it
//    can contain it (`doubt.ts`).
// 3. *Syntax and place.* It is a part of a whole answer: besides calls and their marks, the text contains at most a
//    thought. Or it is in a syntax that has marks of its own and that its model is known to write (`syntaxes.ts`),
//    and these marks are not in a quotation, in an example, or below a line that introduces one.
// 4. *No echo.* Its name and its values do not stand together in a text that the model was given.
//
// The caller supplies the evidence that the text cannot contain: the syntaxes of the model, and the texts that the
// model was given. Who may still execute an uncertain call is up to the caller.

import type { SeenTexts } from "./echo.js";
import type { Span } from "./enclosed.js";
import { CALL_LANGUAGES, LABEL_LINE } from "./marks.js";
import { pattern } from "./patterns.js";
import { RepairCode } from "./repairs.js";
import type { CallSpan } from "./spans.js";
import { TAG } from "./strings.js";
import { SYNTAXES, findOpening } from "./syntaxes.js";
import { findLast, isBlank, isLetter, strip, stripEnd, stripStart } from "./text.js";

const FENCE_LANGUAGES = [...CALL_LANGUAGES].filter(Boolean).sort((one, other) => other.length - one.length).join("|");
const WORDS = String.raw`\s*[\w.]{1,40}(?:[ _]\w{1,40}| to=[\w.]{1,60})?`;
/** Everything that may stand around the calls of a whole answer. */
const OWN_MARKS = pattern(
  String.raw`(?:\s|${TAG.source}` +
    // tokens that begin or end a message, a turn or a call
    String.raw`|<[|\uff5c][\w\u2581]{0,20}(?:start|end|begin|stop|call|return|sep|eos|close|open)[\w\u2581]{0,20}[|\uff5c]>` +
    String.raw`|<\w{1,40}\|>|<\|/\w{1,40}\|>|<end_\w{1,40}>|</s>|\[/?TOOL_CALLS?\]` +
    // one or two words between a special token and a mark: a role, a channel, a recipient, a format
    String.raw`|(?<=[|\uff5c]>)${WORDS}(?=\s*<)` +
    String.raw`|\`\`\`(?:${FENCE_LANGUAGES})?(?=[\s<]|\Z)|\`{1,2}(?!\`)|functools\b|\[(?!\s*\[)|\](?!\])|[,;])*`,
  "i",
);
/** The words between the last special token and a call. */
const ROLE = pattern(String.raw`(?<=[|\uff5c]>)${WORDS}\s*`);
/** Brackets too many, or a full stop, directly after a call. */
const SURPLUS = pattern(String.raw`[.)\]}]{1,3}`);
/** Characters of the line before a call that are examined. */
const LINE = 400;
/** A label at the start of a line: up to three words and a colon. */
const LABEL = pattern(String.raw`\S+(?: \S+){0,2}? ?(?::(?:\s|\Z)|\uff1a)|[^\W\d]\w*:(?=[^\W\d])`);
const CODE_SPAN = /`[^`]*`/g;
/** A sign that sentences do not have outside code, or a gap that is not between sentences. */
const NO_PROSE = pattern(String.raw`[$<>|=\\~^{}\[\]]|\#\s|\t|(?<![.!?\u2026])[ ]{2}`);
/** A line that consists of one word and a colon, such as the name of a speaker. */
const NAME_LINE = pattern(String.raw`^[*_# \t]{0,9}[^\s:\uff1a]{1,40}[*_]{0,2}[:\uff1a][*_]{0,2}[ \t]*$`, "m");
const SENTENCE_ENDS = new Set(".!?\u2026\u3002\uff01\uff1f\u061f\u0964");
const OPENS_SENTENCE = "\u00bf\u00a1";
const CLOSES_SENTENCE = ")*_\"'\u201d\u2019";
const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;

/** The caller's knowledge: the syntaxes that the model writes, and the texts that it saw. */
export interface Evidence {
  readonly syntaxes: ReadonlySet<string>;
  readonly seen: SeenTexts;
}

/**
 * Return the spans with the doubts of the last two rungs: syntax and place, and echo.
 *
 * `thoughts` are the spans of the thoughts in the text. Earlier doubts are kept.
 */
export function judgeCalls(src: string, spans: readonly CallSpan[], thoughts: readonly Span[], evidence: Evidence): CallSpan[] {
  const isWhole = isWholeAnswer(src, spans, thoughts);
  const known = inKnownSyntax(src, spans, thoughts, evidence.syntaxes);
  return spans.map((span, index) => {
    if (!span.candidate || span.doubt) return span;
    if (!isWhole && !known[index]) return { ...span, doubt: RepairCode.BESIDE };
    return evidence.seen.hold(span.candidate.call) ? { ...span, doubt: RepairCode.SEEN } : span;
  });
}

/** Return whether a text consists of calls, their marks and thoughts. */
function isWholeAnswer(src: string, spans: readonly CallSpan[], thoughts: readonly Span[]): boolean {
  const calls = spans.map(({ start, end }) => ({ start, end, isCall: true }));
  const others = thoughts.map(([start, end]) => ({ start, end, isCall: false }));
  const parts = [...calls, ...others].sort((one, other) => one.start - other.start || one.end - other.end);
  let pos = 0;
  for (const { start, end, isCall } of [...parts, { start: src.length, end: src.length, isCall: false }]) {
    if (start > pos && !isOnlyMarks(src, pos, start, isCall)) return false;
    pos = Math.max(pos, end);
    const surplus = isCall ? SURPLUS.match(src, pos) : null;
    pos = surplus?.end ?? pos;
  }
  return true;
}

function isOnlyMarks(src: string, start: number, end: number, isBeforeCall: boolean): boolean {
  if (start > end) return false;
  const marks = OWN_MARKS.match(src, start, end)!; // the pattern also matches an empty string
  if (marks.end === end) return true;
  return isBeforeCall && ROLE.fullmatch(src, marks.end, end) !== null;
}

/**
 * Return for each span whether the call is in one of the syntaxes, and after plain prose.
 *
 * The first of several calls with nothing but marks between them decides for all.
 */
function inKnownSyntax(src: string, spans: readonly CallSpan[], thoughts: readonly Span[], syntaxes: ReadonlySet<string>): boolean[] {
  const endsOfThoughts = thoughts.map(([, stop]) => stop).sort((one, other) => one - other);
  const results = SYNTAXES.flatMap(({ name, result }) => (result && syntaxes.has(name) ? [result] : []));
  const found: boolean[] = [];
  let hasResult = false;
  let isKnown = false;
  let end = 0;
  for (const span of spans) {
    const pos = Math.max(end, endsOfThoughts.findLast((stop) => stop <= span.marks) ?? 0);
    hasResult ||= pos < span.marks && results.some((one) => one.search(src, pos, span.marks) !== null);
    const isNext = end > 0 && isOnlyMarks(src, end, span.start, true);
    if (span.start >= end && !isNext) isKnown = opensInProse(src, span, pos, syntaxes, hasResult);
    found.push(isKnown);
    end = Math.max(end, span.end);
  }
  return found;
}

/**
 * Return whether a mark of a known syntax opens a call, directly or after a line of prose.
 *
 * `pos` is the end of the thought or call before it, and `hasResult` says whether a label for the result of a call
 * comes before the call.
 */
function opensInProse(
  src: string,
  span: CallSpan,
  pos: number,
  syntaxes: ReadonlySet<string>,
  hasResult: boolean,
): boolean {
  let first = span.marks;
  const above = Math.max(pos, findLast(src, "\n", 0, Math.max(0, first - 1)) + 1);
  if (above < first && LABEL_LINE.fullmatch(src, above, first)) first = above; // in ReAct, the label is a mark
  const found = findOpening(src, first, span.start, syntaxes);
  if (!found) return false;
  if (found.syntax.isSpecial) return true;
  if (found.syntax.result && hasResult) return false;
  first = startOfTags(src, first, found.pos);
  const begin = Math.max(pos, first - LINE);
  const before = src.slice(begin, Math.max(begin, first));
  if (isIndented(before) || NAME_LINE.search(before)) return false;
  const trimmed = stripEnd(before);
  let line = trimmed.slice(trimmed.lastIndexOf("\n") + 1);
  const lastTag = [...TAG.finditer(line)].at(-1);
  line = strip(line.slice(lastTag?.end ?? 0));
  const lead = found.syntax.lead?.match(line);
  if (lead) line = line.slice(lead.end);
  return !line || isProse(line);
}

/** Return the start of the tags that end at a mark with nothing between them, or the mark. */
function startOfTags(src: string, start: number, end: number): number {
  let first = end;
  let last = start;
  for (const tag of TAG.finditer(src, start, end)) {
    if (first === end || !isBlank(src.slice(last, tag.start))) first = tag.start;
    last = tag.end;
  }
  return isBlank(src.slice(last, end)) ? first : end;
}

/** Return whether a text ends with the indentation of a line below another line. */
function isIndented(before: string): boolean {
  const lineEnd = before.lastIndexOf("\n");
  if (lineEnd < 0) return false;
  const indentation = before.slice(lineEnd + 1);
  return indentation !== "" && !strip(indentation, " \t") && !isBlank(before.slice(0, lineEnd));
}

/**
 * Return whether a line may be the end of a model's own sentence.
 *
 * Such a line begins with a letter (in Spanish, after an inverted mark), and not with a label. It ends with a
 * letter or the end of a sentence. A line that ends with a colon, a bracket or a number introduces something, or is
 * a heading, a log entry or the start of a message. A sign that sentences do not have, or a wide gap, shows a
 * prompt, a table, a log or code.
 */
function isProse(line: string): boolean {
  const first = stripStart(line, OPENS_SENTENCE);
  if (!first || !isLetter(String.fromCodePoint(first.codePointAt(0)!)) || LABEL.match(line)) return false;
  if (NO_PROSE.search(line.replace(CODE_SPAN, "x"))) return false;
  const last = [...stripEnd(line, CLOSES_SENTENCE)].at(-1) ?? "";
  return SENTENCE_ENDS.has(last) || LETTER_OR_MARK.test(last);
}
