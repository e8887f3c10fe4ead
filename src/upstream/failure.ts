import { SdkHttpError, type Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../errors.ts";
import { StdioTransport } from "./stdio-transport.ts";

const MAX_MESSAGE_CHARS = 2000;

/** What went wrong with a connection, for people. Not redacted: a server may print anything. */
export function describeFailure(error: unknown, transport: Transport): string {
  const ending = endingOf(transport);
  if (ending !== undefined) return ending;
  const status = error instanceof SdkHttpError ? error.data.status : undefined;
  if (status === 401 || status === 403) return `authentication failed (HTTP ${status})`;
  if (status !== undefined) return `it answered with HTTP ${status}`;
  const cause = error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : "";
  return withStderr(`${messageOf(error)}${cause}`.slice(0, MAX_MESSAGE_CHARS), transport);
}

/** Why the transport itself says it ended. */
export function endingOf(transport: Transport): string | undefined {
  const ending = transport instanceof StdioTransport ? transport.ending : undefined;
  return ending && withStderr(ending, transport);
}

export function withStderr(reason: string, transport: Transport): string {
  const tail = transport instanceof StdioTransport ? transport.stderrTail.slice(-MAX_MESSAGE_CHARS) : "";
  return tail === "" ? reason : `${reason}; stderr: ${tail}`;
}
