/** A server in words. */
import type { ServerOffers, ServerView } from "../api/contract.ts";
import { counted } from "./counted.ts";
import { durationText } from "./duration.ts";

/** What a person can do about the state a server is in. */
export function nextStep({ name, state }: ServerView): string | undefined {
  if (state === "needs_auth") return `sign in: toolkeep server auth ${name}`;
  if (state === "pending_approval")
    return `toolkeep server approve ${name}, or toolkeep server remove ${name}`;
  return state === "unavailable" ? `see what it wrote: toolkeep server logs ${name}` : undefined;
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
