import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { SecretBindings, SecretSource } from "./contract.ts";

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
