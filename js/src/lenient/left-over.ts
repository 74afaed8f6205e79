// Finds unread text that may belong to a call, and call marks that are not followed by a call.
//
// A call is certain only if no text next to it can be a part of its arguments. *Next to it* means in its element,
// on its line, or on the lines up to the next call or a blank line. Such text is one of these:
//
// - a JSON object that begins with a key of the tool;
// - a line `key: value`, `key=value` or `<key>value` whose key is a parameter that the call lacks;
// - a label that announces arguments (`Action Input:`), also after blank lines, or a fence, if the call lacks a
//   parameter;
// - a group in parentheses that begins with such a key;
// - any word in the element of the call.
//
// The rule is stricter for a call without arguments: any object, array, key or label counts, and so do the lines
// before the call. Such a call is an error, because it was written with arguments. Other calls are uncertain. A
// tool without parameters has no arguments that could be left over.

import type { ToolSet } from "../toolset.js";
import { INPUT } from "./arguments.js";
import type { Piece } from "./doubt.js";
import { OPENS_TEXT, SPECIAL } from "./marks.js";
import { pattern, type Pattern } from "./patterns.js";
import { RepairCode } from "./repairs.js";
import type { CallSpan } from "./spans.js";
import { ENDING_TAG, TAG } from "./strings.js";
import { find, findLast, fold, isBlank, strip } from "./text.js";
import { JSON_OBJECT } from "./tree.js";

const BLANK_LINE = pattern(String.raw`\n[ \t\r]*+\n(?:[ \t\r]*+\n)*+`);
/** A line that begins with a key: `query: x`, `- **query**: x`, `query=x`, `<query>x`. */
const KEY = pattern(
  String.raw`^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?[<*_\`"']{0,4}` +
    String.raw`(?P<key>[^\W\d][\w.-]{0,63}(?:[ ]\w{1,30}){0,2})` +
    String.raw`[*_\`"']{0,4}(?:[ \t]*(?:[=\uff1a]|:(?!//))|(?<![*_\`"'])>)`,
  "m",
);
/** The first key of an object. */
const FIRST = pattern(String.raw`[{\s"'\u201c]*([\w.$-]*)`);
/** Before an object on its line, if the object is part of other data. */
const INNER = new Set("\"'{}[]");
const BRACKET = pattern(String.raw`^[ \t]*[\[{]`, "m");
const FENCE = pattern("^[ \\t]*(?:`{3,}|~{3,})", "m");
/** Arguments in parentheses, which are not next to the name. */
const GROUP = pattern(String.raw`[\s\`)\]}]*+\(\s*+(?:(?P<key>[^\W\d][\w.-]{0,63})\s*+[=:]|["'\d\[{])`);
const LABEL = pattern(INPUT);
/** Words before a colon that are not keys, such as names of speakers. */
const SPOKEN = new Set("thought observation result output response answer final_answer note user assistant".split(" "));
const OPENED = pattern(String.raw`<([\w:]{1,60})>\s*\Z`);
/** A mark of a call (group 1), or another tag. */
const MARK = pattern(
  String.raw`((?!<[^<>\n]{0,60}(?:end|sep|arg|result|response|output))` +
    String.raw`(?:<[|\uff5c]{0,2}(?:\w{1,20}[_:]|DSML[|\uff5c]{1,2} ?)?` +
    String.raw`(?:tool[_\u2581]?(?:calls?|code)|function[_\u2581]?calls?|invoke|python_tag)\b[^<>\n]{0,200}>` +
    String.raw`|<[|\uff5c]tool[_\u2581]calls?[_\u2581][\w\u2581]{1,20}[|\uff5c]>` +
    String.raw`|<(?:function=|invoke[ ]name=)|\[TOOL_CALLS\]))` +
    `|${TAG.source}|${ENDING_TAG.source}`,
);
const BEGUN = pattern(String.raw`\s*+[*<\w \t]{0,24}`);
const ANY_TAG = pattern(`${TAG.source}|${ENDING_TAG.source}`);
const IS_WORD = pattern(String.raw`[\w.+%/\\-]`);
const WORD = /[\p{L}\p{N}_]/u;
const NO_VALUES: readonly string[] = ["", "null", "none"];

