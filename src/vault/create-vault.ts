import type { Clock } from "../lib/clock.ts";
import type { SecretStore } from "../store/store.ts";
import { Redaction } from "./redaction.ts";
import { seal, unseal } from "./seal.ts";
import type { SecretInfo, Vault } from "./vault.ts";

export interface VaultOptions {
  readonly store: SecretStore;
  /** 32 bytes, see `loadKey`. */
  readonly key: Buffer;
  readonly clock: Clock;
  /** A stored secret that this key does not open; it is left out and stays in the store. */
  readonly onUnreadable?: (name: string, error: unknown) => void;
}

/** Reads every secret into memory. */
export async function createVault({ store, key, clock, onUnreadable }: VaultOptions): Promise<Vault> {
  let secrets = new Map<string, Secret>();
  const redaction = new Redaction();

  const remember = (secret: Secret) => {
    secrets.set(secret.name, secret);
    redaction.add(secret.value);
  };

  const reload = async () => {
    const stored = await store.list();
    secrets = new Map();
    for (const { sealed, ...info } of stored) {
      try {
        remember({ ...info, value: unseal(sealed, purposeOf(info.name), key) });
      } catch (error) {
        onUnreadable?.(info.name, error);
      }
    }
  };
  await reload();

  return {
    reload,
    seal: (plain, purpose) => seal(plain, purpose, key),
    unseal: (sealed, purpose) => unseal(sealed, purpose, key),

    async put(name, value, setBy = null) {
      // Before it is stored: a failure to store must not print it either.
      redaction.add(value);
      const now = clock();
      const info = { name, createdAt: secrets.get(name)?.createdAt ?? now, updatedAt: now, setBy };
      await store.put({ ...info, sealed: seal(value, purposeOf(name), key) });
      remember({ ...info, value });
    },

    get: (name) => secrets.get(name)?.value,
    names: () => [...secrets.keys()].sort(),
    list: () => [...secrets.keys()].sort().map((name) => infoOf(secrets.get(name)!)),

    async delete(name) {
      await store.delete(name);
      // Its value stays redacted: it may still be valid elsewhere.
      secrets.delete(name);
    },

    conceal: (value, series) => redaction.add(value, series),
    redact: (text) => redaction.apply(text),
  };
}

interface Secret extends SecretInfo {
  readonly value: string;
}

function infoOf({ name, createdAt, updatedAt, setBy }: Secret): SecretInfo {
  return { name, createdAt, updatedAt, setBy };
}

const purposeOf = (name: string) => `secret:${name}`;
