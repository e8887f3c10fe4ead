import { ToolkeepError } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { plainSecret, sealedFor } from "../purpose.ts";
import { seal, unseal } from "../seal.ts";
import type { SecretTable, VaultKeyTable } from "../tables.ts";

const PURPOSE = sealedFor.key("");

/**
 * Checks that the values of the store were sealed with this key, with a sealed value that is stored for this purpose. The
 * first key that comes counts, unless there are secrets and it opens none of them. Throws KEY_INVALID for another key:
 * with it, this process could not read what other processes seal, and they could not read what it seals.
 */
export async function checkKey(
  store: { readonly vaultKey: VaultKeyTable; readonly secrets: SecretTable },
  key: Buffer,
  clock: Clock,
): Promise<void> {
  let kept = await store.vaultKey.get();
  if (kept === undefined) {
    const secrets = await store.secrets.list();
    const opened = secrets.filter(({ name, sealed }) =>
      [sealedFor.secret(name), plainSecret(name)].some((purpose) => isSealedWith(key, sealed, purpose)),
    );
    if (secrets.length > 0 && opened.length === 0) return;
    kept = await store.vaultKey.claim(seal("toolkeep", PURPOSE, key), clock());
  }
  if (!isSealedWith(key, kept, PURPOSE)) throw otherKey();
}

function isSealedWith(key: Buffer, sealed: Uint8Array, purpose: string): boolean {
  try {
    unseal(sealed, purpose, key);
    return true;
  } catch {
    return false;
  }
}

function otherKey(): ToolkeepError {
  return new ToolkeepError(
    "KEY_INVALID",
    "The secrets in this database were sealed with another key than the one this daemon has; every daemon on one database needs the same key.",
    {
      remedy:
        "Set TOOLKEEP_KEY to the key of the other daemons, or copy the file key of the home that was used first. If that key is lost for good, docs/store.md says how to begin with a new one.",
    },
  );
}
