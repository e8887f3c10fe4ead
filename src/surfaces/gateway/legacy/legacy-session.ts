import type { ServerResponse } from "node:http";
import type { Caller, Host } from "../../../contract/caller.ts";
import { messageOf as messageOfError } from "../../../contract/errors.ts";
import type { Answering, ToolCall } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import { awaitWithin } from "../../../lib/flow/await-within.ts";
import type { Deadlines } from "../../../lib/flow/deadlines.ts";
import { FleetingSet } from "../../../lib/flow/fleeting-set.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import type { AgentPrincipal } from "../http/admission.ts";
import { Reply } from "../http/reply.ts";
import {
  type Arrival,
  formatError,
  formatResult,
  invalidParams,
  LOG_LEVELS,
  type Params,
  type RequestId,
  RPC,
  type RpcFault,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from "../messages.ts";
import { type Exchange, findMethod, isFault, type MethodAnswer, parseCallTarget } from "../methods.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import { LIST_CHANGES, SeenLists } from "../seen-lists.ts";
import { buildInstructions, describeCapabilities, type ServingDeps } from "../serving.ts";
import { ClientQuestions } from "./questions-to-client.ts";
import type { SessionFacts } from "./session-ids.ts";
import { SessionStreams, type StreamDeps } from "./session-streams.ts";

const CANCELLED = "cancelled";
const SESSION_ENDED: RpcFault = {
  code: RPC.refused,
  message: "the session ended before this was answered; it may have run",
};
const NO_HEADERS = {};
const MAX_OPEN_REQUESTS = 1_000;
/** Announcing changed lists delays nothing for longer. */
const ANNOUNCE_TIMEOUT_MS = 500;
/** A client that fetches changed lists at all does so within this time. */
const REFETCH_WITHIN_MS = 1_000;
/** A client that reconnects within this time continues its conversation. */
const RESUME_WITHIN_MS = 3_600_000;

export interface SessionDeps extends ServingDeps, StreamDeps {
  readonly deadlines: Deadlines;
  readonly clock: Clock;
}

/** How a session starts in this process. */
export interface SessionStart {
  readonly principal: AgentPrincipal;
  readonly now: number;
  /** The session began elsewhere or before a restart. */
  readonly isResumed: boolean;
}

/** One client of the eras up to 2025-11-25: its declared facts, its streams, and its requests under way. */
export class LegacySession {
  readonly id: string;
  readonly facts: SessionFacts;
  /** Replaced with every request, so that a change to the agent applies from the next one on. */
  principal: AgentPrincipal;
  /** The number of requests and streams under way. */
  open = 0;
  usedAt: number;
  /** The conversation's finds may have changed its lists. */
  mayHaveChanges = false;
  readonly subscriptions: ResourceSubscriptions;
  readonly #deps: SessionDeps;
  readonly #seen = new SeenLists();
  readonly #streams: SessionStreams;
  readonly #requests = new FleetingSet<SessionRequest>();
  readonly #questions = new ClientQuestions();
  readonly #ending = new AbortController();
  #logLevel: string | undefined;
  /** When the client was told of a changed tool list that it has not fetched since; undefined if its list is current. */
  #toolsAnnouncedAt: number | undefined;
  /** The client keeps calling tools without fetching the changed list. Some clients never fetch it. */
  #keepsList = false;
  #cached:
    | { readonly agent: AgentPrincipal["agent"]; readonly caller: Caller; readonly keepsList: boolean }
    | undefined;
  /** The session was resumed, and the client's lists may be out of date. */
  #mustAnnounceAll: boolean;

  constructor(id: string, facts: SessionFacts, start: SessionStart, deps: SessionDeps) {
    this.id = id;
    this.facts = facts;
    this.principal = start.principal;
    this.usedAt = start.now;
    this.#mustAnnounceAll = start.isResumed;
    this.#deps = deps;
    const owner = { version: facts.version, headers: this.#headers, lostAnswer: SESSION_ENDED };
    this.#streams = new SessionStreams(owner, deps);
    this.subscriptions = new ResourceSubscriptions(deps.hub, {
      callerNow: () => this.#getCurrentCaller(),
      onUpdate: (params) => this.notify("notifications/resources/updated", params),
    });
  }

  /** The same object while nothing about it changes. */
  get caller(): Caller {
    return this.#getCallerFor(this.principal.agent);
  }

  /** Answers the messages of one POST. Resolves when all of them are answered. */
  receive(messages: readonly RpcMessage[], { res, isBatch, acceptsStream }: Arrival): void | Promise<void> {
    const requests = messages.filter((message) => message.kind === "request");
    const [first] = requests;
    const reply = new Reply(res, {
      expected: requests.length,
      isBatch,
      deadlines: this.#deps.deadlines,
      // Only the start of a session has to send its id.
      headers: first?.method === "initialize" ? this.#headers : NO_HEADERS,
      ...(acceptsStream && {
        openStream: () => this.#streams.open(requests.length === 1 ? first?.id : undefined),
      }),
    });
    if (first && messages.length === 1) {
      const done = this.#answer(first, reply);
      reply.startDeadline();
      return done;
    }
    for (const message of messages) {
      if (message.kind === "response") this.#questions.settle(message as RpcResponse);
      else if (message.kind === "notification") this.#handleNotification(message);
    }
    if (requests.length === 0) return reply.withdraw();
    reply.startDeadline();
    return this.#answerAll(requests, reply);
  }

  /** Serves a GET with the stream that the client wants. */
  listen(res: ServerResponse, lastEventId: string | undefined): void {
    const stream = this.#streams.connect(res, lastEventId);
    if (stream === "nothing") return;
    void this.#tryAnnounceChanges();
    if (stream !== "own") return;
    if (this.#mustAnnounceAll) for (const method of Object.values(LIST_CHANGES)) this.notify(method);
    this.#mustAnnounceAll = false;
  }

  /** Sends a notification that belongs to no request. */
  notify(method: string, params?: Params): void {
    this.#streams.send(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  /** Tells the client which of its lists changed; without an open stream, ahead of `reply`. */
  async announceChanges(reply?: Reply): Promise<void> {
    const isListening = () => this.#streams.hasListener;
    // Nobody would receive it now; the next request or stream will.
    this.mayHaveChanges = !isListening() && !reply?.canStream;
    if (this.mayHaveChanges) return;
    for (const list of await this.#seen.takeChanges(this.caller, this.#deps)) {
      if (list === "tools") this.#toolsAnnouncedAt ??= this.#deps.clock();
      const method = LIST_CHANGES[list];
      if (reply?.canStream && !isListening()) reply.send(JSON.stringify({ jsonrpc: "2.0", method }));
      else this.notify(method);
    }
  }

  close(): void {
    this.#ending.abort("the session ended");
    // Before the streams end, because a client without an answer would keep waiting.
    for (const request of this.#requests.all()) if (!request.signal.aborted) request.abandon(SESSION_ENDED);
    this.subscriptions.close();
    this.#questions.close();
    this.#streams.close();
  }

  /** With the agent's current grants, also between requests. */
  #getCurrentCaller(): Caller | undefined {
    const agent = this.#deps.hub.identity.agentById(this.principal.agent.id);
    return agent && this.#getCallerFor(agent);
  }

  #getCallerFor(agent: AgentPrincipal["agent"]): Caller {
    const { scopes } = this.principal;
    const keepsList = this.#keepsList;
    const cached = this.#cached;
    if (cached?.agent === agent && cached.caller.scopes === scopes && cached.keepsList === keepsList) {
      return cached.caller;
    }
    const { key, address, client } = this.facts;
    const host: Host = { ...(client !== undefined && { client }), ...(keepsList && { keepsList }) };
    const caller = this.#deps.callers.getCaller({ ...this.principal, agent }, key, address, host);
    this.#cached = { agent, caller, keepsList };
    return caller;
  }

  get #headers(): Readonly<Record<string, string>> {
    return { "mcp-session-id": this.id };
  }

  /** Announces changes without delaying the request for long or failing it. */
  async #tryAnnounceChanges(reply?: Reply): Promise<void> {
    if (!this.mayHaveChanges) return;
    try {
      await awaitWithin(ANNOUNCE_TIMEOUT_MS, this.announceChanges(reply));
    } catch (error) {
      this.#deps.log.warn(
        { error: messageOfError(error) },
        "gateway: announcing changed lists to a client failed",
      );
    }
  }

  /** Runs the requests of a batch like the calls of one step: side by side if they may, otherwise in order. */
  async #answerAll(requests: readonly RpcRequest[], reply: Reply): Promise<void> {
    const members = requests.map((request, at) => {
      const call = this.#toCall(request);
      // From now on the client can cancel it, even before its turn.
      const admitted = this.#admit(request.id, reply, at);
      const run = () => this.#answer(request, reply, at, admitted);
      return { caller: this.caller, ...(call && { call }), run };
    });
    await this.#deps.hub.runBatch(members, this.#ending.signal);
  }

  #toCall(request: RpcRequest): ToolCall | undefined {
    const target = parseCallTarget(request);
    return target && !isFault(target) ? { ...target, caller: this.caller, via: "mcp" } : undefined;
  }

  /** Registers the request as under way until it is answered, or returns why it is refused. */
  #admit(id: RequestId, reply: Reply, at: number): SessionRequest | RpcFault {
    if (this.#findRequest(id)) return { code: RPC.invalidRequest, message: "this id is in use already" };
    if (this.#requests.size >= MAX_OPEN_REQUESTS)
      return { code: RPC.refused, message: "too many requests are under way" };
    const request = new SessionRequest(id, this, reply, at);
    this.#requests.add(request);
    return request;
  }

  #findRequest(id: unknown): SessionRequest | undefined {
    return this.#requests.find((request) => request.id === id);
  }

  /** `at` is the position of its answer among those of one POST. */
  async #answer(
    request: RpcRequest,
    reply: Reply,
    at = 0,
    admitted = this.#admit(request.id, reply, at),
  ): Promise<void> {
    if (!(admitted instanceof SessionRequest))
      return reply.answer(formatError(request.id, admitted), 200, at);
    let answer: MethodAnswer | undefined;
    try {
      answer = await this.#attempt(request, admitted);
      if (this.mayHaveChanges && !admitted.isAnswered) await this.#tryAnnounceChanges(reply);
      // A request that its client cancelled is not answered.
      if (admitted.signal.aborted) answer = admitted.signal.reason === CANCELLED ? undefined : SESSION_ENDED;
    } catch (error) {
      answer = this.#toInternalError(request, error);
    } finally {
      this.#requests.delete(admitted);
    }
    admitted.answer(answer);
  }

  #attempt(request: RpcRequest, exchange: SessionRequest): MethodAnswer | Promise<MethodAnswer> {
    const { method: name } = request;
    const own = Object.hasOwn(SESSION_METHODS, name) ? SESSION_METHODS[name] : undefined;
    const method = own ? undefined : findMethod(name, this.caller, this.#deps.hub);
    if (!own && !method)
      return { code: RPC.methodNotFound, message: `Method not found: ${name.slice(0, 100)}` };
    this.#trackListUse(name);
    exchange.caller = this.caller;
    if (this.#logLevel !== undefined) exchange.logLevel = this.#logLevel;
    const answering = this.#createAnswering(exchange.reply);
    if (answering) exchange.answering = answering;
    return own ? own(this, request, exchange) : method!(request, exchange, this.#deps);
  }

  /** Tracks whether the client fetches its tool list after it was told that it changed. */
  #trackListUse(method: string): void {
    if (method === "tools/list") {
      this.#toolsAnnouncedAt = undefined;
      this.#keepsList = false;
    } else if (method === "tools/call" && this.#toolsAnnouncedAt !== undefined) {
      if (this.#deps.clock() - this.#toolsAnnouncedAt >= REFETCH_WITHIN_MS) this.#keepsList = true;
    }
  }

  #toInternalError({ method }: RpcRequest, error: unknown): RpcFault {
    this.#deps.log.error({ error: messageOfError(error), method }, "gateway: a request at /mcp failed");
    return { code: RPC.internalError, message: "internal error; the daemon's log says more" };
  }

  /** Sends a tool's inquiry on the stream of its request, so that the client knows what it belongs to. */
  #createAnswering(reply: Reply): Answering | undefined {
    const { capabilities } = this.facts;
    if (!reply.canStream || Object.keys(capabilities).length === 0) return undefined;
    const send = (text: string) => reply.send(text);
    return { capabilities, answer: (inquiry, signal) => this.#questions.ask(inquiry, send, signal) };
  }

  #handleNotification({ method, params }: RpcNotification): void {
    if (method === "notifications/cancelled") this.#findRequest(params.requestId)?.signal.abort(CANCELLED);
    else if (method === "notifications/roots/list_changed" && this.facts.capabilities.roots !== undefined)
      this.#deps.hub.upstream.notifyRootsChanged(this.caller);
  }

  async initialize(): Promise<MethodAnswer> {
    const { hub, identity, clock } = this.#deps;
    const { caller } = this;
    await awaitWithin(ANNOUNCE_TIMEOUT_MS, hub.activations.carryOver(caller, clock() - RESUME_WITHIN_MS));
    await this.#seen.remember(caller, this.#deps);
    this.mayHaveChanges = false;
    return JSON.stringify({
      protocolVersion: this.facts.version,
      capabilities: describeCapabilities(hub, caller),
      serverInfo: identity.serverInfo,
      instructions: await buildInstructions(hub, caller),
    });
  }

  setLevel({ level }: Params): MethodAnswer {
    if (!LOG_LEVELS.includes(level as string))
      return invalidParams(`level must be one of ${LOG_LEVELS.join(", ")}`);
    this.#logLevel = level as string;
    return "{}";
  }
}

