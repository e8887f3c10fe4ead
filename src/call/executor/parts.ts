import type { FeatureParts } from "../../contract/feature.ts";
import { type CallRouteDeps, callRoutes } from "./routes.ts";
import { TABLES } from "./tables.ts";

export const parts: FeatureParts<CallRouteDeps> = {
  tables: TABLES,
  open: (needs) => ({ routes: callRoutes(needs) }),
};
