import type { Action } from "./compiled-rule.ts";

/** The properties of a caller that decide whether anybody is asked about its calls. */
export interface CallerKind {
  /** A person, who need not be asked about their own calls. */
  readonly operator: boolean;
  /** Nobody is asked for the agent. */
  readonly headless: boolean;
}

/** What a rule's action means for a caller; the only place that decides this, for decisions and explanations. */
export function effectiveAction(action: Action, { operator, headless }: CallerKind): Action {
  if (action !== "ask") return action;
  if (operator) return "allow";
  return headless ? "deny" : "ask";
}
