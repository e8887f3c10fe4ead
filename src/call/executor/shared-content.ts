import type { Caller } from "../../contract/caller.ts";
import type { SharedContent, Tool, ToolResult } from "../../contract/tool.ts";
import type { Watchdog } from "../rules/watchdog.ts";

/**
 * Notes the labels of what a tool gave the caller, and gives them to what it wrote for others. Only tools over what agents
 * leave behind have anything to wait for.
 */
export function noteContent(
  caller: Caller,
  tool: Tool,
  result: ToolResult,
  watchdog: Pick<Watchdog, "read" | "labelsOfContent" | "wroteContent">,
): Promise<void> | undefined {
  const content = result.kind === "output" ? result.shared : undefined;
  watchdog.read(caller, tool, content?.labels);
  return content && noteShared(caller, tool, content, watchdog);
}

async function noteShared(
  caller: Caller,
  tool: Tool,
  { gave = [], wrote = [] }: SharedContent,
  watchdog: Pick<Watchdog, "read" | "labelsOfContent" | "wroteContent">,
): Promise<void> {
  if (gave.length > 0 && !caller.operator) watchdog.read(caller, tool, await watchdog.labelsOfContent(gave));
  if (wrote.length > 0) await watchdog.wroteContent(caller, wrote);
}
