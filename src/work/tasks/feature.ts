import type { Feature } from "../../contract/feature.ts";
import { taskCommand } from "./commands.ts";
import type { TaskNeeds } from "./parts.ts";

/** Tasks that agents give to their sub-agents, and what these report. */
export const tasks: Feature<TaskNeeds> = {
  name: "tasks",
  commands: [taskCommand],
  load: async () => (await import("./parts.ts")).parts,
};
