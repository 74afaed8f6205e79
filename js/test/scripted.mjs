// Servers for tests: an API of chat completions that says what it is told, and `lton serve` before it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

/** Get a server whose model says these texts, one a turn; `asked` are the requests. */
export async function scripted(...turns) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const wanted = body ? JSON.parse(body) : {};
    if (!request.url.endsWith("/chat/completions")) return response.writeHead(404).end();
    asked.push(wanted);
    const said = turns.shift() ?? "";
    const head = { id: "x", object: "chat.completion", created: 0, model: "scripted" };
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    if (!wanted.stream) {
      const choices = [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }];
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...head, choices, usage }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = (choices, more = {}) => response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`);
    for (const content of said.match(/[^]{1,5}/gu) ?? []) write([{ index: 0, delta: { content }, finish_reason: null }]);
    write([{ index: 0, delta: {}, finish_reason: "stop" }]);
    write([], { usage });
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { asked, url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

/** Get the gateway before an API, run by the Python of the tests; null where that has no library. */
export async function gateway(upstream) {
  const python = process.env.LTON_PYTHON;
  if (!python) return null;
  const command = ["-m", "lton", "serve", "--engine", "vllm", "--calls", "lton", "--upstream", upstream, "--port", "0"];
  const child = spawn(python, command, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { url: `${line.trim()}/v1`, close: () => child.kill() };
}
