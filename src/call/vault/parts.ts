import type { FeatureParts } from "../../contract/feature.ts";
import { type SecretRouteDeps, secretRoutes } from "./routes.ts";
import { TABLES } from "./tables.ts";

export const parts: FeatureParts<SecretRouteDeps> = {
  tables: TABLES,
  open: (needs) => ({ routes: secretRoutes(needs) }),
};
