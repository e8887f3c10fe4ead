import type { Progress } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";

/** What a plugin's process is told. */
export type ToPlugin =
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

/** What it may say. */
export type FromPlugin =
  | { readonly type: "ready"; readonly tools: readonly unknown[] }
  | { readonly type: "failed"; readonly message: string }
  /** It has heard that a call is to stop. */
  | { readonly type: "stopping"; readonly id: number }
  | { readonly type: "progress"; readonly id: number; readonly update: Progress }
  | { readonly type: "result"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly message: string };

const MAX_MESSAGE = 10_000;

/** Undefined for what is no message: the plugin can write to its pipe whatever it likes. */
export function readMessage(line: string): FromPlugin | undefined {
  const sent = parsed(line);
  if (!isRecord(sent)) return undefined;
  const { type, id } = sent;
  if (type === "ready") return Array.isArray(sent.tools) ? { type, tools: sent.tools } : undefined;
  if (type === "failed") return { type, message: textOf(sent.message) };
  if (typeof id !== "number") return undefined;
  switch (type) {
    case "stopping":
      return { type, id };
    case "progress":
      return { type, id, update: progressOf(sent) };
    case "result":
      return { type, id, value: sent.value };
    case "error":
      return { type, id, message: textOf(sent.message) };
    default:
      return undefined;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function progressOf({ progress, total, message }: Record<string, unknown>): Progress {
  return {
    progress: typeof progress === "number" ? progress : 0,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message: message.slice(0, MAX_MESSAGE) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_MESSAGE) : "it did not say why";
}
