import type { ServerResponse } from "node:http";
import type { Caller, Host } from "../../../contract/caller.ts";
import { messageOf as messageOfError } from "../../../contract/errors.ts";
import type { Answering, Inquiry, ToolCall } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Deadlines } from "../../../lib/flow/deadlines.ts";
import { within } from "../../../lib/flow/within.ts";
import type { AgentPrincipal } from "../http/admission.ts";
import { type EventRecord, EventStream, type Heartbeat } from "../http/event-stream.ts";
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
} from "../messages.ts";
import { type Answered, askedOf, isFault, methodFor } from "../methods.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import { LIST_CHANGES, SeenLists } from "../seen-lists.ts";
import { instructionsFor, type ServingDeps, serverCapabilities } from "../serving.ts";
import { CallsUnderWay, UnderWay } from "./calls-under-way.ts";
import { type EventBudget, EventLog, requestOf } from "./event-log.ts";
import { ListAttention } from "./list-attention.ts";
import { Questions } from "./questions-to-client.ts";
import type { SessionFacts } from "./session-ids.ts";
import { SessionExchange, sessionMethod } from "./session-methods.ts";

const CANCELLED = "cancelled";
const SESSION_ENDED: RpcFault = {
  code: RPC.refused,
  message: "the session ended before this was answered; it may have run",
};
const NO_HEADERS = {};
/** What lists have become is not worth more of anybody's time. */
const NEWS_WITHIN_MS = 500;
/** A client that comes back so soon goes on with the conversation that it had. */
const GOES_ON_WITHIN_MS = 3_600_000;
/** Streams that ended are forgotten when there are more. */
const FEW_STREAMS = 16;

export interface SessionDeps extends ServingDeps {
  readonly beats: Heartbeat;
  readonly patience: Deadlines;
  readonly clock: Clock;
  /** For what the streams of all sessions keep. */
  readonly eventBudget: EventBudget;
}

/** How a session begins here. */
export interface SessionStart {
  readonly principal: AgentPrincipal;
  readonly now: number;
  /** It began elsewhere, or before a restart. */
  readonly isTakenUp: boolean;
}

