// The results of tools: the shared cases, values of JavaScript, text that is cut, and a server of the MCP SDK.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { build } from "esbuild";
import { z } from "zod";
import { Decoder, LtonError, OutputSchema, parseJSON, writeJSON } from "../dist/index.js";
import { mcp, read, shortResult, write } from "../dist/results.js";

const { cases, refused } = JSON.parse(readFileSync(new URL("../../tests/results.json", import.meta.url), "utf8"));
const exact = { integers: "bigint" };
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, part]) => [key, sorted(part)]));
};
const said = (value) => writeJSON(sorted(value));
const plain = (value) => (value instanceof Map ? Object.fromEntries([...value].map(([key, part]) => [key, plain(part)])) : Array.isArray(value) ? value.map(plain) : value);

test("results have the bytes that Python writes, and are read back", () => {
  for (const { name, json, any, small = any, large = any } of cases) {
    const value = parseJSON(json);
    for (const [forModels, wanted] of [["any", any], ["small", small], ["large", large]]) {
      assert.equal(write(value, { ...exact, forModels }), wanted, name);
      assert.equal(said(read(wanted, exact)), said(plain(value)), name);
    }
  }
});

test("the reader of calls reads the same", () => {
  for (const { name, json, large } of cases.filter((each) => each.large)) {
    const decoder = new Decoder(null, exact);
    const events = [...decoder.feed(`!result x ${large}\n`)];
    assert.equal(said(events.at(-1).result.value), said(plain(parseJSON(json))), name);
  }
});

test("other text is refused with the code of Python's error", () => {
  for (const { text, code } of refused) assert.throws(() => read(text), (error) => error instanceof LtonError && error.code === code, text);
});

test("text that is cut is never another result", () => {
  for (const { name, small, large } of cases) {
    for (const text of [small, large]) {
      for (let end = 1; end < (text?.length ?? 0); end += 1) assert.throws(() => read(text.slice(0, end)), LtonError, `${name}: ${end}`);
    }
  }
});

test("values of JavaScript", () => {
  const same = (value, text) => assert.equal(write(value, { forModels: "large" }), text);
  same({ a: 1, b: 1.5, c: undefined, d: 2n ** 64n }, "{a 1 b 1.5 d 18446744073709551616}");
  same(new Map([["b", 1], ["a", [true, null]]]), "{b 1 a [true null]}");
  same(["\0"], '["\\u0000"]');
  assert.deepEqual({ ...read("{a 1 b 2.0}") }, { a: 1, b: 2 });
  assert.throws(() => read("[9007199254740993]"), (error) => error.code === "E302");
  assert.equal(read("[9007199254740993]", { integers: "large" })[0], 9007199254740993n);
  const circle = { a: [] };
  circle.a.push(circle);
  for (const [value, code, path] of [[{ x: [NaN] }, "E401", "/x/0"], [{ day: new Date(0) }, "E401", "/day"], [[new Set()], "E401", "/0"], [() => 1, "E401", ""], [[Buffer.from("a")], "E401", "/0"], [{ a: [undefined] }, "E401", "/a/0"], [[new Number(1)], "E401", "/0"], [new Map([[1, 2]]), "E401", ""], [["\ud800"], "E401", "/0"], [[10n ** 5000n], "E302", "/0"], [circle, "E301", "/a/0".repeat(32)]]) {
    assert.throws(() => write(value), (error) => error.code === code && error.path === path, path);
  }
});

test("a class of models that is not known is an error", () => {
  assert.throws(() => write([], { forModels: "huge" }), RangeError);
});

test("a schema is held, and changes no byte", () => {
  const schema = new OutputSchema({ type: "object", properties: { id: { type: "integer", multipleOf: 2 }, days: { type: "array", maxItems: 2 } }, required: ["id"] });
  for (const [value, code, path] of [[{}, "E205", ""], [{ id: "x" }, "E203", "/id"], [{ id: 2, days: [1, 2, 3] }, "E208", "/days"], [[], "E203", ""], [{ id: 3 }, "E214", "/id"]]) {
    assert.throws(() => write(value, { schema }), (error) => error instanceof LtonError && error.code === code && error.path === path, path);
  }
  assert.equal(write({ id: 2, more: [2] }, { schema }), '{"id":2,"more":[2]}');
  assert.throws(() => new OutputSchema({ type: "array" }), (error) => error instanceof LtonError);
});

