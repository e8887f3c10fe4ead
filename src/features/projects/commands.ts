import { type CommandOption, defineCommand } from "../../contract/define-command.ts";

const HEADING = "People and agents";
const STATUSES = "open, in_progress, blocked, review, done or cancelled";

export const projectCommand = defineCommand({
  name: "project",
  heading: HEADING,
  summary: "projects that agents and people work on together",
  commands: [
    {
      usage: "list",
      summary: "list the projects that are active",
      options: [
        { flags: "--archived", summary: "only archived ones" },
        { flags: "--all", summary: "archived ones too" },
      ],
      isPaged: true,
      load: async () => (await import("./project-command.ts")).listProjects,
    },
    {
      usage: "show <project>",
      summary: "show a project by its key, id or name",
      examples: ["TK"],
      load: async () => (await import("./project-command.ts")).showProject,
    },
    {
      usage: "create <name>",
      summary: "create a project",
      options: [
        {
          flags: "--key <key>",
          summary: "2 to 10 letters and digits that tickets are named after; made from the name unless given",
        },
        { flags: "--description <text>", summary: "what it is about; - reads it from standard input" },
      ],
      examples: ["'Tool keeper' --key TK"],
      load: async () => (await import("./project-command.ts")).createProject,
    },
    {
      usage: "edit <project>",
      summary: "change a project; what is not given stays",
      options: [
        { flags: "--name <name>", summary: "what it is called" },
        { flags: "--description <text>", summary: "what it is about; - reads it from standard input" },
        { flags: "--status <status>", summary: "active or archived" },
      ],
      examples: ["TK --name Toolkeep", "TK --status active"],
      load: async () => (await import("./project-command.ts")).editProject,
    },
    {
      usage: "archive <project>",
      summary: "archive a project: nothing in it can be changed until it is active again",
      examples: ["TK"],
      load: async () => (await import("./project-command.ts")).archiveProject,
    },
    {
      usage: "delete <project>",
      summary: "delete a project with its tickets and notes; archive it first unless it is empty",
      options: [{ flags: "--force", summary: "also one that is active and not empty" }],
      asks: (name) => `Delete project ${name} with its tickets and notes?`,
      examples: ["TK"],
      load: async () => (await import("./project-command.ts")).deleteProject,
    },
    {
      usage: "notes <project> [words...]",
      summary: "show the notes of a project, or those that the words find",
      options: [{ flags: "--tag <tag>", summary: "only those with this tag" }],
      isPaged: true,
      examples: ["TK how to deploy"],
      load: async () => (await import("./project-command.ts")).showNotes,
    },
  ],
});

const TICKET_OPTIONS: readonly CommandOption[] = [
  { flags: "--description <text>", summary: "what is wanted and why; - reads it from standard input" },
  { flags: "--status <status>", summary: STATUSES },
  { flags: "--priority <priority>", summary: "low, normal, high or urgent" },
  { flags: "--assignee <agent>", summary: "the agent that does it; nobody for no one" },
  { flags: "--label <label>", summary: "its labels, all of them (repeatable)", isRepeatable: true },
];

export const ticketCommand = defineCommand({
  name: "ticket",
  heading: HEADING,
  summary: "the work of a project, one piece each",
  commands: [
    {
      usage: "list",
      summary: "list the tickets that are not finished, newest first",
      options: [
        { flags: "--project <project>", summary: "only those of this project" },
        {
          flags: "--status <status>",
          summary: `${STATUSES.replace(" or", ",")}, unfinished or any`,
          default: "unfinished",
        },
        { flags: "--priority <priority>", summary: "low, normal, high or urgent" },
        {
          flags: "--assignee <agent>",
          summary: "only those of this agent; nobody for those that no one has",
        },
        { flags: "--label <label>", summary: "only those with this label" },
        {
          flags: "--text <words>",
          summary: "only those in whose title or description all these words occur",
        },
      ],
      isPaged: true,
      examples: ["--project TK --status any", "--assignee nobody"],
      load: async () => (await import("./ticket-command.ts")).listTickets,
    },
    {
      usage: "show <ticket>",
      summary: "show a ticket and its comments",
      examples: ["TK-12"],
      load: async () => (await import("./ticket-command.ts")).showTicket,
    },
    {
      usage: "create <title>",
      summary: "create a ticket",
      options: [
        { flags: "--project <project>", summary: "where it belongs", isRequired: true },
        ...TICKET_OPTIONS,
      ],
      examples: ["'Names are cut' --project TK --priority high --assignee coder"],
      load: async () => (await import("./ticket-command.ts")).createTicket,
    },
    {
      usage: "edit <ticket>",
      summary: "change a ticket; what is not given stays",
      options: [
        { flags: "--title <text>", summary: "one line" },
        { flags: "--no-labels", summary: "take its labels away" },
        ...TICKET_OPTIONS,
      ],
      examples: ["TK-12 --status done", "TK-12 --assignee nobody --label bug --label ui"],
      load: async () => (await import("./ticket-command.ts")).editTicket,
    },
    {
      usage: "comment <ticket> <text>",
      summary: "comment on a ticket; - reads the text from standard input",
      examples: ["TK-12 'Seen on macOS too.'"],
      load: async () => (await import("./ticket-command.ts")).commentTicket,
    },
    {
      usage: "delete <ticket>",
      summary: "delete a ticket with its comments",
      asks: (name) => `Delete ticket ${name} and its comments?`,
      examples: ["TK-12"],
      load: async () => (await import("./ticket-command.ts")).deleteTicket,
    },
  ],
});
