import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { Hub } from "../../hub.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { Deadlines } from "../../lib/flow/deadlines.ts";
import { ActiveRequests } from "../../lib/http/active-requests.ts";
import type { HostCheck } from "../../lib/http/host-check.ts";
import { type JsonBody, readJson } from "../../lib/http/json-body.ts";
import { OpenAnswers, QueuedAnswers } from "../../lib/http/open-answers.ts";
import { type NewId, randomId } from "../../lib/id.ts";
import { isRecord } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import { ok } from "../../lib/result.ts";
import { classify } from "./classify.ts";
import { Admission, Callers, isOpenTo, parseAddress, restrictRelayed } from "./http/admission.ts";
import { MESSAGE_SHAPE, toBodyRefusal } from "./http/body-limits.ts";
import { Heartbeat } from "./http/event-stream.ts";
import { toHostError } from "./http/host-guard.ts";
import { writeAnswer } from "./http/reply.ts";
import { LegacySessions, SESSION_LIMITS, type SessionLimits } from "./legacy/legacy-sessions.ts";
import { type HttpAnswer, RPC, rpcError } from "./messages.ts";
import { HeldCalls } from "./modern/held-calls.ts";
import { Listeners } from "./modern/listeners.ts";
import { ModernRequests } from "./modern/modern.ts";
import { RequestStates } from "./modern/request-state.ts";
import { ServerTasks } from "./modern/tasks.ts";
import { OfferTexts, OwnIdentity } from "./serving.ts";
import { ToolLists } from "./tool-lists.ts";
import { watchLists } from "./watch-lists.ts";

const SWEEP_MS = 60_000;
const CLOSE_GRACE_MS = 1_000;
/** How long a call waits for its client to answer a question. */
const HOLD_MS = 10 * 60_000;

export interface GatewayOptions {
  readonly log: Log;
  readonly version: string;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly limits?: Partial<SessionLimits>;
  /** How often idle sessions and the streams of revoked tokens are closed. */
  readonly sweepMs?: number;
  /** How long a call waits for its client to answer a question. */
  readonly holdMs?: number;
  /** If set, requests at `/mcp` bypass Fastify, which would take a tenth of the cost of a call. */
  readonly door?: Door;
}

/** The checks that every direct request must pass; Fastify's hooks make the same for all others. */
export interface Door {
  readonly hosts: HostCheck;
  /** While it drains, only clients in sessions are served: they may send the answer that a call waits for. */
  readonly requests: ActiveRequests;
}

/** Counts of what is open now. */
export interface GatewayCounts {
  readonly sessions: number;
  readonly streams: number;
  readonly subscriptions: number;
  readonly heldCalls: number;
}

export interface Gateway {
  counts(): GatewayCounts;
  /** The tool lists that clients receive. */
  readonly lists: ToolLists;
  /** Ends the streams that last as long as their clients, so that only calls are left under way. */
  endStreams(): void;
  /** Ends every session and stream. Also runs when the Fastify instance closes. */
  close(): Promise<void>;
}

/**
 * Serves the hub at `/mcp`, `/mcp/<toolbox>` and `/mcp/server/<name>` of a Fastify instance, for both eras of MCP. The
 * caller has to check Host and Origin.
 */
