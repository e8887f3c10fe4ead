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
  /** New and changed tools need a person's decision. */
  readonly pinned: boolean;
  /** The number of definitions that await a decision. */
  readonly waiting: number;
  readonly transport: "stdio" | "http" | "sse";
  readonly command: string | null;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly url: string | null;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  /** The vault secrets that its variables and headers name. */
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
  /** Null if it is not confined. */
  readonly sandbox: SandboxView | null;
  readonly toolCount: number;
  /** Unusable tools of its last list, at most 50; empty if this process has not listed it yet. */
  readonly leftOut: readonly LeftOut[];
  readonly era: { readonly era: "legacy" | "modern"; readonly version: string; readonly at: number } | null;
  readonly instructions: string | null;
  readonly addedBy: string | null;
  readonly listedAt: number | null;
  readonly lastError: string | null;
  /** When the last attempt to reach it failed; null once one has worked. */
  readonly failedAt: number | null;
  /** Changes with every edit; passed to `approve` as the version that a person looked at. */
  readonly changedAt: number;
}

export interface SandboxView extends SandboxConfig {
  /** Why the sandbox is not in force; null if it is, or if that is not known yet. */
  readonly problem: string | null;
}

/** How Toolkeep signs in, without secrets. */
export interface OAuthView extends Pick<OAuthConfig, "grant" | "clientId" | "clientMetadataUrl" | "scope"> {
  readonly hasSecret: boolean;
  readonly hasPrivateKey: boolean;
}

/** What a person enters to register or change a server; absent fields get their defaults or stay as they are. */
export type ServerInput = ServerFields;

export type TestReport =
  | {
      readonly ok: true;
      readonly tool_count: number;
      readonly tools: readonly string[];
      readonly latency_ms: number;
      /** A problem despite success: the server is not confined. */
      readonly warning?: string;
    }
  | { readonly ok: false; readonly error: string; readonly latency_ms: number };
