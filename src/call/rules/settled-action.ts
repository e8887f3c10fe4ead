import type { Action } from "./compiled-rule.ts";

/** What of a caller says whether anybody is asked about its calls. */
export interface AskedCaller {
  /** A person, who is nobody they would have to ask. */
  readonly operator: boolean;
  /** Nobody watches over the agent. */
  readonly headless: boolean;
}

/** What a rule's answer comes to for a caller: the one place that says so, for decisions and explanations alike. */
export function settledAction(action: Action, { operator, headless }: AskedCaller): Action {
  if (action !== "ask") return action;
  if (operator) return "allow";
  return headless ? "deny" : "ask";
}
