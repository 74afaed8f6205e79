// Marks calls that only show how a call is written.
//
// This is the last reason to doubt a call. All others say more about the text around the call.

import type { ToolSet } from "../toolset.js";
import type { Candidate } from "./candidates.js";
import { pattern } from "./patterns.js";
import { isVariable } from "./programs.js";
import { RepairCode } from "./repairs.js";
import type { CallSpan } from "./spans.js";
import { isTemplate } from "./shown-calls.js";

/** A word without quotes, and without a length. */
const BARE = pattern(String.raw`(?<!["'\`\w.:*$\u201c\u2018])((?:\*{1,2}|\$)?[^\W\d](?:[\w.]*\w)?)(?!["'\`\w])`);

/** Mark each call that is a template, or has variables, as uncertain. Return the spans. */
export function withExamples(src: string, spans: readonly CallSpan[], tools: ToolSet<unknown> | null): CallSpan[] {
  const byName = tools?.byName ?? new Map();
  const marked: CallSpan[] = [];
  for (const span of spans) {
    if (!span.candidate || span.doubt) {
      marked.push(span);
      continue;
    }
    const follows = span.repeats && marked.at(-1)?.doubt === RepairCode.EXAMPLE;
    const isExample = follows || isTemplate(span.candidate.call, byName) || hasVariable(src, span, span.candidate);
    marked.push(isExample ? { ...span, doubt: RepairCode.EXAMPLE } : span);
  }
  return marked;
}

/** Return whether a bare word of a call in LTON or Python may be a variable. */
function hasVariable(src: string, span: CallSpan, candidate: Candidate): boolean {
  if (candidate.repairs.has(RepairCode.XML)) return false; // the text of an element has no quotes
  const values = Object.values(candidate.call.arguments).filter((value) => typeof value === "string");
  if (!values.some(isVariable)) return false;
  const bare = new Set<string>();
  for (const match of BARE.finditer(src, span.start, span.end)) bare.add(match.group(1)!);
  return values.some((value) => bare.has(value) && isVariable(value));
}
