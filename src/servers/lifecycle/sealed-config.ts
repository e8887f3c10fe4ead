import type { Vault } from "../../call/vault/vault.ts";
import { messageOf } from "../../contract/errors.ts";
import { maskArgs, maskUrl, secretsInTheOpen } from "../../machine/config/masked.ts";
import type { ServerFields } from "../../machine/config/sections/server-config.ts";
import type { OAuthConfig, ServerConfig } from "../../machine/config/settings.ts";
import type { ServerRecord } from "../records.ts";
import { configPurpose } from "../tables/servers.ts";

/** The parts of a configuration that are stored sealed. */
interface SealedFields {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: Pick<OAuthConfig, "clientSecret" | "privateKey">;
  /** The complete list, if any argument contains a secret. */
  readonly args?: readonly string[];
  readonly url?: string;
}

/** Seals a configuration's secrets for storage; the keys of env and headers stay readable. */
export function toStoredForm(id: string, config: ServerConfig, vault: Pick<Vault, "seal">) {
  const { name: _name, source: _source, enabled, env, headers, ...others } = config;
  const secrets = collectSecrets(config);
  const plain = {
    ...others,
    oauth: others.oauth && { ...others.oauth, clientSecret: null, privateKey: null },
    ...(secrets.args && { args: maskArgs(secrets.args) }),
    ...(secrets.url && { url: maskUrl(secrets.url) }),
  };
  const envKeys = Object.keys(env);
  const headerKeys = Object.keys(headers);
  const isPlain = envKeys.length + headerKeys.length === 0 && Object.keys(secrets).length === 2;
  const sealed = isPlain ? null : vault.seal(JSON.stringify(secrets), configPurpose(id));
  return { config: plain, sealed, envKeys, headerKeys, enabled };
}

/** Returns the sealed fields, to be merged over the stored ones. */
export function unsealSecrets(
  record: ServerRecord,
  vault: Pick<Vault, "unseal">,
): { readonly fields: ServerFields; readonly problem?: string } {
  const none = { env: {}, headers: {} };
  if (record.sealed === null) return { fields: none };
  try {
    const { oauth, ...fields } = JSON.parse(
      vault.unseal(record.sealed, configPurpose(record.id)),
    ) as SealedFields;
    const open = record.config?.oauth as OAuthConfig | null | undefined;
    return { fields: open && oauth ? { ...fields, oauth: { ...open, ...oauth } } : fields };
  } catch (error) {
    return { fields: none, problem: `its env and header values cannot be read: ${messageOf(error)}` };
  }
}

function collectSecrets({ env, headers, oauth, args, url }: ServerConfig): SealedFields {
  const hasAny = (part: Pick<ServerConfig, "args" | "url">) => secretsInTheOpen(part).length > 0;
  return {
    env,
    headers,
    ...((oauth?.clientSecret || oauth?.privateKey) && {
      oauth: { clientSecret: oauth.clientSecret, privateKey: oauth.privateKey },
    }),
    ...(hasAny({ args, url: null }) && { args }),
    ...(url !== null && hasAny({ args: [], url }) && { url }),
  };
}
