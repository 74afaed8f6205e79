// How model families write calls themselves. Their special tokens stand as ⟨…⟩ in these templates.

import { PYTHON, SPACED, writeJSON } from "./json.mjs";
import { sorted } from "./lton.mjs";

/** Get the parts of a template: strings, and `{ special }` for what stands between ⟨ and ⟩. */
function parts(strings, ...values) {
  const found = strings.raw.flatMap((text, index) => [
    ...text.replaceAll("\\n", "\n").replaceAll("\\`", "`").split(/(⟨[^⟩]*⟩)/).map((each) => (/^⟨/.test(each) ? { special: each.slice(1, -1) } : each)),
    ...[values[index] ?? ""].flat(Infinity),
  ]);
  return found.filter((part) => part !== "");
}

/** Get several calls, with the same parts between two of them. */
const joined = (calls, separator, write) => calls.flatMap((call, index) => [...(index ? [separator] : []), ...write(call, index)]);
const each = (members, write) => [...members].flatMap(([key, value], index) => write(key, value, index));

const json = (value) => writeJSON(value, SPACED);
const text = (value) => (typeof value === "string" ? value : json(value));
const kindOf = (value) => (value instanceof Map ? "object" : Array.isArray(value) ? "array" : value === null ? "null" : { bigint: "number" }[typeof value] ?? typeof value);
const object = (name, args, key) => `{"name": ${json(name)}, "${key}": ${json(args)}}`;
const pythonic = (calls) => {
  const one = ({ name, args }) => `${name}(${[...args].map(([key, value]) => `${key}=${writeJSON(value, PYTHON)}`).join(", ")})`;
  return `[${calls.map(one).join(", ")}]`;
};

/** Gemma's own objects: keys sorted and bare at the top, strings between two special tokens. */
function gemma(value, quote, isTop) {
  if (typeof value === "string") return [{ special: quote }, value, { special: quote }];
  if (Array.isArray(value)) return ["[", ...joined(value, ",", (item) => gemma(item, quote, false)), "]"];
  if (!(value instanceof Map)) return [json(value)];
  const keys = sorted([...value.keys()]);
  const key = (name) => (isTop ? [name] : gemma(name, quote, false));
  return ["{", ...joined(keys, ",", (name) => [...key(name), ":", ...gemma(value.get(name), quote, false)]), "}"];
}

const dsml = (name, args) => parts`<⟨｜DSML｜⟩invoke name="${name}">\n${each(args, (key, value) => [
  ...parts`<⟨｜DSML｜⟩parameter name="${key}" string="${String(typeof value === "string")}">${text(value)}</⟨｜DSML｜⟩parameter>\n`,
])}</⟨｜DSML｜⟩invoke>\n`;
/** Qwen's template prints a scalar as Python does. */
const python = (value) => (typeof value === "object" && value !== null ? text(value) : typeof value === "string" ? value : writeJSON(value, PYTHON));
const parameters = (args) => each(args, (key, value) => [`<parameter=${key}>\n${python(value)}\n</parameter>\n`]);
const glm = (args, gap) => each(args, (key, value) => [
  ...parts`⟨<arg_key>⟩${key}⟨</arg_key>⟩${gap}⟨<arg_value>⟩${text(value)}⟨</arg_value>⟩${gap}`,
]);

