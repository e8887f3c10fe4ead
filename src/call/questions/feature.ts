import type { Feature } from "../../contract/feature.ts";
import type { QuestionNeeds } from "./parts.ts";

/** What agents ask of people and tell them. The hub opens the logic itself. */
export const questions: Feature<QuestionNeeds> = {
  name: "questions",
  load: async () => (await import("./parts.ts")).parts,
};
