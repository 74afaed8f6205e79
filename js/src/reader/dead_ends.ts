// The error of a text in chunks: that of the first character that no continuation makes right.
//
// What a reader finds wrong it may find late: there was more text than that character needs. So the
// shortest beginning of the frame that nothing makes right is searched for, near where the error seems to
// be, and what is wrong is what reading that beginning says.

import { sizeOf, type Integers } from "../values.js";
import type { Frame } from "./frame.js";
import { Reader } from "./reader.js";
import { More, Wrong } from "./stops.js";

/** What is wrong, with the text up to the character that made it so. */
export interface DeadEnd {
  wrong: Wrong;
  doc: string;
}

interface Search {
  frame: () => Frame;
  doc: string;
  /** Scalar values that a frame may have. */
  most: number;
  /** So much of the frame can go on. */
  alive: number;
  /** The error seems to be here. */
  guess: number;
  integers: Integers;
}

/** Get the error of a frame that is wrong, or longer than it may be. */
export function earliest(search: Search): DeadEnd {
  const { doc, most, alive } = search;
  if (alive === doc.length && !death(search, alive)) return { wrong: strictly(search, doc, null), doc };
  const end = shortest(search);
  const why = sizeOf(doc.slice(0, end)) <= most + 1 ? death(search, end) : null;
  return why ? { wrong: strictly(search, doc.slice(0, end), why), doc: doc.slice(0, end) } : tooLong(doc, most);
}

/** Make the error for a frame that is longer than it may be (R-1104). */
export function tooLong(doc: string, most: number): DeadEnd {
  return { wrong: new Wrong("E303", `a call of more than ${most} characters`, 0, ""), doc: firstOf(doc, most + 1) };
}

/** Get the first scalar values of a text. */
export function firstOf(text: string, count: number): string {
  if (count >= text.length) return text;
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Say why no continuation of a part of the frame is right; null if one is. */
function death({ frame, doc, most, integers }: Search, size: number): More | Wrong | null {
  const isHalf = size < doc.length && doc.codePointAt(size - 1)! > 0xffff;
  const reader = new Reader(integers);
  reader.setText(doc.slice(0, isHalf ? size - 1 : size), 0);
  reader.isOpen = true;
  reader.room = most;
  try {
    frame().run(reader);
  } catch (stop) {
    if (stop instanceof Wrong) return stop;
    if (stop instanceof More) return stop.isAlive(reader.src) ? null : stop;
    throw stop;
  }
  return null;
}

/** Get the least size that is dead, between one that is alive and one that is dead. */
function shortest(search: Search): number {
  let { alive } = search;
  let dead = search.doc.length;
  let step = 1;
  let size = Math.max(search.guess, alive) + 1;
  while (size < dead && !death(search, size)) [alive, size, step] = [size, size + step, 2 * step];
  dead = Math.min(size, dead);
  [size, step] = [dead - 1, 1];
  while (size > alive && death(search, size)) [dead, size, step] = [size, size - step, 2 * step];
  alive = Math.max(alive, size);
  while (dead - alive > 1) {
    const middle = (dead + alive) >> 1;
    if (death(search, middle)) dead = middle;
    else alive = middle;
  }
  return dead;
}

/** Get what a strict reader says of a text; why nothing makes it right if it only ends too early. */
function strictly({ frame, integers }: Search, doc: string, why: More | Wrong | null): Wrong {
  if (why instanceof Wrong && why.code === "E303") return new Wrong("E303", why.problem, 0, "");
  const reader = new Reader(integers);
  reader.setText(doc, 0);
  try {
    frame().run(reader);
  } catch (stop) {
    if (!(stop instanceof Wrong)) throw stop;
    if (stop.code !== "E110" || !why) return stop;
    const last = /[\ud800-\udbff][\udc00-\udfff]$/.test(doc) ? doc.length - 2 : doc.length - 1;
    return new Wrong("E101", why instanceof Wrong ? why.problem : `expected ${why.expected}`, last, stop.path);
  }
  throw new Error("unreachable: a text that nothing makes right is right");
}
