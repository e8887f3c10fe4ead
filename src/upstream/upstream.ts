import type { ServerConfig, Settings } from "../config/settings.ts";
import type { ToolSource } from "../tool.ts";

export type ServerState = "idle" | "connecting" | "ready" | "unavailable" | "disabled" | "pending_approval";

/** A server as people see it. Values of env and headers never appear, only their keys. */
export interface ServerView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly source: "stored" | "user" | "project";
  readonly state: ServerState;
  readonly enabled: boolean;
  readonly trusted: boolean;
  readonly transport: "stdio" | "http" | "sse";
  readonly command: string | null;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly url: string | null;
  readonly envKeys: readonly string[];
  readonly headerKeys: readonly string[];
  readonly timeoutMs: number;
  readonly connect: "lazy" | "eager";
  readonly toolCount: number;
  readonly era: { readonly era: "legacy" | "modern"; readonly version: string; readonly at: number } | null;
  readonly addedBy: string | null;
  readonly listedAt: number | null;
  readonly lastError: string | null;
}

/** What a person gives to register or change a server; absent fields take their defaults, or stay as they are. */
export type ServerInput = Partial<Omit<ServerConfig, "name" | "source">>;

export type TestReport =
  | {
      readonly ok: true;
      readonly tool_count: number;
      readonly tools: readonly string[];
      readonly latency_ms: number;
    }
  | { readonly ok: false; readonly error: string; readonly latency_ms: number };

/**
 * Every registered MCP server and their tools. Listing needs no running server: the tools of the last list are
 * kept in the store. A server is started by the first call to one of its tools.
 */
export interface Upstream extends ToolSource {
  servers(): readonly ServerView[];
  /** Throws NOT_FOUND with the nearest name. */
  server(name: string): ServerView;
  /** Registers and, in the background, connects once to learn the tools. `addedBy`: the agent, when one did. */
  add(name: string, input: ServerInput, options?: { addedBy?: string }): Promise<ServerView>;
  /** A change to how the server is reached disconnects it. A blank env or header value keeps the stored one. */
  update(name: string, input: ServerInput & { readonly name?: string }): Promise<ServerView>;
  remove(name: string): Promise<void>;
  approve(name: string): Promise<ServerView>;
  /** Evicts the live connection, connects anew, lists the tools. Resolves for every failure of the server. */
  test(name: string, options?: { signal?: AbortSignal }): Promise<TestReport>;
  /** The same for a configuration that is not registered; nothing is stored, 10 s at most. */
  testConfig(input: ServerInput, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<TestReport>;
  /** Resolves when no connection attempt of `add` or `approve` is under way. */
  settled(): Promise<void>;
  /** Takes over changed settings: servers of files come and go without a restart. */
  apply(settings: Settings): Promise<void>;
  /** Takes over the servers and tool lists that another process stored. */
  reload(): Promise<void>;
  close(): Promise<void>;
}
