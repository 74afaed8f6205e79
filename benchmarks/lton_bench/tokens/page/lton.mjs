// A writer of LTON 0.1: calls and the layout of their tools to the canonical text of each form.
//
// Integers are BigInts, doubles Numbers, objects Maps. Section and rule numbers are the specification's.

import { escapeStep, parseJSON, spellDouble, writeJSON } from "./json.mjs";
import { ANY, isMap, PartError, typeOf } from "./schema.mjs";

const MAX_DEPTH = 64; // R-1101

const NAME = /^[A-Za-z0-9_./-]+$/;
const BARE = /^(?!s[0-9])[A-Za-z0-9./:@+*-][A-Za-z0-9_./:@+*-]*$/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const LINE_END = /[\n\r]/;
const FENCES = /(?:^|\n)(`{3,})/g;
const FORBIDDEN = /[\0\ud800-\udfff]/u;

/** Get the text of calls in a form: "wire", "keyed", "punctuated" or "tagged". */
export function encode(calls, tools, form) {
  let above = null;
  const lines = calls.map(({ name, args }) => {
    const members = tools.get(name).args;
    const repeats = form === "wire" && name === above;
    above = name;
    return writeCall(repeats ? "&" : spellName(name), args, members, form);
  });
  return lines.join("\n");
}

/** Get the text of calls in the map form, which needs no tools. */
export function encodeMaps(calls) {
  return calls.map(({ name, args }) => `${spellName(name)}{${joined(writePairs(args, ANY, "wire"), "wire")}}`).join("\n");
}

function writeCall(head, args, members, form) {
  if (form === "tagged") return `!call ${head}\n${writeTagged(args, members)}`;
  const words = writeMembers(args, members, form);
  if (form === "punctuated") return `${head}(${joined(words, form)})`;
  return words.length ? `${head} ${joined(words, form)}` : head;
}

// --- the order of members: R-413, R-409 -------------------------------------------------------------

/** Get the present names in the order of the layout; behind them, sorted, those not declared. */
function inOrder(values, members) {
  const declared = members.params.map((param) => param.name).filter((name) => values.has(name));
  const more = [...values.keys()].filter((name) => !members.byName.has(name));
  return [...declared, ...sorted(more)];
}

/** Get what is written by position, null for `_`, and the names written by key. */
function arrange(values, members) {
  let row = members.params.map((param) => (values.has(param.name) ? param : null));
  while (row.length && row.at(-1) === null) row.pop();
  const gap = row.indexOf(null);
  const run = gap < 0 ? row.length : gap;
  const absent = row.filter((param) => param === null).length;
  const late = row.slice(run).length - absent;
  if (absent > late) row = row.slice(0, run);
  const written = new Set(row.map((param) => param?.name));
  return { row, keyed: inOrder(values, members).filter((name) => !written.has(name)) };
}

/** Sort by scalar values, not by UTF-16 units. */
export function sorted(names) {
  const points = new Map(names.map((name) => [name, [...name].map((char) => char.codePointAt(0))]));
  return names.sort((one, other) => {
    const [a, b] = [points.get(one), points.get(other)];
    const at = a.findIndex((point, index) => point !== b[index]);
    return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
  });
}

// --- values, R-311 ---------------------------------------------------------------

function writeMembers(values, members, form) {
  const { row, keyed } = form === "wire" ? arrange(values, members) : { row: [], keyed: inOrder(values, members) };
  const words = row.map((param) => (param ? writeValue(values.get(param.name), param.type, form) : "_"));
  const pairs = keyed.map((name) => `${spellName(name)}=${writeValue(values.get(name), typeOf(members, name), form)}`);
  return [...words, ...pairs];
}

/** Get values in a row (§6): a comma stands after what is closed, unless a letter follows. */
function joined(words, form) {
  if (form === "punctuated") return words.join(", ");
  const separator = (before, word) => (/["'`)\]}]/.test(before.at(-1)) && !/^[A-Za-z]/.test(word) ? "," : " ");
  return words.map((word, index) => (index ? separator(words[index - 1], word) : "") + word).join("");
}

function writeValue(value, type, form) {
  if (typeof value === "string") return spellText(value, type, form);
  if (typeof value !== "object" || value === null) return spellScalar(value);
  if (Array.isArray(value)) {
    const items = type.array?.items ?? ANY;
    const table = form === "punctuated" ? null : writeTable(value, items, form);
    return `[${table ?? joined(value.map((item) => writeValue(item, items, form)), form)}]`;
  }
  const members = type.object ?? ANY.object;
  if (!isMap(members)) return `(${joined(writeMembers(value, members, form), form)})`;
  const keys = sorted([...value.keys()]);
  const values = keys.map((key) => value.get(key));
  const table = form === "punctuated" ? null : writeTable(values, members.extra, form, keys.map(spellName));
  return `{${table ?? joined(writePairs(value, members.extra, form), form)}}`;
}

