import type { Caller } from "../../contract/caller.ts";
import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, PAGE_PROPERTIES, type PageArgs, pageRequest } from "../../machine/db/query/paging.ts";
import { TICKET_PRIORITIES, TICKET_STATUSES } from "../../machine/db/tables/work/project-record.ts";
import { LONGEST, MAX_LABELS } from "./limits.ts";
import { authorOf, PROJECT, type ProjectToolDeps, REVISION } from "./projects-tools.ts";
import {
  type CommentView,
  statusesOf,
  TICKET_FILTERS,
  type TicketInput,
  type TicketQuery,
  type TicketStatusFilter,
  type TicketSummary,
  type TicketView,
} from "./tickets.ts";

interface TicketArgs extends Omit<TicketInput, "title"> {
  readonly title?: string;
}

interface ListArgs extends PageArgs, Pick<TicketQuery, "project" | "priority" | "label" | "text"> {
  readonly status?: TicketStatusFilter;
  readonly assignee?: string;
}

const DOMAIN = { domain: "projects", scope: "tools" } as const;
const READS = { readOnly: true, concurrencySafe: true } as const;
const SHOWN_COMMENTS = 50;
const ME = "me";
const NOBODY = "nobody";

const TICKET = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  description: "The ticket, such as TK-12.",
} as const;
const TITLE = { type: "string", minLength: 1, maxLength: LONGEST.title, description: "One line." } as const;
const LABEL = { type: "string", minLength: 1, maxLength: LONGEST.label } as const;
const FIELDS = {
  description: {
    type: "string",
    maxLength: LONGEST.description,
    description: "What is wanted and why, as Markdown.",
  },
  status: { enum: TICKET_STATUSES },
  priority: { enum: TICKET_PRIORITIES },
  assignee: {
    type: ["string", "null"],
    minLength: 1,
    maxLength: 40,
    description: `The agent that does it, by name; ${ME} for yourself; null for nobody.`,
  },
  labels: { type: "array", maxItems: MAX_LABELS, items: LABEL, description: "All of its labels." },
} as const;

