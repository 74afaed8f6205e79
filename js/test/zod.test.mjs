// Schemas that zod writes, as layouts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LtonError, Toolset, decode, encode } from "lton";
import { z } from "zod";

const Place = z.object({ name: z.string().min(1), at: z.array(z.number()).optional() });
const schema = z.object({
  city: z.string().describe("Where"),
  days: z.int().min(1).max(10).optional(),
  unit: z.enum(["C", "F"]).optional(),
  near: z.array(Place).optional(),
});
const tools = Toolset.from([{ name: "weather", parameters: z.toJSONSchema(schema, { io: "input" }) }]);

test("calls of a tool from a schema of zod", () => {
  const call = { name: "weather", arguments: { city: "San Leandro", days: 2, unit: "C", near: [{ name: "Oakland", at: [37.8, -122.3] }] } };
  for (const form of ["wire", "keyed", "punctuated", "tagged"]) {
    const [read] = decode(encode(call, tools, { form }), tools);
    assert.deepEqual(schema.parse(JSON.parse(JSON.stringify(read.arguments))), call.arguments);
  }
  assert.match(tools.prompt(), /^weather\n city Where\n days\?:int/);
});

test("what zod refuses is refused", () => {
  for (const text of ["weather days=2", "weather x 11", "weather x unit=K", 'weather x near=[("")]']) {
    assert.throws(() => decode(text, tools), LtonError);
  }
});
