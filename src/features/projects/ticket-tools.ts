import { z } from "zod";
import type { Caller } from "../../contract/caller.ts";
import { failed, grantedTool, output } from "../../contract/define-native-tool.ts";
import { optional } from "../../contract/shape.ts";
import type { Tool } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, pageArguments, pageRequest } from "../../machine/db/query/paging.ts";
import {
  type CommentView,
  LONGEST,
  MAX_LABELS,
  type TicketSummary,
  type TicketView,
  ticketFilter,
  ticketPriority,
  ticketStatus,
} from "./contract.ts";
import { authorOf, type ProjectToolDeps, projectName, seenRevision } from "./projects-tools.ts";
import { statusesOf } from "./tickets.ts";

const DOMAIN = { domain: "projects", scope: "tools" } as const;
const READS = { readOnly: true, concurrencySafe: true } as const;
const SHOWN_COMMENTS = 50;
const ME = "me";
const NOBODY = "nobody";

const ticketName = z.string().min(1).max(100).describe("The ticket, such as TK-12.");
const title = z.string().min(1).max(LONGEST.title).describe("One line.");
const label = z.string().min(1).max(LONGEST.label);
const fields = optional({
  description: z.string().max(LONGEST.description).describe("What is wanted and why, as Markdown."),
  status: ticketStatus,
  priority: ticketPriority,
  assignee: z
    .string()
    .min(1)
    .max(40)
    .nullable()
    .describe(`The agent that does it, by name; ${ME} for yourself; null for nobody.`),
  labels: z.array(label).max(MAX_LABELS).describe("All of its labels."),
});

export function ticketTools({ projects: { tickets } }: ProjectToolDeps): readonly Tool[] {
  return [
    grantedTool({
      ...DOMAIN,
      name: "create_ticket",
      title: "Create a ticket",
      description:
        "Create a ticket in a project: one piece of work with a status, a priority and comments. It gets the project's next number, such as TK-13.",
      input: z.object({ project: projectName, title, ...fields }),
      async run({ project, ...input }, { caller }) {
        const ticket = await tickets.create(project, withNames(input, caller), authorOf(caller));
        return output(
          `Created ${ticketLine(ticket)}`,
          { ticket: shownTicket(ticket) },
          { wrote: [ticket.id] },
        );
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "list_tickets",
      title: "List tickets",
      description:
        "List tickets, newest first, of one project or of all; only unfinished ones unless a status is given. get_ticket shows the description and the comments of one.",
      input: z.object({
        ...optional({
          project: projectName,
          status: ticketFilter.describe("Default unfinished: everything but done and cancelled."),
          priority: ticketPriority,
          assignee: z
            .string()
            .min(1)
            .max(40)
            .describe(`Only those of this agent; ${ME} for your own, ${NOBODY} for those that nobody has.`),
          label: label.describe("Only those with this label."),
          text: z
            .string()
            .min(1)
            .max(LONGEST.query)
            .describe("Only those in whose title or description all these words occur."),
        }),
        ...pageArguments,
      }),
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

    grantedTool({
      ...DOMAIN,
      name: "get_ticket",
      title: "Show a ticket",
      description: `Show a ticket with its description and its comments, the last ${SHOWN_COMMENTS} unless limit and offset say which.`,
      input: z.object({ ticket: ticketName, ...pageArguments }),
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

    grantedTool({
      ...DOMAIN,
      name: "update_ticket",
      title: "Change a ticket",
      description:
        "Change a ticket: its status as work goes on, who does it, what it says. What is left out stays; labels are replaced whole. Say why with comment_ticket.",
      input: z.object({
        ticket: ticketName,
        ...optional({ title }),
        ...fields,
        ...optional({ revision: seenRevision }),
      }),
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

    grantedTool({
      ...DOMAIN,
      name: "delete_ticket",
      title: "Delete a ticket",
      description:
        "Delete a ticket with its comments, for good. What is no longer wanted is better set to cancelled with update_ticket, so that others see what became of it.",
      input: z.object({ ticket: ticketName }),
      flags: { destructive: true },
      async run({ ticket: name }) {
        const ticket = await tickets.delete(name);
        return output(`Deleted ${ticket.ref} (${ticket.title}).`, { ticket: ticket.ref, deleted: true });
      },
    }),

    grantedTool({
      ...DOMAIN,
      name: "comment_ticket",
      title: "Comment on a ticket",
      description:
        "Add a comment to a ticket: what was found, decided or done. Others who work on it read the comments with get_ticket.",
      input: z.object({
        ticket: ticketName,
        text: z.string().min(1).max(LONGEST.comment).describe("The comment, as Markdown."),
      }),
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
