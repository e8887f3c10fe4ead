import type { WebClient } from "./web-client.ts";

/** What the tools that fetch need. */
export interface WebDeps {
  readonly client: WebClient;
}

/** Beyond every limit that people can set: those count, and this only has to come later. */
export const WEB_TOOL_TIMEOUT_MS = 600_000;
