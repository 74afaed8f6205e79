// What is done with each value inside the arguments of a call while they are read.

import type { Event } from "../events.js";
import type { Group } from "./groups.js";
import type { Read } from "./reader.js";

/** Is told each value inside the arguments of a call. */
export interface Watcher {
  report(group: Group, value: Read): void;
}

/** Reports strings to the user of a stream, in pieces. */
export class DeltaWriter implements Watcher {
  constructor(private readonly events: Event[]) {}

  /** Report the part of a complete string that was not reported yet. */
  report(group: Group, value: Read): void {
    if (typeof value !== "string" || group.reported >= value.length) return;
    this.events.push({ type: "delta", path: group.path, text: value.slice(group.reported) });
    group.reported = value.length;
  }
}

/**
 * Finds the start of the value at a path, while the arguments are read again.
 *
 * A row of a table has no start of its own, so its first cell stands for it. If nothing at the path can be found,
 * the value around it stands for it.
 */
export class PositionFinder implements Watcher {
  position: number | null = null;
  /** The number of steps that the path shares with the best value so far. */
  private shared = 0;

  constructor(private readonly path: readonly (string | number)[]) {}

  report(group: Group): void {
    const { path } = group;
    const shared = Math.min(path.length, this.path.length);
    for (let i = 0; i < shared; i += 1) if (path[i] !== this.path[i]) return;
    if (shared <= this.shared && path.length !== this.path.length) return;
    this.shared = shared;
    this.position = group.valueStart;
  }
}
