/**
 * What `/api` takes and gives, types only: the command line and the dashboard compile against this file. Every
 * failure is an `ApiFailure` with the status of its code in `errors.ts`. Times are milliseconds since the epoch.
 * Values of env, headers and tokens are never sent back, except a new token or login link in the answer that creates it.
 */

import type { FolderGrant } from "../../contract/caller.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { Check } from "../../contract/health.ts";
import type { ToolOutcome } from "../../contract/tool.ts";
import type { FoundFile } from "../../machine/config/load.ts";
import type { StoreDump } from "../../machine/db/store.ts";
import type { ServerState } from "../../servers/contract.ts";

export type * from "../../call/access/contract.ts";
export type * from "../../call/audit/contract.ts";
export type * from "../../call/catalog/toolboxes/contract.ts";
export type * from "../../call/executor/contract.ts";
export type * from "../../call/identity/contract.ts";
export type * from "../../call/questions/contract.ts";
export type * from "../../call/rules/approvals/contract.ts";
export type * from "../../call/rules/contract.ts";
export type * from "../../call/vault/contract.ts";
export type * from "../../contract/tool-shapes.ts";
export type * from "../../features/clients/contract.ts";
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
export type * from "./contract/home-contract.ts";
export type * from "./contract/settings-contract.ts";
export type * from "./contract/tool-contract.ts";
export type { FolderGrant, ToolOutcome };

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
