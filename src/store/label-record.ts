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

export interface LabelStore {
  /** Those labelled at this time or later, oldest first; of more than `limit` the newest. */
  list(since: number, limit: number): Promise<LabelRecord[]>;
  /** The conversation has exactly these from now on. Every process notices. */
  put(record: LabelRecord): Promise<void>;
}
