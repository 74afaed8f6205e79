// The examples, before models that say what they are told, and before `lton serve`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { LtonError } from "lton";
import { converse } from "../examples/mcp-client.mjs";
import { withTools } from "../examples/langchain.mjs";
import { gateway, scripted } from "./scripted.mjs";

const inputSchema = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] };
const ROLES = { system: "system", human: "user", ai: "assistant" };
const CALL = 'Let me see.\n!call weather(city="San Leandro", days=2)\n';

async function mcp(ran) {
  const server = new Server({ name: "weather", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "weather", inputSchema }] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => (ran.push(params.arguments), { content: [{ type: "text", text: "clear" }] }));
  const [one, other] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(one), client.connect(other)]);
  return client;
}

/** Get what asks an API of chat completions. */
const asking = (url) => async (messages) => {
  const body = JSON.stringify({ model: "scripted", messages });
  const response = await fetch(`${url}/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()).choices[0].message.content;
};

test("an MCP client whose model writes lines", async () => {
  const ran = [];
  const server = await scripted(CALL, "It will be clear.");
  const client = await mcp(ran);
  assert.equal(await converse(client, asking(server.url), "Weather?"), "It will be clear.");
  assert.deepEqual(ran, [{ city: "San Leandro", days: 2 }]);
  assert.equal(server.asked[1].messages.at(-1).content, "!result weather clear");
  await assert.rejects(converse(client, async () => "!call weather(cty=x)\n", "Weather?"), LtonError);
  server.close();
  await client.close();
});

test("an MCP client before the gateway", async (context) => {
  const ran = [];
  const upstream = await scripted(CALL, "It will be clear.");
  const served = await gateway(upstream.url.replace("/v1", ""));
  if (!served) return upstream.close(), context.skip("LTON_PYTHON is not set");
  const client = await mcp(ran);
  try {
    // The request has no tools, so the gateway passes it on as it is.
    assert.equal(await converse(client, asking(served.url), "Weather?"), "It will be clear.");
    assert.deepEqual(ran, [{ city: "San Leandro", days: 2 }]);
  } finally {
    served.close();
    upstream.close();
    await client.close();
  }
});

test("a model of LangChain.js before the gateway", async (context) => {
  const upstream = await scripted(CALL, "Clear.");
  const served = await gateway(upstream.url.replace("/v1", ""));
  if (!served) return upstream.close(), context.skip("LTON_PYTHON is not set");
  const ask = asking(served.url);
  const chat = RunnableLambda.from(async (messages) => new AIMessage(await ask(messages.map((message) => ({ role: ROLES[message.type], content: message.text })))));
  const model = withTools(chat, [{ type: "function", function: { name: "weather", parameters: inputSchema } }]);
  try {
    const messages = [new HumanMessage("Weather?")];
    const said = await model.invoke(messages);
    assert.deepEqual(said.tool_calls.map(({ name, args }) => [name, args]), [["weather", { city: "San Leandro", days: 2 }]]);
    messages.push(said, new ToolMessage({ name: "weather", tool_call_id: said.tool_calls[0].id, content: "clear" }));
    assert.equal((await model.invoke(messages)).content, "Clear.");
    assert.deepEqual(upstream.asked[1].messages.slice(-2), [
      { role: "assistant", content: CALL.trimEnd() },
      { role: "user", content: "!result weather clear" },
    ]);
  } finally {
    served.close();
    upstream.close();
  }
});

test("a model of LangChain.js", async () => {
  const tool = { type: "function", function: { name: "weather", description: "A forecast", parameters: inputSchema } };
  const model = withTools(new FakeListChatModel({ responses: [CALL, "Clear.", "!call weather(days=2)\n"] }), [tool]);
  const messages = [new HumanMessage("Weather?")];
  const said = await model.invoke(messages);
  assert.deepEqual(said.tool_calls.map(({ name, args }) => [name, args]), [["weather", { city: "San Leandro", days: 2 }]]);
  assert.equal(said.content, "Let me see.\n");
  messages.push(said, new ToolMessage({ name: "weather", tool_call_id: said.tool_calls[0].id, content: "clear" }));
  assert.equal((await model.invoke(messages)).content, "Clear.");
  await assert.rejects(model.invoke(messages), LtonError);
});
