// The tasks extension of the conformance fixture (2026-07-28): a call that takes long answers with a task, and the
// client asks how it goes. Tasks live as long as the process, which is as long as one run of the suite.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";

export const EXTENSION = "io.modelcontextprotocol/tasks";
const TTL_MS = 60_000;
const POLL_MS = 200;
const SECOND_MS = 1000;

const text = (value) => ({ content: [{ type: "text", text: value }] });
const string = { type: "string" };
const takes = (properties) => ({ type: "object", properties });
const question = (message, name) => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties: { [name]: string } } },
});

/** As in fixture-offer.mjs; `io.task(work)` starts a task, and is undefined for clients that know none. */
export const TASK_TOOLS = {
  greet: {
    inputSchema: takes({ name: string }),
    run: ({ name }) => text(`Hello, ${name}!`),
  },
  slow_compute: {
    inputSchema: takes({ seconds: { type: "number" }, label: string }),
    run({ seconds, label }, { task = atOnce }) {
      return task(async ({ signal }) => {
        await delay(seconds * SECOND_MS, undefined, { signal });
        return text(`computed ${label}`);
      });
    },
  },
  failing_job: {
    run(_args, { task }) {
      if (!task) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: declared() });
      return task(async () => ({ isError: true, ...text("the job failed") }));
    },
  },
  protocol_error_job: {
    run(_args, { task = atOnce }) {
      return task(async () => {
        throw new ProtocolError(ProtocolErrorCode.InternalError, "the job broke the protocol");
      });
    },
  },
  confirm_delete: {
    inputSchema: takes({ filename: string }),
    run({ filename }, { task = atOnce }) {
      return task(async ({ ask }) => {
        await ask({ confirm: question(`Delete ${filename}?`, "confirm") });
        return text(`deleted ${filename}`);
      });
    },
  },
  multi_input: {
    run(_args, { task = atOnce }) {
      return task(async ({ ask }) => {
        await ask({ first: question("The first?", "name"), second: question("The second?", "name") });
        return text("both answered");
      });
    },
  },
  test_tool_with_task: {
    async run(_args, { ask, task = atOnce }) {
      const { user_name } = await ask({ user_name: question("What is your name?", "name") });
      return task(async () => text(`Hello, ${user_name.content?.name}!`));
    },
  },
};

/** Without tasks: the work is the call. */
function atOnce(work) {
  return work({ ask: async () => ({}), signal: undefined });
}

function declared() {
  return { extensions: { [EXTENSION]: {} } };
}

/** The tasks of one fixture: `start` for tools, and the answers to `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function createTasks() {
  const tasks = new Map();

  function start(work) {
    const stop = new AbortController();
    const now = new Date().toISOString();
    const view = { taskId: randomUUID(), status: "working", createdAt: now, lastUpdatedAt: now };
    const task = { ...view, ttlMs: TTL_MS, pollIntervalMs: POLL_MS };
    const entry = { task, stop, answers: {}, answered: () => {} };
    tasks.set(task.taskId, entry);
    const created = { resultType: "task", ...task };
    work({ ask: (requests) => ask(entry, requests), signal: stop.signal }).then(
      (result) => become(entry, { status: "completed", result }),
      ({ code = ProtocolErrorCode.InternalError, message }) =>
        become(entry, { status: "failed", error: { code, message } }),
    );
    return created;
  }

  function entryOf({ taskId }) {
    const entry = tasks.get(taskId);
    if (!entry) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown task: ${taskId}`);
    return entry;
  }

  return {
    start,
    get: (params) => ({ ...entryOf(params).task }),
    update(params, inputResponses) {
      const entry = entryOf(params);
      answer(entry, inputResponses ?? {});
      return {};
    },
    cancel(params) {
      const entry = entryOf(params);
      become(entry, { status: "cancelled" });
      entry.stop.abort();
      return {};
    },
  };
}

/** The last word stays: a task that was cancelled does not complete. */
function become({ task }, change) {
  if (["completed", "failed", "cancelled"].includes(task.status)) return;
  delete task.inputRequests;
  Object.assign(task, change, { lastUpdatedAt: new Date().toISOString() });
}

function ask(entry, inputRequests) {
  become(entry, { status: "input_required", inputRequests: { ...inputRequests } });
  return new Promise((resolve) => {
    entry.answered = resolve;
  });
}

function answer(entry, responses) {
  const pending = entry.task.inputRequests ?? {};
  for (const [key, response] of Object.entries(responses)) {
    if (!Object.hasOwn(pending, key)) continue;
    entry.answers[key] = response;
    delete pending[key];
  }
  if (entry.task.status !== "input_required" || Object.keys(pending).length > 0) return;
  become(entry, { status: "working" });
  entry.answered(entry.answers);
}
