// Finds the calls in a JSON value, and everything in the value that no call used.
//
// The value is walked from its root through lists and envelopes. An object is a call if one of its keys holds a
// tool's name, and another one the arguments. If both keys are known, the object is a call even if the arguments
// do not fit, so that the reader reports an error. If one of them is unknown, the arguments have to fit the
// tool's schema.
//
// Nothing is dropped: a key or an element that no call used and that is not metadata is *left*, and makes all
// calls of the value uncertain. A tool's name without arguments is *unread*, an error.

import type { Tool } from "../types.js";
import { ARGUMENTS, NAMES, TELLING, envelopesOf, isEmpty, isMetadata, isOwnType, mayName } from "./json-keys.js";
import { MAX_ENVELOPES, callShape, emptyGroup, type CallShape } from "./call-elements.js";
import { pattern } from "./patterns.js";
import { Strings, TAG } from "./strings.js";
import { stripStart } from "./text.js";
import { isDefinition } from "./shown-calls.js";
import { JSON_OBJECT, Loose, isLeaf, type Bracketed, type Entry, type Leaf, type Tree } from "./tree.js";
import { readOrNull } from "./unreadable.js";

const PREFIX = /^(?:functions|default_api)\./;
const JSON_IN_STRING = pattern(String.raw`\s*+(?:(?:${TAG.source})\s*+)*+(?=[\[{])`);
/** The number of characters of a string that is searched for a call. */
const MAX_STRING = 100_000;

/** The calls in a JSON value, with the positions of what no call used. */
export interface JSONCalls {
  readonly shapes: readonly CallShape[];
  /** Keys and elements that may belong to the arguments of a call. */
  readonly left: readonly number[];
  /** Names of tools without arguments, and calls in strings. */
  readonly unread: readonly number[];
}

const NOTHING: JSONCalls = { shapes: [], left: [], unread: [] };

type Fields = ReadonlyMap<string | null, Entry>;

/** Finds the calls in JSON values. */
export class JSONReader {
  constructor(
    private readonly tools: ReadonlyMap<string, Tool>,
    /** The names of tools that may be called without arguments. */
    private readonly bare: ReadonlySet<string>,
    /** Returns whether a value fits a tool's schema as its arguments. */
    private readonly fits: (name: string, args: Tree) => boolean,
  ) {}

  /** Find the calls in a value. Calls in other data are only quoted, so they are not read. */
  find(node: Tree, depth = 0): JSONCalls {
    if (isLeaf(node) || depth > MAX_ENVELOPES || isChat(node)) return NOTHING;
    return node.opener === "[" ? this.inList(node, depth) : this.inObject(node, depth);
  }

  private inList(node: Bracketed, depth: number): JSONCalls {
    const found = node.entries.map((entry) => ({ entry, inner: this.find(entry.value, depth + 1) }));
    const unused = found
      .filter(({ entry, inner }) => !(inner.shapes.length || inner.unread.length || isEmpty(entry.value)))
      .map(({ entry }) => entry.start);
    return {
      shapes: found.flatMap(({ inner }) => inner.shapes),
      left: [...found.flatMap(({ inner }) => inner.left), ...unused],
      unread: found.flatMap(({ inner }) => inner.unread),
    };
  }

  private inObject(node: Bracketed, depth: number): JSONCalls {
    const fields = new Map<string | null, Entry>();
    for (const entry of node.entries) if (!fields.has(entry.key)) fields.set(entry.key, entry); // the first of duplicates
    const opened = this.inEnvelope(node, fields, depth);
    if (opened.shapes.length) return opened;
    if (isDefinition(node, this.tools)) return NOTHING;
    const found = this.namedCall(node, fields) ?? this.callThatFits(node);
    if (found) return found;
    if (node.entries.every((entry) => entry.key !== null && this.tools.has(entry.key) && !isLeaf(entry.value))) {
      return { ...NOTHING, shapes: node.entries.map((entry) => callShape(entry.start, entry.key!, entry.start, entry.value)) };
    }
    for (const unread of [opened.unread, this.nameWithoutCall(node)]) if (unread.length) return { ...NOTHING, unread };
    return { ...NOTHING, unread: this.callInString(node) };
  }

  // --- envelopes ---------------------------------------------------------------------------------------------

  /** Find the calls in the first envelope with calls. All other keys are unused. */
  private inEnvelope(node: Bracketed, fields: Fields, depth: number): JSONCalls {
    let unread: readonly number[] = [];
    for (const key of envelopesOf(node)) {
      const field = fields.get(key)!;
      const inner = this.find(field.value, depth + 1);
      if (inner.shapes.length) return this.withRest(inner, without(node, [field]));
      unread = [...unread, ...inner.unread];
    }
    return { ...NOTHING, unread };
  }

  private withRest(inner: JSONCalls, remaining: readonly Entry[]): JSONCalls {
    const { left, others } = unusedIn(remaining, new Set(inner.shapes.map((shape) => shape.name)));
    const second = remaining.find((entry) => this.isOtherName(entry, inner.shapes))?.start ?? null;
    const shapes = inner.shapes.map((shape) => ({
      ...shape,
      second: shape.second ?? second,
      otherKeys: [...shape.otherKeys, ...others],
    }));
    return { shapes, left: [...inner.left, ...left], unread: inner.unread };
  }

  private isOtherName(entry: Entry, shapes: readonly CallShape[]): boolean {
    if (!NAMES.includes(entry.key ?? "") || !isLeaf(entry.value)) return false;
    const name = entry.value.text;
    return this.tools.has(name) && shapes.some((shape) => name !== shape.name);
  }

  // --- objects -----------------------------------------------------------------------------------------------

