/** Describes servers as text. */
import { ago } from "../../../lib/terminal/ago.ts";
import { counted } from "../../../lib/terminal/counted.ts";
import { oneLine, printable } from "../../../lib/terminal/printable.ts";
import type { ServerFindings, ServerOffers, ServerView } from "../../api/contract.ts";
import { durationText } from "./duration.ts";

const MAX_LENGTH = 200;

/** The state in one or two words. A server whose last start failed counts as failed even while Toolkeep retries. */
export function formatState({ state, lastError }: ServerView): string {
  if (state === "unavailable") return "failed";
  return state === "connecting" && lastError !== null ? "failed, retrying" : formatStateName(state);
}

/** Why and when the last start failed, to put in front of a line; empty if it did not fail. */
export function formatFailure(server: ServerView): string {
  const { lastError, failedAt } = server;
  if (!formatState(server).startsWith("failed") || lastError === null) return "";
  const when = failedAt === null ? "" : ` ${ago(failedAt, Date.now())}`;
  return `failed${when}: ${shortenText(lastError)}; `;
}

/** Suggests what a person can do about the state of a server. Suggests only commands that work for this server. */
export function suggestNextStep(server: ServerView): string | undefined {
  const { name, state, lastError } = server;
  const hasAuthError = state === "unavailable" && lastError?.includes(`toolkeep server auth ${name}`);
  if (state === "needs_auth" || hasAuthError)
    return explainRefusedCredentials(server) ?? `sign in: toolkeep server auth ${name}`;
  if (state === "pending_approval") return `toolkeep server approve ${name}, or ${suggestRemoval(server)}`;
  if (state === "unavailable" || formatState(server) !== formatStateName(state)) return suggestRepair(server);
  return server.waiting > 0
    ? `${counted(server.waiting, "change")} waiting for review: toolkeep server changes ${name}`
    : undefined;
}

/** `server remove` and `server edit` refuse servers declared in a settings file. */
function suggestRemoval({ name, source }: ServerView): string {
  return source === "stored"
    ? `toolkeep server remove ${name}`
    : `remove it from the ${source} settings file`;
}

function suggestEdit({ name, source }: ServerView, what: string): string {
  return source === "stored"
    ? `toolkeep server edit ${name} ${what}`
    : `change it in the ${source} settings file`;
}

const MAX_FINDINGS = 5;

/** The suspicious findings in the definitions of a server's tools. */
export function formatFindings({ tools }: ServerFindings): string | null {
  const lines = tools.flatMap(({ tool, findings }) =>
    findings.map(({ kind, excerpt }) => `${tool} ${kind.replaceAll("_", " ")}: ${oneLine(excerpt)}`),
  );
  const more = lines.length > MAX_FINDINGS ? ` … and ${lines.length - MAX_FINDINGS} more` : "";
  return lines.length === 0 ? null : lines.slice(0, MAX_FINDINGS).join("; ") + more;
}

/** Says what to change if Toolkeep signs in by itself and was refused; undefined if a person signs in. */
export function explainRefusedCredentials(server: ServerView): string | undefined {
  const { oauth, lastError } = server;
  if (oauth?.grant !== "client_credentials") return undefined;
  const secret = oauth.hasPrivateKey ? "--oauth-private-key FILE" : "--oauth-client-secret";
  const why = lastError === null ? "" : ` (${trimAuthError(lastError)})`;
  return `its credentials were rejected${why}: ${suggestEdit(server, `--oauth-client-id ID ${secret}`)}`;
}

/** Removes the prefix and the advice from a sign-in error. */
function trimAuthError(error: string): string {
  return oneLine(error)
    .replace(/^authentication failed: /, "")
    .replace(/; sign in with: .*$/, "")
    .replace(/; check its oauth settings$/, "");
}

/** Suggests the logs only for local servers, since only a process writes logs. */
function suggestRepair(server: ServerView): string {
  const { name, transport } = server;
  const error = server.lastError ?? "";
  const isBadCommand =
    /^(the command .* (was not found|could not be started)|its folder .* does not exist)/.test(error);
  if (/^its sandbox /.test(error))
    return `install what is missing (see toolkeep doctor), or: ${suggestEdit(server, "--sandbox auto")}`;
  const isBadAddress = /^(the host .* was not found|it does not speak TLS)/.test(error);
  if (isBadCommand || isBadAddress) return `fix it: ${suggestEdit(server, "…")}`;
  return transport === "stdio"
    ? `see its logs: toolkeep server logs ${name}`
    : `try again: toolkeep server test ${name}`;
}

/** The first 200 characters, on one line. */
export function shortenText(text: string | null): string | null {
  if (text === null) return null;
  const line = oneLine(text);
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).trimEnd()}…`;
}

export function formatSignIn({ oauth }: ServerView): string | null {
  if (oauth === null) return null;
  const parts = [
    oauth.grant === "client_credentials" ? "automatically" : "by a person",
    oauth.clientId && `as ${oauth.clientId}`,
    oauth.hasSecret && "with a secret",
    oauth.hasPrivateKey && "with a private key",
    oauth.clientMetadataUrl && `described at ${oauth.clientMetadataUrl}`,
    oauth.scope && `for ${oauth.scope}`,
  ];
  return parts.filter(Boolean).join(", ");
}

export function formatTimeLimit({ timeoutMs, progressExtendsTimeout }: ServerView): string {
  return `${durationText(timeoutMs)}${progressExtendsTimeout ? ", restarted by each progress update" : ""}`;
}

/** The settings that differ from their defaults. */
export function listUnusualSettings(server: ServerView): [string, string][] {
  const { connect, keepAlive, retry, maxConcurrency, connectTimeoutMs } = server;
  const rows: [string, string, boolean][] = [
    ["connects", "at start", connect === "eager"],
    ["connect timeout", durationText(connectTimeoutMs), connectTimeoutMs !== 60_000],
    ["keep alive", "yes", keepAlive],
    ["retries", retry === "once" ? "any call, once" : "never", retry !== "safe"],
    ["concurrency", counted(maxConcurrency, "call"), maxConcurrency !== 64],
  ];
  return rows.filter(([, , isUnusual]) => isUnusual).map(([name, value]) => [name, value]);
}

export function formatOffers({ resources, resourceTemplates, prompts }: ServerOffers): string | null {
  const kinds = [
    resources.length > 0 && counted(resources.length, "resource"),
    resourceTemplates.length > 0 && counted(resourceTemplates.length, "resource template"),
    prompts.length > 0 && counted(prompts.length, "prompt"),
  ];
  return kinds.filter(Boolean).join(", ") || null;
}

export function formatStateName(state: string): string {
  return state.replaceAll("_", " ");
}

export function formatReach(server: ServerView): string {
  return server.url ?? [server.command, ...server.args].join(" ");
}

export function indentLines(text: string): string {
  return printable(text)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
