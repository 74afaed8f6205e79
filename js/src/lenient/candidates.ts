// Reads a possible call, and tries each notation in which its arguments may be written.

import { readCalls } from "../decode.js";
import { encode } from "../encode.js";
import { LtonError, pointer } from "../errors.js";
import { Wrong } from "../reader/stops.js";
import { CALL, spellName } from "../syntax.js";
import type { ToolSet } from "../toolset.js";
import { FREE, Type, type ObjectNode } from "../types.js";
import { isObject, type Call, type Integers, type Members, type Value } from "../values.js";
import { bodyAfter, isShaped, jsonStart } from "./arguments.js";
import { Coercion } from "./coerce.js";
import { Cost, type Effort } from "./effort.js";
import { firstKey, opensKey, parameters } from "./call-elements.js";
import { pattern, type Pattern } from "./patterns.js";
import { RepairCode, Repairs, type Note } from "./repairs.js";
import { ENDING_TAG, Extents, TOKENS, type Strings } from "./strings.js";
import { find, strip } from "./text.js";
import { Bracketed, Loose, isLeaf, type Tree } from "./tree.js";
import { Unfit, Unreadable, WrongLength } from "./unreadable.js";

/** The maximum number of characters that are read again to find correct lengths. */
const BUDGET = 10_000;
const SPACE = pattern(String.raw` (?=\S)`);
const SPACED = pattern(String.raw`\s|\Z`);
/** The text after a call that shows that the call is complete. */
const IS_OVER = pattern(String.raw`[ \t)\]}]*+(?:\s*+(?:\Z|\`\`\`|${ENDING_TAG.source}))`);
const NONE_IN_GROUP = pattern(String.raw`[(,][ \t\n]*(?:[\w-]{1,64}[ \t]*=[ \t]*)?None[ \t\n]*[,)]`);
const NEWLINE = pattern("\n");
/** A sign in a bare string that the string may lack a length or a quotation mark. */
const MARK_IN_WORD = pattern(String.raw`[:'\u2019]|s\d`);
const BEFORE_GROUPS = pattern(String.raw`[ \t]*+\r?+\n?+[ \t]*+(?=\()`);
const COUNTED = pattern("s([0-9]++)(:?)");

/** A name that may begin a call, with its position and its repairs. */
export interface Head {
  readonly start: number;
  readonly sigil: string;
  readonly end: number;
  readonly args: number;
  readonly name: string;
  readonly isExact: boolean;
  readonly notes: readonly Note[];
  readonly repeats: boolean;
}

/** A way to read a call's arguments: a parser, the end of its input, and the initial repairs. */
interface Way {
  readonly parse: (loose: Loose) => Bracketed;
  readonly end: number;
  readonly notes: readonly Note[];
  readonly escapes?: boolean;
  readonly tagged?: boolean;
  readonly isLine?: boolean;
  readonly isLton?: boolean;
}

/** Whether the end of a repaired call, or the end of a value in it, is uncertain. */
export interface Damage {
  /** Whether the end of the call is unknown, so text after it may belong to it. */
  readonly atEnd: boolean;
  /** Whether a bracket is missing, so the end of a value of several lines is unknown. */
  readonly inside: boolean;
}

const NO_DAMAGE: Damage = { atEnd: false, inside: false };

/** A call that fits the schema, the end of its text, and its repairs. */
export interface Candidate {
  readonly call: Call;
  readonly end: number;
  readonly repairs: Repairs;
  readonly text: string;
  readonly damage: Damage;
  /** Whether a value may include another argument or the end of its element. */
  readonly isTorn: boolean;
}

/** The error of an unreadable call. */
export class Failure {
  constructor(
    readonly error: Wrong,
    readonly isDamaged: boolean,
  ) {}
}

/** Return whether Python's `None` was read as a string although the schema allows null. */
export function hasNone(src: string, tools: ToolSet<unknown> | null, calls: readonly Call[]): boolean {
  if (!tools || !src.includes("None") || !NONE_IN_GROUP.search(src)) return false;
  return calls.some((call) =>
    Object.entries(call.arguments).some(([key, value]) => value === "None" && tools.byName.get(call.name)!.args.typeOf(key)?.null),
  );
}

