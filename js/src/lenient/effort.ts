// Limits the work that reading one output may take.
//
// Without a limit, text could be constructed that takes very long to read. The unit is the cost of one
// character of ordinary text. If text costs more than `A_CHARACTER` units per character, the search stops,
// and the result reports this.

const A_CHARACTER = 5;
const AT_LEAST = 12_000;
/** Reading one character costs as much as scanning this many. */
const SCANNED = 8;

/** The fixed cost of each kind of step, in addition to the characters that the step reads. */
export enum Cost {
  Spot = 2,
  Strict = 40,
  Loose = 50,
}

/** Thrown if the work limit of an output is reached. */
export class EffortSpent {}

/** The work that may still be spent on an output. */
export class Effort {
  private left: number;

  constructor(size: number) {
    this.left = AT_LEAST + A_CHARACTER * size;
  }

  /** Subtract the cost of a step. Throws `EffortSpent` at the limit. */
  spend(cost: Cost, characters = 0): void {
    this.pay(cost + characters);
  }

  scan(characters: number): void {
    this.pay(1 + Math.floor(characters / SCANNED));
  }

  private pay(units: number): void {
    this.left -= units;
    if (this.left < 0) throw new EffortSpent();
  }
}
