// Why a reader stops. What is not right is `Wrong`; where a text that may go on is too short to say,
// that is `More`.

import { MAX_CALL } from "../values.js";

/** Says of the next piece of a text that a lexeme goes on through it, and nothing is decided. */
export type Skips = (piece: string) => boolean;

/** The text is not right; `pos` counts UTF-16 units, as strings do. */
export class Wrong {
  constructor(
    readonly code: string,
    readonly problem: string,
    readonly pos: number,
    /** Of what is wrong, where the group that is read does not say it. */
    public path: string | null = null,
  ) {}
}

/** The text is too short. What `skips` says of the next piece spares reading a lexeme again. */
export class More {
  /** What ends the lexeme if it is a text, of which all before that is certain; else null. */
  closer: string | null = null;
  /** The lexeme goes on through less than so many characters. */
  left = MAX_CALL;
  /** With `run` backticks after it, the unreported text that may belong to the closing fence. */
  private newline = "";
  private run = 0;

  constructor(
    /** Where the text begins that has a closer. */
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

/** Return how many characters at the end of a text may begin the closing mark. */
export function held(text: string, closer: string): number {
  let count = Math.min(closer.length, text.length);
  while (!text.endsWith(closer.slice(0, count))) count -= 1;
  return count;
}
