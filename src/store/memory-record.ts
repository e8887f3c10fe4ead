/** Something an agent wants to know later. */
export interface MemoryRecord {
  readonly id: string;
  /** Whose it is. */
  readonly agentId: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** Grows with every change of text or tags. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it was last among what a recall found; null: never. */
  readonly lastUsedAt: number | null;
}

export interface MemoryStore {
  /** Newest first, at most 500; `agentId` absent: of everybody. */
  list(filter: { limit: number; offset: number; agentId?: string }): Promise<MemoryRecord[]>;
  count(agentId?: string): Promise<number>;
  get(id: string): Promise<MemoryRecord | undefined>;
  /** Those of the ids that exist, in no order. */
  among(ids: readonly string[]): Promise<MemoryRecord[]>;
  /** What an agent has, and in which revision: whoever holds some of it learns by this what to read again. */
  revisions(agentId: string): Promise<{ id: string; revision: number }[]>;
  /** False, and nothing is kept, when the agent has `most` already, whatever other processes create meanwhile. */
  create(memory: MemoryRecord, most: number): Promise<boolean>;
  /** Raises the revision; resolves with what is kept now. */
  update(
    id: string,
    change: Partial<Pick<MemoryRecord, "text" | "tags">> & { updatedAt: number },
  ): Promise<MemoryRecord>;
  /** Notes a use; the revision stays. */
  touch(ids: readonly string[], at: number): Promise<void>;
  delete(id: string): Promise<void>;
}
