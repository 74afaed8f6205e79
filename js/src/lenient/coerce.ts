// Converts a tree of values to arguments that fit the schema, and collects the repairs.
//
// A value that fits without a repair is never repaired. Limits are not checked here. The caller encodes the
// call, which checks everything.

import { excerpt, pointer, quote } from "../errors.js";
import { Wrong } from "../reader/stops.js";
import { readValue } from "../reader/value.js";
import { BARE, NUMBER } from "../syntax.js";
import { ANY, Type, type ObjectNode, type Param, type StringNode } from "../types.js";
import { MAX_DEPTH, MAX_DIGITS, emptyObject, type Members, type Num, type Value } from "../values.js";
import { pattern } from "./patterns.js";
import { RepairCode, Repairs, type Note } from "./repairs.js";
import { Strings, unescape } from "./strings.js";
import { caseless, fold, strip } from "./text.js";
import { Bracketed, Leaf, Loose, isLeaf, type Entry, type Tree } from "./tree.js";
import { Unreadable, readOrNull } from "./unreadable.js";

const SKIP = "_";
const LITERALS: ReadonlyMap<string, null | boolean> = new Map([["null", null], ["true", true], ["false", false]]);
const LOOSE_LITERALS: ReadonlyMap<string, null | boolean> = new Map([...LITERALS, ["none", null]]);
const LOOSE_NUMBER = /^([+-]?)(?=\.?[0-9])((?:[0-9]+_)*[0-9]*)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
const NUMERIC = /^[+-]?\.?[0-9]/;
/** JSON that was escaped twice. */
const ESCAPED = pattern(String.raw`[\[{][\[{\s]*\\"`);

/** Return the only known name with the same normalized form as `name`, or null. */
export function resolve(name: string, known: Iterable<string>): string | null {
  const folded = fold(name);
  const found = [...known].filter((other) => fold(other) === folded);
  return found.length === 1 ? found[0]! : null;
}

/** Return the number of a lexeme that matches `NUMBER`, or null if it has no value. */
function readNumber(lexeme: string): Num | null {
  if (/^-?[0-9]+$/.test(lexeme)) return lexeme === "-0" ? null : BigInt(lexeme);
  const value = Number(lexeme);
  return Number.isFinite(value) ? value : null;
}

/** Converts a tree of values to arguments. */
export class Coercion {
  readonly repairs: Repairs;
  private readonly places = new Map<string, number>();

  constructor(
    private readonly src: string,
    repairs: Iterable<Note>,
    /** The number of strings that enclose the source. */
    private readonly depth = 0,
    /** Whether the tree comes from Python, in which text without quotes is never a string. */
    private readonly isPython = false,
  ) {
    this.repairs = new Repairs(repairs);
  }

  private note(code: RepairCode, pos: number): void {
    this.repairs.add(pos, code);
  }

  private refuse(pos: number, path: string, code: string, problem: string): Unreadable {
    return new Unreadable(new Wrong(code, problem, pos, path));
  }

  /** Return the position of a value, or of the innermost enclosing value that has one. */
  place(path: string): number {
    let known = path;
    while (!this.places.has(known)) known = known.slice(0, Math.max(0, known.lastIndexOf("/")));
    return this.places.get(known)!;
  }

  // --- members -----------------------------------------------------------------------------------------------

  /** Convert a group to an object's members: positional values first, then keyed values. */
  members(group: Bracketed, layout: ObjectNode, path = ""): Members {
    const node = branchOf(group, layout);
    if (!path) this.places.set(path, group.end - Number(group.opener !== ""));
    const names = group.entries.map((entry) => this.name(entry, node, path));
    const targets = this.targets(group, names, node, path)[Symbol.iterator]();
    const values = emptyObject();
    const seen = new Set<string>();
    for (const [index, entry] of group.entries.entries()) {
      const key = names[index]!;
      const param = key === null ? (targets.next().value as Param) : node.byName.get(key);
      const name = key ?? param!.name;
      if (seen.has(name)) throw this.refuse(entry.start, path, "E206", `${quote(name)} is given twice`);
      seen.add(name);
      const type = node.typeOf(name)!; // `name` refuses undeclared names
      const { value } = entry;
      const isSkip = isLeaf(value) && value.kind === "word" && value.text === SKIP;
      if (key === null && isSkip) continue;
      if (param && !param.required && isLeftOut(value, type)) {
        this.note(RepairCode.NULL, value.start);
        continue;
      }
      values[name] = this.value(value, type, path + pointer([name]));
    }
    return values;
  }

