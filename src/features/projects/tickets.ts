import { ToolkeepError } from "../../contract/errors.ts";
import {
  type Page,
  type PageRequest,
  type ProjectRecord,
  TICKET_STATUSES,
  type TicketCommentRecord,
  type TicketPriority,
  type TicketRecord,
  type TicketStatus,
} from "../../machine/db/tables/work/project-record.ts";
import type { Author, ProjectDeps } from "./project-deps.ts";
import { cleanLabels, createTexts, unlessChanged } from "./project-text.ts";
import { writable } from "./writable.ts";

/** A ticket as a list shows it. */
export interface TicketSummary extends Omit<TicketRecord, "projectId" | "assigneeId" | "description"> {
  /** `TK-12` */
  readonly ref: string;
  /** The key of its project. */
  readonly project: string;
  /** The name of an agent. */
  readonly assignee: string | null;
  /** How many there are. */
  readonly comments: number;
}

export interface TicketView extends TicketSummary {
  readonly description: string;
}

export interface CommentView extends Omit<TicketCommentRecord, "ticketId"> {}

export interface TicketInput {
  readonly title: string;
  readonly description?: string;
  readonly status?: TicketStatus;
  readonly priority?: TicketPriority;
  /** The name of an agent; null: nobody. */
  readonly assignee?: string | null;
  readonly labels?: readonly string[];
}

export interface TicketQuery extends PageRequest {
  readonly project?: string;
  readonly statuses?: readonly TicketStatus[];
  readonly priority?: TicketPriority;
  /** The name of an agent; null: those of nobody. */
  readonly assignee?: string | null;
  readonly label?: string;
  /** Words that all occur in title or description. */
  readonly text?: string;
}

/** A ticket is named by its number in its project (`TK-12`, in whatever case) or by its id. */
export interface Tickets {
  /** Newest first. */
  list(query: TicketQuery): Promise<Page<TicketSummary>>;
  get(ticket: string): Promise<TicketView>;
  create(project: string, input: TicketInput, by: Author): Promise<TicketView>;
  /** Throws CHANGED when it no longer has the `revision` given. */
  update(ticket: string, change: Partial<TicketInput>, revision?: number): Promise<TicketView>;
  /** With its comments. Resolves with what it was. */
  delete(ticket: string): Promise<TicketView>;
  /** Oldest first. */
  comments(ticket: string, page: PageRequest): Promise<Page<CommentView>>;
  comment(ticket: string, text: string, by: Author): Promise<CommentView>;
  deleteComment(ticket: string, id: string): Promise<void>;
}

/** What lists are asked for: one status, all that is not done or cancelled, or any. */
export const TICKET_FILTERS = [...TICKET_STATUSES, "unfinished", "any"] as const;
export type TicketStatusFilter = (typeof TICKET_FILTERS)[number];

const UNFINISHED: readonly TicketStatus[] = ["open", "in_progress", "blocked", "review"];

export function statusesOf(filter: TicketStatusFilter): Pick<TicketQuery, "statuses"> {
  if (filter === "any") return {};
  return { statuses: filter === "unfinished" ? UNFINISHED : [filter] };
}

export const MAX_TICKETS = 10_000;
export const MAX_COMMENTS = 1_000;
const MAX_WORDS = 8;
const REF = /^([a-z][a-z0-9]{1,9})-(\d{1,9})$/i;