function writePairs(values, type, form) {
  return sorted([...values.keys()]).map((key) => `${spellName(key)} ${writeValue(values.get(key), type, form)}`);
}

// --- tables, R-316 ---------------------------------------------------------------------------------

/** Get what stands between the brackets of a table; null where none is canonical. */
function writeTable(rows, type, form, names = []) {
  if (!type.object || !isMap(type.object) || !rows.every((row) => row instanceof Map)) return null;
  const keys = new Set(rows.flatMap((row) => [...row.keys()])).size;
  const present = rows.reduce((sum, row) => sum + row.size, 0);
  if (keys + (keys * rows.length - present) >= present) return null;
  const columns = tableColumns(rows, type.object.extra, form);
  const lines = rows.map((_, index) => {
    const cells = columns.flatMap((column) => column.cells.map((texts) => texts[index]));
    while (cells.at(-1) === "_") cells.pop();
    return joined([...names.slice(index, index + 1), ...cells], form);
  });
  return `(${joined(columns.map((column) => column.head), form)})${lines.join(";")}`;
}

/** Get the columns in their order: digits, then words, then what is in quotes or brackets. */
function tableColumns(rows, type, form) {
  const keys = sorted([...new Set(rows.flatMap((row) => [...row.keys()]))]);
  const columns = keys.map((key) => {
    const values = rows.map((row) => row.get(key));
    if (type.object && isMap(type.object) && areLike(values)) {
      const inner = tableColumns(values, type.object.extra, form);
      const head = `${spellName(key)}(${joined(inner.map((column) => column.head), form)})`;
      return { order: 2, head, cells: inner.flatMap((column) => column.cells) };
    }
    const texts = values.map((value) => (value === undefined ? "_" : writeValue(value, type, form)));
    return { order: orderOf(texts.filter((_, index) => values[index] !== undefined)), head: spellName(key), cells: [texts] };
  });
  return columns.sort((one, other) => one.order - other.order);
}

/** Say whether all are objects of the same keys, two or more. */
function areLike(values) {
  const [first] = values;
  if (!(first instanceof Map) || first.size < 2) return false;
  return values.every((value) => value instanceof Map && value.size === first.size && [...first.keys()].every((key) => value.has(key)));
}

function orderOf(texts) {
  if (texts.some((text) => "\"'`[({".includes(text[0]))) return 2;
  return texts.every((text) => "-0123456789".includes(text[0])) ? 0 : 1;
}

function spellScalar(value) {
  return typeof value === "number" ? spellNumber(value) : String(value);
}

/** no `+` and no leading zeros in an exponent. */
function spellNumber(double) {
  return spellDouble(double).replace(/e\+?(-?)0*/, "e$1");
}

export function spellName(name) {
  return NAME.test(name) ? name : (quoted(name) ?? fenced(name));
}

function spellText(text, type, form) {
  const isPunctuated = form === "punctuated";
  const labels = type.string?.values;
  if (BARE.test(text) && takesBare(text, type) && (labels || !isPunctuated)) return text;
  return quoted(text) ?? (isPunctuated ? fenced(text) : counted(text, "s"));
}

/** a bare word is a string where it spells no other kind that is allowed. */
function takesBare(word, type) {
  if (type.null && word === "null") return false;
  if (type.booleans.length && (word === "true" || word === "false")) return false;
  return !(type.number && NUMBER.test(word));
}

function quoted(text) {
  if (LINE_END.test(text)) return null;
  const quote = ['"', "'", "`"].find((each) => !text.includes(each));
  return quote ? quote + text + quote : null;
}

