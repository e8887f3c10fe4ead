// Codex with a person at it: its app server, which asks over standard output; codex.mjs starts it. `codex exec` has nobody to ask.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const { bin, options, answer } = JSON.parse(process.env.CLIENT_TASK);

const codex = spawn(process.execPath, [bin, "app-server", ...options], {
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = new Map();
let requests = 0;

const HANDLERS = {
  // The question of a server, and before it the question whether the tool may run.
  "mcpServer/elicitation/request": () => ({ action: "accept", content: { answer }, _meta: null }),
  "item/completed": ({ item }) => item.type === "agentMessage" && console.log(item.text),
  "turn/completed": () => codex.stdin.end(),
  error: (params) => console.log(JSON.stringify(params)),
};

createInterface({ input: codex.stdout }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? Promise.reject(new Error(error.message)));
  const reply = HANDLERS[method]?.(params);
  if (id !== undefined)
    send(reply ? { id, result: reply } : { id, error: { code: -32601, message: method } });
});

await request("initialize", { clientInfo: { name: "toolkeep-test", title: "test", version: "1.0.0" } });
send({ method: "initialized" });
const { thread } = await request("thread/start", {
  approvalPolicy: "on-request",
  sandbox: "danger-full-access",
});
await request("turn/start", {
  threadId: thread.id,
  input: [{ type: "text", text: "Call the tool.", text_elements: [] }],
});

function request(method, params) {
  const id = ++requests;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function send(message) {
  codex.stdin.write(`${JSON.stringify(message)}\n`);
}
