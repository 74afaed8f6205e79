// A middleware for Vercel's AI SDK (`wrapLanguageModel`): writes results in LTON, and gives tools to
// models whose API does not support tools.

import type {
  LanguageModelV3CallOptions, LanguageModelV3Content, LanguageModelV3FinishReason, LanguageModelV3FunctionTool,
  LanguageModelV3Message, LanguageModelV3Middleware, LanguageModelV3StreamPart, LanguageModelV3ToolResultOutput, SharedV3Warning,
} from "@ai-sdk/provider";
import { encode } from "./encode.js";
import { LtonError } from "./errors.js";
import type { Event } from "./events.js";
import type { decodeLenient } from "./lenient.js";
import { shortResult, type ForModels } from "./results.js";
import { Decoder } from "./stream.js";
import { ToolSet } from "./toolset.js";
import type { Call, Members, Value } from "./values.js";

export interface MiddlewareOptions {
  /**
   * The class of models that must be able to read shortened results (see `lton/results`), or "none". With
   * "any", the default, only rows of at most six cells become tables. "large" is for models that you have tested.
   */
  results?: ForModels | "none";
  /**
   * Give tools to a model whose API does not support them. The prompt shows the signatures of the tools, and
   * the model writes calls as lines that begin with `!call `. These are read strictly: an invalid call is an
   * error and is not run.
   *
   * With "lenient", calls are read as `decodeLenient` reads them. A call that cannot be read is an error. A call that
   * is uncertain is not run, and `generateText` gets a warning about it. The text and the calls of a stream come at
   * its end.
   */
  calls?: boolean | "lenient";
}

const HOW = "Begin each call with `!call `, on a line of its own, and end your turn after the calls. All other lines are for the user.";

/** Return a middleware for `wrapLanguageModel({ model, middleware })`. */
export function ltonMiddleware({ results = "any", calls = false }: MiddlewareOptions = {}): LanguageModelV3Middleware {
  const toolsOf = (params: LanguageModelV3CallOptions): ToolSet | null => {
    const given = (params.tools ?? []).filter((tool): tool is LanguageModelV3FunctionTool => tool.type === "function");
    return calls && given.length ? ToolSet.from(given.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))) : null;
  };
  // The parameters that the model gets do not contain the tools of a request, so they are stored here.
  const asked = new WeakMap<LanguageModelV3CallOptions, ToolSet>();
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const tools = toolsOf(params);
      if (!tools) return results === "none" ? params : { ...params, prompt: params.prompt.map((message) => withResults(message, results)) };
      const { tools: _, toolChoice: __, ...rest } = params;
      const shown = { ...rest, prompt: withoutTools(params.prompt, tools) };
      asked.set(shown, tools);
      return shown;
    },
    async wrapGenerate({ doGenerate, params, model }) {
      const result = await doGenerate();
      const tools = asked.get(params);
      if (!tools) return result;
      if (calls === "lenient") {
        const { finishReason } = result;
        const reader = await LenientReader.load(tools, params, model.modelId);
        const content = result.content.flatMap((part) => (part.type === "text" ? reader.read(part.text, finishReason) : [part]));
        const reason = reasonOf(content.some((part) => part.type === "tool-call"), finishReason);
        return { ...result, content, finishReason: reason, warnings: [...result.warnings, ...reader.warnings] };
      }
      const content = result.content.flatMap((part) => (part.type === "text" ? readWhole(part.text, tools) : [part]));
      return { ...result, content, finishReason: reasonOf(content.some((part) => part.type === "tool-call"), result.finishReason) };
    },
    async wrapStream({ doStream, params, model }) {
      const result = await doStream();
      const tools = asked.get(params);
      if (!tools) return result;
      const reader = calls === "lenient" ? new LenientStreamReader(await LenientReader.load(tools, params, model.modelId)) : new StreamReader(tools);
      return { ...result, stream: result.stream.pipeThrough(new TransformStream(reader)) };
    },
  };
}

function reasonOf(hasCalls: boolean, reason: LanguageModelV3FinishReason): LanguageModelV3FinishReason {
  return hasCalls && reason.unified === "stop" ? { ...reason, unified: "tool-calls" } : reason;
}

// --- results -----------------------------------------------------------------------------------------------

function withResults(message: LanguageModelV3Message, forModels: ForModels): LanguageModelV3Message {
  if (message.role !== "tool") return message;
  const content = message.content.map((part) => (part.type === "tool-result" ? { ...part, output: shorter(part.output, forModels) } : part));
  return { ...message, content };
}

