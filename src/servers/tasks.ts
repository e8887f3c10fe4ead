import type { ProtocolFault, Task } from "../contract/tool.ts";
import { isRecord } from "../lib/json.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The extension of 2026-07-28 by which a server may answer a call with work that goes on. */
export const TASKS = "io.modelcontextprotocol/tasks";
const MISSING_CAPABILITY = -32021;
const MAX_ID_CHARS = 4096;

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