export function mountGateway(app: FastifyInstance, hub: Hub, options: GatewayOptions): Gateway {
  const { log, clock = systemClock, newId = randomId, holdMs = HOLD_MS } = options;
  const heartbeat = new Heartbeat();
  const deps = {
    hub,
    log,
    heartbeat,
    deadlines: new Deadlines({ keepAlive: false }),
    identity: new OwnIdentity(options.version),
    lists: new ToolLists(hub),
    offerTexts: new OfferTexts(),
    callers: new Callers(hub.identity),
  };
  const heldCalls = new HeldCalls(newId, holdMs);
  const listeners = new Listeners(deps);
  const states = new RequestStates(hub.vault, clock, holdMs);
  const tasks = new ServerTasks({ ...deps, vault: hub.vault });
  const modern = new ModernRequests({ ...deps, held: heldCalls, states, listeners, tasks });
  const legacy = new LegacySessions({
    ...deps,
    clock,
    newId,
    requests: options.door?.requests ?? new ActiveRequests(),
    limits: { ...SESSION_LIMITS, ...options.limits },
  });
  const admission = new Admission(hub.identity, () => hub.settings);
  const answers = new OpenAnswers();

  const stopWatching = watchLists(hub, log, async () => {
    await listeners.announceChanges();
    await legacy.announceChanges();
  });
  const stopListening = hub.listings.onChange(() => legacy.markChanged());
  const sweep = setInterval(() => {
    if (answers.size > 0) answers.endOthers(listValidTokens(hub, clock()));
    legacy.closeIdle();
  }, options.sweepMs ?? SWEEP_MS).unref();

  /** Resolves when the answer is complete; for a stream, when its client has left. */
  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = getPath(req);
    const admitted = admission.admit({
      authorization: req.headers.authorization,
      host: req.headers.host,
      address: req.socket.remoteAddress,
      connection: req.socket,
      path,
    });
    // Await only a promise: Node delivers the body in this tick, and has to buffer it in a stream if nobody reads yet.
    const who = admitted instanceof Promise ? await admitted : admitted;
    if (!who.ok) return writeAnswer(res, who.error);

    const principal = restrictRelayed(who.value, req, hub.settings);
    const address = parseAddress(path);
    if (!address || !isOpenTo(address, principal, deps.callers, hub)) return writeAnswer(res, NOTHING_HERE);

    const isPost = req.method === "POST";
    const received = isPost
      ? await readJson(req, hub.settings.limits.maxMessageBytes, MESSAGE_SHAPE)
      : NO_BODY;
    const openAnswer = { res, tokenId: principal.tokenId, lasting: isLasting(req, received) };
    answers.begin(openAnswer);
    try {
      if (!received.read.ok) return writeAnswer(res, toBodyRefusal(received.read.error));
      const body = received.read.value;
      const batchRefusal = Array.isArray(body) && admission.admitBatch(principal, body.length);
      if (batchRefusal) return writeAnswer(res, batchRefusal);
      // The client left meanwhile, and no event will say so again.
      if (res.destroyed || res.closed) return;

      const classified = isPost ? classify(req.headers, body) : LEGACY;
      if (classified.era === "neither") return writeAnswer(res, classified.answer);
      if (classified.era === "legacy") return await legacy.serve({ req, res, body, principal, address });
      return await modern.serve({ req, res, message: classified.message, principal, address });
    } finally {
      answers.end(openAnswer);
      received.release();
    }
  }

  function fail(error: unknown, req: IncomingMessage, res: ServerResponse): void {
    if (req.errored || res.destroyed) return;
    log.error({ error: messageOf(error) }, "gateway: a request at /mcp failed");
    if (res.headersSent) res.destroy();
    else writeAnswer(res, rpcError(500, RPC.internalError, "internal error; the daemon's log says more"));
  }

  const serve: ServeRequest = (req, res) => handle(req, res).catch((error) => fail(error, req, res));

  async function close(): Promise<void> {
    stopWatching();
    stopListening();
    clearInterval(sweep);
    listeners.close();
    heldCalls.close();
    legacy.close();
    await answers.close(CLOSE_GRACE_MS);
  }

  mountRoutes(app, serve);
  if (options.door) serveDirectly(app.server, options.door, serve);
  app.addHook("preClose", close);
  return {
    lists: deps.lists,
    counts: () => ({
      sessions: legacy.size,
      streams: heartbeat.size,
      subscriptions: listeners.size,
      heldCalls: heldCalls.size,
    }),
    endStreams() {
      listeners.close();
      answers.endLasting();
    },
    close,
  };
}

const NO_BODY: JsonBody = { read: ok(undefined), release() {} };
const LEGACY = { era: "legacy" } as const;
const NOTHING_HERE = rpcError(
  404,
  RPC.refused,
  "there is nothing for this token at this address. Use /mcp, or /mcp/<toolbox> with a toolbox of the agent, or /mcp/server/<name> with a server that it is granted tools of.",
  { data: { code: "NOT_FOUND" } },
);

type ServeRequest = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Takes requests at `/mcp` before Fastify. The routes stay, because Fastify may listen with more than one server. */
function serveDirectly(server: Server, { hosts, requests }: Door, serve: ServeRequest): void {
  const others = server.listeners("request");
  const queued = new QueuedAnswers();
  server.removeAllListeners("request");
  server.on("request", (req, res) => {
    queued.watch(req, res);
    if (!/^\/mcp(?:[/?]|$)/.test(req.url ?? "")) {
      for (const other of others) other.call(server, req, res);
      return;
    }
    const problem = hosts.problem(req);
    if (problem) return writeAnswer(res, toRefusal(toHostError(problem)));
    if (requests.isDraining && req.headers["mcp-session-id"] === undefined)
      return writeAnswer(res, toRefusal(new ToolkeepError("DAEMON_UNREACHABLE", "the daemon is stopping")));
    requests.begin(req, res);
    if (!SERVED_METHODS.has(req.method ?? "")) return writeAnswer(res, NOT_ALLOWED);
    void serve(req, res);
  });
}

const SERVED_METHODS = new Set(["GET", "POST", "DELETE"]);
const NOT_ALLOWED = rpcError(405, RPC.refused, "MCP uses POST, GET and DELETE here", {
  headers: { allow: "GET, POST, DELETE" },
});

function toRefusal({ status, code, message, remedy }: ToolkeepError): HttpAnswer {
  return rpcError(status, RPC.refused, `${message}. ${remedy}`, { data: { code, remedy } });
}

/** The routes use Node's own request and response; Fastify must neither read the body nor answer. */
function mountRoutes(app: FastifyInstance, serve: ServeRequest): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const url of ["/mcp", "/mcp/*"]) {
      scope.route({
        method: [...SERVED_METHODS],
        url,
        exposeHeadRoute: false,
        handler: (request, reply) => {
          reply.hijack();
          return serve(request.raw, reply.raw);
        },
      });
    }
  });
}

/** The path without the query. */
function getPath({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

function isLasting(req: IncomingMessage, { read }: JsonBody): boolean {
  if (req.method === "GET") return true;
  return read.ok && isRecord(read.value) && read.value.method === "subscriptions/listen";
}

function listValidTokens({ identity }: Pick<Hub, "identity">, now: number): ReadonlySet<string> {
  const valid = identity.tokens().filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  return new Set(valid.map(({ id }) => id));
}
