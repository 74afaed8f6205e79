// Finds the names and arguments of calls written as XML-like elements.

import { hasEntities, unescapeEntities } from "./entities.js";
import { escapeText, pattern, type Match, type Pattern } from "./patterns.js";
import { RepairCode, type Note } from "./repairs.js";
import { isBlank, strip } from "./text.js";
import { Bracketed, Leaf, isLeaf, type Entry, type LeafKind, type Tree } from "./tree.js";

export const MAX_ENVELOPES = 6;

/** The prefix of an element's name, as in `<steptml:invoke>`. DeepSeek's prefix has bars. */
const PREFIX = String.raw`(?:[|\uff5c]{1,2}DSML[|\uff5c]{1,2} ?|\w{1,20}:)?`;
/** A prefix of `arg_key` and of the marks around it, as in `<longcat_arg_key>`. */
const OWN = String.raw`(?:\w{1,20}_)?`;
/** After the name, as in `<arg_key:opensource>`. */
const SUFFIX = String.raw`(?::\w{1,20})?`;
/** White space between elements, or `\n` in escaped text. */
const GAP = String.raw`(?>(?:\s|\\n)*)`;
const CALL = "(?:invoke|invocation|function|call|(?:tool|function)_(?:call|use|invocation))";
const KEY_OF_ATTRIBUTE = String.raw`[A-Za-z_][\w:.-]{0,63}\s{0,4}=`;
const NAME_KEY = String.raw`(?:(?:tool|function)_)?(?:name|tool|function)\s{0,4}=\s{0,4}["']?`;
/** `<function=get_weather>`, `<invoke name="get_weather">` with attributes, and Kimi K3's. */
export const ELEMENT = pattern(
  String.raw`<${PREFIX}(?:function=["']?` +
    String.raw`|${CALL}\s+(?P<before>${KEY_OF_ATTRIBUTE}[^<>]{0,200}?\s)??${NAME_KEY})` +
    String.raw`(?P<name>[^"'<>{\n]{1,200}?)["']?(?P<after>\s+${KEY_OF_ATTRIBUTE}[^<>]{0,1000}?)?` +
    String.raw`\s*(?:(?P<closed>/)?>\s*|(?=\{))` +
    String.raw`|<\|open\|>call\s+tool="(?P<kimi>[^"<>\n]{1,200})"[^<>\n]{0,80}<\|sep\|>\s*`,
  "d",
);
export const ELEMENT_END = pattern(String.raw`</${PREFIX}(${CALL})>|<\|close\|>call<\|sep\|>`);
const ATTRIBUTE = pattern(String.raw`\s*+([A-Za-z_][\w:.-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')(?=\s|\Z)`, "d");
/** A name that the JSON after it repeats (Inkling). */
export const INVOKES = pattern(String.raw`([\w./-]{1,200})<\|content_invoke_tool_json\|>\s*`);
/** The start of a parameter in each of three syntaxes. */
const PARAMETER = pattern(
  String.raw`<(${PREFIX})(?:parameter=["']?|param(?:eter)?\s+name=["'])([^"'<>\n]{1,200})["']?` +
    String.raw`(?:\s+string="(true|false)")?[^<>\n]{0,80}>` +
    String.raw`|<${OWN}arg_key${SUFFIX}>([^<>\n]{1,200})</${OWN}arg_key${SUFFIX}>${GAP}<${OWN}arg_value${SUFFIX}>` +
    String.raw`|<\|open\|>argument\s+key="([^"<>\n]{1,200})"(?:\s+type="(\w{1,20})")?[^<>\n]{0,80}<\|sep\|>`,
);
const LAST = String.raw`${ELEMENT_END.source}|</${OWN}tool_call>`;
const FOLLOWS = String.raw`(?=${GAP}(?:${PARAMETER.source}|${LAST}|\Z))`;

