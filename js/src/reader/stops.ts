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

  constructor(
    /** Where the text begins that has a closer. */
    public part = 0,
    public skips: Skips | null = null,
  ) {}

  /** Return how many characters at the end of a text may belong to the fence that closes it. */
  held(text: string): number {
    if (!this.closer) return 0;
    let end = text.length;
    while (text[end - 1] === "`") end -= 1;
    const run = text.length - end;
    return run > this.closer.length ? this.closer.length : run + Number(text[end - 1] === "\n");
  }
}

/** Return how many characters at the end of a text may begin the closing mark. */
export function held(text: string, closer: string): number {
  let count = Math.min(closer.length, text.length);
  while (!text.endsWith(closer.slice(0, count))) count -= 1;
  return count;
}
