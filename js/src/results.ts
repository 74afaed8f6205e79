// Write the results of tools in the shortest form that models have been found to read, and read them.
//
// The output is the same as that of `lton.results` in Python. The module does not import the reader for
// calls, so that a program that only needs results stays small.

import { LtonError, pointer, quote } from "./errors.js";
import { parseJSON, type Exact } from "./json.js";
import { checkModel, membersOf, refuse, type Path } from "./model.js";
import { BARE, NUMBER, joined, spellName, spellNumber, spellText } from "./syntax.js";
import { areLike, writeTable, type Cells } from "./tables.js";
import { FORBIDDEN, MAX_DEPTH, MAX_DIGITS, emptyObject, escapes, hasOwn, sizeOf, sorted, type Integers, type Members, type Value } from "./values.js";

/** The class of models that read a result. No model above 1.5 billion parameters was tested: use "large" for models that you have tested. */
export type ForModels = "any" | "large" | "small";

export interface WriteOptions {
  forModels?: ForModels;
  /** An `OutputSchema` of `lton`, which checks the value and does not change the text. */
  schema?: { check(value: unknown): void };
  /** The maximum size of the text. A larger text is an error (E701). */
  budget?: number;
  /** Returns the size of a text: in characters, or in the tokens of a tokenizer. */
  count?: (text: string) => number;
  /** With "bigint", every Number is written as a double: 1 becomes `1.0`. */
  integers?: Integers;
}

const CLASSES: readonly ForModels[] = ["any", "large", "small"];
const MOST_CELLS = 6;
const MAX_RESULT = 2 ** 20;
const STEERS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
const GROUP = /^[ \t\n\r]*[[{]/;
const QUOTE = /^[ \t\n\r]*"/;
const ATOM = /^[ \t\n\r]*(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)?[ \t\n\r]*$/;
const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g;
const LITERALS = new Map<string, Value>([["null", null], ["true", true], ["false", false]]);

/**
 * Return the text of a result, which `read` converts to an equal value.
 *
 * Measured with `count`, the text is never longer than minified JSON, except for characters that control a
 * terminal: a value with such a character is written as JSON with escapes. Throws a `LtonError`, with a path, for
 * a value that JSON does not have or that the schema does not allow.
 */
export function write(given: unknown, options: WriteOptions = {}): string {
  const { budget = Infinity, count = sizeOf, forModels = "any", schema } = options;
  if (!CLASSES.includes(forModels)) throw new RangeError(`expected one of ${CLASSES.join(", ")}, found ${quote(String(forModels))}`);
  const value = checked(given, []);
  schema?.check(value);
  let text = shortest(value, options);
  if (text.search(STEERS) >= 0) text = escaped(jsonOf(value, options));
  const size = count(text);
  if (size > budget) throw new LtonError("E701", `the result takes ${size} of ${budget}`);
  return text;
}

/** Return the value of a text that `write` wrote. Throws a `LtonError` for any other text. */
export function read(text: string, { integers = "number" }: { integers?: Integers } = {}): Value {
  if (isPlain(text)) return text;
  let json: Exact;
  try {
    json = parseJSON(text, true);
  } catch (error) {
    if (GROUP.test(text)) return new Reader(text, integers).run();
    throw new LtonError("E101", `expected a value of JSON: ${(error as LtonError).problem}`, { pos: 0 });
  }
  const value = fromExact(json, integers, []);
  return checked(value, []);
}

/**
 * Return the text of a result as `write` writes its value, if this is shorter.
 *
 * A text is not changed if it is not JSON, is larger than 1 MiB, or contains a number in another spelling
 * (`1.50`) or a duplicate key.
 */
export function shortResult(text: string, forModels: ForModels = "any"): string {
  if (!GROUP.test(text) || sizeOf(text) > MAX_RESULT) return text;
  const options: WriteOptions = { forModels, integers: "bigint" };
  try {
    for (const [part] of text.matchAll(STRINGS_AND_NUMBERS)) if (part[0] !== '"' && !isShortest(part)) return text;
    const value = checked(parseJSON(text, true), []);
    let found = shortest(value, options);
    if (found.search(STEERS) >= 0 && text.search(STEERS) < 0) found = escaped(jsonOf(value, options));
    return sizeOf(found) < sizeOf(text) ? found : text;
  } catch (error) {
    if (error instanceof LtonError) return text;
    throw error;
  }
}

/** Shorten the texts in the result of an MCP SDK handler. `structuredContent` stays the same. */
export function mcp<Handler extends (...given: never[]) => unknown>(handler: Handler, forModels: ForModels = "any"): Handler {
  const short = async (...given: never[]): Promise<unknown> => {
    const result = (await handler(...given)) as { content?: { type: string; text?: string }[] };
    if (!Array.isArray(result?.content)) return result;
    return { ...result, content: result.content.map((block) => (block.type === "text" ? { ...block, text: shortResult(block.text!, forModels) } : block)) };
  };
  return short as unknown as Handler;
}

// --- forms -------------------------------------------------------------------------------------------------

/** Return the shortest text of a checked value that the models can read. */
function shortest(value: Value, options: WriteOptions): string {
  if (typeof value === "string" && isPlain(value)) return value;
  const { forModels = "any", count = sizeOf } = options;
  const json = jsonOf(value, options);
  if (typeof value === "object" && value !== null && (forModels === "large" || areRecords(value))) {
    const text = lton(value, options, true);
    if (count(text) < count(json) && !(text.includes("\\") && isJSON(text))) return text;
  }
  return json;
}

/** Return whether a string can be a result without quotes, because no reader takes it for another value. */
function isPlain(text: string): boolean {
  return !GROUP.test(text) && !QUOTE.test(text) && !ATOM.test(text);
}

/** Return whether a value consists of rows with the same keys, of the kind that models were tested with. */
function areRecords(value: Value): boolean {
  if (!Array.isArray(value) || value.length < 2 || !areLike(value, 1)) return false;
  const width = widthOf(value[0]!);
  return width > 0 && width <= MOST_CELLS;
}

/** Return the number of cells in a record. An inner object has a column for each of its cells. */
function widthOf(cell: Value): number {
  if (typeof cell !== "object" || cell === null || Array.isArray(cell)) return 1;
  return Object.values(cell).reduce<number>((sum, inner) => sum + widthOf(inner), 0);
}

function jsonOf(value: Value, options: WriteOptions): string {
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, options)).join(",")}]`;
  if (typeof value === "number" || typeof value === "bigint") return digitsOf(value, options);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.keys(value).map((key) => `${JSON.stringify(key)}:${jsonOf(value[key]!, options)}`).join(",")}}`;
}

