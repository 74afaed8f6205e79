// Read groups of values (§4).

import { checked } from "../encode.js";
import { LtonError, describe, pointer, quote } from "../errors.js";
import { DIGIT, IN_NAME, IN_WORD, isName, runEnd } from "../syntax.js";
import { ANY, FREE, type ArrayNode, type ObjectNode, type Param, type Type } from "../types.js";
import { MAX_COUNT_DIGITS, MAX_DEPTH, emptyObject, hasOwn, type Members as Values, type Value } from "../values.js";
import { ABSENT, NONE, State, isOpener, isQuote, type Read, type Reader } from "./reader.js";
import { More, Wrong } from "./stops.js";

type Step = string | number | null;

/** A group that is being read, from its first value to its closer. */
export abstract class Group {
  /** The start of the current value or its key. */
  at = 0;
  step: Step = null;
  /** The end of the last counted string. If no value can end there, the length is wrong (R-307). */
  countedEnd = -1;
  /** The number of characters of the current string that have been reported. */
  reported = 0;
  readonly isTagged: boolean = false;
  /** Whether all objects are maps, as in the map form (R-431) and in answers (R-426). */
  readonly isUntyped: boolean;
  /** Whether the group is in the parentheses of a call, where fences end differently (R-308). */
  readonly inCall: boolean;

  constructor(
    readonly up: Group | null,
    public closer: string,
    public depth: number,
  ) {
    this.isUntyped = up?.isUntyped ?? false;
    this.inCall = up ? up.inCall : closer === ")";
  }

  abstract element(reader: Reader): Read;
  abstract keep(reader: Reader, value: Read): void;
  /** Read the closer. */
  abstract finish(reader: Reader): void;

  /** The type of values that may be rows of a table here, or null. */
  get rows(): Type | null {
    return null;
  }

  hasRoom(): boolean {
    return true;
  }

  steps(): (string | number)[] {
    return this.step === null ? [] : [this.step];
  }

  /** The steps from the call down to the current value. */
  get path(): (string | number)[] {
    const steps: (string | number)[] = [];
    for (let group: Group | null = this; group; group = group.up) steps.unshift(...group.steps());
    return steps;
  }

  /** Return the reader for a group of this type with this opening bracket, or null if the group is not allowed here. */
  inner(reader: Reader, type: Type, opener: string, start: number): Group | null {
    if (opener === "[") return type.array && new Items(this, type.array, start);
    const { object } = type;
    if (!object) return null;
    if (this.isTagged) return opener === "{" ? new TaggedPairs(this, "}", this.depth + 1, object) : null;
    if (opener === "(" && this.takesRecord(type) && reader.beginsRecord()) return new Row(this, ")", this.depth + 1, FREE);
    if (object.isMap !== (opener === "{")) return null;
    return object.isMap ? new Pairs(this, "}", this.depth + 1, object) : new Row(this, ")", this.depth + 1, object);
  }

  /** R-318: return whether an object of any value may be in parentheses. */
  protected takesRecord(type: Type): boolean {
    return type.isAny && !this.isUntyped;
  }

  ends(char: string | undefined): boolean {
    return char === " " || char === "," || char === this.closer;
  }

  enter(reader: Reader): void {
    const char = reader.src[reader.pos];
    if (char === "(" && this.rows?.object?.isMap) new Table(this as unknown as Filled, this.rows.object.extra!).begin(reader);
    else if (isOpener(char) || !this.closes(reader, reader.pos)) reader.state = State.Value;
    else this.finish(reader);
  }

  /** Return whether the closer is here. The end of the text may end a line (R-301). */
  closes(reader: Reader, pos: number): boolean {
    if (pos < reader.src.length) return reader.src[pos] === this.closer;
    if (reader.isOpen) throw new More();
    return this.closer === "\n";
  }

  protected get end(): string {
    return this.closer === "\n" ? "the end of the line" : `'${this.closer}'`;
  }

