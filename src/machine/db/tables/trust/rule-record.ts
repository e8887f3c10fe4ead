/** A rule that a person, or an answer of one, put into the store. */
export interface RuleRecord {
  readonly id: string;
  /** Null: for every agent. */
  readonly agentId: string | null;
  /** Only in this conversation of the agent; null: in all. */
  readonly conversation: string | null;
  readonly permission: string;
  /** A glob, or globs by what they are about; null: every call. */
  readonly pattern: string | Readonly<Record<string, string | readonly string[]>> | null;
  readonly action: "allow" | "ask" | "deny";
  /** A deny that nothing loosens. */
  readonly final: boolean;
  /** Only once the conversation has this label. */
  readonly after: string | null;
  readonly note: string;
  /** Who made it, in words: `operator`, the id of an approval. */
  readonly createdBy: string;
  readonly createdAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;
  /** The approval whose answer it is; null: somebody wrote it. */
  readonly questionId: string | null;
}

/** Those of an agent go with it. Every process notices a change. */
export interface RuleStore {
  /** In the order they were made; at most 20,000. */
  list(): Promise<RuleRecord[]>;
  create(rule: RuleRecord): Promise<void>;
  /** The one with the same id becomes this one. */
  replace(rule: RuleRecord): Promise<void>;
  delete(id: string): Promise<void>;
}
