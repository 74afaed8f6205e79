// Reads calls written as JSON, or as XML-like elements that contain the tool's name.

import { Wrong } from "../reader/stops.js";
import type { Call } from "../values.js";
import { damageOf, hasLineEnds, type CallReader } from "./candidates.js";
import { Cost } from "./effort.js";
import { JSONReader } from "./json-calls.js";
import { NAMED, isMetadata } from "./json-keys.js";
import {
  ELEMENT, ELEMENT_END, TOOL_ELEMENT, attributesOf, callShape, elementCall, emptyGroup, hasEntity, members, type CallShape,
} from "./call-elements.js";
import { RESUME, endAt } from "./marks.js";
import type { Names } from "./names.js";
import { pattern, type Match, type Pattern } from "./patterns.js";
import { RepairCode, Repairs } from "./repairs.js";
import type { Spans } from "./spans.js";
import { isBlank } from "./text.js";
import { Bracketed, JSON_OBJECT, Loose, type Entry, type Tree } from "./tree.js";
import { Unreadable, readOrNull } from "./unreadable.js";

const OBJECT = pattern(String.raw`${JSON_OBJECT.source}|\{\s*\}`);
const JSON_LIST = pattern(String.raw`\[\s*\{`);
/** The number of characters of unreadable JSON that are searched for the name of a tool. */
const MOST_SEARCHED = 1000;

/** Reads calls written as JSON, or as XML-like elements. */
export class ForeignCalls {
  private readonly src: string;

  constructor(
    private readonly names: Names,
    private readonly reader: CallReader,
    private readonly spans: Spans,
  ) {
    this.src = reader.src;
  }

  /** Read a JSON call after its name, or report that the JSON is missing. */
  announced(start: number, match: Match): number {
    const count = this.spans.found.length;
    const end = this.inJSON(match.end, match.group(1)!);
    if (end !== null && this.spans.found.length > count) return end;
    return this.spans.fail(start, endAt(RESUME, this.src, match.end), this.reader.noBody(match.end), true);
  }

  /** Read the calls in a JSON value, and return its end, or null. With `name`, the value must be one call to this tool. */
  inJSON(pos: number, name: string | null = null): number | null {
    const { src, spans, reader } = this;
    if (!(JSON_OBJECT.match(src, pos) ?? JSON_LIST.match(src, pos))) return null;
    const loose = new Loose(reader.strings, src.length);
    let tree: Bracketed;
    try {
      tree = loose.group(pos, { json: true });
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem;
      reader.effort.spend(Cost.Loose, Math.max(0, problem.error.pos - pos));
      return this.brokenJSON(pos, problem.error);
    }
    reader.effort.spend(Cost.Loose, tree.end - pos);
    const doubt = spans.inSentence(tree.end, spans.isTagged) ? RepairCode.SENTENCE : null;
    const bare = spans.isTagged ? this.names.bare : new Set<string>();
    const { shapes, left, unread } = new JSONReader(this.names.byName, bare, (tool, args) => this.fits(tool, args)).find(tree);
    if (name !== null && !(shapes.length === 1 && shapes[0]!.name === name)) {
      return spans.fail(pos, tree.end, new Wrong("E101", `expected the call to '${name}' that the marks before announce`, pos, ""), false);
    }
    let repairs = loose.repairs.sorted();
    for (const [index, shape] of shapes.entries()) {
      const stop = shapes[index + 1]?.pos ?? tree.end + 1;
      const until = repairs.findIndex(([at]) => at >= stop);
      const own = until < 0 ? repairs : repairs.slice(0, until);
      repairs = until < 0 ? [] : repairs.slice(until);
      this.shape(shape, pos, tree.end, new Repairs([...own, [pos, RepairCode.JSON]]), doubt, left.length > 0);
    }
    const problem = "expected the arguments of the tool, found no call that can be read";
    for (const place of unread) spans.fail(pos, tree.end, new Wrong("E101", problem, place, ""), false);
    return tree.end;
  }

  /** Return whether a value fits a tool's schema as its arguments. */
  private fits(name: string, args: Tree): boolean {
    this.reader.effort.spend(Cost.Loose, args.end - args.start);
    return readOrNull(() => this.reader.interpret(name, args, args.end, [])) !== null;
  }

  /** Skip unreadable JSON and report an error if the JSON names a tool. */
  private brokenJSON(pos: number, error: Wrong): number {
    const start = Math.max(pos + 1, error.pos);
    const named = NAMED.search(this.src, pos, Math.min(start, pos + MOST_SEARCHED, this.src.length));
    const end = endAt(RESUME, this.src, Math.min(start, this.src.length));
    this.spans.doubt.doubtRest(RepairCode.DAMAGE);
    if (named && this.names.known(named.group(1)!)) this.spans.fail(pos, end, error, true);
    return end;
  }

  inElement(pos: number): number {
    const { src } = this;
    const found = elementCall(src, pos, this.jsonIn(pos));
    if (!found) return this.spans.fail(pos, endAt(ELEMENT_END, src, pos), new Wrong("E101", "expected the end of the element", pos, ""), true);
    const { end, shape } = found;
    const complete = this.withAttributes(shape);
    if (!complete) return this.misplacedAttributes(shape, end);
    this.elementShape(complete, pos, end);
    return end;
  }

