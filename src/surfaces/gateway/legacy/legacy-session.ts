import type { ServerResponse } from "node:http";
import type { Caller, Host } from "../../../contract/caller.ts";
import { messageOf as messageOfError } from "../../../contract/errors.ts";
import type { Answering, ToolCall } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Deadlines } from "../../../lib/flow/deadlines.ts";
import { FleetingSet } from "../../../lib/flow/fleeting-set.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import { within } from "../../../lib/flow/within.ts";
import type { AgentPrincipal } from "../http/admission.ts";
import { Reply } from "../http/reply.ts";
import {
  type Arrival,
  errorText,
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
  resultText,
} from "../messages.ts";
import { type Answered, askedOf, type Exchange, isFault, methodFor } from "../methods.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import { LIST_CHANGES, SeenLists } from "../seen-lists.ts";
import { instructionsFor, type ServingDeps, serverCapabilities } from "../serving.ts";
import { Questions } from "./questions-to-client.ts";
import type { SessionFacts } from "./session-ids.ts";
import { SessionStreams, type StreamDeps } from "./session-streams.ts";

const CANCELLED = "cancelled";
const SESSION_ENDED: RpcFault = {
  code: RPC.refused,
  message: "the session ended before this was answered; it may have run",
};
const NO_HEADERS = {};
const MAX_OPEN_REQUESTS = 1_000;
/** Telling a client of changed lists holds nothing up for longer. */
const NEWS_WITHIN_MS = 500;
/** A client that looks at a changed list at all does so at once. */
const LOOKS_WITHIN_MS = 1_000;
/** A client that comes back so soon goes on with the conversation that it had. */
const GOES_ON_WITHIN_MS = 3_600_000;

export interface SessionDeps extends ServingDeps, StreamDeps {
  readonly patience: Deadlines;
  readonly clock: Clock;
}

/** How a session begins here. */
export interface SessionStart {
  readonly principal: AgentPrincipal;
  readonly now: number;
  /** It began elsewhere, or before a restart. */
  readonly isTakenUp: boolean;
}

/** One client of the eras up to 2025-11-25: what it said about itself, its streams, and its requests under way. */
export class LegacySession {
  readonly id: string;
  readonly facts: SessionFacts;
  /** Read anew for every request, so that a change to the agent counts from the next one on. */
  principal: AgentPrincipal;
  /** Requests and streams under way. */
  open = 0;
  usedAt: number;
  /** What it found may have changed its lists. */
  mayHaveNews = false;
  readonly subscriptions: ResourceSubscriptions;
  readonly #deps: SessionDeps;
  readonly #seen = new SeenLists();
  readonly #streams: SessionStreams;
  readonly #requests = new FleetingSet<SessionRequest>();
  readonly #questions = new Questions();
  readonly #ending = new AbortController();
  #logLevel: string | undefined;
  /** Since when the client could have looked at its changed tool list, and did not; undefined: it knows the list. */
  #toldOfToolsAt: number | undefined;
  /** It goes on calling tools without having looked. Some clients never look. */
  #keepsList = false;
  #known:
    | { readonly agent: AgentPrincipal["agent"]; readonly caller: Caller; readonly keepsList: boolean }
    | undefined;
  /** It was taken up, and what its client knows may be out of date. */
  #owesNews: boolean;

