import type { ServerConfig } from "../../machine/config/settings.ts";
import { readClientTls } from "../../machine/net/client-tls.ts";
import { createGuardedFetch, type GuardedFetch } from "../../machine/net/guarded-fetch.ts";

export interface ServerFetchOptions {
  readonly config: ServerConfig;
  /** Whether a person named the server's address; only then may it be in a private network. */
  readonly personNamed: boolean;
  /** Hosts in private networks that may be reached all the same. */
  readonly allowHosts: () => readonly string[];
  readonly maxBytes: number;
}

/**
 * The only `fetch` for requests to a remote server and to whatever addresses it names. The client certificate is
 * shown to the server's own host alone. Rejects when its files cannot be read.
 */
export async function openServerFetch(options: ServerFetchOptions): Promise<GuardedFetch> {
  const { config, personNamed, allowHosts, maxBytes } = options;
  const { hostname } = new URL(config.url!);
  const own = personNamed ? [hostname] : [];
  const tls = config.tls && (await readClientTls(config.tls));
  if (tls && !tls.ok) throw new Error(tls.error);
  return createGuardedFetch({
    trustedHosts: () => new Set([...own, ...allowHosts()]),
    maxBytes,
    ...(tls ? { tls: { ...tls.value, hosts: new Set([hostname]) } } : {}),
  });
}
