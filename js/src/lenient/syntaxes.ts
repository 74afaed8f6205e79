// The call syntaxes of models: how a call begins, and which models write it.
//
// A syntax has marks of its own: special tokens or tags that do not occur in ordinary text. Bare JSON and function
// syntax have none, so they are not in the table. `evidence.ts` uses the table to decide whether a call is in a
// syntax that its model is known to write. A new syntax is one row here and one case in the conformance suite.

import { pattern, type Match, type Pattern } from "./patterns.js";

/** A call syntax: its name, and the pattern of the marks that open a call. */
interface Syntax {
  readonly name: string;
  readonly opening: Pattern;
  /** Whether these marks are special tokens, which nobody types in ordinary text. */
  readonly isSpecial: boolean;
  /** Matches the label that the syntax itself writes at the start of a line before a call. */
  readonly lead: Pattern | null;
  /** The label that the syntax writes at the start of a line before the result of a call. */
  readonly result: Pattern | null;
}

/** The models whose name matches a pattern, and the names of the syntaxes that they write. */
interface ModelFamily {
  readonly pattern: Pattern;
  readonly syntaxes: readonly string[];
}

function tags(name: string, opening: string, lead: Pattern | null = null, result: Pattern | null = null): Syntax {
  return { name, opening: pattern(opening), isSpecial: false, lead, result };
}

function tokens(name: string, opening: string): Syntax {
  return { name, opening: pattern(opening), isSpecial: true, lead: null, result: null };
}

function family(names: string, ...syntaxes: string[]): ModelFamily {
  return { pattern: pattern(names, "i"), syntaxes };
}

/** Every call syntax that has marks of its own, with the marks that open a call. */
export const SYNTAXES: readonly Syntax[] = [
  tags("lton", String.raw`!call `),
  tags("tool_call", String.raw`<tool_call(?:>|[ ](?:id|name)=)`),
  tags("tool_calls", String.raw`<tool_calls>`),
  tags("function", String.raw`<function(?:=|[ ]name=)`),
  tags("invoke", String.raw`<(?:\w{1,20}:)?(?:function_calls>|invoke[ ]name=)`),
  tags("minimax", String.raw`<minimax:tool_call>`),
  tags("seed", String.raw`<seed:tool_call>`),
  tags("longcat", String.raw`<longcat_tool_call>`),
  tokens("dsml", String.raw`<[|\uff5c]{1,2}DSML[|\uff5c]{1,2} ?(?:(?:tool|function)_)?(?:calls|invoke)\b`),
  tokens("deepseek", String.raw`<[|\uff5c]tool\u2581(?:calls?\u2581begin|sep)[|\uff5c]>`),
  tokens("step3", String.raw`<[|\uff5c]tool_calls?_begin[|\uff5c]>|<steptml:invoke `),
  tokens("kimi", String.raw`<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>`),
  tokens("kimi_k3", String.raw`<\|open\|>(?:tools<\|sep\|>|call )`),
  tokens("mistral", String.raw`\[TOOL_CALLS\]`),
  tokens("python_tag", String.raw`<\|python_tag\|>`),
  tokens("python_start", String.raw`<\|python_start\|>`),
  tokens("lfm2", String.raw`<\|tool_call_start\|>`),
  tokens("granite", String.raw`<\|tool_call\|>`),
  tokens("gemma4", String.raw`<\|tool_call>`),
  tokens("functiongemma", String.raw`<start_function_call>`),
  tags("tool_code", String.raw`\`\`\`tool_code\b`),
  tokens("harmony", String.raw`to=functions\.|<\|channel\|>(?:commentary|analysis)\b`),
  tokens("internlm", String.raw`<\|action_start\|>`),
  tags("functools", String.raw`\bfunctools\b`),
  tokens("apertus", String.raw`<\|tools_prefix\|>`),
  tokens("cohere", String.raw`<\|START_ACTION\|>|<cofl:tool_calls?\b`),
  tags("nemotron", String.raw`<TOOLCALL>`),
  tokens("gigachat", String.raw`<\|role_sep\|>|<\|function_call\|>`),
  tokens("inkling", String.raw`<\|message_model\|>|<\|content_invoke_tool_json\|>`),
  tags(
    "react",
    String.raw`(?m:^[ \t]*(?:\*\*)?Action(?:\*\*)?:)`,
    pattern(String.raw`(?:\*\*)?Thought(?:\*\*)?:(?:\*\*)?[ \t]*`),
    pattern(String.raw`(?m:^[ \t]*(?:\*\*)?Observation(?:\*\*)?:)`),
  ),
];

