import type { AddressInfo } from "node:net";
import { auditStore } from "../../call/audit/chain/audit-table.ts";
import { OutputTable } from "../../call/executor/tables.ts";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { Hub } from "../../hub.ts";
import type { Clock } from "../../lib/clock.ts";
import { watchSettings } from "../../machine/config/watch.ts";
import { mountRpc } from "../gateway/rpc.ts";
import { mountGateway } from "../gateway/serve-mcp.ts";
import { startCleaning } from "./cleaning/cleaning.ts";
import { HomeWatch } from "./cleaning/home-watch.ts";
import { removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";
import { type FirstStart, prepareFirstStart } from "./first-start.ts";
import type { Log } from "./log/log.ts";
import { type App, openApp } from "./open-app.ts";

const DRAIN_MS = 10_000;

export interface DaemonInput {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly log: Log;
  readonly version: string;
  readonly clock: Clock;
  /** Creates a first agent if there is none. */
  readonly firstStart: boolean;
  /** How long running calls may take to finish when the daemon closes; default 10 s. */
  readonly drainMs?: number;
}

export interface Daemon {
  /** The address for clients. */
  readonly url: string;
  readonly home: string;
  /** Set when this start created the first agent. Its token is shown only here. */
  readonly firstStart: FirstStart | null;
  readonly counts: { readonly servers: number; readonly tools: number; readonly agents: number };
  /** Resolves with the error to report when the home was deleted or replaced. Close the daemon then. */
  readonly homeLoss: Promise<ToolkeepError>;
  /** Waits for running calls (10 s at most), ends everything the daemon started and releases the home. */
  close(): Promise<void>;
}

/** Throws STORE_LOCKED when the home has a daemon already, PORT_IN_USE when its port is taken. */
export async function startDaemon(input: DaemonInput): Promise<Daemon> {
  const { env, cwd, version, clock } = input;
  const log = input.log.logger;
  const recentLog = () => input.log.recent();
  const opened = await openApp({ env, cwd, log, recentLog, version, clock, holder: "daemon" });
  const { app, hub } = opened;
  const { requests } = opened.door;
  const { home } = hub.settings;
  try {
    input.log.redactWith((line) => hub.vault.redact(line));
    input.log.setLevel(hub.settings.logLevel);
    const gateway = mountGateway(app, hub, {
      ...{ log, version, clock },
      door: opened.door,
    });
    opened.gateway = gateway;
    mountRpc(app, hub, { log, lists: gateway.lists });
    const address = await listen(opened);
    opened.url = hub.settings.publicUrl ?? address;

    const firstStart = input.firstStart ? await prepareFirstStart(hub) : null;
    const watch = followSettings(opened, input, cwd);
    await writeDaemonFile(home, {
      pid: process.pid,
      url: address,
      token: opened.adminToken,
      startedAt: clock(),
    });
    const homeWatch = new HomeWatch(home);
    let isLost = false;
    const homeLoss = homeWatch.loss.then((error) => {
      isLost = true;
      log.error({ home }, error.message);
      return error;
    });
    const retention = () => hub.settings.retention;
    const cleaning = startCleaning({
      store: hub.store,
      audit: hub.audit,
      auditTable: auditStore(hub.store.database),
      features: hub.features.flatMap(({ cleaning = [] }) => cleaning),
      outputs: new OutputTable(hub.store.database),
      home,
      retention,
      clock,
      log,
    });
    const syncing = hub.knowledge.startBackground();
    return {
      url: opened.url,
      home,
      firstStart,
      counts: countContents(hub),
      homeLoss,
      async close() {
        homeWatch.close();
        // Another home, with its own daemon, may be at this path by now.
        if (!isLost) await removeDaemonFile(home);
        await watch.close();
        await cleaning.close();
        await syncing.close();
        // A subscription lasts as long as its client, so only calls are worth waiting for.
        opened.endStreams();
        // A person may take hours to answer: agents that wait are told how to continue later.
        hub.questions.close();
        await requests.drain(isLost ? 0 : (input.drainMs ?? DRAIN_MS));
        // Must come first: it tells clients with sessions that their calls end here. Without that they would keep
        // waiting.
        await gateway.close();
        requests.abort();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Returns the address on this machine, also when the daemon listens on every interface. */
async function listen({ app, hub }: App): Promise<string> {
  const { host, port } = hub.settings;
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new ToolkeepError("PORT_IN_USE", `another program already listens on ${host}:${port}`, {
        cause: error,
      });
    }
    throw new ToolkeepError("ADDRESS_UNUSABLE", `cannot listen on ${host}:${port}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const bound = (app.server.address() as AddressInfo).port;
  const name =
    host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${bound}`;
}

function followSettings({ hub, load }: App, { log }: DaemonInput, cwd: string) {
  return watchSettings({
    home: hub.settings.home,
    cwd,
    current: hub.loaded,
    load,
    async onApplied(loaded) {
      log.setLevel(loaded.settings.logLevel);
      await hub.apply(loaded);
      log.logger.info(
        { files: loaded.files.filter((file) => file.used).map((file) => file.path) },
        "settings applied",
      );
      for (const warning of loaded.warnings) log.logger.warn({}, warning.message);
    },
    onRejected(error) {
      log.logger.error(
        { cause: messageOf(error) },
        "settings changed but are invalid; the previous ones stay in use",
      );
      hub.events.emit("settings.rejected", { file: String(findErrorFile(error)), message: messageOf(error) });
    },
  });
}

function findErrorFile(error: unknown): unknown {
  return error instanceof ToolkeepError ? error.details?.path : undefined;
}

function countContents(hub: Hub): Daemon["counts"] {
  return {
    servers: hub.upstream.servers().length,
    tools: hub.catalog.all().length,
    agents: hub.identity.agents().length,
  };
}