  /** Store a value whose end is certain. */
  after(reader: Reader): void {
    reader.watcher?.report(this, reader.value);
    if (!this.ends(reader.src[reader.pos])) this.checkEnd(reader);
    this.keep(reader, reader.value);
    this.step = null;
    reader.state = State.Gap;
  }

  /** R-307: refuse anything except a separator or a closer after a value. */
  protected checkEnd(reader: Reader): void {
    const { pos } = reader;
    if (pos === reader.src.length && this.closer === "\n" && !reader.isOpen) return;
    const stop = reader.unexpected(pos, `a space or ${this.end}`);
    if (stop instanceof Wrong && stop.code === "E101" && this.countedEnd === pos) throw new Wrong("E103", stop.problem, pos);
    throw stop;
  }

  /** Read the separator before the next value. */
  gap(reader: Reader): void {
    const { src, pos } = reader;
    if (this.closes(reader, pos)) return this.finish(reader);
    let end = spaces(src, pos);
    if (src[end] === ",") end = spaces(src, end + 1);
    if (end === src.length) {
      if (reader.isOpen) throw new More(end, (piece) => /^ +$/.test(piece));
      if (!this.hasRoom()) throw new Wrong("E207", "no argument is left that could come here", end);
    }
    if (this.closes(reader, end)) throw reader.unexpected(end, "another value after the separator");
    reader.pos = end;
    reader.state = State.Value;
  }

  between(reader: Reader): void {
    this.gap(reader);
  }

  /** The start of the current value, which may come after a key. */
  get valueStart(): number {
    return this.at;
  }
}

function spaces(src: string, pos: number): number {
  while (src[pos] === " ") pos += 1;
  return pos;
}

/** A group that a table can fill. */
type Filled = Group & { values: Values | Value[]; keepRow(key: Step, value: Value): void; finish(reader: Reader): void };

/** R-312: the values of an array. */
class Items extends Group {
  readonly values: Value[] = [];
  override readonly isTagged: boolean;

  constructor(
    up: Group,
    private readonly array: ArrayNode,
    private readonly start: number,
  ) {
    super(up, "]", up.depth + 1);
    this.isTagged = up.isTagged;
  }

  override get rows(): Type | null {
    return this.isTagged ? null : this.array.items;
  }

  /** R-317: rows on lines are preceded by their number. */
  override enter(reader: Reader): void {
    const { src, pos } = reader;
    if (src[pos] === "(" && !this.isTagged && this.takesRecord(this.array.items) && reader.beginsRecord()) {
      reader.state = State.Value;
      return;
    }
    const end = runEnd(src, pos, DIGIT);
    const mayCount = end > pos && end - pos <= MAX_COUNT_DIGITS && src[pos] !== "0" && this.rows?.object?.isMap;
    if (mayCount && reader.runsOut(end)) throw reader.runOut(pos, "word");
    if (!mayCount || src[end] !== "(") return super.enter(reader);
    reader.pos = end;
    new Table(this as unknown as Filled, this.rows!.object!.extra!, Number(src.slice(pos, end))).begin(reader);
  }

  element(reader: Reader): Read {
    const { items } = this.array;
    if (!this.isTagged && !reader.watcher) {
      for (let value = reader.plain(items); value !== NONE; value = reader.plain(items)) {
        if (!reader.skipOne()) return this.read(value);
        this.values.push(value);
        this.at = reader.pos;
      }
    }
    this.step = this.values.length;
    return reader.read(items);
  }

  private read(value: Value): Value {
    this.step = this.values.length;
    return value;
  }

  keep(_: Reader, value: Read): void {
    this.values.push(value as Value);
    this.reported = 0;
  }

  keepRow(_: Step, value: Value): void {
    this.values.push(value);
  }

  finish(reader: Reader): void {
    const refusal = this.array.refuse(this.values);
    if (refusal) throw new Wrong(refusal[0], `expected ${refusal[1]}, found ${describe(this.values)}`, this.start);
    reader.pos += 1;
    reader.leave(this.values);
  }
}

