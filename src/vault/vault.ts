/** What may be shown of a secret. */
export interface SecretInfo {
  readonly name: string;
  readonly createdAt: number;
  /** When it got the value that it has. */
  readonly updatedAt: number;
  /** The id of the agent that set it; null: a person did. */
  readonly setBy: string | null;
}

/** Sealed values. Plain ones live in memory only. */
export interface Vault {
  /** AES-256-GCM under the home's key, bound to `purpose`, which `unseal` must give again. */
  seal(plain: string, purpose: string): Uint8Array;
  /** Throws SECRET_UNREADABLE for another key, another purpose or altered bytes. */
  unseal(sealed: Uint8Array, purpose: string): string;
  /** `setBy`: the id of the agent that does it; absent: a person does. */
  put(name: string, value: string, setBy?: string | null): Promise<void>;
  get(name: string): string | undefined;
  /** Names only, sorted. */
  names(): readonly string[];
  /** Everything about the secrets but their values, by name. */
  list(): readonly SecretInfo[];
  delete(name: string): Promise<void>;
  /** Takes over what another process put or deleted. */
  reload(): Promise<void>;
  /**
   * Remembers a value that must never be shown, such as a server's env value. Shorter than 6 characters: ignored. Of
   * values that take each other's place, such as the tokens of one server, a `series` remembers the last 16.
   */
  conceal(value: string, series?: string): void;
  /** Every known secret value replaced by `[redacted]`. */
  redact(text: string): string;
}
