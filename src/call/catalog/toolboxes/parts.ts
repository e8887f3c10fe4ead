import type { FeatureParts } from "../../../contract/feature.ts";
import { type ToolboxRouteDeps, toolboxRoutes } from "./routes.ts";
import { toolboxes } from "./tables.ts";
import { type ToolboxToolsDeps, toolboxTools } from "./toolbox-tools.ts";

export type ToolboxNeeds = ToolboxRouteDeps & ToolboxToolsDeps;

export const parts: FeatureParts<ToolboxNeeds> = {
  tables: [toolboxes],
  open: (needs) => ({ tools: toolboxTools(needs), routes: toolboxRoutes(needs) }),
};
