// Finds the start of a call's arguments after its name.

import { firstKey } from "./call-elements.js";
import { pattern } from "./patterns.js";
import { strip } from "./text.js";
import { JSON_OBJECT } from "./tree.js";

/** A special token after a tool's name that announces arguments. */
const MARK_BETWEEN =
  String.raw`<[|\uff5c][\w\u2581]*(?:sep|argument|constrain|message)[\w\u2581]*[|\uff5c]>(?:json\b)?` +
  String.raw`|<\|channel\|>(?:commentary|analysis)\b|\[ARGS\]|\[CALL_ID\]\w{1,40}`;
/** A label that announces arguments. */
export const INPUT = String.raw`(?i:(?:action|tool|function|call)?[ _]?(?:input|arguments?|args|param(?:eter)?s|kwargs))`;
/** The text between a name and its arguments in JSON: marks, and labels for arguments. */
const JOINT = pattern(
  String.raw`(?>(?:\([ \t]*\)(?=[ \t]*\r?\n)|\`{1,2}(?=\s))?)(?>(?:[ \t]*:[ \t]*(?=\{)|:\d{1,9}|\s+` +
    String.raw`|${MARK_BETWEEN}|\w{1,30}(?=[ \t]*<\|message\|>)|<${INPUT}>|\`\`\`(?:json)?[ \t]*\r?\n` +
    String.raw`|(?:(?<=\n)|[,;][ \t]*|(?<=[ \t]))(?:\*\*)?${INPUT}(?:\*\*)?[ \t]*[:=](?:\*\*)?)` +
    String.raw`{0,20})(?=\{)`, // a limit, because the text may repeat such marks after each of many names
);
/** Marks after a name that announce arguments. */
const GOES_ON = pattern(String.raw`(?::\d{1,9})?\s*(?:${MARK_BETWEEN}|<\|(?:channel|content_\w{1,40})\|>)`);
const EMPTY = pattern(String.raw`\{\s*\}`);

/**
 * Return the position after the marks between a name and its arguments, or null.
 *
 * If announced arguments cannot be read, the call must not be read as one without arguments.
 */
export function bodyAfter(src: string, pos: number): number | null {
  const joint = JOINT.match(src, pos);
  if (joint && strip(joint.text, " \t\r\n:") && jsonStart(src, pos) !== null) return joint.end;
  return firstKey(src, pos) ?? GOES_ON.match(src, pos)?.end ?? null;
}

/** Return whether the text after a name can only be arguments. */
export function isShaped(src: string, pos: number): boolean {
  return src.startsWith("(", pos) || jsonStart(src, pos) !== null || firstKey(src, pos) !== null;
}

/** Return the position of the JSON object after a name, or null. */
export function jsonStart(src: string, pos: number): number | null {
  const joint = JOINT.match(src, pos);
  return joint && (JSON_OBJECT.match(src, joint.end) || EMPTY.match(src, joint.end)) ? joint.end : null;
}
