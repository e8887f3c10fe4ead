import { SdkHttpError, type Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../contract/errors.ts";
import { needsAuth } from "./auth/needs-auth-error.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";

const MAX_MESSAGE_CHARS = 2000;

type Redact = (text: string) => string;

/**
 * What went wrong with a connection, for people. A server may print anything, so secrets are taken out, before the
 * text is cut: half a secret would not be known as one.
 */
export function describeFailure(error: unknown, transport: Transport | undefined, redact: Redact): string {
  const ending = endingOf(transport, redact);
  if (ending !== undefined) return ending;
  const refused = needsAuth(error);
  if (refused) return refused.detail;
  const status = httpStatusOf(error);
  if (status === 401 || status === 403) return `authentication failed (HTTP ${status})`;
  if (status !== undefined) return `it answered with HTTP ${status}`;
  return withStderr(redact(reasonOf(error)).slice(0, MAX_MESSAGE_CHARS), transport, redact);
}

/** On one line: TLS libraries end theirs with a line break. */
function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  const known = knownReason(cause as NodeJS.ErrnoException);
  if (known !== undefined) return known;
  const message = oneLine(messageOf(error)).replace(SDK_PREFIX, "");
  // The SDK may have put the cause into its message already.
  const said = oneLine(codeOrMessage(cause));
  return cause === error || message.includes(said) ? message : `${message} (${said})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What the SDK was about when it failed; nobody asked it to. */
const SDK_PREFIX = /^Version negotiation (?:probe )?failed: /;

function knownReason(cause: NodeJS.ErrnoException & { hostname?: unknown }): string | undefined {
  if (cause?.code === "ENOTFOUND" && typeof cause.hostname === "string")
    return `the host ${cause.hostname} was not found`;
  const isPlain = ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"].includes(
    cause?.code ?? "",
  );
  return isPlain ? "it does not speak TLS there; should the address begin with http://?" : undefined;
}

/** Of the answer that a request failed with. */
export function httpStatusOf(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.data.status : undefined;
}

/** Whether a connection over the network ended in the middle of a request. */
export function wasCutOff(error: unknown): boolean {
  const code = (rootCause(error) as NodeJS.ErrnoException | undefined)?.code;
  return code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET";
}

/** Why the transport itself says it ended. */
export function endingOf(transport: Transport | undefined, redact: Redact): string | undefined {
  const ending = transport instanceof StdioTransport ? transport.ending : undefined;
  return ending && withStderr(redact(ending), transport, redact);
}

export function withStderr(reason: string, transport: Transport | undefined, redact: Redact): string {
  const stderr = transport instanceof StdioTransport ? transport.stderrTail : "";
  const tail = redact(stderr).slice(-MAX_MESSAGE_CHARS);
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
