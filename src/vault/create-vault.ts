import type { Clock } from "../lib/clock.ts";
import type { SecretStore } from "../store/store.ts";
import { Redaction } from "./redaction.ts";
import { seal, unseal } from "./seal.ts";
import type { Vault } from "./vault.ts";

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
  let secrets = new Map<string, string>();
  const redaction = new Redaction();

  const remember = (name: string, value: string) => {
    secrets.set(name, value);
    redaction.add(value);
  };

  const reload = async () => {
    const stored = await store.list();
    secrets = new Map();
    for (const { name, sealed } of stored) {
      try {
        remember(name, unseal(sealed, purposeOf(name), key));
      } catch (error) {
        onUnreadable?.(name, error);
      }
    }
  };
  await reload();

  return {
    reload,
    seal: (plain, purpose) => seal(plain, purpose, key),
    unseal: (sealed, purpose) => unseal(sealed, purpose, key),

    async put(name, value) {
      // Before it is stored: a failure to store must not print it either.
      redaction.add(value);
      const now = clock();
      await store.put({ name, sealed: seal(value, purposeOf(name), key), createdAt: now, updatedAt: now });
      remember(name, value);
    },

    get: (name) => secrets.get(name),
    names: () => [...secrets.keys()].sort(),

    async delete(name) {
      await store.delete(name);
      // Its value stays redacted: it may still be valid elsewhere.
      secrets.delete(name);
    },

    conceal: (value, series) => redaction.add(value, series),
    redact: (text) => redaction.apply(text),
  };
}

const purposeOf = (name: string) => `secret:${name}`;
