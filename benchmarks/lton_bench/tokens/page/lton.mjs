// Calls as the package writes them, and calls as people paste them.
//
// Integers are BigInts, doubles Numbers, objects Maps: to the package that is exact.

import { parseJSON } from "./json.mjs";
import { library } from "./library.mjs";
import { checked, PartError } from "./schema.mjs";

const EXACT = { integers: "bigint" };

/** Get names in the order of their scalar values, not of UTF-16 units. */
export const sorted = library.sorted;

/** Get the text of calls in a form: "wire", "keyed", "punctuated" or "tagged". */
export function encode(calls, tools, form) {
  return library.encode(calls.map(asCall), tools.set, { ...EXACT, form });
}

/** Get the same with other names of the tools. */
export function encodeRenamed(calls, tools, names) {
  const renamed = [...tools.values()].map((tool) => ({ ...tool, alias: names.get(tool.name) }));
  return library.encode(calls.map(asCall), new library.ToolSet(renamed), EXACT);
}

/** Get the text of calls in the map form, which needs no tools. */
export function encodeMaps(calls) {
  return library.encode(calls.map(asCall), null, EXACT);
}

function asCall({ name, args }) {
  return { name, arguments: args };
}

// --- reading and checking calls -------------------------------------------------------------------

/** Get the calls of JSON: one, or a list; as the notation has them, or in OpenAI's envelope. */
export function readCalls(value, tools) {
  const found = callsIn(value, "");
  if (!found.length) throw new PartError("expected a call", "");
  return found.map(({ call, pointer }) => readCall(call, pointer, tools));
}

/** Where APIs have calls: in lists, in messages, in the parts of these, and in whole responses. */
const HOLDERS = ["tool_calls", "content", "message", "messages", "choices", "output"];

/** Get the calls of what people paste, each with where it stands. */
function callsIn(value, pointer) {
  if (Array.isArray(value)) return value.flatMap((each, index) => callsIn(each, `${pointer}/${index}`));
  if (!(value instanceof Map)) throw new PartError("expected a call: an object with name and arguments", pointer);
  if (value.get("function") instanceof Map || (value.has("name") && !value.has("role"))) return [{ call: value, pointer }];
  const holders = HOLDERS.filter((key) => Array.isArray(value.get(key)) || value.get(key) instanceof Map);
  if (!holders.length && (value.has("role") || value.has("type"))) return []; // what was said, not called
  if (!holders.length) return [{ call: value, pointer }];
  return holders.flatMap((key) => callsIn(value.get(key), `${pointer}/${key}`));
}

function readCall(call, pointer, tools) {
  if (call.get("function") instanceof Map) return readCall(call.get("function"), `${pointer}/function`, tools);
  const name = call.get("name");
  if (typeof name !== "string") throw new PartError("the call has no name", pointer);
  if (!tools.get(name)) throw new PartError(`no tool is called ${JSON.stringify(name)}`, `${pointer}/name`);
  const key = ["arguments", "parameters", "input"].find((each) => call.has(each));
  const at = key ? `${pointer}/${key}` : pointer;
  const args = argumentsOf(key ? call.get(key) : new Map(), at);
  checked(() => encode([{ name, args }], tools, "wire"), (error) => at + (error.path ?? ""));
  return { name, args };
}

/** Get the arguments; APIs carry them as JSON in a string. */
function argumentsOf(value, at) {
  const found = typeof value === "string" ? inside(value, at) : value;
  if (found instanceof Map) return found;
  throw new PartError("expected an object of arguments", at);
}

function inside(text, at) {
  try {
    return parseJSON(text).value;
  } catch (error) {
    throw new PartError(`the arguments are no JSON: ${error.message}`, at);
  }
}
