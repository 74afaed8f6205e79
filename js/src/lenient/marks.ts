// Patterns for the marks, tags and sentences around calls.

import { ELEMENT } from "./call-elements.js";
import { pattern, type Pattern } from "./patterns.js";
import { OPENING, TURN } from "./quoted.js";
import { RepairCode, type Note } from "./repairs.js";
import { ENDING_TAG, TAG } from "./strings.js";
import { isBlank, stripStart } from "./text.js";

const LABEL =
  String.raw`(?i:(?:\*\*|\b)(?:action|tool|function|call|(?:tool|function)[ _]call)(?:\*\*)?[ \t]*:` + String.raw`(?:\*\*)?(?!\S))`;
/** Phi-4 mini and FireFunction write this word before calls. */
const FUNCTOOLS = String.raw`functools(?=\[\s*\{)`;
const OTHERS = `(?i:${OPENING.source}|${TURN.source})`;
/** Marks before a call: list marks, fences, backticks, labels, tags, or a Python list's `[`. */
export const MARKS = pattern(
  String.raw`(?>(?:[ \t]+|[-*+•](?=[ \t])|\d{1,3}[.)](?=[ \t])|\`{1,2}(?!\`)` +
    String.raw`|\`\`\`[\w+-]*(?:[ \t]*\r?\n)?|${LABEL}|${FUNCTOOLS}|\[(?=\s*[A-Za-z_][\w./-]*\()` +
    String.raw`|(?!${OTHERS})(?:${TAG.source})\s*|(?<=[|\uff5c]>)(?:commentary|analysis)\b\s*(?=to=))*)`,
);
export const ANNOUNCES = pattern(String.raw`(?<!\`)\`\`?(?!\`)|\[|${LABEL}|${TAG.source}`);
export const OPENS_CALL = pattern(`${TAG.source}|${ELEMENT.source}`);
/** A special token of a model, which does not occur in a sentence by chance. */
export const SPECIAL = pattern(
  String.raw`<[|\uff5c](?=[\w\u2581]*(?:tool|call|python|action|message))[\w\u2581]{1,60}[|\uff5c]>` +
    String.raw`|<\|tool_call>|<start_function_call>|\[TOOL_CALLS\]|<[|\uff5c]{1,2}DSML[|\uff5c]|<\|open\|>call\b` +
    String.raw`|<\|channel\|>(?=(?:commentary|analysis)\b\s*to=)`,
  "i",
);
/** A tag that does not end something. */
export const OPENS_TEXT = pattern(`(?!${ENDING_TAG.source})${TAG.source}`);
export const LABEL_LINE = pattern(String.raw`[ \t]*(?:${LABEL})\s*`);
/** Languages of fences that contain calls. Fences with other languages contain examples. */
export const CALL_LANGUAGES: ReadonlySet<string> = new Set([
  "",
  ..."json json5 jsonc lton python py text txt plaintext xml call action".split(" "),
  ..."tool_call tool_calls tool_code function_call function_calls".split(" "),
]);
/** A line of a program. */
export const CODE_LINE = pattern(
  String.raw`^[ \t]*+(?:(?:async[ ]def|def|function)[ ]+\w+[ ]*\(|class[ ]+\w+[ ]*[:(]` +
    String.raw`|import[ ]+[\w.]+[ \t]*$|from[ ]+[\w.]+[ ]+import[ ]|if[ ]__name__|\#!/` +
    String.raw`|\#include|(?:try|else|finally|lambda):[ \t]*$` +
    String.raw`|(?:if|for|while|with|elif|except|match|case|async[ ]\w+)\b[^\n]*:[ \t]*\n[ \t]+` +
    String.raw`|(?:let|const|var|local|my|final|auto)[ ]\w+[ ]*=|\w+[ ]:=[ ]` +
    String.raw`|(?:package|use)[ ][\w.:]+;?[ \t]*$|[^\n]*<<[-~]?[ ]?["']?[\w!]{1,40}["']?[ \t]*(?:>|$)` +
    String.raw`|(?:if|for|while)[ ][^\n]*;[ ](?:then|do)[ \t]*$` +
    String.raw`|(?:if|for|while|switch|func|fn|public|private|static)[ (][^\n]*\{[ \t]*$` +
    String.raw`|(?:fi|esac|end|done)[ \t]*$)`,
  "m",
);
/** The text after a call up to the end of the line, if the call is not part of a sentence. */
export const LINE_REST = pattern(
  String.raw`(?>(?:[\`)\]}"'\u201d\u2019.,;:! \t]|${ENDING_TAG.source})*)(?:\r?\n|\Z|[<{\[]|\#[ \t]|//)`,
);
export const SIGILS = pattern(
  String.raw`[!/@](?:tool_?call|function_?call|call|tool|function)(?:[ \t:]+|(?=\n))|call:[ \t]*` +
    String.raw`|!(?=\w)|(?:to=)?(?:functions|default_api)\.(?=\w)|to=(?=\w)`,
);
export const REPEATS = pattern(String.raw`&(?=[ (\r\n]|\Z)`);
/** The separator between two calls on a line. */
export const NEXT = pattern(String.raw`[ \t]*+[;,]?+\s*+(?=[A-Za-z_])`);
/** The text after a call in parentheses or backticks, if the call is not part of a sentence. */
export const TAIL = pattern(
  String.raw`\`*+[ \t]*+[;,.]*+(?:\s*+\]|[ \t]*+(?:\r?\n|\Z|\#[ \t]|//|${ENDING_TAG.source}|(?:${TAG.source})))`,
);
/** The place where the search resumes after unreadable JSON. A plain line may be in a string. */
export const RESUME = pattern(String.raw`\n(?=[ \t]*[\[{<\`])|${TAG.source}`);
const PIECE = pattern(
  String.raw`(?P<frame>^[ \t]*(?:[-*+•]|\d{1,3}[.)])(?=[ \t])|^[ \t]*>+|\`\`\`[\w+-]*|\`` +
    String.raw`|${LABEL}|functools\Z|${TAG.source}|[\[\]])` +
    String.raw`|(?P<marks>[;,.]+(?=[\s\]\`<]|\Z))|(?P<prose>[^\s\`\[\]<]+|\S)`,
  "m",
);
const CODES: Readonly<Record<string, RepairCode>> = { frame: RepairCode.FRAME, marks: RepairCode.SEPARATOR, prose: RepairCode.PROSE };

/** Yield one repair for each kind of mark or prose between two calls. */
export function* gapRepairs(src: string, start: number, end: number): Iterable<Note> {
  const gap = src.slice(start, end);
  if (isBlank(gap)) {
    const isOneLine = gap === "\n" && start !== 0;
    if (!isOneLine && (gap || (start > 0 && end < src.length))) yield [start, RepairCode.LINES];
    return;
  }
  const seen = new Set<string>();
  for (const match of PIECE.finditer(src, start, end)) {
    const kind = String(match.lastGroup);
    if (seen.has(kind)) continue;
    seen.add(kind);
    yield [match.end - stripStart(match.text).length, CODES[kind]!];
  }
}

/** Return the position of the next match, or the end of the text. */
export function endAt(pattern: Pattern, src: string, pos: number): number {
  return pattern.search(src, pos)?.start ?? src.length;
}
