// The exceptions of the reader, which are not yet errors: another reading of the text may be possible.

import { Wrong } from "../reader/stops.js";

/** Thrown if a text cannot be read in the way that is being tried. */
export class Unreadable {
  constructor(readonly error: Wrong) {}
}

/** Thrown for a counted string with a wrong length. `lengths` are the possible lengths. */
export class WrongLength extends Unreadable {
  constructor(
    error: Wrong,
    readonly pos: number,
    readonly lengths: readonly number[],
  ) {
    super(error);
  }
}

/** Thrown if the values of a call do not fit the schema. */
export class Unfit extends Unreadable {
  constructor(
    error: Wrong,
    readonly isDamaged: boolean,
  ) {
    super(error);
  }
}

/** Return what a function returns, or null if it throws `Unreadable`. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (reason) {
    if (reason instanceof Unreadable) return null;
    throw reason;
  }
}
