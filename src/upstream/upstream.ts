import type { Caller } from "../contract/caller.ts";
import type { OfferSource } from "../contract/offer.ts";
import type { ToolSource } from "../contract/tool.ts";
import type { LeftOut } from "../lib/text/left-out.ts";
import type { ServerFields } from "../machine/config/sections/server-config.ts";
import type { OAuthConfig, SandboxConfig, Settings, TlsConfig } from "../machine/config/settings.ts";
import type { ToolNameChange } from "../machine/db/store.ts";
import type { SignInStart, SignInStatus } from "../servers/auth/sign-in-status.ts";
import type { StepListener } from "../servers/connect-step.ts";
import type { ServerLogPage } from "../servers/lifecycle/server-log.ts";
import type { Offer } from "../servers/lists/offer-key.ts";
import type { TrustInServers } from "../servers/trust-in-servers.ts";

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

interface Waiting {
  readonly signal?: AbortSignal;
}

interface Watching {
  readonly onStep?: StepListener;
}

/**
 * Every registered MCP server, their tools and what else they offer. Listing needs no running server: the last lists
 * are kept in the store. A server is started by the first use of something it has.
 */
export interface Upstream extends ToolSource, OfferSource {
  /** What people see and decide of what servers publish. */
  readonly trust: TrustInServers;
  servers(): readonly ServerView[];
  /** Whether there is a server of this name. */
  knows(name: string): boolean;
  /** Throws NOT_FOUND with the nearest name, as does everything below that takes a name. */
  server(name: string): ServerView;
  /**
   * Registers and, in the background, connects once to learn the tools. A person's server of the same name that was
   * tried and never worked is replaced; any other makes this throw NAME_TAKEN. `addedBy`: the agent, when one did.
   */
  add(name: string, input: ServerInput, options?: { addedBy?: string }): Promise<ServerView>;
  /**
   * A change to how the server is reached disconnects it. A blank env or header value keeps the stored one. `by`: the
   * agent, when one did; its change of how the server is reached, or of its name, waits for a person.
   */
  update(
    name: string,
    input: ServerInput & { readonly name?: string },
    options?: { by?: string },
  ): Promise<ServerView>;
  /**
   * Gives the server's tools another prefix. `check` sees every name that changes before any does, and throws to refuse. Throws BAD_REQUEST for
   * what is no prefix.
   */
  changePrefix(
    name: string,
    prefix: string,
    check: (changes: readonly ToolNameChange[]) => void,
  ): Promise<readonly ToolNameChange[]>;
  remove(name: string): Promise<void>;
  /** Throws BAD_REQUEST when the server was changed after `changedAt`, what the person looked at. */
  approve(name: string, options?: { changedAt?: number }): Promise<ServerView>;
  /** Evicts the live connection, connects anew, lists the tools. Resolves for every failure of the server. */
  test(name: string, options?: Waiting & Watching): Promise<TestReport>;
  /** The same for a configuration that is not registered; nothing is stored, 10 s at most. */
  testConfig(input: ServerInput, options?: Waiting & Watching & { timeoutMs?: number }): Promise<TestReport>;
  /** What the server wrote beside its answers and what became of it, after the cursor `since`. */
  logs(name: string, options?: { since?: number; limit?: number }): ServerLogPage;
  /** Finds out where a person signs in; throws BAD_REQUEST where that cannot be. */
  beginSignIn(name: string, options: { redirectUri: string }): Promise<SignInStart>;
  /** Takes what the authorization server sent back through the browser. Throws BAD_REQUEST for what fits no sign-in. */
  completeSignIn(params: URLSearchParams): Promise<ServerView>;
  signOut(name: string): Promise<ServerView>;
  signInStatus(name: string): Promise<SignInStatus>;
  /** Resources, resource templates and prompts of the last list. */
  offers(name: string): readonly Offer[];
  /** The client of this conversation says that the roots it would give are others by now. */
  rootsChanged(caller: Caller): void;
  /** Resolves when no connection attempt of `add` or `approve` is under way; with a name, when none to that server is. */
  settled(name?: string): Promise<void>;
  /** Takes over changed settings: servers of files come and go without a restart. */
  apply(settings: Settings): Promise<void>;
  /** Takes over the servers and tool lists that another process stored. */
  reload(): Promise<void>;
  close(): Promise<void>;
}
