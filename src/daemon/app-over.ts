import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import type { McpService } from "../api/api-options.ts";
import type { ConfigAnswer } from "../api/contract.ts";
import { answerFailure, answerUnknownRoute } from "../api/failure.ts";
import { mountApi } from "../api/mount-api.ts";
import { ownCompilers } from "../api/schema.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { maskedSettings } from "../config/masked.ts";
import type { ToolkeepError } from "../errors.ts";
import { type HostGuard, hostGuard } from "../gateway/host-guard.ts";
import type { Hub } from "../hub.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { HomeLock } from "../store/lock.ts";
import { ActiveRequests } from "./active-requests.ts";
import { createBackup } from "./backup.ts";
import { dashboardFolder } from "./dashboard-folder.ts";

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
  readonly requests: ActiveRequests;
  /** What every request must pass, for those that do not go through Fastify. */
  readonly guard: (req: IncomingMessage, res: ServerResponse) => ToolkeepError | undefined;
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

/** Mounts the API of a hub; closes the hub where that fails. */
export async function appOver(hub: Hub, lock: HomeLock, input: AppInput): Promise<App> {
  const { env, cwd, log, version, clock } = input;
  const { home, host, port, publicUrl } = hub.settings;
  const refuse = hostGuard(hub.settings);
  const app = createFastify(hub, refuse, log);
  const requests = new ActiveRequests(app);
  const opened: App = {
    app,
    hub,
    requests,
    guard: (req, res) => refuse(req) ?? requests.begin(req, res),
    adminToken: randomBytes(32).toString("base64url"),
    url: publicUrl ?? `http://${host}:${port}`,
    gateway: undefined,
    endStreams: () => opened.gateway?.endStreams(),
    load: () =>
      loadSettings({ env, cwd, home, isTrusted: (path, sha256) => hub.store.trust.has(path, sha256) }),
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

function createFastify(hub: Hub, refuse: HostGuard, log: Log): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: hub.settings.limits.maxMessageBytes,
    // Time to receive a request, not to answer it: a call may take ten minutes.
    requestTimeout: 60_000,
    http: { maxHeaderSize: 16_384 },
    forceCloseConnections: true,
    schemaController: { compilersFactory: ownCompilers },
  });
  app.addHook("onRequest", async (request) => {
    const refused = refuse(request);
    if (refused) throw refused;
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