/** Named values: the values so far, and the next parameter. */
export abstract class Members extends Group {
  readonly values: Values = emptyObject();
  /** The start of the value after the last key. */
  protected valueAt = 0;
  /** Whether the values are the arguments of a call, which are reported. */
  isCall = false;
  protected index = 0;
  protected keyed = false;
  protected byTurn = false;
  protected readonly assigns: string = " ";
  /** For messages: the label that has chosen the branch. */
  private chosen = "";

  constructor(
    up: Group | null,
    closer: string,
    depth: number,
    protected node: ObjectNode,
  ) {
    super(up, closer, depth);
  }

  keep(reader: Reader, value: Read): void {
    if (this.byTurn) this.index += 1;
    else this.keyed = true;
    if (value === ABSENT) return;
    const name = this.step as string;
    if (name === this.node.label) this.chooseBranch(this.node.label, value as Value);
    this.values[name] = value as Value;
    this.reported = 0;
    if (this.isCall) reader.report({ type: "argument", name, value: value as Value });
  }

  /** R-439: read the other members as the label says, and check the members before the label. */
  private chooseBranch(label: string, value: Value): void {
    const branch = this.node.branchWith(value);
    if (!branch) return;
    this.chosen = ` with ${label} ${branch.byName.get(label)!.type.noun}`;
    for (const [name, earlier] of Object.entries(this.values)) {
      const type = branch.typeOf(name);
      if (!type) throw new Wrong("E202", `no parameter ${quote(name)}${this.chosen}`, this.at);
      try {
        checked(earlier, type, 0, []);
      } catch (error) {
        if (!(error instanceof LtonError)) throw error;
        throw new Wrong(error.code, `${error.problem} for ${quote(name)}${this.chosen}`, this.at);
      }
    }
    this.node = branch;
  }

  override get valueStart(): number {
    return this.byTurn ? this.at : this.valueAt;
  }

  finish(reader: Reader): void {
    this.checkNeeds(reader);
    if (this.closer !== "\n") reader.pos += 1;
    reader.leave(this.values);
  }

  /** R-411: check that every required argument is present. Required arguments come first, so no positional argument is missing. */
  protected checkNeeds(reader: Reader): void {
    for (const { name, type } of this.node.needs.slice(this.index)) {
      if (!(name in this.values)) throw new Wrong("E205", `expected ${type.noun} for ${quote(name)}${this.chosen}, found the end of the arguments`, reader.pos);
    }
  }

  /** R-410: the parameter of the next positional argument, or undefined after a keyed argument. */
  protected get next(): Param | undefined {
    return this.keyed ? undefined : this.node.turns[this.index];
  }

  override hasRoom(): boolean {
    return this.next !== undefined || this.mayBeKey("");
  }

  /** Return whether an allowed key starts with this text. */
  protected mayBeKey(part: string): boolean {
    if (this.node.extra) return true;
    for (const name of this.node.byName.keys()) {
      if (name.startsWith(part) && !(name in this.values)) return true;
    }
    return false;
  }

  /** Read the value of the next parameter. The first word of the value ends at `end`. */
  protected byPosition(reader: Reader, end: number): Read {
    this.byTurn = true;
    const { src, pos } = reader;
    const { next } = this;
    if (next) {
      if (src[pos] !== "_" || end !== pos + 1) {
        this.step = next.name;
        return reader.read(next.type);
      }
      if (next.required) throw new Wrong("E210", `expected ${next.type.noun}, found \`_\`: ${quote(next.name)} is required`, pos);
      this.step = next.name;
      reader.pos = pos + 1;
      return ABSENT;
    }
    if (end > pos && reader.runsOut(end)) throw reader.runOut(pos, "word");
    const hasRoom = this.hasRoom();
    if (!isSomething(src, pos, end)) throw reader.unexpected(pos, hasRoom ? "an argument" : "the end of the arguments");
    if (hasRoom && this.keyed) throw new Wrong("E107", "expected a keyed argument after a keyed one", pos);
    throw new Wrong("E207", `expected at most ${this.node.turns.length} arguments`, pos);
  }

