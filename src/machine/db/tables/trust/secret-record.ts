/** Who may use a secret in the arguments of a call, and where it may go. Patterns; `*` stands for any run of characters. */
export interface SecretBindings {
  /** Names of tools, or permissions such as `mcp:github:*`. */
  readonly tools: readonly string[];
  /** Hosts, with or without a port. A call that names another one is refused. */
  readonly hosts: readonly string[];
  /** Ids of the only agents that may; null: all. */
  readonly agents: readonly string[] | null;
}

/** What is sealed: the value itself, or where it is read when it is needed. */
export const SECRET_SOURCES = ["value", "env", "file", "cmd"] as const;
export type SecretSource = (typeof SECRET_SOURCES)[number];

export interface SecretRecord {
  readonly name: string;
  /** The value, or the reference as `source` says, together with source, bindings and who set it. */
  readonly sealed: Uint8Array;
  readonly source: SecretSource;
  /** Sealed JSON of the values it had before, newest first: they are never shown either. Null: it had none. */
  readonly earlier: Uint8Array | null;
  /** Null: as it was before there were any, which binds it to no tool. */
  readonly bindings: SecretBindings | null;
  /** The agent that set it; null: a person did. */
  readonly setBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SecretStore {
  list(): Promise<SecretRecord[]>;
  put(secret: SecretRecord): Promise<void>;
  /** False, and nothing is changed, where what is sealed is no longer `was`, or the secret is gone. */
  replace(
    name: string,
    change: Pick<SecretRecord, "sealed" | "source" | "bindings">,
    was: Uint8Array,
  ): Promise<boolean>;
  delete(name: string): Promise<void>;
}
