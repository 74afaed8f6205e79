// A reader of what needs no tools, LTON's map form (spec §4.7) and its tagged form (§5), written from
// the specification.
//
//     import { decode } from "./reader.mjs";
//     decode("wait{minutes 5}");  // [{ name: "wait", arguments: Map { "minutes" => 5n } }]
//     decode("!call wait\n(minutes u1:5)");  // the same
//
// Integers are BigInts and doubles are Numbers, so 1 and 1.0 stay apart; objects are Maps,
// so any key may stand in them. Every other form needs tools, and is refused with E212.

const MAX_DEPTH = 64; // R-1101
const MAX_NUMBER = 4096; // R-1102, characters
const MAX_LENGTH_DIGITS = 15; // R-1103

const SIGILS = ["!call ", "!result ", "!error ", "!error: "];
const NAME = /[A-Za-z0-9_./-]+/y;
const QUOTED = { '"': /"([^"\n\r]*)("?)/y, "'": /'([^'\n\r]*)('?)/y, "`": /`([^`\n\r]*)(`?)/y };
const FENCE = /`+/y;
const FINGERPRINT = /#([0-9a-f]{0,8})/y;
const SEPARATOR = / *, *| +/y;
const ATOM = /([suifbe])([0-9]+)(:?)/y;
const COUNTED = /(s)([0-9]+)(:?)/y;
const WORD = /[A-Za-z0-9_./:@+*-]+/y;
const LITERALS = new Map([["null", null], ["true", true], ["false", false]]);
const NULL = /n(?![A-Za-z0-9_./-])/y;
const VALUE = /[[{]|[suifbe][0-9]+:|[n_](?=[ ,)])/y; // no key begins like one of these
const FORBIDDEN = /[\0\ud800-\udfff]/u; // R-202; with `u`, the halves of a pair do not match
const NATURAL = /^(0|[1-9][0-9]*)$/;
const INTEGER = /^(0|-?[1-9][0-9]*)$/;
const DOUBLE = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** What is wrong with a text: a code of §9, and its position in Unicode scalar values. */
export class DecodeError extends Error {
  constructor(code, pos, message) {
    super(`${message} (position ${pos}) [${code}]`);
    Object.assign(this, { name: "DecodeError", code, pos });
  }
}

/** Get the calls of a text: `{ name, arguments }`. Throws a `DecodeError` at the first error. */
export function decode(text) {
  return new Reader(text).calls();
}

/** Reads from `pos` on. It counts UTF-16 units, as strings do; only errors count scalar values. */
class Reader {
  constructor(text) {
    this.text = text;
    this.pos = 0;
  }

  // --- calls, R-501 -----------------------------------------------------------

  calls() {
    const calls = [];
    while (this.pos < this.text.length) {
      calls.push(this.call(calls.length > 0));
      if (this.pos < this.text.length) this.expect("\n", "the end of the line");
    }
    return calls;
  }

  call(hasCallAbove) {
    const start = this.pos;
    const hasSigil = this.skip(SIGILS[0]);
    if (SIGILS.slice(1).some((sigil) => this.sees(sigil))) throw this.error("E213", start, "an answer");
    if (SIGILS.some((sigil) => sigil.startsWith(this.text.slice(start)))) this.pos = this.text.length; // cut off
    if (!hasSigil && this.sees("!")) throw this.unexpected("a call");
    if (!hasSigil && this.sees("&")) throw this.error(hasCallAbove ? "E212" : "E211", start, "no call to repeat");
    const nameStart = this.pos;
    const name = this.name("the name of a tool");
    if (!name) throw this.error("E101", nameStart, "the name of a tool is not empty");
    if (this.match(FINGERPRINT)?.[1].length < 8) throw this.unexpected("a hexadecimal digit");
    if (hasSigil && this.skip("\n(")) return { name, arguments: this.groups() };
    if (this.sees("{")) return { name, arguments: this.map(0, this.anyValue) };
    if (!this.atEnd() && !"\n (".includes(this.text[this.pos])) throw this.unexpected("arguments");
    throw this.error("E212", start, "without tools, only the map form and the tagged form can be read");
  }

  groups() {
    const values = new Map();
    if (!this.skip(")")) {
      if (this.peek(VALUE)) throw this.error("E212", this.pos, "without tools, every argument needs its key");
      this.group(values);
    }
    while (this.skip("\n(")) this.group(values);
    return values;
  }

  group(values) {
    const start = this.pair(values, 0);
    if (!this.skip(")")) throw this.unexpectedBehind(start, "')'");
  }

  // --- values. What reads a value tells where it began -----------------------------

  value(depth) {
    const start = this.pos;
    if (this.match(NULL)) return { start, value: null };
    if (!this.sees("[") && !this.sees("{")) return { start, value: this.atom() };
    if (depth === MAX_DEPTH) throw this.error("E301", start, `nested deeper than ${MAX_DEPTH}`);
    return { start, value: this.sees("[") ? this.array(depth + 1) : this.map(depth + 1) };
  }

  array(depth, read = this.value) {
    const items = [];
    this.sequence("]", () => {
      const { start, value } = read.call(this, depth);
      items.push(value);
      return start;
    });
    return items;
  }

  map(depth, read = this.value) {
    const values = new Map();
    this.sequence("}", () => this.pair(values, depth, read));
    return values;
  }

  sequence(closer, readOne) {
    this.pos += 1;
    while (!this.skip(closer)) {
      const start = readOne();
      if (this.sees(closer)) continue;
      if (!this.match(SEPARATOR)) throw this.unexpectedBehind(start, `a space or '${closer}'`);
      if (this.sees(closer)) throw this.unexpected("another value after the separator");
    }
  }

  pair(values, depth, read = this.value) {
    const key = this.newKey(values);
    this.expect(" ", "a space after the key");
    const { start, value } = read.call(this, depth);
    values.set(key, value);
    return start;
  }

  newKey(values) {
    const start = this.pos;
    const key = this.name("a key");
    if (values.has(key)) throw this.error("E206", start, "a key is given twice");
    return key;
  }

  // --- values without a schema, R-431 ----------------------------------------------

  anyValue(depth) {
    const start = this.pos;
    const isCounted = this.peek(COUNTED);
    if (!"[{(".includes(this.text[start] || " ")) return { start: isCounted ? start : null, value: this.scalar() };
    if (depth === MAX_DEPTH) throw this.error("E301", start, `nested deeper than ${MAX_DEPTH}`);
    if (this.sees("(")) throw this.error("E203", start, "objects are maps here");
    const isArray = this.sees("[");
    if (this.text[start + 1] === "(") return { start, value: isArray ? this.rows(depth + 1) : this.keyedRows(depth + 1) };
    return { start, value: isArray ? this.array(depth + 1, this.anyValue) : this.map(depth + 1, this.anyValue) };
  }

  scalar() {
    const start = this.pos;
    if (this.text[start] in QUOTED) return this.name("a value");
    if (this.peek(COUNTED)) return this.take(this.length(COUNTED));
    const [word] = this.match(WORD) ?? [];
    if (!word) throw this.unexpected("a value");
    if (LITERALS.has(word)) return LITERALS.get(word);
    if (DOUBLE.test(word)) return this.number(word, start);
    if (word.startsWith("_")) throw this.error("E101", start, "such a word is quoted");
    return word;
  }

  number(word, start) {
    if (word.length > MAX_NUMBER) throw this.error("E302", start, `a number of more than ${MAX_NUMBER} characters`);
    const value = valueOf(/[.eE]/.test(word) ? "f" : "i", word);
    if (value === undefined) throw this.error("E105", start, "an integer or a finite double");
    return value;
  }

  // --- tables: R-314, R-315 ------------------------------------------------------------------------

  rows(depth) {
    const items = [];
    this.table("]", depth, () => (row) => items.push(row));
    return items;
  }

  keyedRows(depth) {
    const values = new Map();
    this.table("}", depth, () => {
      const key = this.newKey(values);
      if (!this.endsRow("}")) this.separator(null, "}", true);
      return (row) => values.set(key, row);
    });
    return values;
  }

  /** Read the header and the rows; `begin` reads what comes before a row's cells, and gives what keeps it. */
  table(closer, depth, begin) {
    this.pos += 1;
    const cells = cellsOf(this.header(depth));
    const needed = cells.findLastIndex((keys) => keys.length > 1) + 1;
    for (let isFirst = true; isFirst || this.skip(";"); isFirst = false) {
      const keep = begin();
      if (closer === "]" && isFirst && this.sees(closer)) throw this.unexpected("a row");
      keep(this.row(cells, needed, closer, depth));
    }
    this.expect(closer, "the end of the table");
  }

  header(depth, fewest = 1) {
    if (depth === MAX_DEPTH) throw this.error("E301", this.pos, `nested deeper than ${MAX_DEPTH}`);
    const columns = new Map();
    this.sequence(")", () => {
      const key = this.newKey(columns);
      columns.set(key, this.sees("(") ? this.header(depth + 1, 2) : null);
      return null; // a key is not counted
    });
    this.pos -= 1;
    if (columns.size < fewest) throw this.unexpected("a key");
    this.pos += 1;
    return columns;
  }

  row(cells, needed, closer, depth) {
    const row = new Map();
    let count = 0;
    for (; !this.endsRow(closer); count += 1) {
      if (count === cells.length && !this.atEnd() && !" ,;)]}\n".includes(this.text[this.pos])) {
        throw this.error("E207", this.pos, "more values than columns");
      }
      const start = this.cell(row, cells[count], depth);
      if (!this.endsRow(closer)) this.separator(start, closer, count + 1 < cells.length);
    }
    if (count < needed) throw this.error("E205", this.pos, "a value that every row has");
    return row;
  }

  cell(row, keys, depth) {
    if (!keys) throw this.unexpected("the end of the row");
    if (this.peek(WORD)?.[0] === "_") {
      if (keys.length > 1) throw this.error("E210", this.pos, "every row has this column");
      this.pos += 1;
      return null;
    }
    const { start, value } = this.anyValue(depth + keys.length);
    const inner = keys.slice(0, -1).reduce((map, key) => map.get(key) ?? map.set(key, new Map()).get(key), row);
    inner.set(keys.at(-1), value);
    return start;
  }

  separator(start, closer, hasRoom) {
    if (!this.match(SEPARATOR)) throw this.unexpectedBehind(start, `a space or '${closer}'`);
    if (this.atEnd() && !hasRoom) throw this.error("E207", this.pos, "no column is left");
    if (this.endsRow(closer)) throw this.unexpected("another value after the separator");
  }

  endsRow(closer) {
    return this.sees(closer) || this.sees(";");
  }

  // --- atoms: R-307, R-502 -----------------------------------------------------------------------

  atom() {
    const start = this.pos;
    if (!this.peek(ATOM)) {
      this.match(/[suifbe]$/y); // more text could make an atom of it
      throw this.unexpected("a value with its kind");
    }
    const letter = this.text[start];
    const length = this.length(ATOM);
    if ("uif".includes(letter) && length > MAX_NUMBER) {
      throw this.error("E302", start, `a number of more than ${MAX_NUMBER} characters`);
    }
    const payload = this.take(length);
    const value = valueOf(letter, payload);
    if (value === undefined) throw this.error("E109", start, `${letter} has no such value`);
    return value;
  }

  length(head) {
    const start = this.pos;
    const [, , digits, colon] = this.match(head);
    if (digits.length > MAX_LENGTH_DIGITS || !NATURAL.test(digits)) {
      throw this.error("E104", start, "the length is not written as one");
    }
    if (!colon) throw this.unexpected("a colon after the length");
    return Number(digits);
  }

  take(count) {
    const start = this.pos;
    for (; count > 0 && !this.atEnd(); count -= 1) this.pos += this.text.codePointAt(this.pos) > 0xffff ? 2 : 1;
    this.refuseForbidden(start, this.pos);
    if (count > 0) throw this.unexpected("more of a counted text");
    return this.text.slice(start, this.pos);
  }

  // --- names, R-308 -----------------------------------------------------------------

  name(what) {
    const start = this.pos;
    if (this.text[start] in QUOTED && !this.sees("``")) {
      const [, text, closing] = this.match(QUOTED[this.text[start]]);
      this.refuseForbidden(start, this.pos);
      if (closing) return text;
      if (this.atEnd()) throw this.unexpected("a closing quote");
      throw this.error("E102", start, "no closing quote on the line");
    }
    if (this.sees("`")) return this.fenced();
    const bare = this.match(NAME);
    if (!bare) throw this.unexpected(what);
    return bare[0];
  }

  fenced() {
    const [fence] = this.match(FENCE);
    if (fence.length < 3 || this.atEnd()) throw this.unexpected("a fence and a newline");
    const keeps = this.skip("+");
    if (this.atEnd()) throw this.unexpected("a newline");
    if (!this.sees("\n")) {
      const error = this.unexpected("a newline");
      throw error.code === "E108" ? error : this.error("E106", this.pos, "a fence is followed by a newline");
    }
    const start = this.pos + 1;
    const close = this.text.indexOf(`\n${fence}`, this.pos); // at once, if the text is empty
    this.pos = close < 0 ? this.text.length : close;
    this.refuseForbidden(start, this.pos);
    if (close < 0) throw this.unexpected("a line that ends the fence");
    this.pos += 1 + fence.length;
    return this.text.slice(start, keeps ? close + 1 : close);
  }

  // --- characters and errors -------------------------------------------------------------------

  atEnd() {
    return this.pos >= this.text.length;
  }

  sees(text) {
    return this.text.startsWith(text, this.pos);
  }

  skip(text) {
    if (!this.sees(text)) return false;
    this.pos += text.length;
    return true;
  }

  peek(pattern, pos = this.pos) {
    pattern.lastIndex = pos;
    return pattern.exec(this.text);
  }

  match(pattern) {
    const match = this.peek(pattern);
    if (match) this.pos += match[0].length;
    return match;
  }

  expect(text, what) {
    if (!this.skip(text)) throw this.unexpected(what);
  }

  refuseForbidden(start, end) {
    const index = this.text.slice(start, end).search(FORBIDDEN);
    if (index >= 0) throw this.error("E108", start + index, "U+0000 or a lone surrogate");
  }

  error(code, pos, message) {
    return new DecodeError(code, [...this.text.slice(0, pos)].length, message);
  }

  unexpected(what) {
    if (this.atEnd()) return this.error("E110", this.text.length, `the text ends before ${what}`);
    const [found] = this.text.slice(this.pos, this.pos + 2);
    return this.error(FORBIDDEN.test(found) ? "E108" : "E101", this.pos, `expected ${what}`);
  }

  /** what cannot follow a value says, if that was counted, that the length is wrong. */
  unexpectedBehind(start, what) {
    const error = this.unexpected(what);
    const isCounted = start !== null && this.peek(ATOM, start)?.[3] && !this.peek(SEPARATOR);
    return isCounted && error.code === "E101" ? this.error("E103", this.pos, "the length is wrong") : error;
  }
}

/** Get the keys from a row down to each of its cells. */
function cellsOf(columns) {
  return [...columns].flatMap(([key, inner]) => (inner ? cellsOf(inner).map((keys) => [key, ...keys]) : [[key]]));
}

/** get the value of a payload; undefined if its letter does not allow it. */
function valueOf(letter, payload) {
  if ("se".includes(letter)) return payload;
  if (letter === "b") return payload === "true" || (payload === "false" ? false : undefined);
  if (letter === "f") {
    const value = DOUBLE.test(payload) ? Number(payload) : Infinity;
    return Number.isFinite(value) ? value : undefined;
  }
  return (letter === "u" ? NATURAL : INTEGER).test(payload) ? BigInt(payload) : undefined;
}
