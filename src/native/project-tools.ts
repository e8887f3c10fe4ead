import type { ToolSource } from "../tool.ts";
import { projectNoteTools } from "./project-notes.ts";
import { type ProjectToolDeps, projectTools } from "./projects.ts";
import { ticketTools } from "./tickets.ts";

/** Projects, tickets and notes as tools, for agents whose toolboxes give them. */
export function createProjectTools(deps: ProjectToolDeps): ToolSource {
  const tools = [...projectTools(deps), ...ticketTools(deps), ...projectNoteTools(deps)];
  return { name: "projects", tools: () => tools, onChange: () => () => {} };
}
