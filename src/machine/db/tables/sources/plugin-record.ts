/** Where a plugin came from. */
export interface PluginSource {
  /** `link`: the folder itself is used, in the place of a copy. */
  readonly kind: "folder" | "link" | "npm";
  /** An absolute path, or what npm was asked for. */
  readonly spec: string;
}

/** What a person agreed to when they enabled a plugin. */
export interface PluginAgreement {
  readonly sha256: string;
  readonly permissions: Readonly<Record<string, unknown>>;
  /** Whether flags of its tools that loosen are believed. */
  readonly trusted: boolean;
  readonly at: number;
}

export interface PluginRecord {
  readonly name: string;
  readonly packageName: string;
  readonly version: string;
  readonly description: string;
  readonly source: PluginSource;
  /** Of every file, as it was installed or as it was when somebody enabled it last. */
  readonly sha256: string;
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
  readonly agreed: PluginAgreement | null;
  /** As the plugin said when it was enabled last, with the names that they have in the catalogue. */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface PluginStore {
  list(): Promise<PluginRecord[]>;
  create(plugin: PluginRecord): Promise<void>;
  update(name: string, change: Partial<Omit<PluginRecord, "name" | "createdAt">>): Promise<void>;
  /** The names of its tools stay taken. */
  delete(name: string): Promise<void>;
}
