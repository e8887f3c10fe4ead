import type { FeatureParts } from "../../../contract/feature.ts";
import { type ToolboxRouteDeps, toolboxRoutes } from "./routes.ts";

export const parts: FeatureParts<ToolboxRouteDeps> = {
  open: (needs) => ({ routes: toolboxRoutes(needs) }),
};
