import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { messageOf, type ToolkeepError } from "../../contract/errors.ts";
import type { Hub } from "../../hub.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { Deadlines } from "../../lib/flow/deadlines.ts";
import { type NewId, randomId } from "../../lib/id.ts";
import { isRecord } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import { ok } from "../../lib/result.ts";
import {
  type Address,
  Admission,
  type AgentPrincipal,
  addressOf,
  Callers,
  isOpenTo,
  relayed,
} from "./http/admission.ts";
import { Heartbeat } from "./http/event-stream.ts";
import { OpenAnswers, QueuedAnswers } from "./http/open-answers.ts";
import { writeAnswer } from "./http/reply.ts";
import { type Body, withJson } from "./http/request-body.ts";
import { LegacySessions, SESSION_LIMITS, type SessionLimits } from "./legacy/legacy-sessions.ts";
import { type HttpAnswer, RPC, rpcError } from "./messages.ts";
import { HeldCalls } from "./modern/held-calls.ts";
import { Listeners } from "./modern/listeners.ts";
import { Modern } from "./modern/modern.ts";
import { classify } from "./modern/modern-request.ts";
import { RequestStates } from "./modern/request-state.ts";
import { Tasks } from "./modern/tasks.ts";
import { OfferTexts, OwnIdentity } from "./serving.ts";
import { ToolLists } from "./tool-lists.ts";
import { watchLists } from "./watch-lists.ts";

const SWEEP_MS = 60_000;
const CLOSE_GRACE_MS = 1_000;
/** How long a call waits for the client that it asked something. */
const HOLD_MS = 10 * 60_000;

export interface GatewayOptions {
  readonly log: Log;
  readonly version: string;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly limits?: Partial<SessionLimits>;
  /** How often idle sessions and streams of revoked tokens are looked for. */
  readonly sweepMs?: number;
  /** How long a call waits for the client that it asked something. */
  readonly holdMs?: number;
  /**
   * What Fastify's hooks do with a request, as one function. With it, requests are served without going through
   * Fastify, which would be a tenth of the cost of a call. It gives the error to refuse a request with.
   */
  readonly guard?: (req: IncomingMessage, res: ServerResponse) => ToolkeepError | undefined;
  /** Whether nothing new may begin any more; what is under way may still be answered by its client. */
  readonly isStopping?: () => boolean;
}

/** What is open at the moment. */
export interface GatewayCounts {
  readonly sessions: number;
  readonly streams: number;
  readonly subscriptions: number;
  readonly heldCalls: number;
}

export interface Gateway {
  counts(): GatewayCounts;
  /** The tool lists as clients get them. */
  readonly lists: ToolLists;
  /** Ends the streams that last as long as their clients, so that only calls are left under way. */
  endStreams(): void;
  /** Ends every session and stream. Also happens when the Fastify instance closes. */
  close(): Promise<void>;
}

/**
 * The hub at `/mcp`, `/mcp/<toolbox>` and `/mcp/server/<name>` of a Fastify instance, for both eras of MCP. Host and
 * Origin are checked by whoever mounts it.
 */
