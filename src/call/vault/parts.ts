import type { FeatureParts } from "../../contract/feature.ts";
import { type SecretRouteDeps, secretRoutes } from "./routes.ts";

export const parts: FeatureParts<SecretRouteDeps> = {
  open: (needs) => ({ routes: secretRoutes(needs) }),
};
