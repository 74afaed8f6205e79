// Tools whose schemas are those of zod, valibot, TypeBox and Vercel's AI SDK, as they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toJsonSchema, toStandardJsonSchema } from "@valibot/to-json-schema";
import { jsonSchema, tool } from "ai";
import { LtonError, ToolSet, decode } from "lton";
import { Type } from "typebox";
import * as v from "valibot";
import { z } from "zod";
import * as mini from "zod/mini";

const SIGNATURE = "weather(city days?:int=3)";
const zod = z.object({ city: z.string(), days: z.int().default(3) });
const valibot = v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer()), 3) });
const typebox = Type.Object({ city: Type.String(), days: Type.Optional(Type.Integer({ default: 3 })) });

function refuses(definitions, code, pointer, text) {
  assert.throws(() => ToolSet.from(definitions), (error) => {
    assert.ok(error instanceof LtonError);
    assert.deepEqual([error.code, error.pointer], [code, pointer]);
    assert.ok(error.problem.includes(text), error.problem);
    return true;
  });
}

test("schemas of libraries are read as they are", () => {
  for (const schema of [zod, typebox, toStandardJsonSchema(valibot)]) {
    for (const key of ["parameters", "inputSchema", "input_schema"]) {
      assert.deepEqual(ToolSet.from([{ name: "weather", [key]: schema }]).signatures, [SIGNATURE]);
    }
    const nested = [{ type: "function", function: { name: "weather", parameters: schema } }];
    assert.deepEqual(ToolSet.from(nested).signatures, [SIGNATURE]);
  }
});

test("a schema with a title is a tool", () => {
  const titled = zod.meta({ title: "weather", description: "A forecast" });
  assert.equal(ToolSet.from([titled]).prompt({ descriptions: true }), "weather A forecast\n city\n days?:int=3");
  refuses([zod], "E502", "/0", "expected the name of a tool");
});

test("tools by name, with what only the program needs", () => {
  const execute = async () => "clear";
  const tools = ToolSet.from({
    weather: tool({ description: "A forecast", inputSchema: zod, execute }),
    stop: tool({ inputSchema: jsonSchema({ type: "object", properties: { now: { type: "boolean" } } }), execute }),
  });
  assert.deepEqual(tools.signatures, [SIGNATURE, "stop(now?:bool)"]);
  assert.deepEqual(ToolSet.from([{ name: "weather", parameters: zod, execute }]).signatures, [SIGNATURE]);
});

test("a library that does not write JSON Schema itself needs its function", () => {
  const small = mini.object({ city: mini.string(), days: mini._default(mini.int(), 3) });
  const asked = [
    [valibot, toJsonSchema, "toJsonSchema"],
    [small, mini.toJSONSchema, "toJSONSchema"],
  ];
  for (const [schema, toJSONSchema, hint] of asked) {
    assert.deepEqual(ToolSet.from([{ name: "weather", parameters: schema }], { toJSONSchema }).signatures, [SIGNATURE]);
    refuses([{ name: "weather", parameters: schema }], "E502", "/0/parameters", hint);
  }
  const other = { "~standard": { vendor: "mine", version: 1, validate: (value) => ({ value }) } };
  refuses([{ name: "x", parameters: other }], "E502", "/0/parameters", "this schema of mine does not write JSON Schema");
});

test("what JSON Schema cannot say is an error of ours", () => {
  refuses([{ name: "x", parameters: z.object({ at: z.date() }) }], "E501", "/0/parameters", "zod cannot write this schema");
  const later = jsonSchema(Promise.resolve({ type: "object" }));
  refuses([{ name: "x", inputSchema: later }], "E502", "/0/inputSchema", "await the schema first");
});

test("JSON.stringify writes definitions that are read again", () => {
  const schema = z.object({ city: z.string().min(1), near: z.array(z.object({ name: z.string() })).max(3).optional() });
  const tools = ToolSet.from([{ name: "weather", description: "A forecast", parameters: schema }, { name: "stop" }]);
  const [first, second] = JSON.parse(JSON.stringify(tools));
  assert.deepEqual([first.name, first.description, first.parameters.properties.near.maxItems], ["weather", "A forecast", 3]);
  assert.deepEqual(second, { name: "stop", parameters: { type: "object" } });
  assert.equal(ToolSet.from(JSON.stringify(tools)).fingerprint, tools.fingerprint);
  assert.equal(decode("weather Paris", tools)[0].arguments.city, "Paris");
});

test("a schema that its library cannot write is left out", () => {
  const tools = ToolSet.from([{ name: "born", parameters: z.object({ day: z.date() }) }, { name: "stop" }]);
  assert.deepEqual(tools.signatures, ["stop()"]);
  assert.deepEqual(tools.leftOut.map(({ code, pointer }) => [code, pointer]), [["E501", "/0/parameters"]]);
});

test("examples and patterns are shown with the limits", () => {
  const schema = z.object({ city: z.string().meta({ examples: ["Oslo"] }), zip: z.string().regex(/^\d{5}$/).nullable() });
  const tools = ToolSet.from([{ name: "weather", parameters: schema }]);
  assert.equal(tools.prompt(), "weather\n city e.g. Oslo\n zip:str|null pattern ^\\d{5}$");
  assert.equal(tools.prompt({ limits: false }), "weather\n city\n zip:str|null");
});