export function mountGateway(app: FastifyInstance, hub: Hub, options: GatewayOptions): Gateway {
  const { log, clock = systemClock, newId = randomId, holdMs = HOLD_MS } = options;
  const beats = new Heartbeat();
  const deps = {
    hub,
    log,
    beats,
    patience: new Deadlines({ keepAlive: false }),
    identity: new OwnIdentity(options.version),
    lists: new ToolLists(hub),
    offerTexts: new OfferTexts(),
    callers: new Callers(hub.identity),
  };
  const held = new HeldCalls(newId, holdMs);
  const listeners = new Listeners(deps);
  const states = new RequestStates(hub.vault, clock, holdMs);
  const tasks = new Tasks({ ...deps, vault: hub.vault });
  const modern = new Modern({ ...deps, held, states, listeners, tasks });
  const legacy = new LegacySessions({
    ...deps,
    clock,
    newId,
    isStopping: options.isStopping ?? (() => false),
    limits: { ...SESSION_LIMITS, ...options.limits },
  });
  const admission = new Admission(hub.identity, () => hub.settings);
  const answers = new OpenAnswers(hub.identity, clock);

  const stopWatching = watchLists(hub, log, async () => {
    await listeners.announceChanges();
    await legacy.announceChanges();
  });
  const stopHearing = hub.listings.onChange(() => legacy.mayHaveChanged());
  const sweep = setInterval(() => {
    answers.endRevoked();
    legacy.closeIdle();
  }, options.sweepMs ?? SWEEP_MS).unref();

  /** Authenticates, narrows to the address, reads the body; `answer` has the rest. */
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = pathOf(req);
    const admitted = admission.admit({
      authorization: req.headers.authorization,
      host: req.headers.host,
      address: req.socket.remoteAddress,
      connection: req.socket,
      path,
    });
    // Only where it must be waited for: Node hands the body over in this turn, to a stream where nobody has asked for it.
    const who = admitted instanceof Promise ? await admitted : admitted;
    if (!who.ok) return writeAnswer(res, who.error);

    const principal = relayed(who.value, req, hub.settings);
    const address = addressOf(path);
    const callerHere = (here: Address) => deps.callers.for(principal, "", here);
    if (!address || !isOpenTo(address, callerHere, hub)) return writeAnswer(res, NOTHING_HERE);

    const request = { req, res, principal, address };
    if (req.method !== "POST") return await answer(request, NO_BODY);
    // Node is told that the request is over once it is answered, not before.
    return await withJson(req, hub.settings.limits.maxMessageBytes, (body) => answer(request, body));
  }

  /** Tells the eras apart, and has the request answered by its own. Resolves when the answer is complete. */
  async function answer({ req, res, principal, address }: Received, body: Body): Promise<void> {
    if (!body.ok) return writeAnswer(res, body.error);
    const tooMany = Array.isArray(body.value) && admission.admitBatch(principal, body.value.length);
    if (tooMany) return writeAnswer(res, tooMany);
    // Its client left meanwhile, and nothing will say so again.
    if (res.destroyed || res.closed) return;

    const open = { res, tokenId: principal.tokenId, lasting: isLasting(req, body.value) };
    answers.begin(open);
    try {
      const classified = req.method === "POST" ? classify(req.headers, body.value) : LEGACY;
      if (classified.era === "neither") return writeAnswer(res, classified.answer);
      if (classified.era === "legacy")
        return await legacy.serve({ req, res, body: body.value, principal, address });
      return await modern.serve({ req, res, message: classified.message, principal, address });
    } finally {
      answers.end(open);
    }
  }

  async function close(): Promise<void> {
    stopWatching();
    stopHearing();
    clearInterval(sweep);
    listeners.close();
    held.close();
    legacy.close();
    await answers.close(CLOSE_GRACE_MS);
  }

  const serveSafely: Serve = async (req, res) => {
    try {
      await serve(req, res);
    } catch (error) {
      if (req.errored || res.destroyed) return;
      log.error({ error: messageOf(error) }, "a request at /mcp failed");
      if (res.headersSent) res.destroy();
      else writeAnswer(res, rpcError(500, RPC.internalError, "internal error; the daemon's log says more"));
    }
  };
  mountRoutes(app, serveSafely);
  if (options.guard) serveDirectly(app.server, options.guard, serveSafely);
  app.addHook("preClose", close);
  return {
    lists: deps.lists,
    counts: () => ({
      sessions: legacy.size,
      streams: beats.size,
      subscriptions: listeners.size,
      heldCalls: held.size,
    }),
    endStreams() {
      listeners.close();
      answers.endLasting();
    },
    close,
  };
}

/** A request that was let in. */
interface Received {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly principal: AgentPrincipal;
  readonly address: Address;
}

const NO_BODY: Body = ok(undefined);
const LEGACY = { era: "legacy" } as const;
const NOTHING_HERE = rpcError(
  404,
  RPC.refused,
  "there is nothing for this token at this address. Use /mcp, or /mcp/<toolbox> with a toolbox of the agent, or /mcp/server/<name> with a server that it is granted tools of.",
  { data: { code: "NOT_FOUND" } },
);

type Serve = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Takes the requests at `/mcp` before Fastify sees them. The routes stay: Fastify may listen with more servers than one. */
function serveDirectly(server: Server, guard: NonNullable<GatewayOptions["guard"]>, serve: Serve): void {
  const others = server.listeners("request");
  const queued = new QueuedAnswers();
  server.removeAllListeners("request");
  server.on("request", (req, res) => {
    queued.watch(req, res);
    if (!/^\/mcp(?:[/?]|$)/.test(req.url ?? "")) {
      for (const other of others) other.call(server, req, res);
      return;
    }
    const refused = guard(req, res);
    if (refused) writeAnswer(res, refusal(refused));
    else if (!SERVED.has(req.method ?? "")) writeAnswer(res, NOT_ALLOWED);
    else void serve(req, res);
  });
}

const SERVED = new Set(["GET", "POST", "DELETE"]);
const NOT_ALLOWED = rpcError(405, RPC.refused, "MCP uses POST, GET and DELETE here", {
  headers: { allow: "GET, POST, DELETE" },
});

function refusal({ status, code, message, remedy }: ToolkeepError): HttpAnswer {
  return rpcError(status, RPC.refused, `${message}. ${remedy}`, { data: { code, remedy } });
}

/** The routes work on Node's own request and response; Fastify must neither read the body nor answer. */
function mountRoutes(app: FastifyInstance, serve: Serve): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const url of ["/mcp", "/mcp/*"]) {
      scope.route({
        method: [...SERVED],
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

/** Without the query. */
function pathOf({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

function isLasting(req: IncomingMessage, body: unknown): boolean {
  return req.method === "GET" || (isRecord(body) && body.method === "subscriptions/listen");
}
