import type { IncomingMessage, ServerResponse } from "node:http";
import { isLegacyRequest } from "@modelcontextprotocol/server";
import type { FastifyInstance } from "fastify";
import { messageOf } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type NewId, randomId } from "../lib/id.ts";
import { isRecord } from "../lib/json.ts";
import type { Log } from "../lib/log.ts";
import { type AgentPrincipal, authenticate } from "./authenticate.ts";
import { readJson, sendResponse, toWebRequest } from "./http-exchange.ts";
import { LegacySessions, SESSION_LIMITS, type SessionLimits } from "./legacy-sessions.ts";
import { createModern } from "./modern.ts";
import { OpenAnswers } from "./open-answers.ts";
import { RPC, rpcError } from "./rpc-error.ts";
import { ToolLists } from "./tool-lists.ts";
import { watchLists } from "./watch-lists.ts";

const SWEEP_MS = 60_000;
const CLOSE_GRACE_MS = 1_000;

export interface GatewayOptions {
  readonly log: Log;
  readonly version: string;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly limits?: Partial<SessionLimits>;
  /** How often idle sessions and streams of revoked tokens are looked for. */
  readonly sweepMs?: number;
}

export interface Gateway {
  /** Ends the streams that last as long as their clients, so that only calls are left under way. */
  endStreams(): void;
  /** Ends every session and stream. Also happens when the Fastify instance closes. */
  close(): Promise<void>;
}

/** The hub at `/mcp` of a Fastify instance, for both eras of MCP. Host and Origin are checked by whoever mounts it. */
export function mountGateway(app: FastifyInstance, hub: Hub, options: GatewayOptions): Gateway {
  const { log, clock = systemClock, newId = randomId } = options;
  const deps = { hub, log, version: options.version, lists: new ToolLists(hub) };
  const legacy = new LegacySessions({
    ...deps,
    clock,
    newId,
    limits: { ...SESSION_LIMITS, ...options.limits },
  });
  const modern = createModern(deps);
  const answers = new OpenAnswers(hub.identity, clock);

  const stopWatching = watchLists(hub, log, async () => {
    modern.announceChanges();
    await legacy.announceChanges();
  });
  const sweep = setInterval(() => {
    answers.endRevoked();
    legacy
      .closeIdle()
      .catch((error: unknown) => log.error({ error: messageOf(error) }, "closing idle sessions failed"));
  }, options.sweepMs ?? SWEEP_MS).unref();

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const who = authenticate(hub.identity, req.headers.authorization);
    if (!who.ok) return sendResponse(who.error, res);
    const body = await bodyOf(req, hub.settings.limits.maxMessageBytes);
    if (!body.ok) return sendResponse(body.error, res);
    const open = { tokenId: who.value.tokenId, lasting: isLasting(req, body.value) };
    await answers.track(res, open, () => dispatch(req, res, body.value, who.value));
  }

  async function dispatch(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    principal: AgentPrincipal,
  ) {
    const request = toWebRequest(req, res);
    const send = (response: Response) => sendResponse(response, res);
    if (await isLegacyRequest(request, body)) return legacy.serve({ request, body, principal, send });
    return send(await modern.fetch(request, body, principal));
  }

  async function close(): Promise<void> {
    stopWatching();
    clearInterval(sweep);
    await Promise.all([modern.close(), legacy.close()]);
    await answers.close(CLOSE_GRACE_MS);
  }

  mountRoute(app, async (req, res) => {
    try {
      await serve(req, res);
    } catch (error) {
      if (req.errored || res.destroyed) return;
      log.error({ error: messageOf(error) }, "a request at /mcp failed");
      if (res.headersSent) res.destroy();
      else
        await sendResponse(
          rpcError(500, RPC.internalError, "internal error; the daemon's log says more"),
          res,
        );
    }
  });
  app.addHook("preClose", close);
  return { endStreams: () => answers.endLasting(), close };
}

/** The route works on Node's own request and response; Fastify must neither read the body nor answer. */
function mountRoute(
  app: FastifyInstance,
  serve: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    scope.route({
      method: ["GET", "POST", "DELETE"],
      url: "/mcp",
      exposeHeadRoute: false,
      handler: (request, reply) => {
        reply.hijack();
        return serve(request.raw, reply.raw);
      },
    });
  });
}

async function bodyOf(req: IncomingMessage, maxBytes: number): ReturnType<typeof readJson> {
  return req.method === "POST" ? readJson(req, maxBytes) : { ok: true, value: undefined };
}

function isLasting(req: IncomingMessage, body: unknown): boolean {
  return req.method === "GET" || (isRecord(body) && body.method === "subscriptions/listen");
}