  private name(entry: Entry, node: ObjectNode, path: string): string | null {
    const { key } = entry;
    if (key === null || node.typeOf(key) !== null) return key;
    const name = resolve(key, node.byName.keys());
    if (name === null) throw this.refuse(entry.start, path, "E202", `no parameter ${quote(key.slice(0, 200))}`);
    this.note(RepairCode.NAME, entry.start);
    return name;
  }

  /**
   * Return the parameters to which the positional arguments belong.
   *
   * If positional arguments follow a keyed one, these are the required parameters that have no key. There must be
   * as many of these as arguments, so that no other reading is possible.
   */
  private targets(group: Bracketed, names: readonly (string | null)[], node: ObjectNode, path: string): Param[] {
    const starts = group.entries.filter((_, index) => names[index] === null).map((entry) => entry.start);
    const keyed = names.findIndex((key) => key !== null);
    const firstKey = keyed < 0 ? names.length : keyed;
    let targets = [...node.turns];
    if (starts.length > firstKey) {
      targets = targets.filter((param) => param.required && !names.includes(param.name));
      const late = starts[firstKey]!;
      if (targets.length !== starts.length) throw this.refuse(late, path, "E107", "expected a keyed argument after a keyed one");
      this.note(RepairCode.ORDER, late);
    }
    if (starts.length > targets.length) {
      throw this.refuse(starts[targets.length]!, path, "E207", `expected at most ${targets.length} positional arguments`);
    }
    return targets;
  }

  // --- values ------------------------------------------------------------------------------------------------

  value(value: Tree, type: Type, path: string): Value {
    this.places.set(path, value.start);
    if (!isLeaf(value)) return this.group(value, type, path);
    if (value.kind === "label" && type.string && type.string.values === undefined) this.note(RepairCode.LENGTH, value.start);
    if (value.kind === "text" || value.kind === "label") return this.text(value, type, path);
    if (value.kind === "raw" || value.kind === "json") return this.raw(value, type, path);
    return this.word(value, type, path);
  }

  private group(group: Bracketed, type: Type, path: string): Value {
    if (group.isTable) return this.table(group, type, path);
    const hasKeys = group.entries.some((entry) => entry.key !== null);
    const { array, object } = type;
    if (group.opener === "[" && array) return this.items(group, array.items, path);
    if (group.opener !== "[" && object && (group.opener === "{" || !object.isMap || hasKeys)) {
      if (!group.json && (group.opener === "{") !== object.isMap) this.note(RepairCode.BRACKETS, group.start);
      return this.members(group, object, path);
    }
    if (group.opener === "(" && array && !hasKeys) {
      this.note(RepairCode.BRACKETS, group.start);
      return this.items(group, array.items, path);
    }
    throw this.unfit(group, type, path);
  }

  private table(group: Bracketed, type: Type, path: string): Value {
    const table = readValue(this.src, group.start, type);
    if (table instanceof Wrong) throw this.refuse(table.pos, path + (table.path ?? ""), table.code, table.problem);
    return table.value;
  }

  private items(group: Bracketed, items: Type, path: string): Value[] {
    return group.entries.map((entry, index) => this.value(entry.value, items, `${path}/${index}`));
  }

  private unfit(value: Tree, type: Type, path: string): Unreadable {
    const found = this.src.slice(value.start, Math.min(value.end, value.start + 40));
    const code = type.hasLabels && isLeaf(value) ? "E204" : "E203";
    return this.refuse(value.start, path, code, `expected ${type.noun}, found ${excerpt(found)}`);
  }

