/** The part of the contract about how it goes: `GET /api/home`. */

export interface CallMinute {
  readonly at: number;
  readonly calls: number;
  /** Something went wrong: with the tool, its server, or Toolkeep. */
  readonly failed: number;
  /** Somebody was not allowed, or asked for what there is not. */
  readonly refused: number;
  /** 95 of 100 calls took no longer, within a fifth; null where there were none. */
  readonly p95Ms: number | null;
}

/** Of the last calls that a server answered. */
export interface ServerLatency {
  readonly server: string;
  /** Since the daemon started. */
  readonly calls: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** About how many tokens the tools of an agent take in the prompts of a conversation that begins. */
export interface AgentTokens {
  readonly agent: string;
  readonly listed: number;
  /** Left to `tool_search`: kept out of each prompt. */
  readonly deferred: number;
}

export interface Home {
  /** The last hour, oldest first; since the daemon started. */
  readonly minutes: readonly CallMinute[];
  readonly latencies: readonly ServerLatency[];
  /** Of at most 20 agents. */
  readonly tokens: readonly AgentTokens[];
  /** What waits for a person. */
  readonly waiting: {
    readonly approvals: number;
    readonly questions: number;
    readonly notifications: number;
    /** Servers to approve, and to sign in to. */
    readonly servers: number;
    /** What pinned servers publish that nobody has accepted. */
    readonly changes: number;
  };
}
