// YAML in block style, as PyYAML writes it without wrapping lines: texts with lines stand as they are.
// (But for what holds U+0085, U+2028 or U+2029: PyYAML breaks lines there, and this does not.)

import { spellDouble } from "./json.mjs";

// What a bare word would be read as, if not as a string (YAML 1.1).
const OTHER_KINDS = new RegExp(
  "^(?:|~|null|Null|NULL|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)|=|<<" +
    "|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF" +
    "|[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+" +
    "|[-+]?(?:[0-9][0-9_]*)\\.[0-9_]*(?:[eE][-+][0-9]+)?|\\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?" +
    "|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*" +
    "|[0-9]{4}-[0-9]{2}-[0-9]{2}" +
    "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \\t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?(?:[ \\t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$",
);
const INDICATORS = /^[#,[\]{}&*!|>'"%@`]|^[?:-](?:[\s\0]|$)|^(?:---|\.\.\.)|:(?:\s|$)|\s#/;
const UNPRINTABLE = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10fffe}]|\ufeff/u;
const BREAK = /[\n\x85\u2028\u2029]/;

const ESCAPED = /[^\x20\x21\x23-\x5b\x5d-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;
const ESCAPES = { "\0": "0", "\x07": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e" };
Object.assign(ESCAPES, { '"': '"', "\\": "\\", "\x85": "N", "\xa0": "_", "\u2028": "L", "\u2029": "P" });

function escapeOf(char) {
  const code = char.codePointAt(0);
  const hex = (width) => code.toString(16).toUpperCase().padStart(width, "0");
  return `\\${ESCAPES[char] ?? (code < 0x100 ? `x${hex(2)}` : code < 0x10000 ? `u${hex(4)}` : `U${hex(8)}`)}`;
}

/** Get the text of an object or an array. */
export function writeYAML(value) {
  const lines = block(value, 0);
  const text = lines.join("\n");
  if (!/[:-] \|[0-9+]*\n/.test(text)) return text;
  return /\n$/.test(text) ? `${text}\n...\n` : `${text}\n`; // the line end of a text in a block is its own
}

const isFilled = (value) => (value instanceof Map ? value.size > 0 : Array.isArray(value) && value.length > 0);

/** Get the lines of an object or an array that is not empty. */
function block(value, depth) {
  const indent = "  ".repeat(depth);
  if (!(value instanceof Map)) return value.flatMap((item) => listItem(item, depth));
  return [...value].flatMap(([key, part]) => pair(`${indent}${word(key)}:`, part, depth));
}

function pair(head, part, depth) {
  if (!isFilled(part)) return [`${head} ${scalar(part, depth + 1)}`];
  return [head, ...block(part, part instanceof Map ? depth + 1 : depth)];
}

function listItem(item, depth) {
  const indent = "  ".repeat(depth);
  if (!isFilled(item)) return [`${indent}- ${scalar(item, depth + 1)}`];
  const [first, ...rest] = block(item, depth + 1);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

function scalar(value, depth) {
  if (value instanceof Map) return "{}";
  if (Array.isArray(value)) return "[]";
  if (typeof value === "number") return spellDouble(value).replace(/^(-?\d+)e/, "$1.0e");
  if (typeof value !== "string") return String(value);
  return value.includes("\n") && !UNPRINTABLE.test(value) && !/ \n| $/.test(value) ? lined(value, depth) : word(value);
}

/** A text behind `|`: a digit says where it begins, if that is not clear; a sign, how it ends. */
function lined(text, depth) {
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const end = text.endsWith("\n") ? (/(^|\n)\n$/.test(text) ? "+" : "") : "-";
  const kept = text.endsWith("\n") ? text.slice(0, -1) : text;
  const body = kept.split("\n").map((line) => (line ? "  ".repeat(depth) + line : line));
  return `|${hint}${end}\n${body.join("\n")}`;
}

/** A text on one line: bare, in single quotes, or, where something needs an escape, in double ones. */
function word(text) {
  if (UNPRINTABLE.test(text) || BREAK.test(text)) return `"${text.replace(ESCAPED, escapeOf)}"`;
  const isPlain = !OTHER_KINDS.test(text) && !INDICATORS.test(text) && !/^\s|\s$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}
