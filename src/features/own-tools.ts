import { callStore } from "../call/audit/call-table.ts";
import type { Catalog } from "../call/catalog/catalog.ts";
import { originOf } from "../call/catalog/grants.ts";
import { createPlannedTools } from "../call/catalog/planned-tools.ts";
import { createCatalogTools } from "../call/catalog-tools.ts";
import { OutputTable } from "../call/executor/tables.ts";
import { rootOf } from "../call/identity/context.ts";
import type { Identity } from "../call/identity/identity.ts";
import type { Questions } from "../call/questions/questions.ts";
import { QuestionTable } from "../call/questions/tables.ts";
import { explainSearch } from "../call/search/find-tools.ts";
import { ToolUseTable } from "../call/search/tables.ts";
import { ToolRanking } from "../call/search/tool-ranking.ts";
import type { ToolSearchDeps } from "../call/search/tool-search.ts";
import type { Offerer } from "../call/search/tool-texts.ts";
import { ToolUsage } from "../call/search/usage.ts";
import type { Vault } from "../call/vault/vault.ts";
import { createVaultTools } from "../call/vault/vault-tools.ts";
import type { Caller } from "../contract/caller.ts";
import type { Tool, ToolSource } from "../contract/tool.ts";
import type { Log } from "../lib/log.ts";
import type { Settings } from "../machine/config/settings.ts";
import type { Store } from "../machine/db/store.ts";
import type { Embedder } from "../machine/text/meaning/embedder.ts";
import { Meanings } from "../machine/text/meaning/meanings.ts";
import { createServerTools } from "../servers/server-tools.ts";
import type { Upstream } from "../servers/upstream.ts";
import { createSystemTools } from "./admin/system.ts";
import { createPlatformTools, type PlatformToolDeps } from "./admin/tools.ts";
import { createHistoryTools } from "./aids/history.ts";
import { createNative, type NativeDeps } from "./core-floor.ts";
import { checkFeatures, fixedToolsOf, type NamedFeature } from "./open-features.ts";
import { AttachmentTable } from "./people/tables.ts";
import { TrustedFiles } from "./trusted-files/tables.ts";
import { createWebTools } from "./web/create-web-tools.ts";

export interface OwnToolsDeps
  extends Omit<NativeDeps, "outputs" | "attachments">,
    Pick<PlatformToolDeps, "loaded" | "areFromFiles" | "recentLog" | "lostRecords"> {
  readonly version: string;
  readonly settings: () => Settings;
  readonly store: Store;
  readonly identity: Identity;
  readonly features: readonly NamedFeature[];
  readonly questions: Questions;
  readonly vault: Vault;
  /** Closed with the tools. */
  readonly embedder: Embedder;
  readonly log: Log;
  /** Functions, because both are opened with these tools in place. */
  readonly catalog: () => Catalog;
  readonly upstream: () => Upstream;
  /** Takes what a search found into the caller's list; says what a model has to know to call it. */
  readonly found: ToolSearchDeps["addToList"];
}

/** `fits` narrows what is shown and changes no place. */
export type ExplainSearch = (
  caller: Caller,
  query: string,
  wanted: number,
  fits?: (tool: Tool) => boolean,
) => ReturnType<typeof explainSearch>;

export interface OwnTools {
  readonly sources: readonly ToolSource[];
  /** What is announced: in a catalogue after everything else, so that a tool that has come takes the place of its plan. */
  readonly planned: ToolSource;
  /** Names that no server's tool may take. */
  readonly names: ReadonlySet<string>;
  /** What `tool_search` would find for a caller, and why. Notes nothing. */
  readonly explainSearch: ExplainSearch;
  /** To be told of the calls of every tool, while it waits for some. */
  readonly usage: Pick<ToolUsage, "hasRecentSearch" | "noteCall">;
  close(): Promise<void>;
}

/** The tools that come with Toolkeep, of every folder that has some. */
export function createOwnTools(deps: OwnToolsDeps): OwnTools {
  const { identity, features, questions, vault, settings, clock, catalog, upstream } = deps;
  const agentName = (id: string) => identity.agentById(id)?.name;
  const { database } = deps.store;
  const native = createNative({
    ...deps,
    outputs: new OutputTable(database),
    attachments: new AttachmentTable(database),
  });
  const web = createWebTools(deps);
  const planned = createPlannedTools();
  const { embedder } = deps;
  const isMeant = () => settings().toolSearch.embeddings === "auto";
  const meanings = new Meanings({ embedder, isOn: isMeant });
  const ownerOf = ({ agentId }: Caller) => rootOf(agentId, (id) => identity.agentById(id));
  const usage = new ToolUsage({
    isOn: () => settings().toolSearch.learn,
    store: new ToolUseTable(database),
    ownerOf,
    redact: deps.redact,
    clock,
    log: deps.log,
  });
  const ranking = new ToolRanking({
    meanings,
    tool: (name) => catalog().get(name),
    revision: () => catalog().revision,
    offerers: () => offerers(upstream()),
  });
  const trusted = new TrustedFiles(database);
  const sources = [
    native,
    createCatalogTools({
      catalog,
      questions,
      grantsOf: (agentId) => identity.agentById(agentId)?.grants ?? [],
      ranking,
      usage,
      addToList: deps.found,
      limits: () => ({
        isEnabled: settings().toolSearch.enabled,
        maxMatches: settings().toolSearch.maxMatches,
        maxChars: settings().limits.maxResultChars,
      }),
      maxDescription: () => settings().mcp.maxDescriptionLength,
      clock,
    }),
    createServerTools({ upstream, questions }),
    ...fixedToolsOf(features),
    createHistoryTools({ ...deps, calls: callStore(database) }),
    createSystemTools(deps),
    createPlatformTools({
      ...deps,
      env: deps.baseEnv,
      questionTable: new QuestionTable(database),
      isTrusted: (path, sha256) => trusted.has(path, sha256),
      featureChecks: () => checkFeatures(features),
      servers: () => upstream().servers(),
      toolboxes: () => catalog().toolboxes.list(),
      tools: () => {
        const ofServers = new Set(upstream().tools());
        return catalog()
          .all()
          .filter((tool) => !ofServers.has(tool));
      },
      toolSearch: () => ({
        isOn: isMeant() && settings().embeddings.provider !== "off",
        embedder: embedder.state,
        ...meanings.counts,
      }),
    }),
    createVaultTools({ vault, questions, agentName }),
    web,
  ];
  return {
    sources,
    planned,
    names: new Set([...sources, planned].flatMap((source) => source.tools().map((tool) => tool.name))),
    explainSearch: (caller, query, wanted, fits) =>
      explainSearch(query, wanted, caller, { catalog, ranking, usage }, fits),
    usage,
    async close() {
      // First: the others would wait for what it has before it.
      await embedder.close();
      await Promise.all([native.close(), web.close(), meanings.close(), usage.close()]);
    },
  };
}

/** Who offers tools, by the origin of their tools. */
export function offerers(upstream: Pick<Upstream, "servers">): ReadonlyMap<string, Offerer> {
  return new Map(
    upstream.servers().map(({ name, instructions }) => [originOf(name), { name, about: instructions ?? "" }]),
  );
}
