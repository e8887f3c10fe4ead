import type { LeftOut } from "../lib/text/left-out.ts";
import type { ServerFields } from "../machine/config/sections/server-config.ts";
import type { OAuthConfig, SandboxConfig, TlsConfig } from "../machine/config/settings.ts";

export type ServerState =
  | "idle"
  | "connecting"
  | "ready"
  | "unavailable"
  | "needs_auth"
  | "disabled"
  | "pending_approval"
  | "closed";

/** A server as people see it. Values of env and headers never appear, only their keys. */
export interface ServerView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly source: "stored" | "user" | "project";
  readonly state: ServerState;
  readonly enabled: boolean;
  readonly trusted: boolean;
  /** New and changed tools wait for a person. */
  readonly pinned: boolean;
  /** How much waits for a person to accept or reject it. */
  readonly waiting: number;
  readonly transport: "stdio" | "http" | "sse";
  readonly command: string | null;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly url: string | null;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  /** The secrets of the vault that its variables and headers name. */
  readonly secrets: readonly string[];
  readonly oauth: OAuthView | null;
  readonly tls: TlsConfig | null;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  readonly connectTimeoutMs: number;
  readonly connect: "lazy" | "eager";
  readonly keepAlive: boolean;
  readonly retry: "safe" | "never" | "once";
  readonly maxConcurrency: number;
  /** Null: it is not confined. */
  readonly sandbox: SandboxView | null;
  readonly toolCount: number;
  /** Tools of its last list that nobody can use, at most 50; empty where this process has not listed it yet. */
  readonly leftOut: readonly LeftOut[];
  readonly era: { readonly era: "legacy" | "modern"; readonly version: string; readonly at: number } | null;
  readonly instructions: string | null;
  readonly addedBy: string | null;
  readonly listedAt: number | null;
  readonly lastError: string | null;
  /** When the last attempt to reach it failed; null once one has worked. */
  readonly failedAt: number | null;
  /** Changes with every edit: what a person looked at, for `approve`. */
  readonly changedAt: number;
}

export interface SandboxView extends SandboxConfig {
  /** Why it is not in force here; null where it is, or nobody has looked yet. */
  readonly problem: string | null;
}

/** How Toolkeep signs in, without secrets. */
export interface OAuthView extends Pick<OAuthConfig, "grant" | "clientId" | "clientMetadataUrl" | "scope"> {
  readonly hasSecret: boolean;
  readonly hasPrivateKey: boolean;
}

/** What a person gives to register or change a server; absent fields take their defaults, or stay as they are. */
export type ServerInput = ServerFields;

export type TestReport =
  | {
      readonly ok: true;
      readonly tool_count: number;
      readonly tools: readonly string[];
      readonly latency_ms: number;
      /** What people should know although it works: that it is not confined. */
      readonly warning?: string;
    }
  | { readonly ok: false; readonly error: string; readonly latency_ms: number };
