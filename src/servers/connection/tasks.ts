import { setTimeout as delay } from "node:timers/promises";
import type {
  InputRequest,
  ProtocolFault,
  Task,
  TaskRequest,
  ToolContext,
  ToolResult,
} from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { parseCallResult, type ServerRequest } from "./call.ts";
import { answerInquiry, canAnswerAll, parseInquiries } from "./inquiries.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Sends requests to a tool's server. */
export interface TaskHost {
  request(request: ServerRequest, context: ToolContext, isRepeatable: boolean): Promise<ToolResult>;
}

/** The extension of 2026-07-28 with which a server may answer a call with a task. */
export const TASKS = "io.modelcontextprotocol/tasks";
const MISSING_CAPABILITY = -32021;
const MAX_ID_CHARS = 4096;
const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const CANCEL_MS = 2000;
/** Prefix of the state that a caller returns along with its answers to a task's inquiries. */
const RESUME_PREFIX = "toolkeep/task:";
const CANCELLED: ToolResult = { kind: "failed", message: "the call was cancelled" };
const CANNOT_ASK: ToolResult = {
  kind: "failed",
  message: "the server asked back, but the caller of this tool cannot be asked",
};

/**
 * Calls a tool that may run as a server task. A caller that follows tasks gets the task; for all others it is followed
 * here until it ends, so that everybody can call tools that run only as tasks.
 */
export function callWithTasks(
  host: TaskHost,
  call: ServerRequest,
  context: ToolContext,
  isRepeatable: boolean,
): Promise<ToolResult> {
  const { rounds } = context;
  if (rounds?.state?.startsWith(RESUME_PREFIX)) {
    return resumeTask(host, rounds.state.slice(RESUME_PREFIX.length), rounds.answers ?? {}, context);
  }
  if (followsTasks(rounds?.capabilities))
    return host.request({ ...call, tasks: true }, context, isRepeatable);
  return host
    .request(call, context, isRepeatable)
    .then((result) => (result.kind === "failed" ? retryAsTask(host, call, context, result) : result));
}

/** Returns a failed call's result, or runs the call as a task if the server accepts it only as one. */
export async function retryAsTask(
  host: TaskHost,
  call: ServerRequest,
  context: ToolContext,
  result: Extract<ToolResult, { kind: "failed" }>,
): Promise<ToolResult> {
  if (!wantsTasks(result.fault)) return result;
  const begun = await host.request({ ...call, tasks: true }, context, false);
  return begun.kind === "task" ? await waitForTask(host, begun.task, context, new Set()) : begun;
}

/** Calls a tool of 2025-11-25 that runs only as a task: starts the task, then fetches its result. */
export async function callAsLegacyTask(
  host: TaskHost,
  call: ServerRequest,
  context: ToolContext,
): Promise<ToolResult> {
  let id: string | undefined;
  const toResult = (answer: JsonObject) => {
    id = isRecord(answer.task) ? parseTask(answer.task)?.id : undefined;
    return parseCallResult(answer);
  };
  const begun = await host.request(
    { ...call, params: { ...call.params, task: {} }, toResult },
    context,
    false,
  );
  if (id === undefined) return begun;
  const params = { taskId: id };
  const result = await host.request(
    { method: "tasks/result", params, toResult: parseCallResult },
    context,
    true,
  );
  if (context.signal.aborted) await cancel(host, id, context);
  return dropFault(result);
}

/** Builds a request about a task to a modern server, for a caller that follows it. */
export function buildTaskRequest({ id, action, answers }: TaskRequest): ServerRequest {
  return {
    method: `tasks/${action}`,
    params: { taskId: id, ...(action === "update" ? { inputResponses: answers ?? {} } : {}) },
    tasks: true,
    toResult: ({ resultType: _, taskId: __, ...structured }) => ({ kind: "output", content: [], structured }),
  };
}

/** Continues after the caller has answered the task's inquiries. */
async function resumeTask(
  host: TaskHost,
  id: string,
  answers: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const updated = await host.request(buildTaskRequest({ id, action: "update", answers }), context, true);
  if (updated.kind !== "output") return dropFault(updated);
  return await waitForTask(host, { id, state: {} }, context, new Set(Object.keys(answers)));
}

/** `answered` holds the names of inquiries that need no further answer. */
async function waitForTask(
  host: TaskHost,
  begun: Task,
  context: ToolContext,
  answered: Set<string>,
): Promise<ToolResult> {
  const result = await pollTask(host, begun, context, answered);
  if (context.signal.aborted || result === CANNOT_ASK) await cancel(host, begun.id, context);
  return result;
}

async function pollTask(
  host: TaskHost,
  begun: Task,
  context: ToolContext,
  answered: Set<string>,
): Promise<ToolResult> {
  let { state } = begun;
  for (let polls = 1; ; polls++) {
    const ended = readTaskEnd(state) ?? (await askCaller(host, { ...begun, state }, context, answered));
    if (ended) return ended;
    const { statusMessage: message } = state;
    if (typeof message === "string") context.progress({ progress: polls, message });
    await delay(choosePollMs(state), undefined, { signal: context.signal }).catch(() => {});
    if (context.signal.aborted) return CANCELLED;
    const next = await host.request(
      { ...buildTaskRequest({ id: begun.id, action: "get" }), toResult: toTaskResult },
      context,
      true,
    );
    if (next.kind !== "task") return dropFault(next);
    ({ state } = next.task);
  }
}

