import type { FeatureParts } from "../../contract/feature.ts";
import { type ToolRouteDeps, toolRoutes } from "./routes.ts";

export const parts: FeatureParts<ToolRouteDeps> = {
  open: (needs) => ({ routes: toolRoutes(needs) }),
};