/** Return a result as `write` writes it if this is shorter, otherwise unchanged. */
function shorter(output: LanguageModelV3ToolResultOutput, forModels: ForModels): LanguageModelV3ToolResultOutput {
  if (output.type !== "json" && output.type !== "error-json") return output;
  const { value } = output;
  const json = JSON.stringify(value);
  if (typeof value !== "object" || value === null) return output;
  const text = shortResult(json, forModels);
  return text === json ? output : { type: output.type === "json" ? "text" : "error-text", value: text };
}

// --- models without tools -----------------------------------------------------------------------------------

/** Return a prompt for any model, in which tools, calls and results are text. */
function withoutTools(prompt: readonly LanguageModelV3Message[], tools: ToolSet): LanguageModelV3Message[] {
  const about = `${tools.prompt({ primer: "punctuated" })}\n${HOW}`;
  const [first, ...rest] = prompt;
  const system = first?.role === "system" ? `${first.content}\n\n${about}` : about;
  const others = first && first.role !== "system" ? [first, ...rest] : rest;
  return [{ role: "system", content: system }, ...others.map((message) => asText(message, tools))];
}

function asText(message: LanguageModelV3Message, tools: ToolSet): LanguageModelV3Message {
  if (message.role === "assistant") {
    const content = message.content.map((part) => (part.type === "tool-call" ? textOf(callText(part.toolName, part.input, tools)) : part));
    return { ...message, content };
  }
  if (message.role !== "tool") return message;
  const results = message.content.filter((part) => part.type === "tool-result");
  return { role: "user", content: [textOf(results.map((part) => resultText(part.toolName, part.output)).join("\n"))] };
}

const textOf = (text: string): { type: "text"; text: string } => ({ type: "text", text });

function callText(name: string, input: unknown, tools: ToolSet): string {
  return encode({ name, arguments: input as Members }, tools, { form: "punctuated", sigil: true });
}

function resultText(name: string, output: LanguageModelV3ToolResultOutput): string {
  const value = "value" in output ? output.value : (output.reason ?? "the user has not allowed it");
  return encode({ name, value: value as Value, error: output.type.startsWith("error") || output.type === "execution-denied" }, null, { lines: true });
}

function readWhole(text: string, tools: ToolSet): LanguageModelV3Content[] {
  const decoder = new Decoder(tools, { prose: true });
  const content: LanguageModelV3Content[] = [];
  const say = (prose: string): void => {
    const last = content.at(-1);
    if (last?.type === "text") last.text += prose;
    else if (prose.trim()) content.push(textOf(prose));
  };
  for (const event of [...decoder.feed(text), ...decoder.end()]) {
    if (event.type === "prose") say(event.text);
    else if (event.type !== "argument" && event.type !== "start") content.push(callOf(event));
  }
  return content;
}

type ToolCall = LanguageModelV3Content & { type: "tool-call" };

function toolCall(call: Call): ToolCall {
  return { type: "tool-call", toolCallId: crypto.randomUUID(), toolName: call.name, input: JSON.stringify(call.arguments) };
}

function callOf(event: Event): ToolCall {
  if (event.type === "end") return toolCall(event.call);
  throw new LtonError("E213", "expected a call, found an answer, which only a tool gives");
}

/** Reads the calls in a stream of text, and passes on all other text. */
class StreamReader implements Transformer<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  private decoder: Decoder | null = null;
  private hasCalls = false;

  constructor(private readonly tools: ToolSet) {}

  transform(part: LanguageModelV3StreamPart, controller: TransformStreamDefaultController<LanguageModelV3StreamPart>): void {
    if (part.type === "text-start") this.decoder = new Decoder(this.tools, { prose: true, deltas: true });
    if (part.type === "text-delta") return this.say(this.decoder!.feed(part.delta), part.id, controller);
    if (part.type === "text-end") this.say(this.decoder!.end(), part.id, controller);
    controller.enqueue(part.type === "finish" ? { ...part, finishReason: reasonOf(this.hasCalls, part.finishReason) } : part);
  }

  private say(events: Iterable<Event>, id: string, controller: TransformStreamDefaultController<LanguageModelV3StreamPart>): void {
    for (const event of events) {
      if (event.type === "prose") controller.enqueue({ type: "text-delta", id, delta: event.text });
      else if (event.type === "end" || event.type === "result") {
        this.hasCalls = true;
        controller.enqueue(callOf(event));
      }
    }
  }
}

