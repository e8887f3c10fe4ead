import type { Cleaning } from "../../contract/feature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ConsentTable } from "./consent-table.ts";
import type { Identity } from "./identity.ts";
import type { TokenTable } from "./tables.ts";

export interface TokenCleaningDeps {
  readonly tokens: TokenTable;
  readonly consents: ConsentTable;
  readonly identity: Pick<Identity, "reload">;
  /** How long tokens are kept after they expired; null: for ever. */
  readonly retentionMs: () => number | null;
  readonly clock: Clock;
}

/** Removes tokens and consents that ended long ago, also from memory. */
export function tokenCleaning({ tokens, consents, ...deps }: TokenCleaningDeps): readonly Cleaning[] {
  const remove = async (table: TokenTable | ConsentTable, limit: number) => {
    const retentionMs = deps.retentionMs();
    const count = retentionMs === null ? 0 : await table.prune(deps.clock() - retentionMs, limit);
    if (count > 0) await deps.identity.reload();
    return count;
  };
  return [
    { what: "tokens", remove: (limit) => remove(tokens, limit) },
    { what: "consents", remove: (limit) => remove(consents, limit) },
  ];
}