/** The methods that only sessions have. */
const SESSION_METHODS: Readonly<
  Record<
    string,
    (session: LegacySession, request: RpcRequest, exchange: Exchange) => MethodAnswer | Promise<MethodAnswer>
  >
> = {
  initialize: (session) => session.initialize(),
  ping: () => "{}",
  "logging/setLevel": (session, { params }) => session.setLevel(params),
  "resources/subscribe": ({ subscriptions }, request, exchange) => subscriptions.subscribe(request, exchange),
  "resources/unsubscribe": ({ subscriptions }, { params }) => subscriptions.unsubscribe(params),
};

/** One request of a session while it is under way, with the context of its call. It is answered once. */
class SessionRequest implements Exchange {
  readonly era = "legacy";
  /** The client's id for it. */
  readonly id: RequestId;
  readonly signal = new LightSignal();
  readonly reply: Reply;
  caller: Caller;
  declare answering?: Answering;
  declare logLevel?: string;
  readonly #session: LegacySession;
  /** The position of its answer among those of one POST. */
  readonly #at: number;
  #isAnswered = false;

  constructor(id: RequestId, session: LegacySession, reply: Reply, at: number) {
    this.id = id;
    this.reply = reply;
    this.caller = session.caller;
    this.#session = session;
    this.#at = at;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  notify(method: string, params: Params): void {
    // An elicitation may complete after the answer was sent.
    if (this.reply.isDone && method !== "notifications/progress") this.#session.notify(method, params);
    else this.reply.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Answers at once, although the call may still run: nothing it says later reaches the client. */
  abandon(fault: RpcFault): void {
    this.signal.abort(fault.message);
    this.answer(fault);
  }

  /** A result as JSON text, or an error; undefined if it will not be answered. */
  answer(answer: MethodAnswer | undefined): void {
    if (this.#isAnswered) return;
    if (answer === undefined) this.reply.withdraw();
    else if (typeof answer === "string") this.reply.answer(formatResult(this.id, answer), 200, this.#at);
    else this.reply.answer(formatError(this.id, answer), 200, this.#at);
    // Set last: an answer that could not be written does not count.
    this.#isAnswered = true;
  }
}
