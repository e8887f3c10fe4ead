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
import { findNeedsAuthError, type NeedsAuthError } from "../auth/needs-auth-error.ts";
import { listTools } from "../lists/tool-list.ts";
import type { Era } from "../transport/era.ts";
import { bypassListValidation } from "../transport/raw-lists.ts";
import { createSettlingTransport, type DirectRequests } from "../transport/requests.ts";
import { StdioTransport } from "../transport/stdio-transport.ts";
import { createTransport, type TransportDeps, type TransportOptions } from "../transport/transports.ts";
import { Connection, type OpenClient } from "./connection.ts";
import { appendStderr, describeEnding, describeFailure, getHttpStatus, wasCutOff } from "./failure.ts";

export interface ConnectOptions extends Omit<TransportOptions, "onRefused"> {
  /** Limits connecting, the handshake and the first tool list together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The era found last time, if it is still trusted. */
  readonly prior: Era | null;
  /** Answers for the one conversation that owns the connection; absent on a shared one. */
  readonly answering?: Answering;
}

export interface ConnectionDeps extends TransportDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

export interface ConnectFailure {
  /** The reason of the failure, for people. Not redacted: the text may contain anything the server said. */
  readonly message: string;
  /** A person has to sign in; retrying earlier does not help. */
  readonly needsAuth: boolean;
  /** The server is being reconnected, for example at a changed address. A waiting call should ask again. */
  readonly isInterrupted?: true;
}

const PROBE_TIMEOUT_MS = 10_000;
const LEGACY: PriorDiscovery = { kind: "legacy" };
/** The answers of servers that know only the transport of 2024-11-05 to requests of later ones. */
const OLD_SSE_STATUSES = [400, 404, 405];
/** Legacy servers are told once, for all callers; whether a given caller can answer is decided per inquiry. */
const CAPABILITIES: ClientCapabilities = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  sampling: {},
  // MCP Apps: servers publish tools with user interfaces only to clients that declare this. The client decides what it shows.
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

/** Connects, shakes hands and lists the tools. Never rejects, and leaves nothing running after a failure. */
export async function connect(
  config: ServerConfig,
  options: ConnectOptions,
  deps: ConnectionDeps,
): Promise<Result<Connection, ConnectFailure>> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  const now = deps.clock();
  const attempt = (route: ConnectRoute, verdictAt = now) =>
    tryConnect(config, route, verdictAt, { ...options, signal }, deps);
  const mayTryAgain = (attempted: FailedAttempt) => !attempted.needsAuth && !signal.aborted;

  const route = planRoute(config, options.prior);
  // An era that was not probed again keeps its age.
  let outcome = await attempt(route, options.prior?.at ?? now);
  // Servers close idle connections, possibly just as the next request leaves.
  if (!outcome.ok && mayTryAgain(outcome.error) && outcome.error.wasCutOff)
    outcome = await attempt(route, options.prior?.at ?? now);
  if (!outcome.ok && mayTryAgain(outcome.error) && isStale(route, config, outcome.error))
    outcome = await attempt({ transport: config.transport });
  // Servers built on old SDKs exit when probed: start a new process and skip the probe.
  if (!outcome.ok && mayTryAgain(outcome.error) && outcome.error.hasEndedOnProbe)
    outcome = await attempt({ transport: config.transport, prior: LEGACY });
  if (!outcome.ok && mayTryAgain(outcome.error) && mayBeOldSse(config, outcome.error)) {
    const overSse = await attempt({ transport: "sse", prior: LEGACY });
    if (overSse.ok || overSse.error.needsAuth) outcome = overSse;
  }

  if (outcome.ok) return outcome;
  const { message, transport, needsAuth } = outcome.error;
  if (options.signal.aborted) return err({ message: "connecting was cancelled", needsAuth: false });
  if (needsAuth || !deadline.aborted) return err({ message, needsAuth });
  const timeoutMessage = `it did not answer within ${options.timeoutMs / 1000} s`;
  return err({ message: appendStderr(timeoutMessage, transport, deps.redact), needsAuth: false });
}

/** How to reach a server: over which transport, and with which known era. */
interface ConnectRoute {
  readonly transport: ServerConfig["transport"];
  readonly prior?: PriorDiscovery | undefined;
}

interface FailedAttempt extends ConnectFailure {
  readonly status: number | undefined;
  readonly wasCutOff: boolean;
  readonly hasEndedOnProbe: boolean;
  readonly transport: Transport | undefined;
}