  /** Return the string, or the allowed string that differs only in case, or null. */
  private string(leaf: Leaf, node: StringNode | null): string | null {
    if (!node) return null;
    if (node.values === undefined || node.values.includes(leaf.text)) return leaf.text;
    const text = caseless(leaf.text);
    const found = node.values.filter((label) => caseless(label) === text);
    if (found.length !== 1) return null;
    this.note(RepairCode.LABEL, leaf.start);
    return found[0]!;
  }

  private text(leaf: Leaf, type: Type, path: string): Value {
    const text = this.string(leaf, type.string);
    if (text === null) {
      const value = this.again(leaf, type, path);
      this.note(RepairCode.KIND, leaf.start);
      return value;
    }
    if (text !== leaf.text && this.hasOtherReading(leaf, type, path)) throw this.unfit(leaf, type, path);
    return text;
  }

  /** Return whether a listed string in other case may also be another value: `"TRUE"`. */
  private hasOtherReading(leaf: Leaf, type: Type, path: string): boolean {
    return readOrNull(() => ({ value: this.again(leaf, type, path) })) !== null;
  }

  /**
   * Convert an element's text to the type that the element declares, or to one that fits.
   *
   * Text in brackets is read as an array or object if the schema allows this in addition to strings. Without a
   * schema, such text is a string. R-304 applies to all other values.
   */
  private raw(leaf: Leaf, type: Type, path: string): Value {
    const text = strip(leaf.text);
    const isNamed = type !== ANY && (text.startsWith("[") || text.startsWith("{"));
    if (type.string && (leaf.kind === "json" || isNamed)) {
      const read = readOrNull(() => ({ value: this.again(leaf, type, path) }));
      if (read) return read.value;
    }
    if (type.takesBare(text)) {
      // Only a listed string may have white space around it.
      const found = this.string(leaf, type.string) ?? this.string(new Leaf(leaf.start, leaf.end, leaf.kind, text), type.string);
      if (found !== null) return found;
    }
    return this.again(leaf, type, path);
  }

  /** Parse a string's text as JSON, because the schema allows no string at this position. */
  private again(leaf: Leaf, type: Type, path: string): Value {
    if (this.depth === MAX_DEPTH) throw this.refuse(leaf.start, path, "E301", `nested deeper than ${MAX_DEPTH}`);
    const text = strip(leaf.text);
    if (leaf.kind === "raw" && ESCAPED.match(text)) {
      const value = this.again(new Leaf(leaf.start, leaf.end, "text", unescape(text)), type, path);
      this.note(RepairCode.ESCAPE, leaf.start);
      return value;
    }
    const loose = new Loose(new Strings(text), text.length);
    const { value, end, repairs } = this.readAgain(leaf, loose, text, type, path);
    if (end !== text.length) throw this.unfit(leaf, type, path);
    for (const [, code] of repairs) this.note(code, leaf.start);
    return value;
  }

  private readAgain(leaf: Leaf, loose: Loose, text: string, type: Type, path: string): { value: Value; end: number; repairs: Repairs } {
    try {
      const tree = loose.value(0, { json: true });
      const inner = new Coercion(text, loose.repairs, this.depth + 1);
      const withoutStrings = new Type({ ...type, string: null });
      return { value: inner.value(tree, withoutStrings, path), end: tree.end, repairs: inner.repairs };
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason;
      if (!text.startsWith("{") && !text.startsWith("[")) throw this.unfit(leaf, type, path);
      const { error } = reason;
      throw this.refuse(leaf.start, error.path ?? "", error.code, `${error.problem}, in the text of a value`);
    }
  }

