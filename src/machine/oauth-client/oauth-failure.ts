import {
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../contract/errors.ts";
import { OAuthRefusal } from "./oauth.ts";

/** Why an authorization server gave no token. */
export interface OAuthFailure {
  /** For people; without secrets. */
  readonly reason: string;
  /** Asking again cannot help: something has to change first. */
  readonly isFinal: boolean;
  /** The refresh token is no longer accepted. */
  readonly isGrantGone: boolean;
  /** The authorization server no longer knows Toolkeep. */
  readonly isClientGone: boolean;
}

const MAX_REASON_CHARS = 300;

export function oauthFailure(error: unknown, redact: (text: string) => string): OAuthFailure {
  const code = error instanceof OAuthError ? String(error.code) : undefined;
  return {
    reason: oneLineOf(redact(reasonOf(error))),
    isFinal: code === undefined ? isContradiction(error) : !PASSING.has(code),
    isGrantGone: code === OAuthErrorCode.InvalidGrant,
    isClientGone: code === OAuthErrorCode.InvalidClient || code === OAuthErrorCode.UnauthorizedClient,
  };
}

/**
 * Errors by which an authorization server reports temporary trouble. The SDK uses the first one for answers that it
 * cannot read.
 */
const PASSING = new Set<string>([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

/** True if published or issued data is invalid. A retry would not help. */
function isContradiction(error: unknown): boolean {
  return error instanceof OAuthClientFlowError || error instanceof OAuthRefusal;
}

function reasonOf(error: unknown): string {
  if (error instanceof IssuerMismatchError) {
    // The received value is written by a stranger and not shown.
    return error.kind === "metadata"
      ? `the authorization server ${JSON.stringify(error.expected)} calls itself something else`
      : "the answer did not come from the authorization server that was asked";
  }
  if (error instanceof RegistrationRejectedError) {
    return `the authorization server does not let Toolkeep register itself (HTTP ${error.status}${registrationReason(error.body)})`;
  }
  if (error instanceof OAuthError) {
    const status = /^HTTP (\d{3}): Invalid OAuth error response/.exec(error.message)?.[1];
    if (status !== undefined) return `the authorization server answered with HTTP ${status}`;
    const said = error.message && error.message !== error.code ? `: ${error.message}` : "";
    return `the authorization server answered ${error.code}${said}`;
  }
  return withCause(error);
}

function registrationReason(body: string): string {
  try {
    const { error, error_description } = JSON.parse(body) as Record<string, unknown>;
    return [error, error_description]
      .filter((part) => typeof part === "string")
      .map((part) => `, ${part}`)
      .join("");
  } catch {
    return "";
  }
}

function withCause(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "there was no answer in time";
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return messageOf(error);
  return `${messageOf(error)} (${cause.message || String((cause as NodeJS.ErrnoException).code)})`;
}

/** Returns one line without terminal control characters, short enough for a message. */
export function oneLineOf(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").slice(0, MAX_REASON_CHARS);
}
