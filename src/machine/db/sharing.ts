/**
 * Coordinates processes that share one database: they announce changes and agree on which one does a job that only one
 * may do.
 */

/** The subject of a change. `server_lists`: the lists of servers, and the names of their tools. */
export const CHANGE_KINDS = [
  "agents",
  "tokens",
  "people",
  "toolboxes",
  "servers",
  "server_lists",
  "secrets",
  "custom_tools",
  "plugins",
  "sources",
  "activations",
  "rules",
  "labels",
  "everything",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The order in which a question goes through them, as far as it does. */
export const QUESTION_STATES = ["pending", "answered", "dismissed", "used"] as const;
export type QuestionState = (typeof QUESTION_STATES)[number];

export interface MovedQuestion {
  readonly id: string;
  readonly state: QuestionState;
}

export interface StoreFollower {
  /**
   * Other processes changed these. Never called twice at once: what comes meanwhile comes together afterwards. When it
   * rejects it is called again a second later, with `everything`. Of a kind that is in `about`, only these changed: of
   * `activations` the conversations (`conversationKey`).
   */
  reload(kinds: ReadonlySet<ChangeKind>, about?: ReadonlyMap<ChangeKind, ReadonlySet<string>>): Promise<void>;
  /** Another process has brought a question into this state. */
  question(moved: MovedQuestion): void;
  /** Changes come late for now, and why. Told once until it works again. */
  onProblem(cause: unknown): void;
  /** Changes are heard of again; once after each `onProblem`. */
  onRecovered?(): void;
}

export interface Following {
  /** Resolves once, when changes are first heard of as they happen. */
  readonly listening: Promise<void>;
  /** Resolves when the last `reload` has ended; none follows. */
  close(): Promise<void>;
}

/**
 * Both functions are for processes on one database. If there can be only one process, it follows nobody and always
 * leads.
 */
export interface Sharing {
  /**
   * Tells what other processes change from revision `since` on: within milliseconds, and at the latest a second or two
   * after the database answers again. What this process changes itself is not told.
   */
  follow(since: number, follower: StoreFollower): Following;
  /**
   * Runs `work` in one process at a time: waits until no other one leads `job`, then works until `work` resolves or its
   * signal aborts, because `signal` did or because the lead was lost; when it was lost, waits for it again. Resolves
   * when `work` ended by itself or `signal` aborted; rejects with what `work` rejects with while it leads.
   */
  lead(job: string, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
  /**
   * Does the same without waiting: resolves with false, and does nothing, if another process leads `job` now. A lost
   * lead is not taken again; `work` learns of it by its signal.
   */
  attempt(job: string, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean>;
}
