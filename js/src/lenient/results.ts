// The result of lenient reading, which is built from the spans of calls.

import { errorOf } from "../decode.js";
import type { LtonError } from "../errors.js";
import { writeJSON } from "../json.js";
import { Wrong } from "../reader/stops.js";
import type { ToolSet } from "../toolset.js";
import { emptyObject, isObject, type Call, type Integers, type Members, type Value } from "../values.js";
import type { Span } from "./enclosed.js";
import { judgeCalls, type Evidence } from "./evidence.js";
import { withExamples } from "./examples.js";
import { findLeftover, findUnread, mayContinue } from "./left-over.js";
import { LINE_REST, gapRepairs } from "./marks.js";
import { pattern } from "./patterns.js";
import { REPAIR_MESSAGES, RepairCode } from "./repairs.js";
import type { CallSpan, Spans } from "./spans.js";
import { isTemplate } from "./shown-calls.js";
import { ScalarPositions } from "./text.js";

const FENCE_END = pattern(String.raw`\s*\`{3,}[ \t]*(?:\r?\n|\Z)`);
/** Doubts that mean that the text only mentions the call, so the call remains in the prose. */
const SPOKEN: ReadonlySet<RepairCode | null> = new Set([RepairCode.EXAMPLE, RepairCode.SENTENCE, RepairCode.BESIDE]);

/** A departure from LTON that was repaired, with its position and the index of its call. */
export interface Repair {
  readonly code: RepairCode;
  /** A 0-based index that counts Unicode scalar values, as in errors. */
  readonly pos: number;
  readonly problem: string;
  readonly call: number;
}

/** A call that may not be intended, with its position and the reason: one of L122 to L127, L129 and L130. */
export interface UncertainCall<C = Call> {
  readonly call: C;
  readonly code: RepairCode;
  readonly pos: number;
  readonly problem: string;
}

/** The calls in an output, and the repairs, errors and uncertain calls. */
export interface LenientResult<C = Call> {
  readonly calls: readonly C[];
  readonly repairs: readonly Repair[];
  /** An error for each call that cannot be read. */
  readonly errors: readonly LtonError[];
  /** Calls that may only be quoted. Do not run them unless a person, or information other than the text, confirms them. */
  readonly uncertain: readonly UncertainCall<C>[];
  /** False if the search was stopped, because the text takes too much work or has too many errors. */
  readonly complete: boolean;
  /**
   * The ranges that are not prose, in order, each with the marks around it: calls, unreadable calls, and calls that
   * are uncertain because another speaker may have written them or because they may be part of damaged text. All
   * other text is meant for people who read the output. The ranges count UTF-16 units: `text.slice(start, end)`.
   */
  readonly called: readonly Span[];
}

/** What the reader found, with positions in UTF-16 units and exact integers. */
export interface Found {
  readonly calls: readonly Call[];
  readonly repairs: readonly FoundRepair[];
  readonly errors: readonly Wrong[];
  readonly uncertain: readonly { readonly call: Call; readonly code: RepairCode; readonly pos: number }[];
  readonly complete: boolean;
  readonly called: readonly Span[];
}

interface FoundRepair {
  readonly call: number;
  readonly pos: number;
  readonly code: RepairCode;
}

/** Return the result for the caller. */
export function finished(found: Found, src: string, integers: Integers): LenientResult {
  const positions = new ScalarPositions(src);
  return {
    calls: found.calls.map((call) => withIntegers(call, integers)),
    repairs: found.repairs.map(({ code, pos, call }) => ({ code, pos: positions.scalarsBefore(pos), problem: REPAIR_MESSAGES[code], call })),
    errors: found.errors.map((error) => errorOf(error, src)),
    uncertain: found.uncertain.map(({ call, code, pos }) => ({
      call: withIntegers(call, integers),
      code,
      pos: positions.scalarsBefore(pos),
      problem: REPAIR_MESSAGES[code],
    })),
    complete: found.complete,
    called: found.called,
  };
}

function withIntegers(call: Call, integers: Integers): Call {
  return integers === "bigint" ? call : { name: call.name, arguments: asNumbers(call.arguments) as Members };
}

