import type { Caller } from "../contract/caller.ts";
import type { Tool } from "../contract/tool.ts";
import type { Result } from "../lib/result.ts";
import type { SecretBindings, SecretSource } from "../machine/db/tables/trust/secret-record.ts";

/** What may be shown of a secret. */
export interface SecretInfo {
  readonly name: string;
  readonly source: SecretSource;
  readonly bindings: SecretBindings;
  readonly createdAt: number;
  /** When it got the value that it has. */
  readonly updatedAt: number;
  /** The id of the agent that set it; null: a person did. */
  readonly setBy: string | null;
}

export interface PutOptions {
  /** The id of the agent that does it; absent: a person does. */
  readonly setBy?: string | null;
  /**
   * Absent: those it has, where the same one set it before; else those of a new one. An agent's own secret is for that
   * agent, wherever it sends it, as it knows the value anyway; a person's is for no tool until they say so.
   */
  readonly bindings?: SecretBindings;
}

/** Whose call the arguments are of. */
export interface SecretUse {
  readonly tool: Tool;
  readonly caller: Caller;
}

/** Why a call does not get the secret that it names. Never holds a value. */
export interface SecretRefusal {
  readonly outcome: "denied" | "invalid_arguments" | "unavailable";
  readonly message: string;
  readonly remedy: string;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** Sealed values. Plain ones live in memory only. */
export interface Vault {
  /** AES-256-GCM under the home's key, bound to `purpose`, which `unseal` must give again. */
  seal(plain: string, purpose: string): Uint8Array;
  /** Throws SECRET_UNREADABLE for another key, another purpose or altered bytes. */
  unseal(sealed: Uint8Array, purpose: string): string;
  put(name: string, value: string, options?: PutOptions): Promise<void>;
  /** In the place of a value: `env:NAME`, `file:/path` or `cmd:program args`. For people only; throws BAD_REQUEST. */
  refer(name: string, reference: string, bindings?: SecretBindings): Promise<void>;
  /** Throws NOT_FOUND. */
  bind(name: string, bindings: SecretBindings): Promise<void>;
  has(name: string): boolean;
  /** Names only, sorted. */
  names(): readonly string[];
  /** Everything about the secrets but their values, by name. */
  list(): readonly SecretInfo[];
  /** The value, read where it refers to if need be; the error is a sentence about what is missing. Never rejects. */
  read(name: string): Promise<Result<string, string>>;
  /** `text` with the values of the secrets that it names as `{{secret:NAME}}`; for what people wrote. */
  fill(text: string): Promise<Result<string, string>>;
  /** The secrets of agents that arguments name, each with who set it last, and when. What people set anew stays what it was. */
  revisionsIn(args: Arguments): readonly string[];
  /**
   * The arguments with the values of the secrets that they name, where the call may have all of them. Undefined where
   * they name none. What it gives is for the tool alone: it is never kept, shown or compared.
   */
  expand(args: Arguments, use: SecretUse): Promise<Result<Arguments, SecretRefusal>> | undefined;
  delete(name: string): Promise<void>;
  /** Takes over what another process put or deleted. */
  reload(): Promise<void>;
  /**
   * Remembers a value that must never be shown, such as a server's env value. Shorter than 6 characters: ignored. Of
   * values that take each other's place, such as the tokens of one server, a `series` remembers the last 16, and of long ones the last 5.
   */
  conceal(value: string, series?: string): void;
  /** Every known secret value replaced by `[redacted]`. */
  redact(text: string): string;
  /**
   * As `redact`, but values that agents set stay: for people who are asked about a call, from whom an agent could hide a
   * part of it by making that a secret.
   */
  redactAsked(text: string): string;
}
