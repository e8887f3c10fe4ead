import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { ListedTool } from "../../call/catalog/tool-interface.ts";
import type { JsonSchema, ToolFlags } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

/** A tool as MCP lists it: with what its origin published, or with annotations derived from its flags. */
export function toMcpTool(tool: ListedTool, name = tool.name, description = tool.description): McpTool {
  const { annotations, icons, _meta } = tool.published ?? {};
  const mcpTool = {
    name,
    ...(tool.title !== undefined && { title: tool.title }),
    description,
    inputSchema: { ...replaceBooleanSchemas(tool.inputSchema), type: "object" },
    // Clients up to 2025-11-25 accept only structured results that are objects.
    ...(isObjectSchema(tool.outputSchema) && { outputSchema: tool.outputSchema }),
    annotations: annotations ?? deriveAnnotations(tool.flags),
    ...(icons !== undefined && { icons }),
    ...(_meta !== undefined && { _meta }),
  };
  // One malformed tool would make clients refuse the whole list.
  return isListable(mcpTool) ? mcpTool : toBareTool(tool, name, description);
}

function toBareTool(tool: ListedTool, name: string, description: string): McpTool {
  return {
    name,
    description,
    inputSchema: { type: "object" },
    annotations: deriveAnnotations(tool.flags),
  };
}

function deriveAnnotations(flags: ToolFlags): NonNullable<McpTool["annotations"]> {
  return flags.readOnly
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: flags.destructive };
}

/** Whether clients accept the tool: checks the parts of MCP's schema that a server can get wrong. */
function isListable(tool: Readonly<Record<string, unknown>>): tool is McpTool {
  const { inputSchema, annotations, icons, _meta } = tool;
  return (
    isTextOrAbsent(tool.title) &&
    isObjectSchema(inputSchema) &&
    areAnnotations(annotations) &&
    (icons === undefined || (Array.isArray(icons) && icons.every(isIcon))) &&
    (_meta === undefined || isRecord(_meta))
  );
}

function isObjectSchema(schema: unknown): boolean {
  if (!isRecord(schema) || schema.type !== "object") return false;
  const { properties, required } = schema;
  const areSchemas =
    properties === undefined || (isRecord(properties) && Object.values(properties).every(isRecord));
  return areSchemas && (required === undefined || areTexts(required));
}

/** Replaces `true` and `false` by equivalent objects: they are valid schemas, but clients up to 2025-11-25 reject them. */
function replaceBooleanSchemas(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!isRecord(properties) || !Object.values(properties).some((value) => typeof value === "boolean"))
    return schema;
  const entries = Object.entries(properties).map(([name, value]) => [
    name,
    typeof value === "boolean" ? (value ? {} : { not: {} }) : value,
  ]);
  return { ...schema, properties: Object.fromEntries(entries) };
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

function areAnnotations(annotations: unknown): boolean {
  return (
    isRecord(annotations) &&
    isTextOrAbsent(annotations.title) &&
    HINTS.every((hint) => annotations[hint] === undefined || typeof annotations[hint] === "boolean")
  );
}

function isIcon(icon: unknown): boolean {
  if (!isRecord(icon) || typeof icon.src !== "string") return false;
  const { sizes, theme } = icon;
  return (
    isTextOrAbsent(icon.mimeType) &&
    (sizes === undefined || areTexts(sizes)) &&
    (theme === undefined || theme === "light" || theme === "dark")
  );
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
