import type { ServerResponse } from "node:http";
import { isRecord } from "../../lib/json.ts";

/**
 * MCP constants that the gateway needs. A test compares them with the SDK's. The SDK itself is not loaded to serve
 * clients, because its schemas would take most of an idle daemon's memory.
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

/** The body field that the `Mcp-Name` header repeats, so that intermediaries can tell requests apart. */
export const NAME_FIELDS: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Set by `toolkeep stdio`. Its clients cannot repeat parameters in headers, and may write only if the settings allow it. */
export const RELAY_HEADER = "toolkeep-relay";

/** Codes of JSON-RPC 2.0 and MCP; `refused` is the first of the range that JSON-RPC reserves for servers. */
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

/** A JSON-RPC error object. */
export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A complete HTTP answer, ready to be written. */
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

/** An HTTP answer with a JSON-RPC error, for failures before a message can be dispatched. */
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
    body: formatError(options.id ?? null, fault),
  };
}

/** Formats a JSON-RPC error response. */
export function formatError(id: RequestId | null, fault: RpcFault): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: fault });
}

/** Formats a JSON-RPC response around a result that is already JSON. */
export function formatResult(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** The error for wrong parameters; `message` says what was expected. */
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

/** A client's response to a request of ours. */
export interface RpcResponse {
  readonly kind: "response";
  readonly id: RequestId;
  /** Absent if the client responded with an error. */
  readonly result?: Params;
  readonly error?: unknown;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** How messages arrived over HTTP. */
export interface Arrival {
  readonly res: ServerResponse;
  readonly isBatch: boolean;
  /** Whether the client accepts an event stream as the answer. */
  readonly acceptsStream: boolean;
}

/** MCP's log levels, least important first. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Parses a body as a message; undefined if it is none. */
export function parseMessage(body: unknown): RpcMessage | undefined {
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
export function readId(body: unknown): RequestId | null {
  return isRecord(body) && isId(body.id) ? body.id : null;
}

export function readMeta(params: Params): Params {
  return isRecord(params._meta) ? params._meta : {};
}

/** The token under which a client wants progress reported. */
export function readProgressToken(params: Params): RequestId | undefined {
  const token = readMeta(params).progressToken;
  return isId(token) ? token : undefined;
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
