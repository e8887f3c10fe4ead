import { join } from "node:path";
import { Audit } from "./audit/audit.ts";
import { Catalog } from "./catalog/catalog.ts";
import type { LoadedSettings } from "./config/load.ts";
import type { Settings } from "./config/settings.ts";
import { messageOf } from "./errors.ts";
import { Events } from "./events.ts";
import { type CallDeps, callTool } from "./executor/call-tool.ts";
import { keepOutput } from "./executor/full-output.ts";
import { Schemas } from "./executor/schemas.ts";
import { Identity } from "./identity/identity.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { type NewId, randomId } from "./lib/id.ts";
import { type Log, silentLog } from "./lib/log.ts";
import { createNative } from "./native/create-native.ts";
import { createProcesses } from "./process/processes.ts";
import { createQuestions } from "./questions/create-questions.ts";
import type { Questions } from "./questions/questions.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";
import type { Tool, ToolCall, ToolOutcome } from "./tool.ts";
import { createUpstream } from "./upstream/create-upstream.ts";
import { createServerTools, SERVER_TOOL_NAMES } from "./upstream/tools.ts";
import type { Upstream } from "./upstream/upstream.ts";
import { createVault } from "./vault/create-vault.ts";
import { loadKey } from "./vault/key.ts";
import type { Vault } from "./vault/vault.ts";
import { Watchdog } from "./watchdog/watchdog.ts";

/** Everything behind one tool layer, wired. The gateway, the API and an embedding program all use this. */
export interface Hub {
  /** The settings in force now; replaced whole when a settings file changes. */
  readonly settings: Settings;
  /** Where the settings came from: files, warnings, origins. */
  readonly loaded: LoadedSettings;
  readonly store: Store;
  readonly vault: Vault;
  readonly events: Events;
  readonly identity: Identity;
  readonly catalog: Catalog;
  readonly upstream: Upstream;
  readonly questions: Questions;
  callTool(call: ToolCall): Promise<ToolOutcome>;
  /** What people should know about a tool: that its schema cannot be used, for one. */
  warningsOf(tool: Tool): readonly string[];
  /** Takes over newly loaded settings: servers and rules of files come and go without a restart. */
  apply(loaded: LoadedSettings): Promise<void>;
  /** Takes over what another process changed in the store. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface HubOptions {
  readonly loaded: LoadedSettings;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly newId?: NewId;
}

const REVISION_POLL_MS = 1_000;

/** The composition root: wiring only. What it opened is closed again when it throws. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const closing = new AsyncStack();
  try {
    return await wire(options, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function wire(options: HubOptions, closing: AsyncStack): Promise<Hub> {
  const { env, version, log = silentLog, clock = systemClock, newId = randomId } = options;
  let { loaded } = options;
  const settings = () => loaded.settings;
  const { home, databaseUrl } = settings();
  const events = new Events((error, event) => log.error({ err: error, event }, "an event listener failed"));
  const shared = { events, clock, newId };

  const store = closing.add(await openStore({ home, databaseUrl, clock }));
  // Before anything is read, so that whatever another process changes from here on is noticed.
  const revision = await store.revision();
  const vault = await createVault({
    store: store.secrets,
    key: await loadKey({ home, env }),
    clock,
    onUnreadable: (name) => log.error({ secret: name }, "a secret cannot be read with this key"),
  });
  const redact = (value: string) => vault.redact(value);
  const isSecret = (value: string) => redact(value) !== value;

  const identity = await Identity.open({ store, ...shared });
  const audit = new Audit({
    store,
    redact,
    clock,
    onLost: (count, cause) => log.error({ count, cause: messageOf(cause) }, "audit records were lost"),
  });
  closing.add({ close: () => audit.flush() });
  const questions = closing.add(
    createQuestions({
      store: store.questions,
      keepSecret: (name, value) => vault.put(name, value),
      expireMs: () => settings().questions.expireMs,
      ...shared,
    }),
  );

  const processes = closing.add(createProcesses(newId));
  const native = closing.add(
    createNative({ home, settings, store, questions, vault, processes, baseEnv: env, isSecret, ...shared }),
  );
  const reserved = new Set([...native.tools().map((tool) => tool.name), ...SERVER_TOOL_NAMES]);
  const upstream = closing.add(
    await createUpstream({
      store,
      vault,
      processes,
      settings: settings(),
      log,
      version,
      reservedNames: () => reserved,
      baseEnv: env,
      ...shared,
    }),
  );

  const watchdog = new Watchdog({ settings: settings(), questions, redact });
  const catalog = closing.add(
    await Catalog.open({
      sources: [native, createServerTools({ upstream, questions }), upstream],
      store,
      isHidden: (tool, caller) => watchdog.isHidden(tool, caller),
      agentsWith: (toolbox) => identity.withToolbox(toolbox),
      ...shared,
    }),
  );
  await catalog.toolboxes.writeBuiltin();

  const schemas = new Schemas((tool, message) =>
    log.warn({ tool, message }, "a tool's schema cannot be used; the tool accepts any object"),
  );
  const calling: CallDeps = {
    settings,
    catalog,
    watchdog,
    audit,
    schemas,
    redact,
    keepOutput: ({ caller }, callId, whole) =>
      keepOutput(join(home, "workspaces", caller.agentName), callId, whole, clock),
    onBug: (error, callId) => log.error({ err: error, callId }, "a call failed inside Toolkeep"),
    ...shared,
  };

  const hub: Hub = {
    get settings() {
      return settings();
    },
    get loaded() {
      return loaded;
    },
    store,
    vault,
    events,
    identity,
    catalog,
    upstream,
    questions,
    callTool: (call) => callTool(call, calling),
    warningsOf(tool) {
      const problem = schemas.problemOf(tool);
      const unusable = problem && `its schema cannot be used, so it accepts any object: ${problem}`;
      return [tool.warning, unusable].filter((warning) => warning !== undefined);
    },
    async apply(next) {
      loaded = next;
      watchdog.apply(next.settings);
      await upstream.apply(next.settings);
      catalog.changed();
      const files = next.files.filter((file) => file.used).map((file) => file.path);
      events.emit("settings.applied", { files });
    },
    async reload() {
      await vault.reload();
      await identity.reload();
      await upstream.reload();
      await catalog.toolboxes.reload();
    },
    close: () => closing.close(),
  };
  if (store.dialect === "postgres") closing.add(followRevision(hub, revision, log));
  return hub;
}

/** Several daemons may share one PostgreSQL: what one changes, the others take over within a second or so. */
function followRevision(hub: Hub, since: number, log: Log): { close(): Promise<void> } {
  let seen = since;
  let checking: Promise<void> = Promise.resolve();
  const check = async () => {
    const revision = await hub.store.revision();
    if (revision === seen) return;
    await hub.reload();
    seen = revision;
  };
  const timer = setInterval(() => {
    checking = checking
      .then(check)
      .catch((error) => log.warn({ cause: messageOf(error) }, "the store did not answer"));
  }, REVISION_POLL_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await checking;
    },
  };
}

/** Closes what was opened, last first. */
class AsyncStack {
  readonly #opened: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(opened: T): T {
    this.#opened.push(opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.splice(0).reverse()) await opened.close();
  }
}
