// Read frames (§4.1, §4.4): a call or an answer, from its first character to the end of its line.

import { pointer, quote } from "../errors.js";
import { CALL, ERROR, IN_NAME, NO_CALL, RESULT, SIGILS, runEnd } from "../syntax.js";
import type { ToolSet } from "../toolset.js";
import { ANY, FREE, type Tool } from "../types.js";
import type { Call, Members as Values, Result, Value } from "../values.js";
import { MapCall, Members, Row, TaggedCall } from "./groups.js";
import { Reader, State } from "./reader.js";
import { More, Wrong } from "./stops.js";
import { PositionFinder } from "./watchers.js";
import { ValuePlace, beginValue } from "./value.js";

const HEX = /[0-9a-f]*/y;
const DIGITS = 8;

/** The place of the value of an answer. */
class AnswerPlace extends ValuePlace {
  override readonly isUntyped = true;
}

/** A frame that is being read, with its tools and the previous call. */
export class Frame {
  /** The name of the tool, set when the call begins. */
  name = "";
  private tool: Tool | null = null;
  private answer = "";
  private phase: "head" | "inside" | "end" = "head";
  private made: Call | Result | null = null;
  private start = 0;

  constructor(
    private readonly tools: ToolSet<unknown> | null,
    /** The name of the last called tool, as calls write it. */
    private readonly above: string | null,
  ) {}

  /** The name of the tool as calls write it, for a `&` in a later call. */
  get spoken(): string | null {
    return this.answer ? this.above : this.tool?.alias || this.name;
  }

  /** Read up to and including the newline. If reading stops, the reader can resume at its position. */
  run(reader: Reader): Call | Result {
    const start = reader.pos;
    try {
      if (this.phase === "head") {
        this.start = start;
        this.begin(reader);
        this.phase = "inside";
      }
      if (this.phase === "inside") {
        reader.run();
        this.made = this.make(reader);
        this.phase = "end";
      }
    } catch (stop) {
      if (this.phase === "head") reader.pos = start;
      else if (reader.state === State.Value) reader.pos = reader.group.at;
      if (stop instanceof Wrong) stop.path ??= this.phase === "head" ? "" : pointer(reader.group.path);
      throw stop;
    }
    const { src, pos } = reader;
    if (pos < src.length ? src[pos] !== "\n" : reader.isOpen) throw reader.unexpected(pos, "the end of the line");
    reader.pos = Math.min(pos + 1, src.length);
    return this.made!;
  }

  /** Read the text before the arguments, or before the value of an answer. */
  private begin(reader: Reader): void {
    const { src } = reader;
    const start = reader.pos;
    const sigil = src[start] === "!" ? this.sigil(reader) : "";
    reader.pos += sigil.length;
    if (sigil && sigil !== CALL) return this.beginAnswer(reader, sigil);
    const isRepeat = src[reader.pos] === "&" && !sigil;
    const { name, tool } = isRepeat ? this.repeated(reader) : this.head(reader);
    const { pos } = reader;
    const after = src[pos] ?? "";
    const mayFollow = " ({\n".includes(after) && !(after === "{" && isRepeat);
    if (!mayFollow || (!after && reader.isOpen)) throw reader.unexpected(pos, "a space or '(' after the name");
    const hasGroups = sigil !== "" && after === "\n";
    if (!tool && !hasGroups && after !== "{") throw schemaless(start);
    if (!this.name) reader.report({ type: "start", name: tool?.name ?? name });
    this.name = name;
    this.tool = tool;
    if (hasGroups && reader.runsOut(pos + 1)) throw new More();
    const isTagged = hasGroups && src[pos + 1] === "(";
    const args = this.arguments(isTagged, after, start);
    args.isCall = true;
    if (after === " ") {
      const first = src[pos + 1] ?? "";
      if (first === "" || first === "\n") throw this.noFirst(reader, pos + 1, args);
      reader.push(args, pos + 1);
      reader.state = State.Value;
      reader.group.at = pos + 1;
    } else reader.push(args, pos + (isTagged ? 2 : after === "(" || after === "{" ? 1 : 0));
  }

  private arguments(isTagged: boolean, after: string, start: number): Members {
    const node = this.tool?.args ?? FREE;
    if (isTagged) return new TaggedCall(node, this.tool !== null);
    if (after === "{") return new MapCall(null, "}", 0, node);
    if (!this.tool) throw schemaless(start);
    return new Row(null, after === "(" ? ")" : "\n", 0, node);
  }