  /** Return the call of an object with known keys for the name and the arguments, or null. */
  private namedCall(node: Bracketed, fields: Fields): JSONCalls | null {
    const names = NAMES.flatMap((key) => fields.get(key) ?? []);
    const args = ARGUMENTS.flatMap((key) => fields.get(key) ?? []);
    const [first] = names;
    if (!first || !isLeaf(first.value)) return null;
    const name = first.value;
    const { left, others } = unusedIn(without(node, [first, ...args.slice(0, 1)]), new Set([name.text]));
    let second = this.second(node, name, names.slice(1));
    let group: Tree;
    if (!args.length && node.entries.length === 1 && this.bare.has(name.text)) group = emptyGroup(name.end);
    else if (args.length && (args.length === 1 || this.tools.has(name.text))) group = groupOf(args[0]!.value);
    else return null;
    if (args.length > 1 && second === null) second = args[1]!.start;
    // The key of an array is perhaps a parameter, and the array not all arguments.
    const otherKeys = args.length && !isLeaf(group) && group.opener === "[" ? [...others, args[0]!.key] : others;
    return { shapes: [callShape(node.start, name.text, name.start, group, { second, otherKeys })], left, unread: [] };
  }

  /** Return the position of a second tool name or second arguments, or null. */
  private second(node: Bracketed, name: Leaf, others: readonly Entry[]): number | null {
    for (const { value } of others) {
      if (isLeaf(value) && value.text !== name.text && this.tools.has(value.text)) return value.start;
    }
    const seen = new Set<string | null>();
    for (const entry of node.entries) {
      if (seen.has(entry.key) && TELLING.has(entry.key ?? "")) return entry.start;
      seen.add(entry.key);
    }
    return null;
  }

  /** Return the call of an object by its values, if only one reading is possible, or null. */
  private callThatFits(node: Bracketed): JSONCalls | null {
    const named = node.entries.filter((entry) => this.toolOf(entry) !== null);
    if (named.length !== 1) return null;
    const entry = named[0]!;
    const name = this.toolOf(entry)!;
    const groups = without(node, [entry]).filter((one) => this.mayBe(one, entry, name));
    if (groups.length !== 1) return null;
    const { left, others } = unusedIn(without(node, [entry, groups[0]!]), new Set([name]));
    const shape = callShape(node.start, name, entry.value.start, groupOf(groups[0]!.value), { otherKeys: others });
    return { shapes: [shape], left, unread: [] };
  }

  /** Return the tool that an entry names exactly, perhaps with the prefix of its namespace, or null. */
  private toolOf(entry: Entry): string | null {
    if (entry.key === null || !isLeaf(entry.value)) return null;
    const name = entry.value.text.replace(PREFIX, "");
    return this.tools.has(name) ? name : null;
  }

  /** Return whether an entry can only be the arguments of the tool that another one names. */
  private mayBe(entry: Entry, named: Entry, name: string): boolean {
    if (ARGUMENTS.includes(entry.key ?? "") && mayName(named.key ?? "")) return true;
    const { value } = entry;
    if (isEmpty(value) || !(isLeaf(value) || value.opener === "{")) return false;
    const isObject = !isLeaf(value) || stripStart(value.text).startsWith("{");
    return isObject && this.fits(name, value);
  }

  // --- what is not read --------------------------------------------------------------------------------------

  /** Return the position of a tool's name next to which its arguments are missing. */
  private nameWithoutCall(node: Bracketed): readonly number[] {
    for (const entry of node.entries) {
      const name = entry.key && mayName(entry.key) ? this.toolOf(entry) : null;
      if (name !== null && this.tools.get(name)!.args.byName.size) return [entry.value.start];
    }
    return [];
  }

  /** Return the position of a string with a call, if the object contains nothing else. */
  private callInString(node: Bracketed): readonly number[] {
    const remaining = node.entries.filter(({ key, value }) => !(isMetadata(key, value) || isEmpty(value)));
    const only = remaining[0]?.value;
    if (remaining.length !== 1 || !only || !isLeaf(only)) return [];
    const { text } = only;
    const start = JSON_IN_STRING.match(text)?.end;
    if (start === undefined || !isJSON(text, start) || text.length > MAX_STRING) return [];
    const tree = readOrNull(() => new Loose(new Strings(text), text.length).group(start, { json: true }));
    return tree && this.find(tree, MAX_ENVELOPES - 2).shapes.length ? [only.start] : [];
  }
}

function without(node: Bracketed, used: readonly Entry[]): Entry[] {
  const starts = new Set(used.map((entry) => entry.start));
  return node.entries.filter((entry) => !starts.has(entry.start));
}

function isJSON(text: string, pos: number): boolean {
  return text[pos] === "[" || JSON_OBJECT.match(text, pos) !== null;
}

/** Return the positions of the entries that are not metadata, and the keys of the others. */
function unusedIn(entries: readonly Entry[], names: ReadonlySet<string>): { left: number[]; others: (string | null)[] } {
  const left: number[] = [];
  const others: (string | null)[] = [];
  for (const { start, key, value } of entries) {
    const isName = NAMES.includes(key ?? "") && isLeaf(value) && names.has(value.text);
    if (isName || isEmpty(value) || isOwnType(key, value)) continue;
    if (isMetadata(key, value)) others.push(key);
    else left.push(start);
  }
  return { left, others };
}

function groupOf(node: Tree): Tree {
  return isLeaf(node) && isEmpty(node) ? emptyGroup(node.start, node.end) : node;
}

function isChat(node: Bracketed): boolean {
  if (node.opener !== "[") return false;
  return node.entries.some(
    ({ value }) =>
      !isLeaf(value) && value.entries.some((member) => member.key === "role" && isLeaf(member.value) && member.value.text !== "assistant"),
  );
}
