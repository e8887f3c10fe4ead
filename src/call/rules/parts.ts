import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import { type ApprovalRouteDeps, approvalRoutes } from "./approvals/routes.ts";
import { CONTENT_LABELS_KEPT_MS } from "./content-labels.ts";
import { LABELS_KEPT_MS } from "./labels.ts";
import { type RuleRouteDeps, ruleRoutes } from "./routes.ts";
import { ClaimTable, ContentLabelTable, LabelTable, RuleTable, TABLES } from "./tables.ts";

export interface RuleNeeds extends RuleRouteDeps, ApprovalRouteDeps {
  readonly database: Database;
  readonly identity: RuleRouteDeps["identity"];
  readonly ruleBook: RuleRouteDeps["ruleBook"];
  readonly watchdog: RuleRouteDeps["watchdog"];
}

export const parts: FeatureParts<RuleNeeds> = {
  tables: TABLES,
  open(needs) {
    const { database, clock } = needs;
    const clean = (what: string, table: { prune: RuleTable["prune"] }, keptMs: number) => ({
      what,
      remove: (limit: number) => table.prune(clock() - keptMs, limit),
    });
    return {
      routes: [...ruleRoutes(needs), ...approvalRoutes(needs)],
      cleaning: [
        clean("claims", new ClaimTable(database), 0),
        clean("rules", new RuleTable(database), 0),
        clean("labels", new LabelTable(database), LABELS_KEPT_MS),
        clean("contentLabels", new ContentLabelTable(database), CONTENT_LABELS_KEPT_MS),
      ],
    };
  },
};