class Tried {
  isWhole = false;

  constructor(public problem: Wrong | null) {}

  note(way: Way, reason: Unreadable): void {
    if (reason instanceof Unfit) this.isWhole ||= !reason.isDamaged;
    const isOfLton = way.isLton !== false;
    if (!(isOfLton && this.problem)) this.problem = reason.error;
  }
}

/** Reads calls, and limits how much work it spends on correcting wrong string lengths. */
export class CallReader {
  readonly src: string;
  readonly extents: Extents;
  private budget = BUDGET;
  private limit: number;
  /** Whether the call that is being read is in a program. */
  private isPython = false;

  constructor(
    readonly strings: Strings,
    readonly tools: ToolSet<unknown> | null,
    readonly effort: Effort,
    /** Returns whether a call begins at a position, outside the brackets of other calls. */
    begins: (pos: number) => boolean,
    private readonly integers: Integers,
  ) {
    this.src = strings.src;
    this.extents = new Extents(strings, effort, begins);
    this.limit = this.src.length;
  }

  endOf(pos: number, { groups = false, escapes = false } = {}): number {
    return this.extents.find(pos, { groups, escapes, stop: this.limit }).end;
  }

  /**
   * Read a call strictly or, if that fails, in the first way that gives exactly one call.
   *
   * With `python`, the call is in a Python list, or in other marks around Python, so it is not LTON. The text of
   * the call must not extend beyond `limit`.
   */
  read(head: Head, python: boolean, limit: number | null = null): Candidate | Failure {
    this.isPython = python;
    let found: Candidate | Failure;
    try {
      found = this.readOnce(head, python, limit);
    } finally {
      this.isPython = false;
    }
    if (found instanceof Failure || python) return found;
    const text = this.src.slice(head.args, found.end);
    return hasNone(text, this.tools, [found.call]) ? this.readOnce(head, true, limit) : found;
  }

  private readOnce(head: Head, python: boolean, limit: number | null): Candidate | Failure {
    const { src } = this;
    this.limit = limit ?? src.length;
    const end = this.endOf(head.end, { groups: head.sigil !== "" });
    const body = bodyAfter(src, head.args);
    if (body !== null && !isShaped(src, head.args)) return new Failure(this.noBody(body), true);
    const strict = this.strict(head, end);
    let whole: Candidate | null = null;
    if (!(strict instanceof Wrong) && !python && body === null) {
      whole = candidateOf(strict, end, head.notes);
      if (Object.keys(strict.arguments).length || jsonStart(src, head.args) === null) return whole;
    }
    const tried = new Tried(strict instanceof Wrong ? strict : null);
    for (const tier of this.tiers(head, python)) {
      const found = this.found(head.name, tier, tried);
      if (found.length) return this.chosen(head, end, found, tried, python);
    }
    if (whole) return whole;
    let problem = tried.problem!; // no call was found
    if (problem === strict) problem = this.unended(head, end, problem);
    return new Failure(problem, !tried.isWhole || problem.code < "E201");
  }

  noBody(pos: number): Wrong {
    const problem = "expected the arguments that the marks before announce";
    return new Wrong(pos === this.src.length ? "E110" : "E101", problem, pos, "");
  }

  private found(name: string, tier: readonly Way[], tried: Tried): Candidate[] {
    const found = new Map<string, Candidate>();
    for (const way of tier) {
      try {
        for (const candidate of this.candidates(name, way, new Map())) {
          const key = `${candidate.end} ${candidate.text}`;
          if (!found.has(key)) found.set(key, candidate);
        }
      } catch (reason) {
        if (!(reason instanceof Unreadable)) throw reason;
        tried.note(way, reason);
      }
    }
    return [...found.values()];
  }

  private chosen(head: Head, end: number, found: readonly Candidate[], tried: Tried, python: boolean): Candidate | Failure {
    if (found.length > 1) {
      const problem = tried.problem ?? new Wrong("E101", "this can be read in two ways", head.args, "");
      return new Failure(problem, found.some((candidate) => candidate.damage.atEnd));
    }
    const candidate = found[0]!;
    if (candidate.end !== end && !python) {
      const strict = this.strict(head, candidate.end);
      if (!(strict instanceof Wrong)) return candidateOf(strict, candidate.end, head.notes);
    }
    return candidate;
  }