  constructor(id: string, facts: SessionFacts, start: SessionStart, deps: SessionDeps) {
    this.id = id;
    this.facts = facts;
    this.principal = start.principal;
    this.usedAt = start.now;
    this.#owesNews = start.isTakenUp;
    this.#deps = deps;
    const owner = { version: facts.version, headers: this.#headers, lost: SESSION_ENDED };
    this.#streams = new SessionStreams(owner, deps);
    this.subscriptions = new ResourceSubscriptions(deps.hub, {
      callerNow: () => this.#callerNow(),
      onUpdate: (params) => this.tell("notifications/resources/updated", params),
    });
  }

  /** The same object for as long as nothing about it changed. */
  get caller(): Caller {
    return this.#callerFor(this.principal.agent);
  }

  /** Answers the messages of one POST. Resolves when everything in it is answered. */
  receive(messages: readonly RpcMessage[], { res, isBatch, takesStream }: Arrival): void | Promise<void> {
    const requests = messages.filter((message) => message.kind === "request");
    const [first] = requests;
    const reply = new Reply(res, {
      expected: requests.length,
      isBatch,
      patience: this.#deps.patience,
      // Only the beginning of a session has to say its id.
      headers: first?.method === "initialize" ? this.#headers : NO_HEADERS,
      ...(takesStream && {
        openStream: () => this.#streams.open(requests.length === 1 ? first?.id : undefined),
      }),
    });
    if (first && messages.length === 1) {
      const answered = this.#answer(first, reply);
      reply.wait();
      return answered;
    }
    for (const message of messages) {
      if (message.kind === "response") this.#questions.settle(message as RpcResponse);
      else if (message.kind === "notification") this.#heed(message);
    }
    if (requests.length === 0) return reply.withdraw();
    reply.wait();
    return this.#answerAll(requests, reply);
  }

  /** Serves a GET with the stream that the client wants. */
  listen(res: ServerResponse, lastEventId: string | undefined): void {
    const listensTo = this.#streams.connect(res, lastEventId);
    if (listensTo === "nothing") return;
    void this.#tellSoon();
    if (listensTo !== "own") return;
    if (this.#owesNews) for (const method of Object.values(LIST_CHANGES)) this.tell(method);
    this.#owesNews = false;
  }

  /** Says something that belongs to no request. */
  tell(method: string, params?: Params): void {
    this.#streams.send(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  /** Tells the client which of its lists are others than it knows; with a reply, ahead of that where it has no other stream. */
  async tellChanges(reply?: Reply): Promise<void> {
    const isListening = () => this.#streams.isListenedTo;
    // Nobody would hear of it now; whoever listens or asks next does.
    this.mayHaveNews = !isListening() && !reply?.takesStream;
    if (this.mayHaveNews) return;
    for (const list of await this.#seen.changes(this.caller, this.#deps)) {
      if (list === "tools") this.#toldOfToolsAt ??= this.#deps.clock();
      const method = LIST_CHANGES[list];
      if (reply?.takesStream && !isListening()) reply.send(JSON.stringify({ jsonrpc: "2.0", method }));
      else this.tell(method);
    }
  }

  close(): void {
    this.#ending.abort("the session ended");
    // Before their streams end: a client that gets no answer would wait for one.
    for (const request of this.#requests.all()) if (!request.signal.aborted) request.giveUp(SESSION_ENDED);
    this.subscriptions.close();
    this.#questions.close();
    this.#streams.close();
  }

  /** With the grants of now, also between requests. */
  #callerNow(): Caller | undefined {
    const agent = this.#deps.hub.identity.agentById(this.principal.agent.id);
    return agent && this.#callerFor(agent);
  }

  #callerFor(agent: AgentPrincipal["agent"]): Caller {
    const { scopes } = this.principal;
    const keepsList = this.#keepsList;
    const known = this.#known;
    if (known?.agent === agent && known.caller.scopes === scopes && known.keepsList === keepsList) {
      return known.caller;
    }
    const { key, address, client } = this.facts;
    const host: Host = { ...(client !== undefined && { client }), ...(keepsList && { keepsList }) };
    const caller = this.#deps.callers.for({ ...this.principal, agent }, key, address, host);
    this.#known = { agent, caller, keepsList };
    return caller;
  }

  get #headers(): Readonly<Record<string, string>> {
    return { "mcp-session-id": this.id };
  }

  /** Tells of changes that nothing else should have to wait for, or fail with. */
  async #tellSoon(reply?: Reply): Promise<void> {
    if (!this.mayHaveNews) return;
    try {
      await within(NEWS_WITHIN_MS, this.tellChanges(reply));
    } catch (error) {
      this.#deps.log.warn(
        { error: messageOfError(error) },
        "a client could not be told of its changed lists",
      );
    }
  }

  /** What came together runs as the calls of one step do: beside each other where it may, else in its order. */
  async #answerAll(requests: readonly RpcRequest[], reply: Reply): Promise<void> {
    const members = requests.map((request, at) => {
      const call = this.#callIn(request);
      // From now on its client can take it back, also before its turn.
      const admitted = this.#admit(request.id, reply, at);
      const run = () => this.#answer(request, reply, at, admitted);
      return { caller: this.caller, ...(call && { call }), run };
    });
    await this.#deps.hub.runBatch(members, this.#ending.signal);
  }

  #callIn(request: RpcRequest): ToolCall | undefined {
    const asked = askedOf(request);
    return asked && !isFault(asked) ? { ...asked, caller: this.caller, via: "mcp" } : undefined;
  }

  /** The request counts as under way until it is answered; or why it is refused. */
  #admit(id: RequestId, reply: Reply, at: number): SessionRequest | RpcFault {
    if (this.#underWay(id)) return { code: RPC.invalidRequest, message: "this id is in use already" };
    if (this.#requests.size >= MAX_OPEN_REQUESTS)
      return { code: RPC.refused, message: "too many requests are under way" };
    const request = new SessionRequest(id, this, reply, at);
    this.#requests.add(request);
    return request;
  }

  #underWay(id: unknown): SessionRequest | undefined {
    return this.#requests.find((request) => request.id === id);
  }

  /** `at`: where its answer stands among those of one POST. */
  async #answer(
    request: RpcRequest,
    reply: Reply,
    at = 0,
    admitted = this.#admit(request.id, reply, at),
  ): Promise<void> {
    if (!(admitted instanceof SessionRequest)) return reply.answer(errorText(request.id, admitted), 200, at);
    let answered: Answered | undefined;
    try {
      answered = await this.#attempt(request, admitted);
      if (this.mayHaveNews && !admitted.isAnswered) await this.#tellSoon(reply);
      // What its client took back is not answered.
      if (admitted.signal.aborted)
        answered = admitted.signal.reason === CANCELLED ? undefined : SESSION_ENDED;
    } catch (error) {
      answered = this.#failed(request, error);
    } finally {
      this.#requests.delete(admitted);
    }
    admitted.answer(answered);
  }

  #attempt(request: RpcRequest, exchange: SessionRequest): Answered | Promise<Answered> {
    const { method: name } = request;
    const own = Object.hasOwn(SESSION_METHODS, name) ? SESSION_METHODS[name] : undefined;
    const method = own ? undefined : methodFor(name, this.caller, this.#deps.hub);
    if (!own && !method)
      return { code: RPC.methodNotFound, message: `Method not found: ${name.slice(0, 100)}` };
    this.#noteAttention(name);
    exchange.caller = this.caller;
    if (this.#logLevel !== undefined) exchange.logLevel = this.#logLevel;
    const answering = this.#answering(exchange.reply);
    if (answering) exchange.answering = answering;
    return own ? own(this, request, exchange) : method!(request, exchange, this.#deps);
  }

  /** Whether the client looks at its tool list after it was told that it changed. */
  #noteAttention(method: string): void {
    if (method === "tools/list") {
      this.#toldOfToolsAt = undefined;
      this.#keepsList = false;
    } else if (method === "tools/call" && this.#toldOfToolsAt !== undefined) {
      if (this.#deps.clock() - this.#toldOfToolsAt >= LOOKS_WITHIN_MS) this.#keepsList = true;
    }
  }

  #failed({ method }: RpcRequest, error: unknown): RpcFault {
    this.#deps.log.error({ error: messageOfError(error), method }, "a request at /mcp failed");
    return { code: RPC.internalError, message: "internal error; the daemon's log says more" };
  }

  /** What a tool asks goes on the stream of the request, so that the client knows what it is about. */
  #answering(reply: Reply): Answering | undefined {
    const { capabilities } = this.facts;
    if (!reply.takesStream || Object.keys(capabilities).length === 0) return undefined;
    const send = (text: string) => reply.send(text);
    return { capabilities, answer: (inquiry, signal) => this.#questions.ask(inquiry, send, signal) };
  }

  #heed({ method, params }: RpcNotification): void {
    if (method === "notifications/cancelled") this.#underWay(params.requestId)?.signal.abort(CANCELLED);
    else if (method === "notifications/roots/list_changed" && this.facts.capabilities.roots !== undefined)
      this.#deps.hub.upstream.notifyRootsChanged(this.caller);
  }

  async initialize(): Promise<Answered> {
    const { hub, identity, clock } = this.#deps;
    const { caller } = this;
    await within(NEWS_WITHIN_MS, hub.activations.carryOver(caller, clock() - GOES_ON_WITHIN_MS));
    await this.#seen.note(caller, this.#deps);
    this.mayHaveNews = false;
    return JSON.stringify({
      protocolVersion: this.facts.version,
      capabilities: serverCapabilities(hub, caller),
      serverInfo: identity.serverInfo,
      instructions: await instructionsFor(hub, caller),
    });
  }

  setLevel({ level }: Params): Answered {
    if (!LOG_LEVELS.includes(level as string))
      return invalidParams(`level must be one of ${LOG_LEVELS.join(", ")}`);
    this.#logLevel = level as string;
    return "{}";
  }
}

