import type { CommandGroup } from "./define-command.ts";
import type { Route } from "./define-route.ts";
import type { FeatureSettings } from "./define-setting.ts";
import type { Migration, Table } from "./define-table.ts";
import type { Check } from "./health.ts";
import type { Tool, ToolSource } from "./tool.ts";

/**
 * A noun of the product with all its parts: tables, tools, routes, settings, commands, checks. `features.ts` lists the
 * features; nothing else has to know them. `Needs` is what it takes from the hub. `Domain` is its logic, for the few
 * that ask for it by the feature (`domainOf`).
 */
export interface Feature<Needs = never, Domain = unknown> {
  readonly name: string;
  /** The only part of a feature that every start of the command line loads. */
  readonly commands?: readonly CommandGroup[];
  load(): Promise<FeatureParts<Needs, Domain>>;
}

/** The rest of a feature, which the daemon loads. */
export interface FeatureParts<Needs = never, Domain = unknown> {
  readonly tables?: readonly Table[];
  /**
   * The migrations that create the tables. Append only. Tables that are older than features have theirs in
   * `machine/db/history/`.
   */
  readonly migrations?: readonly Migration[];
  readonly settings?: FeatureSettings;
  /** The tools that this feature adds to built-in toolboxes, by toolbox name. */
  readonly toolboxes?: Readonly<Record<string, readonly string[]>>;
  open(needs: Needs): OpenedFeature<Domain> | Promise<OpenedFeature<Domain>>;
}

/** The contributions of a feature while the hub is open. */
export interface OpenedFeature<Domain = unknown> {
  readonly domain?: Domain;
  readonly tools?: readonly Tool[];
  /** Sources whose tools come and go. */
  readonly sources?: readonly ToolSource[];
  readonly routes?: readonly Route[];
  /** For `doctor` and `get_setup_health`; changes nothing. */
  health?(): Promise<readonly Check[]>;
  /** Data that is past its retention. The daemon removes it about once a day, a little at a time. */
  readonly cleaning?: readonly Cleaning[];
  /** The users of secrets, besides the arguments of calls. */
  usesOfSecrets?(): readonly SecretUse[];
  /** Called after another process on the same database changed a table of the feature that announces changes. */
  reload?(): Promise<void>;
  close?(): Promise<void>;
}

export interface Cleaning {
  /** The table, for the log. */
  readonly what: string;
  /** Removes the oldest of what is over, at most `limit`; resolves with how much that was. */
  remove(limit: number): Promise<number>;
}

export interface SecretUse {
  /** `server NAME`, for people. */
  readonly user: string;
  /** Names of secrets. */
  readonly secrets: readonly string[];
}
