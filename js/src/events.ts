// The events of a decoder, in the order of the text, each as soon as it is certain (§8).

import type { Call, Result, Value } from "./values.js";

export type Event =
  /** A call begins: its tool is known and the name has ended. */
  | { type: "start"; name: string }
  /** An argument is complete: its value fits the schema, and its end has been seen. */
  | { type: "argument"; name: string; value: Value }
  /** A new piece of a string in an argument. If the call is right, the pieces of a path form the string. */
  | { type: "delta"; path: (string | number)[]; text: string }
  /** A call is complete; nothing that follows can change it. */
  | { type: "end"; call: Call }
  | { type: "result"; result: Result }
  /** A line that is not a frame, with its line end; with deltas, a piece of one. */
  | { type: "prose"; text: string }
  /** A line of a thought, with its line end, or the part of a line before the closing mark. */
  | { type: "thought"; text: string; complete: boolean };
