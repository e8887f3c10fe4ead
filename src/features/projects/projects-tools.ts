import { z } from "zod";
import type { Caller } from "../../contract/caller.ts";
import { failed, grantedTool, output } from "../../contract/define-native-tool.ts";
import { optional } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, pageArguments, pageRequest } from "../../machine/db/query/paging.ts";
import { LONGEST, type ProjectView, projectStatus } from "./contract.ts";
import type { Projects } from "./projects.ts";

export interface ProjectToolDeps {
  readonly projects: Projects;
}

const DOMAIN = { domain: "projects", scope: "tools" } as const;
const READS = { readOnly: true, concurrencySafe: true } as const;

/** Arguments that several tools take. */
export const projectName = z
  .string()
  .min(1)
  .max(200)
  .describe("The project: its key (such as TK), its id, or its name.");
export const seenRevision = z
  .int()
  .min(1)
  .describe("The revision that you read. Given, the change is refused when somebody else changed it since.");
const name = z.string().min(1).max(LONGEST.name).describe("What it is called.");
const description = z.string().max(LONGEST.description).describe("What it is about, as Markdown.");

/** Agents are known by their id; what a person does at the command line is nobody's. */
export function authorOf({ operator, agentId }: Caller): string | null {
  return operator ? null : agentId;
}

export function projectTools({ projects }: ProjectToolDeps): readonly Tool[] {
  return [
    grantedTool({
      ...DOMAIN,
      name: "create_project",
      title: "Create a project",
      description:
        "Create a project, which holds tickets and notes that every agent with the project tools shares. Look with list_projects first whether there is one already.",
      input: z.object({
        name,
        ...optional({
          key: z
            .string()
            .min(2)
            .max(LONGEST.key)
            .describe(
              "2 to 10 letters and digits that tickets are named after: TK makes TK-1, TK-2 … Never changes. Left out, it is made from the name.",
            ),
          description,
        }),
      }),
      async run(args, { caller }) {
        const project = await projects.create(args, authorOf(caller));
        return output(
          `Created project ${project.key} (${project.name}). Add tickets with create_ticket and notes with add_project_note.`,
          { project: shownProject(project) },
          { wrote: [project.id] },
        );
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "list_projects",
      title: "List the projects",
      description: "List the projects with how many of their tickets are unfinished, by key.",
      input: z.object({
        status: projectStatus.describe("Only those that are active, or only archived ones.").exactOptional(),
        ...pageArguments,
      }),
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

    grantedTool({
      ...DOMAIN,
      name: "get_project",
      title: "Show a project",
      description: "Show a project: its description, how many tickets it has in each status, how many notes.",
      input: z.object({ project: projectName }),
      flags: READS,
      async run({ project: name }) {
        const project = await projects.get(name);
        return output(projectText(project), { project: shownProject(project) }, { gave: [project.id] });
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "update_project",
      title: "Change a project",
      description:
        "Change the name, description or status of a project; what is left out stays. In an archived project nothing can be changed until it is active again.",
      input: z.object({
        project: projectName,
        ...optional({ name, description, status: projectStatus, revision: seenRevision }),
      }),
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

    grantedTool({
      ...DOMAIN,
      name: "delete_project",
      title: "Delete a project",
      description:
        "Delete a project with all its tickets, comments and notes, for good. One that holds anything must be archived first (update_project).",
      input: z.object({ project: projectName }),
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
