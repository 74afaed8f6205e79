// The events of a decoder in the order of the text, reported as soon as they are certain (§8).

import type { Call, Result, Value } from "./values.js";

export type Event =
  /** The start of a call. The name is complete, and a tool with this name exists. */
  | { type: "start"; name: string }
  /** A complete argument. Its end has been read, and its value fits the schema. */
  | { type: "argument"; name: string; value: Value }
  /** A new piece of a string in an argument. If the call is valid, all pieces with the same path form the string. */
  | { type: "delta"; path: (string | number)[]; text: string }
  /** The end of a call. No later text can change the call. */
  | { type: "end"; call: Call }
  | { type: "result"; result: Result }
  /** A line of prose with its line end, or with `deltas` a part of the line. */
  | { type: "prose"; text: string }
  /** A line of a thought with its line end, or the part of a line before the closing mark. */
  | { type: "thought"; text: string; complete: boolean };
