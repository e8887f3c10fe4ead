/** What kind of thing is remembered. */
export const MEMORY_TYPES = ["note", "fact", "preference", "decision", "event", "procedure"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** What a memory says, in one of its states. */
export interface MemoryContent {
  /** Names what it is about: its owner has one memory of a key (and label), which says what holds now. Null: it has none. */
  readonly key: string | null;
  readonly type: MemoryType;
  readonly text: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Who may see it: everybody who may see its owner's where null, else only who may see what bears the label. */
  readonly label: string | null;
  /** From then on it is there for nobody; null: it stays. */
  readonly expiresAt: number | null;
  /** The agent or person that said so; null: it is from before that was noted. */
  readonly writtenBy: string | null;
}

/** Something an agent wants to know later. */
export interface MemoryRecord extends MemoryContent {
  readonly id: string;
  /** Whose it is: the id of an agent, `operator`, or a shared space (`space:<name>`). */
  readonly agentId: string;
  /** Grows with every change of what it says. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it was last among what a recall found; null: never. */
  readonly lastUsedAt: number | null;
}

/** What a memory said before. */
export interface MemoryVersion extends MemoryContent {
  /** `<memory id>:<revision>` */
  readonly id: string;
  readonly memoryId: string;
  readonly agentId: string;
  readonly revision: number;
  /** From when until when it was so. */
  readonly updatedAt: number;
  readonly endedAt: number;
  /** Something else holds now, or nothing does: the memory was taken back. */
  readonly reason: "superseded" | "retracted";
  readonly endedBy: string | null;
}

/** Which memories are meant. */
export interface MemoryFilter {
  /** Absent: of everybody. */
  readonly agentId?: string;
  /** What has expired by then is left out. */
  readonly at: number;
  /** What bears none of these labels is left out, unless it bears none at all; absent: nothing is. */
  readonly labels?: readonly string[];
}

export interface MemoryPage {
  readonly limit: number;
  readonly offset: number;
}

/** Who changes a memory, and when. */
export interface MemoryEnd {
  readonly at: number;
  readonly by: string | null;
}

/** How much of what memories said before is kept: of one memory, and of one owner. */
export const VERSIONS_OF_MEMORY = 50;
export const VERSIONS_OF_OWNER = 10_000;

export interface MemoryStore {
  /** Newest first, at most 500. */
  list(filter: MemoryFilter & MemoryPage): Promise<MemoryRecord[]>;
  count(filter: MemoryFilter): Promise<number>;
  /** Expired or not, as long as it was not removed. */
  get(id: string): Promise<MemoryRecord | undefined>;
  /** The same, by their key: of each label there is one. */
  byKey(agentId: string, key: string): Promise<MemoryRecord[]>;
  /** Those of the ids that exist, in no order. */
  among(ids: readonly string[]): Promise<MemoryRecord[]>;
  /** What an agent has, and in which revision: whoever holds some of it learns by this what to read again. */
  revisions(agentId: string): Promise<{ id: string; revision: number }[]>;
  /**
   * False, and nothing is kept, when the agent has `most` of its label already, or of none, whatever other processes create meanwhile; what has expired
   * makes room. Throws NAME_TAKEN where it has a memory of the key and label.
   */
  create(memory: MemoryRecord, most: number): Promise<boolean>;
  /** Raises the revision and keeps what it said before; resolves with what is kept now. */
  update(id: string, change: Partial<MemoryContent>, end: MemoryEnd): Promise<MemoryRecord>;
  /** It holds no more: it is gone, and what it said is kept among what was. */
  retract(id: string, end: MemoryEnd): Promise<void>;
  /** What a memory said before, newest first; without what has expired by `at`. */
  history(id: string, at: number): Promise<MemoryVersion[]>;
  /** What was taken back, newest first, at most 500. */
  retracted(filter: MemoryFilter & MemoryPage): Promise<MemoryVersion[]>;
  /** Notes a use; the revision stays. */
  touch(ids: readonly string[], at: number): Promise<void>;
  /** With what it said before; also that of one that was taken back. */
  delete(id: string): Promise<void>;
}