/** The syntax of a parameter: the number of the group of its key in `PARAMETER`. */
type Kind = 2 | 4 | 5;
const KINDS: readonly Kind[] = [2, 4, 5];
const ENDS: Readonly<Record<Kind, string>> = {
  2: String.raw`</${PREFIX}param(?:eter)?>|(?<=\n)</parameter\w{0,20}>?${FOLLOWS}`,
  4: String.raw`</${OWN}arg_value${SUFFIX}>`,
  5: String.raw`<\|close\|>argument<\|sep\|>`,
};
const closing = (end: string): Pattern => pattern(`(?:${end})(?P<more>${FOLLOWS})?`);
/** The closing mark of a parameter, by syntax. The parameter's text may also contain this mark. */
const CLOSING: Readonly<Record<Kind, Pattern>> = { 2: closing(ENDS[2]), 4: closing(ENDS[4]), 5: closing(ENDS[5]) };
/** Marks that may occur in pairs in a parameter, by syntax. Group 1 matches a closing mark. */
const INNER: Readonly<Record<Kind, Pattern>> = {
  2: pattern(String.raw`<(/)?${PREFIX}param(?:eter)?\b[^<>\n]{0,200}>?`),
  4: pattern(String.raw`<(/)?${OWN}arg_(?:key|value)${SUFFIX}>`),
  5: pattern(String.raw`<\|(?:open|(close))\|>argument\b[^<>\n]{0,200}<\|sep\|>`),
};
/** What declares a string: `string="true"`, `type="string"`. */
const SAYS_STRING: readonly string[] = ["true", "string"];
/** The number of marks that are examined to find a parameter's end. */
const MAX_CLOSINGS = 20;
const CDATA = pattern(String.raw`\s*<!\[CDATA\[(.*?)\]\]>\s*`, "s");
/** A parameter of MiniCPM 5, the only syntax whose template writes CDATA. */
const MAY_BE_CDATA = pattern(String.raw`<${PREFIX}param\s`);
/** A value between a line break after its opening mark and one before its closing mark. */
const LAID_OUT = /^(\r?\n)([^]*)\1$/;
/** The start of a parameter of Qwen, whose template writes these line breaks. */
const HAS_LAYOUT = "<parameter=";
/** The mark of a relative (Seed) that writes the same parameters without line breaks. */
const WRITES_INLINE = pattern(String.raw`<\w{1,20}:tool_call>\s*\Z`);
const SPACE = pattern(GAP);
const ANY_END = pattern(Object.values(ENDS).join("|"));
/** The start of a parameter, complete or damaged: `<parameter=k`, `parameter=k>`, `k</arg_key>`. */
const OPENS_KEY = pattern(
  String.raw`[\s\`"'.,;:!?)\]}]*+(?:<?/?[\w:.|\uff5c-]{0,40}(?:=|\s++(?:name|key)=|>)\s*+)?` +
    String.raw`["']?([\w.-]{1,64})["']?\s*+(?:[>=:]|</|string=)`,
);
/** The end of such a mark without its start, or in a closing tag: `</paramer name="k">`. */
const DAMAGED = pattern(
  String.raw`(?:(?:</|<\|close\|>)[^<>\n]{0,80}?=["']?` +
    String.raw`|(?<![<\w\uff5c|: ])[\w:\uff5c|]{0,12}[ ]?(?:eter=|(?:name|key)=["']))` +
    String.raw`([\w.-]{1,64})["']?[^<>\n]{0,40}(?:>|<\|sep)`,
);
/** The text after a mark that shows that the text only mentions the mark. */
const MENTIONED = pattern(String.raw`[ \t]+[^\W\d_]|[\`"'.,;:!?)\]}]`);
const TYPED = pattern(String.raw`<cofl:value(?:\s+name="([^"<>\n]{1,200})")?\s+type="(raw|json|dict|list)">`);
const TYPED_END = "</cofl:value>";
const TYPED_PIECE = /cofl:|type="(?:raw|json|dict|list)">/;
/** An element that may be named after a tool, as in Cline and Kilo Code, perhaps with attributes. */
export const TOOL_ELEMENT = pattern(
  String.raw`<(?P<name>[A-Za-z_][\w.-]{0,63})(?P<after>\s+${KEY_OF_ATTRIBUTE}[^<>]{0,1000}?)?[ \t]*(?P<closed>/)?>\s*`,
  "d",
);
const FIRST_KEY = pattern(String.raw`(?>(?:${GAP}<tool_sep>)?${GAP})(?=<${OWN}arg_key${SUFFIX}>)`);