function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(FENCES)].map(([, fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return text.endsWith("\n") ? `${fence}+\n${text}${fence}` : `${fence}\n${text}\n${fence}`;
}

function counted(text, letter) {
  return `${letter}${[...text].length}:${text}`;
}

// --- the tagged form: R-501 to R-504 ----------------------------------------------------------------

function writeTagged(values, members) {
  const { row, keyed } = arrange(values, members);
  const atoms = row.map((param) => (param ? writeAtom(values.get(param.name), param.type) : "_"));
  const groups = atoms.length || !keyed.length ? [`(${atoms.join(" ")})`] : [];
  const pairs = keyed.map((name) => `(${taggedPair(name, values.get(name), typeOf(members, name))})`);
  return [...groups, ...pairs].join("\n");
}

function taggedPair(name, value, type) {
  const key = name === "n" || name === "_" ? `"${name}"` : spellName(name);
  return `${key} ${writeAtom(value, type ?? ANY)}`;
}

function writeAtom(value, type) {
  if (value === null) return "n";
  if (typeof value === "string") return counted(value, type.string?.values ? "e" : "s");
  if (typeof value === "boolean") return counted(String(value), "b");
  if (typeof value === "bigint") return counted(String(value), value >= 0n ? "u" : "i");
  if (typeof value === "number") return counted(spellNumber(value), "f");
  if (Array.isArray(value)) {
    const items = type.array?.items ?? ANY;
    return `[${value.map((item) => writeAtom(item, items)).join(" ")}]`;
  }
  const members = type.object ?? ANY.object;
  const pairs = inOrder(value, members).map((key) => taggedPair(key, value.get(key), typeOf(members, key)));
  return `{${pairs.join(" ")}}`;
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
  const tool = tools.get(name);
  if (!tool) throw new PartError(`no tool is called ${JSON.stringify(name)}`, `${pointer}/name`);
  const key = ["arguments", "parameters", "input"].find((each) => call.has(each));
  const at = key ? `${pointer}/${key}` : pointer;
  const args = argumentsOf(key ? call.get(key) : new Map(), at);
  checkMembers(args, tool.args, at, 0);
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

function checkMembers(values, members, at, depth) {
  for (const [name, value] of values) {
    const place = `${at}/${escapeStep(name)}`;
    const type = typeOf(members, name);
    if (FORBIDDEN.test(name)) throw new PartError("U+0000 or a lone surrogate in a name", place);
    if (!type) throw new PartError(`no parameter ${JSON.stringify(name)} is declared`, place);
    check(value, type, place, depth);
  }
  const missing = members.params.find((param) => param.required && !values.has(param.name));
  if (missing) throw new PartError(`${JSON.stringify(missing.name)} is required`, at);
}

/** the value is one of the type; bounds are checked as far as the layout has them. */
function check(value, type, at, depth) {
  const problem = refusal(value, type);
  if (problem) throw new PartError(`expected ${problem}`, at);
  if (typeof value === "string" && FORBIDDEN.test(value)) throw new PartError("U+0000 or a lone surrogate", at);
  if (typeof value !== "object" || value === null) return;
  if (depth >= MAX_DEPTH) throw new PartError(`nested deeper than ${MAX_DEPTH}`, at);
  if (Array.isArray(value)) value.forEach((item, index) => check(item, type.array.items, `${at}/${index}`, depth + 1));
  else checkMembers(value, type.object, at, depth + 1);
}

function refusal(value, type) {
  if (value === null) return type.null ? "" : nounOf(type);
  if (typeof value === "boolean") return type.booleans.includes(value) ? "" : nounOf(type);
  if (typeof value === "string") return type.string ? outside(type.string, value, [...value].length, "characters") : nounOf(type);
  if (Array.isArray(value)) return type.array ? outside(type.array, value, value.length, "items") : nounOf(type);
  if (value instanceof Map) return type.object ? "" : nounOf(type);
  if (!type.number) return nounOf(type);
  if (type.number.integer && !(typeof value === "bigint" || Number.isInteger(value))) return "an integer";
  return outside(type.number, value, value, "");
}

/** Say what was expected of a value that is not listed, or whose size is out of bounds. */
function outside(node, value, size, unit) {
  if (node.values && !node.values.some((each) => each === value || (unit === "" && each == value))) {
    return node.values.map((each) => writeJSON(each)).join(" or ");
  }
  if (size < node.min) return `at least ${node.min} ${unit}`.trim();
  if (size > node.max) return `at most ${node.max} ${unit}`.trim();
  if (size <= node.above) return `more than ${node.above}`;
  return size >= node.below ? `less than ${node.below}` : "";
}

function nounOf(type) {
  const nouns = [
    [type.string, type.string?.values ? type.string.values.map((value) => writeJSON(value)).join(" or ") : "a string"],
    [type.number, type.number?.integer ? "an integer" : "a number"],
    [type.array, "an array"],
    [type.object, "an object"],
    [type.booleans.length, type.booleans.join(" or ")],
    [type.null, "null"],
  ];
  return nouns.filter(([stands]) => stands).map(([, noun]) => noun).join(" or ") || "nothing";
}
