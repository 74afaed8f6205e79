// The two exceptions that stop a reader: `Wrong` for an error in the text, and `More` if the text is too
// short to decide.

import { MAX_CALL } from "../values.js";

/** Returns whether the next piece of a text only continues the lexeme. */
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
  /** The closing mark of a string that can be reported so far, or null. */
  closer: string | null = null;
  /** The lexeme has fewer than this many more characters. */
  left = MAX_CALL;
  /** The unreported newline before the `run` of backticks, which may belong to the closing fence. */
  private newline = "";
  private run = 0;

  constructor(
    /** The start of the string's text. */
    public part = 0,
    public skips: Skips | null = null,
  ) {}

  /**
   * Return the unreported text, without a tail that may be the start of the closing fence. The tail is a newline
   * and at most as many backticks as the fence has. Later calls return it if it is not part of the closing fence.
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

/** Return the number of characters at the end of a text that may be the start of the closing mark. */
export function held(text: string, closer: string): number {
  let count = Math.min(closer.length, text.length);
  while (!text.endsWith(closer.slice(0, count))) count -= 1;
  return count;
}
