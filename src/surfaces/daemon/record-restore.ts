import { hostname } from "node:os";
import { type AuditKeyDeps, openAuditKey } from "../../call/audit/chain/audit-key.ts";
import { AuditMark } from "../../call/audit/chain/audit-mark.ts";
import { Chain } from "../../call/audit/chain/chain.ts";
import { readHead } from "../../call/audit/chain/head-file.ts";
import { loadKey } from "../../call/vault/keys/key.ts";
import { seal, unseal } from "../../call/vault/seal.ts";
import type { Clock } from "../../lib/clock.ts";
import { randomId } from "../../lib/id.ts";
import type { Store } from "../../machine/db/store.ts";

/**
 * Begins a new chain of the audit that says that a backup took the place of what was there, and how far that had come:
 * what is gone with it looks like what somebody cut off.
 */
export async function recordRestore(
  store: Pick<Store, "audit" | "dialect">,
  about: {
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly clock: Clock;
    /** When the backup was made, and by which version. */
    readonly backup: { readonly createdAt: number; readonly version: string };
  },
): Promise<void> {
  const { home, env, clock, backup } = about;
  const vaultKey = await loadKey({ home, env });
  const keyDeps: AuditKeyDeps = {
    store: store.audit,
    seal: (plain, purpose) => seal(plain, purpose, vaultKey),
    unseal: (sealed, purpose) => unseal(sealed, purpose, vaultKey),
    clock,
  };
  const key = await openAuditKey(keyDeps);
  const replaced = await readHead(home, key);
  const chain = new Chain(
    {
      ...{ store: store.audit, key, home, clock, newId: randomId },
      label: `${hostname()}:${home}`,
      alone: store.dialect === "sqlite",
      mark: new AuditMark(keyDeps),
      onProblem: (error) => {
        throw error;
      },
    },
    { reason: "restored", ...(replaced.kind === "head" && { head: replaced.head }) },
  );
  const { createdAt, version } = backup;
  const details = JSON.stringify({ backup: { createdAt, version } });
  await chain.append([
    { entry: { kind: "store.restored", at: clock(), actor: "operator", subject: null, details } },
  ]);
  await chain.settled();
}
