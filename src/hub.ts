import { randomUUID } from "node:crypto";
import type { Audit } from "./call/audit/audit.ts";
import { callStore } from "./call/audit/call-table.ts";
import { Catalog } from "./call/catalog/catalog.ts";
import { Offers } from "./call/catalog/offers/offers.ts";
import { createProgramSources } from "./call/catalog/program-sources.ts";
import { builtinToolboxes } from "./call/catalog/toolboxes/builtin-toolboxes.ts";
import { Activations } from "./call/conversation/activations.ts";
import type { Listing } from "./call/conversation/listing.ts";
import { Listings } from "./call/conversation/listings.ts";
import { promptSection } from "./call/conversation/prompt-section.ts";
import { searchNotes } from "./call/conversation/search-notes.ts";
import { Session, type SessionDeps, type SessionOptions } from "./call/conversation/session.ts";
import { activationTable } from "./call/conversation/tables.ts";
import { ToolCosts } from "./call/conversation/tool-costs.ts";
import {
  type BatchMember,
  type BatchOptions,
  BatchTurns,
  callBatch,
  runBatch,
} from "./call/executor/batch.ts";
import { callTool, callToolWith } from "./call/executor/call-tool.ts";
import type { Kernel } from "./call/executor/kernel.ts";
import { OutputTable } from "./call/executor/tables.ts";
import { operatorOf } from "./call/identity/callers.ts";
import type { Identity } from "./call/identity/identity.ts";
import type { People } from "./call/identity/people.ts";
import { openTrust, type Trust } from "./call/open-trust.ts";
import type { Questions } from "./call/questions/questions.ts";
import type { RuleBook } from "./call/rules/rule-book.ts";
import type { Watchdog } from "./call/rules/watchdog.ts";
import { openEmbedder } from "./call/search/open-embedder.ts";
import type { Vault } from "./call/vault/vault.ts";
import type { Caller } from "./contract/caller.ts";
import { messageOf } from "./contract/errors.ts";
import { Events } from "./contract/events.ts";
import type { Tool, ToolCall, ToolOutcome, ToolSource } from "./contract/tool.ts";
import type { Custom } from "./features/custom-tools/custom.ts";
import { customTools } from "./features/custom-tools/feature.ts";
import { knowledge } from "./features/knowledge/feature.ts";
import type { Memory } from "./features/knowledge/memory/memory.ts";
import type { GatheredKnowledge } from "./features/knowledge/open-knowledge.ts";
import {
  domainOf,
  type NamedFeature,
  openFeatures,
  storePartsOf,
  toolboxEntriesOf,
} from "./features/open-features.ts";
import { createOwnTools, type ExplainSearch, offerers } from "./features/own-tools.ts";
import { plugins } from "./features/plugins/feature.ts";
import type { Plugins } from "./features/plugins/plugins.ts";
import { loadedFeatures, loadHomeSettings } from "./features.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { Current } from "./lib/current.ts";
import { ClosingStack } from "./lib/flow/closing-stack.ts";
import { Deadlines } from "./lib/flow/deadlines.ts";
import { type NewId, randomId } from "./lib/id.ts";
import { type Log, silentLog } from "./lib/log.ts";
import { ok } from "./lib/result.ts";
import { Schemas } from "./lib/schema/schemas.ts";
import type { LoadedSettings } from "./machine/config/load.ts";
import type { Settings } from "./machine/config/settings.ts";
import { followStore } from "./machine/db/follow-store.ts";
import { lockHome } from "./machine/db/lock.ts";
import { openStore } from "./machine/db/open.ts";
import type { ChangeKind, StoreFollower } from "./machine/db/sharing.ts";
import type { Store } from "./machine/db/store.ts";
import { openWorkspace } from "./machine/files/workspace.ts";
import { createProcesses } from "./machine/process/processes.ts";
import { createSandbox } from "./machine/process/sandbox.ts";
import { rankTexts } from "./machine/text/index/rank-texts.ts";
import { embeddingStore } from "./machine/text/meaning/embeddings.ts";
import { findAwaitedServer } from "./servers/lifecycle/approval-notices.ts";
import { openServerTables } from "./servers/tables/server-tables.ts";
import { Upstream } from "./servers/upstream.ts";

export interface HubOptions {
  /** Absent: `settings`, or the settings of the home, with the environment on top. */
  readonly loaded?: LoadedSettings;
  /** Replaces the home's settings file, with the same keys: `{ mcpServers: { … }, rules: [ … ] }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The folder of the home; default `TOOLKEEP_HOME`, else `~/.toolkeep`. */
  readonly home?: string;
  /** The version that it reports to servers. */
  readonly version?: string;
  /** Default: the environment of the process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Log;
  /** The newest lines of that log as JSON, oldest first, for `get_platform_logs`. */
  readonly recentLog?: () => readonly string[];
  /**
   * Tools of the embedding program, granted and ruled by name like all others. The program keeps the sources and closes
   * them.
   */
  readonly sources?: readonly ToolSource[];
  readonly clock?: Clock;
  readonly newId?: NewId;
}

