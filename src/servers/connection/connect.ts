import {
  Client,
  type ClientCapabilities,
  type DiscoverResult,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Answering } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { unlessAborted } from "../../lib/flow/unless-aborted.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import { type NeedsAuthError, needsAuth } from "../auth/needs-auth-error.ts";
import { listTools } from "../lists/tool-list.ts";
import type { Era } from "../transport/era.ts";
import { setListsAside } from "../transport/raw-lists.ts";
import { type DirectRequests, settling } from "../transport/requests.ts";
import { StdioTransport } from "../transport/stdio-transport.ts";
import { createTransport, type TransportDeps, type TransportOptions } from "../transport/transports.ts";
import { Connection, type OpenClient } from "./connection.ts";
import { describeFailure, endingOf, httpStatusOf, wasCutOff, withStderr } from "./failure.ts";

export interface ConnectOptions extends Omit<TransportOptions, "onRefused"> {
  /** For connecting, the handshake and the tool list together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The era found last time, if it may still be relied upon. */
  readonly prior: Era | null;
  /** Of the one conversation that the connection is for; absent where it is for all. */
  readonly answering?: Answering;
}

export interface ConnectionDeps extends TransportDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

export interface ConnectFailure {
  /** What went wrong, for people. Not redacted: a server may say anything. */
  readonly message: string;
  /** A person has to sign in; trying again helps nothing before. */
  readonly needsAuth: boolean;
  /** The server is to be reached anew, such as under a changed address: a call that still waits asks once more. */
  readonly isInterrupted?: true;
}

const PROBE_TIMEOUT_MS = 10_000;
const LEGACY: PriorDiscovery = { kind: "legacy" };
/** How servers that only know the transport of 2024-11-05 answer what came after it. */
const OLD_SSE_STATUSES = [400, 404, 405];
/** What servers before 2026-07-28 may ask of any caller; whether this one answers shows when they do. */
const CAPABILITIES: ClientCapabilities = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  sampling: {},
  // MCP Apps: servers have tools with user interfaces for those only who say so. Whether one is shown is the client's.
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

/** Connects, shakes hands and lists the tools. Never rejects; nothing is left running after a failure. */
export async function connect(
  config: ServerConfig,
  options: ConnectOptions,
  deps: ConnectionDeps,
): Promise<Result<Connection, ConnectFailure>> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  const now = deps.clock();
  const attempt = (way: Way, verdictAt = now) =>
    tryConnect(config, way, verdictAt, { ...options, signal }, deps);
  const mayTryAgain = (failed: Failed) => !failed.needsAuth && !signal.aborted;

  const known = knownWay(config, options.prior);
  // A verdict that was not tested again keeps its age.
  let outcome = await attempt(known, options.prior?.at ?? now);
  // Servers close connections that were quiet for a while, maybe just when the next request leaves.
  if (!outcome.ok && mayTryAgain(outcome.error) && outcome.error.wasCutOff)
    outcome = await attempt(known, options.prior?.at ?? now);
  if (!outcome.ok && mayTryAgain(outcome.error) && isStale(known, config, outcome.error))
    outcome = await attempt({ transport: config.transport });
  // Servers of old SDKs exit when they are asked what they speak: those get a process that is not asked.
  if (!outcome.ok && mayTryAgain(outcome.error) && outcome.error.endedOnProbe)
    outcome = await attempt({ transport: config.transport, prior: LEGACY });
  if (!outcome.ok && mayTryAgain(outcome.error) && mayBeOldSse(config, outcome.error)) {
    const old = await attempt({ transport: "sse", prior: LEGACY });
    if (old.ok || old.error.needsAuth) outcome = old;
  }

  if (outcome.ok) return outcome;
  const { message, transport, needsAuth } = outcome.error;
  if (options.signal.aborted) return err({ message: "connecting was given up", needsAuth: false });
  if (needsAuth || !deadline.aborted) return err({ message, needsAuth });
  const late = `it did not answer within ${options.timeoutMs / 1000} s`;
  return err({ message: withStderr(late, transport, deps.redact), needsAuth: false });
}

/** How to reach a server: over what, and what it is known to speak. */
interface Way {
  readonly transport: ServerConfig["transport"];
  readonly prior?: PriorDiscovery | undefined;
}

interface Failed extends ConnectFailure {
  readonly status: number | undefined;
  readonly wasCutOff: boolean;
  readonly endedOnProbe: boolean;
  readonly transport: Transport | undefined;
}

