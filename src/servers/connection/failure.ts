import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ToolResult } from "../../contract/tool.ts";
import { needsAuth } from "../auth/needs-auth-error.ts";
import { BROKEN_OFF, UNREADABLE } from "../direct-requests.ts";
import { describeFailure } from "../failure.ts";
import { isUnknownMethod } from "../unknown-method.ts";
import { InquiryRefused } from "./inquiries.ts";

type Redact = (text: string) => string;

/** Errors on which a client acts: it opens addresses, or says that it can be asked more, then calls again. */
const ACTED_ON = [-32042, -32021];

/** The request that failed. */
interface Failed {
  readonly transport: Transport;
  readonly redact: Redact;
  readonly method?: string | undefined;
  readonly stop?: { readonly aborted: boolean } | undefined;
}

/** How a call over a connection ended: with a result, or with the connection. */
export type CallEnd =
  | ToolResult
  | {
      /** The transport failed. `sent` is false only where the server certainly never got the call. */
      readonly kind: "lost";
      readonly sent: boolean;
      readonly message: string;
    }
  | { readonly kind: "needs_auth"; readonly message: string };

export function callFailure(error: unknown, { transport, redact, method, stop }: Failed): CallEnd {
  if (stop?.aborted) return { kind: "failed", message: "the call was cancelled" };
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
