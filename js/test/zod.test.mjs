// Schemas that zod writes, as layouts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { LtonError, ToolSet, decode, encode } from "lton";

const Place = z.object({ name: z.string().min(1), at: z.tuple([z.number(), z.number()]).optional() });
const schema = z.object({
  city: z.string().describe("Where"),
  days: z.int().min(1).max(10).default(3),
  unit: z.enum(["C", "F"]).optional(),
  near: z.array(Place).optional(),
  note: z.string().nullable().optional(),
});

test("a schema of what comes out of zod says where a default is required", () => {
  const given = (options) => ToolSet.from([{ name: "weather", parameters: z.toJSONSchema(schema, options) }]).defaulted;
  assert.deepEqual([given({ io: "input" }), given({})], [[], ["/0/parameters/properties/days"]]);
});

test("a tool from a schema of zod", () => {
  const tools = ToolSet.from([{ name: "weather", parameters: z.toJSONSchema(schema, { io: "input" }) }]);
  const call = { name: "weather", arguments: { city: "San Leandro", days: 2, near: [{ name: "Oakland" }, { name: "Hayward" }] } };
  for (const form of ["wire", "keyed", "punctuated", "tagged"]) {
    const [read] = decode(encode(call, tools, { form }), tools);
    assert.deepEqual(schema.parse(read.arguments), call.arguments);
  }
  assert.equal(tools.prompt(), "weather\n city Where\n days?:int(1..10)=3\n unit?:C|F\n near?:[(name:str(1..) at?:[num num])]\n note?:str|null");
  const wrong = { "weather days=2": ["E205", ""], "weather x 11": ["E208", "/days"], "weather x unit=K": ["E204", "/unit"], "weather x near=[()]": ["E205", "/near/0"], 'weather x near=[("")]': ["E208", "/near/0/name"] };
  for (const [text, [code, path]] of Object.entries(wrong)) {
    assert.throws(() => decode(text, tools), (error) => {
      assert.ok(error instanceof LtonError);
      assert.deepEqual([error.code, error.path], [code, path], text);
      return true;
    });
  }
});
