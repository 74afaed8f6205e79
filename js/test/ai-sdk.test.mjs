// The middleware for Vercel's AI SDK: before an API that says what it is told, and before `lton serve`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { ltonMiddleware } from "../dist/ai-sdk.js";
import { LtonError } from "../dist/index.js";
import { gateway, scripted } from "./scripted.mjs";

const CALL = 'Let me see.\n!call weather(city="San Leandro", days=2)\n';
const FORECAST = { place: { name: "San Leandro", county: { name: "Alameda", state: "CA" } }, sky: { now: "clear", later: "fog" } };
const weather = (run) =>
  tool({
    description: "A forecast",
    inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } }, required: ["city"] }),
    execute: run,
  });
const model = (url, options, name = "scripted") =>
  wrapLanguageModel({
    model: createOpenAICompatible({ name: "scripted", baseURL: url, includeUsage: true })(name),
    middleware: ltonMiddleware(options),
  });

test("a model without tools calls one, and is shown the result in LTON", async () => {
  const server = await scripted(CALL, "It will be clear.");
  const ran = [];
  const tools = { weather: weather((args) => (ran.push(args), FORECAST)) };
  const result = await generateText({ model: model(server.url, { calls: true }), tools, prompt: "Weather?", stopWhen: stepCountIs(3) });
  assert.deepEqual(ran, [{ city: "San Leandro", days: 2 }]);
  assert.equal(result.text, "It will be clear.");
  const [first, second] = server.asked;
  assert.equal(first.tools, undefined);
  assert.match(first.messages[0].content, /\nweather A forecast\n city\n days\?:int\(1\.\.\)\n/);
  assert.deepEqual(second.messages.slice(-2).map(({ role, content }) => [role, content]), [
    ["assistant", 'Let me see.\n!call weather(city="San Leandro", days=2)'],
    ["user", '!result weather {place {name "San Leandro" county {name Alameda state CA}} sky {now clear later fog}}'],
  ]);
  server.close();
});

test("a stream has text, and calls as soon as they are whole", async () => {
  const server = await scripted(CALL, "Clear.");
  const tools = { weather: weather(() => FORECAST) };
  const result = streamText({ model: model(server.url, { calls: true }), tools, prompt: "Weather?", stopWhen: stepCountIs(3) });
  const seen = [];
  for await (const part of result.fullStream) if (["text-delta", "tool-call"].includes(part.type)) seen.push(part.text ?? part.input);
  assert.deepEqual([seen.filter((each) => typeof each === "string").join(""), seen.find((each) => each.city)], ["Let me see.\nClear.", { city: "San Leandro", days: 2 }]);
  server.close();
});

test("a call that is wrong is an error, and nothing is run", async () => {
  for (const wrong of ['!call weather(city="x", days=0)\n', "!call wether(city=x)\n", '!call weather(city="x"', "!result weather {}\n"]) {
    const server = await scripted(wrong);
    const tools = { weather: weather(() => assert.fail("nothing may be run")) };
    await assert.rejects(generateText({ model: model(server.url, { calls: true }), tools, prompt: "Weather?", maxRetries: 0 }), LtonError);
    server.close();
  }
});

test("calls in the syntax of the model are read leniently, whole and in a stream", async () => {
  const own = 'I look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": "2",}}\n</tool_call>';
  for (const said of [CALL.replace("San Leandro", "Oslo"), own]) {
    for (const run of [generateText, streamText]) {
      const server = await scripted(said, "Clear.");
      const ran = [];
      const tools = { weather: weather((args) => (ran.push(args), FORECAST)) };
      const result = run({ model: model(server.url, { calls: "lenient" }, "qwen3-8b"), tools, prompt: "Weather?", stopWhen: stepCountIs(3) });
      const text = run === generateText ? (await result).text : await result.text;
      const [first] = run === generateText ? (await result).steps : await result.steps;
      assert.deepEqual([ran, text, first.text.trim()], [[{ city: "Oslo", days: 2 }], "Clear.", said.split("\n")[0]]);
      server.close();
    }
  }
});

test("an uncertain call is text with a warning, and a wrong call is an error", async () => {
  const quoted = 'You could write:\n```json\n{"name": "weather", "arguments": {"city": "Oslo"}}\n```\nif you like.';
  const tools = { weather: weather(() => assert.fail("nothing may be run")) };
  const server = await scripted(quoted, '!call weather(city="x", days=0)\n');
  const ask = () => generateText({ model: model(server.url, { calls: "lenient" }), tools, prompt: "Weather?", maxRetries: 0 });
  const result = await ask();
  assert.equal(result.text, quoted);
  assert.match(result.warnings[0].message, /^a call of weather was not run: /);
  await assert.rejects(ask(), LtonError);
  server.close();
});

test("results are what the class of models reads", async () => {
  const rows = [{ day: 1, high: 24 }, { day: 2, high: 25 }];
  for (const [options, value, wanted] of [
    [{}, rows, "[2(day high)\n1 24\n2 25]"],
    [{ results: "none" }, rows, JSON.stringify(rows)],
    [{ results: "large" }, FORECAST, '{place {name "San Leandro" county {name Alameda state CA}} sky {now clear later fog}}'],
    [{}, FORECAST, JSON.stringify(FORECAST)],
    [{}, { a: 1 }, '{"a":1}'],
  ]) {
    const server = await scripted("Clear.");
    const messages = [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "weather", input: { city: "x" } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "weather", output: { type: "json", value } }] },
    ];
    await generateText({ model: model(server.url, options), tools: { weather: weather(() => null) }, messages });
    assert.equal(server.asked[0].messages.at(-1).content, wanted);
    assert.equal(server.asked[0].tools.length, 1);
    server.close();
  }
});

test("the gateway gives tools to the model, and results in LTON", async (context) => {
  const upstream = await scripted('!call weather(city="San Leandro", days=2)', "It will be clear.");
  const served = await gateway(upstream.url.replace("/v1", ""));
  if (!served) return upstream.close(), context.skip("LTON_PYTHON is not set");
  const ran = [];
  const tools = { weather: weather((args) => (ran.push(args), FORECAST)) };
  try {
    const result = await generateText({ model: model(served.url, { results: "none" }), tools, prompt: "Weather?", stopWhen: stepCountIs(3) });
    assert.deepEqual([ran, result.text], [[{ city: "San Leandro", days: 2 }], "It will be clear."]);
    assert.match(JSON.stringify(upstream.asked[1].messages), /Alameda/);
  } finally {
    served.close();
    upstream.close();
  }
});