/** Return the position of unread text that may belong to a call, or null. */
export function findLeftover(src: string, span: CallSpan, start: number, stop: number, tools: ToolSet<unknown> | null): number | null {
  const { call } = span.candidate!; // the call was read
  const params = tools ? tools.byName.get(call.name)!.args.byName : null;
  if (params?.size === 0) return null;
  const keys = params && new Set(params.keys());
  const lacks = keys && new Set([...keys].filter((key) => !(key in call.arguments)).map(fold));
  const wanted: ReadonlySet<string> = lacks ?? new Set();
  const last = endOfBlock(src, span.end, stop);
  const closes = endOfElement(src, span, stop);
  const end = closes === null ? last : Math.min(last, closes);
  const isEmpty = Object.keys(call.arguments).length === 0;
  const places: (number | null)[] = closes === null ? [] : [findWord(src, span.end, closes)];
  if (isEmpty) {
    const first = Math.max(findLast(src, "\n\n", start, span.marks), start);
    places.push(
      findObject(src, span.end, last, null),
      findObject(src, first, span.marks, keys),
      findGroup(src, span.end, last, null),
      findKey(src, span.end, end, null),
      findKey(src, end, last, wanted),
      findKey(src, first, span.marks, wanted),
      startOf(BRACKET, src, span.end, last),
    );
  } else {
    places.push(findObject(src, span.end, last, keys), findKey(src, span.end, last, wanted), findGroup(src, span.end, last, wanted));
  }
  const lacksSome = wanted.size > 0 || isEmpty;
  if (lacksSome && !src.slice(span.marks, span.end).includes("```") && span.fence === null) places.push(startOf(FENCE, src, span.end, last));
  const found = places.filter((place) => place !== null);
  return found.length ? Math.min(...found) : null;
}

/**
 * Return the end of the lines next to a call: a blank line that no label for arguments follows.
 *
 * The lines below such a label also end at a blank line.
 */
function endOfBlock(src: string, pos: number, stop: number): number {
  let blank = BLANK_LINE.search(src, pos, stop);
  if (!blank) return stop;
  const key = KEY.match(src, blank.end, stop);
  if (key && LABEL.fullmatch(key.group("key")!)) blank = BLANK_LINE.search(src, key.end, stop);
  return blank?.start ?? stop;
}

/** Return the position of arguments in parentheses after a call, or null. */
function findGroup(src: string, pos: number, end: number, keys: ReadonlySet<string> | null): number | null {
  const match = GROUP.match(src, pos, end);
  if (!match) return null;
  const key = match.group("key");
  return !keys || (key !== undefined && keys.has(fold(key))) ? match.end : null;
}

function findWord(src: string, pos: number, end: number): number | null {
  const text = ANY_TAG.sub((tag) => " ".repeat(tag.text.length), src.slice(pos, end));
  const at = text.search(WORD);
  return at < 0 ? null : pos + at;
}

/** Return the end of the element that contains a call, or null. */
function endOfElement(src: string, span: CallSpan, stop: number): number | null {
  const opened = OPENED.search(src.slice(span.marks, Math.max(span.marks, span.start)));
  const end = opened ? find(src, `</${opened.group(1)}>`, span.end, stop) : -1;
  return end < 0 ? null : end;
}

function startOf(pattern: Pattern, src: string, pos: number, end: number): number | null {
  return pattern.search(src, pos, end)?.start ?? null;
}

