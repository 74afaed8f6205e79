// Decode chunks of text to events, and report each event as soon as it is certain (§8).
//
// A frame is read from an open text as `decode` reads it. At the end of that text the reader stops and
// keeps its place. When more text arrives, the reader resumes there. A long lexeme is not read again for
// each chunk: chunks that only continue the lexeme are set aside unread.

import { errorOf } from "./decode.js";
import { LtonError } from "./errors.js";
import type { Event } from "./events.js";
import { Frame } from "./reader/frame.js";
import { Reader } from "./reader/reader.js";
import { More, Wrong, type Skips } from "./reader/stops.js";
import { THINK, ThoughtReader, type Marks } from "./reader/thoughts.js";
import { DeltaWriter } from "./reader/watchers.js";
import { SIGILS } from "./syntax.js";
import type { ToolSet } from "./toolset.js";
import { MAX_CALL, sizeOf, type Call, type Integers, type Result } from "./values.js";

export interface DecoderOptions {
  integers?: Integers | undefined;
  /** Report lines that do not begin with a sigil as prose. */
  prose?: boolean | undefined;
  /** Report strings, prose and thoughts in pieces, as they arrive. */
  deltas?: boolean | undefined;
  /** Read thoughts: between `<think>` and `</think>` (true), or between two other marks. */
  thoughts?: boolean | Marks | undefined;
  /** R-1104: the maximum number of characters of a call. */
  maxCall?: number | undefined;
}

const LONGEST = Math.max(...SIGILS.map((sigil) => sigil.length));

/**
 * Decodes streamed text: feed chunks to the decoder, which returns the events that are certain.
 *
 * The events and the error do not depend on how the text is cut into chunks. The error is the same as
 * that of `decode`. It is thrown as soon as the invalid value, key or name has ended, after earlier events.
 */
export class Decoder {
  private readonly events: Event[] = [];
  private readonly reader: Reader;
  private readonly prose: boolean;
  private readonly deltas: boolean;
  private readonly maxCall: number;
  private thoughts: ThoughtReader | null = null;
  private failure: LtonError | null = null;
  private hasEnded = false;
  /** The first half of a character of two UTF-16 units, which ended the last chunk. */
  private half = "";
  /** Chunks that were fed but not read. */
  private rest: string[] = [];
  /** Where the frame starts or resumes in the received text, and later chunks that only continue a lexeme. */
  private begin = 0;
  private aside: string[] = [];
  private skips: Skips | null = null;
  private until = 0;
  private reported: More | null = null;
  private isRead = true;
  private frame: Frame | null = null;
  private above: string | null = null;
  private isInProse = false;
  // Of the frame: the text before the text being read, and its number of scalar values; then the number of all
  // received scalar values, including those after the frame.
  private before: string[] = [];
  private beforeSize = 0;
  private size = 0;
  /** The number of scalar values before the frame. */
  private frameAt = 0;
  private line = 1;

  constructor(
    private readonly tools: ToolSet<unknown> | null = null,
    { integers = "number", prose = false, deltas = false, thoughts = false, maxCall = MAX_CALL }: DecoderOptions = {},
  ) {
    this.reader = new Reader(integers);
    this.reader.isOpen = true;
    this.reader.events = this.events;
    this.prose = prose;
    this.deltas = deltas;
    this.maxCall = maxCall;
    if (thoughts) this.thoughts = new ThoughtReader(thoughts === true ? THINK : thoughts, prose, deltas);
  }

  /** Add the next chunk and return the events that are certain. An error is thrown after all events were returned. */
  feed(chunk: string): Iterable<Event> {
    if (this.hasEnded) throw new RangeError("expected no text after the end, found a chunk");
    const text = this.half + chunk;
    this.half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : "";
    this.take(this.half ? text.slice(0, -1) : text);
    return this.told();
  }

