import { randomBytes } from "node:crypto";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { AuditStore } from "./audit-store.ts";
import { ChainKey } from "./chain-code.ts";

export interface AuditKeyDeps {
  readonly store: Pick<AuditStore, "keys" | "addKey" | "replaceKey">;
  readonly seal: (plain: string, purpose: string) => Uint8Array;
  readonly unseal: (sealed: Uint8Array, purpose: string) => string;
  readonly clock: Clock;
}

/** What the vault seals it for; who gives the vault another key seals it again with this. */
export const AUDIT_KEY_PURPOSE = "audit-key";
const KEY_BYTES = 32;

/** So often another process may be faster with a key that cannot be opened here. */
const MAX_TRIES = 10;

/**
 * The key of the audit's codes, made on first need. It is kept sealed in the store and does not change with the vault's
 * key. Where the vault can open none, because its own key was lost or is a wrong one, another one is made beside those
 * that are there: with the right key again, the old one opens again.
 */
export async function openAuditKey(deps: AuditKeyDeps): Promise<ChainKey> {
  const { store, seal, clock } = deps;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const kept = await store.keys();
    const [first, ...others] = kept.flatMap(({ sealed }) => opened(sealed, deps) ?? []);
    if (first)
      return new ChainKey(
        first,
        others.map((bytes) => new ChainKey(bytes)),
      );
    const sealed = seal(randomBytes(KEY_BYTES).toString("base64"), AUDIT_KEY_PURPOSE);
    await store.addKey({ id: (kept.at(-1)?.id ?? 0) + 1, sealed }, clock());
  }
  throw new ToolkeepError("INTERNAL", "The key of the audit could be neither opened nor made.");
}

function opened(sealed: Uint8Array, { unseal }: AuditKeyDeps): Buffer | undefined {
  try {
    // Behind the key there may be a mark, see `AuditMark`.
    return Buffer.from(unseal(sealed, AUDIT_KEY_PURPOSE).split(" ", 1)[0]!, "base64");
  } catch {
    return undefined;
  }
}