/** The name that servers see for a program that embeds the hub. */
export const LIBRARY = "library";

/** Default: the settings of the home. */
export function settingsOf({ settings, home }: HubOptions, env: NodeJS.ProcessEnv): Promise<LoadedSettings> {
  const chosen = { ...(settings && { given: settings }), ...(home !== undefined && { home }) };
  return loadHomeSettings({ cwd: process.cwd(), env, isTrusted: () => false, ...chosen });
}

/** The whole tool layer, connected. The gateway, the API and embedding programs use it. */
export interface Hub {
  /** The current settings. Replaced as a whole when a settings file changes. */
  readonly settings: Settings;
  /** The origin of the settings: files, warnings, where each value came from. */
  readonly loaded: LoadedSettings;
  readonly store: Store;
  readonly vault: Vault;
  /** Seals everything in the store with a new key. */
  readonly rotateKey: Trust["rotateKey"];
  readonly events: Events;
  readonly identity: Identity;
  readonly people: People;
  readonly catalog: Catalog;
  /** The tools in each caller's lists, out of all that it sees. */
  readonly listings: Listings;
  /** The tools that conversations have found or called. */
  readonly activations: Pick<Activations, "carryOver" | "forget">;
  /** Resources, prompts and completions of servers. */
  readonly offers: Offers;
  readonly upstream: Upstream;
  /** The user's scripts. */
  readonly custom: Custom;
  /** Packages of others that bring tools. */
  readonly plugins: Plugins;
  /** The memories of agents. */
  readonly memory: Memory;
  /** Documents read from sources. */
  readonly knowledge: GatheredKnowledge;
  /** The opened features: their routes and checks. */
  readonly features: readonly NamedFeature[];
  readonly questions: Questions;
  readonly audit: Pick<Audit, "load" | "decisions" | "note" | "checks" | "flush" | "prune">;
  /** The rules that are kept in the store. */
  readonly ruleBook: RuleBook;
  readonly watchdog: Pick<
    Watchdog,
    "decide" | "isHidden" | "decider" | "labelledConversations" | "clearLabels"
  >;
  callTool(call: ToolCall): Promise<ToolOutcome>;
  /**
   * Makes the calls of one step: together if they allow it, otherwise one by one. The outcomes have the order of the
   * calls.
   */
  callBatch(calls: readonly ToolCall[], options?: BatchOptions): Promise<readonly ToolOutcome[]>;
  /** Does the same for other work that comes together and may call tools. */
  runBatch<R>(members: readonly BatchMember<R>[], signal: AbortSignal): Promise<readonly R[]>;
  /** Opens a conversation of an agent: the tools of each turn of a model, and the calls that come back. */
  session(options: SessionOptions): Session;
  /** Tells a caller's model about tools that are not in its lists; empty if all are. */
  promptSection(caller: Caller): Promise<string>;
  /** Shows people what `tool_search` would find for a caller, and why. */
  readonly explainSearch: ExplainSearch;
  /** Problems of a tool that people should know about, such as an unusable schema. */
  warningsOf(tool: Tool): readonly string[];
  /** Applies newly loaded settings. Servers and rules in files change without a restart. */
  apply(loaded: LoadedSettings): Promise<void>;
  /** Applies changes that another process made in the store; all of them if it is not known which. */
  reload(...changed: Partial<Parameters<StoreFollower["reload"]>>): Promise<void>;
  close(): Promise<void>;
}

/** How many batches may run at full width at the same time. Calls of further batches wait for each other. */
const FULL_BATCHES = 10;
const EVERYTHING: ReadonlySet<ChangeKind> = new Set(["everything"]);