  /** R-407, R-410: read the value of a key that must be new. The key ends at the reader's position. */
  protected byKey(reader: Reader, key: string, start: number): Read {
    this.byTurn = false;
    const type = this.node.typeOf(key);
    if (key in this.values) throw new Wrong("E206", `${quote(key)} is given twice`, start);
    if (!type) throw new Wrong("E202", `no parameter ${quote(key)}${this.chosen}`, start);
    if (reader.src[reader.pos] !== this.assigns) throw reader.unexpected(reader.pos, `${this.assigns === " " ? "a space" : `'${this.assigns}'`} after the key`);
    this.step = key;
    reader.pos += 1;
    this.valueAt = reader.pos;
    return this.read(reader, type);
  }

  protected read(reader: Reader, type: Type): Read {
    return reader.read(type);
  }
}

/** Return whether the next text could be a value. */
function isSomething(src: string, pos: number, end: number): boolean {
  return end > pos || (pos < src.length && !" ,;)]}\n".includes(src[pos]!));
}

/** R-313: a map, with alternating keys and values. */
export class Pairs extends Members {
  override get rows(): Type | null {
    return this.node.isMap && !this.isTagged && !this.isCall ? this.node.extra : null;
  }

  element(reader: Reader): Read {
    this.keyed = true;
    const start = reader.pos;
    return this.byKey(reader, reader.name("a key"), start);
  }

  keepRow(key: Step, value: Value): void {
    this.values[key as string] = value;
  }
}

class TaggedPairs extends Pairs {
  override readonly isTagged = true;
}

/** R-431: a call with a map, which needs no tools. With tools, each value is checked. */
export class MapCall extends Pairs {
  override readonly isUntyped = true;
  override get rows(): Type | null {
    return null;
  }

  protected override read(reader: Reader): Read {
    return reader.read(ANY);
  }

  /** R-432: check that the parameter allows the value that ends here. */
  override after(reader: Reader): void {
    const type = this.node.typeOf(this.step as string);
    if (type && type !== ANY) {
      try {
        checked(reader.value, type, 0, []);
      } catch (error) {
        if (!(error instanceof LtonError)) throw error;
        throw new Wrong(error.code, error.problem, this.valueAt, pointer(this.path) + error.path);
      }
    }
    super.after(reader);
  }
}

/** R-410: arguments or a record, with values by position and then by key. */
export class Row extends Members {
  protected override readonly assigns = "=";
  protected override byTurn = true;

  element(reader: Reader): Read {
    for (let param = this.next; param && !reader.watcher; param = this.next) {
      const value = reader.plain(param.type);
      if (value === NONE) break;
      this.byTurn = true;
      this.step = param.name;
      if (!reader.skipOne()) return value;
      this.keep(reader, value);
      this.at = reader.pos;
      this.step = null;
    }
    const { src, pos } = reader;
    const { next } = this;
    const first = src[pos];
    if (next && isOpener(first)) {
      this.byTurn = true;
      this.step = next.name;
      return reader.open(next.type);
    }
    if (isQuote(first)) return this.stringOrKey(reader);
    const end = runEnd(src, pos, IN_WORD);
    if (end === pos) return this.byPosition(reader, pos);
    const isRunOut = reader.runsOut(end);
    if (isRunOut || src[end] === "=") {
      const word = src.slice(pos, end);
      if (isName(word)) {
        if (isRunOut) throw reader.runOut(pos, "name");
        reader.pos = end;
        return this.byKey(reader, word, pos);
      }
    }
    return this.byPosition(reader, end);
  }

