// Every way to write calls that the page shows: { name, group, write(calls, tools) }.
//
// A text is a list of parts: strings, and special tokens, which are one token in the vocabulary of
// the model family whose syntax it is, and therefore count as one here whatever the vocabulary.

import { aliases } from "./aliases.mjs";
import { MINIFIED, PYTHON, SPACED, writeJSON } from "./json.mjs";
import { encode } from "./lton.mjs";
import { NATIVE } from "./native.mjs";
import { isMap } from "./schema.mjs";
import { writeTOON } from "./toon.mjs";

export const BASELINE = "JSON minified";

const plain = ({ name, args }) => new Map([["name", name], ["arguments", args]]);
const oneOrAll = (values) => (values.length === 1 ? values[0] : values);
const lines = (write) => (calls, tools) => calls.map((call) => write(call, tools)).join("\n");

// --- LTON -----------------------------------------------------------------------------------------

function aliased(calls, tools) {
  const short = aliases([...tools.keys()]);
  const spoken = new Map([...tools].map(([name, tool]) => [short.get(name), tool]));
  return encode(calls.map(({ name, args }) => ({ name: short.get(name), args })), spoken, "wire");
}

// --- JSON -----------------------------------------------------------------------------------------

function doubleEncoded(calls) {
  const doubled = ({ name, args }) => new Map([["name", name], ["arguments", writeJSON(args)]]);
  return writeJSON(oneOrAll(calls.map(doubled)));
}

/** Get the arguments in the order of the layout, null for a gap; objects with a schema likewise. */
export function byPosition(values, members) {
  const row = members.params.map(({ name, type }) => placed(values.get(name) ?? null, type));
  while (row.length && row.at(-1) === null) row.pop();
  return row;
}

function placed(value, type) {
  if (value instanceof Map && type.object && !isMap(type.object)) return byPosition(value, type.object);
  if (Array.isArray(value) && type.array) return value.map((item) => placed(item, type.array.items));
  return value;
}

/** A row cannot hold a member that the layout does not declare; then the call stands in full. */
function isDeclared(value, type) {
  if (Array.isArray(value)) return !type.array || value.every((item) => isDeclared(item, type.array.items));
  if (!(value instanceof Map) || !type.object || isMap(type.object)) return true;
  return [...value].every(([name, part]) => {
    const param = type.object.byName.get(name);
    return param && isDeclared(part, param.type);
  });
}

function positional(call, tools) {
  const members = tools.get(call.name).args;
  const fits = [...call.args].every(([name, value]) => members.byName.has(name) && isDeclared(value, members.byName.get(name).type));
  return fits ? byPosition(call.args, members) : null;
}

function jsonArray(calls, tools) {
  const rows = calls.map((call) => {
    const row = positional(call, tools);
    return row ? [call.name, ...row] : plain(call);
  });
  return writeJSON(oneOrAll(rows));
}

function literals(call, tools) {
  const row = positional(call, tools);
  return row ? `${call.name}(${writeJSON(row).slice(1, -1)})` : writeJSON(plain(call));
}

// --- rivals ---------------------------------------------------------------------------------------

function pythonCall({ name, args }) {
  return `${name}(${[...args].map(([key, value]) => `${key}=${writeJSON(value, PYTHON)}`).join(", ")})`;
}

const GLYPH_BARE = /^(?![tf]$|true$|false$|null$|_)[A-Za-z_][A-Za-z0-9_./-]*$/;

function glyph({ name, args }) {
  return `${name}{${glyphMembers(args)}}`;
}

function glyphMembers(members) {
  return [...members].map(([key, value]) => `${glyphValue(key)}=${glyphValue(value)}`).join(" ");
}

function glyphValue(value) {
  if (value === null) return "_";
  if (typeof value === "boolean") return value ? "t" : "f";
  if (typeof value === "string") return GLYPH_BARE.test(value) ? value : writeJSON(value);
  if (Array.isArray(value)) return `[${value.map(glyphValue).join(" ")}]`;
  return value instanceof Map ? `{${glyphMembers(value)}}` : writeJSON(value);
}

const YAML_PLAIN = /^(?!(?:null|true|false|yes|no|on|off|y|n|~)$)[A-Za-z_](?:[A-Za-z0-9_./() -]*[A-Za-z0-9_./)])?$/i;
const YAML_LINES = /^[^\s\0-\x09\x0b-\x1f\x7f-\x9f][^\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]*[^\s]\n?$/;

function yaml(calls) {
  return yamlBlock(oneOrAll(calls.map(plain)), 0).join("\n");
}

