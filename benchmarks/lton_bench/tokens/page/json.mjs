// JSON with its positions: where each value stands, and where a text stops being JSON.
//
// Integers are BigInts and doubles are Numbers, so that 1 and 1.0 stay apart; objects are Maps.

const MAX_DEPTH = 200;
const MAX_DIGITS = 4096; // LTON's own limit (R-1102)

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const LITERALS = { true: true, false: false, null: null };

/** What is wrong with a text, at a position in it (in UTF-16 units, as a text field counts). */
export class TextError extends Error {
  constructor(message, pos) {
    super(message);
    this.pos = pos;
  }
}

/** Get the value of a JSON text, and the position of each value in it by its JSON Pointer. */
export function parseJSON(text) {
  const reader = new Reader(text);
  const value = reader.value("", 0);
  if (reader.pos < text.length) throw reader.unexpected("the end of the text");
  return { value, positions: reader.positions };
}

/** The same of a JSON text, or else of one on each line, as a list. */
export function parseLines(text) {
  try {
    return parseJSON(text);
  } catch (error) {
    const found = linesOf(text);
    if (!(error instanceof TextError) || found.length < 2 || !isJSON(found[0].line)) throw error;
    return together(found);
  }
}

function linesOf(text) {
  let at = 0;
  const lines = text.split("\n").map((line) => ({ line, at: (at += line.length + 1) - line.length - 1 }));
  return lines.filter(({ line }) => line.trim());
}

function isJSON(text) {
  try {
    return Boolean(parseJSON(text));
  } catch {
    return false;
  }
}

function together(lines) {
  const positions = new Map([["", 0]]);
  const value = lines.map(({ line, at }, index) => {
    try {
      const parsed = parseJSON(line);
      for (const [pointer, pos] of parsed.positions) positions.set(`/${index}${pointer}`, at + pos);
      return parsed.value;
    } catch (error) {
      throw error instanceof TextError ? new TextError(error.message, at + error.pos) : error;
    }
  });
  return { value, positions };
}

class Reader {
  constructor(text) {
    this.text = text;
    this.pos = 0;
    this.positions = new Map();
  }

  value(pointer, depth) {
    this.match(SPACE);
    this.positions.set(pointer, this.pos);
    if (depth > MAX_DEPTH) throw new TextError(`nested deeper than ${MAX_DEPTH}`, this.pos);
    const value = this.scalar() ?? this.group(pointer, depth);
    this.match(SPACE);
    return value.of;
  }

  /** A value in a box, because null is one; or nothing, where none stands. */
  scalar() {
    const start = this.pos;
    const text = this.match(STRING);
    if (text) return { of: JSON.parse(text[0]) };
    const number = this.match(NUMBER);
    if (number) return { of: this.number(number, start) };
    const literal = this.match(LITERAL);
    return literal ? { of: LITERALS[literal[0]] } : null;
  }

  number([digits, fraction, exponent], start) {
    if (digits.length > MAX_DIGITS) throw new TextError(`a number of more than ${MAX_DIGITS} digits`, start);
    if (!fraction && !exponent) return BigInt(digits);
    if (!Number.isFinite(Number(digits))) throw new TextError("a number that is larger than every double", start);
    return Number(digits);
  }

  group(pointer, depth) {
    if (this.skip("[")) return { of: this.array(pointer, depth + 1) };
    if (this.skip("{")) return { of: this.object(pointer, depth + 1) };
    if (this.text[this.pos] === '"') throw this.brokenString();
    throw this.unexpected("a value");
  }

  array(pointer, depth) {
    const items = [];
    this.match(SPACE);
    if (this.skip("]")) return items;
    do items.push(this.value(`${pointer}/${items.length}`, depth));
    while (this.skip(","));
    if (!this.skip("]")) throw this.unexpected("a comma or ]");
    return items;
  }

  object(pointer, depth) {
    const members = new Map();
    this.match(SPACE);
    if (this.skip("}")) return members;
    do {
      this.match(SPACE);
      const start = this.pos;
      const key = this.match(STRING);
      if (!key) throw this.text[start] === '"' ? this.brokenString() : this.unexpected("a key in double quotes");
      const name = JSON.parse(key[0]);
      if (members.has(name)) throw new TextError(`the key ${key[0]} is given twice`, start);
      this.match(SPACE);
      if (!this.skip(":")) throw this.unexpected("a colon");
      members.set(name, this.value(`${pointer}/${escapeStep(name)}`, depth));
    } while (this.skip(","));
    if (!this.skip("}")) throw this.unexpected("a comma or }");
    return members;
  }

  brokenString() {
    const [read] = matchAt(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y, this.text, this.pos);
    this.pos += read.length;
    return this.unexpected(this.text[this.pos] === "\\" ? "an escape of JSON" : "a closing quote");
  }

  skip(mark) {
    if (this.text[this.pos] !== mark) return false;
    this.pos += mark.length;
    return true;
  }

  match(pattern) {
    const match = matchAt(pattern, this.text, this.pos);
    if (match) this.pos += match[0].length;
    return match;
  }

  unexpected(what) {
    const [found] = this.text.slice(this.pos, this.pos + 2);
    const seen = found === undefined ? "the end of the text" : JSON.stringify(found);
    return new TextError(`expected ${what}, found ${seen}`, this.pos);
  }
}

function matchAt(pattern, text, pos) {
  pattern.lastIndex = pos;
  return pattern.exec(text);
}

/** Get a step of a JSON Pointer as it is written. */
export function escapeStep(step) {
  return String(step).replaceAll("~", "~0").replaceAll("/", "~1");
}

// --- writing --------------------------------------------------------------------------------------

/** How JSON, and what looks like it, is written: what stands between members and behind keys. */
export const MINIFIED = { comma: ",", colon: ":", literals: ["null", "true", "false"] };
export const SPACED = { comma: ", ", colon: ": ", literals: ["null", "true", "false"] };
export const PYTHON = { comma: ", ", colon: ": ", literals: ["None", "True", "False"] };

/** Get the text of a value, as Python's `json` writes it. */
export function writeJSON(value, style = MINIFIED) {
  if (value === null) return style.literals[0];
  if (typeof value === "boolean") return style.literals[value ? 1 : 2];
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return spellDouble(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeJSON(item, style)).join(style.comma)}]`;
  return `{${writeMembers(value, style)}}`;
}

/** Get the members of an object, without the braces. */
export function writeMembers(members, style = MINIFIED) {
  return [...members]
    .map(([key, value]) => JSON.stringify(key) + style.colon + writeJSON(value, style))
    .join(style.comma);
}

/** Get the sign, the fewest digits that read back the same, and the exponent of the first of them. */
export function digitsOf(double) {
  const [, sign, first, rest = "", exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(double.toExponential());
  return { sign: Object.is(double, -0) ? "-" : sign, digits: first + rest, exponent: Number(exponent) };
}

/** Get a double without an exponent. */
export function spellPlain({ sign, digits, exponent }) {
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return fraction ? `${sign}${whole}.${fraction}` : `${sign}${whole}`;
}

/** Get a double as Python writes it: 1.0, 1e-05, 1e+16. */
export function spellDouble(double) {
  const parts = digitsOf(double);
  const { sign, digits, exponent } = parts;
  if (exponent >= -4 && exponent < 16) {
    const plain = spellPlain(parts);
    return plain.includes(".") ? plain : `${plain}.0`;
  }
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
