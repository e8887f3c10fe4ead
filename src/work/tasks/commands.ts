import { defineCommand } from "../../contract/define-command.ts";

export const taskCommand = defineCommand({
  name: "task",
  heading: "People and agents",
  summary: "what sub-agents were asked to do",
  commands: [
    {
      usage: "list",
      summary: "list the tasks",
      options: [{ flags: "--agent <name>", summary: "only those of this agent" }],
      examples: ["--agent scout1"],
      load: async () => (await import("./task-command.ts")).listTasks,
    },
    {
      usage: "show <id>",
      summary: "show a task with its instructions",
      examples: ["tsk_2f7k"],
      load: async () => (await import("./task-command.ts")).showTask,
    },
    {
      usage: "create <title>",
      summary: "give a sub-agent a task",
      options: [
        { flags: "--agent <name>", summary: "the sub-agent", isRequired: true },
        { flags: "--instructions <text>", summary: "all that is needed to do it" },
      ],
      examples: ["'Collect the release notes' --agent scout1"],
      load: async () => (await import("./task-command.ts")).createTask,
    },
    {
      usage: "cancel <id>",
      summary: "cancel an unfinished task",
      options: [{ flags: "--reason <text>", summary: "why; the sub-agent is told" }],
      examples: ["tsk_2f7k --reason 'done by hand'"],
      load: async () => (await import("./task-command.ts")).cancelTask,
    },
  ],
});
