// What the fuzzing against Python asks of the package: a request a line, an answer a line, in JSON.
//
//     {"definitions": "…"}: tools from now on; {"text": "…"} or {"calls": "…", "form": "…"}: what is made of it;
//     {"lenient": "…", "options": {…}}: what the lenient reader makes of a text

import { createInterface } from "node:readline";
import { Decoder, LtonError, ToolSet, decode, encode, parseJSON, writeJSON } from "../dist/index.js";
import { decodeLenient } from "../dist/lenient.js";
import { read, write } from "../dist/results.js";

const integers = "bigint";
let tools = null;

function answer(asked) {
  if (asked.definitions !== undefined) {
    tools = null;
    tools = asked.definitions === null ? null : ToolSet.from(asked.definitions, { standard: asked.standard ?? false });
    return tools && { signatures: tools.signatures, fingerprint: tools.fingerprint, prompt: tools.prompt({ descriptions: asked.descriptions }) };
  }
  if (asked.text !== undefined) return { calls: decode(asked.text, tools, { integers }) };
  if (asked.lenient !== undefined) return lenient(asked.lenient, asked.options);
  if (asked.result !== undefined) return { text: write(parseJSON(asked.result), { integers, forModels: asked.models }) };
  if (asked.shown !== undefined) return shown(asked.shown);
  if (asked.chunks !== undefined) return streamed(asked);
  const calls = parseJSON(asked.calls).map((call) => Object.fromEntries(call));
  return { text: encode(calls, tools, { form: asked.form, integers }) };
}

function lenient(text, options) {
  const { calls, repairs, errors, uncertain, complete, called } = decodeLenient(text, tools, { ...options, integers });
  return {
    calls: calls.map((call) => ({ ...call })),
    repairs: repairs.map(({ code, pos, call }) => [BigInt(call), BigInt(pos), code]),
    errors: errors.map(placed),
    uncertain: uncertain.map(({ call, code, pos }) => [{ ...call }, code, BigInt(pos)]),
    complete,
    called: called.map(([start, end]) => [scalars(text, start), scalars(text, end)]),
  };
}

/** Positions in Python count scalar values. */
function scalars(text, units) {
  return BigInt([...text.slice(0, units)].length);
}

function shown(text) {
  try {
    return { value: read(text, { integers }) };
  } catch (error) {
    placed(error); // no other error may occur
    return { error: { code: null } };
  }
}

/** Get the events without their pieces, and the pieces of each string put together. */
function streamed({ chunks, deltas }) {
  const decoder = new Decoder(tools, { integers, deltas });
  const events = [];
  const take = (more) => { for (const event of more) events.push(event); };
  try {
    for (const chunk of chunks) take(decoder.feed(chunk));
    take(decoder.end());
  } catch (error) {
    return { events: told(events), error: placed(error) };
  }
  return { events: told(events) };
}

function told(events) {
  const found = [];
  for (const event of events) {
    const last = found.at(-1);
    if (event.type === "delta" && last?.[0] === "delta" && last[1] === event.path.join("/")) last[2] += event.text;
    else if (event.type === "delta") found.push(["delta", event.path.join("/"), event.text]);
    else if (event.type === "start") found.push(["start", event.name]);
    else if (event.type === "argument") found.push(["argument", event.name, event.value]);
    else if (event.type === "end") found.push(["end", event.call.name, event.call.arguments]);
    else if (event.type === "result") found.push(["result", event.result.name, event.result.value, event.result.error]);
    else found.push([event.type]);
  }
  return found;
}

function placed(error) {
  if (!(error instanceof LtonError)) throw error;
  const pos = error.pos === undefined ? {} : { pos: BigInt(error.pos) };
  return { code: error.code, ...pos, path: error.path ?? null };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let found;
  try {
    found = answer(asked);
  } catch (error) {
    found = { error: placed(error) };
  }
  process.stdout.write(`${writeJSON(found)}\n`);
}
