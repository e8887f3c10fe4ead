import {
  Client,
  type DiscoverResult,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ServerConfig } from "../config/settings.ts";
import type { Clock } from "../lib/clock.ts";
import { isRecord } from "../lib/json.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { Connection, type Era, type OpenClient } from "./connection.ts";
import { describeFailure, endingOf, withStderr } from "./failure.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { listTools } from "./tool-list.ts";
import { createTransport, type TransportDeps } from "./transports.ts";

export interface ConnectOptions {
  /** For connecting, the handshake and the tool list together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The era found last time, if it may still be relied upon. */
  readonly prior: Era | null;
}

export interface ConnectionDeps extends TransportDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

const PROBE_TIMEOUT_MS = 10_000;
const LEGACY: PriorDiscovery = { kind: "legacy" };

/**
 * Connects, shakes hands and lists the tools. The error says what went wrong, for people; nothing is left running
 * then.
 */
export async function connect(
  config: ServerConfig,
  options: ConnectOptions,
  deps: ConnectionDeps,
): Promise<Result<Connection, string>> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  const now = deps.clock();
  const attempt = (prior: PriorDiscovery | undefined, verdictAt = now) =>
    tryConnect(config, prior, verdictAt, options.timeoutMs, signal, deps);

  const known = config.transport === "sse" ? LEGACY : priorOf(options.prior);
  // A verdict that was not tested again keeps its age.
  let outcome = await attempt(known, options.prior?.at ?? now);
  if (!outcome.ok && isStale(known, outcome.error) && !signal.aborted) outcome = await attempt(undefined);
  // Servers of old SDKs exit when they are asked what they speak: those get a process that is not asked.
  if (!outcome.ok && outcome.error.endedOnProbe && !signal.aborted) outcome = await attempt(LEGACY);

  if (outcome.ok) return outcome;
  if (options.signal.aborted) return err("connecting was given up");
  if (deadline.aborted) {
    return err(withStderr(`it did not answer within ${options.timeoutMs / 1000} s`, outcome.error.transport));
  }
  return err(outcome.error.message);
}

interface Failed {
  readonly message: string;
  readonly endedOnProbe: boolean;
  readonly transport: Transport;
}

async function tryConnect(
  config: ServerConfig,
  prior: PriorDiscovery | undefined,
  verdictAt: number,
  timeoutMs: number,
  signal: AbortSignal,
  deps: ConnectionDeps,
): Promise<Result<Connection, Failed>> {
  const transport = createTransport(config, deps);
  const opened = openClient(transport, timeoutMs, deps);
  const { client } = opened;
  try {
    // The signal ends these; the SDK's own limit must not come first.
    const requests = { signal, timeout: timeoutMs + 1000 };
    await unlessAborted(signal, client.connect(transport, prior ? { ...requests, prior } : requests));
    const tools = await unlessAborted(signal, listTools(client, requests, deps.redact));
    return ok(new Connection(opened, tools, verdictAt));
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    const endedOnProbe =
      prior === undefined &&
      transport instanceof StdioTransport &&
      transport.pid !== 0 &&
      error instanceof SdkError &&
      error.code === SdkErrorCode.EraNegotiationFailed;
    return err({ message: describeFailure(error, transport), endedOnProbe, transport });
  }
}

function openClient(
  transport: Transport,
  timeoutMs: number,
  { version, redact }: ConnectionDeps,
): OpenClient {
  const client = new Client(
    { name: "toolkeep", version },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_TIMEOUT_MS, timeoutMs / 3) } },
    },
  );
  // Out-of-band trouble (an answer to nothing, a stream that will be opened again) is not the caller's.
  client.onerror = () => {};
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => resolve(endingOf(transport) ?? "the connection was closed");
  });
  return { client, transport, closed, redact };
}

function priorOf(era: Era | null): PriorDiscovery | undefined {
  if (era?.era === "legacy") return { kind: "legacy" };
  return isRecord(era?.discover) ? { kind: "modern", discover: era.discover as DiscoverResult } : undefined;
}

/** Whether a failure may only mean that the server no longer speaks what it spoke last time. */
function isStale(prior: PriorDiscovery | undefined, { transport }: Failed): boolean {
  if (prior === undefined || transport instanceof SSEClientTransport) return false;
  return prior.kind === "modern" || endingOf(transport) === undefined;
}

/** The SDK's probe knows no signal, so an abort must not wait for it. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
