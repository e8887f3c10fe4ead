/**
 * What `/api` takes and gives, types only: the command line and the dashboard compile against this file. Every
 * failure is an `ApiFailure` with the status of its code in `errors.ts`. Times are milliseconds since the epoch.
 * Values of env, headers and tokens are never sent back, except a new token in the answer that creates it.
 */
import type { ToolboxView } from "../catalog/toolboxes.ts";
import type { FoundFile } from "../config/load.ts";
import type { ErrorCode } from "../errors.ts";
import type {
  AgentRecord,
  CallRecord,
  MessageRecord,
  NotificationRecord,
  QuestionRecord,
  StoreDump,
  TaskRecord,
  TokenRecord,
} from "../store/store.ts";
import type { AgentContext, FolderGrant, Tool, ToolFlags, ToolOutcome, ToolStatus } from "../tool.ts";
import type { ServerState } from "../upstream/upstream.ts";

export type * from "./custom-tool-contract.ts";
export type * from "./import-contract.ts";
export type * from "./plugin-contract.ts";
export type * from "./project-contract.ts";
export type * from "./server-contract.ts";
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

export interface AgentInput {
  readonly description?: string;
  readonly toolboxes?: readonly string[];
  readonly grants?: readonly string[];
  readonly folders?: readonly FolderGrant[];
  /** Tools that its lists never leave to `tool_search`. */
  readonly pins?: readonly string[];
  readonly model?: string | null;
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

/** Names in the toolboxes and grants of an agent that nothing has, and patterns that match no tool yet. */
interface Unanswered {
  readonly unknown: readonly string[];
  readonly unmatched: readonly string[];
}

export interface AgentAnswer extends Unanswered {
  readonly agent: AgentView;
}

/** `floor`, `grant`, or `toolbox NAME`; with the pattern in brackets where one covers the tool. */
export type GrantSource = string;

export interface AgentTool extends ToolView {
  readonly grantedBy: readonly GrantSource[];
  /** Its lists leave it to `tool_search`. */
  readonly deferred: boolean;
}

export interface AgentTools extends Unanswered {
  readonly agent: string;
  readonly tools: readonly AgentTool[];
  /** Names of tools that it will have once there are such. */
  readonly planned: readonly string[];
}

export interface MessageView extends Omit<MessageRecord, "fromAgentId" | "toAgentId"> {
  readonly from: string;
  readonly to: string;
}

export interface MessageList {
  readonly messages: readonly MessageView[];
}

// tokens

export interface TokenView extends Omit<TokenRecord, "hash" | "agentId" | "consentId"> {
  readonly agent: string | null;
  /** The client that got it by a person's consent, and until when it may renew it; null where a person made it. */
  readonly client: { readonly id: string; readonly name: string; readonly renewsUntil: number } | null;
}

/** `POST /api/tokens`; without `agent` an admin token. */
export interface NewToken {
  readonly agent?: string;
  readonly label?: string;
  readonly scopes?: readonly string[];
  readonly expiresInMs?: number;
  /** Instead of `rate_limits.requests_per_minute`. */
  readonly requestsPerMinute?: number;
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

export interface NewToolbox extends ToolboxInput {
  readonly name: string;
  readonly tools: readonly string[];
}

export interface ToolboxList {
  readonly toolboxes: readonly ToolboxView[];
}

export interface ToolboxAnswer {
  readonly toolbox: ToolboxView;
}

// tools and calls

export interface ToolView
  extends Pick<Tool, "name" | "ownName" | "description" | "origin" | "scope" | "availability" | "floor"> {
  readonly title?: string;
  readonly flags: ToolFlags;
  readonly status: ToolStatus;
}

export interface ToolList {
  readonly tools: readonly ToolView[];
}

export interface ToolDetail extends ToolView {
  readonly inputSchema: Tool["inputSchema"];
  readonly outputSchema?: NonNullable<Tool["outputSchema"]>;
  readonly timeoutMs: number;
  /** What people should know: that its schema cannot be used, for one. */
  readonly warnings: readonly string[];
  /** The toolboxes that give it, and the agents that may call it. */
  readonly toolboxes: readonly string[];
  readonly agents: readonly string[];
}

export interface ToolAnswer {
  readonly tool: ToolDetail;
}

/** `POST /api/call` → `ToolOutcome`, with status 200 whatever the outcome. Without `agent` the operator calls. */
export interface CallRequest {
  readonly name: string;
  readonly arguments?: unknown;
  readonly agent?: string;
  /** Ties calls together; a fresh one each time when absent. */
  readonly conversation?: string;
}

export interface CallView extends Omit<CallRecord, "agentId"> {
  readonly agent: string;
}

export interface CallList {
  readonly calls: readonly CallView[];
}

// work and people

export interface TaskView extends Omit<TaskRecord, "agentId" | "assignedBy"> {
  readonly agent: string;
  /** The name of the agent that gave it; null: a person did. */
  readonly assignedBy: string | null;
}

export interface NewTask {
  /** A sub-agent. */
  readonly agent: string;
  readonly title: string;
  readonly instructions?: string;
}

export interface TaskList {
  readonly tasks: readonly TaskView[];
}

export interface TaskAnswer {
  readonly task: TaskView;
}

export interface QuestionView extends Omit<QuestionRecord, "agentId" | "digest"> {
  readonly agent: string;
}

export interface QuestionList {
  readonly questions: readonly QuestionView[];
}

export interface QuestionAnswer {
  readonly question: QuestionView;
}

export interface NotificationView extends Omit<NotificationRecord, "agentId"> {
  readonly agent: string | null;
}

export interface NotificationList {
  readonly notifications: readonly NotificationView[];
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

export interface TrustEntry {
  readonly path: string;
  readonly sha256: string;
  readonly at: number;
}

/** `POST /api/trust` */
export interface NewTrust {
  readonly path: string;
  readonly sha256: string;
}

export interface TrustList {
  readonly trusted: readonly TrustEntry[];
}

/** `POST /api/login-links` */
export interface LoginLink {
  readonly url: string;
  readonly expiresAt: number;
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

/** The answer of every deletion and dismissal. */
export interface Done {
  readonly done: true;
}
