import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../contract/errors.ts";
import { findNeedsAuthError } from "../auth/needs-auth-error.ts";
import { ANSWER_BROKEN_OFF, ANSWER_UNREADABLE } from "../transport/requests.ts";
import { StdioTransport } from "../transport/stdio-transport.ts";
import type { CallEnd } from "./call.ts";
import { InquiryRefusedError } from "./inquiries.ts";

const MAX_MESSAGE_CHARS = 2000;

type Redact = (text: string) => string;

/**
 * Describes for people why a connection failed. A server may print anything, so secrets are redacted before the text
 * is cut: half a secret would not be recognised.
 */
export function describeFailure(error: unknown, transport: Transport | undefined, redact: Redact): string {
  const ending = describeEnding(transport, redact);
  if (ending !== undefined) return ending;
  const refused = findNeedsAuthError(error);
  if (refused) return refused.detail;
  const status = getHttpStatus(error);
  if (status === 401 || status === 403) return `authentication failed (HTTP ${status})`;
  if (status !== undefined) return `it answered with HTTP ${status}`;
  return appendStderr(redact(describeReason(error)).slice(0, MAX_MESSAGE_CHARS), transport, redact);
}

/** Returns one line: messages of TLS libraries end with a line break. */
function describeReason(error: unknown): string {
  const cause = findRootCause(error);
  const knownCause = describeKnownCause(cause as NodeJS.ErrnoException);
  if (knownCause !== undefined) return knownCause;
  const message = toOneLine(messageOf(error)).replace(SDK_PREFIX, "");
  // The SDK may already have included the cause in its message.
  const causeText = toOneLine(describeCause(cause));
  return cause === error || message.includes(causeText) ? message : `${message} (${causeText})`;
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The SDK's name for its own step, which means nothing to the reader. */
const SDK_PREFIX = /^Version negotiation (?:probe )?failed: /;

function describeKnownCause(cause: NodeJS.ErrnoException & { hostname?: unknown }): string | undefined {
  if (cause?.code === "ENOTFOUND" && typeof cause.hostname === "string")
    return `the host ${cause.hostname} was not found`;
  const isPlain = ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"].includes(
    cause?.code ?? "",
  );
  return isPlain ? "it does not speak TLS there; should the address begin with http://?" : undefined;
}

/** The HTTP status of the answer that made a request fail. */
export function getHttpStatus(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.data.status : undefined;
}

/** Whether a network connection ended in the middle of a request. */
export function wasCutOff(error: unknown): boolean {
  const code = (findRootCause(error) as NodeJS.ErrnoException | undefined)?.code;
  return code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET";
}

/** The transport's own account of why it ended. */
export function describeEnding(transport: Transport | undefined, redact: Redact): string | undefined {
  const ending = transport instanceof StdioTransport ? transport.ending : undefined;
  return ending && appendStderr(redact(ending), transport, redact);
}

export function appendStderr(reason: string, transport: Transport | undefined, redact: Redact): string {
  const stderr = transport instanceof StdioTransport ? transport.stderrTail : "";
  const tail = redact(stderr).slice(-MAX_MESSAGE_CHARS);
  return tail === "" ? reason : `${reason}; stderr: ${tail}`;
}

/** Libraries wrap errors several times; the innermost one says what happened. */
function findRootCause(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth++)
    root = root.cause;
  return root;
}

/** An error that covers several addresses has a code but no message. */
function describeCause(error: unknown): string {
  return messageOf(error) || String((error as NodeJS.ErrnoException).code ?? error);
}

/** Errors that clients act on: they open a URL or declare more capabilities, then call again. */
const ACTIONABLE_CODES = [-32042, -32021];

