import { createHash } from "node:crypto";
import type { Caller } from "../../../contract/caller.ts";
import type { Tool } from "../../../contract/tool.ts";
import { stableJson } from "../../../lib/json.ts";
import type { Decision } from "../rules.ts";

/** A call that a rule wants a person to see first. */
export interface AskedCall {
  readonly tool: Tool;
  /** Repaired and checked, secrets by their names. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  /** What decides this tool for this caller: another rule in its place is another question. */
  readonly decision: Decision;
}

/** Which secrets of agents arguments name, and since when each of them is what it is. */
export type SecretsNamed = (args: AskedCall["args"]) => readonly string[];

/**
 * What a yes is bound to: who calls, the tool and what it said of itself, with what, agents' own secrets in that as
 * they are by then, and the rule that asked. Two calls with the same digest are the same to the person who answers.
 */
export class ApprovalBinding {
  readonly #secretsNamed: SecretsNamed;
  readonly #fingerprints = new WeakMap<Tool, string>();
  readonly #digests = new WeakMap<AskedCall, string>();

  constructor(secretsNamed: SecretsNamed) {
    this.#secretsNamed = secretsNamed;
  }

  /** Of one asked call always the same: what it names may be another secret by the time of the answer. */
  digest(asked: AskedCall): string {
    const known = this.#digests.get(asked);
    if (known !== undefined) return known;
    const { tool, args, caller, decision } = asked;
    const secrets = this.#secretsNamed(args);
    const made = sha256([
      caller.agentId,
      tool.name,
      this.#fingerprint(tool),
      args,
      decision.action,
      decision.rule,
      decision.ruleId ?? null,
      ...(secrets.length > 0 ? [secrets] : []),
    ]);
    this.#digests.set(asked, made);
    return made;
  }

  #fingerprint(tool: Tool): string {
    const known = this.#fingerprints.get(tool);
    if (known !== undefined) return known;
    const { name, origin, ownName, description, inputSchema, flags, published } = tool;
    const annotations = published?.annotations ?? null;
    const made = sha256([name, origin, ownName, description, inputSchema, flags, annotations]);
    this.#fingerprints.set(tool, made);
    return made;
  }
}

function sha256(value: unknown): string {
  return createHash("sha256").update(stableJson(value)).digest("hex");
}
