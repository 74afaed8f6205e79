// Write the prompt that shows tools to a model: a line per tool and, with descriptions, per parameter.
//
// An object that occurs more than once gets a name and a line that defines it.

import { excerpt } from "./errors.js";
import { MORE, TypeWriter, hintOf, nameOf, spellMember } from "./signature.js";
import { isSame } from "./schema/equality.js";
import { isName, type Form } from "./syntax.js";
import { ANY, type ObjectNode, type Param, type Recursion, type Tool, type Type } from "./types.js";
import { STEERING, hasOwn } from "./values.js";

/** The minimum length of a repeated object that gets a name. */
const WORTH_A_NAME = 20;
/** White space of Unicode and every line end, but not U+FEFF, which `\s` includes. */
const SPACE = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const STEERING_ALL = new RegExp(STEERING, "gu");
const TYPES =
  "Tools: name(parameter:type ...), or a line for each parameter. No type means text; ? means optional; =x is the default;" +
  " a|b is a choice; [T] is a list, {T} a map, (...) an object, @x an object above. Call one:";
/** An explanation of the notation, for each form that a model may write. */
const PRIMERS: Partial<Record<Form, string>> = {
  wire: `${TYPES} its name and the values in this order, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (a b), maps as {key value}; _ for what you leave out, or name=value.`,
  keyed: `${TYPES} its name, then name=value for each, with spaces between; "quotes" around text with spaces; lists as [a b], objects as (name=a), maps as {key value}.`,
  punctuated: `${TYPES} name(parameter=value, ...); text in "quotes"; lists as [a, b], objects as (name=a), maps as {key value}.`,
};

export interface PromptOptions {
  /** Whether to include descriptions (true by default). */
  descriptions?: boolean;
  /** The form of calls that the first line explains, together with the notation. No text explains the form `tagged`. */
  primer?: Form;
  /** Whether types have their formats, bounds and lengths, tuples their positions, recursive types a name, and parameters an example or a pattern (true by default; ). */
  limits?: boolean;
}

/** Return the prompt for tools. */
export function prompt(tools: readonly Tool[], { descriptions = true, primer, limits = true }: PromptOptions = {}): string {
  if (primer !== undefined && !hasOwn(PRIMERS, primer)) {
    throw new RangeError(`expected one of the forms ${Object.keys(PRIMERS).join(", ")}, found ${excerpt(String(primer))}`);
  }
  const writer = new PromptWriter(descriptions, limits);
  const lines = [...writer.define(tools), ...tools.map((tool) => writer.tool(tool))];
  return [...(primer === undefined ? [] : [PRIMERS[primer]!]), ...lines].join("\n");
}

class PromptWriter extends TypeWriter {
  /** The names of objects, by signature and descriptions. */
  private readonly names = new Map<string, string>();

  /** The names of recursive objects by their schemas, by tool, and the tool whose types are written. */
  private readonly recursive = new Map<Tool, Map<string, string>>();
  private current: Tool | null = null;

  constructor(
    private readonly descriptions: boolean,
    limits: boolean,
  ) {
    super(limits);
  }

  override recursion(recursion: Recursion): string {
    const name = this.current && this.recursive.get(this.current)?.get(recursion.name);
    return name ? this.joinUnion(name, recursion) : "any";
  }

  /** Write the name of a recursive object and the other types of its union. */
  protected joinUnion(name: string, { others }: Recursion): string {
    return others ? `${name}|${this.type(others)}` : name;
  }

  tool(tool: Tool): string {
    this.current = tool;
    const name = nameOf(tool);
    if (!this.descriptions) return name + this.members(tool.args);
    const lines = [described(name, tool.description)];
    for (const [text, param] of this.parts(tool.args)) {
      lines.push(` ${described(text, param ? this.describe(param) : "")}`);
      if (param) lines.push(...descriptionLines(this.inside(param.type, spellMember(param.name))));
    }
    return lines.join("\n");
  }

  /** Name each object that occurs more than once or inside itself, and return the lines that define it. */
  define(tools: readonly Tool[]): string[] {
    const found = tools.flatMap((tool) => [...objectsIn(tool.args, "")].map(([name, node]) => ({ tool, name, node, text: this.text(node) })));
    const often = new Map<string, number>();
    for (const { text } of found) often.set(text, (often.get(text) ?? 0) + 1);
    const taken = this.nameArguments(tools);
    const named: typeof found = [];
    for (const one of found) {
      const { tool, name, node, text } = one;
      const isRecursive = this.isRecursive(node);
      const isWorth = isRecursive || (often.get(text)! > 1 && [...text].length >= WORTH_A_NAME);
      if (isWorth && !this.names.has(text)) {
        const wanted = isRecursive && node.name ? node.name : name;
        const base = isName(wanted) ? wanted : "object";
        let unique = base;
        for (let number = 2; taken.has(unique); number += 1) unique = `${base}${number}`;
        taken.add(unique);
        this.names.set(text, `@${unique}`);
        named.push(one);
      }
      if (isRecursive) this.setRecursive(tool, node.name!, this.names.get(text)!);
    }
    return named.map(({ tool, node, text }) => {
      this.current = tool;
      const line = `${this.names.get(text)}=${this.members(node)}`;
      return [line, ...(this.descriptions ? descriptionLines(this.about(node, "")) : [])].join("\n");
    });
  }