/** Replace each BigInt that a Number equals. */
function asNumbers(value: Value): Value {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(asNumbers);
  if (!isObject(value)) return value;
  const members = emptyObject();
  for (const [key, part] of Object.entries(value)) members[key] = asNumbers(part);
  return members;
}

/**
 * Return the calls of a text that can be read strictly. Templates and echoes are uncertain.
 *
 * The positions of these calls are unknown, and the result has the start of the text instead.
 */
export function resultOfStrict(src: string, calls: readonly Call[], tools: ToolSet<unknown> | null, isSafe: boolean, evidence: Evidence): Found {
  const doubts = calls.map((call) => doubtOfStrict(call, tools, evidence));
  const whole: readonly Span[] = [[0, src.length]];
  const none = { repairs: [], errors: [], uncertain: [], complete: true };
  const doubted = calls.flatMap((call, index) => (doubts[index] ? [{ call, index, code: doubts[index] }] : []));
  if (!doubted.length) return { ...none, calls, called: calls.length ? whole : [] };
  if (!isSafe) return { ...none, calls, repairs: doubted.map(({ index, code }) => ({ call: index, pos: 0, code })), called: whole };
  const certain = calls.filter((_, index) => !doubts[index]);
  return { ...none, calls: certain, uncertain: doubted.map(({ call, code }) => ({ call, code, pos: 0 })), called: [] };
}

function doubtOfStrict(call: Call, tools: ToolSet<unknown> | null, evidence: Evidence): RepairCode | null {
  if (isTemplate(call, tools?.byName ?? new Map())) return RepairCode.EXAMPLE;
  return evidence.seen.hold(call) ? RepairCode.SEEN : null;
}

/** Return whether two results have the same certain and the same uncertain calls. */
export function hasSameCalls(found: Found, other: Found): boolean {
  return reported(found) === reported(other) && !found.errors.length && !other.errors.length;
}

function reported({ calls, repairs, uncertain }: Found): string {
  const codes = [...new Set(repairs.map(({ call, code }) => `${String(call).padStart(9)} ${code}`))].sort();
  const doubted = uncertain.map(({ call, code }) => `${spelled(call)} ${code}`);
  return JSON.stringify([calls.map(spelled), doubted, codes]);
}

function spelled(call: Call): string {
  return writeJSON([call.name, call.arguments]);
}

export interface ResultOptions {
  readonly isSafe: boolean;
  readonly complete: boolean;
  readonly ended: boolean | null;
  readonly evidence: Evidence;
}

/** Build the result of a search. */
export function resultOf(spans: Spans, tools: ToolSet<unknown> | null, { isSafe, complete, ended, evidence }: ResultOptions): Found {
  const { src } = spans.doubt;
  const marked = withLeftOver(src, withDoubts(spans), tools);
  let judged = withExamples(src, marked.spans, tools);
  const lost = [...marked.errors, ...(complete ? unreadMarks(spans, judged) : [])];
  if (!ended) judged = withCut(src, judged, tools, ended === false);
  judged = judgeCalls(src, judged, spans.doubt.thoughts, evidence);
  const errors = lost.length ? [...spans.errors, ...lost].sort((one, other) => one.pos - other.pos) : spans.errors;
  const taken: CallSpan[] = [];
  const uncertain: { call: Call; code: RepairCode; pos: number }[] = [];
  const repairs = new Map<string, FoundRepair>();
  const add = (call: number, pos: number, code: RepairCode): void => {
    repairs.set(`${call} ${pos} ${code}`, { call, pos, code });
  };
  for (const span of judged) {
    const { candidate, doubt, start } = span;
    if (!candidate) continue;
    if (doubt && isSafe) {
      uncertain.push({ call: candidate.call, code: doubt, pos: start });
      continue;
    }
    for (const [pos, code] of candidate.repairs) add(taken.length, pos, code);
    if (doubt) add(taken.length, start, doubt);
    taken.push(span);
  }
  for (const { call, pos, code } of repairsBetween(src, judged, taken)) add(call, pos, code);
  return {
    calls: taken.map((span) => span.candidate!.call),
    repairs: [...repairs.values()].sort(compareRepairs),
    errors,
    uncertain,
    complete,
    called: [...calledRanges(src, judged.filter((span) => !isSafe || !SPOKEN.has(span.doubt)))],
  };
}

