/** The part of the contract about MCP servers, and signing in to them. */
import type { Capability } from "../../../contract/tool.ts";
import type { SignInStart, SignInStatus } from "../../../servers/auth/sign-in.ts";
import type { ConnectStep, ServerLogEntry, ServerLogPage } from "../../../servers/lifecycle/server-log.ts";
import type { ToolFindings } from "../../../servers/trust/definitions/scan-text.ts";
import type { ServerInput, ServerState, ServerView, TestReport } from "../../../servers/views.ts";

export type { ServerChanges, ServerChangeView } from "../../../servers/trust/change-view.ts";
export type { FieldChange } from "../../../servers/trust/definition-diff.ts";

export type {
  ConnectStep,
  ServerInput,
  ServerLogEntry,
  ServerLogPage,
  ServerState,
  ServerView,
  SignInStart,
  SignInStatus,
  TestReport,
};

/** `POST /api/servers`; with `wait` the answer comes after the first attempt to list the tools. */
export interface NewServer extends ServerInput {
  readonly name: string;
  readonly wait?: boolean;
}

export interface ServerChange extends ServerInput {
  readonly name?: string;
  /** Names its tools anew; refused with IN_USE where something lists them by their names. */
  readonly prefix?: string;
}

export interface ServerList {
  readonly servers: readonly ServerView[];
}

export interface ServerAnswer {
  readonly server: ServerView;
  /** Names as agents see them, from the last list. */
  readonly tools: readonly string[];
  /** Of `POST /api/servers`: why the server that had the name never worked, where this one replaced it. */
  readonly replaced?: string;
}

/** `GET /api/servers/NAME/offers`: what it offered last beside its tools, as it published it. */
export interface ServerOffers {
  readonly instructions: string | null;
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly resourceTemplates: readonly Readonly<Record<string, unknown>>[];
  readonly prompts: readonly Readonly<Record<string, unknown>>[];
}

/** `POST /api/servers/NAME/accept` and `…/reject` */
export interface ServerDecision {
  /** Names of what waits; absent: all of it. */
  readonly names?: readonly string[];
  /** `ServerChanges.version` that the person looked at; `accept` wants it. */
  readonly seen?: string;
}

/** `GET /api/servers/NAME/findings` */
export interface ServerFindings {
  readonly tools: readonly ToolFindings[];
}

/** `PUT /api/tools/NAME/capabilities` */
export interface ToolCapabilitiesChange {
  readonly capabilities: readonly Capability[] | null;
}

/** `POST /api/servers/NAME/approve`: what the person looked at, so that nothing else is approved. */
export interface ServerApproval {
  /** `ServerView.changedAt` */
  readonly changedAt?: number;
}

/** `DELETE /api/servers/NAME/auth` */
export interface ServerSignIn {
  readonly server: ServerView;
}

/** `GET /api/servers/NAME/auth`, and `POST …/auth/complete` */
export interface ServerSignInAnswer extends ServerSignIn {
  readonly signIn: SignInStatus;
}

/** `POST /api/servers/NAME/auth/complete`; with `wait` the answer comes after the server was connected to anew. */
export interface SignInReturn {
  /** The address that the browser ended at. */
  readonly url: string;
  readonly wait?: boolean;
}

/** `POST /api/mcp/servers/test`: the shape of one `[[mcp.servers]]` entry, not registered; `timeout_ms` is the test's own. */
export interface ServerTest
  extends Partial<Nullable<Pick<ServerInput, "args" | "env" | "headers" | "trusted" | "connect" | "retry">>>,
    Pick<ServerInput, "cwd" | "url" | "oauth" | "tls" | "sandbox" | "pin"> {
  readonly name?: string;
  readonly transport?: string | null;
  readonly type?: string | null;
  readonly command?: string | readonly string[] | null;
  readonly enabled?: boolean | null;
  readonly disabled?: boolean | null;
  readonly keep_alive?: boolean | null;
  readonly tool_timeout_secs?: number | null;
  readonly progress_extends_timeout?: boolean | null;
  readonly connect_timeout_ms?: number | null;
  readonly max_concurrency?: number | null;
  /** Raised to 1000, and at most 10,000. */
  readonly timeout_ms?: number | null;
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** A line of what the tests of servers answer with `?stream=true`: a step that begins, or at the end the report. */
export type TestLine =
  | { readonly step: ConnectStep; readonly at_ms: number }
  | { readonly report: TestReport };
