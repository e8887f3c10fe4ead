import type { Caller } from "../../contract/caller.ts";
import type { Events } from "../../contract/events.ts";
import type { OutcomeName, Tool, ToolCall, ToolOutcome, ToolResult } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Deadlines } from "../../lib/flow/deadlines.ts";
import type { NewId } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import type { Schemas } from "../../lib/schema/schemas.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { OutputStore } from "../../machine/db/tables/calls/output-record.ts";
import type { Audit } from "../audit/audit.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Offers } from "../catalog/offers/offers.ts";
import type { Identity } from "../identity/identity.ts";
import type { Approvals } from "../rules/approvals/approvals.ts";
import type { Decision } from "../rules/rules.ts";
import type { Watchdog } from "../rules/watchdog.ts";
import type { Vault } from "../vault/vault.ts";

/** The objects that the path of a call works with. */
export interface Kernel {
  readonly settings: () => Pick<Settings, "limits">;
  /** What can be called: tools, and what servers offer beside them. */
  readonly catalog: Pick<Catalog, "resolve" | "get">;
  readonly offers: Pick<Offers, "resolve" | "pending">;
  readonly schemas: Schemas;
  /** Who calls, and whether they may. */
  readonly identity: Pick<Identity, "current">;
  readonly watchdog: Pick<
    Watchdog,
    "decide" | "files" | "mayAsk" | "labels" | "read" | "labelsOfContent" | "wroteContent"
  >;
  readonly approvals: Pick<Approvals, keyof Approvals>;
  readonly vault: Pick<Vault, "expand" | "redact">;
  /** What remains of a call: its record, its events, the whole of an output that was cut. */
  readonly audit: Pick<Audit, "begin">;
  readonly events: Pick<Events, "emit">;
  readonly outputs: Pick<OutputStore, "list" | "create" | "delete">;
  readonly usage: ToolUse;
  readonly log: Pick<Log, "warn" | "error">;
  /** For the time limits of calls. */
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly newId: NewId;
  /** How long the store has to keep that a destructive call is about to run; default 15 s. */
  readonly intentMs?: number;
}

/** Is told of every tool that runs. */
export interface ToolUse {
  used(caller: Caller, tool: Tool): void;
}

/** A call that may run. */
export interface Prepared {
  /** The call itself, or the one that it stands for; its caller as granted now. */
  readonly call: ToolCall;
  readonly tool: Tool;
  /** They fit the tool's schema; secrets stand in them by name. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The rule that asked, where a person said yes. */
  readonly approvedBy?: Decision;
  /** Leaves a yes that counts for one call to an equal one. Only where this call certainly never left. */
  readonly giveBack?: () => Promise<void>;
}

/** How a tool ended. */
export interface Ran {
  readonly outcome: OutcomeName;
  readonly result: ToolResult;
  /** Nothing of the call has left, which is certain. */
  readonly isUnsent?: true;
}

/** An envelope before its call id, tool and duration are known. */
export type Ending = Omit<ToolOutcome, "callId" | "tool" | "durationMs">;

/** How a call ended: with what its tool gave; or without that, and with the tool's name where it is known. */
export type Ended =
  | { readonly prepared: Prepared; readonly ran: Ran }
  | { readonly tool?: string; readonly ending: Ending };