  /** Yield the ways to read the arguments in groups, the strictest group first. */
  private *tiers(head: Head, python: boolean): Iterable<readonly Way[]> {
    const raw = [...this.ways(head, python)];
    yield raw;
    const end = raw.length ? Math.max(...raw.map((way) => way.end)) : head.args;
    const hasEscapes = !python && find(this.src, "\\", head.args, end) >= 0;
    if (hasEscapes) yield [...this.ways(head, true)];
    for (const way of raw) {
      const stop = way.end - 1;
      if (!way.isLine || !".;".includes(this.src[stop]!) || stop <= head.args) continue;
      const cut: Way = { ...way, end: stop, notes: [...way.notes, [stop, RepairCode.SEPARATOR]] };
      yield [cut];
      if (hasEscapes) yield [{ ...cut, escapes: true }];
    }
  }

  private *ways(head: Head, escapes: boolean): Iterable<Way> {
    const { src } = this;
    const pos = head.args;
    let notes: readonly Note[] = head.notes;
    const start = jsonStart(src, pos);
    const keys = start === null ? firstKey(src, pos) : null;
    if (start !== null) {
      const between = strip(src.slice(pos, start));
      if (between) notes = [...notes, [pos, between === ":" ? RepairCode.SEPARATOR : RepairCode.FRAME]];
      const withJson: Note[] = [...notes, [start, RepairCode.JSON]];
      yield { parse: (loose) => loose.group(start, { json: true }), end: this.limit, notes: withJson, isLton: false };
      if (src.slice(pos, start) !== " ") return;
    } else if (keys !== null) {
      notes = [...notes, [head.start, RepairCode.XML]];
      yield { parse: () => parameters(src, keys)[1], end: this.limit, notes, isLton: false };
      return;
    } else if (src.startsWith("(", pos)) {
      const end = this.endOf(pos, { escapes });
      if (!this.tools) notes = [...notes, [head.start, RepairCode.SIGIL]];
      yield { parse: (loose) => loose.callGroup(pos), end, notes, escapes };
      return;
    }
    yield* this.spacedWays(head, escapes);
    const groups = BEFORE_GROUPS.match(src, pos);
    // The groups are the arguments, or no other form is possible.
    if (!this.tools || groups?.text.includes("\n") || !SPACED.match(src, pos)) return;
    const end = this.endOf(pos, { escapes });
    const first = SPACE.match(src, pos, end) ? pos + 1 : pos;
    yield { parse: (loose) => loose.line(first), end, notes, escapes, isLine: true };
  }

  /** Yield the ways that allow white space between the name and the parenthesis. */
  private *spacedWays(head: Head, escapes: boolean): Iterable<Way> {
    const gap = BEFORE_GROUPS.match(this.src, head.args);
    if (!gap) return;
    const start = gap.end;
    const notes: Note[] = [...head.notes];
    if (gap.text !== "\n") notes.push([head.args, RepairCode.LINES]);
    if (!head.sigil) notes.push([head.start, RepairCode.SIGIL]);
    const end = this.endOf(start, { groups: true, escapes });
    yield { parse: (loose) => loose.taggedGroups(start), end, notes, escapes, tagged: true };
    if (gap.text.includes("\n")) return;
    const spaced: Note[] = [...head.notes, [head.args, RepairCode.SEPARATOR]];
    yield { parse: (loose) => loose.callGroup(start), end: this.endOf(start, { escapes }), notes: spaced, escapes };
  }

  // --- reading -----------------------------------------------------------------------------------------------

