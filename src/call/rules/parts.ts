import type { FeatureParts } from "../../contract/feature.ts";
import { type ApprovalRouteDeps, approvalRoutes } from "./approvals/routes.ts";
import { type RuleRouteDeps, ruleRoutes } from "./routes.ts";
import { TABLES } from "./tables.ts";

export type RuleNeeds = RuleRouteDeps & ApprovalRouteDeps;

export const parts: FeatureParts<RuleNeeds> = {
  tables: TABLES,
  open: (needs) => ({ routes: [...ruleRoutes(needs), ...approvalRoutes(needs)] }),
};