/** The request that failed. */
interface FailedRequest {
  readonly transport: Transport;
  readonly redact: Redact;
  readonly method?: string | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** Turns a request's error into the end of its call. */
export function toCallEnd(error: unknown, { transport, redact, method, signal }: FailedRequest): CallEnd {
  if (signal?.aborted) return { kind: "failed", message: "the call was cancelled" };
  const refused = findNeedsAuthError(error);
  // The granted scopes still suffice for other calls.
  if (refused?.kind === "scope") return { kind: "failed", message: refused.message };
  if (refused) return { kind: "needs_auth", message: refused.detail };
  return (
    readServerRefusal(error, method) ??
    readHttpRefusal(error, transport, redact) ??
    toLostEnd(error, transport, redact)
  );
}

/** Recognises errors of a server that is reachable but refused the call or sent something unusable. */
function readServerRefusal(error: unknown, method: string | undefined): CallEnd | undefined {
  if (error instanceof ProtocolError) {
    if (error.data === ANSWER_BROKEN_OFF) return { kind: "lost", wasSent: true, message: error.message };
    if (error.data === ANSWER_UNREADABLE) return { kind: "failed", message: error.message };
    const { code, message, data } = error;
    // The model reads errors of tools; only clients use the codes of other errors.
    const isFault = method !== "tools/call" || ACTIONABLE_CODES.includes(code);
    const refusal = `the server refused the call: ${message}`;
    return { kind: "failed", message: refusal, ...(isFault ? { fault: { code, message, data } } : {}) };
  }
  if (error instanceof InquiryRefusedError) {
    return { kind: "failed", message: `the server asked back, but ${error.message}` };
  }
  if (!(error instanceof SdkError)) return undefined;
  switch (error.code) {
    case SdkErrorCode.InvalidResult:
      return {
        kind: "failed",
        message: `the server sent an answer that is not a tool result: ${error.message}`,
      };
    case SdkErrorCode.UnsupportedResultType:
      return {
        kind: "failed",
        message: `the server sent an answer of an unknown kind: ${error.message}`,
      };
    case SdkErrorCode.RequestTimeout:
      return { kind: "timed_out", message: "the server did not answer in time" };
    default:
      return undefined;
  }
}

function readHttpRefusal(error: unknown, transport: Transport, redact: Redact): CallEnd | undefined {
  if (!(error instanceof SdkHttpError)) return undefined;
  const { status } = error.data;
  if (status === undefined) return undefined;
  // The session is gone, so the call was not processed. MCP requires a new session.
  if (status === 404 && transport.sessionId !== undefined) {
    return { kind: "lost", wasSent: false, message: "its session was lost" };
  }
  if (status === 401) return { kind: "needs_auth", message: "authentication failed (HTTP 401)" };
  if (isUnknownMethod(error)) return { kind: "failed", message: NO_SUCH_METHOD, fault: UNKNOWN_METHOD };
  return { kind: "unavailable", message: describeFailure(error, transport, redact) };
}

const NO_SUCH_METHOD = "the server has no such method";
const UNKNOWN_METHOD = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };

function toLostEnd(error: unknown, transport: Transport, redact: Redact): CallEnd {
  return { kind: "lost", wasSent: !wasNeverSent(error), message: describeFailure(error, transport, redact) };
}

/** System calls that fail before a byte of the request is sent; open connections can fail too. */
const CONNECT_SYSCALLS = new Set(["connect", "getaddrinfo"]);

function wasNeverSent(error: unknown): boolean {
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
  return CONNECT_SYSCALLS.has(error.syscall ?? "");
}

/** `StdioTransport` sets this if no complete line of the message can have left. */
function isUnsent(data: unknown): boolean {
  return data === "unsent";
}

/** Whether the server says that the method is unknown; since 2026-07-28 HTTP servers do so with status 404. */
export function isUnknownMethod(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === ProtocolErrorCode.MethodNotFound;
  if (!(error instanceof SdkHttpError) || error.data.status !== 404) return false;
  return parseErrorCode(error.data.text) === ProtocolErrorCode.MethodNotFound;
}

function parseErrorCode(body: unknown): unknown {
  try {
    return JSON.parse(String(body))?.error?.code;
  } catch {
    return undefined;
  }
}
