// Write the results of tools in the shortest form that models have been found to read, and read them.
//
// The output is the same as that of `lton.results` in Python. The module does not import the reader for
// calls, so that a program that only needs results stays small.

import { LtonError, pointer, quote, unitsBefore } from "./errors.js";
import { LITERALS, Scanner, parseJSON, type Exact } from "./json.js";
import { checkModel, membersOf, refuse, type Path } from "./model.js";
import { BARE, NUMBER, joined, spellName, spellNumber, spellText } from "./syntax.js";
import { areLike, isRow, writeTable, type Cells } from "./tables.js";
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
/** The classes of models that are shown wide, nested and sparse records with the key first. */
const KEY_FIRST: readonly ForModels[] = ["small"];
const MAX_RESULT = 1_048_576;
const STEERS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
/** Halves of surrogate pairs. Other than LTON, JSON can write U+0000. */
const HALVES = /[\ud800-\udfff]/u;
const GROUP = /^[ \t\n\r]*[[{]/;
const QUOTE = /^[ \t\n\r]*"/;
const ATOM = /^[ \t\n\r]*(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)?[ \t\n\r]*$/;
const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g;

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
  schema?.check(withoutNul(value));
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
  return checked(json, [], integers);
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
  let text: string | null = null;
  if (areNarrow(value) || (forModels === "large" && isGroup(value))) {
    if (!keepsOrder(value)) return json;
    text = lton(value, options, true);
  }
  else if (KEY_FIRST.includes(forModels) && areRecords(value) && value.every(isPlainRecord)) text = keyFirst(value, options);
  return text === null || count(text) >= count(json) || (text.includes("\\") && isJSON(text)) ? json : text;
}

/** Return whether a string can be a result without quotes, because no reader takes it for another value. */
function isPlain(text: string): boolean {
  return !GROUP.test(text) && !QUOTE.test(text) && !ATOM.test(text);
}

function isGroup(value: Value): boolean {
  return isRow(value) || Array.isArray(value);
}

/** Return whether the arrays in a record contain no groups: small models read tables in one line worse than JSON. */
function isPlainRecord(value: Value): boolean {
  return isRow(value) ? Object.values(value).every(isPlainRecord) : !Array.isArray(value) || !value.some(isGroup);
}

function areRecords(value: Value): value is Members[] {
  return Array.isArray(value) && value.length > 1 && value.every(isRow);
}

/** Return whether a value consists of records with the same keys and few cells. */
function areNarrow(value: Value): boolean {
  return areRecords(value) && areLike(value, 1) && widthOf(value[0]!) <= MOST_CELLS && widthOf(value[0]!) > 0;
}

/** Return whether all rows of the tables in a value have their keys in the order of the columns. Only tables on lines are checked. */
function keepsOrder(value: Value): boolean {
  if (isRow(value)) return Object.values(value).every(keepsOrder);
  if (!Array.isArray(value) || !value.every(isRow)) return true;
  const rows = value as Members[];
  const keys = new Set(rows.flatMap((row) => Object.keys(row))).size;
  const present = rows.reduce((sum, row) => sum + Object.keys(row).length, 0);
  const isTable = keys * (rows.length + 1) < 2 * present; // shorter than with keys in each row
  return !isTable || rowsKeepOrder(rows);
}

function rowsKeepOrder(rows: readonly Members[]): boolean {
  const columns = new Map<string, Value[]>();
  for (const row of rows) {
    for (const key of Object.keys(row)) {
      const cells = columns.get(key) ?? [];
      cells.push(row[key]!);
      columns.set(key, cells);
    }
  }
  const places = new Map([...columns.keys()].map((key, place) => [key, place]));
  for (const row of rows) {
    const own = Object.keys(row).map((key) => places.get(key)!);
    if (own.some((place, index) => index > 0 && place < own[index - 1]!)) return false;
  }
  return [...columns.values()].every((cells) => !areLike(cells, 0) || rowsKeepOrder(cells));
}

/** Return the number of cells in a record. An inner object has a column for each of its cells. */
function widthOf(cell: Value): number {
  return isRow(cell) ? Object.values(cell).reduce<number>((sum, inner) => sum + widthOf(inner), 0) : 1;
}

function jsonOf(value: Value, options: WriteOptions): string {
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, options)).join(",")}]`;
  if (typeof value === "number" || typeof value === "bigint") return digitsOf(value, options);
  if (!isRow(value)) return JSON.stringify(value);
  return `{${Object.keys(value).map((key) => `${JSON.stringify(key)}:${jsonOf(value[key]!, options)}`).join(",")}}`;
}

function digitsOf(value: number | bigint, { integers }: WriteOptions): string {
  return integers !== "bigint" && Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : spellNumber(value);
}

/** Return a value in LTON. With `onLines`, rows are on lines and members in their original order (R-317), except within a row. */
function lton(value: Value, options: WriteOptions, onLines: boolean): string {
  if (typeof value === "string") return spellText(value, !LITERALS.has(value) && !NUMBER.test(value));
  if (typeof value === "number" || typeof value === "bigint") return digitsOf(value, options);
  const cells: Cells = { write: (cell) => lton(cell, options, false), inner: () => cells };
  if (Array.isArray(value)) return `[${writeTable(value, cells, [], onLines) ?? joined(value.map(cells.write))}]`;
  if (!isRow(value)) return String(value);
  const keys = onLines ? Object.keys(value) : sorted(Object.keys(value));
  const table = onLines ? null : writeTable(keys.map((key) => value[key]!), cells, keys.map(spellName), false);
  return `{${table ?? joined(keys.map((key) => `${spellName(key)} ${lton(value[key]!, options, onLines)}`))}}`;
}

/** Write records with the key first (R-434), or return null if the first record has only objects and arrays. */
function keyFirst(rows: readonly Members[], options: WriteOptions): string | null {
  const key = Object.keys(rows[0]!).find((each) => !isGroup(rows[0]![each]!));
  if (key === undefined || spellStep(key).includes("\n")) return null;
  const pairs = (record: Members, above: string): string[] =>
    Object.keys(record).flatMap((each) => {
      const value = record[each]!;
      const path = above + spellStep(each);
      if (!above && each === key) return [];
      return isRow(value) && Object.keys(value).length ? pairs(value, `${path}.`) : [`${path}:${lton(value, options, false)}`];
    });
  const lines = rows.map((row) => [hasOwn(row, key) ? lton(row[key]!, options, false) : "_", ...pairs(row, "")].join(" "));
  return `[${rows.length} by ${spellStep(key)}\n${lines.join("\n")}]`;
}

/** Write a key of a path: a bare key has no dot. */
function spellStep(key: string): string {
  const name = spellName(key);
  return name === key && key.includes(".") ? `"${key}"` : name;
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

/** Return a copy of a value of the data model: objects without prototypes, no Maps, and integers of the requested type. */
function checked(value: unknown, path: Path, integers: Integers = "bigint"): Value {
  checkModel(value, path, HALVES);
  if (typeof value === "bigint") return integerOf(value, integers, () => ({ path: pointer(path) }));
  if (typeof value !== "object" || value === null) return value as Value;
  if (path.length >= MAX_DEPTH) throw refuse("E301", `nested deeper than ${MAX_DEPTH}`, path);
  if (Array.isArray(value)) return Array.from(value as unknown[], (item, index) => checked(item, [...path, index], integers));
  const members = emptyObject();
  for (const [name, member] of membersOf(value, path, HALVES)) members[name] = checked(member, [...path, name], integers);
  return members;
}

/** Return a checked value without U+0000, for a schema. Keys stay different. */
function withoutNul(value: Value): Value {
  if (typeof value === "string") return value.replaceAll("\0", "\ufffd");
  if (Array.isArray(value)) return value.map(withoutNul);
  if (!isRow(value)) return value;
  const members = emptyObject();
  for (const [key, member] of Object.entries(value)) {
    let name = key.replaceAll("\0", "\ufffd");
    while (name !== key && (hasOwn(value, name) || hasOwn(members, name))) name += "\ufffd";
    members[name] = withoutNul(member);
  }
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
const STEP = /[A-Za-z0-9_/-]+/y;
const WORD = /[A-Za-z0-9_./:@+*-]+/y;
const LINE = /(["'`])([^\n\r]*?)\1/y;
const FENCE = /(`{3,})(\+?)\n/y;
const COUNTED = /s(0|[1-9][0-9]{0,14}):/y;
const ROWS = /([1-9][0-9]{0,14})?\(/y;
const RECORDS = /\[([1-9][0-9]{0,14}) by (?!``)/y;

/** The path of keys from a row to the cells of a column. */
type Column = readonly string[];

/** Reads an array or an object in LTON, as `write` writes them. */
class Reader extends Scanner {
  private depth = 0;

  constructor(text: string, private readonly integers: Integers) {
    super(text);
  }

  run(): Value {
    const wrong = FORBIDDEN.exec(this.text);
    if (wrong) throw this.error("E108", "U+0000 or a lone surrogate", wrong.index);
    const value = this.records() ?? this.value();
    if (this.pos < this.text.length) throw this.unexpected("the end of the result");
    return value;
  }

  private value(): Value {
    const { pos, text } = this;
    const char = text[pos] ?? "";
    if (char === "[" || char === "{") {
      this.limit(this.depth);
      this.pos += 1;
      this.depth += 1;
      const value = char === "[" ? this.array() : this.object();
      this.depth -= 1;
      return value;
    }
    if (/["'`]/.test(char)) return this.quoted();
    const counted = this.match(COUNTED);
    return counted ? this.take(Number(counted[1])) : this.word();
  }

  private array(): Value[] {
    const rows = this.match(ROWS);
    if (rows) return this.rows(Number(rows[1] ?? 0), "]");
    const items: Value[] = [];
    if (this.skip("]")) return items;
    do items.push(this.value());
    while (this.match(SEPARATOR));
    return this.closed(items, "]");
  }

  private object(): Members {
    const members = emptyObject();
    if (this.skip("(")) {
      this.rows(0, "}", members);
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
  private rows(count: number, closer: string, members?: Members): Value[] {
    const columns = this.header([]);
    const end = count ? "\n" : ";";
    const rows: Value[] = [];
    if (count && !this.skip("\n")) throw this.unexpected("a newline");
    do {
      const row = emptyObject();
      if (members) {
        members[this.key(members)] = row;
        this.match(SEPARATOR);
      }
      this.cells(columns, row, [end, closer]);
      rows.push(row);
    } while ((!count || rows.length < count) && this.skip(end));
    if (!members && rows.length === 1 && !Object.keys(rows[0]!).length) throw this.unexpected("a row");
    return this.whole(rows, count, closer);
  }

  /** Read records with the key first (R-434), or return null at another value. */
  private records(): Members[] | null {
    const count = Number(this.match(RECORDS)?.[1]);
    const first = this.match(STEP)?.[0] ?? this.match(LINE)?.[2];
    if (first === undefined || !this.skip("\n")) {
      this.pos = 0;
      return null;
    }
    const records: Members[] = [];
    do {
      const record = emptyObject();
      if (!this.skip("_")) record[first] = this.cell(2);
      const opened = new Set<Value>([record]);
      while (this.skip(" ")) this.pair(record, opened);
      records.push(record);
    } while (records.length < count && this.skip("\n"));
    return this.whole(records, count, "]");
  }

  /** Check the number of rows, and read the closing bracket. */
  private whole<Row>(rows: Row[], count: number, closer: string): Row[] {
    const end = rows.length < count ? closer : "\n";
    if (count && this.text[this.pos] === end) throw this.error("E103", `expected ${count} rows, found others`);
    return this.closed(rows, closer);
  }

  /** Read a path and its value. `opened` has the objects that paths have created. */
  private pair(into: Members, opened: Set<Value>): void {
    const { pos } = this;
    let key = this.name(STEP);
    let depth = 2;
    for (; opened.has(into) && this.skip("."); depth += 1) {
      this.limit(depth);
      if (!hasOwn(into, key)) opened.add((into[key] = emptyObject()));
      into = into[key] as Members;
      key = this.name(STEP);
    }
    if (!opened.has(into) || hasOwn(into, key)) throw this.error("E206", `${quote(key)} is given twice`, pos);
    if (!this.skip(":")) throw this.unexpected("a colon");
    into[key] = this.cell(depth);
  }

  private name(pattern: RegExp): string {
    return this.match(pattern)?.[0] ?? this.quoted();
  }

  private cell(depth: number): Value {
    this.depth = depth;
    return this.value();
  }

  private header(above: Column): Column[] {
    this.limit(this.depth + above.length);
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
    const key = this.name(NAME);
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
    const quote = this.text[this.pos] ?? "";
    if (!/["'`]/.test(quote)) return this.unexpected("a text in quotes");
    if (/[\n\r]/.test(this.text.slice(this.pos))) return this.error("E102", "no closing quote on the line");
    return this.error("E110", `expected a closing ${quote}, found the end of the text`, this.text.length);
  }

  /** Read a number of scalar values. */
  private take(size: number): string {
    const taken = unitsBefore(this.text.slice(this.pos), size);
    this.pos += taken.length;
    if (sizeOf(taken) < size) throw this.error("E110", `expected ${size} characters`);
    return taken;
  }

  private word(): Value {
    const { pos } = this;
    const word = this.match(WORD)?.[0];
    if (!word) throw this.unexpected("a value");
    const literal = LITERALS.get(word);
    if (literal !== undefined) return literal;
    if (!NUMBER.test(word)) {
      if (!BARE.test(word)) throw this.error("E101", "such a word is quoted", pos);
      return word;
    }
    if (word.length > MAX_DIGITS) throw this.error("E302", `a number of more than ${MAX_DIGITS} characters`, pos);
    const number = Number(word);
    if (word === "-0" || !Number.isFinite(number)) throw this.error("E105", "not a number of the data model", pos);
    return /[.eE]/.test(word) ? number : integerOf(BigInt(word), this.integers, () => ({ pos }));
  }

  private limit(depth: number): void {
    if (depth >= MAX_DEPTH) throw this.error("E301", `nested deeper than ${MAX_DEPTH}`);
  }

  private closed<Group>(group: Group, closer: string): Group {
    if (!this.skip(closer)) throw this.unexpected(`a separator or ${closer}`);
    return group;
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
