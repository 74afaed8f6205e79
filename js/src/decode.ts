// Decode text to calls strictly. The first error is thrown.

import { LtonError, quote } from "./errors.js";
import { ANSWERS, Frame } from "./reader/frame.js";
import { Reader } from "./reader/reader.js";
import { Wrong } from "./reader/stops.js";
import type { ToolSet } from "./toolset.js";
import type { Call, Integers } from "./values.js";

export interface DecodeOptions {
  /** The type that integers become; "number" by default. */
  integers?: Integers;
}

/**
 * Decode the calls of a text, one per line, in any form. Each argument is checked against its schema.
 *
 * Without tools, only two forms can be read: a name with a map, and the tagged form with keys. Throws
 * a `LtonError` for the first character or value that is not allowed.
 */
export function decode<C = Call>(text: string, tools?: ToolSet<C> | null, options?: { integers?: "number" }): C[];
export function decode(text: string, tools?: ToolSet<unknown> | null, options?: DecodeOptions): Call[];
export function decode(text: string, tools: ToolSet<unknown> | null = null, { integers = "number" }: DecodeOptions = {}): Call[] {
  try {
    return readCalls(text, 0, tools, integers);
  } catch (stop) {
    throw stop instanceof Wrong ? errorOf(stop, text) : stop;
  }
}

/** Read calls from a position to the end of a text. Throws a `Wrong` for the first error. */
export function readCalls(text: string, start: number, tools: ToolSet<unknown> | null, integers: Integers): Call[] {
  const reader = new Reader(integers);
  reader.setText(text, start);
  const calls: Call[] = [];
  let above: string | null = null;
  while (reader.pos < text.length) {
    if (text[reader.pos] === "!" && ANSWERS.some((sigil) => text.startsWith(sigil, reader.pos))) {
      throw new Wrong("E213", "expected a call, found an answer", reader.pos, "");
    }
    const frame: Frame = new Frame(tools, above);
    calls.push(frame.run(reader) as Call);
    above = frame.spoken;
  }
  return calls;
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
/** The codes whose messages name the found text. */
const NAMED = ["E107", "E109", "E203", "E204", "E207", "E208"];
const FOUND = /(?:"[^"\n\r]*"|'[^'\n\r]*'|`[^`\n\r]*`|[^ ,;)\]}\n]+)/y;

/** Build the error in a text. Positions count scalar values, and a lone surrogate counts as one. */
export function errorOf(wrong: Wrong, text: string, start = 0, firstLine = 1): LtonError {
  const pairs = text.slice(0, wrong.pos).match(PAIR)?.length ?? 0;
  const problem = NAMED.includes(wrong.code) && /^expected (?!.*, found )/.test(wrong.problem) ? `${wrong.problem}, found ${foundAt(text, wrong.pos)}` : wrong.problem;
  return new LtonError(wrong.code, problem, { pos: start + wrong.pos - pairs, path: wrong.path ?? "", doc: text, start, firstLine });
}

function foundAt(text: string, pos: number): string {
  FOUND.lastIndex = pos;
  const found = [...(FOUND.exec(text)?.[0] ?? text.slice(pos, pos + 1))];
  return quote(found.length > 40 ? `${found.slice(0, 40).join("")}…` : found.join(""));
}
