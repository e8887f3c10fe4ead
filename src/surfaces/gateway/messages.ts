import type { ServerResponse } from "node:http";
import { isRecord } from "../../lib/json.ts";
import type { RequestId } from "./rpc-error.ts";

export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: Params;
}

/** What a client says to something that it was asked. */
export interface RpcResponse {
  readonly kind: "response";
  readonly id: RequestId;
  /** Absent: it answered with an error. */
  readonly result?: Params;
  readonly error?: unknown;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** How messages came in over HTTP. */
export interface Arrival {
  readonly res: ServerResponse;
  readonly isBatch: boolean;
  /** Whether the client takes a stream of events for an answer. */
  readonly takesStream: boolean;
}

/** Of log messages, least important first. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** A parsed body as the message that it is; undefined where it is none. */
export function messageOf(body: unknown): RpcMessage | undefined {
  if (!isRecord(body) || body.jsonrpc !== "2.0") return undefined;
  const { id, method } = body;
  if (typeof method === "string") {
    if (body.params !== undefined && !isRecord(body.params)) return undefined;
    const params = body.params ?? {};
    if (id === undefined) return { kind: "notification", method, params };
    return isId(id) ? { kind: "request", id, method, params } : undefined;
  }
  if (!isId(id) || method !== undefined) return undefined;
  if (isRecord(body.result)) return { kind: "response", id, result: body.result };
  return "error" in body ? { kind: "response", id, error: body.error } : undefined;
}

/** The id that an error about this body must carry. */
export function idOf(body: unknown): RequestId | null {
  return isRecord(body) && isId(body.id) ? body.id : null;
}

export function metaOf(params: Params): Params {
  return isRecord(params._meta) ? params._meta : {};
}

/** What a client wants its progress reported under. */
export function progressTokenOf(params: Params): RequestId | undefined {
  const token = metaOf(params).progressToken;
  return isId(token) ? token : undefined;
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