const WRITERS = {
  "Hermes, Qwen3": (calls) =>
    joined(calls, "\n", ({ name, args }) => parts`⟨<tool_call>⟩\n${object(name, args, "arguments")}\n⟨</tool_call>⟩`),
  "Llama 3.1 JSON": (calls) => joined(calls, "; ", ({ name, args }) => [object(name, args, "parameters")]),
  "Llama 4 pythonic": (calls) => pythonic(calls),
  LFM2: (calls) => parts`⟨<|tool_call_start|>⟩${pythonic(calls)}⟨<|tool_call_end|>⟩`,
  "Qwen3-Coder": (calls) =>
    joined(calls, "\n", ({ name, args }) => parts`⟨<tool_call>⟩\n<function=${name}>\n${parameters(args)}</function>\n⟨</tool_call>⟩`),
  "DeepSeek V3": (calls) => parts`⟨<｜tool▁calls▁begin｜>⟩${joined(calls, "\n", ({ name, args }) =>
    parts`⟨<｜tool▁call▁begin｜>⟩function⟨<｜tool▁sep｜>⟩${name}\n\`\`\`json\n${json(args)}\n\`\`\`⟨<｜tool▁call▁end｜>⟩`)}⟨<｜tool▁calls▁end｜>⟩`,
  "DeepSeek V3.1": (calls) => parts`⟨<｜tool▁calls▁begin｜>⟩${calls.flatMap(({ name, args }) =>
    parts`⟨<｜tool▁call▁begin｜>⟩${name}⟨<｜tool▁sep｜>⟩${json(args)}⟨<｜tool▁call▁end｜>⟩`)}⟨<｜tool▁calls▁end｜>⟩`,
  "DeepSeek V3.2 DSML": (calls) =>
    parts`<⟨｜DSML｜⟩function_calls>\n${calls.flatMap(({ name, args }) => dsml(name, args))}</⟨｜DSML｜⟩function_calls>`,
  "Mistral, old": (calls) =>
    parts`⟨[TOOL_CALLS]⟩ [${joined(calls, ", ", ({ name, args }) => [object(name, args, "arguments")])}]`,
  Mistral: (calls) => calls.flatMap(({ name, args }) => parts`⟨[TOOL_CALLS]⟩${name}⟨[ARGS]⟩${json(args)}`),
  FunctionGemma: (calls) => calls.flatMap(({ name, args }) =>
    parts`⟨<start_function_call>⟩call:${name}${gemma(args, "<escape>", true)}⟨<end_function_call>⟩`),
  "Gemma 4": (calls) => calls.flatMap(({ name, args }) => parts`⟨<|tool_call>⟩call:${name}${gemma(args, '<|"|>', true)}⟨<tool_call|>⟩`),
  "GPT-OSS Harmony": (calls) => joined(calls, { special: "<|start|>" }, ({ name, args }, index) =>
    parts`${index ? "assistant" : ""}⟨<|channel|>⟩commentary to=functions.${name} ⟨<|constrain|>⟩json⟨<|message|>⟩${writeJSON(args)}⟨<|call|>⟩`),
  "Kimi K2": (calls) => parts`⟨<|tool_calls_section_begin|>⟩${calls.flatMap(({ name, args }, index) =>
    parts`⟨<|tool_call_begin|>⟩functions.${name}:${String(index)}⟨<|tool_call_argument_begin|>⟩${json(args)}⟨<|tool_call_end|>⟩`)}⟨<|tool_calls_section_end|>⟩`,
  "Kimi K3": (calls) => parts`⟨<|open|>⟩tools⟨<|sep|>⟩${calls.flatMap(({ name, args }, index) =>
    parts`⟨<|open|>⟩call tool="${name}" index="${String(index + 1)}"⟨<|sep|>⟩${each(args, (key, value) =>
      parts`⟨<|open|>⟩argument key="${key}" type="${kindOf(value)}"⟨<|sep|>⟩${text(value)}⟨<|close|>⟩argument⟨<|sep|>⟩`)}⟨<|close|>⟩call⟨<|sep|>⟩`)}⟨<|close|>⟩tools⟨<|sep|>⟩`,
  "GLM-4.5": (calls) =>
    joined(calls, "\n", ({ name, args }) => parts`⟨<tool_call>⟩${name}\n${glm(args, "\n")}⟨</tool_call>⟩`),
  "GLM-4.7": (calls) => calls.flatMap(({ name, args }) => parts`⟨<tool_call>⟩${name}${glm(args, "")}⟨</tool_call>⟩`),
  "MiniMax M2": (calls) => parts`⟨<minimax:tool_call>⟩\n${calls.flatMap(({ name, args }) =>
    parts`<invoke name="${name}">\n${each(args, (key, value) => [`<parameter name="${key}">${text(value)}</parameter>\n`])}</invoke>\n`)}⟨</minimax:tool_call>⟩`,
  MiniCPM5: (calls) => joined(calls, "\n", ({ name, args }) =>
    parts`<function name="${name}">${each(args, (key, value) => [`<param name="${key}">${cdata(value)}</param>`])}</function>`),
  Apertus: (calls) =>
    parts`⟨<|tools_prefix|>⟩[${joined(calls, ", ", ({ name, args }) => [json(new Map([[name, args]]))])}]⟨<|tools_suffix|>⟩`,
};

function cdata(value) {
  const written = text(value);
  return /[\n<&]/.test(written) ? `<![CDATA[${written}]]>` : written;
}

export const NATIVE = Object.entries(WRITERS).map(([name, write]) => ({ name, write }));
