import { createHash } from "node:crypto";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../lib/clock.ts";
import { stableJson } from "../lib/json.ts";
import type { Questions } from "../questions/questions.ts";
import type { ClaimStore } from "../store/store.ts";
import type { Caller, Tool } from "../tool.ts";
import { type Decision, Rules } from "./rules.ts";

/** What became of a call that a rule wants a person to see first. */
export type Approval =
  | { readonly kind: "approved" }
  | { readonly kind: "rejected" }
  | { readonly kind: "waiting"; readonly id: string }
  | { readonly kind: "too_many"; readonly limit: number };

export interface WatchdogDeps {
  readonly settings: Pick<Settings, "rules">;
  readonly questions: Pick<Questions, "ask">;
  readonly redact: (text: string) => string;
  readonly claims: ClaimStore;
  readonly clock: Clock;
}

const MAX_SHOWN_ARGUMENTS = 4_000;
/** How long it is remembered that a round was taken up: far longer than one may wait to be. */
const CONTINUED_MS = 24 * 60 * 60 * 1_000;

/** May this call run: the one decision point for list, search and call. */
export class Watchdog {
  readonly #deps: WatchdogDeps;
  #rules: Rules;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
    this.#rules = new Rules(deps.settings.rules);
  }

  /** A person is nobody they would have to ask; what is denied stays denied. */
  decide(tool: Tool, caller: Caller): Decision {
    const decision = this.#rules.decide(tool);
    return decision.action === "ask" && caller.operator ? { ...decision, action: "allow" } : decision;
  }

  /** Rules look at tools, not yet at arguments, so every deny is unconditional and hides its tool. */
  isHidden(tool: Tool, caller: Caller): boolean {
    return this.decide(tool, caller).action === "deny";
  }

  /**
   * Looks for a person's answer to exactly this call (caller, tool, its definition, arguments, rule) and uses it
   * up; asks where there is none. Never waits: the caller calls again once a person has said yes.
   */
  async approval(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    caller: Caller,
    decision: Decision,
  ): Promise<Approval> {
    const answer = await this.#deps.questions.ask(
      {
        kind: "approval",
        agentId: caller.agentId,
        agentName: caller.agentName,
        digest: callDigest(tool, args, caller, decision),
        prompt: `May ${caller.agentName} call ${tool.name}?`,
        details: {
          tool: tool.name,
          arguments: this.#deps
            .redact(stableJson(tool.shownArguments?.(args) ?? args))
            .slice(0, MAX_SHOWN_ARGUMENTS),
          rule: decision.rule,
        },
      },
      { waitMs: 0 },
    );
    if (answer.kind === "pending") return { kind: "waiting", id: answer.id };
    if (answer.kind === "too_many") return answer;
    return answer.kind === "answered" && answer.answer === "once"
      ? { kind: "approved" }
      : { kind: "rejected" };
  }

  /** What the next round of an approved call shows: which round it follows, and what exactly a person approved. */
  round(callId: string, ...approved: Approved): string {
    return `${callId} ${callDigest(...approved)}`;
  }

  /**
   * Whether an approved call may go on from this round: with what was approved only, and once on all replicas, so that one
   * approval never runs two calls.
   */
  async continues(round: string, ...approved: Approved): Promise<boolean> {
    const [callId, digest] = round.split(" ", 2);
    if (digest !== callDigest(...approved)) return false;
    const { claims, clock } = this.#deps;
    return claims.take(`round ${callId}`, clock() + CONTINUED_MS);
  }

  apply(settings: Pick<Settings, "rules">): void {
    this.#rules = new Rules(settings.rules);
  }
}

/** What a person says yes to. */
type Approved = [tool: Tool, args: Readonly<Record<string, unknown>>, caller: Caller, decision: Decision];

function callDigest(...[tool, args, caller, decision]: Approved): string {
  const bound = [caller.agentId, tool.name, tool.description, tool.inputSchema, args, decision.rule];
  return createHash("sha256").update(stableJson(bound)).digest("hex");
}