  /** Mark the end of the text and return the last events. */
  end(): Iterable<Event> {
    if (!this.hasEnded) {
      this.take(this.half);
      this.hasEnded = true;
      this.reader.isOpen = false;
      this.setText(this.joined());
      this.isRead = this.isDone() && this.frame === null;
      this.readOn();
    }
    return this.told();
  }

  /** Whether the reported events end inside a thought. */
  get isInThought(): boolean {
    return this.thoughts?.isOpen ?? false;
  }

  private *told(): Iterable<Event> {
    yield* this.events.splice(0);
    if (this.failure) throw this.failure;
  }

  // --- text ---------------------------------------------------------------------------------------------

  private take(piece: string): void {
    if (piece) this.rest.push(piece);
    this.readOn();
  }

  private readOn(): void {
    while (!this.failure) {
      if (!this.isRead) this.step();
      else if (this.rest.length) this.takePiece(this.rest.shift()!);
      else break;
    }
  }

  private takePiece(piece: string): void {
    const size = sizeOf(piece);
    const room = this.maxCall + 1 - this.size;
    if (size > room && this.size <= this.maxCall) {
      // Read only as much of a frame as is needed to find that it is too long. The rest waits.
      const first = firstOf(piece, room);
      if (first.length < piece.length) this.rest.unshift(piece.slice(first.length));
      piece = first;
    }
    this.size += sizeOf(piece);
    if (this.skips && this.size <= this.until && this.skips(piece)) {
      this.aside.push(piece);
      if (this.reported) this.tell(this.reported, piece);
      return;
    }
    this.skips = null;
    this.setText(this.joined() + piece);
    this.isRead = false;
  }

  /** Return the received text, including the chunks that were set aside. */
  private joined(): string {
    const text = this.reader.src.slice(this.begin) + this.aside.join("");
    this.aside = [];
    return text;
  }

  private setText(text: string): void {
    this.reader.setText(text, 0);
    this.begin = 0;
  }

  // --- frames -------------------------------------------------------------------------------------------

  /** Read a frame, or its received part. */
  private step(): void {
    const { reader } = this;
    try {
      if (!this.frame && !this.begins()) return;
      reader.room = reader.sizeTo(this.begin) + this.maxCall - this.beforeSize;
      const found = this.frame!.run(reader);
      this.above = this.frame!.spoken;
      this.complete(reader.pos, "arguments" in found ? { type: "end", call: found as Call } : { type: "result", result: found as Result });
    } catch (stop) {
      if (stop instanceof More) this.stop(stop);
      else if (stop instanceof Wrong) this.fail(stop);
      else throw stop;
    }
  }

  private isDone(): boolean {
    return this.begin === this.reader.src.length && !(this.isInThought && this.hasEnded);
  }

  /** Read thoughts and prose at a position where a frame may begin, otherwise begin a frame. */
  private begins(): boolean {
    if (this.isDone() || this.outside()) {
      this.isRead = this.isDone();
      return false;
    }
    this.frame = new Frame(this.tools, this.above);
    this.reader.pos = this.begin;
    this.reader.watcher = this.deltas ? new DeltaWriter(this.events) : null;
    return true;
  }

  /** Read thoughts and prose. */
  private outside(): boolean {
    return (!this.isInProse && this.thoughts !== null && this.readThought(this.thoughts)) || (this.prose && this.readProse());
  }

  /** read a thought or a part of it. Return whether there was one. */
  private readThought(thoughts: ThoughtReader): boolean {
    const said = thoughts.read(this.reader.src, this.begin, !this.hasEnded);
    if (thoughts.isOver) this.thoughts = null;
    if (!said) {
      return false;
    }
    if (said.text === null) this.forget(said.pos);
    else this.complete(said.pos, { type: "thought", text: said.text, complete: said.complete });
    return true;
  }

