/** Codes of JSON-RPC 2.0; `refused` is the first of the range that it leaves to servers. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  internalError: -32603,
  refused: -32000,
  sessionNotFound: -32001,
} as const;

export interface RpcErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** An HTTP answer whose body is a JSON-RPC error, for what goes wrong before a message can be dispatched. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  options: RpcErrorOptions = {},
): Response {
  const error = { code, message, ...(options.data && { data: options.data }) };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status, headers: { ...options.headers } });
}
