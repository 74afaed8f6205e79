// Compile definitions of OpenAI, Anthropic and MCP to the set of tools that both sides share.

import { LtonError, excerpt } from "./errors.js";
import type { CallOf } from "./inference.js";
import { fromExact, parseJSON, toExact, type Exact, type ExactMap } from "./json.js";
import { plainDefinitions, type ToJSONSchema } from "./libraries.js";
import { prompt, type PromptOptions } from "./prompt.js";
import { compileObject, type Notes } from "./schema/compile.js";
import { checkName, isMap, unflattened } from "./schema/keywords.js";
import { checker } from "./schema/validate.js";
import { fingerprint, signature } from "./signature.js";
import type { Tool } from "./types.js";
import type { Call } from "./values.js";

const SCHEMAS = ["parameters", "input_schema", "inputSchema"];
const SAYS_SCHEMA = ["properties", "$ref", "allOf", "anyOf", "oneOf"];

/** The maximum number of names that `toString` shows. */
const SHOWN = 8;

export interface ToolSetOptions {
  /** Read schemas as JSON Schema defines: everything that they do not mention is allowed, R-421 and the last item of R-422 do not apply, and keywords that are newer than the draft in `$schema` are ignored. */
  standard?: boolean;
  /** Throw the error of the first definition that cannot be read, instead of leaving the definition out. */
  strict?: boolean;
  /**
   * Converts schemas of a library that does not write JSON Schema itself: `toJsonSchema` of `@valibot/to-json-schema`,
   * or `z.toJSONSchema` for `zod/mini`. The function is called with `{ io: "input", typeMode: "input" }`.
   */
  toJSONSchema?: ToJSONSchema;
}

/** The tools that a model may call, by name. `C` is the type of their calls, which only the compiler uses. */
export class ToolSet<out C = Call> {
  declare readonly "~call"?: C;
  /** The tools by their names in texts. */
  readonly byName: ReadonlyMap<string, Tool>;
  private readonly prints = new Map<string, string>();

  constructor(
    readonly tools: readonly Tool[],
    /** JSON Pointers of the patterns that are not checked, because they cannot be matched. */
    readonly unmatched: readonly string[] = [],
    /** JSON Pointers of labels that are omitted in part, because no text can contain U+0000 or a lone surrogate. */
    readonly unsayable: readonly string[] = [],
    /**
     * JSON Pointers of required properties with a default. A call without such a property is still an error.
     * Schemas of zod have such properties unless they are generated with `io: "input"`.
     */
    readonly defaulted: readonly string[] = [],
    /** The errors of the definitions that are left out because they cannot be read. */
    readonly leftOut: readonly LtonError[] = [],
  ) {
    this.byName = new Map(tools.map((tool) => [tool.alias || tool.name, tool]));
    if (this.byName.size < tools.length || new Set(tools.map((tool) => tool.name)).size < tools.length) {
      throw new LtonError("E503", "two tools have one name", { pointer: "" });
    }
  }

  /**
   * Compile definitions: a list, the result of MCP's `tools/list`, one definition, or the tools by name that Vercel's
   * AI SDK takes.
   *
   * A definition that cannot be read is left out, and `leftOut` has its error. If no definition can be read, this
   * is an error.
   *
   * A schema is JSON Schema, or a schema of zod, ArkType, TypeBox or another library with Standard JSON Schema. The
   * calls to the tools have the static types of these schemas. For valibot, pass the option `toJSONSchema`.
   *
   * Pass a JSON string to read the definitions exactly. `JSON.parse` loses the order of properties whose names
   * are numbers, and whether a label is 1 or 1.0. Layouts depend on both.
   */
  static from<const D>(definitions: D, { standard = false, strict = false, toJSONSchema }: ToolSetOptions = {}): ToolSet<CallOf<D>> {
    const unwritten = new Map<number, LtonError>();
    const given = typeof definitions === "string" ? parseJSON(definitions) : toExact(plainDefinitions(definitions, toJSONSchema ?? null, unwritten));
    const list = isMap(given) ? (given.get("tools") ?? [given]) : given;
    if (!Array.isArray(list)) throw new LtonError("E502", `expected tool definitions, found ${excerpt(list)}`, { pointer: "" });
    const notes: Notes = { unmatched: [], unsayable: [], defaulted: [] };
    const tools: Tool[] = [];
    const faults: LtonError[] = [];
    for (const [index, definition] of list.entries()) {
      try {
        if (unwritten.has(index)) throw unwritten.get(index);
        tools.push(readDefinition(definition, `/${index}`, standard, notes));
      } catch (error) {
        if (strict || !(error instanceof LtonError)) throw error;
        faults.push(error);
      }
    }
    if (faults.length && !tools.length) throw faults[0];
    return new ToolSet(tools, notes.unmatched, notes.unsayable, notes.defaulted, faults);
  }

  /** Return the definitions of the tools in JSON, which `ToolSet.from` reads. */
  toJSON(): { name: string; description?: string; parameters: unknown }[] {
    return this.tools.map(({ name, description, schema }) => ({ name, ...(description && { description }), parameters: fromExact(schema) }));
  }

  /** The number of tools and the names of the first eight. */
  toString(): string {
    const names = this.tools.slice(0, SHOWN).map((tool) => tool.name);
    return `<ToolSet of ${this.tools.length}: ${[...names, ...(this.tools.length > SHOWN ? ["…"] : [])].join(", ")}>`;
  }

  /** 8 hexadecimal digits that identify the layouts of the tools. */
  get fingerprint(): string {
    return fingerprint(this.tools);
  }

  fingerprintOf(tool: Tool): string {
    const known = this.prints.get(tool.name) ?? fingerprint([tool]);
    this.prints.set(tool.name, known);
    return known;
  }

  /** Return the text that shows the tools to a model. */
  prompt(options: PromptOptions = {}): string {
    return prompt(this.tools, options);
  }

  /** A line for each tool, in the order of the definitions. */
  get signatures(): string[] {
    return this.tools.map((tool) => signature(tool));
  }
}

function readDefinition(definition: Exact, pointer: string, standard: boolean, notes: Notes): Tool {
  const inner = isMap(definition) ? definition.get("function") : undefined;
  if (isMap(inner)) [definition, pointer] = [inner, `${pointer}/function`];
  if (!isMap(definition)) throw new LtonError("E502", "expected a tool definition", { pointer });
  const isSchema = !definition.has("name") && SAYS_SCHEMA.some((keyword) => (definition as ExactMap).has(keyword));
  const name = definition.get(isSchema ? "title" : "name");
  if (typeof name !== "string" || !name) {
    throw new LtonError("E502", `expected the name of a tool, found ${excerpt(name)}`, { pointer });
  }
  checkName(name, pointer);
  const key = SCHEMAS.find((each) => ((definition as ExactMap).get(each) ?? null) !== null);
  let schema: Exact = isSchema ? definition : new Map([["type", "object"]]);
  if (!isSchema && key) [schema, pointer] = [definition.get(key)!, `${pointer}/${key}`];
  if (!standard && isMap(schema)) schema = unflattened(schema);
  const compiled = compileObject(schema, pointer, standard);
  notes.unmatched.push(...compiled.notes.unmatched);
  notes.unsayable.push(...compiled.notes.unsayable);
  notes.defaulted.push(...compiled.notes.defaulted);
  const description = definition.get("description");
  return {
    name,
    alias: "",
    description: typeof description === "string" ? description : "",
    schema,
    args: compiled.args,
    check: compiled.isChecked ? checker(schema, standard) : null,
  };
}