  /** Let recursive arguments have the name of their tool. Return the names of such tools. */
  private nameArguments(tools: readonly Tool[]): Set<string> {
    const taken = new Set<string>();
    for (const tool of tools) {
      const name = tool.alias || tool.name;
      if (!this.isRecursive(tool.args) || !isName(name)) continue;
      this.setRecursive(tool, tool.args.name!, `@${name}`);
      taken.add(name);
    }
    return taken;
  }

  private setRecursive(tool: Tool, schema: string, name: string): void {
    const names = this.recursive.get(tool) ?? new Map<string, string>();
    if (!names.has(schema)) names.set(schema, name);
    this.recursive.set(tool, names);
  }

  /** Return whether an inner occurrence of an object is shown by the object's name. */
  private isRecursive(node: ObjectNode): boolean {
    return this.limits && node.name !== null && refersTo(node, node.name, new Set());
  }

  override object(node: ObjectNode): string {
    const branches = branchesOf(node);
    if (branches.length > 1) return [...new Set(branches.map((branch) => this.object(branch)))].join("|");
    return (this.names.size && this.names.get(this.text(node))) || this.members(node);
  }

  private text(node: ObjectNode): string {
    const plain = new KeyWriter(true, this.limits);
    return [plain.members(node), ...(this.descriptions ? descriptionLines(plain.about(node, "")) : [])].join("\n");
  }

  /** Return the paths of the members inside a type, with their descriptions. */
  private inside(type: Type, path: string): Described[] {
    if (type === ANY) return [];
    const found = type.array ? this.inside(type.array.items, path) : [];
    for (const object of type.object ? branchesOf(type.object) : []) {
      const isNamed = this.names.size > 0 && this.names.has(this.text(object));
      if (!isNamed) found.push(...this.about(object, `${path}.`));
    }
    return found;
  }

  /** Return the description of a parameter, with a hint on its values if limits are shown. */
  private describe(param: Param): string {
    const hint = this.limits ? hintOf(param) : "";
    return [param.description, hint].map(oneLine).filter(Boolean).join(" ");
  }

  private about(node: ObjectNode, prefix: string): Described[] {
    const found = node.params.flatMap((param): Described[] => {
      const path = prefix + spellMember(param.name);
      const line = this.describe(param);
      return [...(line ? [[path, line] as const] : []), ...this.inside(param.type, path)];
    });
    return node.extra ? [...found, ...this.inside(node.extra, prefix + MORE)] : found;
  }
}

/** Writes texts that are equal for equal objects: a recursive type has the name of its schema. */
class KeyWriter extends PromptWriter {
  override recursion(recursion: Recursion): string {
    return this.joinUnion(`@ ${recursion.name}`, recursion);
  }
}

/** Return whether a schema with this name recurs inside an object. */
function refersTo(node: ObjectNode, name: string, seen: Set<Type>): boolean {
  const inner = node.params.map((param) => param.type);
  if (node.extra) inner.push(node.extra);
  return inner.some((type) => recursIn(type, name, seen)) || node.branches.some((branch) => refersTo(branch, name, seen));
}

function recursIn(type: Type, name: string, seen: Set<Type>): boolean {
  if (type.recursion) return type.recursion.name === name || (type.recursion.others !== null && recursIn(type.recursion.others, name, seen));
  if (isSame(type, ANY) || seen.has(type)) return false;
  seen.add(type);
  const { array, object } = type;
  const items = array ? [array.items, ...array.positions, ...(array.further ? [array.further] : [])] : [];
  return items.some((item) => recursIn(item, name, seen)) || (object !== null && refersTo(object, name, seen));
}

/** The path of a member, and its description. */
type Described = readonly [path: string, description: string];

/** Write one line for each path, because a program that reads the prompt expects one. */
function descriptionLines(found: readonly Described[]): string[] {
  const lines = new Map<string, string>();
  for (const [path, text] of found) if (!lines.has(path)) lines.set(path, `  ${path} ${text}`);
  return [...lines.values()];
}

/** Return the objects between which a union chooses, or the object itself. */
function branchesOf(node: ObjectNode): readonly ObjectNode[] {
  return node.branches.length ? node.branches.flatMap(branchesOf) : [node];
}

/** Return each object inside an object, innermost first, with its name. */
function* objectsIn(root: ObjectNode, name: string): Iterable<[string, ObjectNode]> {
  for (const param of root.params) yield* objectsOf(param.type, param.name);
  if (root.extra) yield* objectsOf(root.extra, name);
}

function* objectsOf(type: Type, name: string): Iterable<[string, ObjectNode]> {
  if (type === ANY) return;
  if (type.array) yield* objectsOf(type.array.items, name);
  for (const object of type.object ? branchesOf(type.object) : []) {
    yield* objectsIn(object, name);
    if (object.params.length) yield [name, object];
  }
}

function described(text: string, description: string): string {
  const line = oneLine(description);
  return line ? `${text} ${line}` : text;
}

/** Put a text on one line, without characters that control a terminal or reverse text. */
function oneLine(text: string): string {
  return text.split(SPACE).filter(Boolean).join(" ").replace(STEERING_ALL, "\ufffd");
}
