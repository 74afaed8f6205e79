// A reader of LTON's tagged form (spec §5) that needs no tools, written from the specification.
//
//     import { decode } from "./reader.mjs";
//     decode("!call wait\n(minutes u1:5)");  // [{ name: "wait", arguments: Map { "minutes" => 5n } }]
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
    if (!this.atEnd() && !"\n (".includes(this.text[this.pos])) throw this.unexpected("arguments");
    throw this.error("E212", start, "without tools, only the tagged form can be read");
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

  array(depth) {
    const items = [];
    this.sequence("]", () => {
      const { start, value } = this.value(depth);
      items.push(value);
      return start;
    });
    return items;
  }

  map(depth) {
    const values = new Map();
    this.sequence("}", () => this.pair(values, depth));
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

  pair(values, depth) {
    const keyStart = this.pos;
    const key = this.name("a key");
    if (values.has(key)) throw this.error("E206", keyStart, "a key is given twice");
    this.expect(" ", "a space after the key");
    const { start, value } = this.value(depth);
    values.set(key, value);
    return start;
  }

  // --- atoms: R-307, R-502 -----------------------------------------------------------------------

  atom() {
    const start = this.pos;
    const head = this.match(ATOM);
    if (!head) {
      this.match(/[suifbe]$/y); // more text could make an atom of it
      throw this.unexpected("a value with its kind");
    }
    const [, letter, digits, colon] = head;
    if (digits.length > MAX_LENGTH_DIGITS || !NATURAL.test(digits)) {
      throw this.error("E104", start, "the length is not written as one");
    }
    if (!colon) throw this.unexpected("a colon after the length");
    if ("uif".includes(letter) && Number(digits) > MAX_NUMBER) {
      throw this.error("E302", start, `a number of more than ${MAX_NUMBER} characters`);
    }
    const payload = this.take(Number(digits));
    const value = valueOf(letter, payload);
    if (value === undefined) throw this.error("E109", start, `${letter} has no such value`);
    return value;
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
    if (!this.sees("\n")) throw this.error("E106", this.pos, "a fence is followed by a newline");
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
    const isCounted = this.peek(ATOM, start) && !this.peek(SEPARATOR);
    return isCounted && error.code === "E101" ? this.error("E103", this.pos, "the length is wrong") : error;
  }
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
