import type { FeatureParts } from "../../contract/feature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Database } from "../../machine/db/database.ts";
import { activations, activationTable } from "./tables.ts";

export interface ConversationNeeds {
  readonly database: Database;
  readonly clock: Clock;
}

/** A conversation that was idle for longer finds its tools again by searching. */
const ACTIVATIONS_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

export const parts: FeatureParts<ConversationNeeds> = {
  tables: [activations],
  open: ({ database, clock }) => ({
    cleaning: [
      {
        what: "activations",
        remove: (limit) => activationTable(database).prune(clock() - ACTIVATIONS_KEPT_MS, limit),
      },
    ],
  }),
};
