import type { CommandGroup } from "./define-command.ts";
import type { Route } from "./define-route.ts";
import type { FeatureSettings } from "./define-setting.ts";
import type { Migration, Table } from "./define-table.ts";
import type { Check } from "./health.ts";
import type { Tool, ToolSource } from "./tool.ts";

/**
 * A noun of the product with all that belongs to it: tables, tools, routes, settings, commands, checks. `features.ts` lists
 * the features; nothing else has to know them. `Needs`: what it takes from the hub. `Domain`: its logic, for the few who ask
 * for it by the feature (`domainOf`).
 */
export interface Feature<Needs = never, Domain = unknown> {
  readonly name: string;
  /** Every command line loads these, and nothing else of the feature. */
  readonly commands?: readonly CommandGroup[];
  load(): Promise<FeatureParts<Needs, Domain>>;
}

/** The rest of a feature, which the daemon loads. */
export interface FeatureParts<Needs = never, Domain = unknown> {
  readonly tables?: readonly Table[];
  /** The steps that lead to the tables. Append only; tables from before there were features have theirs in `machine/db/history/`. */
  readonly migrations?: readonly Migration[];
  readonly settings?: FeatureSettings;
  /** By the name of a built-in toolbox, the tools that it has by this feature. */
  readonly toolboxes?: Readonly<Record<string, readonly string[]>>;
  open(needs: Needs): OpenedFeature<Domain> | Promise<OpenedFeature<Domain>>;
}

/** What is there while the hub is open. */
export interface OpenedFeature<Domain = unknown> {
  readonly domain?: Domain;
  readonly tools?: readonly Tool[];
  /** Tools that come and go. */
  readonly sources?: readonly ToolSource[];
  readonly routes?: readonly Route[];
  /** For `doctor` and `get_setup_health`; changes nothing. */
  health?(): Promise<readonly Check[]>;
  /** Deletes what is older than it should be kept; called about once a day. */
  clean?(): Promise<void>;
  /** Who reads which secrets beside the arguments of calls. */
  usesOfSecrets?(): readonly SecretUse[];
  /** Another process on the same database changed a table of the feature that announces changes. */
  reload?(): Promise<void>;
  close?(): Promise<void>;
}

export interface SecretUse {
  /** `server NAME`, for people. */
  readonly user: string;
  /** Names of secrets. */
  readonly secrets: readonly string[];
}
