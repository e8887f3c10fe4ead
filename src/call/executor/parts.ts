import type { FeatureParts } from "../../contract/feature.ts";
import { type CallRouteDeps, callRoutes } from "./routes.ts";

export const parts: FeatureParts<CallRouteDeps> = {
  open: (needs) => ({ routes: callRoutes(needs) }),
};
