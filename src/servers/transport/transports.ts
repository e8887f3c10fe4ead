import { setTimeout as delay } from "node:timers/promises";
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ServerConfig } from "../../machine/config/settings.ts";
import { childEnvironment } from "../../machine/process/environment.ts";
import type { Processes } from "../../machine/process/processes.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { NeedsAuthError } from "../auth/needs-auth-error.ts";
import type { ServerAuth } from "../auth/server-auth.ts";
import type { ServerLog } from "../lifecycle/server-log.ts";
import { buildServerCommand } from "./confined-server.ts";
import { createSessionFetch, openServerFetch } from "./server-fetch.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface TransportDeps {
  readonly processes: Processes;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** Whether a value in the daemon's environment is a secret that no child may inherit. */
  readonly isSecret: (value: string) => boolean;
  readonly maxMessageBytes: number;
  /** Hosts in private networks that servers may point to. */
  readonly allowHosts: readonly string[];
  readonly sandbox: Sandbox;
  /** `TOOLKEEP_HOME`. */
  readonly home: string;
}

export interface TransportOptions {
  /** Null for an unregistered server. */
  readonly serverId: string | null;
  /** Signs requests; null if only the configured headers are sent. */
  readonly auth: ServerAuth | null;
  /** Whether a person named the server's address. */
  readonly isPersonNamed: boolean;
  /** Receives a local server's stderr. */
  readonly log: ServerLog | null;
  /** Called when a request is refused until a person acts; the transports do not pass on every error. */
  readonly onRefused: (error: NeedsAuthError) => void;
}

const TRANSPORT_TIMEOUT_MS = 30_000;
const FAREWELL_MS = 1_000;

/** Creates a transport without starting it. `config` must have been checked. */
export async function createTransport(
  config: ServerConfig,
  options: TransportOptions,
  deps: TransportDeps,
): Promise<Transport> {
  const transport =
    config.transport === "stdio"
      ? await createStdio(config, options, deps)
      : await createRemote(config, options, deps);
  const start = transport.start.bind(transport);
  transport.start = () => limitTime(TRANSPORT_TIMEOUT_MS, start());
  return transport;
}

async function createStdio(
  config: ServerConfig,
  { serverId, log }: TransportOptions,
  deps: TransportDeps,
): Promise<Transport> {
  const env = childEnvironment(deps.baseEnv, config.env, deps.isSecret);
  const command = await buildServerCommand(config, serverId, env, {
    ...deps,
    onUnconfined: (reason) => log?.addState("not confined", reason),
  });
  return new StdioTransport(deps.processes, command, deps.maxMessageBytes, log);
}

/** The headers hold secrets, so every request stays on the server's own origin. */
async function createRemote(
  config: ServerConfig,
  { auth, isPersonNamed, onRefused, log }: TransportOptions,
  { allowHosts, maxMessageBytes }: TransportDeps,
): Promise<Transport> {
  const guarded = await openServerFetch({ config, isPersonNamed, allowHosts, maxBytes: maxMessageBytes });
  const { transport: kind } = config;
  const fetchFn = createSessionFetch(guarded.fetch, {
    transport: kind === "http" ? "http" : "sse",
    auth,
    onRefused,
    onAdmitted: () => log?.reportStep("handshake"),
  });
  const options = { requestInit: { headers: { ...config.headers } }, fetch: fetchFn };
  const url = new URL(config.url!);
  const transport =
    kind === "http" ? new StreamableHTTPClientTransport(url, options) : new SSEClientTransport(url, options);

  const close = transport.close.bind(transport);
  let closing: Promise<void> | undefined;
  transport.close = () => {
    closing ??= endSession(transport)
      .then(close)
      .finally(() => guarded.close());
    return closing;
  };
  return transport;
}

/** Tells a server that its session is over, without waiting long for one that does not respond. */
async function endSession(transport: Transport): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return;
  const farewell = transport.terminateSession().catch(() => {});
  await Promise.race([farewell, delay(FAREWELL_MS, undefined, { ref: false })]);
}

async function limitTime(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it could not be reached within ${ms / 1000} s`)), ms);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
