import { toolOf } from "../../contract/define-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

/** The tool that calls other tools, for clients whose list cannot change. */
export const CALL_TOOL = "call_tool";

const MAX_NAME = 200;

interface Args {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/**
 * Calls another tool, for clients whose list cannot change. The call that it describes replaces it before anything else
 * is checked, so that grants, rules and the audit see only that call.
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
      // Only the inner tool knows which of its arguments are secret.
      shownArguments: (args) => {
        const name = isRecord(args) && args.name;
        return typeof name === "string" ? { name: name.slice(0, MAX_NAME) } : {};
      },
      run: () =>
        Promise.reject(
          new Error("call_tool never runs itself: the executor replaces it by the call that it describes"),
        ),
    },
    { origin: "native", floor: true, wildcard: true },
    () => undefined,
  );
  return {
    ...tool,
    standsFor: ({ name, arguments: args = {} }) => ({ name: name as string, arguments: args }),
  };
}
