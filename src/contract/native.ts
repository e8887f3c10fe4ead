import type { ToolSource } from "./tool.ts";

/** The tools that come with Toolkeep. */
export interface Native extends ToolSource {
  close(): Promise<void>;
}
