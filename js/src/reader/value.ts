// Read a single value at a position of a text.

import type { Type } from "../types.js";
import type { Value } from "../values.js";
import { Group } from "./groups.js";
import { ENTERED, Reader, State, isOpener, type Read } from "./reader.js";
import { Wrong } from "./stops.js";
import { pointer } from "../errors.js";

/** The place of a value that no group contains. */
export class ValuePlace extends Group {
  element(): Read {
    return null;
  }

  keep(): void {
    // The caller stores the value.
  }

  finish(): void {
    // The caller reads the end.
  }
}

/**
 * Read a value of a type in `place`, at the position of the reader. The value is in `reader.value` as soon as
 * `reader.run` returns.
 */
export function beginValue(reader: Reader, place: ValuePlace, type: Type): void {
  reader.group = place;
  const { src, pos } = reader;
  if (isOpener(src[pos])) {
    // The group of the value is the outermost group, so reading ends with this group.
    const inner = place.inner(reader, type, src[pos]!, pos);
    if (!inner) throw new Wrong("E203", `expected ${type.nounAt(src[pos]!)}`, pos);
    (inner as { up: Group | null }).up = null;
    reader.push(inner, pos + 1);
    return;
  }
  const value = reader.read(type);
  if (value === ENTERED) throw new Error("unreachable: the value is no group here");
  reader.value = value;
  reader.state = State.Done;
}

/** Read a value of a type, and return it with its end, or the error. The path of the error is relative to the value. */
export function readValue(text: string, pos: number, type: Type): { value: Value; end: number } | Wrong {
  const reader = new Reader("bigint");
  reader.setText(text, pos);
  try {
    beginValue(reader, new ValuePlace(null, "\n", 0), type);
    reader.run();
  } catch (stop) {
    if (!(stop instanceof Wrong)) throw stop;
    stop.path ??= pointer(reader.group.path);
    return stop;
  }
  return { value: reader.value as Value, end: reader.pos };
}
