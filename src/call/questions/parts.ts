import type { FeatureParts } from "../../contract/feature.ts";
import { type QuestionRouteDeps, questionRoutes } from "./routes.ts";

export const parts: FeatureParts<QuestionRouteDeps> = {
  open: (needs) => ({ routes: questionRoutes(needs) }),
};