/** The composition root: wiring only. If it throws, it closes what it opened. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const closing = new ClosingStack();
  try {
    return await wire(options, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function wire(options: HubOptions, closing: ClosingStack): Promise<Hub> {
  const { env = process.env, version = LIBRARY, log = silentLog } = options;
  const { clock = systemClock, newId = randomId } = options;
  let loaded = options.loaded ?? (await settingsOf(options, env));
  // A caller that brings its own settings has locked the home already. An embedding program has the home to itself.
  if (!options.loaded) {
    const lock = await lockHome(loaded.settings.home, { holder: "library", waitMs: 0 });
    closing.add({ close: () => lock.release() });
  }
  const inForce = new Current(loaded.settings);
  const settings = inForce.read;
  const { home, databaseUrl } = settings();
  const events = new Events((error, event) => log.error({ err: error, event }, "an event listener failed"));
  const shared = { events, clock, newId };

  // Checked while the store is opened, and only if it matters: the default rules ask about commands that nothing confines.
  const sandbox = createSandbox({ home, env, clock, newId });
  const findSandbox = ({ defaultRules, shell }: Settings) =>
    defaultRules && shell.sandbox === "auto" ? sandbox.check() : undefined;
  const sandboxKnown = findSandbox(settings());
  const features = await loadedFeatures();
  const parts = storePartsOf(features);
  const store = closing.add(await openStore({ home, databaseUrl, clock, parts }));
  await sandboxKnown;
  // Read first, so that later changes by other processes are noticed.
  const revision = await store.revision();
  const serverTables = openServerTables(store.database);
  const { notifications } = serverTables;
  const processes = closing.add(createProcesses(newId));
  const trustDeps = { store, settings, env, log, version, processes, sandbox, ...shared };
  const trust = await openTrust(trustDeps, closing);
  const { vault, identity, people, audit, questions, watchdog, ruleBook, approvals } = trust;
  const redact = (value: string) => vault.redact(value);
  const isSecret = (value: string) => redact(value) !== value;

  const workspaceOf = async (caller: Caller) => (await openWorkspace(home, { caller })).root;
  const embedder = openEmbedder({ home, settings, vault, store: embeddingStore(store.database), clock, log });
  const opened: readonly NamedFeature[] = await openFeatures(
    features,
    {
      ...{ database: store.database, settings, identity, people, audit, questions, redact, log },
      ...{ rank: rankTexts, costs: new ToolCosts() },
      ...{ home, baseEnv: env, processes, sandbox, secrets: vault, isSecret, workspaceOf },
      ...{ watchdog, ruleBook, rotateKey: trust.rotateKey, toolNames: serverTables.toolNames },
      ...{ calls: callStore(store.database), notifications },
      loaded: () => loaded,
      catalog: () => catalog,
      upstream: () => upstream,
      listings: () => listings,
      explainSearch: (...asked) => own.explainSearch(...asked),
      warningsOf: (tool) => warningsOf(tool),
      findingsOf: (tool) => upstream.trust.listToolFindings(tool),
      awaitedServer: (notificationId) => findAwaitedServer(notificationId, upstream.servers())?.name,
      usesOfSecrets: () => opened.flatMap((feature) => feature.usesOfSecrets?.() ?? []),
      ...{ seal: vault.seal, unseal: vault.unseal },
      callerOf: (actor) => identity.operatorCaller(randomUUID(), operatorOf(actor)),
      embedder,
      callTool: (each) => call(each),
      callExactly: (tool, call) =>
        callTool(call, { ...kernel, catalog: { resolve: () => ok(tool), get: () => tool } }),
      agents: {
        id: (name) => identity.agent(name).id,
        name: (id) => identity.agentName(id),
      },
      ...shared,
    },
    closing,
  );
  const own = closing.add(
    createOwnTools({
      ...{ home, settings, store, questions, vault, processes, sandbox, baseEnv: env, isSecret, redact },
      ...{ identity, notifications, features: opened, version, embedder, log },
      loaded: () => loaded,
      areFromFiles: options.settings === undefined,
      lostRecords: () => audit.load.lost,
      ...(options.recentLog && { recentLog: options.recentLog }),
      catalog: () => catalog,
      upstream: () => upstream,
      found: async (caller, tools) => searchNotes(await listings.addFound(caller, tools), caller),
      ...shared,
    }),
  );
  const given = createProgramSources(options.sources ?? [], own.names, log);
  const upstream: Upstream = closing.add(
    await Upstream.open({
      store: serverTables,
      vault,
      processes,
      sandbox,
      settings: settings(),
      log,
      version,
      reservedNames: () => given.names(),
      baseEnv: env,
      ...shared,
    }),
  );

  const catalog: Catalog = closing.add(
    await Catalog.open({
      sources: [
        ...own.sources,
        ...given.sources,
        ...opened.flatMap(({ sources = [] }) => sources),
        upstream,
        own.planned,
      ],
      store,
      isHidden: (tool, caller) => watchdog.isHidden(tool, caller),
      ruledConversation: (caller) => watchdog.ruledConversation(caller),
      isOffered: (matches) =>
        upstream
          .origins()
          .some(({ origin, offers }) => offers.some(({ kind, key }) => matches(`${origin}:${kind}:${key}`))),
      agentsWith: (toolbox) => identity.agentsWithToolbox(toolbox),
      ...shared,
    }),
  );
  await catalog.toolboxes.writeBuiltin(builtinToolboxes((toolbox) => toolboxEntriesOf(features, toolbox)));
  ruleBook.onChange(() => catalog.invalidate());
  const activations = closing.add(
    new Activations({
      store: activationTable(store.database),
      parentOf: (agentId) => identity.agentById(agentId)?.parentId ?? null,
      onProblem: (error) => log.warn({ cause: messageOf(error) }, "activated tools could not be kept"),
      clock,
    }),
  );
  const listings = new Listings({ catalog, activations, usage: own.usage, settings });
  const promptSectionOf = (listing: Listing) => {
    const servers = offerers(upstream);
    const about = (origin: string) => servers.get(origin)?.about;
    return promptSection(listing, {
      aboutServer: about,
      maxDescription: settings().mcp.maxDescriptionLength,
    });
  };
  const offers = closing.add(
    new Offers({
      source: upstream,
      catalog,
      isHidden: (tool, caller) => watchdog.isHidden(tool, caller),
      needsApproval: (tool, caller) => watchdog.decide(tool, caller).action === "ask",
    }),
  );

  const schemas = new Schemas((tool, message) =>
    log.warn({ tool, message }, "a tool's schema cannot be used; the tool accepts any object"),
  );
  const warningsOf = (tool: Tool) => {
    const problem = schemas.problemOf(tool);
    const unusable = problem && `its schema cannot be used, so it accepts any object: ${problem}`;
    return [tool.warning, unusable].filter((warning) => warning !== undefined);
  };
  const kernel: Kernel = {
    ...{ settings, catalog, offers, schemas, identity, watchdog, approvals, vault, audit, log },
    outputs: new OutputTable(store.database),
    deadlines: new Deadlines(),
    usage: listings,
    ...shared,
  };
  const call = callToolWith(kernel);

  const batching = {
    ...kernel,
    callTool: call,
    turns: new BatchTurns(() => FULL_BATCHES * settings().limits.maxToolConcurrency),
  };

  const sessions: SessionDeps = {
    identity,
    catalog,
    listings,
    promptSection: promptSectionOf,
    maxDescription: () => settings().mcp.maxDescriptionLength,
    newId,
    callTool: call,
    callBatch: (calls, options) => callBatch(calls, batching, options),
  };

  const hub: Hub & { settings: Settings } = {
    settings: settings(),
    get loaded() {
      return loaded;
    },
    store,
    vault,
    rotateKey: trust.rotateKey,
    events,
    identity,
    people,
    catalog,
    listings,
    activations,
    offers,
    upstream,
    custom: domainOf(opened, customTools),
    plugins: domainOf(opened, plugins),
    ...domainOf(opened, knowledge),
    features: opened,
    questions,
    ruleBook,
    watchdog,
    audit,
    callTool: call,
    callBatch: (calls, options) => callBatch(calls, batching, options),
    runBatch: (members, signal) => runBatch(members, batching, signal),
    session: (options) => new Session(options, sessions),
    promptSection: async (caller) => promptSectionOf(await listings.for(caller)),
    explainSearch: own.explainSearch,
    warningsOf,
    async apply(next) {
      await findSandbox(next.settings);
      loaded = next;
      inForce.replace(next.settings);
      hub.settings = next.settings;
      watchdog.apply(next.settings);
      await upstream.apply(next.settings);
      catalog.invalidate();
      const files = next.files.filter((file) => file.used).map((file) => file.path);
      events.emit("settings.applied", { files });
    },
    async reload(kinds = EVERYTHING, about) {
      const isDue = (...due: readonly string[]) =>
        due.some((kind) => kinds.has(kind as ChangeKind) || kinds.has("everything"));
      if (isDue("secrets")) await vault.reload();
      if (isDue("agents", "tokens")) await identity.reload();
      if (isDue("rules", "agents")) await ruleBook.reload();
      if (isDue("labels")) await trust.labels.reload();
      if (isDue("people")) await people.reload();
      if (isDue("server_lists")) await upstream.reload();
      else if (isDue("servers")) await upstream.apply(settings());
      if (isDue("toolboxes")) await catalog.toolboxes.reload();
      else if (isDue("agents")) catalog.invalidate();
      for (const feature of opened) if (isDue(...feature.announces)) await feature.reload?.();
      if (isDue("activations")) activations.reload(isDue("agents") ? undefined : about?.get("activations"));
    },
    close: () => closing.close(),
  };
  const heardOf: Questions["onMovedElsewhere"] = (moved) => questions.onMovedElsewhere(moved);
  closing.add(followStore({ store, reload: hub.reload, heardOf, since: revision, log }));
  return hub;
}
