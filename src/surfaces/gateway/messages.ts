import type { ServerResponse } from "node:http";
import { isRecord } from "../../lib/json.ts";

/**
 * Words of MCP that the gateway needs. They are the SDK's constants, which a test compares: the SDK itself is not
 * loaded to serve clients, because its schemas would be most of what a resting daemon needs.
 */

export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

export const MODERN_VERSION = "2026-07-28";
/** Latest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** What the `Mcp-Name` header repeats of the body, so that what stands between can tell requests apart. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Set by `toolkeep stdio`, whose clients have no headers to repeat parameters in, and write only where the settings let them. */
export const RELAY_HEADER = "toolkeep-relay";

/** Codes of JSON-RPC 2.0 and of MCP; `refused` is the first of the range that JSON-RPC leaves to servers. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
  sessionNotFound: -32001,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export type RequestId = string | number;

/** An error as JSON-RPC puts it. */
export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A whole HTTP answer, ready to be written. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RpcErrorOptions {
  readonly id?: RequestId | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** An HTTP answer whose body is a JSON-RPC error, for what goes wrong before a message can be dispatched. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  options: RpcErrorOptions = {},
): HttpAnswer {
  const fault = { code, message, ...(options.data && { data: options.data }) };
  return {
    status,
    headers: { "content-type": "application/json", ...options.headers },
    body: errorText(options.id ?? null, fault),
  };
}

/** A JSON-RPC answer with an error. */
export function errorText(id: RequestId | null, fault: RpcFault): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: fault });
}

/** A JSON-RPC answer around a result that is JSON already. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** The error of a request whose parameters are wrong; `message` says what was expected. */
export function invalidParams(message: string): RpcFault {
  return { code: RPC.invalidParams, message: `Invalid params: ${message}` };
}

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
