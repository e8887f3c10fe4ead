import type { FeatureParts } from "../../contract/feature.ts";
import { toolUses } from "../search/tables.ts";
import { type ToolRouteDeps, toolRoutes } from "./routes.ts";

export const parts: FeatureParts<ToolRouteDeps> = {
  tables: [toolUses],
  open: (needs) => ({ routes: toolRoutes(needs) }),
};
