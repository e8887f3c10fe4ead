import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

/** Where tools name the resource that shows their results (MCP Apps), and where they did so first. */
const UI = "ui";
const FORMER = "ui/resourceUri";

/** The URI of a tool's user interface; undefined where it has none. */
export function interfaceOf({ published }: Pick<Tool, "published">): string | undefined {
  const meta = isRecord(published?._meta) ? published._meta : {};
  const uri = (isRecord(meta[UI]) ? meta[UI].resourceUri : undefined) ?? meta[FORMER];
  return typeof uri === "string" && uri.startsWith("ui://") ? uri : undefined;
}

/** What of a tool is shown in lists. */
export type ShownTool = Pick<
  Tool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "flags" | "published"
>;

/** The same tool with another URI for its user interface. */
export function withInterface(tool: ShownTool, resourceUri: string): ShownTool {
  const meta = isRecord(tool.published?._meta) ? tool.published._meta : {};
  const _meta = {
    ...meta,
    ...(isRecord(meta[UI]) ? { [UI]: { ...meta[UI], resourceUri } } : {}),
    ...(meta[FORMER] === undefined ? {} : { [FORMER]: resourceUri }),
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
