import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { SecretBindings, SecretSource } from "./contract.ts";

/** Everything about a secret that may be shown. */
export interface SecretInfo {
  readonly name: string;
  readonly source: SecretSource;
  readonly bindings: SecretBindings;
  readonly createdAt: number;
  /** When it got its present value. */
  readonly updatedAt: number;
  /** The id of the agent that set it; null: a person did. */
  readonly setBy: string | null;
}

export interface PutOptions {
  /** The id of the agent that sets it; absent: a person does. */
  readonly setBy?: string | null;
  /**
   * Absent: they stay if it was set by the same agent, or both times by a person; otherwise it gets those of a new secret. A secret that an agent
   * set is for that agent, wherever it sends it, because it knows the value anyway. A person's secret is for no tool
   * until the person says so.
   */
  readonly bindings?: SecretBindings;
}

/** The call whose arguments name secrets. */
export interface SecretUse {
  readonly tool: Tool;
  readonly caller: Caller;
}

/** Why a call does not get a secret that it names. Never contains a value. */
export interface SecretRefusal {
  readonly outcome: "denied" | "invalid_arguments" | "unavailable";
  readonly message: string;
  readonly remedy: string;
}

export type Arguments = Readonly<Record<string, unknown>>;
