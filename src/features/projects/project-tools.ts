import type { ToolSource } from "../../contract/tool.ts";
import { projectNoteTools } from "./note-tools.ts";
import { type ProjectToolDeps, projectTools } from "./projects-tools.ts";
import { ticketTools } from "./ticket-tools.ts";

/** Projects, tickets and notes as tools, for agents whose toolboxes give them. */
export function createProjectTools(deps: ProjectToolDeps): ToolSource {
  const tools = [...projectTools(deps), ...ticketTools(deps), ...projectNoteTools(deps)];
  return { name: "projects", tools: () => tools, onChange: () => () => {} };
}
