// Every way to write calls that the page shows: { name, group, write(calls, tools) }.

import { aliases } from "./aliases.mjs";
import { MINIFIED, PYTHON, SPACED, writeJSON } from "./json.mjs";
import { encode, encodeMaps, encodeRenamed } from "./lton.mjs";
import { isMap } from "./schema.mjs";
import { writeTOON } from "./toon.mjs";
import { writeYAML } from "./yaml.mjs";

export const BASELINE = "JSON minified";

const plain = ({ name, args }) => new Map([["name", name], ["arguments", args]]);
const oneOrAll = (values) => (values.length === 1 ? values[0] : values);
const lines = (write) => (calls, tools) => calls.map((call) => write(call, tools)).join("\n");

// --- LTON -----------------------------------------------------------------------------------------

const aliased = (calls, tools) => encodeRenamed(calls, tools, aliases([...tools.keys()]));
const lettered = (calls, tools) => encodeRenamed(calls, tools, letters([...tools.keys()]));

/** Names of one length, the shortest that does: a, b, … in the order of the tools. */
function letters(names) {
  const count = Math.ceil(Math.log(Math.max(names.length, 2)) / Math.log(26) - 1e-9);
  const letter = (index, place) => String.fromCharCode(97 + (Math.floor(index / 26 ** place) % 26));
  const spell = (index) => Array.from({ length: count }, (_, place) => letter(index, count - 1 - place)).join("");
  return new Map(names.map((name, index) => [name, spell(index)]));
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

const nameAndRow = ([open, close]) => (call, tools) => {
  const row = positional(call, tools);
  return row ? call.name + open + writeJSON(row).slice(1, -1) + close : writeJSON(plain(call));
};

// --- rivals ---------------------------------------------------------------------------------------

function pythonCall({ name, args }) {
  return `${name}(${[...args].map(([key, value]) => `${key}=${writeJSON(value, PYTHON)}`).join(", ")})`;
}

const GLYPH_WORD = /^(?!(?:t|f|true|false|null|none|_)$)[A-Za-z_][A-Za-z0-9_./-]*$/;

function glyph({ name, args }) {
  return name + glyphValue(args);
}

function glyphValue(value) {
  if (value instanceof Map) return `{${[...value].map(([key, part]) => `${key}=${glyphValue(part)}`).join(" ")}}`;
  if (Array.isArray(value)) return `[${value.map(glyphValue).join(" ")}]`;
  if (typeof value === "string" && GLYPH_WORD.test(value)) return value;
  return writeJSON(value, { ...MINIFIED, literals: ["_", "t", "f"] });
}

const XML_NAME = /^(?!xml)[A-Za-z_][A-Za-z0-9_.-]*$/i;
const escapeXML = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function element(tag, value) {
  const [open, close] = XML_NAME.test(tag) ? [tag, tag] : [`arg name=${attribute(tag)}`, "arg"];
  return `<${open}>${content(value)}</${close}>`;
}

function content(value) {
  if (value instanceof Map) return [...value].map(([key, part]) => element(key, part)).join("");
  if (Array.isArray(value)) return value.map((item) => element("item", item)).join("");
  return escapeXML(typeof value === "string" ? value : writeJSON(value)).replaceAll("\r", "&#13;");
}

function attribute(text) {
  const escaped = escapeXML(text).replaceAll("\n", "&#10;").replaceAll("\r", "&#13;").replaceAll("\t", "&#9;");
  if (!escaped.includes('"')) return `"${escaped}"`;
  return escaped.includes("'") ? `"${escaped.replaceAll('"', "&quot;")}"` : `'${escaped}'`;
}

function csv(call, tools) {
  const row = positional(call, tools);
  return row ? [call.name, ...row].map(cell).join(",") : writeJSON(plain(call));
}

function cell(value) {
  if (value === null) return "";
  const text = typeof value === "string" ? value : writeJSON(value);
  return text && !/[",\r\n]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

// --- the floor ------------------------------------------------------------------------------------

function leaves(value) {
  if (value instanceof Map) return [...value.values()].flatMap(leaves);
  if (Array.isArray(value)) return value.flatMap(leaves);
  return [typeof value === "string" ? value : writeJSON(value)];
}

// --- the table ------------------------------------------------------------------------------------

const named = (group, formats) => Object.entries(formats).map(([name, write]) => ({ name, group, write }));

export const FORMATS = [
  ...named("LTON", {
    "LTON wire": (calls, tools) => encode(calls, tools, "wire"),
    "LTON keyed": (calls, tools) => encode(calls, tools, "keyed"),
    "LTON punctuated": (calls, tools) => encode(calls, tools, "punctuated"),
    "LTON map": encodeMaps,
    "LTON tagged": (calls, tools) => encode(calls, tools, "tagged"),
    "LTON wire, aliases": aliased,
    "LTON wire, letters": lettered,
    "LTON wire, sigil": lines((call, tools) => `!call ${encode([call], tools, "wire")}`),
  }),
  ...named("JSON", {
    [BASELINE]: (calls) => writeJSON(oneOrAll(calls.map(plain)), MINIFIED),
    "JSON spaced": (calls) => writeJSON(oneOrAll(calls.map(plain)), SPACED),
    "JSON arguments only": (calls) => writeJSON(oneOrAll(calls.map(({ args }) => args))),
    "JSON double-encoded": doubleEncoded,
    "JSON array": jsonArray,
    "JSON name and array": lines(nameAndRow("[]")),
  }),
  ...named("rival", {
    TOON: (calls) => writeTOON(oneOrAll(calls.map(plain))),
    "TOON by name": (calls) => writeTOON(oneOrAll(calls.map(({ name, args }) => new Map([[name, args]])))),
    "TRON-like": lines(nameAndRow("()")),
    YAML: (calls) => writeYAML(oneOrAll(calls.map(plain))),
    XML: lines(({ name, args }) => element(name, args)),
    CSV: lines(csv),
    "Python call": lines(pythonCall),
    "GLYPH-like": lines(glyph),
  }),
  ...named("floor", {
    "values and name": lines(({ name, args }) => [name, ...leaves(args)].join(" ")),
    values: lines(({ args }) => leaves(args).join(" ")),
  }),
];
