/** After this a conversation counts as a new one. */
export const LABELS_KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** What a conversation has come in touch with, for flow rules. */
export interface LabelRecord {
  readonly agentId: string;
  readonly conversation: string;
  /** None: a person cleared them. */
  readonly labels: readonly string[];
  /** When the last of them came or was met again, or when they were cleared. */
  readonly labelledAt: number;
}

/** How long labels of content are kept after it was written or read last. */
export const CONTENT_LABELS_KEPT_MS = 365 * 24 * 60 * 60 * 1_000;

/** What a memory, a ticket or a report was written by a conversation that had come in touch with. */
export interface ContentLabelRecord {
  /** That of the memory, the ticket … */
  readonly id: string;
  readonly labels: readonly string[];
  readonly labelledAt: number;
}

export interface ContentLabelStore {
  /** Of these, those that have labels. */
  get(ids: readonly string[]): Promise<ContentLabelRecord[]>;
  /** They have exactly these from now on. */
  put(records: readonly ContentLabelRecord[]): Promise<void>;
}

export interface LabelStore {
  /** Those labelled at this time or later, oldest first; of more than `limit` the newest. */
  list(since: number, limit: number): Promise<LabelRecord[]>;
  /** The conversation has exactly these from now on. Every process notices. */
  put(record: LabelRecord): Promise<void>;
}
