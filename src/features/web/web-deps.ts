import type { WebClient } from "./web-client.ts";

export interface WebDeps {
  readonly client: WebClient;
}

/** Longer than every limit in the settings, which are the ones that count. */
export const WEB_TOOL_TIMEOUT_MS = 600_000;