  private stringOrKey(reader: Reader): Read {
    const start = reader.pos;
    const { next } = this;
    let text: string;
    try {
      text = reader.text();
    } catch (stop) {
      if (stop instanceof More) this.judge(reader, stop);
      else if (stop instanceof Wrong) {
        // The string cannot be a key. If it cannot be a value either, report that.
        if (!next) return this.byPosition(reader, start);
        this.step = next.name;
        if (!next.type.string) throw new Wrong("E203", `expected ${next.type.noun}`, start);
      }
      throw stop;
    }
    const end = reader.pos;
    if (reader.runsOut(end)) {
      const isKey = !(text in this.values) && this.node.typeOf(text) !== null;
      if (reader.watcher && next && !isKey) {
        this.step = next.name;
        reader.watcher.report(this, text);
      }
      throw new More();
    }
    if (reader.src[end] === "=") return this.byKey(reader, text, start);
    reader.pos = start;
    return this.byPosition(reader, start);
  }

  /** Return whether a partial string may be reported, or may still be a key. */
  private judge(reader: Reader, more: More): void {
    const { next } = this;
    if (!reader.watcher || more.closer === null) return;
    const held = new More();
    held.closer = more.closer;
    if (next && !this.mayBeKey(held.certain(reader.src.slice(more.part)))) this.step = next.name;
    else {
      more.closer = null;
      if (!this.node.extra) more.skips = null;
    }
  }
}

/** R-501: the groups of a tagged call: an optional positional group, and one group for each key. */
export class TaggedCall extends Pairs {
  override readonly isTagged = true;
  private isDecided = false;
  private inRow = false;

  constructor(
    node: ObjectNode,
    private readonly hasSchema: boolean,
  ) {
    super(null, ")", 0, node);
  }

  override enter(reader: Reader): void {
    if (!this.isDecided) {
      this.at = reader.pos;
      this.inRow = this.opensRow(reader);
      this.isDecided = true;
    }
    if (this.inRow) super.enter(reader);
    else reader.state = State.Value;
  }

  override element(reader: Reader): Read {
    if (!this.inRow) return super.element(reader);
    const { src, pos } = reader;
    if (!this.hasSchema) throw new Wrong("E212", "without tools, only arguments with keys can be read", pos);
    const end = runEnd(src, pos, IN_NAME);
    if (end > pos && reader.runsOut(end)) throw reader.runOut(pos, "name");
    return this.byPosition(reader, end);
  }

  override after(reader: Reader): void {
    if (this.inRow) return super.after(reader);
    reader.watcher?.report(this, reader.value);
    if (!this.ends(reader.src[reader.pos])) this.checkEnd(reader);
    this.keep(reader, reader.value);
    this.step = null;
    if (reader.src[reader.pos] !== ")") throw reader.unexpected(reader.pos, "')': a group holds one key and its value");
    reader.pos += 1;
    reader.state = State.Between;
  }

  override finish(reader: Reader): void {
    reader.pos += 1;
    this.inRow = false;
    reader.state = State.Between;
  }

  override between(reader: Reader): void {
    const { src, pos } = reader;
    const isCut = pos === src.length || (src[pos] === "\n" && pos + 1 === src.length);
    if (reader.isOpen && isCut) throw new More();
    if (src.startsWith("\n(", pos)) {
      reader.pos += 2;
      reader.state = State.Value;
      return;
    }
    this.closer = "\n"; // only a line end ends the call
    this.checkNeeds(reader);
    reader.leave(this.values);
  }

  override hasRoom(): boolean {
    return this.inRow ? this.next !== undefined : super.hasRoom();
  }

  /** R-504: return whether a word is a value, and not an unquoted key. */
  private opensRow(reader: Reader): boolean {
    const { src, pos } = reader;
    if (isQuote(src[pos])) return false;
    const end = runEnd(src, pos, IN_NAME);
    if (reader.runsOut(end)) throw reader.runOut(pos, end > pos ? "name" : null);
    const word = src.slice(pos, end);
    const after = src[end] ?? "";
    if (!word) return after !== "" && ")[{".includes(after);
    if (after === ":") return /^[suifbe][0-9]+$/.test(word);
    return (word === "n" || word === "_") && after !== "" && " ,)".includes(after);
  }
}