/** One client of the eras up to 2025-11-25: what it said about itself, its streams, and what is under way. */
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
  readonly #seen = new SeenLists();
  readonly #attention: ListAttention;
  #logLevel: string | undefined;
  #known:
    | { readonly agent: AgentPrincipal["agent"]; readonly caller: Caller; readonly keepsList: boolean }
    | undefined;
  /** It was taken up, and what its client knows may be out of date. */
  #owesNews: boolean;
  readonly #deps: SessionDeps;
  readonly #log: EventLog;
  /** By their number in the log; number 0 is the one on which Toolkeep speaks first. */
  readonly #streams = new Map<number, EventStream>();
  readonly #own: EventStream;
  readonly #ownRecord: EventRecord;
  readonly #calls = new CallsUnderWay();
  readonly #ending = new AbortController();
  readonly subscriptions: ResourceSubscriptions;
  readonly #questions = new Questions();

  constructor(id: string, facts: SessionFacts, start: SessionStart, deps: SessionDeps) {
    this.id = id;
    this.facts = facts;
    this.principal = start.principal;
    this.usedAt = start.now;
    this.#owesNews = start.isTakenUp;
    this.#deps = deps;
    this.#attention = new ListAttention(deps.clock);
    this.#log = new EventLog(deps.eventBudget);
    this.#ownRecord = this.#log.newStream();
    this.#own = new EventStream(deps.beats, this.#ownRecord);
    this.#streams.set(0, this.#own);
    this.subscriptions = new ResourceSubscriptions(deps.hub, {
      callerNow: () => this.#callerNow(),
      onUpdate: (params) => this.tell("notifications/resources/updated", params),
    });
  }

  /** The same object for as long as nothing about it changed. */
  get caller(): Caller {
    return this.#callerFor(this.principal.agent);
  }

  /** With the grants of now, also between requests. */
  #callerNow(): Caller | undefined {
    const agent = this.#deps.hub.identity.agentById(this.principal.agent.id);
    return agent && this.#callerFor(agent);
  }

  #callerFor(agent: AgentPrincipal["agent"]): Caller {
    const { scopes } = this.principal;
    const { keepsList } = this.#attention;
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

  /** Tells the client which of its lists are others than it knows; with a reply, ahead of that where it has no other stream. */
  async tellChanges(reply?: Reply): Promise<void> {
    // Nobody would hear of it now; whoever listens or asks next does.
    this.mayHaveNews = !this.#own.isConnected && !reply?.takesStream;
    if (this.mayHaveNews) return;
    for (const list of await this.#seen.changes(this.caller, this.#deps)) {
      if (list === "tools") this.#attention.told();
      const method = LIST_CHANGES[list];
      if (reply?.takesStream && !this.#own.isConnected)
        reply.send(JSON.stringify({ jsonrpc: "2.0", method }));
      else this.tell(method);
    }
  }

  /** The same for news that nothing else should have to wait for, or fail with. */
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

  get #headers(): Readonly<Record<string, string>> {
    return { "mcp-session-id": this.id };
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
        openStream: () => this.#newStream(requests.length === 1 ? first?.id : undefined),
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

  /**
   * Serves a GET: the rest of a stream that broke, or the one on which Toolkeep speaks first. An id that is not known
   * is of a life before a restart: what came after it is lost, and the client is told to look anew. Where an answer was to
   * come, that one is lost, too.
   */
  listen(res: ServerResponse, lastEventId: string | undefined): void {
    const resumed = lastEventId === undefined ? undefined : this.#log.after(lastEventId);
    const lost = resumed || lastEventId === undefined ? undefined : requestOf(lastEventId);
    if (lost !== undefined) {
      // With an id of this life: whoever comes back once more gets the stream on which Toolkeep speaks first.
      const missed = [[this.#ownRecord.keep(""), errorText(lost, SESSION_ENDED)]] as const;
      endedStream(this.#deps.beats).connect(res, this.#headers, missed);
      return;
    }
    const stream = this.#streams.get(resumed?.stream ?? 0) ?? endedStream(this.#deps.beats);
    stream.connect(res, this.#headers, resumed?.missed);
    void this.#tellSoon();
    if (!resumed && this.facts.version >= "2025-11-25") stream.prime();
    if (stream !== this.#own) return;
    if (this.#owesNews) for (const method of Object.values(LIST_CHANGES)) this.tell(method);
    this.#owesNews = false;
  }

  /** Says something that belongs to no request. */
  tell(method: string, params?: Params): void {
    this.#own.send(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  close(): void {
    this.#ending.abort("the session ended");
    // Before their streams end: a client that gets no answer would wait for one.
    for (const call of this.#calls.all()) if (!call.signal.aborted) call.giveUp(SESSION_ENDED);
    this.subscriptions.close();
    this.#questions.close();
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    this.#log.forget();
  }

  #newStream(answers?: RequestId): EventStream {
    if (this.#streams.size >= FEW_STREAMS) this.#forgetEnded();
    // Versions before do not know an event without data, and a client that cannot resume has no use for ids.
    if (this.facts.version < "2025-11-25") return new EventStream(this.#deps.beats);
    const record = this.#log.newStream(answers);
    const stream = new EventStream(this.#deps.beats, record);
    this.#streams.set(record.stream, stream);
    return stream;
  }

  #forgetEnded(): void {
    for (const [number, stream] of this.#streams) if (stream.isEnded) this.#streams.delete(number);
  }

  /** What came together runs as the calls of one step do: beside each other where it may, else in its order. */
  async #answerAll(requests: readonly RpcRequest[], reply: Reply): Promise<void> {
    const members = requests.map((request, at) => {
      const call = this.#callIn(request);
      // From now on its client can take it back, also before its turn.
      const admitted = this.#calls.admit(request.id, { reply, at });
      const run = () => this.#answer(request, reply, at, admitted);
      return { caller: this.caller, ...(call && { call }), run };
    });
    await this.#deps.hub.runBatch(members, this.#ending.signal);
  }

  #callIn(request: RpcRequest): ToolCall | undefined {
    const asked = askedOf(request);
    return asked && !isFault(asked) ? { ...asked, caller: this.caller, via: "mcp" } : undefined;
  }

  /** `at`: where its answer stands among those of one POST. */
  async #answer(
    request: RpcRequest,
    reply: Reply,
    at = 0,
    admitted = this.#calls.admit(request.id, { reply, at }),
  ): Promise<void> {
    if (!(admitted instanceof UnderWay)) return reply.answer(errorText(request.id, admitted), 200, at);
    let answered: Answered | undefined;
    try {
      answered = await this.#attempt(request, admitted, reply);
      if (this.mayHaveNews && !admitted.isAnswered) await this.#tellSoon(reply);
      if (admitted.signal.aborted) answered = stoppedBy(admitted.signal);
    } catch (error) {
      answered = this.#failed(request, error);
    } finally {
      this.#calls.over(admitted);
    }
    admitted.answer(answered);
  }

  #attempt(request: RpcRequest, { signal }: UnderWay, reply: Reply): Answered | Promise<Answered> {
    const method = sessionMethod(request.method) ?? methodFor(request.method, this.caller, this.#deps.hub);
    if (!method)
      return { code: RPC.methodNotFound, message: `Method not found: ${request.method.slice(0, 100)}` };
    this.#attention.heard(request.method);
    const exchange = new SessionExchange(this, reply, signal);
    if (this.#logLevel !== undefined) exchange.logLevel = this.#logLevel;
    const answering = this.#answering(reply);
    if (answering) exchange.answering = answering;
    return method(request, exchange, this.#deps);
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
    return {
      capabilities,
      answer: (inquiry: Inquiry, signal: AbortSignal) => this.#questions.ask(inquiry, send, signal),
    };
  }

  #heed({ method, params }: RpcNotification): void {
    if (method === "notifications/cancelled") this.#calls.get(params.requestId)?.signal.abort(CANCELLED);
    else if (method === "notifications/roots/list_changed" && this.facts.capabilities.roots !== undefined)
      this.#deps.hub.upstream.rootsChanged(this.caller);
  }

  async initialize(): Promise<Answered> {
    const { hub, identity, clock } = this.#deps;
    const { caller } = this;
    await within(NEWS_WITHIN_MS, hub.activations.goOn(caller, clock() - GOES_ON_WITHIN_MS));
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

/** What its client took back is not answered. */
function stoppedBy({ reason }: AbortSignal): RpcFault | undefined {
  if (reason === CANCELLED) return undefined;
  return SESSION_ENDED;
}

/** For a stream that is over: what was missed is sent, and nothing more comes. */
function endedStream(beats: Heartbeat): EventStream {
  const stream = new EventStream(beats);
  stream.end();
  return stream;
}
