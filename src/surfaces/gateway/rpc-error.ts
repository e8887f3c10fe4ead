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
