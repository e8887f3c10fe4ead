/**
 * The code that runs in a plugin's process. It is plain JavaScript in a string because the path of a file differs before
 * and after a build, and Node would need permission to read it. Messages arrive on descriptor 3 and leave on 4, one JSON
 * object per line; what the plugin prints goes elsewhere.
 */
export const RUNNER = `
import fs from "node:fs";
import net from "node:net";
import { pathToFileURL } from "node:url";

const calls = new Map();
let tools = new Map();
let parts = [];

// Not a file stream, whose reads block a thread so that the process could not exit.
const input = new net.Socket({ fd: 3, readable: true, writable: false });
input.setEncoding("utf8");
input.on("data", (chunk) => {
  const lines = chunk.split("\\n");
  for (const line of lines.slice(0, -1)) {
    receive(JSON.parse(parts.join("") + line));
    parts = [];
  }
  parts.push(lines[lines.length - 1]);
});
// The parent process has ended.
input.on("close", () => process.exit(0));
input.on("error", () => process.exit(0));

function send(message) {
  let left = Buffer.from(JSON.stringify(message) + "\\n");
  while (left.length > 0) left = left.subarray(fs.writeSync(4, left));
}

function receive(message) {
  if (message.type === "load") load(message);
  else if (message.type === "call") call(message);
  else if (message.type === "cancel") {
    send({ type: "stopping", id: message.id });
    calls.get(message.id)?.abort();
  }
}

async function load({ entry, plugin, folder }) {
  try {
    const log = (text) => console.error(text);
    const exported = await import(pathToFileURL(entry).href);
    const factory = exported.createPlugin ?? exported.default?.createPlugin;
    const made = typeof factory === "function" ? await factory({ plugin, folder, log }) : exported;
    const list = made?.tools ?? made?.default?.tools ?? made?.default;
    if (!Array.isArray(list)) throw new Error("the entry exports neither tools (a list), nor a default with tools, nor createPlugin");
    tools = new Map(list.filter((tool) => typeof tool?.run === "function").map((tool) => [tool.name, tool]));
    send({ type: "ready", tools: list.map(describeTool) });
  } catch (error) {
    console.error(error);
    send({ type: "failed", message: messageOf(error) });
  }
}

function describeTool(tool) {
  if (tool === null || typeof tool !== "object") return tool;
  const { name, title, description, inputSchema, outputSchema, flags, timeoutMs } = tool;
  return { name, title, description, inputSchema, outputSchema, flags, timeoutMs, runs: typeof tool.run === "function" };
}

async function call({ id, tool, args, workspace, secrets, agent }) {
  const controller = new AbortController();
  calls.set(id, controller);
  const progress = ({ progress, total, message } = {}) => {
    if (calls.has(id)) send({ type: "progress", id, progress, total, message });
  };
  const log = (text) => console.error(text);
  const context = { signal: controller.signal, progress, secrets: Object.freeze(secrets), agent, log };
  try {
    const known = tools.get(tool);
    if (known === undefined) throw new Error("the plugin no longer has a tool " + tool + "; a person can enable the plugin again");
    const value = await known.run(args, workspace === null ? context : { ...context, workspace });
    send({ type: "result", id, value: value === undefined ? null : value });
  } catch (error) {
    send({ type: "error", id, message: messageOf(error) });
  } finally {
    calls.delete(id);
  }
}

function messageOf(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 10000) || "it threw an error without a message";
}
`;
