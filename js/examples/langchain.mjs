// A chat model of LangChain.js that has no tools of its own: it gets them as text, and its calls come back
// as those of an `AIMessage`. So what is after it in a chain (`ToolNode`, agents) needs no change.

import { AIMessage, SystemMessage, ToolMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { Decoder, ToolSet, encode } from "lton";

/** Get a runnable of messages, as `model.bindTools(tools)` gives one. */
export function withTools(model, tools) {
  const set = ToolSet.from(tools.map((tool) => convertToOpenAITool(tool)));
  const about = new SystemMessage(`${set.prompt({ primer: "punctuated" })}\nBegin each call with \`!call \`, on a line of its own.`);
  return RunnableLambda.from(async (messages) => {
    const said = await model.invoke([about, ...messages.map((message) => asText(message, set))]);
    const decoder = new Decoder(set, { prose: true }); // throws a LtonError for a call that is wrong
    const events = [...decoder.feed(said.text), ...decoder.end()];
    const calls = events.filter(({ type }) => type === "end").map(({ call }) => ({ name: call.name, args: { ...call.arguments }, id: crypto.randomUUID(), type: "tool_call" }));
    const text = events.filter(({ type }) => type === "prose").map((event) => event.text).join("");
    return new AIMessage({ content: text, tool_calls: calls });
  });
}

function asText(message, set) {
  if (message instanceof ToolMessage) {
    return new HumanMessage(encode({ name: message.name, value: message.text, error: message.status === "error" }));
  }
  if (!(message instanceof AIMessage) || !message.tool_calls?.length) return message;
  const calls = message.tool_calls.map(({ name, args }) => ({ name, arguments: args }));
  return new AIMessage(message.text + encode(calls, set, { form: "punctuated", sigil: true }));
}
