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
  const cause = rootCause(error);
  const reason = cause === error ? messageOf(error) : `${messageOf(error)} (${codeOrMessage(cause)})`;
  return withStderr(reason.slice(0, MAX_MESSAGE_CHARS), transport);
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

/** Libraries wrap what happened several times; the innermost says what it was. */
function rootCause(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth++)
    root = root.cause;
  return root;
}

/** An error over several addresses has a code and no message. */
function codeOrMessage(error: unknown): string {
  return messageOf(error) || String((error as NodeJS.ErrnoException).code ?? error);
}
