import type { Feature } from "../../contract/feature.ts";
import { projectCommand, ticketCommand } from "./commands.ts";
import type { ProjectNeeds } from "./parts.ts";

/** Projects with their tickets and notes, which agents and people share. */
export const projects: Feature<ProjectNeeds> = {
  name: "projects",
  commands: [projectCommand, ticketCommand],
  load: async () => (await import("./parts.ts")).parts,
};
