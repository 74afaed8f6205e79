// Finds passages that are quotations, thoughts, tool results or turns of other speakers.
//
// A *passage* is the text between two marks. Calls in it are not read. Quoted text can contain a forged closing
// mark. So the text after the first closing mark is in doubt, up to the last closing mark before the next opening
// mark. After an answer, all text is in doubt.

import { pattern, type Match } from "./patterns.js";

interface Kind {
  readonly opening: string;
  readonly closing: string;
  readonly isThought?: boolean;
  readonly isAnswer?: boolean;
  /** Whether the first closing mark ends the passage. */
  readonly isSure?: boolean;
}

type Pair = readonly [opening: string, closing: string];

function element(names: string): Pair {
  return [String.raw`<(?:${names})(?:\s[^<>\n]{0,80})?>`, String.raw`</(?:${names})\s*>`];
}

const THOUGHTS: readonly Pair[] = [
  element(String.raw`(?:\w{1,8}:)?think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|(?:inner_)?monologue`),
  [String.raw`\[THINK\]`, String.raw`\[/THINK\]`],
  ["\u25c1think\u25b7", "\u25c1/think\u25b7"],
  [String.raw`<\|START_THINKING\|>`, String.raw`<\|END_THINKING\|>`],
  [String.raw`<\|begin_of_thought\|>`, String.raw`<\|end_of_thought\|>`],
  [String.raw`<\|open\|>think<\|sep\|>`, String.raw`<\|close\|>think<\|sep\|>`],
  [String.raw`<\|channel>\s{0,9}thought`, String.raw`<channel\|>`],
  [String.raw`<\|think(?:ing)?\|>`, String.raw`<\|/think(?:ing)?\|>`],
];
const ANSWERS: readonly Pair[] = [
  element("(?:tool|function)_?(?:response|result|output)s?|observations?"),
  [String.raw`\[TOOL_RESULTS?\]`, String.raw`\[/TOOL_RESULTS?\]`],
  ["<\uff5ctool\u2581outputs?\u2581begin\uff5c>", "<\uff5ctool\u2581outputs?\u2581end\uff5c>"],
  [String.raw`<\|START_TOOL_RESULTS?\|>`, String.raw`<\|END_TOOL_RESULTS?\|>`],
  ["<start_function_response>", "<end_function_response>"],
  [String.raw`<\|tool_response>`, String.raw`<tool_response\|>`],
];
const QUOTATIONS: readonly Pair[] = [
  element(
    String.raw`(?:\w{1,20}_)?examples?|quote|blockquote|q|cite|documents?|sources?|untrusted\w{0,20}` +
      "|context|pre|code|textarea|e?mails?|files?|(?:search_)?results?|(?:web_?)?pages?",
  ),
  ["<!--", "-->"],
];
const STOP = String.raw`<\|(?:end|return|start|call)\|>|<\|channel\|>`;
const KINDS: readonly Kind[] = [
  ...THOUGHTS.map(([opening, closing]) => ({ opening, closing, isThought: true })),
  { opening: String.raw`<\|channel\|>\s{0,9}analysis(?!\s{0,9}to=)`, closing: String.raw`${STOP}(?!\s{0,9}analysis)`, isThought: true, isSure: true },
  { opening: String.raw`<\|channel\|>\s{0,9}(?:final|commentary)\s{0,9}<\|message\|>`, closing: STOP, isSure: true },
  ...ANSWERS.map(([opening, closing]) => ({ opening, closing, isAnswer: true })),
  ...QUOTATIONS.map(([opening, closing]) => ({ opening, closing })),
];
const BOTH = KINDS.map((kind) => pattern(`(${kind.opening})|(?:${kind.closing})`, "i"));
export const OPENING = pattern(KINDS.map((kind) => `(${kind.opening})`).join("|"), "i");
/** The roles in a conversation, except the model's own. */
const ROLES =
  "(?:user|human|prompter|customer|system|developer|environment|observation|ipython|tool|function" +
  String.raw`|(?:tool|function)[_\u2581 ]?(?:response|result|output)s?)`;
/** The start of another speaker's turn: a special token that contains a role or precedes one. */
export const TURN = pattern(
  // a special token that names a role: <|im_user|>, <|USER_TOKEN|>, <|tool_response:begin|>
  String.raw`<[|\uff5c](?![\w\u2581]*call)(?:(?:[^\W_\u2581]{1,20}[_\u2581.:-]){0,4}|begin_?of_?)` +
    String.raw`${ROLES}(?:[_\u2581:-](?:token|begin|start))?[|\uff5c]>` +
    // a token that opens a turn, and a role that is not the model's
    String.raw`|<\|(?:im_start|start_header_id|header_start|start|start_of_role|role_start)\|>(?!assistant)` +
    String.raw`|<start_of_turn>(?!model)|<\|turn>(?!model)|\[INST\]` +
    // any other token, and the name of a role: <seed:bos>tool, <SPECIAL_11>User, <role>HUMAN
    String.raw`|<(?:[|\uff5c](?![\w\u2581]*(?:call|sep))[\w\u2581]{1,30}[|\uff5c]|\w{1,20}:bos` +
    String.raw`|[a-z_]{1,20}_\d{1,4}|role|bos|s|\[)>?\s{0,3}` +
    String.raw`${ROLES}(?=[ \t]*(?:[\r\n<\[|\]:]|\Z))`,
  "i",
);
/** The start of an answer frame, even if it is misspelled. */
export const ANSWER = pattern(
  "!result |!error |!error:[ \\t]*" + String.raw`|[!/@](?:tool_?|function_?)?(?:result|response|output)s?[ \t]+(?=\S)`,
);
/** A line of a block quote. */
export const QUOTED_LINE = pattern(String.raw`[ \t]*>[^\n]*`);

/** The end of a passage, and the end of the text that may also belong to it. */
export interface Passage {
  readonly end: number;
  readonly doubtEnd: number;
  readonly isThought: boolean;
}

/** Return the passage that begins at a position, or null. */
export function passageAt(src: string, pos: number): Passage | null {
  const match = OPENING.match(src, pos);
  if (!match) return null;
  const index = Number(match.lastGroup) - 1;
  const { isThought = false, isAnswer = false, isSure = false } = KINDS[index]!;
  const marks = closings(src, match.end, index);
  if (!marks) return { end: src.length, doubtEnd: src.length, isThought };
  const { end } = marks.first;
  if (isAnswer) return { end, doubtEnd: src.length, isThought: false };
  return { end, doubtEnd: isSure ? end : marks.last.end, isThought };
}

/**
 * Return the span of the last mark that closes a thought before any is opened, or [0, 0].
 *
 * The opening mark may be in the prompt.
 */
export function thoughtBefore(src: string): readonly [start: number, end: number] {
  let last: readonly [start: number, end: number] = [0, 0];
  for (const [index, kind] of KINDS.entries()) {
    if (!kind.isThought || kind.isSure) continue;
    const mark = BOTH[index]!.search(src);
    if (!mark || mark.group(1) !== undefined) continue;
    const found = closings(src, 0, index)!.last;
    if (found.start > last[0] || (found.start === last[0] && found.end > last[1])) last = [found.start, found.end];
  }
  return last;
}

/** Find the closing marks before the next opening mark. Return the first and the last one, or null. */
function closings(src: string, pos: number, index: number): { first: Match; last: Match } | null {
  let first: Match | null = null;
  let last: Match | null = null;
  for (const mark of BOTH[index]!.finditer(src, pos)) {
    if (mark.group(1) === undefined) {
      first ??= mark;
      last = mark;
    } else if (first) break;
  }
  return first && { first, last: last! };
}