test("a budget is a limit", () => {
  assert.equal(write([1, 2, 3], { budget: 7 }), "[1,2,3]");
  assert.throws(() => write([1, 2, 3], { budget: 6 }), (error) => error.code === "E701");
  assert.throws(() => write([1, 2, 3], { budget: 1, count: () => 2 }), (error) => error.code === "E701");
});

test("texts become shorter, and keep the spelling of numbers", () => {
  assert.equal(shortResult('[{"a": 1, "b": 2.0}, {"a": 12345678901234567890, "b": 4.5}]'), "[2(a b)\n1 2.0\n12345678901234567890 4.5]");
  assert.equal(shortResult('{"a": {"b": 1}}'), '{"a":{"b":1}}');
  assert.equal(shortResult('{"a": {"b": 1}}', "large"), "{a {b 1}}");
  assert.equal(shortResult('{"a": "\\u001b"}'), '{"a":"\\u001b"}');
  for (const text of ["done", '{"a": 1.50}', '{"a": 1e3}', '{"a": -0}', '{"a": 1, "a": 2}', '{"a": ', `["${"x".repeat(2 ** 20)}",  1]`]) assert.equal(shortResult(text, "large"), text);
});

test("reading and writing results takes 6 kB", async () => {
  const stdin = { contents: "export { read, write } from './dist/results.js'", resolveDir: new URL("..", import.meta.url).pathname };
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", target: "es2022", write: false });
  const { length } = gzipSync(outputFiles[0].contents, { level: 9 });
  assert.ok(length < 6300, `${length} bytes`); // 6,000 without U+0000 and the order of keys, which stay as in JSON
});

test("a tool of the MCP SDK answers shorter, and its structured content stays", async () => {
  const users = { users: [{ name: "Ada", id: 1, at: { x: 1, y: 2 } }, { name: "Bo Li", id: 2, at: { x: 3, y: 4 } }] };
  const server = new McpServer({ name: "test", version: "1" });
  const outputSchema = { users: z.array(z.object({ name: z.string(), id: z.number(), at: z.object({ x: z.number(), y: z.number() }) })) };
  const handler = async () => ({ content: [{ type: "text", text: JSON.stringify(users, null, 2) }, { type: "text", text: "done" }], structuredContent: users });
  server.registerTool("long", { outputSchema }, handler);
  server.registerTool("short", { outputSchema }, mcp(handler, "large"));
  const hosts = [{ host: "a", disk: { size: 5 }, tags: ["x", "y z"] }, { host: "b", up: false }];
  server.registerTool("small", {}, mcp(async () => ({ content: [{ type: "text", text: JSON.stringify(hosts) }], structuredContent: { hosts } }), "small"));
  server.registerTool("wrong", {}, mcp(async () => { throw new Error("no such user"); }));
  const client = new Client({ name: "client", version: "1" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  const { tools } = await client.listTools();
  assert.deepEqual(tools[0].outputSchema, tools[1].outputSchema);
  const [long, short, small, wrong] = await Promise.all(["long", "short", "small", "wrong"].map((name) => client.callTool({ name, arguments: {} })));
  assert.deepEqual(short.structuredContent, long.structuredContent);
  assert.deepEqual(short.content.map(({ text }) => text), ['{users [2(name id at(x y))\nAda 1 1 2\n"Bo Li",2 3 4]}', "done"]);
  assert.deepEqual(small.structuredContent, { hosts });
  assert.deepEqual(small.content.map(({ text }) => text), ['[2 by host\na disk.size:5 tags:[x "y z"]\nb up:false]']);
  assert.deepEqual([wrong.isError, wrong.content[0].text], [true, "no such user"]);
  await client.close();
});
