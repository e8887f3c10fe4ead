import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ServerConfig } from "../config/settings.ts";
import { childEnvironment } from "../process/environment.ts";
import type { Processes } from "../process/processes.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { sameOriginFetch } from "./same-origin-fetch.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface TransportDeps {
  readonly processes: Processes;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** Whether a value of the daemon's environment is a secret that no child may inherit. */
  readonly isSecret: (value: string) => boolean;
  readonly maxMessageBytes: number;
}

const TRANSPORT_TIMEOUT_MS = 30_000;

/** A fresh transport, not yet started. `config` has been checked: its transport has what it needs. */
export function createTransport(config: ServerConfig, deps: TransportDeps): Transport {
  const transport = config.transport === "stdio" ? stdio(config, deps) : remote(config, deps);
  const start = transport.start.bind(transport);
  transport.start = () => within(TRANSPORT_TIMEOUT_MS, start());
  return transport;
}

function stdio(config: ServerConfig, deps: TransportDeps): Transport {
  const env = childEnvironment(deps.baseEnv, config.env, deps.isSecret);
  const command = { command: config.command!, args: config.args, cwd: config.cwd, env };
  return new StdioTransport(deps.processes, command, deps.maxMessageBytes);
}

function remote(config: ServerConfig, deps: TransportDeps): Transport {
  const options = {
    requestInit: { headers: { ...config.headers } },
    fetch: boundedFetch(deps.maxMessageBytes, sameOriginFetch()),
  };
  const url = new URL(config.url!);
  return config.transport === "http"
    ? new StreamableHTTPClientTransport(url, options)
    : new SSEClientTransport(url, options);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it could not be reached within ${ms / 1000} s`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
