import type { CommandRun } from "../../contract/define-command.ts";
import type { done } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Infer } from "../../contract/shape.ts";
import { path, query } from "../../lib/http/api-path.ts";
import { ago } from "../../lib/terminal/ago.ts";
import { type PageOptions, pageNote } from "../../lib/terminal/page-note.ts";
import { printable } from "../../lib/terminal/printable.ts";
import { fields, table } from "../../lib/terminal/table.ts";
import type {
  CommentAnswer,
  CommentList,
  CommentView,
  TicketAnswer,
  TicketEdit,
  TicketList,
  TicketView,
} from "./contract.ts";

interface ListOptions extends PageOptions {
  readonly project?: string;
  readonly status: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly label?: string;
  readonly text?: string;
}

interface TicketOptions {
  readonly title?: string;
  readonly description?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly label: readonly string[];
  /** False: none. */
  readonly labels?: boolean;
}

const NOBODY = "nobody";
const SHOWN_COMMENTS = 50;

export async function listTickets(run: CommandRun, options: ListOptions): Promise<undefined> {
  const { project, status, priority, assignee, label, text, limit, offset } = options;
  const answer = await run.get<TicketList>(
    `/api/tickets${query({ project, status, priority, assignee, label, text, limit, offset })}`,
  );
  const rows = answer.tickets.map((ticket) => [
    ticket.ref,
    ticket.status,
    ticket.priority,
    ticket.assignee,
    ticket.comments,
    ago(ticket.updatedAt, Date.now()),
    [ticket.title, ...ticket.labels.map((name) => `#${name}`)].join(" "),
  ]);
  run.print(
    answer,
    answer.total === 0
      ? none(options)
      : table(
          ["TICKET", "STATUS", "PRIORITY", "ASSIGNEE", "COMMENTS", "CHANGED", "TITLE"],
          rows,
          run.columns,
        ) + pageNote(options, rows.length, answer.total),
  );
}

function none({ project = "PROJECT", status }: ListOptions): string {
  const finished = status === "unfinished" ? " (--status any lists finished ones too)" : "";
  return `No ticket fits${finished}. Create one: toolkeep ticket create TITLE --project ${project}\n`;
}

export async function showTicket(run: CommandRun, name: string): Promise<undefined> {
  const { ticket } = await run.get<TicketAnswer>(path`/api/tickets/${name}`);
  const offset = Math.max(0, ticket.comments - SHOWN_COMMENTS);
  const { comments } = await run.get<CommentList>(
    `${path`/api/tickets/${name}/comments`}${query({ limit: SHOWN_COMMENTS, offset })}`,
  );
  run.print({ ticket, comments }, ticketText(ticket, comments, offset));
}

export async function createTicket(
  run: CommandRun,
  title: string,
  { project, ...options }: TicketOptions & { project: string },
): Promise<undefined> {
  const body = { project, ...(await changeOf(run, options)), title };
  const answer = await run.send<TicketAnswer>("POST", "/api/tickets", body);
  run.print(answer, `Created ticket ${answer.ticket.ref}.\n`);
}

export async function editTicket(run: CommandRun, name: string, options: TicketOptions): Promise<undefined> {
  const change = await changeOf(run, options);
  if (Object.keys(change).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give --status, --assignee or another option");
  const answer = await run.send<TicketAnswer>("PATCH", path`/api/tickets/${name}`, change);
  run.print(answer, `Changed ticket ${answer.ticket.ref}.\n`);
}

export async function commentTicket(run: CommandRun, name: string, text: string): Promise<undefined> {
  const answer = await run.send<CommentAnswer>("POST", path`/api/tickets/${name}/comments`, {
    text: await run.readText(text),
  });
  run.print(answer, `Commented on ${name.toUpperCase()}.\n`);
}

export async function deleteTicket(run: CommandRun, name: string): Promise<undefined> {
  run.print(
    await run.send<Infer<typeof done>>("DELETE", path`/api/tickets/${name}`),
    `Deleted ${name.toUpperCase()}.\n`,
  );
}

/** What was given; the API says which values there are. */
async function changeOf(run: CommandRun, options: TicketOptions): Promise<TicketEdit> {
  const { title, description, status, priority, assignee, label, labels } = options;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description: await run.readText(description) }),
    ...(status !== undefined && { status: status as TicketView["status"] }),
    ...(priority !== undefined && { priority: priority as TicketView["priority"] }),
    ...(assignee !== undefined && { assignee: assignee === NOBODY ? null : assignee }),
    ...((label.length > 0 || labels === false) && { labels: label }),
  };
}

function ticketText(ticket: TicketView, comments: readonly CommentView[], offset: number): string {
  const now = Date.now();
  return [
    fields([
      ["ticket", ticket.ref],
      ["title", ticket.title],
      ["status", ticket.status],
      ["priority", ticket.priority],
      ["assignee", ticket.assignee ?? NOBODY],
      ["labels", ticket.labels.join(", ")],
      ["by", ticket.createdBy ?? "a person"],
      ["changed", ago(ticket.updatedAt, now)],
    ]),
    ...(ticket.description === "" ? [] : [`${printable(ticket.description)}\n`]),
    ...(offset > 0 ? [`(${offset} earlier comments: --json and the API have them)\n`] : []),
    ...comments.map(
      ({ createdBy, createdAt, text }) =>
        `${createdBy ?? "a person"}, ${ago(createdAt, now)}:\n${printable(text)}\n`,
    ),
  ].join("\n");
}