// --- tables (R-314, R-315) -----------------------------------------------------------------------------------

/** A key in a header, and the columns of the column's own header if it has one. */
interface Column {
  key: string;
  inner: Column[];
}

/** The cells of a column: the path of keys from the row, and the type of the cells. */
interface Cell {
  keys: string[];
  type: Type;
}

/** A table that is being read. It replaces the array or map that it fills. */
class Table extends Group {
  readonly cells: Cell[] = [];
  /** The minimum number of cells in a row. */
  needed = 0;

  constructor(
    readonly filled: Filled,
    readonly type: Type,
    /** R-317: the number of rows if they are on lines, otherwise 0. */
    readonly count = 0,
  ) {
    super(filled.up, filled.closer, filled.depth);
  }

  get rowEnd(): string {
    return this.count ? "\n" : ";";
  }

  /** R-317: refuse surplus or missing rows. */
  checkCount(reader: Reader, rows: number): void {
    const goesOn = reader.src[reader.pos] === this.rowEnd;
    if (goesOn ? rows === this.count : rows < this.count) throw new Wrong("E103", `expected ${this.count} rows, found ${goesOn ? "another" : rows}`, reader.pos);
  }

  get hasKeys(): boolean {
    return this.closer === "}";
  }

  begin(reader: Reader): void {
    reader.push(Header.in(this, this.type, reader.pos), reader.pos + 1);
  }

  layOut(columns: readonly Column[], type: Type, above: string[]): void {
    for (const { key, inner } of columns) {
      const keys = [...above, key];
      if (inner.length) this.layOut(inner, type.object!.extra!, keys);
      else this.cells.push({ keys, type });
    }
  }

  nextRow(reader: Reader, pos: number): void {
    this.step = this.hasKeys ? null : (this.filled.values as Value[]).length;
    reader.push(new Cells(this), pos);
  }

  finish(reader: Reader): void {
    reader.group = this.filled;
    this.filled.step = null;
    this.filled.finish(reader);
  }

  element(): Read {
    return null;
  }

  keep(): void {
    // The rows store their own values.
  }
}

/** The keys of a table, or at least two keys of a column, so that a row has fewer objects than cells. */
class Header extends Group {
  private readonly columns = new Map<string, Column>();
  private key = "";

  private constructor(
    up: Table | Header,
    private readonly type: Type,
    private readonly column: Column,
  ) {
    super(up, ")", up.depth + 1);
  }

  /** Return the reader for a header, from its parenthesis on. It counts as a nesting level (R-1101). */
  static in(up: Table | Header, type: Type, pos: number, column: Column = { key: "", inner: [] }): Header {
    if (up.depth >= MAX_DEPTH) throw new Wrong("E301", `nested deeper than ${MAX_DEPTH}`, pos);
    return new Header(up, type, column);
  }

  element(reader: Reader): Read {
    const start = reader.pos;
    const key = reader.name("a key");
    if (this.columns.has(key)) throw twice(key, start);
    if (reader.runsOut(reader.pos)) throw new More(); // a header may follow, too
    const { object } = this.type;
    if (object?.isMap && reader.src[reader.pos] === "(") {
      const inner = Header.in(this, object.extra!, reader.pos, { key, inner: [] });
      this.key = key;
      return reader.push(inner, reader.pos + 1);
    }
    this.key = key;
    return null;
  }

  keep(): void {
    if (!this.columns.has(this.key)) this.columns.set(this.key, { key: this.key, inner: [] });
  }

