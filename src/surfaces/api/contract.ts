/**
 * What `/api` takes and gives, types only: the command line and the dashboard compile against this file. Every
 * failure is an `ApiFailure` with the status of its code in `errors.ts`. Times are milliseconds since the epoch.
 * Values of env, headers and tokens are never sent back, except a new token or login link in the answer that creates it.
 */

import type { ToolboxView } from "../../call/catalog/toolboxes.ts";
import type { AgentContext, FolderGrant, Role } from "../../contract/caller.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { Check } from "../../contract/health.ts";
import type { ToolOutcome } from "../../contract/tool.ts";
import type { FoundFile } from "../../machine/config/load.ts";
import type { AgentRecord, StoreDump, TokenRecord } from "../../machine/db/store.ts";
import type { ServerState } from "../../servers/contract.ts";
import type { AgentInput, Unanswered } from "./contract/access-contract.ts";

export type * from "../../call/audit/contract.ts";
export type * from "../../call/executor/contract.ts";
export type * from "../../call/questions/contract.ts";
export type * from "../../call/rules/approvals/contract.ts";
export type * from "../../call/rules/contract.ts";
export type * from "../../call/vault/contract.ts";
export type * from "../../contract/tool-shapes.ts";
export type * from "../../features/custom-tools/contract.ts";
export type * from "../../features/knowledge/contract.ts";
export type * from "../../features/knowledge/memory/contract.ts";
export type * from "../../features/plugins/contract.ts";
export type * from "../../features/projects/contract.ts";
export type * from "../../features/trusted-files/contract.ts";
export type * from "../../servers/auth/contract.ts";
export type * from "../../servers/contract.ts";
export type * from "../../servers/trust/contract.ts";
export type * from "../../work/tasks/contract.ts";
export type * from "./contract/access-contract.ts";
export type * from "./contract/home-contract.ts";
export type * from "./contract/import-contract.ts";
export type * from "./contract/session-contract.ts";
export type * from "./contract/settings-contract.ts";
export type * from "./contract/tool-contract.ts";
export type { FolderGrant, ToolboxView, ToolOutcome };

export interface ApiFailure {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly remedy: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** `GET /health`, which needs no token. */
export interface Health {
  /** The process answers. */
  readonly status: "ok";
  /** The store can be used; false is 503 where `?ready` was asked. */
  readonly ready: boolean;
  readonly version: string;
  readonly uptime_ms: number;
}

/** `GET /api/status` */
export interface Status {
  readonly version: string;
  readonly uptimeMs: number;
  readonly home: string;
  readonly url: string;
  readonly store: "sqlite" | "postgres";
  readonly servers: { readonly total: number } & Readonly<Partial<Record<ServerState, number>>>;
  readonly agents: number;
  readonly tools: number;
  readonly pendingQuestions: number;
  readonly notifications: number;
}

// agents

export interface AgentView extends Omit<AgentRecord, "parentId" | "scout"> {
  /** The name of the agent it works for; null for a main agent. */
  readonly parent: string | null;
  readonly context: AgentContext;
  /** How many tools it sees now. */
  readonly toolCount: number;
}

/** `POST /api/agents` */
export interface NewAgent extends AgentInput {
  readonly name: string;
  readonly parent?: string;
  /** A sub-agent that only looks around; it needs a parent, and without toolboxes gets the toolbox `scout`. */
  readonly scout?: boolean;
}

export interface AgentList {
  readonly agents: readonly AgentView[];
}

export interface AgentAnswer extends Unanswered {
  readonly agent: AgentView;
}

// tokens

export interface TokenView extends Omit<TokenRecord, "hash" | "agentId" | "consentId"> {
  readonly agent: string | null;
  /** The client that got it by a person's consent, and until when it may renew it; null where a person made it. */
  readonly client: { readonly id: string; readonly name: string; readonly renewsUntil: number } | null;
}

/** `POST /api/tokens`; without `agent` an admin token, of the role `admin` unless another is given. */
export interface NewToken {
  readonly agent?: string;
  readonly role?: Role;
  readonly label?: string;
  readonly scopes?: readonly string[];
  readonly expiresInMs?: number;
  /** Instead of `rate_limits.requests_per_minute`. */
  readonly requestsPerMinute?: number;
  /** Its client may approve single calls; agents only. */
  readonly interactive?: boolean;
}

export interface TokenList {
  readonly tokens: readonly TokenView[];
}

/** `token` is shown this once. */
export interface TokenAnswer {
  readonly token: string;
  readonly record: TokenView;
}

// toolboxes

export interface ToolboxInput {
  readonly description?: string;
  readonly tools?: readonly string[];
}

/** `PATCH /api/toolboxes/:name` */
export interface ToolboxChangeInput extends ToolboxInput, UnknownTools {
  /** Its `updatedAt` as it was read: 409 where it is another by now. */
  readonly since?: number;
}

interface UnknownTools {
  /** False: a name that no tool has, and the toolbox did not hold before, is refused with the nearest one. Default true. */
  readonly allowUnknown?: boolean;
}

export interface NewToolbox extends ToolboxInput, UnknownTools {
  readonly name: string;
  readonly tools: readonly string[];
}

export interface ToolboxList {
  readonly toolboxes: readonly ToolboxView[];
}

export interface ToolboxAnswer {
  readonly toolbox: ToolboxView;
}

// the daemon itself

/** `GET /api/mcp/discovery`: whether MCP is served here, and where. */
export type Discovery =
  | {
      readonly available: true;
      readonly url: string;
      readonly rpc_url: string;
      /** `/mcp/NAME` */
      readonly toolboxes: readonly McpPlace[];
      /** `/mcp/server/NAME` */
      readonly servers: readonly McpPlace[];
      readonly health: Health;
    }
  | { readonly available: false; readonly reason: string };

export interface McpPlace {
  readonly name: string;
  readonly url: string;
}

/** `GET /api/config`; secrets are masked. */
export interface ConfigAnswer {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly files: readonly FoundFile[];
  readonly warnings: readonly string[];
}

/** `POST /api/backup`: everything a fresh home needs. Holds the key, so it is as secret as the home itself. */
export interface Backup {
  readonly format: "toolkeep-backup";
  readonly formatVersion: 1;
  readonly version: string;
  readonly createdAt: number;
  readonly store: StoreDump;
  /** The home's key, base64; null where `TOOLKEEP_KEY` gives it from outside. */
  readonly key: string | null;
  /** The settings file of the home; null where there is none. */
  readonly config: { readonly name: string; readonly content: string } | null;
}

/** `GET /api/checks` */
export interface CheckList {
  readonly checks: readonly Check[];
}

/** The answer of every deletion and dismissal. */
export interface Done {
  readonly done: true;
}
