import type { FeatureParts } from "../../contract/feature.ts";
import { type ClientRouteDeps, clientRoutes } from "./routes.ts";

export const parts: FeatureParts<ClientRouteDeps> = {
  open: (needs) => ({ routes: clientRoutes(needs) }),
};