export function createTickets(
  deps: ProjectDeps,
  findProject: (project: string) => Promise<ProjectRecord>,
): Tickets {
  const { store, agents, events, clock, newId } = deps;
  const texts = createTexts(deps.redact);

  async function find(ticket: string): Promise<{ ticket: TicketRecord; project: ProjectRecord }> {
    const [, key, number] = REF.exec(ticket) ?? [];
    if (key === undefined) {
      const found = await store.tickets.get(ticket);
      const project = found && (await store.projects.get(found.projectId));
      if (project) return { ticket: found, project };
      throw new ToolkeepError(
        "NOT_FOUND",
        `a ticket is named as TK-12 (the key of its project and its number) or by its id; there is no ${JSON.stringify(ticket.slice(0, 100))}`,
      );
    }
    const project = await findProject(key);
    const found = await store.tickets.byNumber(project.id, Number(number));
    if (found) return { ticket: found, project };
    const newest =
      project.lastNumber === 0 ? "it has none yet" : `its newest is ${project.key}-${project.lastNumber}`;
    throw new ToolkeepError(
      "NOT_FOUND",
      `there is no ticket ${project.key}-${number} in ${project.name}; ${newest}`,
      { remedy: `toolkeep ticket list --project ${project.key} shows those that are unfinished.` },
    );
  }

  function summary(
    { projectId: _project, assigneeId, description: _description, ...ticket }: TicketRecord,
    key: string,
    comments: number,
  ): TicketSummary {
    return {
      ...ticket,
      ref: `${key}-${ticket.number}`,
      project: key,
      assignee: assigneeId === null ? null : agents.name(assigneeId),
      createdBy: ticket.createdBy === null ? null : agents.name(ticket.createdBy),
      comments,
    };
  }

  async function view(ticket: TicketRecord, { key }: ProjectRecord): Promise<TicketView> {
    const comments = (await store.tickets.commentCounts([ticket.id])).get(ticket.id) ?? 0;
    return { ...summary(ticket, key, comments), description: ticket.description };
  }

  const told = (ticket: TicketRecord, { key }: ProjectRecord) =>
    events.emit("ticket.changed", { ticket: `${key}-${ticket.number}`, project: key });

  const cleaned = ({ assignee, labels, title, description, ...input }: Partial<TicketInput>) => ({
    ...input,
    ...(description !== undefined && { description: texts.optional(description) }),
    ...(title !== undefined && { title: texts.required("the title of a ticket", title) }),
    ...(assignee !== undefined && { assigneeId: assignee === null ? null : agents.id(assignee) }),
    ...(labels !== undefined && { labels: cleanLabels("label", labels) }),
  });

  return {
    async list({ project, assignee, text, label, ...query }) {
      const only = project === undefined ? undefined : await findProject(project);
      const { items, total } = await store.tickets.list({
        ...query,
        ...(only && { projectId: only.id }),
        ...(assignee !== undefined && { assigneeId: assignee === null ? null : agents.id(assignee) }),
        ...(label !== undefined && { label: label.trim().toLowerCase() }),
        ...(text !== undefined && { words: text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS) }),
      });
      const keys = only ? new Map([[only.id, only.key]]) : await keysOf(deps);
      const comments = await store.tickets.commentCounts(items.map(({ id }) => id));
      return {
        items: items.map((ticket) =>
          summary(ticket, keys.get(ticket.projectId) ?? ticket.projectId, comments.get(ticket.id) ?? 0),
        ),
        total,
      };
    },

    async get(name) {
      const { ticket, project } = await find(name);
      return view(ticket, project);
    },

    async create(name, input, by) {
      const project = writable(await findProject(name));
      const now = clock();
      const fresh = {
        id: newId("tkt"),
        projectId: project.id,
        description: "",
        status: "open",
        priority: "normal",
        assigneeId: null,
        labels: [],
        ...cleaned(input),
        title: texts.required("the title of a ticket", input.title),
        createdBy: by,
        revision: 1,
        createdAt: now,
        updatedAt: now,
      } as const;
      const ticket = await store.tickets.create(fresh, MAX_TICKETS);
      if (!ticket) throw full(`project ${project.key}`, `${MAX_TICKETS} tickets`, "use another project");
      told(ticket, project);
      return view(ticket, project);
    },

    async update(name, change, revision) {
      const { ticket, project } = await find(name);
      writable(project);
      const updated = await store.tickets.update(
        ticket.id,
        { ...cleaned(change), updatedAt: clock() },
        revision,
      );
      const now = unlessChanged(`ticket ${project.key}-${ticket.number}`, updated, revision);
      told(now, project);
      return view(now, project);
    },

    async delete(name) {
      const { ticket, project } = await find(name);
      writable(project);
      const shown = await view(ticket, project);
      await store.tickets.delete(ticket.id);
      told(ticket, project);
      return shown;
    },

    async comments(name, page) {
      const { ticket } = await find(name);
      const { items, total } = await store.tickets.comments(ticket.id, page);
      return { items: items.map((comment) => commentView(deps, comment)), total };
    },

    async comment(name, text, by) {
      const { ticket, project } = await find(name);
      writable(project);
      const comment = {
        id: newId("cmt"),
        ticketId: ticket.id,
        createdBy: by,
        text: texts.required("a comment", text),
        createdAt: clock(),
      };
      if (!(await store.tickets.comment(comment, MAX_COMMENTS)))
        throw full(
          `ticket ${project.key}-${ticket.number}`,
          `${MAX_COMMENTS} comments`,
          "open another ticket",
        );
      told(ticket, project);
      return commentView(deps, comment);
    },

    async deleteComment(name, id) {
      const { ticket, project } = await find(name);
      writable(project);
      await store.tickets.deleteComment(ticket.id, id);
      told(ticket, project);
    },
  };
}

function commentView({ agents }: ProjectDeps, { ticketId: _, ...comment }: TicketCommentRecord): CommentView {
  return { ...comment, createdBy: comment.createdBy === null ? null : agents.name(comment.createdBy) };
}

async function keysOf({ store }: ProjectDeps): Promise<ReadonlyMap<string, string>> {
  const { items } = await store.projects.list({ limit: 500, offset: 0 });
  return new Map(items.map(({ id, key }) => [id, key]));
}

function full(where: string, what: string, next: string): ToolkeepError {
  const remedy = `Delete what is no longer of use, or ${next}.`;
  return new ToolkeepError("TOO_MANY", `${where} has ${what}, which is the most`, { remedy });
}
