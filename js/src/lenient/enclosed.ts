// Finds passages between paired marks, which may be quotations.
//
// There is no list of such marks. A tag or a word in brackets encloses the text up to a closing mark with the same
// name, even if the two marks are spelled differently.

import { pattern } from "./patterns.js";
import { caseless, strip, wordsIn } from "./text.js";

const BEGINS = String.raw`<{1,3}|\\<|[\uff1c\u2039\u27e8\u3008\u25c1]|&(?:amp;)?(?:lt|lang|\#60);|\\u003c|%3c`;
/** A possible tag: `<doc>`, `</doc>`, `<|doc_start|>`, `&lt;doc&gt;`, `[doc]`. */
const MARK = pattern(
  String.raw`(?:(?P<tag>${BEGINS})|\[{1,2}|\{{1,2}%?|\()[^\S\n]{0,3}` +
    String.raw`(?P<end>\\?[/\uff0f])?(?P<bar>[|\uff5c])?(?P<slash>/)?[^\S\n]{0,3}` +
    String.raw`(?P<name>[^\s<>\[\]{}()|\uff5c/=&%\\\uff1c\uff1e\u203a\u27e9\u3009\u25b7]{1,64})`,
  "i",
);
const EDGE = pattern(String.raw`^(begin|start|end|stop)_(?:of_)?(?=\w)|(?<=\w)[_:](begin|start|end|stop)$`);
/** Names of elements that models write around their own calls. Hunyuan writes `<answer>`. */
const OWN = pattern(
  String.raw`(?:\w{1,20}:|longcat_)?(?:(?:tool_?|function_?|func_?)?(?:calls?|invokes?|invocations?|uses?)|function|invoke|tool` +
    String.raw`|actions?|param(?:eter)?s?|arg(?:ument)?s?|arg_(?:key|value)|python(?:_tag)?|tool_code|plugin` +
    String.raw`|tool_call_argument|tool_calls_section|tool_sep|dsml|answer|s)(?::\w{1,20})?`,
);
/** A line that opens or closes a block comment or a block of a template. */
const OPENS_COMMENT = pattern(
  String.raw`^[ \t]*+(?P<open>@['"](?=[ \t]*+$)|/\*|<#|\#\||\{-|\(\*|--\[\[|%\{|<%|\{\#|<<<)[^\n]*`,
  "m",
);
const CLOSES_COMMENT = pattern(
  String.raw`^[^\n]*?(?P<close>(?<!\S)['"]@|\*/|\#>|\|\#|-\}|\*\)|\]\]|%\}|%>|\#\}|>>>)[ \t]*+$`,
  "m",
);
/** A line that begins with a mark, except a list item, a heading, a quotation, a fence or a tag. */
const MARKS_LINE = pattern(
  String.raw`^[ \t]*+(?!(?:[-*+•]|\#{1,6})[ \t]+\w|["'\`\u201c\u2018<(]|~{3})(?P<marks>[^\w\s][^\n]{0,100})$`,
  "m",
);
/** Words of a line of marks; a longer line is prose. */
const LONGEST_MARKS = 6;
const RUN = pattern(String.raw`([^\w\s])\1+`);
const WORDS = pattern(String.raw`\w+(?:\s+\w+)*`);
const NO_WORD = pattern(String.raw`[^\w:]+|_`);
/** A block scalar in YAML: a line that ends with `|` or `>`, and the indented lines after it. */
const BLOCK = pattern(
  String.raw`^(?P<indent>[ \t]*)(?:(?:[-?][ ]+)*[\w.-]{1,64}:[ ]+|(?:(?:-{1,3}|[?])[ ]+)+)` +
    String.raw`[|>][+-]?\d?[+-]?[ \t]*\n` +
    String.raw`(?>(?P=indent)[ \t]+[^\s][^\n]*(?:\n|\Z)|[ \t]*\n)+`,
  "m",
);
/** A tag on its own line. */
const ALONE = pattern(String.raw`^[ \t]*(<[\w:.-]{1,64}(?:[ \t][^<>\n]{0,200})?>)[ \t]*$`, "m");
/** HTML elements without a closing tag. */
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const ENDS = "'@ \"@ */ #> |# -} *) ]] %} %> #} >>>".split(" ");
const OPENERS = "@' @\" /* <# #| {- (* --[[ %{ <% {# <<<".split(" ");
const CLOSES = new Map(ENDS.map((end, index) => [end, OPENERS[index]!]));

