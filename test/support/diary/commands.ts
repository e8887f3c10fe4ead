import { defineCommand } from "../../../src/contract/define-command.ts";

export const diaryCommand = defineCommand({
  name: "diary",
  heading: "People and agents",
  summary: "a diary that agents and people share",
  commands: [
    {
      usage: "list",
      summary: "list the entries",
      load: async () => (await import("./diary-command.ts")).listEntries,
    },
    {
      usage: "write <day> <text>",
      summary: "write an entry",
      examples: ["2026-11-18 'It rained.'"],
      load: async () => (await import("./diary-command.ts")).writeEntry,
    },
  ],
});
