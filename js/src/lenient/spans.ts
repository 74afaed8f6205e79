// Stores the spans of calls, including calls that cannot be read.

import type { Wrong } from "../reader/stops.js";
import type { Candidate } from "./candidates.js";
import type { Doubt } from "./doubt.js";
import { RepairCode } from "./repairs.js";

/** The span of a call. `candidate` is null if the call cannot be read. */
export interface CallSpan {
  readonly start: number;
  readonly end: number;
  readonly candidate: Candidate | null;
  readonly doubt: RepairCode | null;
  readonly fence: number | null;
  readonly repeats: boolean;
  /** The start of the marks before the call. */
  readonly marks: number;
}

/** The call spans found so far, and facts about the marks before the current position. */
export class Spans {
  readonly found: CallSpan[] = [];
  readonly errors: Wrong[] = [];
  /** The name of the previous call, if it was readable. */
  above: string | null = null;
  /** The start of the marks before the current position. */
  spot = 0;
  /** Whether one of these marks opens a call. */
  isTagged = false;
  /** Whether one of these marks is a special token. */
  isSpecial = false;
  /** The position where the model continues after another speaker. */
  fresh = -1;

  constructor(readonly doubt: Doubt) {}

  get end(): number {
    return this.found.at(-1)?.end ?? 0;
  }

  inSentence(end: number, isTagged: boolean): boolean {
    return this.doubt.inSentence(this.spot, end, Math.max(this.end, this.fresh), isTagged, this.isSpecial);
  }

  /** Store a call that was read, with any reason to doubt it, and return its end. */
  accept(start: number, candidate: Candidate, given: RepairCode | null = null, repeats = false): number {
    const { damage } = candidate;
    const end = damage.atEnd || damage.inside ? start : candidate.end;
    let doubt = this.doubt.at(start, end) ?? given;
    if (candidate.isTorn) doubt ??= RepairCode.LEFT;
    if (damage.inside) doubt ??= RepairCode.DAMAGE;
    if (damage.atEnd) this.doubt.doubtRest(RepairCode.DAMAGE);
    this.found.push({ start, end: candidate.end, candidate, doubt, fence: this.doubt.fence, repeats, marks: this.spot });
    this.above = candidate.call.name;
    return candidate.end;
  }

  /** Store a call that cannot be read, and return its end. */
  fail(start: number, end: number, error: Wrong, isDamaged: boolean): number {
    this.found.push({ start, end, candidate: null, doubt: null, fence: null, repeats: false, marks: Math.min(this.spot, start) });
    this.errors.push(error);
    this.above = null;
    if (isDamaged) this.doubt.doubtRest(RepairCode.DAMAGE);
    return end;
  }
}
