/** A server in words. */

import { ago } from "../../../lib/terminal/ago.ts";
import { counted } from "../../../lib/terminal/counted.ts";
import { oneLine, printable } from "../../../lib/terminal/printable.ts";
import type { ServerFindings, ServerOffers, ServerView } from "../../api/contract.ts";
import { durationText } from "./duration.ts";

const MOST_SHOWN = 200;

/** The state in one or two words. A server whose last start failed is failed, also while it is tried again. */
export function stateText({ state, lastError }: ServerView): string {
  if (state === "unavailable") return "failed";
  return state === "connecting" && lastError !== null ? "failed, retrying" : spoken(state);
}

/** Why the last start failed and how long ago, as the beginning of a line; empty where it did not. */
export function failureText(server: ServerView): string {
  const { lastError, failedAt } = server;
  if (!stateText(server).startsWith("failed") || lastError === null) return "";
  const when = failedAt === null ? "" : ` ${ago(failedAt, Date.now())}`;
  return `failed${when}: ${beginning(lastError)}; `;
}

/** What a person can do about the state a server is in. Names only commands that this server takes. */
export function nextStep(server: ServerView): string | undefined {
  const { name, state, lastError } = server;
  const isLocked = state === "unavailable" && lastError?.includes(`toolkeep server auth ${name}`);
  if (state === "needs_auth" || isLocked)
    return credentialsRefused(server) ?? `sign in: toolkeep server auth ${name}`;
  if (state === "pending_approval") return `toolkeep server approve ${name}, or ${takeOut(server)}`;
  if (state === "unavailable" || stateText(server) !== spoken(state)) return repair(server);
  return server.waiting > 0
    ? `${counted(server.waiting, "change")} wait for you: toolkeep server changes ${name}`
    : undefined;
}

/** `server remove` and `server edit` refuse a server that a settings file declares. */
function takeOut({ name, source }: ServerView): string {
  return source === "stored"
    ? `toolkeep server remove ${name}`
    : `take it out of the ${source} settings file`;
}

function edit({ name, source }: ServerView, what: string): string {
  return source === "stored"
    ? `toolkeep server edit ${name} ${what}`
    : `change it in the ${source} settings file`;
}

const MOST_FINDINGS = 5;

/** What was found in what the server says of itself. */
export function lookAt({ tools }: ServerFindings): string | null {
  const lines = tools.flatMap(({ tool, findings }) =>
    findings.map(({ kind, excerpt }) => `${tool} ${kind.replaceAll("_", " ")}: ${oneLine(excerpt)}`),
  );
  const more = lines.length > MOST_FINDINGS ? ` … and ${lines.length - MOST_FINDINGS} more` : "";
  return lines.length === 0 ? null : lines.slice(0, MOST_FINDINGS).join("; ") + more;
}

/** Where nobody can sign in, because Toolkeep does so by itself, what to change instead. */
export function credentialsRefused(server: ServerView): string | undefined {
  const { oauth, lastError } = server;
  if (oauth?.grant !== "client_credentials") return undefined;
  const secret = oauth.hasPrivateKey ? "--oauth-private-key FILE" : "--oauth-client-secret";
  const why = lastError === null ? "" : ` (${reasonOf(lastError)})`;
  return `its credentials were refused${why}: ${edit(server, `--oauth-client-id ID ${secret}`)}`;
}

/** Without what an error of signing in begins with and advises. */
function reasonOf(error: string): string {
  return oneLine(error)
    .replace(/^authentication failed: /, "")
    .replace(/; sign in with: .*$/, "")
    .replace(/; check its oauth settings$/, "");
}

/** Logs only hold something where a process ran. */
function repair(server: ServerView): string {
  const { name, transport } = server;
  const error = server.lastError ?? "";
  const isWrong = /^(the command .* (was not found|could not be started)|its folder .* does not exist)/.test(
    error,
  );
  if (/^its sandbox /.test(error))
    return `install what is missing, or: ${edit(server, "--sandbox auto")} (toolkeep doctor says more)`;
  const isElsewhere = /^(the host .* was not found|it does not speak TLS)/.test(error);
  if (isWrong || isElsewhere) return `correct it: ${edit(server, "…")}`;
  return transport === "stdio"
    ? `see what it wrote: toolkeep server logs ${name}`
    : `try again: toolkeep server test ${name}`;
}

/** The beginning, on one line. */
export function beginning(text: string | null): string | null {
  if (text === null) return null;
  const line = oneLine(text);
  return line.length <= MOST_SHOWN ? line : `${line.slice(0, MOST_SHOWN).trimEnd()}…`;
}

export function signIn({ oauth }: ServerView): string | null {
  if (oauth === null) return null;
  const parts = [
    oauth.grant === "client_credentials" ? "by itself" : "a person does",
    oauth.clientId && `as ${oauth.clientId}`,
    oauth.hasSecret && "with a secret",
    oauth.hasPrivateKey && "with a private key",
    oauth.clientMetadataUrl && `described at ${oauth.clientMetadataUrl}`,
    oauth.scope && `for ${oauth.scope}`,
  ];
  return parts.filter(Boolean).join(", ");
}

export function timeLimit({ timeoutMs, progressExtendsTimeout }: ServerView): string {
  return `${durationText(timeoutMs)}${progressExtendsTimeout ? ", again with each progress update" : ""}`;
}

/** What is not as it is for most servers. */
export function unusual(server: ServerView): [string, string][] {
  const { connect, keepAlive, retry, maxConcurrency, connectTimeoutMs } = server;
  const rows: [string, string, boolean][] = [
    ["connects", "at the start", connect === "eager"],
    ["connect limit", durationText(connectTimeoutMs), connectTimeoutMs !== 60_000],
    ["keeps running", "without calls too", keepAlive],
    ["retries", retry === "once" ? "any call, once" : "never", retry !== "safe"],
    ["at once", counted(maxConcurrency, "call"), maxConcurrency !== 64],
  ];
  return rows.filter(([, , isUnusual]) => isUnusual).map(([name, value]) => [name, value]);
}

export function alsoOffers({ resources, resourceTemplates, prompts }: ServerOffers): string | null {
  const kinds = [
    resources.length > 0 && counted(resources.length, "resource"),
    resourceTemplates.length > 0 && counted(resourceTemplates.length, "resource template"),
    prompts.length > 0 && counted(prompts.length, "prompt"),
  ];
  return kinds.filter(Boolean).join(", ") || null;
}

export function spoken(state: string): string {
  return state.replaceAll("_", " ");
}

export function reach(server: ServerView): string {
  return server.url ?? [server.command, ...server.args].join(" ");
}

export function indented(text: string): string {
  return printable(text)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
