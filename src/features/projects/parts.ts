import type { FeatureParts } from "../../contract/feature.ts";
import type { Database } from "../../machine/db/database.ts";
import { projectNoteTools } from "./note-tools.ts";
import type { ProjectDeps } from "./project-deps.ts";
import { createProjects } from "./projects.ts";
import { projectTools } from "./projects-tools.ts";
import { projectRoutes } from "./routes.ts";
import { ProjectTables, TABLES } from "./tables.ts";
import { ticketTools } from "./ticket-tools.ts";

export interface ProjectNeeds extends Omit<ProjectDeps, "tables"> {
  readonly database: Database;
}

export const parts: FeatureParts<ProjectNeeds> = {
  tables: TABLES,
  toolboxes: {
    code: [
      ...["create_project", "list_projects", "get_project", "update_project", "delete_project"],
      ...["create_ticket", "list_tickets", "get_ticket", "update_ticket", "delete_ticket", "comment_ticket"],
      ...["add_project_note", "search_project_notes", "update_project_note", "delete_project_note"],
    ],
  },
  open({ database, ...needs }) {
    const projects = createProjects({ ...needs, tables: new ProjectTables(database) });
    return {
      tools: [...projectTools({ projects }), ...ticketTools({ projects }), ...projectNoteTools({ projects })],
      routes: projectRoutes(projects),
    };
  },
};
