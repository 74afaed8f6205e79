// Why a reader stops. What is not right is `Wrong`; where a text that may go on is too short to say,
// that is `More`.

import { MAX_CALL, MAX_DIGITS } from "../values.js";

/** Says of the beginning of a lexeme whether some continuation of it is right. */
export type May = (part: string, spelling: RegExp | null) => boolean;
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

/** The text is too short. From `part` on it is a lexeme. */
export class More {
  /** What the whole lexeme has to match. */
  spelling: RegExp | null = null;
  /** What ends it if it is a text, of which all before that is certain; else null. */
  closer: string | null = null;
  /** What is in it is judged at its end. */
  isRaw = false;
  /** The lexeme goes on through less than so many characters. */
  left = MAX_CALL;

  constructor(
    readonly expected: string,
    public part = 0,
    public may: May | null = null,
    public skips: Skips | null = null,
  ) {}

  /** say whether some continuation of the text is right. Only its first characters are judged. */
  isAlive(text: string): boolean {
    const { may } = this;
    if (!may) return true;
    if (text.length - this.part > MAX_DIGITS) this.may = null;
    const part = this.isRaw ? "" : text.slice(this.part, this.part + MAX_DIGITS + 1);
    return may(part, this.spelling);
  }
}

/** Get how many characters at the end of a text begin what closes it. */
export function held(text: string, closer: string): number {
  let count = Math.min(closer.length, text.length);
  while (!text.endsWith(closer.slice(0, count))) count -= 1;
  return count;
}