/** The name, the position and the arguments of a call in JSON or in an element. */
export interface CallShape {
  readonly pos: number;
  readonly name: string;
  readonly namePos: number;
  readonly arguments: Tree;
  /** The position of a second name or of second arguments, or null. */
  readonly second: number | null;
  /** The other keys of the object. */
  readonly otherKeys: readonly (string | null)[];
  /** The attributes of the element, besides the name. */
  readonly attributes: readonly Entry[];
}

export function callShape(
  pos: number,
  name: string,
  namePos: number,
  args: Tree,
  { second = null, otherKeys = [], attributes = [] }: Partial<Pick<CallShape, "second" | "otherKeys" | "attributes">> = {},
): CallShape {
  return { pos, name, namePos, arguments: args, second, otherKeys, attributes };
}

/** Return an empty group of arguments, at a position or instead of a text. */
export function emptyGroup(start: number, end = start): Bracketed {
  return new Bracketed(start, end, "{", [], { json: true });
}

/** Return the end of the element at a position, and the call in the element, or null. */
export function elementCall(src: string, pos: number, args: Bracketed | null): { end: number; shape: CallShape } | null {
  const match = ELEMENT.match(src, pos)!; // the caller has found it
  const kind = match.group("name") ? "name" : "kimi";
  const name = match.group("name") ?? unescapeEntities(match.group("kimi")!);
  const attributes = attributesOf(match, ["before", "after"]);
  if (!attributes) return null;
  const isInline = WRITES_INLINE.search(src.slice(Math.max(0, pos - 80), pos)) !== null;
  let [end, group] = args ? [args.end, args] : parameters(src, match.end, isInline);
  const typed = end === match.end ? nested(src, end) : null;
  if (typed) {
    end = typed.end;
    group = new Bracketed(group.start, end, group.opener, typed.entries, group);
  }
  const shape = callShape(pos, strip(name), match.startOf(kind), group, { attributes });
  if (match.group("closed")) return { end: match.end, shape: { ...shape, arguments: emptyGroup(end) } };
  const close = ELEMENT_END.match(src, skipSpace(src, end));
  if (!close) return null;
  const again = ELEMENT_END.match(src, skipSpace(src, close.end));
  const isRepeated = again && again.group(1) === close.group(1) && again.text !== close.text;
  return { end: isRepeated ? again.end : close.end, shape };
}

/** Return the attributes of an element besides its name, or null if they cannot be read. */
export function attributesOf(match: Match, groups: readonly string[]): Entry[] | null {
  const entries: Entry[] = [];
  for (const group of groups) {
    const text = match.group(group);
    if (text === undefined) continue;
    const start = match.startOf(group);
    let pos = 0;
    for (let found = ATTRIBUTE.match(text, pos); found; found = ATTRIBUTE.match(text, pos)) {
      const number = found.group(3) === undefined ? 2 : 3;
      const value = found.group(number)!;
      const place = start + found.startOf(number);
      entries.push({ start: start + found.startOf(1), key: found.group(1)!, value: new Leaf(place, place + value.length, "raw", value) });
      pos = found.end;
    }
    if (!isBlank(text.slice(pos))) return null;
  }
  return entries.sort((one, other) => one.start - other.start);
}

