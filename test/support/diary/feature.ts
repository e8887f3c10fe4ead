import type { Feature } from "../../../src/contract/feature.ts";
import { diaryCommand } from "./commands.ts";
import type { DiaryNeeds } from "./diary.ts";

/** A diary: the feature that AGENTS.md shows how to add. */
export const diary: Feature<DiaryNeeds> = {
  name: "diary",
  commands: [diaryCommand],
  load: async () => (await import("./parts.ts")).parts,
};
