/** What `/api/settings` takes and gives. */
import type { FoundFile } from "../../../machine/config/load.ts";
import type { Origin } from "../../../machine/config/merge.ts";

export interface SettingView {
  /** As in the files: `shell.timeout_ms`. */
  readonly key: string;
  readonly description: string;
  /** In force now; secrets are masked. */
  readonly value: unknown;
  readonly default: unknown;
  readonly origin: Origin;
  /** The variable of the environment that wins over every file, where there is one. */
  readonly env: string | null;
  /** A change counts from the next start only. */
  readonly restart: boolean;
  /** What a value has to be; null where only the file changes it. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Why it cannot be changed here although others of its kind can. */
  readonly fixed: string | null;
}

/** `GET /api/settings` */
export interface SettingList {
  readonly settings: readonly SettingView[];
  readonly files: readonly FoundFile[];
  readonly warnings: readonly string[];
}

/** `PATCH /api/settings`: by key; null takes one out of the file, so that its default counts. */
export interface SettingChanges {
  readonly changes: Readonly<Record<string, unknown>>;
}

export interface SettingsChanged extends SettingList {
  /** The file that was written, and the copy of what was there before. */
  readonly file: string;
  readonly backup: string | null;
}
