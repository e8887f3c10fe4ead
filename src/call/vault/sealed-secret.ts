import { isDeepStrictEqual } from "node:util";
import { ToolkeepError } from "../../contract/errors.ts";
import { UNBOUND } from "./bindings.ts";
import type { SecretBindings, SecretRecord, SecretSource } from "./contract.ts";
import { plainSecret, sealedFor } from "./purpose.ts";
import type { Sealing } from "./sealing.ts";

/** What is sealed together, so that somebody who can write to the database cannot change the terms of a secret. */
export interface SecretTerms {
  /** The value, or where it is read. */
  readonly plain: string;
  readonly source: SecretSource;
  readonly bindings: SecretBindings;
  readonly setBy: string | null;
}

export function sealSecret(name: string, terms: SecretTerms, sealing: Pick<Sealing, "seal">): Uint8Array {
  const { plain, source, bindings, setBy } = terms;
  return sealing.seal(JSON.stringify({ plain, source, bindings, setBy }), sealedFor.secret(name));
}

/**
 * Throws SECRET_UNREADABLE, also if the row differs from what was sealed. A secret that was sealed before there were
 * bindings `isOld`: it is a value and bound to no tool, whatever its row says now.
 */
export function openSecret(
  record: SecretRecord,
  sealing: Pick<Sealing, "unseal">,
): SecretTerms & { readonly isOld: boolean } {
  const { name, sealed, source, bindings, setBy } = record;
  const old = openOld(record, sealing);
  if (old !== undefined) {
    if (source !== "value") throw alteredError(name);
    return { plain: old, source, bindings: UNBOUND, setBy, isOld: true };
  }
  const terms = JSON.parse(sealing.unseal(sealed, sealedFor.secret(name))) as SecretTerms;
  const isAsSealed =
    terms.source === source && terms.setBy === setBy && isDeepStrictEqual(terms.bindings, bindings);
  if (!isAsSealed) throw alteredError(name);
  return { ...terms, isOld: false };
}

function openOld({ name, sealed }: SecretRecord, sealing: Pick<Sealing, "unseal">): string | undefined {
  try {
    return sealing.unseal(sealed, plainSecret(name));
  } catch {
    return undefined;
  }
}

function alteredError(name: string): ToolkeepError {
  return new ToolkeepError(
    "SECRET_UNREADABLE",
    `The secret ${name} cannot be used: its source, its bindings or who set it were altered in the database. Set it anew.`,
  );
}
