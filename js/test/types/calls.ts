// The static types of calls, which `test/types.test.mjs` checks with the compiler. No line of this file runs.

import { toJsonSchema } from "@valibot/to-json-schema";
import { jsonSchema, tool } from "ai";
import { Decoder, ToolSet, decode, encode, type Call, type Members } from "lton";
import { decodeLenient } from "lton/lenient";
import { Type } from "typebox";
import * as v from "valibot";
import { z } from "zod";

/** Whether two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Accepts only a value whose type is exactly `Expected`. */
function expectType<Expected>() {
  return <Found>(_: Found, ..._same: Same<Found, Expected> extends true ? [] : [never]): void => undefined;
}

const wait = { type: "function", function: { name: "wait", parameters: z.object({ minutes: z.number() }) } } as const;

// The calls of several tools are a union, which the name decides.
const both = ToolSet.from([{ name: "weather", description: "A forecast", parameters: z.object({ city: z.string() }) }, wait]);
for (const call of decode("weather Paris", both)) {
  if (call.name === "wait") expectType<number>()(call.arguments.minutes);
}
const only = ToolSet.from([{ name: "weather", parameters: z.object({ city: z.string(), days: z.int().default(3) }) }]);
const [first] = decode("weather Paris", only);
expectType<"weather">()(first!.name);
expectType<string>()(first!.arguments.city);
expectType<number | undefined>()(first!.arguments.days);
// @ts-expect-error the tool has no such parameter
first!.arguments.town;
encode(first!, only);
encode({ name: "weather", arguments: { city: "Paris" } }, only, { form: "punctuated" });
// @ts-expect-error the tool has no such parameter
encode({ name: "weather", arguments: { city: "Paris", town: "Paris" } }, only);
// @ts-expect-error a parameter is missing
encode([{ name: "weather", arguments: { days: 3 } }], only);
// @ts-expect-error no tool has this name
encode({ name: "forecast", arguments: { city: "Paris" } }, only);
encode([{ name: "wait", arguments: { minutes: 5 } }, first!], both);
// Answers, and calls of APIs, have no static type.
encode({ name: "weather", value: 21, error: false }, only);
encode({ name: "weather", arguments: '{"city":"Paris"}' }, only);
encode({ type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }, only);
encode({ type: "tool_use", name: "weather", input: { city: "Paris" } }, only);
// With other integers, and without static types, any call is taken.
encode(decode("weather Paris", only, { integers: "bigint" }), only, { integers: "bigint" });
const call: Call = { name: "weather", arguments: { city: "Paris" } };
encode(call);
encode(call, null, { form: "tagged" });
encode(call, only as ToolSet<unknown>);
encode([call], ToolSet.from("[]"));
for (const { call } of decodeLenient("weather Paris", only).uncertain) expectType<string>()(call.arguments.city);
expectType<string>()(decodeLenient("weather Paris", only).calls[0]!.arguments.city);

// With other integers, a call has no static type.
expectType<Call[]>()(decode("weather Paris", only, { integers: "bigint" }));

// valibot, TypeBox, tools of Vercel's AI SDK, and JSON Schema.
const [ofValibot] = decode("x", ToolSet.from([{ name: "x", parameters: v.object({ n: v.optional(v.number(), 3) }) }], { toJSONSchema: toJsonSchema }));
expectType<number | undefined>()(ofValibot!.arguments.n);
const [ofTypeBox] = decode("x", ToolSet.from([{ name: "x", parameters: Type.Object({ n: Type.Number(), s: Type.Optional(Type.Array(Type.String())) }) }]));
expectType<number>()(ofTypeBox!.arguments.n);
expectType<string[]>()(ofTypeBox!.arguments.s!);
const ofSDK = ToolSet.from({
  weather: tool({ description: "A forecast", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => city }),
  stop: tool({ inputSchema: jsonSchema<{ now: boolean }>({ type: "object" }) }),
});
for (const call of decode("stop true", ofSDK)) {
  if (call.name === "stop") expectType<boolean>()(call.arguments.now);
  else expectType<string>()(call.arguments.city);
}
const schema = {
  name: "book",
  parameters: { type: "object", properties: { unit: { enum: ["C", "F"] }, at: { type: "array", items: { type: "integer" } }, note: { type: ["string", "null"] } }, required: ["at"] },
} as const;
const [booked] = decode("book [1]", ToolSet.from([schema]));
expectType<number[]>()(booked!.arguments.at);
expectType<"C" | "F" | undefined>()(booked!.arguments.unit);
expectType<string | null | undefined>()(booked!.arguments.note);

// What is not known when compiling.
const unknown: unknown = [];
expectType<Members>()(decode("x", ToolSet.from(unknown))[0]!.arguments);
expectType<Call[]>()(decode("x", ToolSet.from("[]")));
expectType<Call[]>()(decode("x {}"));
new Decoder(only);
