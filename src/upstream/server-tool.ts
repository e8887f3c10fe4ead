import { isRecord } from "../lib/json.ts";
import type { JsonSchema, Tool, ToolContext, ToolFlags, ToolResult, ToolStatus } from "../tool.ts";
import type { ToolDefinition } from "./tool-list.ts";

/** What a tool needs of the server it belongs to. */
export interface ToolHost {
  readonly serverName: string;
  readonly trusted: boolean;
  readonly timeoutMs: number;
  status(): ToolStatus;
  call(tool: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** A published definition as a tool of the catalogue, under the name it was given. */
export function serverTool(definition: ToolDefinition, name: string, host: ToolHost): Tool {
  const annotations = isRecord(definition.annotations) ? definition.annotations : {};
  const inputSchema = objectSchema(definition.inputSchema);
  const title = textOf(definition.title) ?? textOf(annotations.title);
  return {
    name,
    ownName: definition.name,
    ...(title === undefined ? {} : { title }),
    description: textOf(definition.description) ?? "",
    inputSchema,
    ...(isRecord(definition.outputSchema) ? { outputSchema: definition.outputSchema } : {}),
    published: published(definition),
    flags: flagsOf(annotations, host.trusted),
    scope: "mcp",
    availability: "both",
    floor: false,
    wildcard: false,
    origin: `mcp:${host.serverName}`,
    timeoutMs: host.timeoutMs,
    status: () => host.status(),
    run: (args, context) => host.call(definition.name, withoutApproved(args, inputSchema), context),
  };
}

/** A hint that tightens is believed from anyone, one that loosens only from a trusted server. */
function flagsOf(annotations: Readonly<Record<string, unknown>>, trusted: boolean): ToolFlags {
  const destructive = annotations.destructiveHint === true;
  const readOnly = trusted && annotations.readOnlyHint === true && !destructive;
  return { readOnly, concurrencySafe: readOnly, destructive };
}

function objectSchema(schema: unknown): JsonSchema {
  return isRecord(schema) && schema.type === "object" ? schema : { type: "object" };
}

function published(definition: ToolDefinition): Record<string, unknown> {
  const passedOn = ["title", "annotations", "icons", "_meta"].filter((key) => definition[key] !== undefined);
  return Object.fromEntries(passedOn.map((key) => [key, definition[key]]));
}

/** `approved` is how some hosts mark an approved call; it is theirs, not the server's, unless it asks for one. */
function withoutApproved(args: Readonly<Record<string, unknown>>, schema: JsonSchema) {
  if (!("approved" in args) || (isRecord(schema.properties) && "approved" in schema.properties)) return args;
  const { approved: _, ...rest } = args;
  return rest;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
