/** A custom tool that a person enabled, with exactly this content. */
export interface CustomToolRecord {
  readonly slug: string;
  /** Of every file of its folder. */
  readonly sha256: string;
  /** What its `tool.json` said, so that a process without the folder can still say what the tool is. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly enabledBy: string;
  readonly enabledAt: number;
}

export interface CustomToolStore {
  list(): Promise<CustomToolRecord[]>;
  /** One content per slug: a new one replaces the old. */
  put(tool: CustomToolRecord): Promise<void>;
  delete(slug: string): Promise<void>;
}
