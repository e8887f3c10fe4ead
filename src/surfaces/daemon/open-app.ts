import { randomBytes } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import { ToolkeepError } from "../../contract/errors.ts";
import { TrustedFiles } from "../../features/trusted-files/tables.ts";
import { loadHomeSettings } from "../../features.ts";
import { createHub, type Hub } from "../../hub.ts";
import type { Clock } from "../../lib/clock.ts";
import { ActiveRequests } from "../../lib/http/active-requests.ts";
import { QuickRequest } from "../../lib/http/quick-request.ts";
import type { Log } from "../../lib/log.ts";
import { homeOf } from "../../machine/config/environment.ts";
import type { LoadedSettings } from "../../machine/config/load.ts";
import { maskedSettings } from "../../machine/config/masked.ts";
import { type HomeLock, lockHome } from "../../machine/db/lock.ts";
import { dashboardFolder } from "../../machine/process/own-package.ts";
import type { McpService } from "../api/api-options.ts";
import type { ConfigAnswer } from "../api/contract.ts";
import { answerFailure, answerUnknownRoute } from "../api/failure.ts";
import { ownCompilers } from "../api/schema.ts";
import { createHostCheck, toHostError } from "../gateway/http/host-guard.ts";
import type { Door } from "../gateway/serve-mcp.ts";
import { mountApi } from "../mount-api.ts";
import { createBackup } from "./backup.ts";
import { loadTrustedSettings } from "./load-trusted.ts";

const COMMAND_LIMIT_MS = 10_000;

export interface AppInput {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly log: Log;
  /** The newest lines of that log, if the process keeps them. */
  readonly recentLog?: () => readonly string[];
  readonly version: string;
  readonly clock: Clock;
  readonly holder: "daemon" | "cli";
}

/** A hub with its API, not listening yet. */
export interface App {
  readonly app: FastifyInstance;
  readonly hub: Hub;
  /** The checks that every request must pass, for requests that bypass Fastify. */
  readonly door: Door;
  /** Valid for `/api` of this process only. */
  readonly adminToken: string;
  /** The address at which people reach this process. Set once it listens. */
  url: string;
  /** Serves MCP in this process. Set once it is mounted. */
  gateway: McpService | undefined;
  /** Ends streams that last as long as their reader, so that only calls are still running. */
  endStreams(): void;
  /** Reads the settings from disk, with the project files that are trusted now. */
  load(): Promise<LoadedSettings>;
  /** Closes the hub and everything it started, then releases the home. */
  close(): Promise<void>;
}

/** Locks the home, opens its hub and mounts the API. Throws STORE_LOCKED when another process uses the home. */
export async function openApp(input: AppInput): Promise<App> {
  const home = homeOf(input.env, input.cwd);
  const lock = await lockHomeForUse(home, input.holder);
  try {
    const loaded = await loadTrustedSettings(input);
    const hub = await createHub({
      ...input,
      loaded: input.holder === "cli" ? withoutWaiting(loaded) : loaded,
    });
    return await createApp(hub, lock, input);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * A command has the home to itself, so nobody could answer a question while it waits. The call ends and is made again
 * later.
 */
function withoutWaiting(loaded: LoadedSettings): LoadedSettings {
  const { settings } = loaded;
  const questions = { ...settings.questions, waitMs: 0 };
  const approvals = { ...settings.approvals, waitMs: 0 };
  return { ...loaded, settings: { ...settings, questions, approvals } };
}

/**
 * A command releases the home after a moment, so a starting daemon waits for it. It does not wait for another daemon.
 */
async function lockHomeForUse(home: string, holder: AppInput["holder"]): Promise<HomeLock> {
  try {
    return await lockHome(home, { holder, waitMs: 0 });
  } catch (error) {
    const byCommand = error instanceof ToolkeepError && error.details?.holder === "cli";
    if (holder !== "daemon" || !byCommand) throw error;
    return lockHome(home, { holder, waitMs: COMMAND_LIMIT_MS });
  }
}

async function createApp(hub: Hub, lock: HomeLock, input: AppInput): Promise<App> {
  const { env, cwd, log, version, clock } = input;
  const { home, host, port, publicUrl } = hub.settings;
  const door: Door = { hosts: createHostCheck(hub.settings), requests: new ActiveRequests() };
  const app = createFastify(hub, door, log);
  const trust = new TrustedFiles(hub.store.database);
  const opened: App = {
    app,
    hub,
    door,
    adminToken: randomBytes(32).toString("base64url"),
    url: publicUrl ?? `http://${host}:${port}`,
    gateway: undefined,
    endStreams: () => opened.gateway?.endStreams(),
    load: () => loadHomeSettings({ env, cwd, home, isTrusted: (path, sha256) => trust.has(path, sha256) }),
    async close() {
      await app.close();
      await hub.close();
      await lock.release();
    },
  };
  try {
    const api = await mountApi(app, hub, {
      log,
      version,
      clock,
      adminToken: opened.adminToken,
      dashboard: dashboardFolder(),
      url: () => opened.url,
      gateway: () => opened.gateway,
      config: () => createConfigAnswer(hub.loaded),
      backup: () => createBackup({ store: hub.store, home, env, version, clock }),
      reloadSettings: async () => hub.apply(await opened.load()),
    });
    opened.endStreams = () => {
      opened.gateway?.endStreams();
      api.endStreams();
    };
  } catch (error) {
    await hub.close();
    throw error;
  }
  return opened;
}

function createFastify(hub: Hub, { hosts, requests }: Door, log: Log): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: hub.settings.limits.maxMessageBytes,
    // Limits the time to receive a request, not to answer it: a call may take ten minutes.
    requestTimeout: 60_000,
    http: { maxHeaderSize: 16_384, IncomingMessage: QuickRequest },
    forceCloseConnections: true,
    schemaController: { compilersFactory: ownCompilers },
  });
  // Must come before the routes: Fastify applies a hook only to routes registered after it.
  app.addHook("onRequest", async ({ raw: request }, reply) => {
    const problem = hosts.problem(request);
    if (problem) throw toHostError(problem);
    if (requests.isDraining && request.headers["mcp-session-id"] === undefined)
      throw new ToolkeepError("DAEMON_UNREACHABLE", "the daemon is stopping");
    requests.begin(request, reply.raw);
  });
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, log));
  app.setNotFoundHandler(answerUnknownRoute);
  return app;
}

function createConfigAnswer(loaded: LoadedSettings): ConfigAnswer {
  return {
    settings: maskedSettings(loaded),
    files: loaded.files,
    warnings: loaded.warnings.map((warning) => warning.message),
  };
}
