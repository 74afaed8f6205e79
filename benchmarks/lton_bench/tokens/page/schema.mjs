// Definitions of tools as the package lays them out.

import { writeJSON } from "./json.mjs";
import { library } from "./library.mjs";

/** What is wrong with a definition or a call, and the JSON Pointer of the part that is. */
export class PartError extends Error {
  constructor(message, pointer) {
    super(message);
    this.pointer = pointer;
  }
}

/** Run the package: what it refuses is wrong in a part of the field. */
export function checked(run, place) {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof library.LtonError)) throw error;
    throw new PartError(`${error.problem} [${error.code}]`, place(error));
  }
}

export function isMap(node) {
  return node.isMap;
}

/** The tools by name; `set` is what the package makes of them. */
class Tools extends Map {
  constructor(set) {
    super(set.tools.map((tool) => [tool.name, tool]));
    this.set = set;
  }
}

/** Get the tools of definitions (OpenAI's, Anthropic's or MCP's), and what is not checked. */
export function readTools(value) {
  const list = value instanceof Map ? value.get("tools") : undefined;
  const place = ({ pointer = "" }) => (Array.isArray(value) ? pointer : list ? `/tools${pointer}` : pointer.replace(/^\/0/, ""));
  const set = checked(() => library.ToolSet.from(writeJSON(value)), place);
  return { tools: new Tools(set), unchecked: set.unmatched };
}