/** Puts the task's inquiries to the caller; undefined if none is left to ask. */
async function askCaller(
  host: TaskHost,
  { id, state }: Task,
  context: ToolContext,
  answered: Set<string>,
): Promise<ToolResult | undefined> {
  const inputRequests = findUnanswered(state, answered);
  if (!inputRequests) return undefined;
  const asked = parseInquiries({ resultType: "input_required", inputRequests })!;
  if (!asked.ok) return failWith(`the server asked back, but ${asked.error}`);
  const { rounds } = context;
  if (rounds) {
    return canAnswerAll(asked.value, rounds.capabilities)
      ? { kind: "asks", asked: { ...asked.value, state: `${RESUME_PREFIX}${id}` } }
      : CANNOT_ASK;
  }
  const answers = await collectAnswers(asked.value, context);
  if (!answers.ok) return CANNOT_ASK;
  const updated = await host.request(
    buildTaskRequest({ id, action: "update", answers: answers.value }),
    context,
    true,
  );
  for (const name of Object.keys(inputRequests)) answered.add(name);
  return updated.kind === "output" ? undefined : dropFault(updated);
}

function findUnanswered(state: JsonObject, answered: ReadonlySet<string>): JsonObject | undefined {
  if (state.status !== "input_required" || !isRecord(state.inputRequests)) return undefined;
  const left = Object.entries(state.inputRequests).filter(([name]) => !answered.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

async function collectAnswers(
  { inquiries }: InputRequest,
  context: ToolContext,
): Promise<Result<JsonObject, undefined>> {
  const answers: [string, unknown][] = [];
  try {
    for (const [name, inquiry] of Object.entries(inquiries)) {
      answers.push([name, await answerInquiry(context, inquiry, context.signal)]);
    }
    return ok(Object.fromEntries(answers));
  } catch {
    return err(undefined);
  }
}

/** The result of a task that has ended; undefined while it runs. */
function readTaskEnd(state: JsonObject): ToolResult | undefined {
  const { status, result, error, statusMessage } = state;
  const why = typeof statusMessage === "string" ? `: ${statusMessage}` : "";
  if (status === "cancelled") return failWith(`the server cancelled the task${why}`);
  if (status === "failed") {
    return failWith(
      isRecord(error) ? `the server refused the call: ${error.message}` : `the task failed${why}`,
    );
  }
  if (status !== "completed") return undefined;
  return isRecord(result)
    ? parseCallResult(result)
    : failWith("the server sent a finished task without a result");
}

function toTaskResult(answer: JsonObject): ToolResult {
  const task = parseTask(answer);
  return task ? { kind: "task", task } : failWith("the server sent an answer that is not a task");
}

/** Nobody waits for the task any more. Failing to tell the server does not affect the call. */
async function cancel(host: TaskHost, id: string, { callId, caller }: ToolContext): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await host.request(
    buildTaskRequest({ id, action: "cancel" }),
    { callId, caller, signal, progress() {} },
    false,
  );
}

function choosePollMs({ pollIntervalMs }: JsonObject): number {
  const wanted = typeof pollIntervalMs === "number" ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.max(MIN_POLL_MS, Math.min(wanted, MAX_POLL_MS));
}

function failWith(message: string): ToolResult {
  return { kind: "failed", message };
}

/** Drops what only a follower of tasks could use, and `isUnsent`: the tool's call itself has left. */
function dropFault(result: ToolResult): ToolResult {
  if (result.kind === "unavailable") return { kind: "unavailable", message: result.message };
  if (result.kind !== "failed") return result;
  const { fault: _, ...rest } = result;
  return rest;
}

/** Whether a client with these MCP capabilities follows tasks. */
export function followsTasks(capabilities: JsonObject = {}): boolean {
  return isRecord(capabilities.extensions) && capabilities.extensions[TASKS] !== undefined;
}

export function withTasks(capabilities: JsonObject): JsonObject {
  const { extensions = {}, ...rest } = withoutTasks(capabilities);
  return { ...rest, extensions: { ...(extensions as JsonObject), [TASKS]: {} } };
}

/** Removes this extension and its predecessor. */
export function withoutTasks(capabilities: JsonObject): JsonObject {
  const { tasks: _, extensions, ...rest } = capabilities;
  if (!isRecord(extensions)) return rest;
  const { [TASKS]: __, ...others } = extensions;
  return { ...rest, extensions: others };
}

/** Parses the task in an answer; undefined if there is none. */
export function parseTask({ resultType: _, taskId, ...state }: JsonObject): Task | undefined {
  return typeof taskId === "string" && taskId !== "" && taskId.length <= MAX_ID_CHARS
    ? { id: taskId, state }
    : undefined;
}

/** Whether the server says that it runs this only as a task. */
export function wantsTasks(fault: ProtocolFault | undefined): boolean {
  if (fault?.code !== MISSING_CAPABILITY || !isRecord(fault.data)) return false;
  const { requiredCapabilities } = fault.data;
  return isRecord(requiredCapabilities) && followsTasks(requiredCapabilities);
}