/** Get the lines of a value that is an object or a list, as PyYAML lays them out. */
function yamlBlock(value, depth) {
  const indent = "  ".repeat(depth);
  if (value instanceof Map) {
    return [...value].flatMap(([key, part]) => yamlPair(`${indent}${yamlScalar(key)}:`, part, depth + (part instanceof Map ? 1 : 0)));
  }
  return value.flatMap((item) => {
    if (!isFilled(item)) return yamlPair(`${indent}-`, item, depth + 1);
    const [first, ...rest] = yamlBlock(item, depth + 1);
    return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
  });
}

const isFilled = (value) => (value instanceof Map ? value.size > 0 : Array.isArray(value) && value.length > 0);

function yamlPair(head, value, depth) {
  if (isFilled(value)) return [head, ...yamlBlock(value, depth)];
  if (typeof value === "string" && value.includes("\n") && YAML_LINES.test(value)) return [`${head} ${yamlLines(value, depth + 1)}`];
  return [`${head} ${yamlScalar(value)}`];
}

function yamlLines(text, depth) {
  const kept = text.endsWith("\n") ? text.slice(0, -1) : text;
  const body = kept.replace(/^(?!$)/gm, "  ".repeat(depth));
  return `|${text.endsWith("\n") ? "" : "-"}\n${body}`;
}

function yamlScalar(value) {
  if (typeof value === "string" && YAML_PLAIN.test(value)) return value;
  const written = writeJSON(value);
  return typeof value === "number" ? written.replace(/^(-?\d+)e/, "$1.0e") : written; // a number of YAML 1.1
}

const escapeXML = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const XML_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

function xml({ name, args }) {
  return `<call name="${escapeXML(name).replaceAll('"', "&quot;")}">${xmlMembers(args)}</call>`;
}

function xmlMembers(members) {
  return [...members].map(([key, value]) => xmlElement(key, value)).join("");
}

function xmlElement(key, value) {
  const [open, close] = XML_NAME.test(key)
    ? [key, key]
    : [`value key="${escapeXML(key).replaceAll('"', "&quot;")}"`, "value"];
  return `<${open}>${xmlContent(value)}</${close}>`;
}

function xmlContent(value) {
  if (typeof value === "string") return escapeXML(value);
  if (value instanceof Map) return xmlMembers(value);
  return Array.isArray(value) ? value.map((item) => xmlElement("item", item)).join("") : writeJSON(value);
}

/** A line of keys and a line of values, for each call: the keys of two calls are not the same. */
function csv({ name, args }) {
  const cells = [...args.values()].map((value) => (typeof value === "string" ? value : writeJSON(value)));
  return [["name", ...args.keys()], [name, ...cells]].map((row) => row.map(csvCell).join(",")).join("\n");
}

function csvCell(text) {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function valuesAlone({ name, args }) {
  const leaves = (value) => {
    if (value instanceof Map) return [...value.values()].flatMap(leaves);
    if (Array.isArray(value)) return value.flatMap(leaves);
    return [typeof value === "string" ? value : writeJSON(value)];
  };
  return [name, ...leaves(args)].join(" ");
}

// --- the table ------------------------------------------------------------------------------------

const named = (group, formats) => Object.entries(formats).map(([name, write]) => ({ name, group, write }));

export const FORMATS = [
  ...named("LTON", {
    "LTON wire": (calls, tools) => encode(calls, tools, "wire"),
    "LTON wire, aliases": aliased,
    "LTON keyed": (calls, tools) => encode(calls, tools, "keyed"),
    "LTON punctuated": (calls, tools) => encode(calls, tools, "punctuated"),
    "LTON tagged": (calls, tools) => encode(calls, tools, "tagged"),
  }),
  ...named("JSON", {
    [BASELINE]: (calls) => writeJSON(oneOrAll(calls.map(plain)), MINIFIED),
    "JSON spaced": (calls) => writeJSON(oneOrAll(calls.map(plain)), SPACED),
    "JSON args-only": (calls) => writeJSON(oneOrAll(calls.map(({ args }) => args))),
    "JSON double-encoded": doubleEncoded,
    "JSON positional array": jsonArray,
  }),
  ...named("rival", {
    "Python call": lines(pythonCall),
    TOON: (calls) => writeTOON(oneOrAll(calls.map(plain))),
    "TOON, name as key": (calls) => writeTOON(oneOrAll(calls.map(({ name, args }) => new Map([[name, args]])))),
    "TRON-like": lines(literals),
    "GLYPH-like": lines(glyph),
    YAML: yaml,
    XML: lines(xml),
    CSV: lines(csv),
  }),
  ...NATIVE.map(({ name, write }) => ({ name, group: "native", write })),
  ...named("floor", { "values alone": lines(valuesAlone) }),
];

/** Get the parts of a text: a format may give a string, or a list of strings and special tokens. */
export function partsOf(format, calls, tools) {
  const written = format.write(calls, tools);
  return Array.isArray(written) ? written : [written];
}

export function textOf(parts) {
  return parts.map((part) => part.special ?? part).join("");
}
