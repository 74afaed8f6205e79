// Check the results of tools against an `outputSchema`.

import { encode } from "./encode.js";
import { LtonError, excerpt } from "./errors.js";
import { ToolSet } from "./toolset.js";
import type { Call } from "./values.js";

/** An `outputSchema`, compiled once: pass it to `write` of `lton/results` as `schema`. */
export class OutputSchema {
  private readonly tools: ToolSet;

  /** Compile a schema, which must describe an object. Throws a `LtonError` if it cannot be compiled. */
  constructor(schema: unknown) {
    this.tools = ToolSet.from([{ name: "x", parameters: schema }], { standard: true });
  }

  /** Throw a `LtonError` with the path of the part that the schema does not allow. */
  check(value: unknown): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new LtonError("E203", `expected an object, found ${excerpt(value)}`, { path: "" });
    encode({ name: "x", arguments: value as Call["arguments"] }, this.tools);
  }
}
