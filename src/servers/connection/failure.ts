import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../contract/errors.ts";
import { needsAuth } from "../auth/needs-auth-error.ts";
import { BROKEN_OFF, UNREADABLE } from "../transport/requests.ts";
import { StdioTransport } from "../transport/stdio-transport.ts";
import type { CallEnd } from "./call.ts";
import { InquiryRefused } from "./inquiries.ts";

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

/** Errors on which a client acts: it opens addresses, or says that it can be asked more, then calls again. */
const ACTED_ON = [-32042, -32021];

/** The request that failed. */
interface Failed {
  readonly transport: Transport;
  readonly redact: Redact;
  readonly method?: string | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** What an error of a request means for the call it was made for. */
export function callFailure(error: unknown, { transport, redact, method, signal }: Failed): CallEnd {
  if (signal?.aborted) return { kind: "failed", message: "the call was cancelled" };
  const refused = needsAuth(error);
  // What was granted does for other calls.
  if (refused?.kind === "scope") return { kind: "failed", message: refused.message };
  if (refused) return { kind: "needs_auth", message: refused.detail };
  return (
    refusedByServer(error, method) ??
    refusedByHttp(error, transport, redact) ??
    lost(error, transport, redact)
  );
}

/** The server is there and said no, or something we cannot use. */
function refusedByServer(error: unknown, method: string | undefined): CallEnd | undefined {
  if (error instanceof ProtocolError) {
    if (error.data === BROKEN_OFF) return { kind: "lost", sent: true, message: error.message };
    if (error.data === UNREADABLE) return { kind: "failed", message: error.message };
    const { code, message, data } = error;
    // What went wrong with a tool is for the model to read; of everything else only clients make use.
    const isFault = method !== "tools/call" || ACTED_ON.includes(code);
    const said = `the server refused the call: ${message}`;
    return { kind: "failed", message: said, ...(isFault ? { fault: { code, message, data } } : {}) };
  }
  if (error instanceof InquiryRefused) {
    return { kind: "failed", message: `the server asked back, but ${error.message}` };
  }
  if (!(error instanceof SdkError)) return undefined;
  switch (error.code) {
    case SdkErrorCode.InvalidResult:
      return {
        kind: "failed",
        message: `the server sent an answer that is no tool result: ${error.message}`,
      };
    case SdkErrorCode.UnsupportedResultType:
      return {
        kind: "failed",
        message: `the server sent a kind of answer that is not known: ${error.message}`,
      };
    case SdkErrorCode.RequestTimeout:
      return { kind: "timed_out", message: "the server did not answer in time" };
    default:
      return undefined;
  }
}

function refusedByHttp(error: unknown, transport: Transport, redact: Redact): CallEnd | undefined {
  if (!(error instanceof SdkHttpError)) return undefined;
  const { status } = error.data;
  if (status === undefined) return undefined;
  // The session is gone, so the call was not looked at: the protocol asks for a new session.
  if (status === 404 && transport.sessionId !== undefined) {
    return { kind: "lost", sent: false, message: "its session was lost" };
  }
  if (status === 401) return { kind: "needs_auth", message: "authentication failed (HTTP 401)" };
  if (isUnknownMethod(error)) return { kind: "failed", message: NO_SUCH_METHOD, fault: UNKNOWN_METHOD };
  return { kind: "unavailable", message: describeFailure(error, transport, redact) };
}

const NO_SUCH_METHOD = "the server has no such method";
const UNKNOWN_METHOD = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };

function lost(error: unknown, transport: Transport, redact: Redact): CallEnd {
  return { kind: "lost", sent: !neverLeft(error), message: describeFailure(error, transport, redact) };
}

/** What an error is about when it comes before a byte of the request was sent; established connections fail too. */
const CONNECTING = new Set(["connect", "getaddrinfo"]);

function neverLeft(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < 10 && cause instanceof Error; depth++) {
    if (cause instanceof SdkError && cause.code === SdkErrorCode.NotConnected) return true;
    if (cause instanceof SdkError && cause.code === SdkErrorCode.SendFailed) return isUnsent(cause.data);
    if (hasNotConnected(cause)) return true;
    cause = cause.cause;
  }
  return false;
}

function hasNotConnected(error: NodeJS.ErrnoException): boolean {
  if (error.code === "UND_ERR_CONNECT_TIMEOUT") return true;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(hasNotConnected);
  return CONNECTING.has(error.syscall ?? "");
}

/** How `StdioTransport` says that not a whole line of the message can have left. */
function isUnsent(data: unknown): boolean {
  return data === "unsent";
}

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