  /** Decode a call strictly, with its name corrected and `after` appended to its text, or return the error. */
  private strict(head: Head, end: number, after = ""): Call | Wrong {
    const prefix = (head.sigil ? CALL : "") + spellName(head.name);
    const text = prefix + this.src.slice(head.end, end) + after;
    this.effort.spend(Cost.Strict, Math.floor(text.length / 8));
    let calls: Call[];
    try {
      calls = readCalls(text, 0, this.tools, "bigint");
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      return moved(error, this.src, Math.max(head.start, error.pos - prefix.length + head.end));
    }
    const problem = this.integers === "number" ? unsafePath(calls[0]!.arguments, "") : null;
    return problem === null ? calls[0]! : tooLarge(head.start, problem);
  }

  /** Return the error that decoding reports if a line break is added after the call. */
  private unended(head: Head, end: number, error: Wrong): Wrong {
    if (error.pos !== end || end === this.src.length) return error;
    const other = this.strict(head, end, "\n"); // the newline is added only to get this error
    return other instanceof Wrong ? other : error;
  }

  /** Convert a tree of values to a call. Throws `Unreadable` if the values do not fit. */
  interpret(name: string, tree: Tree, end: number, repairs: Iterable<Note>): Candidate {
    const { tools } = this;
    const members = tools ? tools.byName.get(name)!.args : FREE;
    const coercion = new Coercion(this.src, repairs, 0, this.isPython);
    const args = isLeaf(tree) ? (coercion.value(tree, new Type({ object: members }), "") as Members) : coercion.members(tree, members);
    const call: Call = { name, arguments: args };
    const unsafe = this.integers === "number" ? unsafePath(args, "") : null;
    if (unsafe !== null) throw new Unreadable(tooLarge(coercion.place(unsafe), unsafe));
    const text = this.encoded(call, coercion);
    if (!isLeaf(tree)) coercion.repairs.addAll(tree.notes);
    return { call, end, repairs: coercion.repairs, text, damage: NO_DAMAGE, isTorn: isTorn(this.src, tree, members) };
  }

  private encoded(call: Call, coercion: Coercion): string {
    try {
      return encode(call, this.tools, { integers: "bigint" });
    } catch (error) {
      if (!(error instanceof LtonError)) throw error;
      const code = error.code === "E401" ? "E108" : error.code;
      const path = error.path ?? "";
      throw new Unreadable(new Wrong(code, error.problem, coercion.place(path), path));
    }
  }

  /** Read the arguments in one way and return the possible calls. May throw `Unreadable`. */
  private candidates(name: string, way: Way, lengths: ReadonlyMap<number, number>): Candidate[] {
    const { escapes = false, tagged = false } = way;
    const loose = new Loose(this.strings, way.end, { escapes, tagged, lengths });
    loose.repairs.addAll(way.notes);
    let tree: Bracketed;
    try {
      tree = way.parse(loose);
    } catch (reason) {
      if (reason instanceof WrongLength) {
        this.effort.spend(Cost.Loose, Math.max(0, reason.error.pos - reason.pos));
        return this.withLengths(name, way, lengths, reason);
      }
      if (reason instanceof Unreadable) this.effort.spend(Cost.Loose);
      throw reason;
    }
    this.effort.spend(Cost.Loose, tree.end - tree.start);
    if (way.isLine && tree.end < way.end && !"\r\n".includes(this.src[tree.end]!)) throw loose.unreadable(tree.end, "the end of the line");
    return this.interpretations(name, tree, loose.repairs);
  }

  private interpretations(name: string, tree: Bracketed, read: Repairs): Candidate[] {
    const found: Candidate[] = [];
    let problem: Unreadable | null = null;
    for (const args of argumentsIn(tree)) {
      const repairs = new Repairs(read);
      if (args !== tree && !args.json) repairs.add(args.start, RepairCode.BRACKETS);
      try {
        const candidate = this.interpret(name, args, tree.end, repairs);
        found.push({ ...candidate, damage: damageOf(this.src, tree, candidate.repairs) });
      } catch (reason) {
        if (!(reason instanceof Unreadable)) throw reason;
        problem ??= reason;
      }
    }
    if (problem && !found.length) {
      const isDamaged = damageOf(this.src, tree, read).atEnd || hasLineEnds(this.src, tree);
      throw new Unfit(problem.error, isDamaged);
    }
    return found;
  }

