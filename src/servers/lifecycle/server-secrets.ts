import { secretsNamedIn } from "../../call/vault/placeholder.ts";
import { coversHost, hostOf } from "../../lib/address/hosts-in.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import type { Vault } from "../../vault/vault.ts";

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
