import type { CheckState } from "../../../call/audit/audit-checks.ts";
import type { CallStep } from "../../../call/audit/call-audit.ts";
import type { AuditEntry } from "../../../machine/db/tables/calls/audit-record.ts";
import type { CallRecord } from "../../../machine/db/tables/calls/call-record.ts";

/** What `/api/audit` takes and gives, types only. */

export interface CallView extends Omit<CallRecord, "agentId" | "steps"> {
  readonly agent: string;
}

export interface CallList {
  readonly calls: readonly CallView[];
}

/** Conditions on calls; all of those that are given must be met. */
export interface CallQuery {
  readonly agent?: string;
  /** As resolved. */
  readonly tool?: string;
  readonly outcome?: string;
  readonly decision?: string;
  readonly conversation?: string;
  /** Part of the name of a tool. */
  readonly text?: string;
  readonly since?: number;
  readonly until?: number;
}

/** Conditions on what was done beside calls; `kind` may end with `*`. */
export interface ActionQuery {
  readonly kind?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly since?: number;
  readonly until?: number;
}

export interface PageOfAudit {
  readonly limit?: number;
  readonly order?: "newest" | "oldest";
  /** The `next` of the page before. */
  readonly cursor?: string;
}

/** `GET /api/audit` */
export interface AuditPage {
  readonly calls: readonly CallView[];
  /** Null: there is no more. A page may have fewer calls than asked for, and still more come. */
  readonly next: string | null;
}

export interface ActionView extends Omit<AuditEntry, "details"> {
  readonly details: unknown;
}

/** `GET /api/audit/actions` */
export interface ActionPage {
  readonly actions: readonly ActionView[];
  readonly next: string | null;
}

/** `GET /api/audit/calls/:id` */
export interface AuditedCall {
  readonly call: CallView;
  /** What was written before it ran, where it was destructive. */
  readonly intent: ActionView | null;
  /** Where its time went; empty where that is not known. */
  readonly timeline: readonly CallStep[];
}

/** `GET /api/audit/tail`: what was written since the cursor, in the order in which it was. */
export interface AuditTail {
  readonly calls: readonly CallView[];
  readonly cursor: string;
}

/** `POST /api/audit/verify`: with a reason, what is found is acknowledged. */
export interface VerifyRequest {
  readonly acknowledge?: string;
}

/** `GET /api/audit/verify`: the check that runs, or the last one. */
export type AuditCheck = CheckState | { readonly state: "none" };
