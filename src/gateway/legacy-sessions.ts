import {
  isInitializeRequest,
  isSpecType,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { NewId } from "../lib/id.ts";
import type { AgentPrincipal } from "./authenticate.ts";
import { createMcpServer, type McpServerDeps } from "./mcp-server.ts";
import { RPC, rpcError } from "./rpc-error.ts";

export interface SessionLimits {
  readonly maxSessions: number;
  readonly maxSessionsPerToken: number;
  /** A session without a request or an open stream for this long is closed. */
  readonly idleMs: number;
}

export const SESSION_LIMITS: SessionLimits = {
  maxSessions: 1_000,
  maxSessionsPerToken: 100,
  idleMs: 30 * 60_000,
};

export interface LegacyDeps extends McpServerDeps {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly limits: SessionLimits;
}

/** One HTTP request of a session. `send` resolves when its answer is complete. */
export interface Exchange {
  readonly request: Request;
  readonly body: unknown;
  readonly principal: AgentPrincipal;
  readonly send: (response: Response) => Promise<void>;
}

interface Session {
  readonly id: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly serving: { principal: AgentPrincipal };
  /** Requests and streams under way. */
  open: number;
  usedAt: number;
  /** Of the tool list that the client was last told of. */
  listDigest: string;
}

/**
 * The eras up to 2025-11-25: a client initialises a session and keeps it, mostly with a stream on which the
 * server speaks first. A session belongs to the token that began it.
 */
export class LegacySessions {
  readonly #deps: LegacyDeps;
  readonly #sessions = new Map<string, Session>();

  constructor(deps: LegacyDeps) {
    this.#deps = deps;
  }

  async serve({ request, body, principal, send }: Exchange): Promise<void> {
    const session = startsSession(body) ? await this.#begin(principal) : this.#find(request, principal);
    if (session instanceof Response) return send(session);

    session.serving.principal = principal;
    session.open += 1;
    try {
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      // A cancelled request is never answered; without this its stream would stay open as long as the session.
      const cancelled = cancelledId(body);
      if (cancelled !== undefined) session.transport.closeSSEStream(cancelled);
      await send(response);
    } finally {
      session.open -= 1;
      session.usedAt = this.#deps.clock();
      // An `initialize` that was refused leaves a session that nobody has the id of.
      if (session.transport.sessionId === undefined) await this.#end(session);
    }
  }

  /** Tells each session whose own list changed, and no other. */
  async announceChanges(): Promise<void> {
    const { hub, lists, log } = this.#deps;
    for (const session of this.#sessions.values()) {
      const agent = hub.identity.agentById(session.serving.principal.agent.id);
      if (!agent) continue;
      const { digest } = lists.for({ ...session.serving.principal, agent });
      if (digest === session.listDigest) continue;
      session.listDigest = digest;
      await session.server
        .sendToolListChanged()
        .catch((error: unknown) => log.debug({ error: messageOf(error) }, "list change not delivered"));
    }
  }

  async closeIdle(): Promise<void> {
    const before = this.#deps.clock() - this.#deps.limits.idleMs;
    const idle = [...this.#sessions.values()].filter(
      (session) => session.open === 0 && session.usedAt < before,
    );
    await Promise.all(idle.map((session) => this.#end(session)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  #find(request: Request, principal: AgentPrincipal): Session | Response {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      return rpcError(
        400,
        RPC.refused,
        "the Mcp-Session-Id header is required: begin a session with initialize",
      );
    }
    const session = this.#sessions.get(id);
    // Another token's session is as unknown as one that never was.
    if (session?.serving.principal.tokenId === principal.tokenId) return session;
    return rpcError(404, RPC.sessionNotFound, "no such session: begin a new one with initialize");
  }

  async #begin(principal: AgentPrincipal): Promise<Session | Response> {
    if (!(await this.#makeRoom(principal.tokenId))) {
      return rpcError(503, RPC.refused, "too many sessions are open and busy; close some and try again", {
        headers: { "retry-after": "10" },
      });
    }
    const id = this.#deps.newId("ses");
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => void this.#sessions.delete(id),
    });
    const serving = { principal, conversation: () => id };
    const server = createMcpServer(this.#deps, serving);
    const session: Session = {
      id,
      server,
      transport,
      serving,
      open: 0,
      usedAt: this.#deps.clock(),
      listDigest: this.#deps.lists.for(principal).digest,
    };
    await server.connect(transport);
    this.#sessions.set(id, session);
    return session;
  }

  /** Closes the session least recently used where a limit is reached. False when every candidate is in use. */
  async #makeRoom(tokenId: string): Promise<boolean> {
    const all = [...this.#sessions.values()];
    const own = all.filter((session) => session.serving.principal.tokenId === tokenId);
    const { maxSessions, maxSessionsPerToken } = this.#deps.limits;
    if (own.length < maxSessionsPerToken && all.length < maxSessions) return true;

    const candidates = own.length >= maxSessionsPerToken ? own : all;
    const [oldest] = candidates.filter((session) => session.open === 0).sort((a, b) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    await this.#end(oldest);
    return true;
  }

  async #end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    await session.server.close();
  }
}

/** An `initialize` begins a session also with an old session's id: some clients keep sending it. */
function startsSession(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some(isInitializeRequest);
}

function cancelledId(body: unknown): RequestId | undefined {
  return isSpecType.CancelledNotification(body) ? body.params.requestId : undefined;
}
