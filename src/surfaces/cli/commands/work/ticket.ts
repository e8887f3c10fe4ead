import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type {
  CommentAnswer,
  CommentList,
  CommentView,
  Done,
  TicketAnswer,
  TicketEdit,
  TicketList,
  TicketView,
} from "../../../api/contract.ts";
import { printable } from "../../../daemon/log/printable.ts";
import { path, query } from "../../client/api-client.ts";
import { destructive } from "../../input/destructive.ts";
import { textInput } from "../../input/text-input.ts";
import { ago } from "../../print/duration.ts";
import { type PageOptions, pageNote, pageOptions } from "../../print/pages.ts";
import { fields, table } from "../../print/table.ts";
import { collect, type Run, type Shell } from "../../shell.ts";

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

const STATUSES = "open, in_progress, blocked, review, done or cancelled";
const NOBODY = "nobody";
const SHOWN_COMMENTS = 50;

export function ticketCommand(shell: Shell): Command {
  const ticket = shell.group("ticket", "the work of a project, one piece each");

  pageOptions(
    ticket
      .leaf(
        "list",
        "list the tickets that are not finished, newest first",
        listTickets,
        "--project TK --status any",
        "--assignee nobody",
      )
      .option("--project <project>", "only those of this project")
      .option("--status <status>", `${STATUSES.replace(" or", ",")}, unfinished or any`, "unfinished")
      .option("--priority <priority>", "low, normal, high or urgent")
      .option("--assignee <agent>", `only those of this agent; ${NOBODY} for those that no one has`)
      .option("--label <label>", "only those with this label")
      .option("--text <words>", "only those in whose title or description all these words occur"),
  );
  ticket.leaf("show <ticket>", "show a ticket and its comments", showTicket, "TK-12");
  ticketOptions(
    ticket
      .leaf(
        "create <title>",
        "create a ticket",
        createTicket,
        "'Names are cut' --project TK --priority high --assignee coder",
      )
      .requiredOption("--project <project>", "where it belongs"),
  );
  ticketOptions(
    ticket
      .leaf(
        "edit <ticket>",
        "change a ticket; what is not given stays",
        editTicket,
        "TK-12 --status done",
        "TK-12 --assignee nobody --label bug --label ui",
      )
      .option("--title <text>", "one line")
      .option("--no-labels", "take its labels away"),
  );
  ticket.leaf(
    "comment <ticket> <text>",
    "comment on a ticket; - reads the text from standard input",
    commentTicket,
    "TK-12 'Seen on macOS too.'",
  );
  destructive(
    ticket,
    "delete <ticket>",
    "delete a ticket with its comments",
    (name) => `Delete ticket ${name} and its comments?`,
    deleteTicket,
    "TK-12",
  );
  return ticket;
}

function ticketOptions(command: Command): Command {
  return command
    .option("--description <text>", "what is wanted and why; - reads it from standard input")
    .option("--status <status>", STATUSES)
    .option("--priority <priority>", "low, normal, high or urgent")
    .option("--assignee <agent>", `the agent that does it; ${NOBODY} for no one`)
    .option("--label <label>", "its labels, all of them (repeatable)", collect, []);
}

async function listTickets(run: Run, options: ListOptions): Promise<undefined> {
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
          run.terminal.columns,
        ) + pageNote(options, rows.length, answer.total),
  );
}

function none({ project = "PROJECT", status }: ListOptions): string {
  const finished = status === "unfinished" ? " (--status any lists finished ones too)" : "";
  return `No ticket fits${finished}. Create one: toolkeep ticket create TITLE --project ${project}\n`;
}

async function showTicket(run: Run, name: string): Promise<undefined> {
  const { ticket } = await run.get<TicketAnswer>(path`/api/tickets/${name}`);
  const offset = Math.max(0, ticket.comments - SHOWN_COMMENTS);
  const { comments } = await run.get<CommentList>(
    `${path`/api/tickets/${name}/comments`}${query({ limit: SHOWN_COMMENTS, offset })}`,
  );
  run.print({ ticket, comments }, ticketText(ticket, comments, offset));
}

async function createTicket(
  run: Run,
  title: string,
  { project, ...options }: TicketOptions & { project: string },
): Promise<undefined> {
  const body = { project, ...(await changeOf(run, options)), title };
  const answer = await run.send<TicketAnswer>("POST", "/api/tickets", body);
  run.print(answer, `Created ticket ${answer.ticket.ref}.\n`);
}

async function editTicket(run: Run, name: string, options: TicketOptions): Promise<undefined> {
  const change = await changeOf(run, options);
  if (Object.keys(change).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give --status, --assignee or another option");
  const answer = await run.send<TicketAnswer>("PATCH", path`/api/tickets/${name}`, change);
  run.print(answer, `Changed ticket ${answer.ticket.ref}.\n`);
}

async function commentTicket(run: Run, name: string, text: string): Promise<undefined> {
  const answer = await run.send<CommentAnswer>("POST", path`/api/tickets/${name}/comments`, {
    text: await textInput(text, run.terminal),
  });
  run.print(answer, `Commented on ${name.toUpperCase()}.\n`);
}

async function deleteTicket(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<Done>("DELETE", path`/api/tickets/${name}`), `Deleted ${name.toUpperCase()}.\n`);
}

/** What was given; the API says which values there are. */
async function changeOf(run: Run, options: TicketOptions): Promise<TicketEdit> {
  const { title, description, status, priority, assignee, label, labels } = options;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description: await textInput(description, run.terminal) }),
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
