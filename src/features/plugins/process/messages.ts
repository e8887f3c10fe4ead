import type { Progress } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";

/** Messages to a plugin's process. */
export type HostMessage =
  | { readonly type: "load"; readonly plugin: string; readonly folder: string; readonly entry: string }
  | {
      readonly type: "call";
      readonly id: number;
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly workspace: string | null;
      readonly secrets: Readonly<Record<string, string>>;
      readonly agent: string;
    }
  | { readonly type: "cancel"; readonly id: number };

/** Messages from a plugin's process. */
export type PluginMessage =
  | { readonly type: "ready"; readonly tools: readonly unknown[] }
  | { readonly type: "failed"; readonly message: string }
  /** Acknowledges that a call was cancelled. */
  | { readonly type: "stopping"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly update: Progress }
  | { readonly type: "result"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly message: string };

const MAX_MESSAGE = 10_000;

/** Undefined for an invalid message: the plugin can write anything to its pipe. */
export function readMessage(line: string): PluginMessage | undefined {
  const message = parseJson(line);
  if (!isRecord(message)) return undefined;
  const { type, id } = message;
  if (type === "ready") return Array.isArray(message.tools) ? { type, tools: message.tools } : undefined;
  if (type === "failed") return { type, message: readText(message.message) };
  if (typeof id !== "number") return undefined;
  switch (type) {
    case "stopping":
      return { type, id };
    case "progress":
      return { type, id, update: readProgress(message) };
    case "result":
      return { type, id, value: message.value };
    case "error":
      return { type, id, message: readText(message.message) };
    default:
      return undefined;
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readProgress({ progress, total, message }: Record<string, unknown>): Progress {
  return {
    progress: typeof progress === "number" ? progress : 0,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message: message.slice(0, MAX_MESSAGE) }),
  };
}

function readText(value: unknown): string {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_MESSAGE) : "no reason given";
}