/** What only a session has. */
const SESSION_METHODS: Readonly<
  Record<
    string,
    (session: LegacySession, request: RpcRequest, exchange: Exchange) => Answered | Promise<Answered>
  >
> = {
  initialize: (session) => session.initialize(),
  ping: () => "{}",
  "logging/setLevel": (session, { params }) => session.setLevel(params),
  "resources/subscribe": ({ subscriptions }, request, exchange) => subscriptions.subscribe(request, exchange),
  "resources/unsubscribe": ({ subscriptions }, { params }) => subscriptions.unsubscribe(params),
};

/** One request of a session while it is under way, and what stands around its call. It is answered once. */
class SessionRequest implements Exchange {
  readonly era = "legacy";
  /** Under which its client knows it. */
  readonly id: RequestId;
  readonly signal = new LightSignal();
  readonly reply: Reply;
  caller: Caller;
  declare answering?: Answering;
  declare logLevel?: string;
  readonly #session: LegacySession;
  /** Where its answer stands among those of one POST. */
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
    // That something asked for is complete may come after the answer.
    if (this.reply.isDone && method !== "notifications/progress") this.#session.tell(method, params);
    else this.reply.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Answers at once, whatever it still does: nothing that it says later reaches its client. */
  giveUp(fault: RpcFault): void {
    this.signal.abort(fault.message);
    this.answer(fault);
  }

  /** A result as JSON text, or an error; undefined: it will not be answered. */
  answer(answered: Answered | undefined): void {
    if (this.#isAnswered) return;
    if (answered === undefined) this.reply.withdraw();
    else if (typeof answered === "string") this.reply.answer(resultText(this.id, answered), 200, this.#at);
    else this.reply.answer(errorText(this.id, answered), 200, this.#at);
    // Not before: one that could not be written is not.
    this.#isAnswered = true;
  }
}
