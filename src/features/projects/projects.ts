import { ToolkeepError } from "../../contract/errors.ts";
import { pick } from "../../contract/shape.ts";
import { nearest } from "../../lib/nearest.ts";
import { unlessTaken } from "../../machine/db/database.ts";
import type { Page, PageRequest } from "../../machine/db/query/page.ts";
import {
  MAX_PROJECTS,
  type ProjectChange,
  type ProjectInput,
  type ProjectRecord,
  type ProjectView,
  projectView,
  ticketStatus,
} from "./contract.ts";
import { checkKey, keyFrom } from "./key.ts";
import { createNotes, type Notes } from "./notes.ts";
import type { Author, ProjectDeps } from "./project-deps.ts";
import { createTexts, unlessChanged } from "./project-text.ts";
import { createTickets, type Tickets } from "./tickets.ts";

/**
 * Projects with their tickets and notes, for agents and people alike. A project is named by its key in whatever case,
 * its id, or its name where only one has it. What cannot be done is thrown as an error of the catalogue.
 */
export interface Projects {
  readonly tickets: Tickets;
  readonly notes: Notes;
  list(filter: PageRequest & { status?: ProjectRecord["status"] }): Promise<Page<ProjectView>>;
  get(project: string): Promise<ProjectView>;
  create(input: ProjectInput, by: Author): Promise<ProjectView>;
  /** Throws CHANGED when it no longer has the `revision` given. */
  update(project: string, change: ProjectChange, revision?: number): Promise<ProjectView>;
  /** With everything in it; one that is active and not empty only by `force`. Resolves with what it was. */
  delete(project: string, options?: { force?: boolean }): Promise<ProjectView>;
}

export function createProjects(deps: ProjectDeps): Projects {
  const { tables, agents, events, clock, newId } = deps;
  const texts = createTexts(deps.redact);
  const find = (project: string) => findProject(deps, project);

  async function views(records: readonly ProjectRecord[]): Promise<ProjectView[]> {
    const ids = records.map(({ id }) => id);
    const [tickets, notes] = await Promise.all([
      tables.ticketCounts(ids),
      tables.notes.counts("projectId", ids),
    ]);
    return records.map((project) => {
      const countOf = (status: string) =>
        tickets.find((row) => row.projectId === project.id && row.status === status)?.count ?? 0;
      return pick(projectView, {
        ...project,
        createdBy: project.createdBy === null ? null : agents.name(project.createdBy),
        tickets: Object.fromEntries(
          ticketStatus.options.map((status) => [status, countOf(status)]),
        ) as ProjectView["tickets"],
        notes: notes.get(project.id) ?? 0,
      });
    });
  }
  const view = async (record: ProjectRecord) => (await views([record]))[0]!;
  const told = (record: ProjectRecord) => {
    events.emit("project.changed", { project: record.key });
    return view(record);
  };

  async function create(project: ProjectRecord): Promise<ProjectRecord> {
    const inserted = tables.projects.insert(project, { most: MAX_PROJECTS });
    if (await unlessTaken(`A project with the key ${project.key}`, inserted)) return project;
    throw new ToolkeepError("TOO_MANY", `there are ${MAX_PROJECTS} projects already, which is the most`, {
      remedy: "Delete a project that is no longer needed first.",
    });
  }

  async function createWithKeyFrom(name: string, project: Omit<ProjectRecord, "key">) {
    const taken = new Set((await tables.allProjects()).map(({ key }) => key));
    for (;;) {
      const key = keyFrom(name, taken);
      try {
        return await create({ ...project, key });
      } catch (error) {
        // Somebody else took this key in the same moment.
        if (taken.has(key) || !(error instanceof ToolkeepError && error.code === "NAME_TAKEN")) throw error;
        taken.add(key);
      }
    }
  }

  return {
    tickets: createTickets(deps, find),
    notes: createNotes(deps, find),

    async list({ status, ...page }) {
      const { items, total } = await tables.projects.page(status ? { status } : {}, ["key"], page);
      return { items: await views(items), total };
    },

    get: async (project) => view(await find(project)),

    async create(input, by) {
      const name = texts.required("the name of a project", input.name);
      const now = clock();
      const project = {
        id: newId("prj"),
        name,
        description: texts.optional(input.description ?? ""),
        status: "active",
        lastNumber: 0,
        createdBy: by,
        revision: 1,
        createdAt: now,
        updatedAt: now,
      } as const;
      if (input.key !== undefined) return told(await create({ ...project, key: checkKey(input.key) }));
      return told(await createWithKeyFrom(name, project));
    },

    async update(project, change, revision) {
      const { id, key } = await find(project);
      const cleaned = {
        ...(change.name !== undefined && { name: texts.required("the name of a project", change.name) }),
        ...(change.description !== undefined && { description: texts.optional(change.description) }),
        ...(change.status !== undefined && { status: change.status }),
      };
      const updated = await tables.projects.change(id, { ...cleaned, updatedAt: clock() }, revision);
      return told(unlessChanged(`project ${key}`, updated, revision));
    },

    async delete(project, { force = false } = {}) {
      const record = await find(project);
      const shown = await view(record);
      if (!force && record.status === "active") refuseFull(shown);
      await tables.projects.delete({ id: record.id });
      events.emit("project.changed", { project: record.key });
      return shown;
    },
  };
}

/** Throws NOT_FOUND with the nearest key or name. */
async function findProject({ tables }: ProjectDeps, project: string): Promise<ProjectRecord> {
  const known =
    (await tables.projects.find({ id: project })) ??
    (await tables.projects.find({ key: project.toUpperCase() }));
  if (known) return known;
  const items = await tables.allProjects();
  const named = items.filter(({ name }) => name.toLowerCase() === project.toLowerCase());
  if (named.length === 1) return named[0]!;
  const shown = JSON.stringify(project.slice(0, 100));
  if (named.length > 1) {
    const keys = named.map(({ key }) => key).join(", ");
    throw new ToolkeepError(
      "NOT_FOUND",
      `several projects are named ${shown}: ${keys}; give one of the keys`,
    );
  }
  const guess =
    nearest(
      project.toUpperCase(),
      items.map(({ key }) => key),
    ) ??
    nearest(
      project,
      items.map(({ name }) => name),
    );
  const hint = guess ? `; did you mean ${guess}?` : items.length === 0 ? "; there are none yet" : "";
  throw new ToolkeepError("NOT_FOUND", `no project has the key, id or name ${shown}${hint}`, {
    remedy: "toolkeep project list --all shows those there are.",
  });
}

function refuseFull({ key, tickets, notes }: ProjectView): void {
  const count = Object.values(tickets).reduce((sum, more) => sum + more, 0);
  if (count + notes === 0) return;
  throw new ToolkeepError(
    "IN_USE",
    `project ${key} is active and not empty (tickets: ${count}, notes: ${notes})`,
    { remedy: "Archive it first (status archived), then delete it; nothing brings it back." },
  );
}
