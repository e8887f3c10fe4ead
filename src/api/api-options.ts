import type { Hub } from "../hub.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Backup, ConfigAnswer } from "./contract.ts";

/** What the process around the hub tells the API. */
export interface ApiOptions {
  readonly log: Log;
  readonly version: string;
  readonly clock: Clock;
  /** The daemon's environment, by which the settings of clients on its machine are found. */
  readonly env: NodeJS.ProcessEnv;
  /** Accepted beside the admin tokens of the store; lives only in this process. */
  readonly adminToken: string;
  /** Where people and clients reach this process, without a slash at the end. */
  url(): string;
  config(): ConfigAnswer;
  backup(): Promise<Backup>;
  /** Reads the settings again, after a project file became trusted or is no longer. */
  reloadSettings(): Promise<void>;
}

/** What every route file is given. */
export interface ApiContext {
  readonly hub: Hub;
  readonly options: ApiOptions;
  readonly startedAt: number;
}
