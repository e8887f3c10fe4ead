import { secretsNamedIn } from "../../call/vault/placeholder.ts";
import type { Vault } from "../../call/vault/vault.ts";
import { coversHost, hostOf } from "../../lib/address/hosts-in.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { secretsInTheOpen } from "../../machine/config/masked.ts";
import type { OAuthConfig, ServerConfig } from "../../machine/config/settings.ts";

/** The secrets of the vault that a configuration names, as `{{secret:NAME}}` in a variable or header. */
export function secretsOfServer({ env, headers }: Pick<ServerConfig, "env" | "headers">): readonly string[] {
  return secretsNamedIn([env, headers]);
}

/**
 * A configuration to connect with: values in the place of the names. Only where a person named or approved the server
 * as it is, since whatever it is it will have them; a secret that is bound to hosts stays with those.
 */
export async function withSecrets(
  config: ServerConfig,
  personNamed: boolean,
  vault: Pick<Vault, "fill" | "list">,
): Promise<Result<ServerConfig, string>> {
  const names = secretsOfServer(config);
  if (names.length === 0) return ok(config);
  if (!personNamed)
    return err(`it uses secrets of the vault (${names.join(", ")}), for which a person has to approve it`);
  const host = config.url === null ? undefined : hostOf(config.url);
  const elsewhere = vault
    .list()
    .find(({ name, bindings: { hosts } }) => names.includes(name) && !goesTo(hosts, host));
  if (elsewhere) return err(`the secret ${elsewhere.name} is not bound to its host`);
  const env = await filled(config.env, vault);
  if (!env.ok) return env;
  const headers = await filled(config.headers, vault);
  return headers.ok ? ok({ ...config, env: env.value, headers: headers.value }) : headers;
}

function goesTo(hosts: readonly string[], host: string | undefined): boolean {
  return host === undefined || hosts.length === 0 || hosts.some((pattern) => coversHost(pattern, host));
}

async function filled(
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

/** What is no secret on its face: a word, a number, a path, an address without user or query. */
const PLAIN_VALUE = /^([a-z]+|[\d.,:]+|[~.]{0,2}\/.*|[a-z]:\\.*|https?:\/\/[^@?]*)$/i;

/**
 * The values that must not be shown anywhere. All headers count, and every variable but those that are plainly no
 * secret: hiding `production` or a folder's path would make holes in the output of every tool.
 */
export function secretValues(
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
  const values = [...variables, ...tokens, ...secretsInTheOpen(server), ...secretsOfOAuth(server.oauth)];
  // The name of a secret is none; its value is known as that of the vault.
  return [...new Set(values)].filter((value) => secretsNamedIn(value).length === 0);
}

/** A key counts line by line: whoever prints it may break or indent its lines in another way. */
function secretsOfOAuth(oauth: OAuthConfig | null): string[] {
  if (oauth === null) return [];
  const lines = oauth.privateKey?.split(/\s*\n\s*/).filter((line) => line !== "" && !line.includes("-----"));
  return [...(oauth.clientSecret ? [oauth.clientSecret] : []), ...(lines ?? [])];
}
