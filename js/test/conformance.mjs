// The package as the conformance suite asks for it: a request to an answer; and as a program, a line each:
//
//     python spec/conformance/run.py node js/test/conformance.mjs

import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as lton from "../dist/index.js";
import { decodeLenient } from "../dist/lenient.js";
import * as results from "../dist/results.js";

const { LtonError, ToolSet, decode, encode, parseJSON, writeJSON } = lton;
const integers = "bigint"; // so that 1 and 1.0 stay apart

const ANSWERS = {
  decode: (asked, tools) => ({ calls: decode(asked.text, tools, { integers }) }),
  encode: (asked, tools) => ({ text: encode(asked.calls, tools, { form: asked.form, fingerprint: asked.fingerprint ?? false, integers }) }),
  canonical: (asked, tools) => ({ canonical: encode(decode(asked.text, tools, { integers }), tools, { form: asked.form, integers }) }),
  schema: (_, tools) => ({ signatures: tools.signatures, fingerprint: tools.fingerprint, prompt: tools.prompt({ descriptions: false }), described: tools.prompt() }),
  stream: (asked, tools) => stream(asked, tools),
  lenient: (asked, tools) => lenient(asked, tools),
  write: (asked) => ({ text: results.write(asked.value, { integers, forModels: "small" }) }),
  read: (asked) => ({ value: results.read(asked.text, { integers }) }),
};

function stream({ chunks, prose, thoughts, max_call: maxCall }, tools) {
  const decoder = new lton.Decoder(tools, { integers, prose, thoughts, maxCall });
  const events = [];
  try {
    for (const chunk of chunks) {
      events.push([]);
      for (const event of decoder.feed(chunk)) events.at(-1).push(told(event));
    }
    events.push([]);
    for (const event of decoder.end()) events.at(-1).push(told(event));
  } catch (error) {
    const { code, pos } = placed(error);
    return { events, error: { code, pos } };
  }
  return { events };
}

function lenient({ text, safe, ended, syntax, seen }, tools) {
  const { calls, repairs, errors, uncertain } = decodeLenient(text, tools, { safe, ended, syntax, seen, integers });
  const placedAt = ({ code, pos }) => ({ code, pos: BigInt(pos) });
  return {
    calls,
    repairs: repairs.map(placedAt),
    errors: errors.map(placedAt),
    uncertain: uncertain.map(({ call, code, pos }) => ({ ...call, code, pos: BigInt(pos) })),
  };
}

function told(event) {
  switch (event.type) {
    case "start": return { start: event.name };
    case "argument": return { argument: event.name, value: event.value };
    case "end": return { end: event.call };
    case "prose": return { prose: event.text };
    case "thought": return { thought: event.text, complete: event.complete };
    case "result": return { result: event.result };
    default: return { delta: event.path.map(String), text: event.text };
  }
}

function placed(error) {
  if (!(error instanceof LtonError)) throw error;
  const place = Object.fromEntries(["pos", "path", "pointer"].filter((name) => error[name] !== undefined).map((name) => [name, name === "pos" ? BigInt(error[name]) : error[name]]));
  return { code: error.code, ...place };
}

/** Get what the package says to a request, which was read by `parseJSON`. */
export function answer(request) {
  const asked = Object.fromEntries(request);
  if (!(asked.kind in ANSWERS)) return { unsupported: true };
  try {
    const plain = { ...asked, calls: asked.calls?.map((call) => Object.fromEntries(call)) };
    if (asked.max_call !== undefined) plain.max_call = Number(asked.max_call);
    return ANSWERS[asked.kind](plain, asked.tools === null ? null : ToolSet.from(writeJSON(asked.tools), { standard: asked.standard, strict: true }));
  } catch (error) {
    return { error: placed(error) };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = parseJSON(line);
    process.stdout.write(`${writeJSON({ id: request.get("id"), ...answer(request) })}\n`);
  }
}
