// Read the thoughts of a model: text between two marks, which is not parsed.

import { More, Wrong, held } from "./stops.js";
import { unclosed } from "./reader.js";

const SPACE = /[ \t\r\n]*/y;

export type Marks = readonly [opening: string, closing: string];
export const THINK: Marks = ["<think>", "</think>"];

/** The event of a thought, or null for skipped text, and the position after it. */
export interface Said {
  text: string | null;
  complete: boolean;
  pos: number;
}

/** Reads a thought at the start of a text, and with prose also at the start of each line. */
export class ThoughtReader {
  /** Whether a thought has begun, but not ended. */
  isOpen: boolean;
  /** Whether no more thoughts can follow. */
  isOver = false;
  private isFirst = true;
  private isBehind = false;
  private readonly hasProse: boolean;

  constructor(
    private readonly marks: Marks,
    hasProse: boolean,
    private readonly deltas: boolean,
  ) {
    const [opening, closing] = marks;
    const isWrong = /[\n\r\0]/.test(opening + closing) || /^[!\s]/.test(opening) || closing.length < 2 || closing.slice(1).includes(closing[0]!);
    if (isWrong) throw new RangeError("expected the marks of thoughts (R-430)");
    this.hasProse = hasProse && opening !== "";
    this.isOpen = opening === "";
  }

  /** Read a piece of a thought, at the start of a frame or inside a thought. Return null if there is none. */
  read(text: string, pos: number, mayGoOn: boolean): Said | null {
    if (this.isOpen) return this.said(text, pos, mayGoOn);
    const [opening] = this.marks;
    SPACE.lastIndex = pos;
    const end = pos + SPACE.exec(text)![0].length;
    if (this.isBehind && end > pos) return { text: null, complete: false, pos: end };
    this.isBehind = false;
    if (!this.isFirst && !this.hasProse) {
      this.isOver = true;
      return null;
    }
    const at = this.isFirst ? end : pos;
    const found = text.slice(at, at + opening.length);
    if (found === opening) {
      [this.isOpen, this.isFirst] = [true, false];
      return { text: null, complete: false, pos: at + found.length };
    }
    if (mayGoOn && opening.startsWith(found)) {
      throw new More(0, found ? null : (piece) => /^[ \t\r\n]*$/.test(piece));
    }
    [this.isFirst, this.isOver] = [false, !this.hasProse];
    return null;
  }

  /** Read a line of a thought, or the part before the closing mark. */
  private said(text: string, pos: number, mayGoOn: boolean): Said {
    const [, closing] = this.marks;
    const end = text.indexOf("\n", pos);
    const close = text.slice(pos, end < 0 ? text.length : end).indexOf(closing);
    if (close >= 0) {
      [this.isOpen, this.isFirst, this.isBehind] = [false, false, true];
      return { text: text.slice(pos, pos + close), complete: true, pos: pos + close + closing.length };
    }
    if (end >= 0) return { text: text.slice(pos, end + 1), complete: false, pos: end + 1 };
    if (!mayGoOn) throw new Wrong("E110", `expected ${closing}, found the end of the text`, text.length);
    const certain = text.length - held(text, closing);
    if (this.deltas && certain > pos) return { text: text.slice(pos, certain), complete: false, pos: certain };
    const waits = unclosed(closing, text.slice(1 - closing.length));
    throw new More(0, this.deltas ? null : (piece) => !piece.includes("\n") && waits(piece));
  }
}
