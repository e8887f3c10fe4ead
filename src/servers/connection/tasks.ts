import { setTimeout as delay } from "node:timers/promises";
import type {
  Asked,
  ProtocolFault,
  Task,
  TaskRequest,
  ToolContext,
  ToolResult,
} from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { callResult, type ServerRequest } from "./call.ts";
import { answerWith, canAnswerAll, inquiriesIn } from "./inquiries.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** How a call reaches its server. */
export interface TaskHost {
  request(what: ServerRequest, context: ToolContext, repeatable: boolean): Promise<ToolResult>;
}

/** The extension of 2026-07-28 by which a server may answer a call with work that goes on. */
export const TASKS = "io.modelcontextprotocol/tasks";
const MISSING_CAPABILITY = -32021;
const MAX_ID_CHARS = 4096;
const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;
const CANCEL_MS = 2000;
/** Begins the state that a caller brings back with its answers to what a task asked. */
const RESUMED = "toolkeep/task:";
const CANCELLED: ToolResult = { kind: "failed", message: "the call was cancelled" };
const NOBODY: ToolResult = {
  kind: "failed",
  message: "the server asked back, but the caller of this tool cannot be asked",
};

/**
 * A call to a tool that may go on as a task. A caller that follows tasks is given it; for any other the task is
 * followed here until it is done, so that tools which run in no other way can be called by everybody.
 */
export function callOrTask(
  host: TaskHost,
  call: ServerRequest,
  context: ToolContext,
  repeatable: boolean,
): Promise<ToolResult> {
  const { rounds } = context;
  if (rounds?.state?.startsWith(RESUMED)) {
    return resumed(host, rounds.state.slice(RESUMED.length), rounds.answers ?? {}, context);
  }
  if (followsTasks(rounds?.capabilities)) return host.request({ ...call, tasks: true }, context, repeatable);
  return host
    .request(call, context, repeatable)
    .then((result) => (result.kind === "failed" ? unlessTask(host, call, context, result) : result));
}

/** What came of a call that failed: of one that its server runs as a task only, that of the task. */
export async function unlessTask(
  host: TaskHost,
  call: ServerRequest,
  context: ToolContext,
  result: Extract<ToolResult, { kind: "failed" }>,
): Promise<ToolResult> {
  if (!wantsTasks(result.fault)) return result;
  const begun = await host.request({ ...call, tasks: true }, context, false);
  return begun.kind === "task" ? await untilDone(host, begun.task, context, new Set()) : begun;
}

/** A tool of 2025-11-25 that runs as a task only: it is asked for one, and for its result. */
export async function callAsLegacyTask(
  host: TaskHost,
  call: ServerRequest,
  context: ToolContext,
): Promise<ToolResult> {
  let id: string | undefined;
  const resultOf = (answer: JsonObject) => {
    id = isRecord(answer.task) ? taskIn(answer.task)?.id : undefined;
    return callResult(answer);
  };
  const begun = await host.request(
    { ...call, params: { ...call.params, task: {} }, resultOf },
    context,
    false,
  );
  if (id === undefined) return begun;
  const params = { taskId: id };
  const result = await host.request({ method: "tasks/result", params, resultOf: callResult }, context, true);
  if (context.signal.aborted) await cancel(host, id, context);
  return withoutFault(result);
}

/** Asks a server of 2026-07-28 about a task, for a caller that follows it. */
export function aboutTask({ id, action, answers }: TaskRequest): ServerRequest {
  return {
    method: `tasks/${action}`,
    params: { taskId: id, ...(action === "update" ? { inputResponses: answers ?? {} } : {}) },
    tasks: true,
    resultOf: ({ resultType: _, taskId: __, ...structured }) => ({ kind: "output", content: [], structured }),
  };
}

/** The caller has answered what the task asked. */
async function resumed(
  host: TaskHost,
  id: string,
  answers: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const updated = await host.request(aboutTask({ id, action: "update", answers }), context, true);
  if (updated.kind !== "output") return withoutFault(updated);
  return await untilDone(host, { id, state: {} }, context, new Set(Object.keys(answers)));
}

/** `answered`: the names of what needs no answer any more. */
async function untilDone(
  host: TaskHost,
  begun: Task,
  context: ToolContext,
  answered: Set<string>,
): Promise<ToolResult> {
  const result = await followed(host, begun, context, answered);
  if (context.signal.aborted || result === NOBODY) await cancel(host, begun.id, context);
  return result;
}

async function followed(
  host: TaskHost,
  begun: Task,
  context: ToolContext,
  answered: Set<string>,
): Promise<ToolResult> {
  let { state } = begun;
  for (let polls = 1; ; polls++) {
    const ended = endOf(state) ?? (await ask(host, { ...begun, state }, context, answered));
    if (ended) return ended;
    const { statusMessage: message } = state;
    if (typeof message === "string") context.progress({ progress: polls, message });
    await delay(pollMs(state), undefined, { signal: context.signal }).catch(() => {});
    if (context.signal.aborted) return CANCELLED;
    const next = await host.request(
      { ...aboutTask({ id: begun.id, action: "get" }), resultOf },
      context,
      true,
    );
    if (next.kind !== "task") return withoutFault(next);
    ({ state } = next.task);
  }
}

