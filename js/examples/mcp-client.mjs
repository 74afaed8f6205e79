// An MCP client whose model sees signatures and writes lines: a fraction of the tokens of definitions in
// JSON. `ask` is given messages, and gives what the model says.

import { Decoder, ToolSet, encode } from "lton";

/** Let a model use the tools of an MCP server until it answers without a call; get the answer. */
export async function converse(client, ask, question, { turns = 10 } = {}) {
  const tools = ToolSet.from(await client.listTools());
  const how = "Begin each call with `!call `, on a line of its own.";
  const messages = [
    { role: "system", content: `${tools.prompt({ primer: "punctuated" })}\n${how}` },
    { role: "user", content: question },
  ];
  for (let turn = 0; turn < turns; turn += 1) {
    const said = await ask(messages);
    const decoder = new Decoder(tools, { prose: true }); // throws a LtonError for a call that is wrong
    const events = [...decoder.feed(said), ...decoder.end()];
    const calls = events.filter(({ type }) => type === "end").map(({ call }) => call);
    if (!calls.length) return said;
    const results = await Promise.all(calls.map((call) => client.callTool(call)));
    const answers = results.map((result, index) => ({ name: calls[index].name, value: valueOf(result), error: Boolean(result.isError) }));
    messages.push({ role: "assistant", content: said }, { role: "user", content: encode(answers) });
  }
  throw new Error(`no answer after ${turns} turns`);
}

function valueOf({ structuredContent, content }) {
  if (structuredContent) return structuredContent;
  const texts = content.filter(({ type }) => type === "text").map(({ text }) => text);
  return texts.length === 1 ? texts[0] : texts;
}
