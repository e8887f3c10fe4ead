import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

/** Where tools name the resource that shows their results (MCP Apps); the second key is the older one. */
const UI = "ui";
const LEGACY_UI = "ui/resourceUri";

/** The URI of a tool's user interface, if it has one. */
export function interfaceOf({ published }: Pick<Tool, "published">): string | undefined {
  const meta = isRecord(published?._meta) ? published._meta : {};
  const uri = (isRecord(meta[UI]) ? meta[UI].resourceUri : undefined) ?? meta[LEGACY_UI];
  return typeof uri === "string" && uri.startsWith("ui://") ? uri : undefined;
}

/** The parts of a tool that lists show. */
export type ListedTool = Pick<
  Tool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "flags" | "published"
>;

/** A copy of the tool with another URI for its user interface. */
export function withInterface(tool: ListedTool, resourceUri: string): ListedTool {
  const meta = isRecord(tool.published?._meta) ? tool.published._meta : {};
  const _meta = {
    ...meta,
    ...(isRecord(meta[UI]) ? { [UI]: { ...meta[UI], resourceUri } } : {}),
    ...(meta[LEGACY_UI] === undefined ? {} : { [LEGACY_UI]: resourceUri }),
  };
  const { name, title, description, inputSchema, outputSchema, flags } = tool;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    flags,
    published: { ...tool.published, _meta },
  };
}
