import type {
  CommentRecord,
  NoteRecord,
  ProjectRecord,
  TicketRecord,
  TicketStatus,
} from "../../src/features/projects/contract.ts";
import { createProjects, type Projects } from "../../src/features/projects/projects.ts";
import { ProjectTables, ticketConditions } from "../../src/features/projects/tables.ts";
import type { Hub } from "../../src/hub.ts";
import { randomId } from "../../src/lib/id.ts";
import { unlessTaken } from "../../src/machine/db/database.ts";
import type { PageRequest } from "../../src/machine/db/query/page.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { rankTexts } from "../../src/machine/text/index/rank-texts.ts";

interface TicketFilter extends PageRequest {
  readonly projectId?: string;
  readonly statuses?: readonly TicketStatus[];
  readonly priority?: TicketRecord["priority"];
  readonly assigneeId?: string | null;
  readonly label?: string;
  readonly words?: readonly string[];
}

/** The tables of projects, each question with a name of its own. */
export function projectStores({ database }: Pick<Store, "database">) {
  const tables = new ProjectTables(database);
  return {
    projects: {
      list: ({ status, ...page }: PageRequest & { status?: ProjectRecord["status"] }) =>
        tables.projects.page(status ? { status } : {}, ["key"], page),
      get: (id: string) => tables.projects.find({ id }),
      byKey: (key: string) => tables.projects.find({ key }),
      create: (project: ProjectRecord, most?: number) =>
        unlessTaken(`A project with the key ${project.key}`, tables.projects.insert(project, { most })),
      update: (id: string, change: Partial<ProjectRecord>, revision?: number) =>
        tables.projects.change(id, change, revision),
      delete: (id: string) => tables.projects.delete({ id }),
    },
    tickets: {
      list({ limit, offset, projectId, priority, assigneeId, ...rest }: TicketFilter) {
        const where = {
          ...(projectId !== undefined && { projectId }),
          ...(priority !== undefined && { priority }),
          ...(assigneeId !== undefined && { assigneeId }),
        };
        const order = ["-createdAt", "-number", "-id"] as const;
        return tables.tickets.page(where, order, { limit, offset }, ticketConditions(rest));
      },
      get: (id: string) => tables.tickets.find({ id }),
      byNumber: (projectId: string, number: number) => tables.tickets.find({ projectId, number }),
      create: (ticket: Omit<TicketRecord, "number">, most?: number) => tables.createTicket(ticket, most),
      update: (id: string, change: Partial<TicketRecord>, revision?: number) =>
        tables.tickets.change(id, change, revision),
      delete: (id: string) => tables.tickets.delete({ id }),
      counts: (projectIds: readonly string[]) => tables.ticketCounts(projectIds),
      comments: (ticketId: string, page: PageRequest) =>
        tables.comments.page({ ticketId }, ["createdAt", "id"], page),
      comment: (comment: CommentRecord, most?: number) =>
        tables.comments.insert(comment, { most, among: { ticketId: comment.ticketId } }),
      deleteComment: (ticketId: string, id: string) => tables.comments.delete({ id, ticketId }),
      commentCounts: (ticketIds: readonly string[]) => tables.comments.counts("ticketId", ticketIds),
    },
    projectNotes: {
      list: (projectId: string, page: PageRequest) =>
        tables.notes.page({ projectId }, ["-createdAt", "-id"], page),
      get: (projectId: string, id: string) => tables.notes.find({ projectId, id }),
      create: (note: NoteRecord, most?: number) =>
        tables.notes.insert(note, { most, among: { projectId: note.projectId } }),
      update: (id: string, change: Partial<NoteRecord>, revision?: number) =>
        tables.notes.change(id, change, revision),
      delete: (id: string) => tables.notes.delete({ id }),
      counts: (projectIds: readonly string[]) => tables.notes.counts("projectId", projectIds),
    },
  };
}

/** The projects of a hub, past its tools and routes. */
export function projectsOf({ store, identity, events, vault }: Hub): Projects {
  return createProjects({
    tables: new ProjectTables(store.database),
    agents: {
      id: (name) => identity.agent(name).id,
      name: (id) => identity.agentById(id)?.name ?? id,
    },
    redact: (text) => vault.redact(text),
    rank: rankTexts,
    events,
    clock: Date.now,
    newId: randomId,
  });
}