/** The syntaxes of models, by the first pattern that the name of a model matches. */
const FAMILIES: readonly ModelFamily[] = [
  family(String.raw`deepseek`, "deepseek", "dsml"),
  family(String.raw`functiongemma`, "functiongemma"),
  family(String.raw`gemma-?4`, "gemma4"),
  family(String.raw`gemma`, "tool_code"),
  family(String.raw`kimi|moonlight`, "kimi", "kimi_k3"),
  family(String.raw`gpt-?oss`, "harmony"),
  family(String.raw`(?:mi|mag|dev|code?|mini)stral|mixtral|pixtral`, "mistral"),
  family(String.raw`llama-?4`, "python_start"),
  family(String.raw`llama`, "function", "python_tag"),
  family(String.raw`lfm-?2`, "lfm2"),
  family(String.raw`minimax`, "minimax", "tool_calls"),
  family(String.raw`seed`, "seed"),
  family(String.raw`longcat`, "longcat"),
  family(String.raw`step-?3`, "function", "step3", "tool_call"),
  family(String.raw`granite`, "granite", "tool_call"),
  family(String.raw`hunyuan`, "tool_call", "tool_calls"),
  family(String.raw`jamba`, "tool_calls"),
  family(String.raw`internlm`, "internlm"),
  family(String.raw`phi-?4|firefunction`, "functools"),
  family(String.raw`apertus`, "apertus"),
  family(String.raw`command|cohere|c4ai|aya`, "cohere", "react"),
  family(String.raw`xlam`, "mistral", "tool_call"),
  family(String.raw`nemotron`, "function", "nemotron", "tool_call"),
  family(String.raw`gigachat`, "gigachat"),
  family(String.raw`inkling`, "inkling"),
  family(String.raw`minicpm`, "function"),
  family(String.raw`claude`, "invoke"),
  family(String.raw`qwen|glm|hermes|ernie|exaone|reka|ling|spark|olmo`, "function", "tool_call"),
];

/** The names of all syntaxes. */
export const SYNTAX_NAMES: readonly string[] = SYNTAXES.map((syntax) => syntax.name);

/** Return the names of the syntaxes that a model writes, or none for an unknown model. */
export function syntaxesOfModel(name: string): readonly string[] {
  return FAMILIES.find((each) => each.pattern.search(name))?.syntaxes ?? [];
}

/** Return the names of the syntaxes whose opening marks a chat template contains. */
export function syntaxesInTemplate(template: string): readonly string[] {
  return SYNTAXES.filter((syntax) => syntax.opening.search(template)).map((syntax) => syntax.name);
}

/** Return names of syntaxes as a set. Throws a `RangeError` for an unknown name. */
export function readSyntaxes(names: string | Iterable<string>): ReadonlySet<string> {
  const wanted = new Set(typeof names === "string" ? [names] : names);
  const unknown = [...wanted].find((name) => !SYNTAX_NAMES.includes(name));
  if (unknown !== undefined) throw new RangeError(`expected names of call syntaxes (${SYNTAX_NAMES.join(", ")}), found ${unknown}`);
  return wanted;
}

/**
 * Return the syntax among `syntaxes` whose mark opens a call, and the start of the mark, or null.
 *
 * `marks` is the position of the marks before the call, and `start` of the call. An element is its own mark. If
 * marks of several syntaxes open the call, the first mark decides.
 */
export function findOpening(src: string, marks: number, start: number, syntaxes: ReadonlySet<string>): { syntax: Syntax; pos: number } | null {
  let first: { syntax: Syntax; pos: number } | null = null;
  for (const syntax of SYNTAXES) {
    if (!syntaxes.has(syntax.name)) continue;
    const match: Match | null = syntax.opening.search(src, marks, start) ?? syntax.opening.match(src, start);
    if (match && (!first || match.start < first.pos)) first = { syntax, pos: match.start };
  }
  return first;
}
