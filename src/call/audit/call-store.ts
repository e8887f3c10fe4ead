import type { OutcomeName } from "../../contract/tool.ts";
import type { CallRecord } from "./contract.ts";

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

/** Where a page of calls ended. */
export interface CallPlace {
  readonly startedAt: number;
  readonly id: string;
}

/** Which records of a time, in which order, and where a page of them begins. */
export interface RecordRange<Place> {
  readonly limit: number;
  /** At this time or later, at this time or before; of a call, when it began. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly order?: "newest" | "oldest" | undefined;
  /** Those that follow this one in the order that is asked for. */
  readonly after?: Place | undefined;
}

export interface CallSearch extends RecordRange<CallPlace> {
  readonly agentId?: string | undefined;
  /** As resolved. */
  readonly tool?: string | undefined;
  readonly outcome?: OutcomeName | undefined;
  readonly decision?: string | undefined;
  readonly conversation?: string | undefined;
  /** Part of the name of a tool, as called or resolved, in whatever case. */
  readonly text?: string | undefined;
}

export interface CallPage {
  readonly calls: readonly CallRecord[];
  /** Where to read on; null: there is no more. A page may have fewer calls than asked for, and still more come. */
  readonly next: CallPlace | null;
}

/** How one call went, and nothing of what was in it. */
export type CallSample = Pick<CallRecord, "agentId" | "outcome" | "durationMs" | "startedAt">;

export interface CallStore {
  /** Inserts, or replaces the row of the same id (an intent becomes a record). */
  put(calls: readonly CallRecord[]): Promise<void>;
  /** Newest first, at most 1,000. */
  list(filter: CallFilter): Promise<CallRecord[]>;
  get(id: string): Promise<CallRecord | undefined>;
  /** How the newest calls of a tool went, newest first, at most 1,000. */
  sample(filter: {
    readonly tool: string;
    readonly since: number;
    readonly limit: number;
  }): Promise<CallSample[]>;
  /** At most 1,000 at once. What is written between two pages changes neither. */
  search(search: CallSearch): Promise<CallPage>;
}
