// What the keys of JSON around a call mean: names, arguments, envelopes and metadata.
//
// Every other key may belong to the arguments of a call, so a call next to it is uncertain.

import { pattern } from "./patterns.js";
import { strip } from "./text.js";
import { isLeaf, type Bracketed, type Tree } from "./tree.js";

export const NAMES: readonly string[] = ["name", "tool", "tool_name", "function_name", "function", "action"];
export const ARGUMENTS: readonly string[] = ["arguments", "parameters", "args", "input", "params", "kwargs", "tool_input", "action_input", "tool_args"];
const ENVELOPES: readonly string[] = ["tool_calls", "function_calls", "calls", "tool_call", "function_call", "function"];
export const TELLING: ReadonlySet<string> = new Set([...NAMES, ...ARGUMENTS]);
/** The name of a tool in unreadable JSON that may be a call. */
export const NAMED = pattern(
  String.raw`["']?\w{0,30}(?:name|tool|function|action|call|use)["']?\s*[:=]\s*["']([^"'\n]{1,200})["']`,
);

/** A word of a key: `functionCall` and `function_call` have the same words. */
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\p{Nd}+/gu;
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const NAME_WORDS = setOf("name tool function action call use recipient");
const ENVELOPE_WORDS = setOf("tool function call calls use uses action actions invocation invocations multi parallel");
const MCP_METHOD = "tools/call";
/** Values of `type` that say only that an object is a call. */
const OWN_TYPES = setOf("function tool tool_use tool_call function_call");
/** Words before `id` in the key of an identifier. */
const IDS = setOf("tool function call use item message request response");
/** Words of the keys with which models explain a call to themselves. */
const THOUGHTS = setOf("thought thoughts thinking reason reasoning rationale explanation why");
/** Keys with which APIs number and classify calls. */
const STATES = setOf("index type status object jsonrpc");
const ROLES = setOf("assistant model");
/** The keys of what a message contains. */
const CONTENTS = ["content", "parts"];

/** Return the words of a key in lower case. */
export function wordsOf(key: string): string[] {
  return (key.match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** Return whether the value of a key may be the name of a tool. */
export function mayName(key: string): boolean {
  return NAMES.includes(key) || wordsOf(key).some((word) => NAME_WORDS.has(word));
}

/** Return the keys of an object whose values may be a call, or a list of calls. */
export function envelopesOf(node: Bracketed): string[] {
  const fields = new Map<string, Tree>();
  for (const { key, value } of node.entries) if (key !== null) fields.set(key, value);
  const textOf = (key: string): string | null => {
    const value = fields.get(key);
    return value && isLeaf(value) ? value.text : null;
  };
  const known = [...ENVELOPES];
  if (ROLES.has(textOf("role") ?? "")) known.push(...CONTENTS);
  if (textOf("method") === MCP_METHOD) known.push("params");
  const others = [...fields.keys()].filter((key) => !known.includes(key) && isEnvelope(key));
  return [...known.filter((key) => fields.has(key)), ...others];
}

function isEnvelope(key: string): boolean {
  const words = wordsOf(key);
  return words.length > 0 && words.every((word) => ENVELOPE_WORDS.has(word));
}

/** Return whether a value carries nothing: null, a blank string, or empty brackets. */
export function isEmpty(value: Tree): boolean {
  if (!isLeaf(value)) return value.entries.length === 0 && !value.isTable;
  return ["", "null", "none"].includes(strip(value.text).toLowerCase());
}

/** Return whether a key next to a call only describes the call. */
export function isMetadata(key: string | null, value: Tree): boolean {
  if (key === null || !isLeaf(value)) return key === "_meta"; // of MCP
  const words = wordsOf(key);
  if (words.at(-1) === "id") return words.slice(0, -1).every((word) => IDS.has(word));
  if (key === "role" || key === "method") return ROLES.has(value.text) || value.text === MCP_METHOD;
  // The reader has found that the word names no tool.
  if (value.kind === "text" && (NAMES.includes(key) || words.some((word) => THOUGHTS.has(word)))) return true;
  return STATES.has(key);
}

/** Return whether a key says only that its object is a call, as in `"type": "function"`. */
export function isOwnType(key: string | null, value: Tree): boolean {
  return key === "type" && isLeaf(value) && OWN_TYPES.has(value.text);
}
