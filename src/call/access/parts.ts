import type { FeatureParts } from "../../contract/feature.ts";
import type { AccessDeps } from "./effective-tools.ts";
import { accessRoutes } from "./routes.ts";

export const parts: FeatureParts<AccessDeps> = { open: (deps) => ({ routes: accessRoutes(deps) }) };
