import { toolOf } from "../../contract/define-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

/** The tool through which others are called where a list cannot change. */
export const CALL_TOOL = "call_tool";

const MAX_NAME = 200;

interface Args {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/**
 * Calls another tool, for clients whose lists cannot change: the call that it describes takes its place before anything
 * else is looked at, so that grants, rules and the audit know of that one only.
 */
export function callToolTool(): Tool {
  const tool = toolOf<Args>(
    {
      name: CALL_TOOL,
      title: "Call a tool",
      domain: "toolboxes",
      description:
        "Call a tool that is not in your list, by the name and with the arguments that tool_search showed. Tools in your list you call directly.",
      properties: {
        name: { type: "string", minLength: 1, maxLength: MAX_NAME, description: "The name of the tool." },
        arguments: {
          type: "object",
          additionalProperties: true,
          description: "What the tool takes, as its schema says.",
        },
      },
      required: ["name"],
      scope: "tools",
      // Which of the arguments of a tool are secret only that tool knows.
      shownArguments: (args) => {
        const name = isRecord(args) && args.name;
        return typeof name === "string" ? { name: name.slice(0, MAX_NAME) } : {};
      },
      run: () =>
        Promise.reject(new Error("a call of call_tool stands for another one and never runs itself")),
    },
    { origin: "native", floor: true, wildcard: true },
    () => undefined,
  );
  return {
    ...tool,
    standsFor: ({ name, arguments: args = {} }) => ({ name: name as string, arguments: args }),
  };
}
