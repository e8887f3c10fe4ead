import { secretsNamedIn } from "../../call/vault/placeholder.ts";
import type { Vault } from "../../call/vault/vault.ts";
import { coversHost, hostOf } from "../../lib/address/hosts-in.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { secretsInTheOpen } from "../../machine/config/masked.ts";
import type { OAuthConfig, ServerConfig } from "../../machine/config/settings.ts";

/** The names of vault secrets that a configuration uses, as `{{secret:NAME}}` in a variable or header. */
export function listServerSecrets({
  env,
  headers,
}: Pick<ServerConfig, "env" | "headers">): readonly string[] {
  return secretsNamedIn([env, headers]);
}

/**
 * Replaces the names of secrets by their values. Fails unless a person named or approved the server as it is, because
 * whatever runs there receives the values; a secret bound to hosts is only sent to those.
 */
export async function fillSecrets(
  config: ServerConfig,
  isPersonNamed: boolean,
  vault: Pick<Vault, "fill" | "list">,
): Promise<Result<ServerConfig, string>> {
  const names = listServerSecrets(config);
  if (names.length === 0) return ok(config);
  if (!isPersonNamed)
    return err(`it uses secrets of the vault (${names.join(", ")}), for which a person has to approve it`);
  const host = config.url === null ? undefined : hostOf(config.url);
  const misbound = vault
    .list()
    .find(({ name, bindings: { hosts } }) => names.includes(name) && !isBoundTo(hosts, host));
  if (misbound) return err(`the secret ${misbound.name} is not bound to its host`);
  const env = await fillAll(config.env, vault);
  if (!env.ok) return env;
  const headers = await fillAll(config.headers, vault);
  return headers.ok ? ok({ ...config, env: env.value, headers: headers.value }) : headers;
}

function isBoundTo(hosts: readonly string[], host: string | undefined): boolean {
  return host === undefined || hosts.length === 0 || hosts.some((pattern) => coversHost(pattern, host));
}

async function fillAll(
  texts: Readonly<Record<string, string>>,
  vault: Pick<Vault, "fill">,
): Promise<Result<Record<string, string>, string>> {
  const values: [string, string][] = [];
  for (const [key, text] of Object.entries(texts)) {
    const value = await vault.fill(text);
    if (!value.ok) return value;
    values.push([key, value.value]);
  }
  return ok(Object.fromEntries(values));
}

const SECRET_KEY = /key|token|secret|pass|auth|cred|cookie|session|private|signature/i;

/** Values that are evidently no secret: a word, a number, a path, a URL without user or query. */
const PLAIN_VALUE = /^([a-z]+|[\d.,:]+|[~.]{0,2}\/.*|[a-z]:\\.*|https?:\/\/[^@?]*)$/i;

/**
 * The values that must not be shown anywhere: all headers, and every variable that may be secret. Hiding `production`
 * or a folder's path would punch holes in the output of every tool.
 */
export function collectSecretValues(
  server: Pick<ServerConfig, "env" | "headers" | "args" | "url" | "oauth">,
): string[] {
  const { env, headers } = server;
  const variables = Object.entries(env)
    .filter(([key, value]) => SECRET_KEY.test(key) || !PLAIN_VALUE.test(value))
    .map(([, value]) => value);
  const tokens = Object.values(headers).flatMap((value) => [
    value,
    value.replace(/^(bearer|basic|token)\s+/i, ""),
  ]);
  const values = [...variables, ...tokens, ...secretsInTheOpen(server), ...listOAuthSecrets(server.oauth)];
  // A placeholder is not secret; the vault knows and redacts the value itself.
  return [...new Set(values)].filter((value) => secretsNamedIn(value).length === 0);
}

/** Splits a key into lines, because a program that prints it may wrap or indent the lines differently. */
function listOAuthSecrets(oauth: OAuthConfig | null): string[] {
  if (oauth === null) return [];
  const lines = oauth.privateKey?.split(/\s*\n\s*/).filter((line) => line !== "" && !line.includes("-----"));
  return [...(oauth.clientSecret ? [oauth.clientSecret] : []), ...(lines ?? [])];
}
