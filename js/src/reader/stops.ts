// The two reasons for which a reader stops: `Wrong` for an error in the text, and `More` for a text that
// is too short to decide.

import { MAX_CALL } from "../values.js";

/** Returns whether a lexeme continues through the next piece of a text, so that nothing is decided. */
export type Skips = (piece: string) => boolean;

/** Thrown for an error in the text. `pos` counts UTF-16 units, like strings. */
export class Wrong {
  constructor(
    readonly code: string,
    readonly problem: string,
    readonly pos: number,
    /** The path of the error, if the current group does not determine it. */
    public path: string | null = null,
  ) {}
}

/** Thrown if the text is too short. With `skips`, the lexeme is not read again for the next piece. */
export class More {
  /** The end of the lexeme, before which all text is certain, or null. */
  closer: string | null = null;
  /** The lexeme continues through fewer characters than this. */
  left = MAX_CALL;
  /** With `run` backticks after it, the unreported text that may belong to the closing fence. */
  private newline = "";
  private run = 0;

  constructor(
    /** The start of the text that has a closer. */
    public part = 0,
    public skips: Skips | null = null,
  ) {}

  /**
   * Return the text, up to the end of a piece, that cannot belong to the closing fence. A newline and at most
   * as many backticks as the fence has are held back for the next piece.
   */
  certain(piece: string): string {
    if (!this.closer) return piece;
    let found = "";
    let end = piece.length;
    while (piece[end - 1] === "`") end -= 1;
    if (end) {
      const inside = end - Number(piece[end - 1] === "\n");
      found = this.newline + "`".repeat(this.run) + piece.slice(0, inside);
      this.newline = piece.slice(inside, end);
      this.run = 0;
    }
    this.run += piece.length - end;
    if (this.run > this.closer.length) {
      found += this.newline + "`".repeat(this.run - this.closer.length);
      this.newline = "";
      this.run = this.closer.length;
    }
    return found;
  }
}

/** Return the number of characters at the end of a text that may begin the closing mark. */
export function held(text: string, closer: string): number {
  let count = Math.min(closer.length, text.length);
  while (!text.endsWith(closer.slice(0, count))) count -= 1;
  return count;
}