/** A mark with its key. Marks with equal keys are a pair. `isEnd` is null if the mark may open or close. */
interface Mark {
  readonly pos: number;
  readonly key: string;
  readonly isEnd: boolean | null;
}

export type Span = readonly [start: number, end: number];

/**
 * Return the spans between opening and closing marks with the same name. Spans may overlap.
 *
 * If a tag is on its own line and is never closed, its range extends to the end of the text.
 */
export function enclosed(text: string): Span[] {
  const opened = new Map<string, number[]>();
  const parts: Span[] = [];
  for (const { pos, key, isEnd } of [...named(text), ...lines(text)].sort(compareMarks)) {
    const starts = opened.get(key) ?? [];
    opened.set(key, starts);
    if (starts.length && isEnd !== false) parts.push([starts.pop()!, pos]);
    else if (!isEnd) starts.push(pos);
  }
  const alone = new Set<number>();
  for (const match of ALONE.finditer(text)) alone.add(match.start + match.text.indexOf("<"));
  for (const [key, starts] of opened) {
    if (VOID.has(key.slice(1))) continue;
    for (const start of starts) if (alone.has(start)) parts.push([start, text.length + 1]);
  }
  return parts;
}

function compareMarks(one: Mark, other: Mark): number {
  if (one.pos !== other.pos) return one.pos - other.pos;
  if (one.key !== other.key) return one.key < other.key ? -1 : 1;
  return Number(one.isEnd) - Number(other.isEnd);
}

function* named(text: string): Iterable<Mark> {
  for (const match of MARK.finditer(text)) {
    let name = NO_WORD.sub("_", caseless(match.group("name")!.normalize("NFKC")));
    name = strip(name, "_");
    const edge = EDGE.search(name);
    const tag = match.group("tag");
    if (tag && OWN.fullmatch(EDGE.sub("", name))) continue;
    let isEnd = Boolean(match.group("end") ?? match.group("slash"));
    if (edge && (match.group("bar") || !tag)) {
      name = EDGE.sub("", name);
      isEnd ||= ["end", "stop"].includes(edge.group(1) ?? edge.group(2)!);
    }
    if (match.text.startsWith("{%") && name.startsWith("end")) {
      name = name.slice(3);
      isEnd = true;
    }
    yield { pos: match.start, key: (tag ? "<" : text[match.start]!) + name.replaceAll("_", ""), isEnd };
  }
}

function* lines(text: string): Iterable<Mark> {
  for (const match of BLOCK.finditer(text)) {
    yield { pos: match.start, key: "block", isEnd: false };
    yield { pos: match.end, key: "block", isEnd: true };
  }
  for (const match of OPENS_COMMENT.finditer(text)) yield { pos: match.start, key: match.group("open")!, isEnd: false };
  for (const match of CLOSES_COMMENT.finditer(text)) yield { pos: match.start, key: CLOSES.get(match.group("close")!)!, isEnd: true };
  for (const match of MARKS_LINE.finditer(text)) {
    const marks = match.group("marks")!;
    if (wordsIn(marks).length <= LONGEST_MARKS) yield { pos: match.start, key: `line ${shapeOfLine(marks)}`, isEnd: null };
  }
}

/** Return the marks of a line, without its words and without the length of its runs. */
function shapeOfLine(line: string): string {
  return RUN.sub((match) => match.group(1)!, WORDS.sub("w", strip(line)));
}