  private elementShape(shape: CallShape, pos: number, end: number): void {
    const doubt = this.spans.inSentence(end, true) ? RepairCode.SENTENCE : null;
    this.shape(shape, pos, end, new Repairs([[pos, RepairCode.XML]]), doubt);
  }

  /**
   * Return a call with the attributes of its element as arguments, or null.
   *
   * They are arguments only if the element contains none, and only if their names are those of parameters. Names of
   * metadata (`id`) are no arguments, but may be leftovers.
   */
  private withAttributes(shape: CallShape): CallShape | null {
    const tool = this.names.byName.get(this.names.known(shape.name) ?? "");
    const own: Entry[] = [];
    const others: (string | null)[] = [];
    for (const entry of shape.attributes) {
      const isDeclared = !tool || tool.args.byName.has(entry.key!);
      if (isMetadata(entry.key, entry.value)) others.push(entry.key);
      else if (isDeclared && !hasEntity(entry.value)) own.push(entry);
      else return null;
    }
    if (!own.length) return { ...shape, otherKeys: others };
    const args = shape.arguments as Bracketed; // an element contains a group
    if (args.entries.length) return null;
    const group = new Bracketed(args.start, args.end, args.opener, own, { json: args.json, notes: args.notes, hasTags: true, isTorn: args.isTorn });
    return { ...shape, arguments: group, otherKeys: others };
  }

  private misplacedAttributes(shape: CallShape, end: number): number {
    const problem = "expected attributes that can only be the arguments of the call";
    return this.spans.fail(shape.pos, end, new Wrong("E101", problem, shape.attributes[0]!.start, ""), false);
  }

  /** Read the call in an element that is named after a tool, or return null. */
  inToolElement(pos: number): number | null {
    const { src } = this;
    const match = TOOL_ELEMENT.match(src, pos);
    const name = match?.group("name") ?? "";
    const tool = this.names.byName.get(name);
    if (!match || !tool) return null;
    const isClosed = match.group("closed") !== undefined;
    let group: Bracketed;
    let end = match.end;
    let close = match.end;
    if (isClosed) group = emptyGroup(match.end);
    else {
      group = this.jsonIn(pos, TOOL_ELEMENT) ?? members(src, match.end, name, tool.args.byName.keys());
      close = src.indexOf(`</${name}>`, group.end);
      this.reader.effort.scan((close < 0 ? src.length : close) - group.end);
      end = close + name.length + 3;
    }
    const attributes = attributesOf(match, ["after"]);
    const isEnded = close >= 0 && (isClosed || isBlank(src.slice(group.end, close)));
    if (isEnded && attributes) {
      const shape = callShape(pos, name, pos + 1, group, { attributes });
      const complete = this.withAttributes(shape);
      if (!complete) return this.misplacedAttributes(shape, end);
      this.elementShape(complete, pos, end);
      return end;
    }
    if (close < 0 && !["", "<", "{"].includes(src.slice(match.end, match.end + 1))) return null; // a word in a sentence
    const problem = "expected the arguments of the tool named by the element, and the element's end";
    const stop = close >= 0 ? end : endAt(RESUME, src, match.end);
    return this.spans.fail(pos, Math.max(stop, match.end), new Wrong("E101", problem, group.end, ""), true);
  }

  private jsonIn(pos: number, tag: Pattern = ELEMENT): Bracketed | null {
    const { src, reader } = this;
    const match = tag.match(src, pos);
    if (!match || !OBJECT.match(src, match.end)) return null;
    try {
      const tree = new Loose(reader.strings, src.length).group(match.end, { json: true });
      reader.effort.spend(Cost.Loose, tree.end - pos);
      return tree;
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem;
      reader.effort.spend(Cost.Loose, Math.max(0, problem.error.pos - pos));
      return null;
    }
  }

  private shape(shape: CallShape, start: number, end: number, repairs: Repairs, doubt: RepairCode | null, hasLeft = false): void {
    const { src, spans } = this;
    const args = shape.arguments;
    const name = this.names.known(shape.name);
    if (shape.second !== null || !name) {
      spans.fail(start, end, this.misnamed(shape), damageOf(src, args, repairs).atEnd);
      return;
    }
    if (name !== shape.name) repairs.add(shape.namePos, RepairCode.NAME);
    try {
      const candidate = this.reader.interpret(name, args, end, repairs);
      const damage = damageOf(src, args, candidate.repairs);
      const isTorn = candidate.isTorn || hasLeft || this.hasOtherKeys(name, shape, candidate.call);
      spans.accept(start, { ...candidate, damage, isTorn }, doubt);
    } catch (problem) {
      if (!(problem instanceof Unreadable)) throw problem;
      spans.fail(start, end, problem.error, damageOf(src, args, repairs).atEnd || hasLineEnds(src, args));
    }
  }

  private hasOtherKeys(name: string, shape: CallShape, call: Call): boolean {
    const keys = this.names.byName.get(name)?.args.byName;
    return shape.otherKeys.some((key) => key !== null && keys?.has(key) && !(key in call.arguments));
  }

  private misnamed(shape: CallShape): Wrong {
    if (shape.second === null) return this.names.noTool(shape.name, shape.namePos);
    return new Wrong("E206", "expected the name and the arguments once, found a second one", shape.second, "");
  }
}

