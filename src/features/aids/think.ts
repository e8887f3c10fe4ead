import { defineTool, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";

export function thinkTool(): Tool {
  return defineTool<{ readonly thought: string }>({
    name: "think",
    title: "Think",
    domain: "work",
    description:
      "Write down a thought: a plan, what a result means, what could go wrong. It changes nothing and is shown to nobody; it only gives room to reason before acting.",
    properties: { thought: { type: "string", minLength: 1, maxLength: 50_000, description: "The thought." } },
    required: ["thought"],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "tools",
    run: async () => output("Noted."),
  });
}
