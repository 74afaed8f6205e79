// Write tools and types as compact text for models and fingerprints (§7).

import type { Exact } from "./json.js";
import { isSame } from "./schema/equality.js";
import { sha256 } from "./sha256.js";
import { BARE, isName, quoted, spellNumber } from "./syntax.js";
import { FORMATS } from "./schema/formats.js";
import { ANY, type ArrayNode, type NumberNode, type ObjectNode, type Param, type Recursion, type StringNode, type Tool, type Type } from "./types.js";
import { STEERING, escapes, isNumber, type Num } from "./values.js";

const TYPE_NAMES = new Set(["any", "bool", "false", "int", "never", "null", "num", "str", "true"]);
/** The mark for undeclared members. */
export const MORE = "...";
/** A bound of this size only says what a program can hold. */
const BEYOND_LIMITS = 2 ** 53 - 1;
/** The maximum number of characters of an example or a pattern in a prompt. */
const MOST_OF_A_HINT = 24;
const EVERY_KIND = "str|num|bool|[any]|{any}|null";

/** Return a tool as one line: its name, and its parameters in layout order. */
export function signature(tool: Tool): string {
  return nameOf(tool) + new TypeWriter(false).members(tool.args);
}

/** Return 8 hexadecimal digits that identify the layouts of tools (R-702). */
export function fingerprint(tools: readonly Tool[]): string {
  const lines = tools.map((tool) => nameOf(tool) + new LayoutWriter(false).members(tool.args)).map((line) => [[...line].map((char) => char.codePointAt(0)!), line] as const);
  lines.sort(([one], [other]) => compare(one, other));
  return sha256(lines.map(([, line]) => line).join("\n")).slice(0, 8);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((point, index) => point !== other[index]);
  return at < 0 ? one.length - other.length : one[at]! - (other[at] ?? -1);
}

/** Return the name of a tool in its signature, after its alias if there is one. */
export function nameOf(tool: Tool): string {
  return tool.alias ? `${spellName(tool.alias)}=${spellName(tool.name)}` : spellName(tool.name);
}

/** Write the name of a member, quoted if it would look like the mark for undeclared members. */
export function spellMember(name: string): string {
  return name === MORE ? `"${name}"` : spellName(name);
}

function spellName(name: string): string {
  return isName(name) ? name : spellQuoted(name);
}

/** Quote a string, or write `@` and JSON if no quotes fit or it could control a terminal. */
function spellQuoted(text: string): string {
  const plain = STEERING.test(text) ? null : quoted(text);
  return plain ?? `@${JSON.stringify(text).replace(new RegExp(STEERING, "gu"), escapes)}`;
}

function spellText(text: string): string {
  return BARE.test(text) && ANY.takesBare(text) ? text : spellQuoted(text);
}

/**
 * Return the hint on the values of a parameter: a short example, or a short pattern (R-704).
 *
 * An example that the description contains, or that is the default, is not repeated.
 */
export function hintOf({ examples = [], pattern = "", description, default: initial }: Param): string {
  for (const example of examples) {
    const text = spellDefault(example);
    const isTold = typeof example === "string" && description.includes(example);
    const isDefault = initial !== undefined && text === spellDefault(initial);
    if (isShort(text) && !isTold && !isDefault) return `e.g. ${text}`;
  }
  const isPlain = !STEERING.test(pattern) && !description.includes(pattern);
  return isPlain && isShort(pattern) ? `pattern ${pattern}` : "";
}

function isShort(text: string): boolean {
  return [...text].length <= MOST_OF_A_HINT;
}

/** Writes the types in signatures, with their limits if wanted (R-703). */
export class TypeWriter {
  protected readonly defaults: boolean = true;

  constructor(protected readonly limits: boolean) {}

  members(node: ObjectNode): string {
    return `(${this.parts(node).map(([text]) => text).join(" ")})`;
  }

  /** Return the text of each parameter, and the mark for undeclared members if they are allowed. */
  parts(node: ObjectNode): [string, Param | null][] {
    const parts = node.params.map((param): [string, Param | null] => [this.param(param), param]);
    return node.extra ? [...parts, [`${MORE}:${this.type(node.extra)}`, null]] : parts;
  }