  /** Read a bare word as LTON does if possible, and otherwise as the only value that fits. */
  private word(leaf: Leaf, type: Type, path: string): Value {
    const word = leaf.text;
    if (word.length > MAX_DIGITS && type.number && NUMBER.test(word)) {
      throw this.refuse(leaf.start, path, "E302", "too many characters of a number");
    }
    if (this.isPython && isExpression(leaf, type)) {
      throw this.refuse(leaf.start, path, "E203", `expected a value, found ${excerpt(word)}`);
    }
    const isBare = leaf.kind !== "literal";
    if (isBare && type.takesBare(word) && word !== SKIP) {
      const text = this.string(leaf, type.string);
      if (text !== null) {
        if (!BARE.test(word)) this.note(RepairCode.BARE, leaf.start);
        return text;
      }
    }
    const value = this.scalar(leaf, type);
    if (value === undefined && !isBare && !LOOSE_LITERALS.has(word.toLowerCase())) {
      const text = this.string(leaf, type.string);
      if (text !== null) {
        this.note(NUMBER.test(word) ? RepairCode.KIND : RepairCode.BARE, leaf.start);
        return text;
      }
    }
    if (value === undefined || (value === null && !type.null)) throw this.unfit(leaf, type, path);
    return value;
  }

  /** Convert a word to a literal or a number, or return undefined. */
  private scalar(leaf: Leaf, type: Type): null | boolean | Num | undefined {
    const word = leaf.text;
    const value = LOOSE_LITERALS.get(word.toLowerCase());
    const isAllowed = value === null ? type.null : value !== undefined && type.booleans.includes(value);
    if (isAllowed) {
      if (!LITERALS.has(word)) this.note(RepairCode.LITERAL, leaf.start);
      return value;
    }
    if (!type.number) return undefined;
    if (NUMBER.test(word)) {
      const number = readNumber(word);
      if (number !== null) return number;
    }
    const number = looseNumber(word, type.number.integer);
    if (number !== undefined) this.note(RepairCode.NUMBER, leaf.start);
    return number;
  }
}

/** Return whether null means that an argument is omitted, because its type does not allow null. */
function isLeftOut(value: Tree, type: Type): boolean {
  if (type.null || !isLeaf(value)) return false;
  const text = value.text.toLowerCase();
  if (text !== "null" && text !== "none") return false;
  const labels = type.string ? type.string.values : [];
  const isString = labels === undefined || labels.some((label) => label.toLowerCase() === text);
  return value.kind === "literal" || ((value.kind === "word" || value.kind === "raw") && !isString);
}

/** Return whether a bare word can only be an expression of Python, such as a name. */
function isExpression(leaf: Leaf, type: Type): boolean {
  const word = leaf.text;
  if (leaf.kind === "phrase") return true;
  const isListed = type.string?.values?.includes(word) ?? false;
  const isLiteral = LOOSE_LITERALS.has(word.toLowerCase()) || NUMERIC.test(word);
  return !(isListed || isLiteral || word === SKIP);
}

function looseNumber(word: string, isInteger: boolean): Num | undefined {
  if (word.length > MAX_DIGITS) return undefined;
  const match = LOOSE_NUMBER.exec(word);
  if (!match) return undefined;
  const [, sign, whole, fraction] = match;
  const digits = whole!.replaceAll("_", "").replace(/^0+/, "") || "0";
  const lexeme = `${sign === "-" ? "-" : ""}${digits}${fraction}`;
  const number = readNumber(lexeme);
  if (number !== null) return number;
  // The integer `-0` can only be 0.
  return isInteger && digits === "0" && !fraction ? 0n : undefined;
}

/** Return the branch that the labels of an object choose, at every level of unions. */
function branchOf(group: Bracketed, node: ObjectNode): ObjectNode {
  const { label } = node;
  if (label === null) return node;
  const byPosition = group.entries.filter((entry) => entry.key === null);
  const byKey = group.entries.findLast((entry) => entry.key === label);
  const place = node.turns.findIndex((param) => param.name === label);
  const value = (byKey ?? byPosition[place])?.value;
  const branch = value && isLeaf(value) ? node.branchWith(value.text) : null;
  return branch ? branchOf(group, branch) : node;
}
