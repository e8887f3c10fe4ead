import type { IncomingMessage, ServerResponse } from "node:http";
import { createPace } from "../../../lib/flow/pace.ts";
import type { ActiveRequests } from "../../../lib/http/active-requests.ts";
import type { NewId } from "../../../lib/id.ts";
import { type Address, type AgentPrincipal, isSameAddress } from "../http/admission.ts";
import { accepts, writeAnswer } from "../http/reply.ts";
import {
  type HttpAnswer,
  LEGACY_VERSIONS,
  parseMessage,
  RPC,
  type RpcMessage,
  type RpcRequest,
  readId,
  rpcError,
} from "../messages.ts";
import { readCapabilities } from "../methods.ts";
import { readClientName } from "../serving.ts";
import { EventBudget } from "./event-log.ts";
import { LegacySession, type SessionDeps, type SessionStart } from "./legacy-session.ts";
import { type SessionFacts, SessionIds } from "./session-ids.ts";

export interface SessionLimits {
  readonly maxSessions: number;
  readonly maxSessionsPerToken: number;
  /** A session is closed after this long without a request or an open stream. */
  readonly idleMs: number;
}

export const SESSION_LIMITS: SessionLimits = {
  maxSessions: 1_000,
  maxSessionsPerToken: 100,
  idleMs: 30 * 60_000,
};

const MAX_DELETED = 10_000;
const STOPPING = rpcError(503, RPC.refused, "the daemon is stopping; try again in a moment", {
  headers: { "retry-after": "5" },
});

export interface LegacyDeps extends Omit<SessionDeps, "eventBudget"> {
  readonly newId: NewId;
  readonly limits: SessionLimits;
  /** While it drains, only work under way may continue. */
  readonly requests: Pick<ActiveRequests, "isDraining">;
}

/** One HTTP request of the legacy era. */
export interface LegacyRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  readonly principal: AgentPrincipal;
  readonly address: Address;
}

/**
 * Serves the eras up to 2025-11-25, in which a client initialises a session and keeps it, usually with a stream on which
 * the server sends first. A session belongs to the token and the address that it began with. One that was closed to make
 * room or for being idle, or that began at another replica, is resumed when its client returns.
 */
export class LegacySessions {
  readonly #deps: LegacyDeps & SessionDeps;
  readonly #ids: SessionIds;
  readonly #sessions = new Map<string, LegacySession>();
  /** The keys of sessions that their clients deleted, which must not be resumed. */
  readonly #deleted = new Set<string>();

