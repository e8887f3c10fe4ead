import type { Caller } from "../../contract/caller.ts";
import type { Events } from "../../contract/events.ts";
import type { OutcomeName, Tool, ToolCall, ToolOutcome, ToolResult } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Deadlines } from "../../lib/flow/deadlines.ts";
import type { NewId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import type { Schemas } from "../../lib/schema/schemas.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Audit } from "../audit/audit.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Offers } from "../catalog/offers/offers.ts";
import type { Identity } from "../identity/identity.ts";
import type { Approvals } from "../rules/approvals/approvals.ts";
import type { Decision } from "../rules/rules.ts";
import type { Watchdog } from "../rules/watchdog.ts";
import type { Vault } from "../vault/vault.ts";
import type { OutputTable } from "./tables.ts";

/** The services that every phase of a call works with. */
export interface Kernel {
  readonly settings: () => Pick<Settings, "limits">;
  /** Everything that can be called: tools, and the resources, prompts and tasks of servers. */
  readonly catalog: Pick<Catalog, "resolve" | "get">;
  readonly offers: Pick<Offers, "resolve" | "pending">;
  readonly schemas: Schemas;
  /** Looks the caller up again: its agent or token may be gone by the time a person answers. */
  readonly identity: Pick<Identity, "currentCaller">;
  readonly watchdog: Pick<
    Watchdog,
    "decide" | "files" | "mayAsk" | "labels" | "noteRead" | "labelsOfContent" | "labelContent"
  >;
  readonly approvals: Pick<Approvals, keyof Approvals>;
  readonly vault: Pick<Vault, "expand" | "redact">;
  /** Where a call leaves traces: its audit record, its events, and the full text of an output that was cut. */
  readonly audit: Pick<Audit, "begin">;
  readonly events: Pick<Events, "emit">;
  readonly outputs: Pick<OutputTable, "list" | "create" | "delete">;
  readonly usage: ToolUseListener;
  readonly log: Pick<Log, "warn" | "error">;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly newId: NewId;
  /** How long the store may take to save the intent of a destructive call; default 15 s. */
  readonly intentMs?: number;
}

/** Is notified of every tool that runs. */
export interface ToolUseListener {
  noteUse(caller: Caller, tool: Tool): void;
}

/** A call that may run. */
export interface PreparedCall {
  /** The call as made, or the call that a wrapper such as `call_tool` stands for. Its caller has today's grants. */
  readonly call: ToolCall;
  readonly tool: Tool;
  /** Fit the tool's schema; secrets are still placeholders. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The decision that asked, once a person has approved. */
  readonly approvedBy?: Decision;
  /** Frees a single-use approval for an identical call. Only for a call that certainly never left Toolkeep. */
  readonly releaseApproval?: () => Promise<void>;
}

/** How a tool ended. */
export interface ToolEnd {
  readonly outcome: OutcomeName;
  readonly result: ToolResult;
  /** Certain: nothing of the call has left Toolkeep. */
  readonly isUnsent?: true;
}

/** An outcome that still lacks its call id, tool and duration. */
export type OutcomeDraft = Omit<ToolOutcome, "callId" | "tool" | "durationMs">;

/** How a call ended: with the result of its tool, or without one. `tool` is absent where no tool was resolved. */
export type CallEnd =
  | { readonly prepared: PreparedCall; readonly toolEnd: ToolEnd }
  | { readonly tool?: string; readonly draft: OutcomeDraft };
