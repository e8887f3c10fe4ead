import type { OutcomeName } from "../tool.ts";

/** One line of the audit. */
export interface CallRecord {
  readonly id: string;
  readonly agentId: string;
  readonly tokenId: string | null;
  readonly conversation: string;
  readonly via: string;
  /** As the caller named it. */
  readonly requested: string;
  /** As resolved; null when it was not. */
  readonly tool: string | null;
  /** JSON, secrets redacted, cut at 4 kB. */
  readonly arguments: string;
  /** `allow`, `deny`, `ask`, or null when the call never got so far. */
  readonly decision: string | null;
  readonly rule: string | null;
  /** Null while a destructive call is under way. */
  readonly outcome: OutcomeName | null;
  readonly error: string | null;
  readonly startedAt: number;
  readonly durationMs: number | null;
}

export interface CallFilter {
  readonly limit: number;
  /** How many to leave out first. */
  readonly offset?: number;
  readonly agentId?: string;
  /** As resolved. */
  readonly tool?: string;
  readonly conversation?: string;
  /** Began at this time or later, at this time or before. */
  readonly since?: number;
  readonly until?: number;
}

export interface CallStore {
  /** Inserts, or replaces the row of the same id (an intent becomes a record). */
  put(calls: readonly CallRecord[]): Promise<void>;
  /** Newest first, at most 1,000. */
  list(filter: CallFilter): Promise<CallRecord[]>;
}
