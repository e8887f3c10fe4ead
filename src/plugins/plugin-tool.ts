import type { Tool, ToolContext, ToolResult, ToolStatus } from "../tool.ts";
import type { PluginToolDefinition } from "./definitions.ts";
import { originOf } from "./names.ts";

/** What a tool needs of the plugin that it belongs to. */
export interface ToolHost {
  readonly plugin: string;
  status(): ToolStatus;
  run(tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** A tool of a plugin, under the name it was given: only by name or pattern in a toolbox. */
export function pluginTool(definition: PluginToolDefinition, name: string, host: ToolHost): Tool {
  const { ownName, title, description, inputSchema, outputSchema, flags, timeoutMs, warning } = definition;
  return {
    name,
    ownName,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(warning !== undefined && { warning }),
    published: {
      annotations: {
        ...(title !== undefined && { title }),
        readOnlyHint: flags.readOnly,
        destructiveHint: flags.destructive,
      },
    },
    flags,
    scope: "tools",
    availability: "both",
    floor: false,
    wildcard: false,
    origin: originOf(host.plugin),
    timeoutMs,
    status: () => host.status(),
    run: (args, context) => host.run(ownName, args, context),
  };
}
