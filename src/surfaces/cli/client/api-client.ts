import { ERRORS, type ErrorCode, ToolkeepError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Sends requests to `/api`: over HTTP to a running daemon, or to a hub opened in this process. Both answer with
 * the same routes, so a command never knows which it has.
 */
export interface ApiClient {
  /** Rejects with the ToolkeepError that the API answered, or with the signal's reason. */
  send<T>(method: Method, path: string, body?: unknown, options?: { signal?: AbortSignal }): Promise<T>;
  /** Ends everything the client opened. */
  close(): Promise<void>;
}

/** The value of an answer, or the error it holds, thrown. */
export function readAnswer<T>(status: number, body: string): T {
  const value = parsed(body);
  if (status >= 200 && status < 300) return value as T;
  const error = isRecord(value) && isRecord(value.error) ? value.error : {};
  throw new ToolkeepError(
    knownCode(error.code),
    String(error.message ?? `the daemon answered with status ${status}`),
    {
      ...(isRecord(error.details) ? { details: error.details } : {}),
      ...(typeof error.remedy === "string" ? { remedy: error.remedy } : {}),
    },
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function knownCode(code: unknown): ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "INTERNAL";
}