  constructor(deps: LegacyDeps) {
    this.#deps = { ...deps, eventBudget: new EventBudget() };
    this.#ids = new SessionIds(deps.hub.vault);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Resolves when the answer is complete; for a stream, when its client has left. */
  serve(request: LegacyRequest): void | Promise<void> {
    switch (request.req.method) {
      case "GET":
        return this.#listen(request);
      case "DELETE":
        return writeAnswer(request.res, this.#delete(request));
      default:
        return this.#post(request);
    }
  }

  /** Tells each session which of its own lists changed. */
  async announceChanges(): Promise<void> {
    const { hub } = this.#deps;
    const pace = createPace();
    for (const session of this.#sessions.values()) {
      await pace();
      const agent = hub.identity.agentById(session.principal.agent.id);
      if (!agent) continue;
      session.principal = { ...session.principal, agent };
      await session.announceChanges();
    }
  }

  /** The finds of conversations may have changed lists: each session checks before its next answer. */
  markChanged(): void {
    for (const session of this.#sessions.values()) session.mayHaveChanges = true;
  }

  closeIdle(): void {
    const before = this.#deps.clock() - this.#deps.limits.idleMs;
    for (const session of this.#sessions.values()) {
      if (session.open === 0 && session.usedAt < before) this.#end(session);
    }
  }

  close(): void {
    for (const session of this.#sessions.values()) this.#end(session);
  }

  async #post(request: LegacyRequest): Promise<void> {
    const { req, res, body } = request;
    const isBatch = Array.isArray(body);
    const messages = parseMessages(body);
    if (!messages) return writeAnswer(res, refuseNonMessage(body));
    if (this.#deps.requests.isDraining && messages.some(({ kind }) => kind === "request"))
      return writeAnswer(res, STOPPING);
    const { accept } = req.headers;
    if (!accepts(accept, "application/json")) return writeAnswer(res, refuseAccept("application/json"));

    // `initialize` ignores the id of an old session, because some clients keep sending it.
    const initialize = messages.find(isInitialize);
    if (initialize && messages.length > 1) return writeAnswer(res, NOT_ALONE);
    const session = initialize ? this.#begin(request, initialize) : this.#find(request);
    if (!(session instanceof LegacySession)) return writeAnswer(res, session);
    const acceptsStream = accepts(accept, "text/event-stream");
    this.#enter(session, request);
    try {
      await session.receive(messages, { res, isBatch, acceptsStream });
    } finally {
      this.#leave(session);
    }
  }

  async #listen(request: LegacyRequest): Promise<void> {
    const { req, res } = request;
    if (this.#deps.requests.isDraining) return writeAnswer(res, STOPPING);
    if (!req.headers.accept?.includes("text/event-stream"))
      return writeAnswer(res, refuseAccept("text/event-stream"));
    const session = this.#find(request);
    if (!(session instanceof LegacySession)) return writeAnswer(res, session);
    const lastEventId = req.headers["last-event-id"];
    session.listen(res, typeof lastEventId === "string" ? lastEventId : undefined);
    this.#enter(session, request);
    await new Promise<void>((resolve) => void res.once("close", resolve));
    this.#leave(session);
  }

  #delete(request: LegacyRequest): HttpAnswer {
    const session = this.#find(request);
    if (!(session instanceof LegacySession)) return session;
    this.#deleted.add(session.facts.key);
    const [oldest] = this.#deleted;
    if (this.#deleted.size > MAX_DELETED && oldest !== undefined) this.#deleted.delete(oldest);
    this.#end(session);
    void this.#deps.hub.activations.forget(session.caller);
    return { status: 200, headers: {}, body: "" };
  }

  #enter(session: LegacySession, { principal }: LegacyRequest): void {
    session.principal = principal;
    session.open += 1;
  }

  #leave(session: LegacySession): void {
    session.open -= 1;
    session.usedAt = this.#deps.clock();
  }

  #find({ req, principal, address }: LegacyRequest): LegacySession | HttpAnswer {
    const id = req.headers["mcp-session-id"];
    if (typeof id !== "string") {
      return rpcError(
        400,
        RPC.refused,
        "the Mcp-Session-Id header is required: begin a session with initialize",
      );
    }
    const version = req.headers["mcp-protocol-version"];
    if (version !== undefined && !LEGACY_VERSIONS.some((each) => each === version)) {
      const served = LEGACY_VERSIONS.join(", ");
      return rpcError(400, RPC.refused, `the MCP-Protocol-Version of a session must be one of ${served}`);
    }
    const session = this.#sessions.get(id);
    const facts = session?.facts ?? this.#ids.unseal(id);
    // A session of another token is reported as unknown.
    const isOwn = facts?.tokenId === principal.tokenId && isSameAddress(facts.address, address);
    if (!isOwn || this.#deleted.has(facts.key)) {
      return rpcError(404, RPC.sessionNotFound, "no such session: begin a new one with initialize");
    }
    return session ?? this.#open(id, facts, { principal, isResumed: true });
  }

  #begin({ principal, address }: LegacyRequest, { id, params }: RpcRequest): LegacySession | HttpAnswer {
    const { protocolVersion, capabilities } = params;
    const client = readClientName(params.clientInfo);
    if (typeof protocolVersion !== "string") {
      const message = "Invalid params: protocolVersion must be a version of MCP";
      return rpcError(200, RPC.invalidParams, message, { id });
    }
    const facts: SessionFacts = {
      key: this.#deps.newId("ses"),
      tokenId: principal.tokenId,
      address,
      version: LEGACY_VERSIONS.find((version) => version === protocolVersion) ?? LEGACY_VERSIONS[0],
      ...(client !== undefined && { client }),
      capabilities: readCapabilities(capabilities),
    };
    return this.#open(this.#ids.seal(facts), facts, { principal, isResumed: false });
  }

  #open(id: string, facts: SessionFacts, start: Omit<SessionStart, "now">): LegacySession | HttpAnswer {
    if (!this.#makeRoom(facts.tokenId)) {
      return rpcError(503, RPC.refused, "too many sessions are open and busy; close some and try again", {
        headers: { "retry-after": "10" },
      });
    }
    const session = new LegacySession(id, facts, { ...start, now: this.#deps.clock() }, this.#deps);
    this.#sessions.set(id, session);
    return session;
  }

  /** Closes the least recently used session if a limit is reached. Returns false if every candidate is in use. */
  #makeRoom(tokenId: string): boolean {
    const { maxSessions, maxSessionsPerToken } = this.#deps.limits;
    const all = [...this.#sessions.values()];
    const own = all.filter((session) => session.principal.tokenId === tokenId);
    if (own.length < maxSessionsPerToken && all.length < maxSessions) return true;

    const candidates = own.length >= maxSessionsPerToken ? own : all;
    const [oldest] = candidates.filter((session) => session.open === 0).sort((a, b) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    this.#end(oldest);
    return true;
  }

  #end(session: LegacySession): void {
    this.#sessions.delete(session.id);
    session.close();
  }
}

function parseMessages(body: unknown): readonly RpcMessage[] | undefined {
  if (!Array.isArray(body)) {
    const message = parseMessage(body);
    return message && [message];
  }
  const messages = body.map(parseMessage).filter((message) => message !== undefined);
  return messages.length === body.length && messages.length > 0 ? messages : undefined;
}

function isInitialize(message: RpcMessage): message is RpcRequest {
  return message.kind === "request" && message.method === "initialize";
}

const NOT_ALONE = rpcError(400, RPC.invalidRequest, "initialize must be the only message of its request");

function refuseNonMessage(body: unknown): HttpAnswer {
  return rpcError(400, RPC.invalidRequest, "the body must be a JSON-RPC message", { id: readId(body) });
}

function refuseAccept(type: string): HttpAnswer {
  return rpcError(406, RPC.refused, `the Accept header must include ${type}`);
}
