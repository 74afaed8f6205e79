// Encode calls as text. Each call has one canonical text per form (§6). Every value is checked.

import { LtonError, describe, pointer, quote } from "./errors.js";
import { CALL, ERROR, FORMS, NO_CALL, RESULT, counted, joined, spellName, spellNumber, spellTaggedKey, spellText, type Form } from "./syntax.js";
import type { Given, GivenFor } from "./inference.js";
import { parseJSON, type Exact } from "./json.js";
import { checkModel, membersOf, refuse, type Path } from "./model.js";
import { writeTable, type Cells } from "./tables.js";
import type { ToolSet } from "./toolset.js";
import { ANY, FREE, type ObjectNode, type Tool, type Type } from "./types.js";
import {
  FORBIDDEN, MAX_DEPTH, emptyObject, hasOwn, sorted, type Call, type Integers, type Members, type Result, type Value,
} from "./values.js";

export interface EncodeOptions {
  /** "wire" (by position, the shortest; the default), "keyed", "punctuated" or "tagged". */
  form?: Form;
  /** Add the fingerprint of the layout to each name (R-406). */
  fingerprint?: boolean;
  /** Begin each line with `!call `, which is required if the text may also contain prose (R-429). */
  sigil?: boolean;
  /** With "bigint", every Number is written as a double: 1 becomes `1.0`. */
  integers?: Integers;
  /** Write answers in the form that models read best: each row on its own line, members in their given order (R-317). */
  lines?: boolean;
}

/** Convert a call of an API. */
function read(frame: Given): Call | Result {
  if (typeof frame !== "object" || frame === null) throw new LtonError("E401", "expected a call or an answer", { path: "" });
  const { name, arguments: given } = "function" in frame ? frame.function : "input" in frame ? { name: frame.name, arguments: frame.input } : (frame as Call);
  if (given === undefined) return frame as Result;
  if (typeof given !== "string") return { name, arguments: given as Call["arguments"] };
  let members: Exact;
  try {
    members = parseJSON(given || "{}");
  } catch (error) {
    throw new LtonError("E401", `expected JSON as the arguments: ${(error as LtonError).problem}`, { path: "" });
  }
  if (!(members instanceof Map)) throw new LtonError("E401", "expected an object as the arguments", { path: "" });
  return { name, arguments: valueOf(members) as Call["arguments"] };
}

/** Replace maps with objects. */
function valueOf(read: Exact): Value {
  if (Array.isArray(read)) return read.map(valueOf);
  if (!(read instanceof Map)) return read;
  const members = emptyObject();
  for (const [key, value] of read) members[key] = valueOf(value);
  return members;
}

/**
 * Encode calls and answers, one per line. Without tools, calls are in the map form (R-433).
 *
 * If the schemas of the tools have static types, so have the calls. With other integers, a call has no static type.
 */
export function encode<Tools extends ToolSet<unknown> | null = null>(
  frames: GivenFor<Tools> | readonly GivenFor<Tools>[],
  tools?: Tools,
  options?: EncodeOptions & { integers?: "number" },
): string;
export function encode(frames: Given | readonly Given[], tools: ToolSet<unknown> | null, options: EncodeOptions & { integers: Integers }): string;
export function encode(frames: Given | readonly Given[], tools: ToolSet<unknown> | null = null, options: EncodeOptions = {}): string {
  const { form = "wire", sigil = false } = options;
  if (!FORMS.includes(form)) throw new LtonError("E401", `no form has the name ${String(form)}`);
  const writer = new Writer(tools, form, options);
  let above: string | null = null;
  const lines = [frames].flat().map((given) => {
    const frame = read(given);
    if (!("arguments" in frame)) return writer.answer(frame);
    const line = writer.call(frame, sigil ? null : above);
    above = frame.name;
    return (sigil && form !== "tagged" ? CALL : "") + line;
  });
  return lines.join("\n");
}

class Writer {
  private readonly isPunctuated: boolean;
  private readonly isExact: boolean;

