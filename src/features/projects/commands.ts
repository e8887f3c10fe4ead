import { type CommandOption, defineCommand } from "../../contract/define-command.ts";

const HEADING = "People and agents";
const STATUSES = "open, in_progress, blocked, review, done or cancelled";

export const projectCommand = defineCommand({
  name: "project",
  heading: HEADING,
  summary: "Manage projects that agents and people share",
  commands: [
    {
      usage: "list",
      summary: "List active projects",
      options: [
        { flags: "--archived", summary: "Only archived projects" },
        { flags: "--all", summary: "Include archived projects" },
      ],
      isPaged: true,
      load: async () => (await import("./project-command.ts")).listProjects,
    },
    {
      usage: "show <project>",
      summary: "Show a project by its key, id or name",
      examples: ["TK"],
      load: async () => (await import("./project-command.ts")).showProject,
    },
    {
      usage: "create <name>",
      summary: "Create a project",
      options: [
        {
          flags: "--key <key>",
          summary: "Prefix of its ticket names: 2 to 10 letters and digits (default: derived from the name)",
        },
        { flags: "--description <text>", summary: "Description; - reads standard input" },
      ],
      examples: ["'Tool keeper' --key TK"],
      load: async () => (await import("./project-command.ts")).createProject,
    },
    {
      usage: "edit <project>",
      summary: "Change a project",
      options: [
        { flags: "--name <name>", summary: "New name" },
        { flags: "--description <text>", summary: "Description; - reads standard input" },
        { flags: "--status <status>", summary: "New status: active or archived" },
      ],
      examples: ["TK --name Toolkeep", "TK --status active"],
      load: async () => (await import("./project-command.ts")).editProject,
    },
    {
      usage: "archive <project>",
      summary: "Archive a project, which makes it read-only",
      examples: ["TK"],
      load: async () => (await import("./project-command.ts")).archiveProject,
    },
    {
      usage: "delete <project>",
      summary: "Delete a project with its tickets and notes; archive it first unless it is empty",
      options: [{ flags: "--force", summary: "Delete it even if it is active and not empty" }],
      asks: (name) => `Delete project ${name} with its tickets and notes?`,
      examples: ["TK"],
      load: async () => (await import("./project-command.ts")).deleteProject,
    },
    {
      usage: "notes <project> [words...]",
      summary: "Show the notes of a project, or search them",
      options: [{ flags: "--tag <tag>", summary: "Only notes with this tag" }],
      isPaged: true,
      examples: ["TK how to deploy"],
      load: async () => (await import("./project-command.ts")).showNotes,
    },
  ],
});

const TICKET_OPTIONS: readonly CommandOption[] = [
  { flags: "--description <text>", summary: "Description; - reads standard input" },
  { flags: "--status <status>", summary: `Status: ${STATUSES}` },
  { flags: "--priority <priority>", summary: "Priority: low, normal, high or urgent" },
  { flags: "--assignee <agent>", summary: "Agent to assign it to; nobody removes the assignee" },
  { flags: "--label <label>", summary: "Label (repeatable); replaces all labels", isRepeatable: true },
];

export const ticketCommand = defineCommand({
  name: "ticket",
  heading: HEADING,
  summary: "Manage the tickets of projects",
  commands: [
    {
      usage: "list",
      summary: "List unfinished tickets, newest first",
      options: [
        { flags: "--project <project>", summary: "Only tickets of this project" },
        {
          flags: "--status <status>",
          summary: `Only tickets in this status: ${STATUSES.replace(" or", ",")}, unfinished or any`,
          default: "unfinished",
        },
        { flags: "--priority <priority>", summary: "Priority: low, normal, high or urgent" },
        {
          flags: "--assignee <agent>",
          summary: "Only tickets of this agent; nobody for unassigned tickets",
        },
        { flags: "--label <label>", summary: "Only tickets with this label" },
        {
          flags: "--text <words>",
          summary: "Only tickets with all these words in title or description",
        },
      ],
      isPaged: true,
      examples: ["--project TK --status any", "--assignee nobody"],
      load: async () => (await import("./ticket-command.ts")).listTickets,
    },
    {
      usage: "show <ticket>",
      summary: "Show a ticket and its comments",
      examples: ["TK-12"],
      load: async () => (await import("./ticket-command.ts")).showTicket,
    },
    {
      usage: "create <title>",
      summary: "Create a ticket",
      options: [
        { flags: "--project <project>", summary: "Project that the ticket belongs to", isRequired: true },
        ...TICKET_OPTIONS,
      ],
      examples: ["'Names are cut' --project TK --priority high --assignee coder"],
      load: async () => (await import("./ticket-command.ts")).createTicket,
    },
    {
      usage: "edit <ticket>",
      summary: "Change a ticket",
      options: [
        { flags: "--title <text>", summary: "New title" },
        { flags: "--no-labels", summary: "Remove all labels" },
        ...TICKET_OPTIONS,
      ],
      examples: ["TK-12 --status done", "TK-12 --assignee nobody --label bug --label ui"],
      load: async () => (await import("./ticket-command.ts")).editTicket,
    },
    {
      usage: "comment <ticket> <text>",
      summary: "Comment on a ticket; - reads standard input",
      examples: ["TK-12 'Seen on macOS too.'"],
      load: async () => (await import("./ticket-command.ts")).commentTicket,
    },
    {
      usage: "delete <ticket>",
      summary: "Delete a ticket with its comments",
      asks: (name) => `Delete ticket ${name} and its comments?`,
      examples: ["TK-12"],
      load: async () => (await import("./ticket-command.ts")).deleteTicket,
    },
  ],
});
