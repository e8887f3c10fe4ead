/** Where knowledge comes from. It lies in the main store; what was read from it lies in the index, which can be made anew. */
export interface SourceRecord {
  readonly id: string;
  readonly name: string;
  /** `folder obsidian bookmarks notion mail inbox`, or `plugin:<name>`. */
  readonly kind: string;
  /** What its kind wants to know: a path, patterns, limits. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Who may see what it holds: everybody with the scope of a tool where null, else tokens with `label:<label>`. */
  readonly label: string | null;
  readonly enabled: boolean;
  /** How the last sync ended, a `SourceReport` with the time as `at`; null: there was none. */
  readonly lastSync: Readonly<Record<string, unknown>> | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SourceStore {
  /** By name. */
  list(): Promise<SourceRecord[]>;
  byName(name: string): Promise<SourceRecord | undefined>;
  create(source: SourceRecord): Promise<void>;
  update(id: string, change: Partial<Omit<SourceRecord, "id" | "createdAt">>): Promise<void>;
  delete(id: string): Promise<void>;
}