  constructor(
    private readonly tools: ToolSet<unknown> | null,
    private readonly form: Form,
    private readonly options: EncodeOptions,
    private readonly onLines = false,
  ) {
    this.isPunctuated = form === "punctuated";
    this.isExact = options.integers === "bigint";
  }

  call(call: Call, above: string | null): string {
    const { tools, form } = this;
    if (!tools && form !== "wire" && form !== "tagged") throw new LtonError("E212", `without tools, the ${form} form cannot be written`, { path: "" });
    const tool = this.find(call.name);
    const args = checkedMembers(call.arguments, tool?.args ?? FREE, 0, []);
    const breach = tool?.check?.(args);
    if (breach) throw new LtonError(breach.code, breach.problem, { path: pointer(breach.path) });
    const name = spellName(tool?.alias || call.name) + (this.options.fingerprint && tools && tool ? `#${tools.fingerprintOf(tool)}` : "");
    if (form === "tagged") return `${CALL}${name}\n${this.groups(args, tool?.args ?? null)}`;
    if (!tool) return `${name}{${this.row(this.pairs(args, ANY))}}`;
    const words = this.members(args, tool.args);
    if (this.isPunctuated) return `${name}(${this.row(words)})`;
    // R-405: the wire form does not repeat a name, but a keyed line must be readable on its own.
    const head = form === "wire" && call.name === above ? "&" : name;
    return words.length ? `${head} ${this.row(words)}` : head;
  }

  /** R-426: write an answer. Its value is written as at a position that allows any kind. */
  answer(result: Result): string {
    const head = result.error && !result.name ? NO_CALL : `${result.error ? ERROR : RESULT}${this.answerName(result.name)} `;
    return head + new Writer(null, "wire", this.options, this.options.lines).value(checked(result.value, ANY, 0, []), ANY);
  }

  private answerName(name: string): string {
    return spellName(this.find(name)?.alias || name);
  }

  private find(name: string): Tool | null {
    if (!this.tools) {
      if (typeof name !== "string" || !name || FORBIDDEN.test(name)) throw new LtonError("E401", "this cannot be a name", { path: "" });
      return null;
    }
    const tool = this.tools.tools.find((each) => each.name === name);
    if (tool) return tool;
    throw new LtonError("E201", `no tool ${quote(name)}`, { path: "" });
  }

  private row(words: readonly string[]): string {
    return this.isPunctuated ? words.join(", ") : joined(words);
  }

  /** Write arguments in canonical order: by position as far as possible, then by key (R-413). */
  private members(values: Members, layout: ObjectNode): string[] {
    const node = layout.branchOf(values);
    const { row, keyed } = this.form === "wire" ? node.arrange(values) : { row: [], keyed: node.inOrder(values) };
    const words = row.map((param) => (param ? this.value(values[param.name]!, param.type) : "_"));
    for (const name of keyed) words.push(`${spellName(name)}=${this.value(values[name]!, node.typeOf(name) ?? ANY)}`);
    return words;
  }

  private pairs(values: Members, type: Type): string[] {
    const keys = Object.keys(values);
    return (this.onLines ? keys : sorted(keys)).map((key) => `${spellName(key)} ${this.value(values[key]!, type)}`);
  }

  private value(value: Value, type: Type): string {
    if (typeof value === "string") return spellText(value, type.takesBare(value) && (type.hasLabels || !this.isPunctuated), this.isPunctuated);
    if (typeof value === "number") return this.number(value);
    if (typeof value !== "object" || value === null) return String(value);
    if (Array.isArray(value)) {
      const items = type.array?.items ?? ANY;
      const within = this.onLines ? new Writer(null, "wire", this.options) : this; // a row contains no lines
      const words = (): string => this.row(value.map((item) => within.value(item, items)));
      return `[${within.table(value, items, [], this.onLines) ?? words()}]`;
    }
    const node = type.object ?? FREE;
    if (!node.isMap) return `(${this.row(this.members(value, node))})`;
    const keys = sorted(Object.keys(value));
    const table = this.onLines ? null : this.table(keys.map((key) => value[key]!), node.extra!, keys.map(spellName));
    return `{${table ?? this.row(this.pairs(value, node.extra!))}}`;
  }

