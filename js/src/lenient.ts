// Read calls from models' output that may not be valid LTON, and report each repair.

export { decodeLenient, type LenientOptions } from "./lenient/scan.js";
export type { LenientResult, Repair, UncertainCall } from "./lenient/results.js";
export { RepairCode } from "./lenient/repairs.js";
export { SYNTAX_NAMES, syntaxesInTemplate, syntaxesOfModel } from "./lenient/syntaxes.js";
