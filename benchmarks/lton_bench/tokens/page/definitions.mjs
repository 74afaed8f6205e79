// The definitions of the tools as models see them: JSON, TypeScript and LTON.

import { SPACED, writeJSON } from "./json.mjs";

const KINDS = { integer: "number" };
const DEPTH = 60; // deeper schemas are `any`

/** Return each way to show the tools: its name, who sees it, and the text. `explanation` is about a tool TOOL. */
export function shown(value, tools, explanation) {
  const functions = listOf(value).map(functionOf);
  const [first] = tools.set.tools;
  const { needs, params } = first.args;
  const call = `${first.name}(${(needs.length ? needs : params.slice(0, 1)).map(({ name }) => `${name}=...`).join(", ")})`;
  const lton = explanation.replace("TOOL(PARAMETER=...)", () => call).replace("TOOL\n PARAMETER", () => tools.set.prompt());
  const types = `namespace functions {\n\n${functions.map(typescript).join("\n\n")}\n\n} // namespace functions`;
  return [
    { name: "JSON, minified", about: "most servers and chat templates", text: writeJSON(value) },
    { name: "TypeScript", about: "what OpenAI's models see", text: types },
    { name: "LTON", about: "with the explanation of the notation", text: lton },
  ];
}

/** Return from how many tools like these on LTON is shorter; null for no number. */
export function breakEven(other, lton, explained, count) {
  const saved = (other - (lton - explained)) / count;
  return saved > 0 ? Math.floor(explained / saved) + 1 : null;
}

/** Return the tools of what people paste: a list, an answer of `tools/list`, or one tool. */
export function listOf(value) {
  if (Array.isArray(value)) return value;
  const inside = value.get("tools");
  return Array.isArray(inside) ? inside : [value];
}

function functionOf(tool) {
  const found = tool.get("function") instanceof Map ? tool.get("function") : tool;
  const key = ["parameters", "inputSchema", "input_schema"].find((each) => found.get(each) instanceof Map);
  return { name: found.get("name") ?? found.get("title"), about: oneLine(found.get("description")), schema: key ? found.get(key) : found };
}

/** Return a function as `lton.cost.typescript` writes it. */
function typescript({ name, about, schema }) {
  return `${comment(about)}type ${name} = (_: {${members(schema, DEPTH)}}) => any;`;
}

const comment = (text) => (text ? `// ${text}\n` : "");
const oneLine = (text) => (typeof text === "string" ? text.trim().split(/\s+/).join(" ") : "");
const mapping = (value) => (value instanceof Map ? value : new Map());

function members(schema, depth) {
  const required = schema.get("required");
  const needed = Array.isArray(required) ? required : [];
  const parts = [...mapping(schema.get("properties"))].map(([name, given]) => {
    const part = mapping(given);
    const shownDefault = isTrue(part.get("default")) ? ` // default: ${writeJSON(part.get("default"), SPACED)}` : "";
    const mark = needed.includes(name) ? "" : "?";
    return `${comment(oneLine(part.get("description")))}${name}${mark}: ${typeOf(part, depth - 1)},${shownDefault}`;
  });
  return ["", ...parts, ""].join("\n");
}

function isTrue(value) {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return Boolean(value);
}

function typeOf(schema, depth) {
  if (!depth) return "any";
  const listed = schema.get("enum");
  if (Array.isArray(listed)) return listed.map((value) => writeJSON(value, SPACED)).join(" | ");
  const kinds = schema.get("type") ?? "any";
  if (Array.isArray(kinds)) {
    const each = kinds.filter((kind) => !Array.isArray(kind)).map((kind) => new Map([...schema, ["type", kind]]));
    return each.map((one) => typeOf(one, depth - 1)).join(" | ");
  }
  if (kinds === "array") return `${typeOf(mapping(schema.get("items")), depth - 1)}[]`;
  if (kinds === "object" && isTrue(schema.get("properties"))) return `{${members(schema, depth - 1)}}`;
  return typeof kinds === "string" ? (KINDS[kinds] ?? kinds) : "any";
}