export function ticketTools({ projects: { tickets } }: ProjectToolDeps): readonly Tool[] {
  return [
    defineGranted<TicketInput & { readonly project: string }>({
      ...DOMAIN,
      name: "create_ticket",
      title: "Create a ticket",
      description:
        "Create a ticket in a project: one piece of work with a status, a priority and comments. It gets the project's next number, such as TK-13.",
      properties: { project: PROJECT, title: TITLE, ...FIELDS },
      required: ["project", "title"],
      async run({ project, ...input }, { caller }) {
        const ticket = await tickets.create(project, withNames(input, caller), authorOf(caller));
        return output(
          `Created ${ticketLine(ticket)}`,
          { ticket: shownTicket(ticket) },
          { wrote: [ticket.id] },
        );
      },
    }),

    defineGranted<ListArgs>({
      ...DOMAIN,
      name: "list_tickets",
      title: "List tickets",
      description:
        "List tickets, newest first, of one project or of all; only unfinished ones unless a status is given. get_ticket shows the description and the comments of one.",
      properties: {
        project: PROJECT,
        status: {
          enum: TICKET_FILTERS,
          description: "Default unfinished: everything but done and cancelled.",
        },
        priority: { enum: TICKET_PRIORITIES },
        assignee: {
          type: "string",
          minLength: 1,
          maxLength: 40,
          description: `Only those of this agent; ${ME} for your own, ${NOBODY} for those that nobody has.`,
        },
        label: { ...LABEL, description: "Only those with this label." },
        text: {
          type: "string",
          minLength: 1,
          maxLength: LONGEST.query,
          description: "Only those in whose title or description all these words occur.",
        },
        ...PAGE_PROPERTIES,
      },
      required: [],
      flags: READS,
      async run({ limit, offset, status = "unfinished", assignee, ...filter }, { caller }) {
        const page = pageRequest({ ...(limit && { limit }), ...(offset && { offset }) });
        const found = await tickets.list({
          ...filter,
          ...page,
          ...statusesOf(status),
          ...(assignee !== undefined && { assignee: assigneeOf(assignee, caller) }),
        });
        const none = `No ticket fits${status === "unfinished" ? "; status any lists finished ones too" : ""}.`;
        const shown = found.items.map(shownTicket);
        const gave = found.items.map(({ id }) => id);
        return outputPage(found, page.offset, { line: ticketLine, none }, { tickets: shown }, { gave });
      },
    }),

    defineGranted<PageArgs & { readonly ticket: string }>({
      ...DOMAIN,
      name: "get_ticket",
      title: "Show a ticket",
      description: `Show a ticket with its description and its comments, the last ${SHOWN_COMMENTS} unless limit and offset say which.`,
      properties: { ticket: TICKET, ...PAGE_PROPERTIES },
      required: ["ticket"],
      flags: READS,
      async run({ ticket: name, limit, offset }) {
        const ticket = await tickets.get(name);
        const page = {
          limit: limit ?? SHOWN_COMMENTS,
          offset: offset ?? Math.max(0, ticket.comments - (limit ?? SHOWN_COMMENTS)),
        };
        const comments = await tickets.comments(name, page);
        const shown = comments.items.map(shownComment);
        return output(
          ticketText(ticket, comments.items, page.offset),
          { ticket: shownTicket(ticket), comments: shown, comments_offset: page.offset },
          { gave: [ticket.id, ...comments.items.map(({ id }) => id)] },
        );
      },
    }),

    defineGranted<TicketArgs & { readonly ticket: string; readonly revision?: number }>({
      ...DOMAIN,
      name: "update_ticket",
      title: "Change a ticket",
      description:
        "Change a ticket: its status as work goes on, who does it, what it says. What is left out stays; labels are replaced whole. Say why with comment_ticket.",
      properties: { ticket: TICKET, title: TITLE, ...FIELDS, revision: REVISION },
      required: ["ticket"],
      async run({ ticket: name, revision, ...change }, { caller }) {
        if (Object.keys(change).length === 0) return failed("Nothing to change was given.");
        const ticket = await tickets.update(name, withNames(change, caller), revision);
        const ids = [ticket.id];
        return output(
          `Changed ${ticketLine(ticket)}`,
          { ticket: shownTicket(ticket) },
          { gave: ids, wrote: ids },
        );
      },
    }),

    defineGranted<{ readonly ticket: string }>({
      ...DOMAIN,
      name: "delete_ticket",
      title: "Delete a ticket",
      description:
        "Delete a ticket with its comments, for good. What is no longer wanted is better set to cancelled with update_ticket, so that others see what became of it.",
      properties: { ticket: TICKET },
      required: ["ticket"],
      flags: { destructive: true },
      async run({ ticket: name }) {
        const ticket = await tickets.delete(name);
        return output(`Deleted ${ticket.ref} (${ticket.title}).`, { ticket: ticket.ref, deleted: true });
      },
    }),

    defineGranted<{ readonly ticket: string; readonly text: string }>({
      ...DOMAIN,
      name: "comment_ticket",
      title: "Comment on a ticket",
      description:
        "Add a comment to a ticket: what was found, decided or done. Others who work on it read the comments with get_ticket.",
      properties: {
        ticket: TICKET,
        text: {
          type: "string",
          minLength: 1,
          maxLength: LONGEST.comment,
          description: "The comment, as Markdown.",
        },
      },
      required: ["ticket", "text"],
      async run({ ticket, text }, { caller }) {
        const comment = await tickets.comment(ticket, text, authorOf(caller));
        const said = `Added comment ${comment.id} to ${ticket.toUpperCase()}.`;
        return output(said, { comment: shownComment(comment) }, { wrote: [comment.id] });
      },
    }),
  ];
}

/** With the caller's own name where it said `me`. */
function withNames<T extends { readonly assignee?: string | null }>(input: T, caller: Caller): T {
  return input.assignee === ME ? { ...input, assignee: caller.agentName } : input;
}

function assigneeOf(assignee: string, { agentName }: Caller): string | null {
  if (assignee === NOBODY) return null;
  return assignee === ME ? agentName : assignee;
}

function ticketLine({ ref, title, status, priority, assignee, labels, comments }: TicketSummary): string {
  const facts = [
    status,
    ...(priority === "normal" ? [] : [`${priority} priority`]),
    ...(assignee === null ? [] : [`for ${assignee}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(", ")}`]),
    ...(comments === 0 ? [] : [`comments: ${comments}`]),
  ];
  return `${ref}: ${title} (${facts.join("; ")})`;
}

function ticketText(ticket: TicketView, comments: readonly CommentView[], offset: number): string {
  const { createdBy, createdAt, updatedAt, revision, description } = ticket;
  const by = createdBy ?? "a person";
  return [
    ticketLine(ticket),
    `by ${by} at ${iso(createdAt)}, changed at ${iso(updatedAt)}, revision ${revision}`,
    ...(description === "" ? [] : ["", description]),
    ...(offset > 0 ? ["", `(${offset} earlier comments; read them with offset 0)`] : []),
    ...comments.flatMap((comment) => [
      "",
      `${comment.createdBy ?? "a person"} at ${iso(comment.createdAt)}:`,
      comment.text,
    ]),
  ].join("\n");
}

function shownTicket({ createdBy, createdAt, updatedAt, ...ticket }: TicketSummary | TicketView) {
  return { ...ticket, created_by: createdBy, created_at: iso(createdAt), updated_at: iso(updatedAt) };
}

function shownComment({ createdBy, createdAt, ...comment }: CommentView) {
  return { ...comment, created_by: createdBy, created_at: iso(createdAt) };
}
