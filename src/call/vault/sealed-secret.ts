import { isDeepStrictEqual } from "node:util";
import { ToolkeepError } from "../../contract/errors.ts";
import { UNBOUND } from "./bindings.ts";
import type { SecretBindings, SecretRecord, SecretSource } from "./contract.ts";
import { plainSecret, sealedFor } from "./purpose.ts";
import type { Sealing } from "./sealing.ts";

/** What is sealed together, so that whoever can write to the store cannot turn one secret into another kind of it. */
export interface SecretTerms {
  /** The value, or where it is. */
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
 * Throws SECRET_UNREADABLE, also where the row says something else than what was sealed. One that was sealed before
 * there were bindings `isOld`, and is what it was then, whatever its row says now: a value, and bound to nothing.
 */
export function openSecret(
  record: SecretRecord,
  sealing: Pick<Sealing, "unseal">,
): SecretTerms & { readonly isOld: boolean } {
  const { name, sealed, source, bindings, setBy } = record;
  const old = openedAsOld(record, sealing);
  if (old !== undefined) {
    if (source !== "value") throw altered(name);
    return { plain: old, source, bindings: UNBOUND, setBy, isOld: true };
  }
  const terms = JSON.parse(sealing.unseal(sealed, sealedFor.secret(name))) as SecretTerms;
  const isAsSealed =
    terms.source === source && terms.setBy === setBy && isDeepStrictEqual(terms.bindings, bindings);
  if (!isAsSealed) throw altered(name);
  return { ...terms, isOld: false };
}

function openedAsOld({ name, sealed }: SecretRecord, sealing: Pick<Sealing, "unseal">): string | undefined {
  try {
    return sealing.unseal(sealed, plainSecret(name));
  } catch {
    return undefined;
  }
}

function altered(name: string): ToolkeepError {
  return new ToolkeepError(
    "SECRET_UNREADABLE",
    `The secret ${name} cannot be used: its source, its bindings or who set it were altered in the database. Set it anew.`,
  );
}
