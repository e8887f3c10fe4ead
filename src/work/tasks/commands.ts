import { defineCommand } from "../../contract/define-command.ts";

export const taskCommand = defineCommand({
  name: "task",
  heading: "People and agents",
  summary: "Manage the tasks of sub-agents",
  commands: [
    {
      usage: "list",
      summary: "List tasks",
      options: [{ flags: "--agent <name>", summary: "Only tasks of this agent" }],
      examples: ["--agent scout1"],
      load: async () => (await import("./task-command.ts")).listTasks,
    },
    {
      usage: "show <id>",
      summary: "Show a task with its instructions",
      examples: ["tsk_2f7k"],
      load: async () => (await import("./task-command.ts")).showTask,
    },
    {
      usage: "create <title>",
      summary: "Give a sub-agent a task",
      options: [
        { flags: "--agent <name>", summary: "Sub-agent that does it", isRequired: true },
        { flags: "--instructions <text>", summary: "Everything the sub-agent needs to know" },
      ],
      examples: ["'Collect the release notes' --agent scout1"],
      load: async () => (await import("./task-command.ts")).createTask,
    },
    {
      usage: "cancel <id>",
      summary: "Cancel an unfinished task",
      options: [{ flags: "--reason <text>", summary: "Reason, which the sub-agent is told" }],
      examples: ["tsk_2f7k --reason 'done by hand'"],
      load: async () => (await import("./task-command.ts")).cancelTask,
    },
  ],
});
