import { ok } from "../../lib/result.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { createEmbedder, type EmbedderDeps } from "../../machine/text/meaning/create-embedder.ts";
import type { Embedder } from "../../machine/text/meaning/embedder.ts";
import { secretsNamedIn } from "../vault/placeholder.ts";
import type { Vault } from "../vault/vault.ts";

export interface OpenEmbedderDeps extends Omit<EmbedderDeps, "settings" | "key"> {
  readonly settings: () => Settings;
  readonly vault: Pick<Vault, "fill" | "conceal">;
}

/** The embedder that the settings name. Its API key may be a secret of the vault. The caller has to close it. */
export function openEmbedder({ settings, vault, ...deps }: OpenEmbedderDeps): Embedder {
  return createEmbedder({ ...deps, settings: settings().embeddings, key: () => readKey(settings(), vault) });
}

async function readKey({ embeddings: { apiKey } }: Settings, vault: OpenEmbedderDeps["vault"]) {
  if (apiKey === null) return ok(null);
  // A key that stands in the settings is never shown either.
  if (secretsNamedIn(apiKey).length === 0) vault.conceal(apiKey);
  return vault.fill(apiKey);
}