  private number(value: number): string {
    return !this.isExact && Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : spellNumber(value);
  }

  /** Return the text between the brackets of a table, or null if a table is not canonical. */
  private table(rows: readonly Value[], type: Type, names: readonly string[] = [], onLines = false): string | null {
    return this.isPunctuated || !type.object?.isMap ? null : writeTable(rows, this.cells(type.object.extra!), names, onLines);
  }

  private cells(type: Type): Cells {
    return { write: (value) => this.value(value, type), inner: () => (type.object?.isMap ? this.cells(type.object.extra!) : null) };
  }

  // --- the tagged form (§5) --------------------------------------------------------------------------------

  private groups(values: Members, node: ObjectNode | null): string {
    const { row, keyed } = node?.arrange(values) ?? { row: [], keyed: sorted(Object.keys(values)) };
    const atoms = row.map((param) => (param ? this.atom(values[param.name]!, param.type) : "_"));
    const groups = atoms.length || !keyed.length ? [`(${atoms.join(" ")})`] : [];
    for (const name of keyed) groups.push(`(${spellTaggedKey(name)} ${this.atom(values[name]!, node?.typeOf(name) ?? ANY)})`);
    return groups.join("\n");
  }

  private atom(value: Value, type: Type): string {
    if (value === null) return "n";
    if (typeof value === "string") return counted(type.hasLabels ? "e" : "s", value);
    if (typeof value === "boolean") return counted("b", String(value));
    if (typeof value === "bigint") return counted(value >= 0n ? "u" : "i", String(value));
    if (typeof value === "number") {
      const digits = this.number(value);
      return counted(/[.e]/.test(digits) ? "f" : value >= 0 ? "u" : "i", digits);
    }
    if (Array.isArray(value)) return `[${value.map((item) => this.atom(item, type.array?.items ?? ANY)).join(" ")}]`;
    const node = (type.object ?? FREE).branchOf(value);
    return `{${node.inOrder(value).map((key) => `${spellTaggedKey(key)} ${this.atom(value[key]!, node.typeOf(key) ?? ANY)}`).join(" ")}}`;
  }
}

// --- checks -------------------------------------------------------------------------------------------------

/** Return a checked value of the data model: objects without prototypes, no Maps (R-201 to R-205). */
export function checked(value: unknown, type: Type, depth: number, path: Path): Value {
  checkModel(value, path);
  const refusal = type.refuse(value as Value);
  if (refusal) throw refuse(refusal[0], `expected ${refusal[1]}, found ${describe(value)}`, path);
  if (typeof value !== "object" || value === null) return value as Value;
  if (depth >= MAX_DEPTH) throw refuse("E301", `nested deeper than ${MAX_DEPTH}`, path);
  if (!Array.isArray(value)) return checkedMembers(value, type.object!, depth + 1, path);
  return Array.from(value as unknown[], (item, index) => checked(item, type.array!.items, depth + 1, [...path, index]));
}

/** R-407, R-411: check that all names are allowed and all required names are present. */
function checkedMembers(given: unknown, layout: ObjectNode, depth: number, path: Path): Members {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refuse("E401", "expected an object of arguments", path);
  const values = emptyObject();
  const node = layout.branchOf((given instanceof Map ? Object.fromEntries(given as Map<string, Value>) : given) as Members);
  for (const [name, value] of membersOf(given, path)) {
    const type = node.typeOf(name);
    if (!type) throw refuse("E202", `no parameter ${quote(name)}`, path);
    values[name] = checked(value, type, depth, [...path, name]);
  }
  for (const { name } of node.needs) if (!hasOwn(values, name)) throw refuse("E205", `${quote(name)} is required`, path);
  return values;
}