/** Return the position of a line that begins with a key or a label for arguments, or null. If `keys` is null, every key matches except `SPOKEN`. */
function findKey(src: string, pos: number, end: number, keys: ReadonlySet<string> | null): number | null {
  if (keys?.size === 0) return null;
  for (const match of KEY.finditer(src, pos, end)) {
    const key = fold(match.group("key")!).replaceAll(" ", "_");
    const isOwn = keys ? keys.has(key) : !SPOKEN.has(key);
    if (isOwn || LABEL.fullmatch(match.group("key")!)) return match.start;
  }
  return null;
}

/** Return the position of a JSON object whose first key is in `keys`, or null. */
function findObject(src: string, pos: number, end: number, keys: ReadonlySet<string> | null): number | null {
  for (const match of JSON_OBJECT.finditer(src, pos, end)) {
    const first = FIRST.match(src, match.start)!.group(1)!;
    const line = Math.max(findLast(src, "\n", pos, match.start) + 1, pos);
    const isOuter = ![...src.slice(line, match.start).slice(-80)].some((char) => INNER.has(char));
    if (isOuter && (!keys || keys.has(first))) return match.start;
  }
  return null;
}

/**
 * Return whether the last call may be incomplete.
 *
 * If the text was cut off, the call may be incomplete if only marks follow. Otherwise it may be incomplete in two
 * cases: after a bare value, if a closing bracket or a closing mark of the call is missing; and after a name, if
 * only the start of a line follows. The end of the text also ends a line of LTON.
 */
export function mayContinue(src: string, span: CallSpan, tools: ToolSet<unknown> | null, isCut: boolean): boolean {
  const { call, repairs } = span.candidate!; // the call was read
  const marks = src.slice(span.marks, Math.max(span.marks, span.start));
  const after = src.slice(span.end);
  if (isCut) return isNothing(after);
  if (Object.keys(call.arguments).length) {
    const isOpen = repairs.has(RepairCode.CLOSER) || OPENS_TEXT.search(marks) !== null;
    return isOpen && !after && IS_WORD.match(src, span.end - 1) !== null;
  }
  if (!tools || !src.slice(span.start, span.end).endsWith(call.name)) return false;
  const isLonger = [...tools.byName.keys()].some((one) => one !== call.name && one.startsWith(call.name));
  const isEnded = marks === "" && after !== "" && isBlank(after);
  const hasMore = !isEnded && tools.byName.get(call.name)!.args.byName.size > 0;
  return (isLonger && !after) || (hasMore && BEGUN.fullmatch(after) !== null);
}

/**
 * Yield the position of each call mark after which no call was read.
 *
 * `starts` has the starts of the calls. A mark counts if it is a special token, at the start of a line or after
 * another mark, and if the text after it is more than null or brackets.
 */
export function* findUnread(src: string, pieces: Iterable<Piece>, starts: ReadonlySet<number>): Iterable<number> {
  for (const [pos, piece] of pieces) {
    let opened: number | null = null;
    let last = 0;
    for (const match of MARK.finditer(piece)) {
      const at = pos + match.start;
      const content = piece.slice(last, match.start);
      const isOfCall = match.group(1) !== undefined;
      if (isOfCall) {
        const isFirst = last === 0 || !isBlank(content);
        const line = Math.max(findLast(src, "\n", 0, at) + 1, at - 80);
        if (isFirst && !isBlank(src.slice(line, at)) && !SPECIAL.match(src, at)) continue;
      } else if (!ENDING_TAG.match(src, at)) continue;
      if (opened !== null && !isNothing(content)) {
        yield opened;
        opened = null;
      }
      opened = isOfCall ? (opened ?? at) : null;
      last = match.end;
    }
    const isRead = starts.has(pos + piece.length);
    if (opened !== null && !(isRead || isNothing(piece.slice(last)))) yield opened;
  }
}

function isNothing(text: string): boolean {
  return NO_VALUES.includes(strip(ANY_TAG.sub("", text), " \t\r\n[]{}\"'`.,;").toLowerCase());
}
