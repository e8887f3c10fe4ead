import { ToolkeepError } from "../../contract/errors.ts";
import { pick } from "../../contract/shape.ts";
import type { Page, PageRequest } from "../../machine/db/query/page.ts";
import {
  type CommentRecord,
  type CommentView,
  commentView,
  type ProjectRecord,
  type TicketChange,
  type TicketInput,
  type TicketRecord,
  type TicketStatus,
  type TicketStatusFilter,
  type TicketSummary,
  type TicketView,
  ticketSummary,
} from "./contract.ts";
import type { Author, ProjectDeps } from "./project-deps.ts";
import { cleanLabels, createTexts, unlessChanged } from "./project-text.ts";
import { ticketConditions } from "./tables.ts";
import { writable } from "./writable.ts";

export interface TicketQuery extends PageRequest {
  readonly project?: string;
  readonly statuses?: readonly TicketStatus[];
  readonly priority?: TicketRecord["priority"];
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
  update(ticket: string, change: TicketChange, revision?: number): Promise<TicketView>;
  /** With its comments. Resolves with what it was. */
  delete(ticket: string): Promise<TicketView>;
  /** Oldest first. */
  comments(ticket: string, page: PageRequest): Promise<Page<CommentView>>;
  comment(ticket: string, text: string, by: Author): Promise<CommentView>;
  deleteComment(ticket: string, id: string): Promise<void>;
}

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
  const { tables, agents, events, clock, newId } = deps;
  const texts = createTexts(deps.redact);

  async function find(ticket: string): Promise<{ ticket: TicketRecord; project: ProjectRecord }> {
    const [, key, number] = REF.exec(ticket) ?? [];
    if (key === undefined) {
      const found = await tables.tickets.find({ id: ticket });
      const project = found && (await tables.projects.find({ id: found.projectId }));
      if (project) return { ticket: found, project };
      throw new ToolkeepError(
        "NOT_FOUND",
        `a ticket is named as TK-12 (the key of its project and its number) or by its id; there is no ${JSON.stringify(ticket.slice(0, 100))}`,
      );
    }
    const project = await findProject(key);
    const found = await tables.tickets.find({ projectId: project.id, number: Number(number) });
    if (found) return { ticket: found, project };
    const newest =
      project.lastNumber === 0 ? "it has none yet" : `its newest is ${project.key}-${project.lastNumber}`;
    throw new ToolkeepError(
      "NOT_FOUND",
      `there is no ticket ${project.key}-${number} in ${project.name}; ${newest}`,
      { remedy: `toolkeep ticket list --project ${project.key} shows those that are unfinished.` },
    );
  }

  const summary = (ticket: TicketRecord, key: string, comments: number): TicketSummary =>
    pick(ticketSummary, {
      ...ticket,
      ref: `${key}-${ticket.number}`,
      project: key,
      assignee: ticket.assigneeId === null ? null : agents.name(ticket.assigneeId),
      createdBy: ticket.createdBy === null ? null : agents.name(ticket.createdBy),
      comments,
    });

  async function view(ticket: TicketRecord, { key }: ProjectRecord): Promise<TicketView> {
    const comments = (await tables.comments.counts("ticketId", [ticket.id])).get(ticket.id) ?? 0;
    return { ...summary(ticket, key, comments), description: ticket.description };
  }

  const told = (ticket: TicketRecord, { key }: ProjectRecord) =>
    events.emit("ticket.changed", { ticket: `${key}-${ticket.number}`, project: key });

  const cleaned = ({ assignee, labels, title, description, ...input }: TicketChange) => ({
    ...input,
    ...(description !== undefined && { description: texts.optional(description) }),
    ...(title !== undefined && { title: texts.required("the title of a ticket", title) }),
    ...(assignee !== undefined && { assigneeId: assignee === null ? null : agents.id(assignee) }),
    ...(labels !== undefined && { labels: cleanLabels("label", labels) }),
  });

  return {
    async list({ project, assignee, text, label, statuses, priority, ...page }) {
      const only = project === undefined ? undefined : await findProject(project);
      const where = {
        ...(only && { projectId: only.id }),
        ...(priority !== undefined && { priority }),
        ...(assignee !== undefined && { assigneeId: assignee === null ? null : agents.id(assignee) }),
      };
      const conditions = ticketConditions({
        ...(statuses && { statuses }),
        ...(label !== undefined && { label: label.trim().toLowerCase() }),
        ...(text !== undefined && { words: text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS) }),
      });
      const { items, total } = await tables.tickets.page(
        where,
        ["-createdAt", "-number", "-id"],
        page,
        conditions,
      );
      const keys = new Map((only ? [only] : await tables.allProjects()).map(({ id, key }) => [id, key]));
      const ids = items.map(({ id }) => id);
      const comments = await tables.comments.counts("ticketId", ids);
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
      const ticket = await tables.createTicket(fresh, MAX_TICKETS);
      if (!ticket) throw full(`project ${project.key}`, `${MAX_TICKETS} tickets`, "use another project");
      told(ticket, project);
      return view(ticket, project);
    },

    async update(name, change, revision) {
      const { ticket, project } = await find(name);
      writable(project);
      const updated = await tables.tickets.change(
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
      await tables.tickets.delete({ id: ticket.id });
      told(ticket, project);
      return shown;
    },

    async comments(name, page) {
      const { ticket } = await find(name);
      const { items, total } = await tables.comments.page({ ticketId: ticket.id }, ["createdAt", "id"], page);
      return { items: items.map((comment) => shownComment(deps, comment)), total };
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
      const room = { most: MAX_COMMENTS, among: { ticketId: ticket.id } };
      if (!(await tables.comments.insert(comment, room)))
        throw full(
          `ticket ${project.key}-${ticket.number}`,
          `${MAX_COMMENTS} comments`,
          "open another ticket",
        );
      told(ticket, project);
      return shownComment(deps, comment);
    },

    async deleteComment(name, id) {
      const { ticket, project } = await find(name);
      writable(project);
      await tables.comments.delete({ id, ticketId: ticket.id });
      told(ticket, project);
    },
  };
}

function shownComment({ agents }: ProjectDeps, comment: CommentRecord): CommentView {
  const { createdBy } = comment;
  return pick(commentView, { ...comment, createdBy: createdBy === null ? null : agents.name(createdBy) });
}

function full(where: string, what: string, next: string): ToolkeepError {
  const remedy = `Delete what is no longer of use, or ${next}.`;
  return new ToolkeepError("TOO_MANY", `${where} has ${what}, which is the most`, { remedy });
}