  finish(reader: Reader): void {
    if (this.columns.size <= (this.up instanceof Header ? 1 : 0)) throw reader.unexpected(reader.pos, "a key");
    const count = this.up instanceof Table ? this.up.count : 0;
    if (count && reader.src[reader.pos + 1] !== "\n") throw reader.unexpected(reader.pos + 1, "a newline");
    const columns = [...this.columns.values()];
    reader.pos += 1;
    if (this.up instanceof Header) {
      this.up.columns.set(this.column.key, { ...this.column, inner: columns });
      return reader.leave(null);
    }
    const table = this.up as Table;
    table.layOut(columns, table.type, []);
    table.needed = table.cells.findLastIndex((cell) => cell.keys.length > 1) + 1;
    table.nextRow(reader, reader.pos + (count ? 1 : 0));
  }
}

/** A row: the key if the table is a map, and then the values of the object. */
class Cells extends Group {
  private readonly values: Values = emptyObject();
  private index: number;
  private rowKey = "";

  constructor(private readonly table: Table) {
    super(table, table.closer, table.depth);
    this.index = table.hasKeys ? -1 : 0;
  }

  override steps(): (string | number)[] {
    return this.step === null ? [] : this.table.cells[this.index]!.keys;
  }

  override ends(char: string | undefined): boolean {
    return char === this.table.rowEnd || super.ends(char);
  }

  protected override get end(): string {
    return `${this.table.count ? "a newline" : "';'"} or '${this.closer}'`;
  }

  override closes(reader: Reader, pos: number): boolean {
    return reader.src[pos] === this.table.rowEnd || super.closes(reader, pos);
  }

  override hasRoom(): boolean {
    return this.index < this.table.cells.length;
  }

  element(reader: Reader): Read {
    const { src, pos } = reader;
    if (this.index < 0) {
      const key = reader.name("a key");
      if (hasOwn(this.table.filled.values, key)) throw twice(key, pos);
      this.rowKey = key;
      return ABSENT;
    }
    const cell = this.table.cells[this.index];
    const end = runEnd(src, pos, IN_WORD);
    if (!cell) {
      if (!isSomething(src, pos, end)) throw reader.unexpected(pos, this.end);
      throw new Wrong("E207", "expected no other value in a row", pos);
    }
    const isInner = cell.keys.length > 1;
    this.step = cell.keys.at(-1)!;
    this.depth = this.table.depth + cell.keys.length;
    if (src[pos] !== "_" || end !== pos + 1) return reader.read(cell.type);
    if (reader.runsOut(end)) throw reader.runOut(pos, "word");
    if (isInner) throw new Wrong("E210", "every row has this column", pos);
    reader.pos = end;
    return ABSENT;
  }

  keep(_: Reader, value: Read): void {
    if (this.index < 0) this.table.step = this.rowKey;
    else if (value !== ABSENT) {
      const keys = this.table.cells[this.index]!.keys;
      let into = this.values;
      for (const key of keys.slice(0, -1)) into = (into[key] ??= emptyObject()) as Values;
      into[keys.at(-1)!] = value as Value;
    }
    this.index += 1;
    this.reported = 0;
  }

  finish(reader: Reader): void {
    const { table } = this;
    const { src, pos } = reader;
    if (this.index < 0) throw reader.unexpected(pos, "a key");
    const isOnly = src[pos] !== table.rowEnd && !table.hasKeys && (table.filled.values as Value[]).length === 0;
    if (this.index === 0 && isOnly) throw reader.unexpected(pos, "a row"); // so `[(a)]` is never a table
    if (this.index < table.needed) throw new Wrong("E205", "every row has this column", pos);
    if (table.count) table.checkCount(reader, (table.filled.values as Value[]).length + 1);
    table.filled.keepRow(table.step, this.values);
    if (src[pos] === table.rowEnd) table.nextRow(reader, pos + 1);
    else {
      table.step = null;
      table.finish(reader);
    }
  }
}

function twice(key: string, pos: number): Wrong {
  return new Wrong("E206", `${quote(key)} is given twice`, pos);
}