  private param(param: Param): string {
    const type = this.type(param.type);
    const text = spellMember(param.name) + (param.required ? "" : "?") + (type === "str" ? "" : `:${type}`);
    return this.defaults && !param.required && param.default !== undefined && param.default !== null ? `${text}=${spellDefault(param.default)}` : text;
  }

  /** Write a type: its kinds in a fixed order, with `|` between them. */
  type(type: Type): string {
    if (isSame(type, ANY)) return type.recursion ? this.recursion(type.recursion) : "any";
    const { string, number, booleans, array, object } = type;
    const parts: string[] = [];
    if (string) parts.push(...(string.values ? string.values.map((value) => this.label(value)) : [this.stringKind(string)]));
    if (number) parts.push(...(number.values ? number.values.map(spellNumber) : [this.numberKind(number)]));
    if (booleans.length) parts.push(booleans.length > 1 ? "bool" : String(booleans[0]));
    if (array) parts.push(this.arrayKind(array));
    if (object) parts.push(object.isMap ? `{${this.type(object.extra!)}}` : this.object(object));
    if (type.null) parts.push("null");
    const text = parts.join("|") || "never";
    return text === EVERY_KIND ? "any" : text;
  }

  recursion(_: Recursion): string {
    return "any";
  }

  private stringKind({ format, min, max }: StringNode): string {
    if (!this.limits) return "str";
    return format ?? `str${rangeOfSizes(min, max)}`;
  }

  private numberKind(node: NumberNode): string {
    return (node.integer ? "int" : "num") + (this.limits ? rangeOfNumbers(node) : "");
  }

  /** Write an array. A tuple has the types of its positions, and then of further items. */
  private arrayKind({ items, min, max, positions, further }: ArrayNode): string {
    if (!this.limits) return `[${this.type(items)}]`;
    const parts = positions.map((position) => this.type(position));
    if (parts.length < 2 && (!parts.length || !further)) return `[${this.type(items)}]${rangeOfSizes(min, max)}`;
    if (further) parts.push(`${MORE}:${this.type(further)}`);
    const isUsual = min === positions.length && max === (further ? undefined : positions.length);
    return `[${parts.join(" ")}]${isUsual ? "" : rangeOfSizes(min, max)}`;
  }

  protected label(value: string): string {
    return TYPE_NAMES.has(value) || FORMATS.has(value) || value.startsWith("@") ? spellQuoted(value) : spellText(value);
  }

  object(node: ObjectNode): string {
    if (!node.branches.length) return this.members(node);
    return [...new Set(node.branches.map((branch) => this.object(branch)))].join("|");
  }
}

/** Writes only the layout, which the fingerprint hashes (R-702). */
class LayoutWriter extends TypeWriter {
  protected override readonly defaults = false;

  protected override label(value: string): string {
    return TYPE_NAMES.has(value) || value.startsWith("@") ? spellQuoted(value) : spellText(value);
  }
}

function rangeOfSizes(min: number, max: number | undefined): string {
  return range(size(min || undefined), size(max));
}

function size(value: number | undefined): string {
  return value === undefined || value >= BEYOND_LIMITS ? "" : String(value);
}

/** Write the bounds of numbers. `>` and `<` mark bounds that are not allowed themselves. */
function rangeOfNumbers({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: NumberNode): string {
  let [low, high] = [bound(minimum), bound(maximum)];
  const [above, below] = [bound(exclusiveMinimum, ">"), bound(exclusiveMaximum, "<")];
  if (above && !(low && minimum! > exclusiveMinimum!)) low = above;
  if (below && !(high && maximum! < exclusiveMaximum!)) high = below;
  return range(low, high);
}

/** Write a bound, but not one that only says which integers a program can hold. */
function bound(value: Num | undefined, mark = ""): string {
  if (value === undefined || !(Math.abs(Number(value)) < BEYOND_LIMITS)) return "";
  return mark + spellNumber(value);
}

function range(low: string, high: string): string {
  if (low === high) return low && `(${low})`;
  return `(${low}..${high})`;
}

/** Write a default as in a call, but with a space between any two values. */
function spellDefault(value: Exact): string {
  if (typeof value === "string") return spellText(value);
  if (isNumber(value)) return spellNumber(value);
  if (Array.isArray(value)) return `[${value.map(spellDefault).join(" ")}]`;
  if (value instanceof Map) return `{${[...value].map(([key, part]) => `${spellName(key)} ${spellDefault(part)}`).join(" ")}}`;
  return String(value);
}
