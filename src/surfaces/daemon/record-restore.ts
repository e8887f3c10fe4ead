import { hostname } from "node:os";
import { type AuditKeyDeps, openAuditKey } from "../../call/audit/chain/audit-key.ts";
import { AuditMark } from "../../call/audit/chain/audit-mark.ts";
import { auditStore } from "../../call/audit/chain/audit-table.ts";
import { Chain } from "../../call/audit/chain/chain.ts";
import { readHead } from "../../call/audit/chain/head-file.ts";
import { loadKey } from "../../call/vault/keys/key.ts";
import { seal, unseal } from "../../call/vault/seal.ts";
import type { Clock } from "../../lib/clock.ts";
import { randomId } from "../../lib/id.ts";
import type { Store } from "../../machine/db/store.ts";

/**
 * Starts a new audit chain that records that a backup replaced the store, and how far the old chain had come. Without
 * this record, the replaced entries would look as if somebody had cut them off.
 */
export async function recordRestore(
  store: Pick<Store, "database" | "dialect">,
  about: {
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly clock: Clock;
    /** The time and the Toolkeep version of the backup. */
    readonly backup: { readonly createdAt: number; readonly version: string };
  },
): Promise<void> {
  const { home, env, clock, backup } = about;
  const vaultKey = await loadKey({ home, env });
  const keyDeps: AuditKeyDeps = {
    store: auditStore(store.database),
    seal: (plain, purpose) => seal(plain, purpose, vaultKey),
    unseal: (sealed, purpose) => unseal(sealed, purpose, vaultKey),
    clock,
  };
  const key = await openAuditKey(keyDeps);
  const replaced = await readHead(home, key);
  const chain = new Chain(
    {
      ...{ store: auditStore(store.database), key, home, clock, newId: randomId },
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
