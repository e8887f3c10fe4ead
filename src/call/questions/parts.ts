import type { FeatureParts } from "../../contract/feature.ts";
import { type QuestionRouteDeps, questionRoutes } from "./routes.ts";
import { TABLES } from "./tables.ts";

export const parts: FeatureParts<QuestionRouteDeps> = {
  tables: TABLES,
  open: (needs) => ({ routes: questionRoutes(needs) }),
};