/** Return whether an attribute's text may be escaped, so that it has two readings. */
export function hasEntity(value: Tree): boolean {
  return isLeaf(value) && hasEntities(value.text);
}

function skipSpace(src: string, pos: number): number {
  return SPACE.match(src, pos)!.end;
}

/** Read the parameters that are written as elements at a position. With `isInline`, no line break around a value is layout. */
export function parameters(src: string, pos: number, isInline = false): [end: number, group: Bracketed] {
  const texts = new Texts(src);
  let end = pos;
  for (let match = PARAMETER.match(src, end); match; match = PARAMETER.match(src, end)) {
    const kind = kindOf(match);
    const text = texts.read(match.end, INNER[kind], CLOSING[kind]);
    if (!text || hasUnended(text.text, kind)) break;
    const [leafKind, value] = valueOf(match, text.text, isInline);
    const key = match.group(kind)!;
    texts.entries.push({
      start: match.start,
      key: kind === 5 ? unescapeEntities(key) : strip(key),
      value: new Leaf(match.end, match.end + text.text.length, leafKind, value),
    });
    end = skipSpace(src, text.end);
  }
  return [end, texts.group(pos, end)];
}

function kindOf(match: Match): Kind {
  return KINDS.find((kind) => match.group(kind))!;
}

/** Read the parameters in an element that is named after a tool. Cline writes long values between line breaks, as Qwen does. */
export function members(src: string, pos: number, name: string, keys: Iterable<string>): Bracketed {
  const texts = new Texts(src);
  const one = [...keys].map(escapeText).join("|") || "(?!)";
  const opening = pattern(`<(${one})>`);
  const follows = String.raw`(?P<more>(?=\s*(?:<(?:${one})>|</${escapeText(name)}>)))?`;
  let end = pos;
  for (let match = opening.match(src, end); match; match = opening.match(src, end)) {
    const key = match.group(1)!;
    const own = escapeText(key);
    const text = texts.read(match.end, pattern(`<(/)?${own}>`), pattern(`</${own}>${follows}`));
    if (!text) break;
    const value = new Leaf(match.end, match.end + text.text.length, "raw", withoutLayout(text.text));
    texts.entries.push({ start: match.start, key, value });
    end = skipSpace(src, text.end);
  }
  return texts.group(pos, end);
}

/** Reads the text of each parameter of a call, and records what is irregular about it. */
class Texts {
  readonly entries: Entry[] = [];
  private readonly notes: Note[] = [];
  private isTorn = false;

  constructor(private readonly src: string) {}

  group(pos: number, end: number): Bracketed {
    return new Bracketed(pos, end, "{", this.entries, { json: true, notes: this.notes, hasTags: true, isTorn: this.isTorn });
  }

  /**
   * Return the text of a parameter, and the position after the parameter.
   *
   * The text ends at the first closing mark before a parameter or the end of the call. If no mark is in such a
   * place, or if the mark is repeated, the text ends at the first mark.
   */
  read(pos: number, marks: Pattern, closing: Pattern): { text: string; end: number } | null {
    const { src } = this;
    const found = firstMatches(closing, src, pos);
    const first = found[0];
    if (!first) return null;
    const close = found.find((match) => match.group("more") !== undefined) ?? first;
    let text = src.slice(pos, first.start);
    const between = closing.sub("", src.slice(first.start, close.start));
    const isRepeated = first !== close && !isBlank(text) && isBlank(between);
    if (isRepeated && text.endsWith("\n") === (src[close.start - 1] === "\n")) this.notes.push([close.start, RepairCode.FRAME]);
    else text = src.slice(pos, close.start);
    this.isTorn ||= isTorn(text, marks);
    return { text, end: close.end };
  }
}

function firstMatches(pattern: Pattern, src: string, pos = 0): Match[] {
  const found: Match[] = [];
  for (const match of pattern.finditer(src, pos)) {
    found.push(match);
    if (found.length === MAX_CLOSINGS) break;
  }
  return found;
}

