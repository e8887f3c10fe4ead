/** How long it counts that a tool was called after a search, when it is not called again. */
export const TOOL_USE_KEPT_MS = 90 * 24 * 3_600_000;

/** That an agent called a tool which a search with this term had found. */
export interface ToolUseRecord {
  readonly agentId: string;
  /** One word of a query, as it is compared. */
  readonly term: string;
  readonly tool: string;
  /** How often. */
  readonly count: number;
  readonly usedAt: number;
}

export interface ToolUseStore {
  /** Of one agent, the newest first; at most `limit`. */
  list(agentId: string, limit: number): Promise<ToolUseRecord[]>;
  /** One more for each term; of the agent's no more than `most` stay, those used longest ago go. */
  add(agentId: string, terms: readonly string[], tool: string, at: number, most: number): Promise<void>;
}
