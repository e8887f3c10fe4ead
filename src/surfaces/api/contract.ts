/**
 * What `/api` takes and gives, types only: the command line and the dashboard compile against this file. Every
 * failure is an `ApiFailure` with the status of its code in `errors.ts`. Times are milliseconds since the epoch.
 * Values of env, headers and tokens are never sent back, except a new token or login link in the answer that creates it.
 */

export type * from "../../call/access/contract.ts";
export type * from "../../call/audit/contract.ts";
export type * from "../../call/catalog/toolboxes/contract.ts";
export type * from "../../call/executor/contract.ts";
export type * from "../../call/identity/contract.ts";
export type * from "../../call/questions/contract.ts";
export type * from "../../call/rules/approvals/contract.ts";
export type * from "../../call/rules/contract.ts";
export type * from "../../call/tools/contract.ts";
export type * from "../../call/vault/contract.ts";
export type { FolderGrant } from "../../contract/caller.ts";
export type { Done } from "../../contract/define-route.ts";
export type { ToolOutcome } from "../../contract/tool.ts";
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
export type * from "./daemon/contract.ts";
