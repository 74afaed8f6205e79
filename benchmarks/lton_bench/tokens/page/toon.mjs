// TOON as the package toon-format 1.2.0 writes it (its specification 4.4), with commas and two spaces.

import { digitsOf, spellPlain } from "./json.mjs";

const KEY = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const STRUCTURAL = /[:"\\[\]{},\u0000-\u001f]/;
const NUMERIC = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const ESCAPES = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escapeOf = (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Get the TOON text of an object or an array. */
export function writeTOON(value) {
  const lines = Array.isArray(value) ? array("", value, 0, true) : keyedOr("", value, 0, () => fields(value, 0));
  return lines.join("\n");
}

const isScalar = (value) => value === null || typeof value !== "object";
const indent = (depth, text) => "  ".repeat(depth) + text;
const quote = (text) => `"${text.replace(/[\\"\u0000-\u001f]/g, escapeOf)}"`;
const spellKey = (key) => (KEY.test(key) ? key : quote(key));

function scalar(value) {
  if (typeof value === "number") return double(value);
  if (typeof value !== "string") return String(value);
  const needsQuotes =
    value === "" ||
    /^[ \t\-#]|[ \t]$/.test(value) ||
    ["true", "false", "null"].includes(value) ||
    STRUCTURAL.test(value) ||
    NUMERIC.test(value);
  return needsQuotes ? quote(value) : value;
}

function double(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const parts = digitsOf(value);
  const { sign, digits, exponent } = parts;
  if (exponent >= -6 && exponent < 21) return spellPlain(parts);
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

// --- tables: the fields that all objects of a list have -------------------------------------------

/** Get the fields of uniform objects, each a leaf or a group of fields; null if they differ. */
function shapeOf(objects) {
  if (!objects.every((each) => each instanceof Map && each.size)) return null;
  const keys = [...objects[0].keys()];
  if (!objects.every((each) => each.size === keys.length && keys.every((key) => each.has(key)))) return null;
  const shape = [];
  for (const key of keys) {
    const column = objects.map((each) => each.get(key));
    const nested = column.every(isScalar) ? [] : shapeOf(column);
    if (!nested) return null;
    shape.push({ key, nested });
  }
  return shape;
}

const header = (shape) => `{${shape.map(({ key, nested }) => spellKey(key) + (nested.length ? header(nested) : "")).join(",")}}`;

const leaves = (object, shape) =>
  shape.flatMap(({ key, nested }) => (nested.length ? leaves(object.get(key), nested) : [scalar(object.get(key))]));

// --- lines ----------------------------------------------------------------------------------------

/** An object of uniform objects is a table with keys; other objects are for `otherwise`. */
function keyedOr(key, object, depth, otherwise) {
  const shape = object.size < 2 ? null : shapeOf([...object.values()]);
  if (!shape) return otherwise();
  const rows = [...object].map(([entry, value]) => indent(depth + 1, `${spellKey(entry)}: ${leaves(value, shape).join(",")}`));
  return [indent(depth, `${key}[${object.size}:]${header(shape)}:`), ...rows];
}

function fields(object, depth) {
  return [...object].flatMap(([key, value]) => field(spellKey(key), value, depth));
}

function field(key, value, depth) {
  if (isScalar(value)) return [indent(depth, `${key}: ${scalar(value)}`)];
  if (!Array.isArray(value)) return keyedOr(key, value, depth, () => [indent(depth, `${key}:`), ...fields(value, depth + 1)]);
  return value.length ? array(key, value, depth, true) : [indent(depth, `${key}: []`)];
}

function array(prefix, items, depth, mayBeTable) {
  if (!items.length) return [indent(depth, "[]")];
  const head = `${prefix}[${items.length}]`;
  if (items.every(isScalar)) return [indent(depth, `${head}: ${items.map(scalar).join(",")}`)];
  const shape = mayBeTable ? shapeOf(items) : null;
  if (!shape) return [indent(depth, `${head}:`), ...items.flatMap((item) => listItem(item, depth + 1))];
  return [
    indent(depth, `${head}${header(shape)}:`),
    ...items.map((item) => indent(depth + 1, leaves(item, shape).join(","))),
  ];
}

function listItem(value, depth) {
  if (isScalar(value)) return [indent(depth, `- ${scalar(value)}`)];
  if (Array.isArray(value)) return value.length ? array("- ", value, depth, false) : [indent(depth, "- [0]:")];
  if (!value.size) return [indent(depth, "-")];
  const [first, ...rest] = fields(value, depth + 1);
  return [indent(depth, `- ${first.slice(2 * (depth + 1))}`), ...rest];
}
