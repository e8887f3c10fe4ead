import { ProtocolError, ProtocolErrorCode, SdkHttpError } from "@modelcontextprotocol/client";

/** Whether a server says that it has no such method; over HTTP, since 2026-07-28, it says so with status 404. */
export function isUnknownMethod(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === ProtocolErrorCode.MethodNotFound;
  if (!(error instanceof SdkHttpError) || error.data.status !== 404) return false;
  return codeIn(error.data.text) === ProtocolErrorCode.MethodNotFound;
}

function codeIn(body: unknown): unknown {
  try {
    return JSON.parse(String(body))?.error?.code;
  } catch {
    return undefined;
  }
}