function compareRepairs(one: FoundRepair, other: FoundRepair): number {
  return one.call - other.call || one.pos - other.pos || (one.code < other.code ? -1 : Number(one.code > other.code));
}

function withDoubts(spans: Spans): CallSpan[] {
  const doubts = spans.doubt.judge(spans.found);
  const judged: CallSpan[] = [];
  for (const [index, span] of spans.found.entries()) {
    let doubt = span.doubt ?? doubts[index] ?? null;
    if (span.repeats) doubt ??= judged.at(-1)!.doubt;
    judged.push({ ...span, doubt });
  }
  return judged;
}

/** Mark each call with unread text next to it as uncertain. Return the spans and errors. */
function withLeftOver(src: string, spans: readonly CallSpan[], tools: ToolSet<unknown> | null): { spans: CallSpan[]; errors: Wrong[] } {
  const judged: CallSpan[] = [];
  const errors: Wrong[] = [];
  let end = 0;
  for (const [index, span] of spans.entries()) {
    const stop = spans[index + 1]?.marks ?? src.length;
    let place: number | null = null;
    if (span.candidate && !span.doubt && !span.repeats) place = findLeftover(src, span, end, Math.max(stop, span.end), tools);
    else if (span.doubt === RepairCode.LEFT) place = span.start;
    if (place === null || !span.candidate) judged.push(span);
    else if (Object.keys(span.candidate.call.arguments).length) judged.push({ ...span, doubt: RepairCode.LEFT });
    else {
      judged.push({ ...span, candidate: null });
      errors.push(new Wrong("E101", "expected the arguments of the call above, found unreadable text", place, ""));
    }
    end = span.end;
  }
  return { spans: judged, errors };
}

function unreadMarks(spans: Spans, judged: readonly CallSpan[]): Wrong[] {
  const pieces = spans.doubt.outside(judged.map(({ start, end }) => [start, end] as const));
  const found = findUnread(spans.doubt.src, pieces, new Set(judged.map((span) => span.start)));
  return [...found].map((pos) => new Wrong("E101", "expected a call after its marks", pos, ""));
}

/** Mark the last call as uncertain if it may be incomplete. Return the spans. */
function withCut(src: string, spans: CallSpan[], tools: ToolSet<unknown> | null, isCut: boolean): CallSpan[] {
  const last = spans.at(-1);
  if (!last?.candidate || last.doubt || !mayContinue(src, last, tools, isCut)) return spans;
  return [...spans.slice(0, -1), { ...last, doubt: RepairCode.CUT }];
}

function* calledRanges(src: string, spans: readonly CallSpan[]): Iterable<Span> {
  let pos = 0;
  let isFenced = false;
  for (const span of spans) {
    if (span.end <= pos) continue;
    isFenced ||= src.slice(span.marks, Math.max(span.marks, span.start)).includes("```");
    const after = LINE_REST.match(src, span.end);
    const isLast = after && (src[after.end - 1] === "\n" || after.end === src.length);
    let end = isLast ? after.end : span.end;
    const fence = isFenced ? FENCE_END.match(src, end) : null;
    if (fence) {
      end = fence.end;
      isFenced = false;
    }
    yield [Math.max(pos, span.marks), end];
    pos = end;
  }
}

/** Yield the repairs between calls, each with the index of the call that it belongs to. */
function* repairsBetween(src: string, spans: readonly CallSpan[], taken: readonly CallSpan[]): Iterable<FoundRepair> {
  if (!taken.length) return;
  let pos = 0;
  let index = 0;
  for (const span of [...spans, null]) {
    const start = span ? span.start : src.length;
    if (start >= pos) {
      for (const [at, code] of gapRepairs(src, pos, start)) yield { call: Math.min(index, taken.length - 1), pos: at, code };
    }
    if (index < taken.length && span === taken[index]) index += 1;
    pos = Math.max(pos, span ? span.end : src.length);
  }
}