  private withLengths(name: string, way: Way, lengths: ReadonlyMap<number, number>, wrong: WrongLength): Candidate[] {
    const found: Candidate[] = [];
    for (const length of wrong.lengths) {
      this.budget -= way.end - wrong.pos + 1;
      if (this.budget < 0) throw wrong;
      try {
        found.push(...this.candidates(name, way, new Map([...lengths, [wrong.pos, length]])));
      } catch (reason) {
        if (!(reason instanceof Unreadable)) throw reason;
      }
    }
    if (!found.length) throw wrong;
    return found;
  }
}

function candidateOf(call: Call, end: number, notes: Iterable<Note>): Candidate {
  return { call, end, repairs: new Repairs(notes), text: "", damage: NO_DAMAGE, isTorn: false };
}

/**
 * Decide whether the end of a repaired call, or of a value in it, is uncertain.
 *
 * The end of the call is unknown in these cases: a length was wrong, or a word may have been a length; a quoted
 * string spans lines, except between special tokens, which only a model writes; a bracket is missing, and no tag,
 * fence or end of the text follows.
 */
export function damageOf(src: string, tree: Tree, repairs: Iterable<Note>): Damage {
  const found = new Map<RepairCode, number[]>();
  for (const [pos, code] of repairs) {
    if (code === RepairCode.QUOTES && TOKENS.some((mark) => src.startsWith(mark, pos))) continue;
    found.set(code, [...(found.get(code) ?? []), pos]);
  }
  const lacksCloser = found.has(RepairCode.CLOSER);
  const inside = lacksCloser && hasLineEnds(src, tree);
  let atEnd = inside || (lacksCloser && !IS_OVER.match(src, tree.end));
  if (found.get(RepairCode.LENGTH)?.some((pos) => COUNTED.match(src, pos))) atEnd = true;
  for (const [code, marks] of [[RepairCode.QUOTES, NEWLINE], [RepairCode.BARE, MARK_IN_WORD]] as const) {
    const places = found.get(code);
    if (!places) continue;
    const starts = valuesWith(marks, src, tree);
    if (places.some((pos) => starts.has(pos))) atEnd = true;
  }
  return { atEnd, inside };
}

export function hasLineEnds(src: string, tree: Tree): boolean {
  return find(src, "\n", tree.start, tree.end) >= 0 && valuesWith(NEWLINE, src, tree).size > 0;
}

/** Return the starts of the values that contain a pattern. */
function valuesWith(marks: Pattern, src: string, tree: Tree): Set<number> {
  const found = new Set<number>();
  const search = (one: Tree): void => {
    if (!isLeaf(one) && !one.isTable) for (const entry of one.entries) search(entry.value);
    else if (marks.search(src, one.start, one.end)) found.add(one.start);
  };
  search(tree);
  return found;
}

/** Yield the group, and then its only value if that value is a JSON object. */
function* argumentsIn(tree: Bracketed): Iterable<Bracketed> {
  yield tree;
  if (tree.opener === "{" || tree.entries.length !== 1 || tree.entries[0]!.key !== null) return;
  const only = tree.entries[0]!.value;
  if (!isLeaf(only) && only.opener === "{" && (only.json || !only.entries.length)) yield only;
}

function isTorn(src: string, tree: Tree, members: ObjectNode): boolean {
  if (isLeaf(tree) || !tree.hasTags) return false;
  return tree.isTorn || tree.entries.some(({ value }) => opensKey(src.slice(value.start, value.end), members.byName));
}

/** Return an error found in part of a text, with its position in the whole text. */
export function moved(error: Wrong, src: string, pos: number): Wrong {
  const isCut = error.code === "E110";
  return new Wrong(isCut && pos !== src.length ? "E101" : error.code, error.problem, pos, error.path);
}

/** Return the path of the first integer that no Number equals, or null. */
export function unsafePath(value: Value, path: string): string | null {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? null : path;
  if (!Array.isArray(value) && !isObject(value)) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = unsafePath(part, path + pointer([key]));
    if (found !== null) return found;
  }
  return null;
}

function tooLarge(pos: number, path: string): Wrong {
  return new Wrong("E302", "an integer beyond 2^53 - 1 (see `integers`)", pos, path);
}
