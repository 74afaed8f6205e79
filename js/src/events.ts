// What a reader of chunks reports, in the order of the text, as soon as it is certain (§8).

import type { Call, Result, Value } from "./values.js";

export type Event =
  /** A call begins: its tool is known and the name has ended. */
  | { type: "start"; name: string }
  /** An argument is complete: its value fits the schema and what follows it has been seen. */
  | { type: "argument"; name: string; value: Value }
  /** More of a string in an argument, if the call is right; all pieces of a path are the string. */
  | { type: "delta"; path: (string | number)[]; text: string }
  /** A call is complete, and nothing that follows can change it. */
  | { type: "end"; call: Call }
  | { type: "result"; result: Result }
  /** A line that is no frame, with its line end; or with deltas a piece of one. */
  | { type: "prose"; text: string }
  /** A line of a thought, with its line end, or what of it comes before the mark that ends it. */
  | { type: "thought"; text: string; complete: boolean };
