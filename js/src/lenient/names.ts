// Finds the names of tools in an output, even if they are misspelled.

import { readCalls } from "../decode.js";
import { Wrong } from "../reader/stops.js";
import { IN_NAME, runEnd, spellName } from "../syntax.js";
import type { ToolSet } from "../toolset.js";
import type { Tool } from "../types.js";
import { isShaped } from "./arguments.js";
import { moved, type Head } from "./candidates.js";
import { firstKey } from "./call-elements.js";
import { REPEATS, SIGILS } from "./marks.js";
import { pattern } from "./patterns.js";
import { RepairCode, type Note } from "./repairs.js";
import type { Spans } from "./spans.js";
import { QUOTED } from "./strings.js";
import { fold } from "./text.js";

const CALL = "!call ";
const AFTER_NAME = new Set(["", ..." \t\r\n(:{#`<["]);
/** A word after a recipient that is not an argument: `to=functions.f json`. */
const CONTENT_TYPE = pattern(String.raw`[ \t]+[A-Za-z]\w{0,30}(?=[\s{<]|\Z)`);
const NAMESPACE = /^(?:functions|default_api)\./;
/** Kimi's id: `functions_f_2`. */
const NUMBERED = pattern(String.raw`functions_(\w+)_\d{1,4}`);
const FINGERPRINT = pattern("#([0-9a-f]{0,8})");

/** A name, and the position after it. */
export interface NameAt {
  readonly end: number;
  readonly name: string;
}

/** Finds the names of tools in an output. Without tools, every name is accepted. */
export class Names {
  readonly byName: ReadonlyMap<string, Tool>;
  /** The names of the tools that take no arguments. */
  readonly bare: ReadonlySet<string>;
  /** The names by their normalized form, or null if several have the same. */
  private readonly folded = new Map<string, string | null>();

  constructor(
    readonly src: string,
    readonly tools: ToolSet<unknown> | null,
    private readonly spans: Spans,
  ) {
    this.byName = tools?.byName ?? new Map();
    const named = [...this.byName];
    this.bare = new Set(named.filter(([, tool]) => tool.args.byName.size === 0).map(([name]) => name));
    for (const [name] of named) {
      const key = fold(name);
      this.folded.set(key, this.folded.has(key) ? null : name);
    }
  }

  /** Return the name of a known tool at a position, after an optional sigil, or null. */
  head(pos: number): Head | null {
    const { src, tools } = this;
    const above = tools ? this.spans.above : null;
    if (above && REPEATS.match(src, pos)) {
      return { start: pos, sigil: "", end: pos + 1, args: pos + 1, name: above, isExact: true, notes: [], repeats: true };
    }
    const match = this.byName.has(this.name(pos).name) ? null : SIGILS.match(src, pos);
    const sigil = match?.text ?? "";
    const start = match?.end ?? pos;
    let { end, name: word } = this.name(start);
    const isEnded = word !== "" && (AFTER_NAME.has(src[end] ?? "") || firstKey(src, end) !== null);
    const name = isEnded ? this.known(word) : null;
    if (name === null || (!tools && !(sigil || isShaped(src, end)))) return null;
    const isExact = name === word;
    const notes: Note[] = [];
    if (sigil !== "" && sigil !== CALL) notes.push([pos, RepairCode.SIGIL]);
    if (!isExact) notes.push([start, RepairCode.NAME]);
    let args = this.afterFingerprint(end, name);
    const type = sigil.startsWith("to=") ? CONTENT_TYPE.match(src, args) : null;
    if (type) {
      notes.push([args, RepairCode.FRAME]);
      end = type.end;
      args = type.end;
    }
    return { start: pos, sigil, end, args, name, isExact, notes, repeats: false };
  }

  private afterFingerprint(end: number, name: string): number {
    const mark = FINGERPRINT.match(this.src, end);
    if (!mark || !this.tools) return end;
    return mark.group(1) === this.tools.fingerprintOf(this.byName.get(name)!) ? mark.end : end;
  }

  /** Read a bare or quoted name. The name is "" if there is none. */
  name(pos: number): NameAt {
    const { src } = this;
    const end = runEnd(src, pos, IN_NAME);
    if (end > pos) return { end, name: src.slice(pos, end) };
    const match = QUOTED[src[pos] ?? ""]?.match(src, pos);
    return match?.group(2) ? { end: match.end, name: match.group(1)! } : { end: pos, name: "" };
  }

  /** Return the tool that a word names, or null. Without tools, return the word. */
  known(given: string): string | null {
    if (!this.tools || this.byName.has(given)) return given;
    const word = given.replace(NAMESPACE, "");
    const found = this.folded.get(fold(word)) ?? null;
    const numbered = found === null ? NUMBERED.fullmatch(word) : null;
    return numbered ? this.known(numbered.group(1)!) : found;
  }

  begins(pos: number): boolean {
    const head = this.head(pos);
    return head !== null && (head.sigil !== "" || this.src.startsWith("(", head.end));
  }

  noTool(name: string, pos: number): Wrong {
    try {
      readCalls(spellName(name), 0, this.tools, "bigint");
    } catch (error) {
      if (error instanceof Wrong) return moved(error, this.src, pos);
      throw error;
    }
    throw new Error("unreachable: the caller has checked the name");
  }
}
