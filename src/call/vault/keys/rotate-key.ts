import { ToolkeepError } from "../../../contract/errors.ts";
import type { Resealed } from "../../../machine/db/reseal.ts";
import type { Store } from "../../../machine/db/store.ts";
import { plainSecret, purposeOf } from "../purpose.ts";
import type { Sealing } from "../sealing.ts";
import { finishNextKey, type KeyOptions, writeNextKey } from "./key.ts";

export interface RotateDeps extends KeyOptions {
  readonly store: Pick<Store, "dialect" | "reseal">;
  readonly sealing: Sealing;
}

/**
 * Seals everything in the store with a new key. Both keys are on disk until this is done, so that after a crash at any
 * moment everything can be read; the next start finishes the rotation. Throws BAD_REQUEST if the key is not this home's to
 * change.
 */
export async function rotateKey(deps: RotateDeps): Promise<Resealed> {
  if (deps.env.TOOLKEEP_KEY?.trim() || deps.store.dialect === "postgres") throw notOurKey(deps);
  deps.sealing.change(await writeNextKey(deps));
  const done = await resealStore(deps);
  // Again, for values that were sealed with the old key and not yet stored when the new key came.
  await resealStore(deps);
  await finishNextKey(deps);
  return done;
}

/** Finishes a rotation that a start finds half done, or that TOOLKEEP_KEY_BEFORE asks for. */
export async function finishRotation(deps: RotateDeps): Promise<Resealed> {
  const done = await resealStore(deps);
  if (!deps.env.TOOLKEEP_KEY?.trim()) await finishNextKey(deps);
  return done;
}

function resealStore({ store, sealing }: RotateDeps): Promise<Resealed> {
  return store.reseal((sealed, kind, key) => {
    const anew = sealing.reseal(sealed, purposeOf(kind, key));
    // A secret from before there were bindings keeps its form; the vault reseals it with bindings when it reads it.
    return anew ?? (kind === "secret" ? sealing.reseal(sealed, plainSecret(key)) : undefined);
  });
}

function notOurKey({ store }: RotateDeps): ToolkeepError {
  const why =
    store.dialect === "postgres"
      ? "The daemons on one database share a key, and none of them can give the others a new one."
      : "The key comes from TOOLKEEP_KEY, which only whoever sets it can change.";
  return new ToolkeepError("BAD_REQUEST", why, {
    remedy:
      "Stop every daemon, then start one with the new key in TOOLKEEP_KEY and the old one in TOOLKEEP_KEY_BEFORE; docs/vault.md says how.",
  });
}
