import type { Audit } from "../call/audit/audit.ts";
import type { CallStore } from "../call/audit/call-store.ts";
import type { Catalog } from "../call/catalog/catalog.ts";
import type { Listings } from "../call/conversation/listings.ts";
import type { ToolCosts } from "../call/conversation/tool-costs.ts";
import type { Identity } from "../call/identity/identity.ts";
import type { People } from "../call/identity/people.ts";
import type { Questions } from "../call/questions/questions.ts";
import type { NotificationTable } from "../call/questions/tables.ts";
import type { RuleBook } from "../call/rules/rule-book.ts";
import type { Watchdog } from "../call/rules/watchdog.ts";
import type { ToolRouteDeps } from "../call/tools/routes.ts";
import type { Vault } from "../call/vault/vault.ts";
import type { Caller } from "../contract/caller.ts";
import type { RouteActor } from "../contract/define-route.ts";
import type { FeatureSettings } from "../contract/define-setting.ts";
import type { Events } from "../contract/events.ts";
import type { Feature, FeatureParts, OpenedFeature, SecretUse } from "../contract/feature.ts";
import { broken, type Check } from "../contract/health.ts";
import type { Tool, ToolCall, ToolOutcome, ToolSource } from "../contract/tool.ts";
import type { Finding } from "../contract/tool-shapes.ts";
import type { Clock } from "../lib/clock.ts";
import type { ClosingStack } from "../lib/flow/closing-stack.ts";
import type { NewId } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { LoadedSettings } from "../machine/config/load.ts";
import type { Settings } from "../machine/config/settings.ts";
import type { Database } from "../machine/db/database.ts";
import type { Resealed } from "../machine/db/reseal.ts";
import type { StorePart } from "../machine/db/store-part.ts";
import type { Processes } from "../machine/process/processes.ts";
import type { Sandbox } from "../machine/process/sandbox.ts";
import type { Embedder } from "../machine/text/meaning/embedder.ts";
import type { ToolNameTable } from "../servers/tables/tool-names.ts";
import type { Upstream } from "../servers/upstream.ts";

/** What features take from the hub; each names what it needs of it. */
export interface FeatureNeeds {
  readonly audit: Audit;
  readonly database: Database;
  readonly settings: () => Settings;
  /** The settings in force, with the files that they came from. */
  readonly loaded: () => LoadedSettings;
  readonly identity: Identity;
  readonly people: People;
  readonly questions: Questions;
  readonly watchdog: Watchdog;
  /** Opened after the features. */
  readonly catalog: () => Catalog;
  readonly upstream: () => Upstream;
  /** What each caller's model is shown. */
  readonly listings: () => Listings;
  /** What `tool_search` would find for a caller, and why. */
  readonly explainSearch: ToolRouteDeps["explainSearch"];
  /** What people should know about a tool. */
  readonly warningsOf: (tool: Tool) => readonly string[];
  readonly notifications: NotificationTable;
  /** The name of the server that a notification asks people to decide about; undefined: it asks for no decision. */
  readonly awaitedServer: (notificationId: string) => string | undefined;
  readonly ruleBook: RuleBook;
  /** The calls of the audit. */
  readonly calls: CallStore;
  /** What people should look at in what a tool says of itself. */
  readonly findingsOf: (tool: Tool) => readonly Finding[];
  /** What tools take in the lists of models. */
  readonly costs: ToolCosts;
  readonly agents: {
    /** Throws NOT_FOUND for a name that no agent has. */
    id(name: string): string;
    name(id: string): string;
  };
  /** Known secrets taken out. */
  readonly redact: (text: string) => string;
  /** For sealed columns; `purpose` is `sealedPurpose` of the column and the row. */
  readonly seal: (plain: string, purpose: string) => Uint8Array;
  readonly unseal: (sealed: Uint8Array, purpose: string) => string;
  /** The texts that a query finds, by their positions, best first. */
  readonly rank: (
    query: string,
    texts: readonly { readonly title: string; readonly body: string }[],
  ) => Promise<readonly number[]>;
  readonly home: string;
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly secrets: Vault;
  /** Who reads which secrets beside the arguments of calls and the settings. */
  readonly usesOfSecrets: () => readonly SecretUse[];
  /** Seals everything in the store with a new key. */
  readonly rotateKey: () => Promise<Resealed>;
  readonly isSecret: (value: string) => boolean;
  /** The folder that a caller's programs run in; made where it is not there. */
  readonly workspaceOf: (caller: Caller) => Promise<string>;
  /** The names that tools were given, for ever. */
  readonly toolNames: ToolNameTable;
  /** A person or program as a caller of tools. */
  readonly callerOf: (actor: RouteActor) => Caller;
  readonly callTool: (call: ToolCall) => Promise<ToolOutcome>;
  /** Makes a call of exactly this tool, whatever the catalogue has under its name. */
  readonly callExactly: (tool: Tool, call: ToolCall) => Promise<ToolOutcome>;
  /** What texts mean; the hub closes it. */
  readonly embedder: Embedder;
  readonly events: Events;
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface LoadedFeature {
  readonly name: string;
  readonly parts: FeatureParts<FeatureNeeds>;
}

export function loadFeatures(features: readonly Feature<FeatureNeeds>[]): Promise<readonly LoadedFeature[]> {
  return Promise.all(features.map(async (feature) => ({ name: feature.name, parts: await feature.load() })));
}

export function storePartsOf(features: readonly LoadedFeature[]): readonly StorePart[] {
  return features.map(({ name, parts: { tables = [], migrations = [] } }) => ({
    feature: name,
    tables,
    migrations,
  }));
}

export function settingsOfFeatures(features: readonly LoadedFeature[]): FeatureSettings {
  return Object.assign({}, ...features.map(({ parts }) => parts.settings));
}

/** The tools that features add to a built-in toolbox. */
export function toolboxEntriesOf(features: readonly LoadedFeature[], toolbox: string): readonly string[] {
  return features.flatMap(({ parts }) => parts.toolboxes?.[toolbox] ?? []);
}

export type NamedFeature = OpenedFeature & {
  readonly name: string;
  /** The kinds of change that its tables announce. */
  readonly announces: readonly string[];
};

/** The logic of an open feature. */
export function domainOf<Domain>(
  features: readonly NamedFeature[],
  { name }: Feature<never, Domain>,
): Domain {
  return features.find((feature) => feature.name === name)!.domain as Domain;
}

export async function openFeatures(
  features: readonly LoadedFeature[],
  needs: FeatureNeeds,
  closing: ClosingStack,
): Promise<readonly NamedFeature[]> {
  const opened: NamedFeature[] = [];
  for (const { name, parts } of features) {
    const feature = await parts.open(needs);
    closing.add({ close: async () => feature.close?.() });
    const announces = (parts.tables ?? []).flatMap((table) => table.announces ?? []);
    opened.push({ ...feature, name, announces });
  }
  return opened;
}

/** What features say about themselves. */
export async function checkFeatures(features: readonly NamedFeature[]): Promise<readonly Check[]> {
  const checks = features.map(async ({ name, health }) => {
    try {
      return (await health?.()) ?? [];
    } catch (error) {
      return [broken(name, error)];
    }
  });
  return (await Promise.all(checks)).flat();
}

/** The tools that features always have, as the catalogue takes them. Their names are reserved. */
export function fixedToolsOf(features: readonly NamedFeature[]): readonly ToolSource[] {
  return features.map(({ name, tools = [] }) => ({ name, tools: () => tools, onChange: () => () => {} }));
}