  /** in a text of calls and prose, a frame begins with its sigil. */
  private readProse(): boolean {
    const { src } = this.reader;
    if (!this.isInProse) {
      if (SIGILS.some((sigil) => src.startsWith(sigil, this.begin))) return false;
      const part = src.slice(this.begin, this.begin + LONGEST);
      if (!this.hasEnded && SIGILS.some((sigil) => sigil.startsWith(part))) throw new More();
    }
    let end = src.indexOf("\n", this.begin) + 1;
    if (!this.hasEnded && !end && !this.deltas) throw new More(0, (piece) => !piece.includes("\n"));
    this.isInProse = !end;
    end ||= src.length;
    this.complete(end, { type: "prose", text: src.slice(this.begin, end) });
    return true;
  }

  /** Keep the state until more text arrives. */
  private stop(more: More): void {
    if (this.size > this.maxCall) return this.fail(null);
    this.reported = this.deltas ? more : null;
    if (this.deltas) this.tell(more);
    const { src, pos } = this.reader;
    const at = this.frame ? pos : this.begin;
    more.part -= at;
    if (at > this.begin) {
      const part = src.slice(this.begin, at);
      this.before.push(part);
      this.beforeSize += sizeOf(part);
    }
    this.setText(src.slice(at));
    this.skips = more.skips;
    this.until = Math.min(this.maxCall, this.size + more.left - 1);
    this.isRead = true;
  }

  /** Report a frame that ends here. */
  private complete(pos: number, event: Event): void {
    if (this.beforeSize + sizeOf(this.reader.src.slice(this.begin, pos)) > this.maxCall) return this.fail(null);
    this.events.push(event);
    this.forget(pos);
  }

  /** Drop the text of a complete frame. */
  private forget(pos: number): void {
    const part = this.reader.src.slice(this.begin, pos);
    const size = this.beforeSize + sizeOf(part);
    this.frameAt += size;
    for (const each of [...this.before, part]) this.line += each.split("\n").length - 1;
    this.size -= size;
    this.before = [];
    this.beforeSize = 0;
    this.begin = pos;
    this.frame = null;
    if (pos === this.reader.src.length) {
      this.setText("");
      this.isRead = this.isDone();
    }
  }

  /** Report the new part of a string, without a possible start of its closing mark. */
  private tell(more: More, piece: string | null = null): void {
    const { reader } = this;
    if (!this.frame || !reader.watcher || more.closer === null) return;
    const { group } = reader;
    const text = more.certain(piece ?? reader.src.slice(more.part + group.reported));
    if (!text) return;
    group.reported += text.length;
    this.events.push({ type: "delta", path: group.path, text });
  }

  /**
   * Stop with the error in the frame, or null if the frame is only too long (R-1104). The frame is read again
   * from its start to find the position of the error.
   */
  private fail(wrong: Wrong | null): void {
    const doc = [...this.before, this.reader.src.slice(this.begin), ...this.aside].join("");
    let found = wrong && new Wrong(wrong.code, wrong.problem, wrong.pos - this.begin, "");
    if (this.frame) found = this.wrongIn(doc);
    if (!found || found.code === "E303") found = new Wrong("E303", found?.problem ?? `a call of more than ${this.maxCall} characters`, 0, "");
    this.failure = errorOf(found, doc, this.frameAt, this.line);
    this.isRead = true;
    this.rest = [];
  }

  /** Return the error in a frame or in the received part of a frame, or null. */
  private wrongIn(doc: string): Wrong | null {
    const reader = new Reader(this.reader.integers);
    reader.setText(doc, 0);
    reader.isOpen = !this.hasEnded;
    reader.room = reader.isOpen ? this.maxCall : Infinity;
    try {
      new Frame(this.tools, this.above).run(reader);
    } catch (stop) {
      if (stop instanceof Wrong) return stop;
      if (!(stop instanceof More)) throw stop;
    }
    return null;
  }
}

/** Return the first scalar values of a text. */
function firstOf(text: string, count: number): string {
  if (count >= text.length) return text;
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
