import type { Hub } from "../../hub.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { GuardedFetch } from "../../machine/net/guarded-fetch.ts";
import type { Admins } from "./admins.ts";
import type { WebhookDeps } from "./approvals/approval-webhook.ts";
import type { Backup, ConfigAnswer } from "./contract.ts";
import type { FeedLimits } from "./event-feed.ts";
import type { CallStatistics } from "./metrics/call-statistics.ts";
import type { StoreCheck } from "./store-check.ts";

/** What the process around the hub tells the API. */
export interface ApiOptions {
  readonly log: Log;
  readonly version: string;
  readonly clock: Clock;
  /** Accepted beside the admin tokens of the store; lives only in this process. */
  readonly adminToken: string;
  /** The folder with the built dashboard; people are told where it is not there. */
  readonly dashboard: string;
  /** Where people and clients reach this process, without a slash at the end. */
  url(): string;
  config(): ConfigAnswer;
  backup(): Promise<Backup>;
  /** Reads the settings again, after a project file became trusted or is no longer. */
  reloadSettings(): Promise<void>;
  /** What serves MCP in this process; undefined where nothing does. */
  gateway?(): McpService | undefined;
  /** Fetches the documents by which clients introduce themselves; closed with the app. Default: to public hosts only. */
  readonly documentFetch?: GuardedFetch;
  /** How approvals are announced; for tests. */
  readonly webhook?: Pick<WebhookDeps, "pausesMs">;
  readonly events?: { readonly limits?: Partial<FeedLimits>; readonly heartbeatMs?: number };
}

/** Numbers for `/metrics`, read when it is asked. */
export interface GatewayLoad {
  /** Of the older era. */
  readonly sessions: number;
  readonly streams: number;
  /** Of the modern era. */
  readonly subscriptions: number;
  /** Calls that wait for the client they asked something. */
  readonly heldCalls: number;
}

/** The gateway, as far as the API asks it. */
export interface McpService {
  endStreams(): void;
  counts(): GatewayLoad;
}

/** What every route file is given. */
export interface ApiContext {
  readonly hub: Hub;
  readonly options: ApiOptions;
  readonly startedAt: number;
  readonly storeCheck: StoreCheck;
  readonly admins: Pick<Admins, "admission" | "admitted">;
  readonly calls: Pick<CallStatistics, "metrics" | "minutes" | "latencies">;
}
