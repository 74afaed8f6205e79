// Definitions of tools whose schemas are those of a library: zod, valibot, ArkType, TypeBox and others.
//
// A schema that implements Standard JSON Schema writes its own JSON Schema. For other libraries, the caller passes
// the library's function. A schema of TypeBox is already JSON Schema.

import { LtonError } from "./errors.js";

/** Converts a schema of a library to JSON Schema, such as `z.toJSONSchema`, or `toJsonSchema` of `@valibot/to-json-schema`. */
export type ToJSONSchema = (schema: any, options: any) => unknown;

interface StandardProperties {
  readonly vendor: string;
  readonly jsonSchema?: { input(options: { target: string }): unknown };
}

/** The draft of JSON Schema that libraries are asked for. */
const DRAFT = "draft-2020-12";
/** A call has the values before defaults and transformations: zod says this with `io`, and valibot with `typeMode`. */
const OF_INPUT = { io: "input", typeMode: "input" };
const SCHEMAS: readonly string[] = ["parameters", "input_schema", "inputSchema"];
const KEPT: ReadonlySet<string> = new Set([...SCHEMAS, "name", "title", "description", "function"]);
/** What to do with a library that has a function of its own for JSON Schema. */
const HINTS: Readonly<Record<string, string>> = {
  zod: "pass { toJSONSchema: z.toJSONSchema } as the options",
  valibot: "pass { toJSONSchema: toJsonSchema } of @valibot/to-json-schema as the options",
};

/**
 * Return definitions without schemas of libraries, and without what only the program needs, such as `execute`.
 *
 * A set of tools by name, as in Vercel's AI SDK, becomes a list. In place of a definition that cannot be converted
 * there is null, and `faults` gets the error, by the index of the definition.
 */
export function plainDefinitions(definitions: unknown, convert: ToJSONSchema | null, faults: Map<number, LtonError>): unknown {
  const plain = (definition: unknown, index: number): unknown => {
    try {
      return plainDefinition(definition, `/${index}`, convert);
    } catch (error) {
      if (!(error instanceof LtonError)) throw error;
      faults.set(index, error);
      return null;
    }
  };
  if (Array.isArray(definitions)) return definitions.map(plain);
  if (!isRecord(definitions)) return definitions;
  if (Array.isArray(definitions["tools"])) return definitions["tools"].map(plain);
  const tools = Object.entries(definitions);
  if (!tools.length || !tools.every(([, tool]) => isToolWithoutName(tool))) {
    const converted = plain(definitions, 0);
    return converted === null ? [null] : converted;
  }
  return tools.map(([name, tool], index) => plain({ ...(tool as object), name }, index));
}

/** Return whether a value is a tool of a set of tools by name. */
function isToolWithoutName(value: unknown): boolean {
  return isRecord(value) && !isLibrarySchema(value) && value["name"] === undefined && SCHEMAS.some((key) => isRecord(value[key]) || typeof value[key] === "function");
}

function plainDefinition(definition: unknown, pointer: string, convert: ToJSONSchema | null): unknown {
  if (isLibrarySchema(definition)) return jsonSchemaOf(definition, pointer, convert);
  const isOfFunctions = isRecord(definition) && (hasSchema(definition) || Object.values(definition).some((part) => typeof part === "function"));
  if (!isOfFunctions) return definition;
  const found: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(definition)) {
    if (!KEPT.has(key)) continue;
    if (key === "function") found[key] = plainDefinition(part, `${pointer}/${key}`, convert);
    else found[key] = SCHEMAS.includes(key) && isLibrarySchema(part) ? jsonSchemaOf(part, `${pointer}/${key}`, convert) : part;
  }
  return found;
}

/** Return whether a definition, or the `function` in it, has a schema of a library. */
function hasSchema(definition: Record<string, unknown>): boolean {
  const inner = definition["function"];
  return SCHEMAS.some((key) => isLibrarySchema(definition[key])) || (isRecord(inner) && hasSchema(inner));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map);
}

/** Return whether a value is a schema of a library that implements Standard Schema, or one of Vercel's AI SDK. */
function isLibrarySchema(value: unknown): value is object {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  if ("$schema" in value) return false; // JSON Schema that zod has written can also write itself
  return "~standard" in value || ("jsonSchema" in value && "validate" in value);
}

function jsonSchemaOf(schema: object, pointer: string, convert: ToJSONSchema | null): unknown {
  const standard = (schema as { "~standard"?: StandardProperties })["~standard"];
  if (!standard) return jsonSchemaOfSDK(schema as { jsonSchema: unknown }, pointer);
  try {
    if (standard.jsonSchema) return standard.jsonSchema.input({ target: DRAFT });
    if (convert) return convert(schema, OF_INPUT);
  } catch (error) {
    throw new LtonError("E501", `${standard.vendor} cannot write this schema as JSON Schema: ${(error as Error).message}`, { pointer });
  }
  const hint = HINTS[standard.vendor] ?? "pass its function as the option toJSONSchema";
  throw new LtonError("E502", `this schema of ${standard.vendor} does not write JSON Schema itself: ${hint}`, { pointer });
}

/** Return the JSON Schema that `jsonSchema` of Vercel's AI SDK has wrapped. */
function jsonSchemaOfSDK({ jsonSchema }: { jsonSchema: unknown }, pointer: string): unknown {
  if (!isRecord(jsonSchema) || typeof jsonSchema["then"] !== "function") return jsonSchema;
  throw new LtonError("E502", "expected a JSON Schema, found a promise: await the schema first", { pointer });
}