function digitsOf(value: number | bigint, { integers }: WriteOptions): string {
  return integers !== "bigint" && Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : spellNumber(value);
}

/** Return a value in LTON. With `onLines`, rows are on lines and members in their original order (R-317), except within a row. */
function lton(value: Value, options: WriteOptions, onLines: boolean): string {
  if (typeof value === "string") return spellText(value, !LITERALS.has(value) && !NUMBER.test(value));
  if (typeof value === "number" || typeof value === "bigint") return digitsOf(value, options);
  if (typeof value !== "object" || value === null) return String(value);
  const cells: Cells = { write: (cell) => lton(cell, options, false), inner: () => cells };
  if (Array.isArray(value)) return `[${writeTable(value, cells, [], onLines) ?? joined(value.map(cells.write))}]`;
  const keys = onLines ? Object.keys(value) : sorted(Object.keys(value));
  const table = onLines ? null : writeTable(keys.map((key) => value[key]!), cells, keys.map(spellName), false);
  return `{${table ?? joined(keys.map((key) => `${spellName(key)} ${lton(value[key]!, options, onLines)}`))}}`;
}

/** Return JSON in which characters that control a terminal are escaped. */
function escaped(json: string): string {
  return json.replace(STEERS, escapes);
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isShortest(digits: string): boolean {
  if (/[eE]/.test(digits)) return false;
  return digits.includes(".") ? spellNumber(Number(digits)) === digits : digits !== "-0";
}

// --- values ------------------------------------------------------------------------------------------------

/** Return a copy of a value of the data model: objects without prototypes, no Maps. */
function checked(value: unknown, path: Path): Value {
  checkModel(value, path);
  if (typeof value !== "object" || value === null) return value as Value;
  if (path.length >= MAX_DEPTH) throw refuse("E301", `nested deeper than ${MAX_DEPTH}`, path);
  if (Array.isArray(value)) return Array.from(value as unknown[], (item, index) => checked(item, [...path, index]));
  const members = emptyObject();
  for (const [name, member] of membersOf(value, path)) members[name] = checked(member, [...path, name]);
  return members;
}

/** Return the value of a JSON text, with integers of the requested type. */
function fromExact(value: Exact, integers: Integers, path: Path): Value {
  if (path.length > MAX_DEPTH) throw refuse("E301", `nested deeper than ${MAX_DEPTH}`, path);
  if (Array.isArray(value)) return value.map((item, index) => fromExact(item, integers, [...path, index]));
  if (typeof value === "bigint") return integerOf(value, integers, () => ({ path: pointer(path) }));
  if (!(value instanceof Map)) return value;
  const members = emptyObject();
  for (const [name, member] of value) members[name] = fromExact(member, integers, [...path, name]);
  return members;
}

function integerOf(value: bigint, integers: Integers, place: () => object): Value {
  const number = Number(value);
  if (integers === "bigint" || (integers === "large" && !Number.isSafeInteger(number))) return value;
  if (!Number.isSafeInteger(number)) throw new LtonError("E302", "an integer beyond 2^53 - 1 (see `integers`)", place());
  return number;
}

// --- reading -----------------------------------------------------------------------------------------------

const SEPARATOR = /(?: *, *| +)(?=[^ ,;)\]}\n])/y;
const NAME = /[A-Za-z0-9_./-]+/y;
const WORD = /[A-Za-z0-9_./:@+*-]+/y;
const LINE = /(["'`])([^\n\r]*?)\1/y;
const FENCE = /(`{3,})(\+?)\n/y;
const COUNTED = /s(0|[1-9][0-9]{0,14}):/y;
const ROWS = /([1-9][0-9]{0,14})?\(/y;
const SURROGATE = /[\ud800-\udfff]/;

/** The path of keys from a row to the cells of a column. */
type Column = readonly string[];

/** Reads an array or an object in LTON, as `write` writes them. */
class Reader {
  private pos = 0;
  private depth = 0;
  private readonly isAstral: boolean;

  constructor(private readonly text: string, private readonly integers: Integers) {
    this.isAstral = SURROGATE.test(text);
  }

  run(): Value {
    const wrong = FORBIDDEN.exec(this.text);
    if (wrong) throw this.error("E108", "U+0000 or a lone surrogate", wrong.index);
    const value = this.value();
    if (this.pos < this.text.length) throw this.unexpected("the end of the result");
    return value;
  }

  private value(): Value {
    const { pos, text } = this;
    const char = text[pos];
    if (char === "[" || char === "{") {
      if (this.depth >= MAX_DEPTH) throw this.error("E301", `nested deeper than ${MAX_DEPTH}`);
      this.pos += 1;
      this.depth += 1;
      const value = char === "[" ? this.array() : this.object();
      this.depth -= 1;
      return value;
    }
    if (char === '"' || char === "'" || char === "`") return this.quoted();
    const counted = this.match(COUNTED);
    return counted ? this.take(Number(counted[1])) : this.word();
  }

  private array(): Value[] {
    const rows = this.match(ROWS);
    if (rows) return this.rows(Number(rows[1] ?? 0), (_, row) => row, "]");
    const items: Value[] = [];
    if (this.skip("]")) return items;
    do items.push(this.value());
    while (this.match(SEPARATOR));
    return this.closed(items, "]");
  }

  private object(): Members {
    const members = emptyObject();
    const keep = (key: string | null, member: Value): void => {
      members[key!] = member;
    };
    if (this.skip("(")) {
      this.rows(0, keep, "}", members);
      return members;
    }
    if (this.skip("}")) return members;
    do {
      const key = this.key(members);
      if (!this.skip(" ")) throw this.unexpected("a space");
      members[key] = this.value();
    } while (this.match(SEPARATOR));
    return this.closed(members, "}");
  }

  /** Read the rows of a table after the parenthesis of its header. `members` are the members of a map. */
  private rows(count: number, keep: (key: string | null, row: Members) => unknown, closer: string, members?: Members): Value[] {
    const columns = this.header([]);
    const end = count ? "\n" : ";";
    const rows: Value[] = [];
    if (count && !this.skip("\n")) throw this.unexpected("a newline");
    do {
      const key = members ? this.key(members) : null;
      const row = emptyObject();
      if (members) this.match(SEPARATOR);
      this.cells(columns, row, [end, closer]);
      keep(key, row);
      rows.push(row);
    } while ((!count || rows.length < count) && this.skip(end));
    if (this.text[this.pos] === closer && rows.length < count) throw this.error("E103", `expected ${count} rows, found ${rows.length}`);
    if (!members && rows.length === 1 && !Object.keys(rows[0]!).length) throw this.unexpected("a row");
    return this.closed(rows, closer);
  }

  private header(above: Column): Column[] {
    if (this.depth + above.length >= MAX_DEPTH) throw this.error("E301", `nested deeper than ${MAX_DEPTH}`);
    const columns: Column[] = [];
    const seen = emptyObject();
    do {
      const key = this.key(seen);
      seen[key] = null;
      if (this.skip("(")) columns.push(...this.header([...above, key]));
      else columns.push([...above, key]);
    } while (this.match(SEPARATOR));
    return this.closed(columns, ")");
  }

  private cells(columns: readonly Column[], row: Members, ends: readonly string[]): void {
    let index = 0;
    if (!ends.includes(this.text[this.pos] ?? "")) {
      do {
        const column = columns[index];
        if (!column) throw this.error("E207", `expected at most ${columns.length} values in a row`);
        const start = this.pos;
        if (this.match(WORD)?.[0] === "_") {
          if (column.length > 1) throw this.error("E210", "`_` in a column that every row has", start);
        } else {
          this.pos = start;
          this.depth += column.length;
          put(row, column, this.value());
          this.depth -= column.length;
        }
        index += 1;
      } while (this.match(SEPARATOR));
    }
    if (columns.slice(index).some((column) => column.length > 1)) throw this.error("E205", "expected a value, found the end of the row");
  }

  private key(members: Members): string {
    const { pos } = this;
    const name = this.match(NAME);
    const key = name ? name[0] : this.quoted();
    if (hasOwn(members, key)) throw this.error("E206", `${quote(key)} is given twice`, pos);
    return key;
  }

  private quoted(): string {
    const fence = this.match(FENCE);
    if (!fence) {
      const line = this.text.startsWith("``", this.pos) ? null : this.match(LINE);
      if (!line) throw this.unclosed();
      return line[2]!;
    }
    const start = this.pos;
    const close = this.text.indexOf(fence[1]!, start);
    if (close < 0) throw this.error("E110", `expected a closing ${fence[1]!}`, this.text.length);
    this.pos = close + fence[1]!.length;
    const isCut = !fence[2] && close > start && this.text[close - 1] === "\n";
    return this.text.slice(start, close - Number(isCut));
  }

  private unclosed(): LtonError {
    const quote = this.text[this.pos];
    if (!quote || !"\"'`".includes(quote)) return this.unexpected("a text in quotes");
    if (/[\n\r]/.test(this.text.slice(this.pos))) return this.error("E102", "no closing quote on the line");
    return this.error("E110", `expected a closing ${quote}, found the end of the text`, this.text.length);
  }

  /** Read a number of scalar values. */
  private take(size: number): string {
    const start = this.pos;
    let end = start + size;
    if (this.isAstral) {
      end = start;
      for (let left = size; left > 0 && end < this.text.length; left -= 1) end += this.text.codePointAt(end)! > 0xffff ? 2 : 1;
      if (sizeOf(this.text.slice(start, end)) < size) end = Infinity;
    }
    if (end > this.text.length) throw this.error("E110", `expected ${size} characters`, this.text.length);
    this.pos = end;
    return this.text.slice(start, end);
  }

  private word(): Value {
    const { pos } = this;
    const word = this.match(WORD)?.[0];
    if (!word) throw this.unexpected("a value");
    if (LITERALS.has(word)) return LITERALS.get(word)!;
    if (!NUMBER.test(word)) {
      if (!BARE.test(word)) throw this.error("E101", "such a word is quoted", pos);
      return word;
    }
    if (word.length > MAX_DIGITS) throw this.error("E302", `a number of more than ${MAX_DIGITS} digits`, pos);
    const number = Number(word);
    if (word === "-0" || !Number.isFinite(number)) throw this.error("E105", "not a number of the data model", pos);
    return /[.eE]/.test(word) ? number : integerOf(BigInt(word), this.integers, () => ({ pos }));
  }

  private closed<Group>(group: Group, closer: string): Group {
    if (!this.skip(closer)) throw this.unexpected(`a separator or ${closer}`);
    return group;
  }

  private skip(mark: string): boolean {
    const isHere = this.text[this.pos] === mark;
    this.pos += Number(isHere);
    return isHere;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.pos;
    const match = pattern.exec(this.text);
    this.pos += match ? match[0].length : 0;
    return match;
  }

  private unexpected(what: string): LtonError {
    const char = this.text.codePointAt(this.pos);
    if (char === undefined) return this.error("E110", `expected ${what}, found the end of the text`);
    return this.error("E101", `expected ${what}, found ${quote(String.fromCodePoint(char))}`);
  }

  private error(code: string, problem: string, pos = this.pos): LtonError {
    return new LtonError(code, problem, { pos: sizeOf(this.text.slice(0, pos)), doc: this.text });
  }
}

/** Put a value into a row, in the objects that contain its column. */
function put(row: Members, [...above]: Column, value: Value): void {
  const key = above.pop()!;
  for (const each of above) row = (row[each] ??= emptyObject()) as Members;
  row[key] = value;
}