// --- lenient reading ----------------------------------------------------------------------------------------

const MARK = /\s*(<[^<>\n]{1,80}>)/y;

/** Reads the texts of an answer leniently, and collects warnings about calls that are uncertain. */
class LenientReader {
  readonly warnings: SharedV3Warning[] = [];

  private constructor(
    private readonly decode: typeof decodeLenient,
    private readonly tools: ToolSet,
    private readonly syntax: readonly string[],
    private readonly seen: readonly string[],
  ) {}

  /** Load the lenient reader, which a program that reads strictly does not need. */
  static async load(tools: ToolSet, { prompt }: LanguageModelV3CallOptions, model: string): Promise<LenientReader> {
    const { decodeLenient, syntaxesOfModel } = await import("./lenient.js");
    const given = prompt.filter((message) => message.role === "user").flatMap((message) => message.content);
    const seen = given.flatMap((part) => (part.type === "text" ? [part.text] : []));
    return new LenientReader(decodeLenient, tools, ["lton", ...syntaxesOfModel(model)], seen);
  }

  /** Return the prose and the calls of a text. If no call is certain, the text is unchanged. */
  read(text: string, reason: LanguageModelV3FinishReason): LanguageModelV3Content[] {
    const { tools, syntax, seen } = this;
    const found = this.decode(text, tools, { syntax, seen, ended: endOf(reason) });
    if (found.errors.length) throw found.errors[0];
    if (!found.complete) throw new LtonError("E506", "the text takes too much work to read");
    for (const { call, code, problem } of found.uncertain) {
      this.warnings.push({ type: "other", message: `a call of ${call.name} was not run: ${problem} [${code}]` });
    }
    if (!found.calls.length) return [textOf(text)];
    let prose = "";
    let end = 0;
    const marks = new Set(found.repairs.filter(({ code }) => code === "L102").map(({ pos }) => pos));
    for (const [start, stop] of found.called) {
      prose += text.slice(end, start);
      end = afterMarks(text, stop, marks);
    }
    prose += text.slice(end);
    return [...(prose.trim() ? [textOf(prose)] : []), ...found.calls.map(toolCall)];
  }
}

/** Return the position after the closing marks of a call. `marks` has their positions, in Unicode characters. */
function afterMarks(text: string, stop: number, marks: ReadonlySet<number>): number {
  let end = stop;
  for (;;) {
    MARK.lastIndex = end;
    const found = MARK.exec(text);
    const start = found ? MARK.lastIndex - found[1]!.length : 0;
    if (!found || !marks.has([...text.slice(0, start)].length)) return end;
    end = MARK.lastIndex;
  }
}

/** Return whether an answer is complete, or null if the reason does not say this. */
function endOf({ unified }: LanguageModelV3FinishReason): boolean | null {
  if (unified === "stop" || unified === "tool-calls") return true;
  return unified === "length" ? false : null;
}

/** Keeps the texts of a stream until its end, because only the whole text shows whether a call is meant. */
class LenientStreamReader implements Transformer<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  private readonly texts = new Map<string, string>();

  constructor(private readonly reader: LenientReader) {}

  transform(part: LanguageModelV3StreamPart, controller: TransformStreamDefaultController<LanguageModelV3StreamPart>): void {
    if (part.type === "text-start") this.texts.set(part.id, "");
    else if (part.type === "text-delta") this.texts.set(part.id, (this.texts.get(part.id) ?? "") + part.delta);
    else if (part.type === "finish") this.finish(part, controller);
    else if (part.type !== "text-end") controller.enqueue(part);
  }

  private finish(part: LanguageModelV3StreamPart & { type: "finish" }, controller: TransformStreamDefaultController<LanguageModelV3StreamPart>): void {
    let hasCalls = false;
    for (const [id, text] of this.texts) {
      for (const read of this.reader.read(text, part.finishReason)) {
        if (read.type === "text") {
          controller.enqueue({ type: "text-start", id });
          controller.enqueue({ type: "text-delta", id, delta: read.text });
          controller.enqueue({ type: "text-end", id });
        } else if (read.type === "tool-call") {
          hasCalls = true;
          controller.enqueue(read);
        }
      }
    }
    controller.enqueue({ ...part, finishReason: reasonOf(hasCalls, part.finishReason) });
  }
}
