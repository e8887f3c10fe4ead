import type { Caller } from "../../contract/caller.ts";
import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, PAGE_PROPERTIES, type PageArgs, pageRequest } from "../../machine/db/query/paging.ts";
import type { ProjectRecord } from "../../machine/db/tables/work/project-record.ts";
import { LONGEST } from "./limits.ts";
import type { ProjectChange, Projects, ProjectView } from "./projects.ts";

export interface ProjectToolDeps {
  readonly projects: Projects;
}

const DOMAIN = { domain: "projects", scope: "tools" } as const;
const READS = { readOnly: true, concurrencySafe: true } as const;
const STATUSES: readonly ProjectRecord["status"][] = ["active", "archived"];

export const PROJECT = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "The project: its key (such as TK), its id, or its name.",
} as const;
export const REVISION = {
  type: "integer",
  minimum: 1,
  description:
    "The revision that you read. Given, the change is refused when somebody else changed it since.",
} as const;
const NAME = {
  type: "string",
  minLength: 1,
  maxLength: LONGEST.name,
  description: "What it is called.",
} as const;
const DESCRIPTION = {
  type: "string",
  maxLength: LONGEST.description,
  description: "What it is about, as Markdown.",
} as const;

/** Agents are known by their id; what a person does at the command line is nobody's. */
export function authorOf({ operator, agentId }: Caller): string | null {
  return operator ? null : agentId;
}

export function projectTools({ projects }: ProjectToolDeps): readonly Tool[] {
  return [
    defineGranted<{ readonly name: string; readonly key?: string; readonly description?: string }>({
      ...DOMAIN,
      name: "create_project",
      title: "Create a project",
      description:
        "Create a project, which holds tickets and notes that every agent with the project tools shares. Look with list_projects first whether there is one already.",
      properties: {
        name: NAME,
        key: {
          type: "string",
          minLength: 2,
          maxLength: LONGEST.key,
          description:
            "2 to 10 letters and digits that tickets are named after: TK makes TK-1, TK-2 … Never changes. Left out, it is made from the name.",
        },
        description: DESCRIPTION,
      },
      required: ["name"],
      async run(args, { caller }) {
        const project = await projects.create(args, authorOf(caller));
        return output(
          `Created project ${project.key} (${project.name}). Add tickets with create_ticket and notes with add_project_note.`,
          { project: shownProject(project) },
          { wrote: [project.id] },
        );
      },
    }),

    defineGranted<PageArgs & { readonly status?: ProjectRecord["status"] }>({
      ...DOMAIN,
      name: "list_projects",
      title: "List the projects",
      description: "List the projects with how many of their tickets are unfinished, by key.",
      properties: {
        status: { enum: STATUSES, description: "Only those that are active, or only archived ones." },
        ...PAGE_PROPERTIES,
      },
      required: [],
      flags: READS,
      async run({ status, ...page }) {
        const request = pageRequest(page);
        const found = await projects.list({ ...request, ...(status && { status }) });
        const none = status
          ? `No project is ${status}.`
          : "There is no project yet; create_project makes one.";
        const shown = found.items.map(({ description: _, ...project }) => shownProject(project));
        const gave = found.items.map(({ id }) => id);
        return outputPage(found, request.offset, { line: projectLine, none }, { projects: shown }, { gave });
      },
    }),

    defineGranted<{ readonly project: string }>({
      ...DOMAIN,
      name: "get_project",
      title: "Show a project",
      description: "Show a project: its description, how many tickets it has in each status, how many notes.",
      properties: { project: PROJECT },
      required: ["project"],
      flags: READS,
      async run({ project: name }) {
        const project = await projects.get(name);
        return output(projectText(project), { project: shownProject(project) }, { gave: [project.id] });
      },
    }),

    defineGranted<ProjectChange & { readonly project: string; readonly revision?: number }>({
      ...DOMAIN,
      name: "update_project",
      title: "Change a project",
      description:
        "Change the name, description or status of a project; what is left out stays. In an archived project nothing can be changed until it is active again.",
      properties: {
        project: PROJECT,
        name: NAME,
        description: DESCRIPTION,
        status: { enum: STATUSES },
        revision: REVISION,
      },
      required: ["project"],
      async run({ project: name, revision, ...change }) {
        if (Object.keys(change).length === 0) return failed("Nothing to change was given.");
        const project = await projects.update(name, change, revision);
        const ids = [project.id];
        return output(
          `Changed ${projectLine(project)}`,
          { project: shownProject(project) },
          { gave: ids, wrote: ids },
        );
      },
    }),

    defineGranted<{ readonly project: string }>({
      ...DOMAIN,
      name: "delete_project",
      title: "Delete a project",
      description:
        "Delete a project with all its tickets, comments and notes, for good. One that holds anything must be archived first (update_project).",
      properties: { project: PROJECT },
      required: ["project"],
      flags: { destructive: true },
      async run({ project: name }) {
        const project = await projects.delete(name);
        return output(
          `Deleted project ${project.key} (${project.name}) with ${ticketCount(project)} tickets and ${project.notes} notes.`,
          { project: project.key, deleted: true },
        );
      },
    }),
  ];
}

function projectLine(project: ProjectView): string {
  const { key, name, status, tickets } = project;
  const unfinished = ticketCount(project) - tickets.done - tickets.cancelled;
  const archived = status === "archived" ? ", archived" : "";
  return `${key}: ${name} (unfinished tickets: ${unfinished}, notes: ${project.notes}${archived})`;
}

function projectText(project: ProjectView): string {
  const { key, name, status, description, tickets, notes, createdBy, revision } = project;
  const counts = Object.entries(tickets).filter(([, count]) => count > 0);
  return [
    `${key}: ${name} (${status}, by ${createdBy ?? "a person"}, revision ${revision})`,
    `tickets: ${counts.map(([kind, count]) => `${count} ${kind}`).join(", ") || "none"}; notes: ${notes}`,
    ...(description === "" ? [] : ["", description]),
  ].join("\n");
}

function ticketCount({ tickets }: ProjectView): number {
  return Object.values(tickets).reduce((sum, count) => sum + count, 0);
}

function shownProject({
  createdBy,
  createdAt,
  updatedAt,
  ...project
}: Omit<ProjectView, "description"> & { readonly description?: string }) {
  return { ...project, created_by: createdBy, created_at: iso(createdAt), updated_at: iso(updatedAt) };
}
