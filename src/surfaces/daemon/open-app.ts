import { randomBytes } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import { ToolkeepError } from "../../contract/errors.ts";
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
  /** The newest lines of that log, where the process keeps them. */
  readonly recentLog?: () => readonly string[];
  readonly version: string;
  readonly clock: Clock;
  readonly holder: "daemon" | "cli";
}

/** A hub with its API, not listening yet. */
export interface App {
  readonly app: FastifyInstance;
  readonly hub: Hub;
  /** What every request must pass, for those that do not go through Fastify. */
  readonly door: Door;
  /** Opens `/api` of this process and of no other. */
  readonly adminToken: string;
  /** Where people reach this process. Set once it listens. */
  url: string;
  /** What serves MCP here. Set once something does. */
  gateway: McpService | undefined;
  /** Ends what lasts as long as its reader, so that only work is left under way. */
  endStreams(): void;
  /** Reads the settings as they are on disk now, with the trust of now. */
  load(): Promise<LoadedSettings>;
  /** Ends the hub with everything it started, then gives the home back. */
  close(): Promise<void>;
}

/** Takes the home, opens its hub, mounts the API. Throws STORE_LOCKED when another process has the home. */
export async function openApp(input: AppInput): Promise<App> {
  const home = homeOf(input.env, input.cwd);
  const lock = await takeHome(home, input.holder);
  try {
    const loaded = await loadTrustedSettings(input);
    const hub = await createHub({
      ...input,
      loaded: input.holder === "cli" ? withoutWaiting(loaded) : loaded,
    });
    return await appOver(hub, lock, input);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** A command has the home to itself, so nobody could answer a question while it waits: it ends, and is made again. */
function withoutWaiting(loaded: LoadedSettings): LoadedSettings {
  const { settings } = loaded;
  const questions = { ...settings.questions, waitMs: 0 };
  const approvals = { ...settings.approvals, waitMs: 0 };
  return { ...loaded, settings: { ...settings, questions, approvals } };
}

/** A command gives the home back in a moment, so a daemon that starts meanwhile waits for it; for a daemon it does not. */
async function takeHome(home: string, holder: AppInput["holder"]): Promise<HomeLock> {
  try {
    return await lockHome(home, { holder, waitMs: 0 });
  } catch (error) {
    const byCommand = error instanceof ToolkeepError && error.details?.holder === "cli";
    if (holder !== "daemon" || !byCommand) throw error;
    return lockHome(home, { holder, waitMs: COMMAND_LIMIT_MS });
  }
}

async function appOver(hub: Hub, lock: HomeLock, input: AppInput): Promise<App> {
  const { env, cwd, log, version, clock } = input;
  const { home, host, port, publicUrl } = hub.settings;
  const door: Door = { hosts: createHostCheck(hub.settings), requests: new ActiveRequests() };
  const app = createFastify(hub, door, log);
  const opened: App = {
    app,
    hub,
    door,
    adminToken: randomBytes(32).toString("base64url"),
    url: publicUrl ?? `http://${host}:${port}`,
    gateway: undefined,
    endStreams: () => opened.gateway?.endStreams(),
    load: () =>
      loadHomeSettings({ env, cwd, home, isTrusted: (path, sha256) => hub.store.trust.has(path, sha256) }),
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
      env,
      adminToken: opened.adminToken,
      dashboard: dashboardFolder(),
      url: () => opened.url,
      gateway: () => opened.gateway,
      config: () => configAnswer(hub.loaded),
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
    // Time to receive a request, not to answer it: a call may take ten minutes.
    requestTimeout: 60_000,
    http: { maxHeaderSize: 16_384, IncomingMessage: QuickRequest },
    forceCloseConnections: true,
    schemaController: { compilersFactory: ownCompilers },
  });
  // Before the routes: Fastify gives a hook only to those that come after it.
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

function configAnswer(loaded: LoadedSettings): ConfigAnswer {
  return {
    settings: maskedSettings(loaded),
    files: loaded.files,
    warnings: loaded.warnings.map((warning) => warning.message),
  };
}
