// A server whose tools go on as tasks: node tasks.mjs <era> [file that is told what was cancelled]
import { appendFileSync } from "node:fs";
import { send, serve, text, tool } from "./rpc.mjs";

const [era, file] = process.argv.slice(2);
const TASKS = "io.modelcontextprotocol/tasks";
const tasks = new Map();

const since = { createdAt: "2026-11-16T00:00:00Z", lastUpdatedAt: "2026-11-16T00:00:00Z" };
const refuse = (id, code, message, data) => void send({ id, error: { code, message, data } });

/** How each tool's task goes on each time that it is asked for. */
const progress = {
  /** Done at the second look. */
  slow: (task) => {
    task.looks++;
    return task.looks < 2
      ? { status: "working", statusMessage: `look ${task.looks}` }
      : { status: "completed", result: text(`slow ${task.args.n ?? ""}`) };
  },
  asks: (task) => {
    if (task.answers) return { status: "completed", result: text(`Hello ${task.answers.who.content.name}`) };
    const params = { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } };
    return { status: "input_required", inputRequests: { who: { method: "elicitation/create", params } } };
  },
  fails: () => ({ status: "failed", error: { code: -32000, message: "out of cheese" } }),
  errs: () => ({ status: "completed", result: { ...text("no such city"), isError: true } }),
  never: (task) => ({ status: task.isCancelled ? "cancelled" : "working" }),
};

const modern = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, extensions: { [TASKS]: {} } },
  }),
  "tools/list": () => ({ tools: [...Object.keys(progress), "either"].map((name) => tool(name)) }),
  "tools/call": ({ id, params }) => {
    const { name, arguments: args = {} } = params;
    const follows = hasTasks(params);
    if (name === "either" && !follows) return text("at once");
    if (!follows) {
      const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } };
      return refuse(id, -32021, "tasks are needed", data);
    }
    const kind = name === "either" ? "slow" : name;
    return { resultType: "task", status: "working", ...begin(kind, args) };
  },
  "tasks/get": about((task, taskId) => ({
    taskId,
    ...since,
    ttlMs: 60_000,
    pollIntervalMs: 100,
    ...task.look(),
  })),
  "tasks/update": about((task, _, { inputResponses }) => {
    task.answers = inputResponses;
    return {};
  }),
  "tasks/cancel": about((task, taskId) => cancel(task, taskId)),
};

const legacy = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    serverInfo: { name: "tasks", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: ["slow", "never"].map((name) => tool(name, { execution: { taskSupport: "required" } })),
  }),
  "tools/call": ({ id, params }) => {
    if (!params.task) return refuse(id, -32601, "it runs as a task only");
    const { taskId } = begin(params.name, params.arguments ?? {});
    return { task: { taskId, status: "working", ttl: 60_000, pollInterval: 100, ...since } };
  },
  "tasks/result": ({ id, params: { taskId } }) => {
    const task = tasks.get(taskId);
    if (!task) return refuse(id, -32602, "no such task");
    if (task.name === "never") return undefined;
    const _meta = { "io.modelcontextprotocol/related-task": { taskId } };
    return { ...text(`slow ${task.args.n ?? ""}`), _meta };
  },
  "tasks/cancel": ({ params: { taskId } }) => cancel(tasks.get(taskId), taskId),
};

function begin(name, args) {
  const taskId = `task ${tasks.size}`;
  const task = { name, args, looks: 0, look: () => progress[name](task) };
  tasks.set(taskId, task);
  if (file && name === "never") appendFileSync(file, "begun\n");
  return { taskId, ...since, ttlMs: 60_000, pollIntervalMs: 100 };
}

function about(answer) {
  return ({ id, params }) => {
    const task = tasks.get(params.taskId);
    if (!hasTasks(params)) return refuse(id, -32021, "tasks are needed");
    if (!task) return refuse(id, -32602, "no such task");
    return answer(task, params.taskId, params);
  };
}

function hasTasks({ _meta }) {
  return _meta["io.modelcontextprotocol/clientCapabilities"]?.extensions?.[TASKS] !== undefined;
}

function cancel(task, taskId) {
  task.isCancelled = true;
  if (file) appendFileSync(file, `${taskId}\n`);
  return {};
}

if (era === "legacy") serve([], legacy);
else {
  const complete = (method) => (request) => {
    const result = method(request);
    return result && { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result };
  };
  const methods = Object.entries(modern).map(([name, method]) => [name, complete(method)]);
  serve([], { initialize: undefined, ...Object.fromEntries(methods) });
}