async function tryConnect(
  config: ServerConfig,
  { transport: transportKind, prior }: ConnectRoute,
  verdictAt: number,
  options: ConnectOptions,
  deps: ConnectionDeps,
): Promise<Result<Connection, FailedAttempt>> {
  const { timeoutMs, signal, log } = options;
  let refusal: NeedsAuthError | undefined;
  const onRefused = (error: NeedsAuthError) => {
    refusal = error;
  };
  let transport: Transport | undefined;
  let client: Client | undefined;
  try {
    transport = await createTransport(
      { ...config, transport: transportKind },
      { ...options, onRefused },
      deps,
    );
    // Over HTTP the first answer that is no refusal ends this step: see `transports.ts`.
    log?.reportStep(transportKind === "stdio" ? "handshake" : "authenticate");
    const settled = createSettlingTransport(transport);
    const opened = openClient(transport, settled.direct, options, deps);
    client = opened.client;
    // The signal ends these requests; the SDK's own limit must not fire first.
    const requests = { signal, timeout: timeoutMs + 1000 };
    // The SDK's probe takes no signal, so an abort must not wait for it.
    await unlessAborted(client.connect(settled, prior ? { ...requests, prior } : requests), signal);
    bypassListValidation(settled);
    log?.reportStep("list");
    const tools = await unlessAborted(listTools(client, requests, deps.redact), signal);
    const fallback =
      transportKind === "sse" && config.transport !== "sse" ? { transportUsed: transportKind } : {};
    return ok(new Connection({ ...opened, ...fallback }, tools, verdictAt));
  } catch (error) {
    await client?.close().catch(() => {});
    await transport?.close().catch(() => {});
    const authError = findNeedsAuthError(error) ?? refusal;
    return err({
      message: authError?.detail ?? describeFailure(error, transport, deps.redact),
      needsAuth: authError !== undefined,
      status: getHttpStatus(error),
      wasCutOff: wasCutOff(error),
      hasEndedOnProbe: prior === undefined && hasEndedOnProbe(error, transport),
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
  // A server applies its roots to every caller: only a connection with a single caller may offer any.
  const hasRoots = answering?.capabilities.roots !== undefined;
  const client = new Client(clientInfo, {
    capabilities: hasRoots ? { ...CAPABILITIES, roots: { listChanged: true } } : CAPABILITIES,
    // Inquiries of a modern server go to the caller of the call they came with.
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: chooseProbeTimeout(transport, timeoutMs) } },
  });
  if (hasRoots) {
    // Serves requests until `Connection` takes over: many servers ask right after the handshake.
    client.setRequestHandler(
      "roots/list",
      async ({ params = {} }, { mcpReq }) =>
        (await answering.answer({ method: "roots/list", params }, mcpReq.signal)) as never,
    );
  }
  // Errors that belong to no call (an unmatched answer, a stream that reconnects) are ignored.
  client.onerror = () => {};
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => resolve(describeEnding(transport, redact) ?? "the connection was closed");
  });
  return { client, transport, requests, clientInfo, hasRoots, closed, redact };
}

/** A silent process is probably an old one and must get the legacy handshake in time; a silent URL is just slow. */
function chooseProbeTimeout(transport: Transport, timeoutMs: number): number {
  return transport instanceof StdioTransport ? Math.min(PROBE_TIMEOUT_MS, timeoutMs / 3) : timeoutMs + 1000;
}

function planRoute({ transport }: ServerConfig, prior: Era | null): ConnectRoute {
  if (transport === "sse" || (transport === "http" && prior?.transport === "sse"))
    return { transport: "sse", prior: LEGACY };
  if (prior?.era === "legacy") return { transport, prior: LEGACY };
  const discover = isRecord(prior?.discover) ? (prior.discover as DiscoverResult) : undefined;
  return { transport, prior: discover && { kind: "modern", discover } };
}

/** Whether the failure may only mean that the server no longer speaks the era it spoke last time. */
function isStale(
  { prior, transport: transportKind }: ConnectRoute,
  config: ServerConfig,
  { transport }: FailedAttempt,
): boolean {
  if (prior === undefined || transport === undefined) return false;
  if (transport instanceof SSEClientTransport) return transportKind !== config.transport;
  return prior.kind === "modern" || !hasEnded(transport);
}

function mayBeOldSse(config: ServerConfig, { transport, status = 0 }: FailedAttempt): boolean {
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