/**
 * Return whether a parameter contains a closing mark without an opening mark.
 *
 * If keys have marks of their own, an opening mark without a closing mark counts, too. A mark in the middle of a
 * sentence is ignored: "`</parameter>` ends it".
 */
function isTorn(text: string, marks: Pattern): boolean {
  const depths = { key: 0, value: 0 };
  let hasOpening = false;
  for (const match of marks.finditer(text)) {
    const part = match.text.includes("arg_key") ? "key" : "value";
    depths[part] += match.group(1) ? -1 : 1;
    const isMentioned = MENTIONED.match(text, match.end) !== null;
    if (depths[part] < 0 && !isMentioned) return true;
    hasOpening ||= match.text.includes("arg_") && !match.group(1) && !isMentioned;
  }
  return hasOpening && Math.max(depths.key, depths.value) > 0;
}

/** Return whether a string contains the (possibly damaged) start of a parameter in `keys`. */
export function opensKey(text: string, keys: ReadonlyMap<string, unknown>): boolean {
  for (const close of ANY_END.finditer(text)) {
    const opened = OPENS_KEY.match(text, close.end);
    if (opened && keys.has(opened.group(1)!)) return true;
  }
  for (const match of DAMAGED.finditer(text)) if (keys.has(match.group(1)!)) return true;
  return false;
}

/** Return whether a parameter contains the start of another one. Its end may be missing. */
function hasUnended(text: string, kind: Kind): boolean {
  const begun = firstMatches(PARAMETER, text).filter((match) => match.group(kind)).length;
  return begun > firstMatches(CLOSING[kind], text).length;
}

/** Read nested values in Cohere's format, in which each element states its type, or return null. */
function nested(src: string, start: number, depth = 0): { end: number; entries: Entry[] } | null {
  const entries: Entry[] = [];
  let pos = start;
  for (let match = TYPED.match(src, pos); match; match = TYPED.match(src, pos)) {
    const value = typedValue(src, match, depth);
    if (!value || !src.startsWith(TYPED_END, value.end)) return null;
    const name = match.group(1);
    entries.push({ start: match.start, key: name ? unescapeEntities(name) : null, value });
    pos = skipSpace(src, value.end + TYPED_END.length);
  }
  return { end: pos, entries };
}

function typedValue(src: string, match: Match, depth: number): Tree | null {
  const type = match.group(2)!;
  const start = match.end;
  if (type === "dict" || type === "list") {
    const inner = depth < MAX_ENVELOPES ? nested(src, start, depth + 1) : null;
    return inner && new Bracketed(start, inner.end, type === "dict" ? "{" : "[", inner.entries, { json: true });
  }
  const end = src.indexOf(TYPED_END, start);
  if (end < 0) return null;
  const text = src.slice(start, end);
  return TYPED_PIECE.test(text) ? null : new Leaf(start, end, type === "raw" ? "text" : "json", text);
}

/** Return the kind of a parameter's value, and its text without layout. */
function valueOf(match: Match, text: string, isInline: boolean): [kind: LeafKind, text: string] {
  const data = MAY_BE_CDATA.match(match.text) && CDATA.fullmatch(text);
  if (data) return ["text", data.group(1)!];
  const said = match.group(3) ?? match.group(6);
  let kind: LeafKind = "raw";
  if (said !== undefined) kind = SAYS_STRING.includes(said) ? "text" : "json";
  const hasLayout = match.text.startsWith(HAS_LAYOUT) && !isInline;
  return [kind, hasLayout ? withoutLayout(text) : text];
}

function withoutLayout(text: string): string {
  return LAID_OUT.exec(text)?.[2] ?? text;
}

/** Return the position of the key in the element after a name, or null. */
export function firstKey(src: string, pos: number): number | null {
  return FIRST_KEY.match(src, pos)?.end ?? null;
}
