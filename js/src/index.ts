export { decode, type DecodeOptions } from "./decode.js";
export { encode, type EncodeOptions } from "./encode.js";
export { LtonError } from "./errors.js";
export type { Event } from "./events.js";
export { parseJSON, writeJSON } from "./json.js";
export type { Form } from "./syntax.js";
export { Toolset, type ToolsetOptions } from "./toolset.js";
export type { Tool } from "./types.js";
export type { Call, Integers, Members, Result, Value } from "./values.js";
