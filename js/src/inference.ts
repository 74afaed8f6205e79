// The static types of calls, which are inferred from the schemas of their tools.
//
// A call has the input of its schema, before defaults and transformations: what zod calls `z.input`.

import type { ToolSet } from "./toolset.js";
import type { Call, Members, Result, Value } from "./values.js";

/** The type of the calls to tools with these definitions. Without static types of schemas, it is `Call`. */
export type CallOf<Definitions> = Known<CallOfList<Definitions>>;

/** Only `any` and `never` say nothing about a call. */
type Known<C> = 0 extends 1 & C ? Call : [C] extends [never] ? Call : C;

/** A call in the JSON of an API, whose arguments have no static type. */
type APICall =
  | { readonly type?: "function_call"; readonly name: string; readonly arguments: string }
  | { readonly type?: "function"; readonly function: { readonly name: string; readonly arguments: string | Call["arguments"] } }
  | { readonly type: "tool_use"; readonly name: string; readonly input: unknown };

/**
 * A call or an answer, or a call in the JSON of an API: a call of OpenAI's chat or responses API (whose
 * arguments are a JSON string), or a `tool_use` block of Anthropic's API.
 */
export type Given = Call | Result | APICall | { readonly name: string; readonly arguments: object };

/** What can be encoded with these tools: with static types, only calls of the tools have objects as arguments. */
export type GivenFor<Tools> = Tools extends ToolSet<infer C> ? (Call extends C ? Given : C | Result | APICall) : Given;

type CallOfList<D> = D extends string
  ? Call
  : D extends readonly (infer Definition)[]
    ? CallOfTool<Definition>
    : D extends { readonly tools: readonly (infer Definition)[] }
      ? CallOfTool<Definition>
      : D extends { readonly name: string } | { readonly function: object } | { readonly title: string } | { readonly "~standard": unknown }
        ? CallOfTool<D>
        : D extends Readonly<Record<string, WithSchema>>
          ? { [Name in keyof D & string]: NamedCall<Name, InputOf<SchemaOf<D[Name]>>> }[keyof D & string]
          : Call;

type WithSchema = { readonly inputSchema: unknown } | { readonly parameters: unknown } | { readonly input_schema: unknown };

/** The call to one tool. This type distributes over unions of definitions. */
type CallOfTool<D> = D extends { readonly function: infer Inner }
  ? CallOfTool<Inner>
  : D extends { readonly name: infer Name extends string }
    ? NamedCall<Name, InputOf<SchemaOf<D>>>
    : D extends { readonly title: infer Name extends string }
      ? NamedCall<Name, InputOf<D>>
      : NamedCall<string, InputOf<D>>;

interface NamedCall<Name extends string, Arguments> {
  name: Name;
  arguments: Arguments;
}

type SchemaOf<D> = D extends { readonly parameters: infer Schema }
  ? Schema
  : D extends { readonly inputSchema: infer Schema }
    ? Schema
    : D extends { readonly input_schema: infer Schema }
      ? Schema
      : unknown;

/** The type of the values that a schema accepts. */
type InputOf<Schema> = 0 extends 1 & Schema
  ? Members
  : [Extract<Schema, SDKSchema>] extends [never]
    ? InputOfSchema<Schema>
    : OrMembers<Extract<Schema, SDKSchema>["_type"]>;

/** A schema of Vercel's AI SDK. The schema of its `tool` is a union with it, of which the other parts say less. */
interface SDKSchema {
  readonly _type: unknown;
  readonly jsonSchema: unknown;
}

type InputOfSchema<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : Members
  : Schema extends { readonly static: infer Input; readonly params: unknown[] }
    ? Input
    : Schema extends { readonly type: "object" } | { readonly properties: object }
      ? OrMembers<OfJSONSchema<Schema>>
      : Members;

type OrMembers<Input> = unknown extends Input ? Members : Input;

// --- JSON Schema, as TypeBox and `as const` write it ---------------------------------------------------------

type OfJSONSchema<Schema> = Schema extends { readonly const: infer Only }
  ? Only
  : Schema extends { readonly enum: readonly (infer Label)[] }
    ? Label
    : Schema extends { readonly anyOf: readonly (infer Part)[] }
      ? OfEach<Part>
      : Schema extends { readonly oneOf: readonly (infer Part)[] }
        ? OfEach<Part>
        : Schema extends { readonly type: infer Kind }
          ? Kind extends readonly (infer Part extends string)[]
            ? OfKind<Part, Schema>
            : OfKind<Kind, Schema>
          : Schema extends { readonly properties: object }
            ? OfKind<"object", Schema>
            : Value;

type OfEach<Part> = Part extends unknown ? OfJSONSchema<Part> : never;

type OfKind<Kind, Schema> = Kind extends "string"
  ? string
  : Kind extends "number" | "integer"
    ? number
    : Kind extends "boolean"
      ? boolean
      : Kind extends "null"
        ? null
        : Kind extends "array"
          ? Schema extends { readonly items: infer Items }
            ? OfJSONSchema<Items>[]
            : Value[]
          : Kind extends "object"
            ? OfObject<Schema>
            : Value;

type OfObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties & RequiredOf<Schema>]: OfJSONSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, RequiredOf<Schema>>]?: OfJSONSchema<Properties[Key]>;
      }
    >
  : Members;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<T> = { [Key in keyof T]: T[Key] };