  /** refuse a space without an argument after it. */
  private noFirst(reader: Reader, pos: number, args: Members): Wrong | More {
    const isLast = pos === reader.src.length && !reader.isOpen && !args.hasRoom();
    if (isLast) return new Wrong("E207", "no argument is left that could come here", pos);
    return reader.unexpected(pos, "another value after the separator");
  }

  private sigil(reader: Reader): string {
    const { src, pos } = reader;
    const found = SIGILS.find((sigil) => src.startsWith(sigil, pos));
    if (found) return found;
    const isCut = SIGILS.some((sigil) => sigil.startsWith(src.slice(pos, pos + NO_CALL.length)));
    throw reader.unexpected(isCut ? src.length : pos, "one of '!call ', '!result ', '!error ', '!error: '");
  }

  /** begin an answer, after its sigil. */
  private beginAnswer(reader: Reader, sigil: string): void {
    this.answer = sigil;
    reader.watcher = null;
    if (sigil !== NO_CALL) {
      const { name, tool } = this.head(reader);
      this.name = tool?.name ?? name;
      if (reader.src[reader.pos] !== " ") throw reader.unexpected(reader.pos, "a space after the name");
      reader.pos += 1;
    }
    beginValue(reader, new AnswerPlace(null, "\n", 0), ANY);
  }

  /** return the tool of the previous call. */
  private repeated(reader: Reader): { name: string; tool: Tool | null } {
    if (this.above === null) throw new Wrong("E211", "no call above to repeat", reader.pos);
    const tool = this.tools?.byName.get(this.above);
    if (!tool) throw schemaless(reader.pos);
    reader.pos += 1;
    return { name: tool.name, tool };
  }

  /** read the name of a tool, and the fingerprint of its layout if present. */
  private head(reader: Reader): { name: string; tool: Tool | null } {
    const { src, pos } = reader;
    const { tools } = this;
    if (reader.runsOut(pos)) throw new More();
    const end = runEnd(src, pos, IN_NAME);
    let name: string;
    if (end > pos && end < src.length) {
      name = src.slice(pos, end);
      reader.pos = end;
    } else name = reader.name("the name of a tool");
    if (!name) throw new Wrong("E101", "the name of a tool is not empty", pos);
    const tool = tools?.byName.get(name) ?? null;
    if (tools && !tool) throw new Wrong("E201", `no tool ${quote(name)}`, pos);
    if (src[reader.pos] === "#") this.fingerprint(reader, tool);
    return { name: tool?.name ?? name, tool };
  }

  private fingerprint(reader: Reader, tool: Tool | null): void {
    const { src, pos } = reader;
    const expected = tool ? this.tools!.fingerprintOf(tool) : "";
    HEX.lastIndex = pos + 1;
    const found = HEX.exec(src)![0];
    const end = pos + 1 + found.length;
    if (reader.runsOut(end)) throw new More(pos + 1, (piece) => /^[0-9a-f]+$/.test(piece));
    if (found.length < DIGITS) throw reader.unexpected(end, `a fingerprint of ${DIGITS} digits`);
    if (!found.startsWith(expected)) throw new Wrong("E209", `expected the layout ${expected}, found ${found.slice(0, DIGITS)}`, pos);
    if (found.length > DIGITS) throw reader.unexpected(pos + 1 + DIGITS, "a space or '(' after the name");
    reader.pos = end;
  }

  private make(reader: Reader): Call | Result {
    if (this.answer) return { name: this.name, value: reader.value as Value, error: this.answer !== RESULT };
    const call: Call = { name: this.name, arguments: reader.value as Values };
    const breach = this.tool?.check?.(call.arguments);
    if (!breach) return call;
    const at = this.positionOf(reader, breach.path) ?? reader.pos;
    throw new Wrong(breach.code, breach.problem, at, pointer(breach.path));
  }

  /**
   * Read the arguments again to find where the value at a path begins. A stream keeps no text from the start of
   * the frame. It reads the frame again after an error.
   */
  private positionOf({ src, integers, events }: Reader, path: readonly (string | number)[]): number | null {
    if (!path.length || events) return null;
    const again = new Reader(integers);
    const finder = new PositionFinder(path);
    again.setText(src, this.start);
    again.watcher = finder;
    new Frame(this.tools, this.above).begin(again);
    again.run();
    return finder.position;
  }
}

function schemaless(start: number): Wrong {
  return new Wrong("E212", "without tools, only a name and a map, or the tagged form, can be read", start);
}

export const ANSWERS = [RESULT, ERROR, NO_CALL];
