// Decides from indentation and quote marks whether a call is quoted or is part of code.
//
// In Markdown, a code block is indented by four columns and follows a blank line. In other formats, indented text
// belongs to a directive above it (`::`, `.. note::`, `!!! note`, a make target). In CommonMark, a line below a
// quoted line is also quoted (a lazy continuation).

import { pattern } from "./patterns.js";
import { RepairCode } from "./repairs.js";
import { expandTabs, findLast, isAlphanumeric, isBlank, isUpper, strip } from "./text.js";

/** The maximum number of lines above a call that are examined. */
const LINES = 40;
const BACK = 2_000;
/** The minimum indentation of a code block, in columns. */
const CODE = 4;
const INDENT = pattern(String.raw`[ \t]*+(?=\S|\Z)`);
const ITEM = pattern(String.raw`[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+`);
/** A line to which the indented lines below belong. */
const OPENS = pattern(
  String.raw`[^\n]*::[ \t]*$|\.\.[ ]|(?:!!!|\?\?\?\+?)[ ]|[\w./-]{1,64}[ \t]*:(?:[ \t][\w./ -]*+)?$|[A-Z][A-Z ]{1,40}$`,
);
const QUOTED = /^[ \t]*>/;
/** The start of a new block, which ends a quoted paragraph. */
const NEW_BLOCK = pattern(String.raw`[ \t]*(?:\`{3}|~{3}|[-*+•][ \t]|\d{1,9}[.)][ \t]|\#{1,6}[ \t])`);

/**
 * Return a reason to doubt a call because of the lines above it, or null.
 *
 * `hasProse` states whether the output also contains text other than calls.
 */
export function doubtOfLayout(src: string, start: number, hasProse: boolean): RepairCode | null {
  const first = findLast(src, "\n", Math.max(0, start - BACK), start) + 1;
  const above = first ? src.slice(Math.max(0, first - BACK), Math.max(0, first - 1)).split("\n").slice(-LINES) : [];
  if (above.length && isLazy(above, src.slice(first, start))) return RepairCode.SENTENCE;
  const columns = columnsOf(src, first);
  if (columns && hasProse && isBlock(above, columns, src[first] === "\t")) return RepairCode.EXAMPLE;
  return null;
}

function columnsOf(text: string, pos = 0): number {
  return expandTabs(INDENT.match(text, pos)?.text ?? "", CODE).length;
}

function isLazy(above: readonly string[], before: string): boolean {
  if (NEW_BLOCK.match(before)) return false;
  for (const line of above.toReversed()) {
    if (QUOTED.test(line)) return strip(line).length > 1;
    if (isBlank(line) || NEW_BLOCK.match(line)) return false;
  }
  return false;
}

/** Return whether a line is indented as in a code block or below a directive. */
function isBlock(above: readonly string[], columns: number, isTab: boolean): boolean {
  let isApart = above.length === 0;
  for (const line of above.toReversed()) {
    if (isBlank(line)) isApart = true;
    else if (columnsOf(line) < columns) return isBelow(line, columns, isApart, isTab);
  }
  return isApart && columns >= CODE;
}

/** Return whether an indented line belongs to a line above it. */
function isBelow(line: string, columns: number, isApart: boolean, isTab: boolean): boolean {
  const words = strip(line);
  if (words.startsWith("<")) return false; // an element that contains calls
  const isDirective = isApart || isTab || !isAlphanumeric(words[0]!) || isUpper(words);
  if (OPENS.match(words) && isDirective) return true;
  const inner = expandTabs(ITEM.match(line)?.text ?? "", CODE).length;
  return isApart && columns - inner >= CODE;
}