/** Brings what the task asks to its caller; undefined where nothing is left to be asked. */
async function ask(
  host: TaskHost,
  { id, state }: Task,
  context: ToolContext,
  answered: Set<string>,
): Promise<ToolResult | undefined> {
  const inputRequests = unanswered(state, answered);
  if (!inputRequests) return undefined;
  const asked = inquiriesIn({ resultType: "input_required", inputRequests })!;
  if (!asked.ok) return failed(`the server asked back, but ${asked.error}`);
  const { rounds } = context;
  if (rounds) {
    return canAnswerAll(asked.value, rounds.capabilities)
      ? { kind: "asks", asked: { ...asked.value, state: `${RESUMED}${id}` } }
      : NOBODY;
  }
  const answers = await answersTo(asked.value, context);
  if (!answers.ok) return NOBODY;
  const updated = await host.request(
    aboutTask({ id, action: "update", answers: answers.value }),
    context,
    true,
  );
  for (const name of Object.keys(inputRequests)) answered.add(name);
  return updated.kind === "output" ? undefined : withoutFault(updated);
}

function unanswered(state: JsonObject, answered: ReadonlySet<string>): JsonObject | undefined {
  if (state.status !== "input_required" || !isRecord(state.inputRequests)) return undefined;
  const left = Object.entries(state.inputRequests).filter(([name]) => !answered.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

async function answersTo({ inquiries }: Asked, context: ToolContext): Promise<Result<JsonObject, undefined>> {
  const answers: [string, unknown][] = [];
  try {
    for (const [name, inquiry] of Object.entries(inquiries)) {
      answers.push([name, await answerWith(context, inquiry, context.signal)]);
    }
    return ok(Object.fromEntries(answers));
  } catch {
    return err(undefined);
  }
}

/** What a task came to; undefined while it goes on. */
function endOf(state: JsonObject): ToolResult | undefined {
  const { status, result, error, statusMessage } = state;
  const why = typeof statusMessage === "string" ? `: ${statusMessage}` : "";
  if (status === "cancelled") return failed(`the server gave the task up${why}`);
  if (status === "failed") {
    return failed(
      isRecord(error) ? `the server refused the call: ${error.message}` : `the task failed${why}`,
    );
  }
  if (status !== "completed") return undefined;
  return isRecord(result) ? callResult(result) : failed("the server sent a finished task without a result");
}

function resultOf(answer: JsonObject): ToolResult {
  const task = taskIn(answer);
  return task ? { kind: "task", task } : failed("the server sent an answer that is no task");
}

/** Nobody waits for it any more; whether the server hears of it makes no difference to the call. */
async function cancel(host: TaskHost, id: string, { callId, caller }: ToolContext): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await host.request(aboutTask({ id, action: "cancel" }), { callId, caller, signal, progress() {} }, false);
}

function pollMs({ pollIntervalMs }: JsonObject): number {
  const wanted = typeof pollIntervalMs === "number" ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.max(MIN_POLL_MS, Math.min(wanted, MAX_POLL_MS));
}

function failed(message: string): ToolResult {
  return { kind: "failed", message };
}

/** What a server says about a task is, to a caller that knows nothing of it, said about the tool, whose call has left. */
function withoutFault(result: ToolResult): ToolResult {
  if (result.kind === "unavailable") return { kind: "unavailable", message: result.message };
  if (result.kind !== "failed") return result;
  const { fault: _, ...rest } = result;
  return rest;
}

/** Whether somebody with these MCP client capabilities follows tasks. */
export function followsTasks(capabilities: JsonObject = {}): boolean {
  return isRecord(capabilities.extensions) && capabilities.extensions[TASKS] !== undefined;
}

export function withTasks(capabilities: JsonObject): JsonObject {
  const { extensions = {}, ...rest } = withoutTasks(capabilities);
  return { ...rest, extensions: { ...(extensions as JsonObject), [TASKS]: {} } };
}

/** Without this extension, and what there was in its place before. */
export function withoutTasks(capabilities: JsonObject): JsonObject {
  const { tasks: _, extensions, ...rest } = capabilities;
  if (!isRecord(extensions)) return rest;
  const { [TASKS]: __, ...others } = extensions;
  return { ...rest, extensions: others };
}

/** The task in an answer or in one about it; undefined where there is none. */
export function taskIn({ resultType: _, taskId, ...state }: JsonObject): Task | undefined {
  return typeof taskId === "string" && taskId !== "" && taskId.length <= MAX_ID_CHARS
    ? { id: taskId, state }
    : undefined;
}

/** Whether a server says that it runs something as a task or not at all. */
export function wantsTasks(fault: ProtocolFault | undefined): boolean {
  if (fault?.code !== MISSING_CAPABILITY || !isRecord(fault.data)) return false;
  const { requiredCapabilities } = fault.data;
  return isRecord(requiredCapabilities) && followsTasks(requiredCapabilities);
}