async function tryConnect(
  config: ServerConfig,
  { transport: over, prior }: Way,
  verdictAt: number,
  options: ConnectOptions,
  deps: ConnectionDeps,
): Promise<Result<Connection, Failed>> {
  const { timeoutMs, signal, log } = options;
  let refusal: NeedsAuthError | undefined;
  const onRefused = (error: NeedsAuthError) => {
    refusal = error;
  };
  let transport: Transport | undefined;
  let client: Client | undefined;
  try {
    transport = await createTransport({ ...config, transport: over }, { ...options, onRefused }, deps);
    // Over HTTP the first answer that is no refusal says that we were let in: see `transports.ts`.
    log?.step(over === "stdio" ? "handshake" : "authenticate");
    const settled = settling(transport);
    const opened = openClient(transport, settled.direct, options, deps);
    client = opened.client;
    // The signal ends these; the SDK's own limit must not come first.
    const requests = { signal, timeout: timeoutMs + 1000 };
    // The SDK's probe knows no signal, so an abort must not wait for it.
    await unlessAborted(client.connect(settled, prior ? { ...requests, prior } : requests), signal);
    setListsAside(settled);
    log?.step("list");
    const tools = await unlessAborted(listTools(client, requests, deps.redact), signal);
    const used = over === "sse" && config.transport !== "sse" ? { transportUsed: over } : {};
    return ok(new Connection({ ...opened, ...used }, tools, verdictAt));
  } catch (error) {
    await client?.close().catch(() => {});
    await transport?.close().catch(() => {});
    const refused = needsAuth(error) ?? refusal;
    return err({
      message: refused?.detail ?? describeFailure(error, transport, deps.redact),
      needsAuth: refused !== undefined,
      status: httpStatusOf(error),
      wasCutOff: wasCutOff(error),
      endedOnProbe: prior === undefined && hasEndedOnProbe(error, transport),
      transport,
    });
  }
}

function openClient(
  transport: Transport,
  requests: DirectRequests,
  { timeoutMs, answering }: ConnectOptions,
  { version, redact }: ConnectionDeps,
): OpenClient {
  const clientInfo = { name: "toolkeep", version };
  // Servers keep to the roots they are given, whoever calls next: only the caller of all calls may give them.
  const hasRoots = answering?.capabilities.roots !== undefined;
  const client = new Client(clientInfo, {
    capabilities: hasRoots ? { ...CAPABILITIES, roots: { listChanged: true } } : CAPABILITIES,
    // What a server of 2026-07-28 asks back is brought to the caller of that very call.
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeLimit(transport, timeoutMs) } },
  });
  if (hasRoots) {
    // Until the connection takes over: many ask as soon as hands are shaken.
    client.setRequestHandler(
      "roots/list",
      async ({ params = {} }, { mcpReq }) =>
        (await answering.answer({ method: "roots/list", params }, mcpReq.signal)) as never,
    );
  }
  // Out-of-band trouble (an answer to nothing, a stream that will be opened again) is not the caller's.
  client.onerror = () => {};
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => resolve(endingOf(transport, redact) ?? "the connection was closed");
  });
  return { client, transport, requests, clientInfo, hasRoots, closed, redact };
}

/** A silent process is an old one, to be spoken to otherwise in good time; a silent address is only silent. */
function probeLimit(transport: Transport, timeoutMs: number): number {
  return transport instanceof StdioTransport ? Math.min(PROBE_TIMEOUT_MS, timeoutMs / 3) : timeoutMs + 1000;
}

function knownWay({ transport }: ServerConfig, prior: Era | null): Way {
  if (transport === "sse" || (transport === "http" && prior?.transport === "sse"))
    return { transport: "sse", prior: LEGACY };
  if (prior?.era === "legacy") return { transport, prior: LEGACY };
  const discover = isRecord(prior?.discover) ? (prior.discover as DiscoverResult) : undefined;
  return { transport, prior: discover && { kind: "modern", discover } };
}

/** Whether a failure may only mean that the server no longer speaks what it spoke last time. */
function isStale({ prior, transport: over }: Way, config: ServerConfig, { transport }: Failed): boolean {
  if (prior === undefined || transport === undefined) return false;
  if (transport instanceof SSEClientTransport) return over !== config.transport;
  return prior.kind === "modern" || !hasEnded(transport);
}

function mayBeOldSse(config: ServerConfig, { transport, status = 0 }: Failed): boolean {
  const wasAskedOverHttp = transport !== undefined && !(transport instanceof SSEClientTransport);
  return config.transport === "http" && wasAskedOverHttp && OLD_SSE_STATUSES.includes(status);
}

function hasEndedOnProbe(error: unknown, transport: Transport | undefined): boolean {
  return (
    transport instanceof StdioTransport &&
    transport.pid !== 0 &&
    error instanceof SdkError &&
    error.code === SdkErrorCode.EraNegotiationFailed
  );
}

function hasEnded(transport: Transport): boolean {
  return transport instanceof StdioTransport && transport.ending !== undefined;
}
