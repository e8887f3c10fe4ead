import type { ToolboxRecord } from "../store/store.ts";

/** Written at every start, read-only. */
export const BUILTIN_TOOLBOXES: readonly Pick<ToolboxRecord, "name" | "description" | "tools">[] = [
  {
    name: "all",
    description:
      "Every native tool and every enabled custom tool. Tools of MCP servers and plugins are listed by name.",
    tools: ["*"],
  },
];
