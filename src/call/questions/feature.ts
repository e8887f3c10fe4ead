import type { Feature } from "../../contract/feature.ts";
import type { QuestionRouteDeps } from "./routes.ts";

/** What agents ask of people and tell them. The hub opens the logic itself. */
export const questions: Feature<QuestionRouteDeps> = {
  name: "questions",
  load: async () => (await import("./parts.ts")).parts,
};
