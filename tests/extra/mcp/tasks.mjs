// Tasks of 2025-11-25 by the SDK for TypeScript, which has them:
//   node tasks.mjs serve                       a server, over stdio
//   node tasks.mjs ask TOOL ARGUMENTS COMMAND  a client: calls a tool as a task, says what it hears
// The folder of the modules is in MODULES.
const from = (path) => import(`${process.env.MODULES}/@modelcontextprotocol/sdk/dist/esm/${path}`);

async function serve() {
  const { McpServer } = await from("server/mcp.js");
  const { StdioServerTransport } = await from("server/stdio.js");
  const { InMemoryTaskStore } = await from("experimental/tasks/stores/in-memory.js");
  const server = new McpServer(
    { name: "tasks", version: "1" },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
    },
  );
  const days = [0, 1, 2, 3].map((day) => ({ day, city: "Rome", sky: "cloudy" }));
  const result = { content: [{ type: "text", text: JSON.stringify(days) }] };
  const handler = {
    createTask: async (extra) => {
      const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
      setTimeout(() => extra.taskStore.storeTaskResult(task.taskId, "completed", result), 100);
      return { task };
    },
    getTask: (extra) => extra.taskStore.getTask(extra.taskId),
    getTaskResult: (extra) => extra.taskStore.getTaskResult(extra.taskId),
  };
  for (const taskSupport of ["optional", "required"]) {
    const about = { description: "Get the weather.", execution: { taskSupport } };
    server.experimental.tasks.registerToolTask(`forecast_${taskSupport}`, about, handler);
  }
  await server.connect(new StdioServerTransport());
}

async function ask(name, given, command, ...args) {
  const { Client } = await from("client/index.js");
  const { StdioClientTransport } = await from("client/stdio.js");
  const { ElicitRequestSchema, TaskStatusNotificationSchema } = await from("types.js");
  const capabilities = { elicitation: { form: {} }, tasks: { list: {}, cancel: {} } };
  const client = new Client({ name: "asks", version: "1" }, { capabilities });
  const heard = [];
  const questions = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
    heard.push(params.status);
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: "accept", content: { interpretation: "snake" } };
  });
  const env = process.env;
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  const tools = (await client.listTools()).tools.map((tool) => [tool.name, tool.execution]);
  const said = [];
  const params = { name, arguments: JSON.parse(given) };
  const { tasks } = client.experimental;
  let result;
  for await (const message of tasks.callToolStream(params)) {
    said.push(message.type);
    result = message.result ?? message.error ?? result;
  }
  const listed = await tasks.listTasks().then((found) => found.tasks.map((task) => task.status));
  let cancelled = null;
  for await (const message of tasks.callToolStream(params)) {
    if (message.type !== "taskCreated") break;
    cancelled = (await tasks.cancelTask(message.task.taskId)).status;
    break;
  }
  console.log(JSON.stringify({ tools, said, result, heard, questions, listed, cancelled }));
  await client.close();
}

const [what, ...words] = process.argv.slice(2);
await (what === "serve" ? serve() : ask(...words));
