import type { Capability, Tool, ToolContext, ToolResult, ToolStatus } from "../../contract/tool.ts";
import { getEffectiveFlags, type PluginToolDefinition } from "./definitions.ts";
import { getOrigin } from "./names.ts";

/** The part of a plugin that its tools need. */
export interface ToolHost {
  readonly plugin: string;
  /** Whether a person who enabled it said that its flags are to be believed. */
  readonly trusted: boolean;
  readonly capabilities: readonly Capability[];
  status(): ToolStatus;
  run(tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** A tool of a plugin, under the name it was given: only by name or pattern in a toolbox. */
export function pluginTool(definition: PluginToolDefinition, name: string, host: ToolHost): Tool {
  const { ownName, title, description, inputSchema, outputSchema, timeoutMs, warning } = definition;
  const flags = getEffectiveFlags(definition.flags, host.trusted);
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
    capabilities: host.capabilities,
    // A plugin with network or shell access may return content from anyone.
    ...(host.capabilities.some((each) => each === "net" || each === "shell") && {
      labels: ["untrusted_content"],
    }),
    scope: "tools",
    availability: "both",
    floor: false,
    wildcard: false,
    origin: getOrigin(host.plugin),
    timeoutMs,
    status: () => host.status(),
    run: (args, context) => host.run(ownName, args, context),
  };
}
