import type { FeatureParts } from "../../../contract/feature.ts";
import { type ToolboxRouteDeps, toolboxRoutes } from "./routes.ts";
import { toolboxes } from "./tables.ts";

export const parts: FeatureParts<ToolboxRouteDeps> = {
  tables: [toolboxes],
  open: (needs) => ({ routes: toolboxRoutes(needs) }),
};
