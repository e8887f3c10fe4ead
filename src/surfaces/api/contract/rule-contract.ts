/** What `/api/rules` takes and gives. */
import type { RulePattern, RuleScope } from "../../../machine/config/settings.ts";

export interface RuleView {
  /** Null: it is not stored, but comes from a file or with Toolkeep. */
  readonly id: string | null;
  readonly from: RuleScope;
  /** The file, `stored`, or `default`. */
  readonly where: string;
  readonly agent: string | null;
  readonly conversation: string | null;
  readonly permission: string;
  readonly pattern: RulePattern | null;
  readonly action: "allow" | "ask" | "deny";
  readonly final: boolean;
  readonly after: string | null;
  /** Of those that come with Toolkeep: only tools of servers that nobody vouches for. */
  readonly only: "untrusted" | null;
  /** The same: tools that it is not about, by name. */
  readonly except: readonly string[];
  /** The same: it does not count for calls that surely fit this. */
  readonly unless: RulePattern | null;
  readonly note: string;
  readonly createdBy: string | null;
  readonly createdAt: number | null;
  readonly expiresAt: number | null;
}

export interface RuleList {
  readonly rules: readonly RuleView[];
}

export interface RuleAnswer {
  readonly rule: RuleView;
  /** Nothing that is here now is what it is about. */
  readonly unmatched: boolean;
}

/** A rule as people write it. */
export interface RuleInput {
  readonly permission: string;
  readonly action: "allow" | "ask" | "deny";
  readonly pattern?: RulePattern;
  readonly final?: boolean;
  readonly after?: string;
}

/** `POST /api/rules` */
export interface NewRuleInput extends RuleInput {
  readonly agent?: string;
  readonly conversation?: string;
  readonly note?: string;
  readonly expiresInMs?: number;
}

/** `PUT /api/rules/:id`: for whom it is, and until when, stays. */
export interface RuleChange extends RuleInput {
  readonly note?: string;
}

/** `POST /api/rules/check`: what somebody has typed so far. */
export type RuleDraft = Readonly<Record<string, unknown>>;

export interface RuleProblem {
  /** Which part of it: `permission`, `pattern.path`. */
  readonly field: string;
  /** What was expected there. */
  readonly expected: string;
}

export interface RuleCheck {
  readonly ok: boolean;
  readonly problems: readonly RuleProblem[];
  /** The rule in words, as decisions name it; null where something is wrong. */
  readonly text: string | null;
  /** How many tools that are here now it is about, and the first of them. */
  readonly tools: number;
  readonly some: readonly string[];
  /** A stored rule that says the same already. */
  readonly same: RuleView | null;
}

/** `POST /api/rules/explain`; without `agent` the operator. */
export interface ExplainInput {
  readonly tool: string;
  readonly agent?: string;
  readonly conversation?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** As if the conversation had these labels. */
  readonly after?: readonly string[];
}

export interface OtherRule {
  readonly rule: RuleView;
  readonly matched: boolean;
  readonly why: string;
}

export interface RuleExplanation {
  readonly tool: string;
  readonly agent: string;
  readonly capabilities: readonly string[];
  readonly action: "allow" | "ask" | "deny";
  /** The rule in words. */
  readonly text: string;
  /** Null: no rule matches. */
  readonly rule: RuleView | null;
  /** Every call of it is denied to this agent: it is in no list. */
  readonly hidden: boolean;
  readonly labels: readonly string[];
  readonly subjects: Readonly<Record<"path" | "host" | "command", readonly string[]>>;
  readonly others: readonly OtherRule[];
  /** Rules of which each would give another answer. */
  readonly changes: readonly (RuleInput & { readonly agent?: string })[];
}

/** `GET /api/labels` */
export interface LabelledConversation {
  readonly agent: string;
  /** Null: what came to any call of the agent, which counts for all its calls with a token for a day. */
  readonly conversation: string | null;
  readonly labels: readonly string[];
  readonly labelledAt: number;
}

export interface LabelList {
  readonly labelled: readonly LabelledConversation[];
  /** There are more than are listed. */
  readonly more: boolean;
}

export interface LabelsCleared {
  /** Of how many conversations. */
  readonly cleared: number;
}

/** `POST /api/rules/simulate` */
export interface SimulateInput {
  /** As if these were the rules of your settings file. */
  readonly rules?: readonly RuleInput[];
  /** As if these were there, too; of one agent where one is named. */
  readonly add?: readonly (RuleInput & { readonly agent?: string })[];
  /** As if this stored rule were not there. */
  readonly without?: string;
  readonly since?: number;
  readonly limit?: number;
}

export interface SimulatedCall {
  readonly id: string;
  readonly at: number;
  readonly agent: string;
  readonly tool: string;
  /** What was decided then; where no `rules` were given, what would be decided now. */
  readonly before: string;
  readonly after: string;
  readonly rule: string;
  /** Why the answer may be wrong; null where it is not. */
  readonly unsure: string | null;
}

export interface RuleSimulation {
  readonly looked: number;
  readonly decided: number;
  readonly skipped: number;
  readonly incomplete: number;
  /** There are older calls of this time that were not looked at. */
  readonly more: boolean;
  /** How many would have been decided differently. */
  readonly different: number;
  /** The newest of these, at most 1,000. */
  readonly differing: readonly SimulatedCall[];
}
