import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf as messageOfError } from "../../../contract/errors.ts";
import type { ToolOutcome } from "../../../contract/tool.ts";
import type { Deadlines } from "../../../lib/flow/deadlines.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import { isRecord } from "../../../lib/json.ts";
import { listMarkedParameters } from "../../../servers/transport/param-headers.ts";
import { mismatchAnswer, paramHeaderProblem } from "../classify.ts";
import type { Address, AgentPrincipal } from "../http/admission.ts";
import { EventStream, type Heartbeat } from "../http/event-stream.ts";
import { accepts, Reply, writeAnswer } from "../http/reply.ts";
import {
  errorText,
  type HttpAnswer,
  invalidParams,
  META,
  MODERN_VERSION,
  metaOf,
  progressTokenOf,
  RELAY_HEADER,
  RPC,
  type RpcFault,
  type RpcNotification,
  type RpcRequest,
  resultText,
} from "../messages.ts";
import {
  type Answered,
  answerOf,
  askedOf,
  callOf,
  capabilitiesIn,
  type Exchange,
  isFault,
  methodFor,
} from "../methods.ts";
import { clientNameIn, instructionsFor, type ServingDeps, serverCapabilities } from "../serving.ts";
import type { HeldCall, HeldCalls, Notify, Round } from "./held-calls.ts";
import type { Listeners } from "./listeners.ts";
import type { CallState, RequestStates, StateBinding } from "./request-state.ts";
import type { Tasks } from "./tasks.ts";

const CONVERSATION_KEY = "toolkeep/conversation";
const MAX_CONVERSATION_LENGTH = 128;
/** How long what `server/discover` says keeps. */
const DISCOVER_TTL_MS = 30_000;
/** Long enough for a server to start: what it then refuses for want of a capability must be answered with 400. */
const PATIENCE_MS = 10_000;

export interface ModernDeps extends ServingDeps {
  readonly beats: Heartbeat;
  readonly patience: Deadlines;
  readonly held: HeldCalls;
  readonly states: RequestStates;
  readonly listeners: Listeners;
  readonly tasks: Tasks;
}

/** One HTTP request of the modern era. */
export interface ModernRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly message: RpcRequest | RpcNotification;
  readonly principal: AgentPrincipal;
  readonly address: Address;
}

/** The 2026-07-28 era: every request stands alone, and what it sees follows from its token and address only. */
export class Modern {
  readonly #deps: ModernDeps;

  constructor(deps: ModernDeps) {
    this.#deps = deps;
  }

  /** Resolves when the answer is complete; for a subscription when its client is gone. */
  async serve({ req, res, message, principal, address }: ModernRequest): Promise<void> {
    // A notification of this era has nobody to notify: there is no session.
    if (message.kind === "notification") return writeAnswer(res, ACCEPTED);
    const meta = metaOf(message.params);
    const client = clientNameIn(meta[META.clientInfo]);
    const conversation = conversationIn(meta) ?? principal.tokenId;
    const host = client ? { client } : undefined;
    const caller = this.#deps.callers.for(principal, conversation, address, host);
    if (message.method === "subscriptions/listen") return this.#deps.listeners.serve(message, res, caller);

    const refused = this.#headerProblem(message, req, caller);
    if (refused) return writeAnswer(res, refused);
    const gone = new LightSignal();
    res.once("close", () => {
      if (!res.writableFinished) gone.abort("the client closed the connection");
    });
    const reply = new Reply(res, {
      expected: 1,
      isBatch: false,
      headers: {},
      patience: this.#deps.patience,
      patienceMs: PATIENCE_MS,
      ...(accepts(req.headers.accept, "text/event-stream") && {
        openStream: () => new EventStream(this.#deps.beats),
      }),
    });
    const logLevel = meta[META.logLevel];
    const isKnown =
      methodFor(message.method, caller, this.#deps.hub) !== undefined ||
      message.method === "server/discover" ||
      this.#deps.tasks.isMethod(message.method, caller);
    // The first answer counts.
    const answer = (answered: Answered) => {
      if (typeof answered === "string") reply.answer(resultText(message.id, answered));
      else reply.answer(errorText(message.id, answered), isKnown ? statusOf(answered) : 404);
    };
    const exchange: Exchange = {
      era: "modern",
      caller,
      signal: gone,
      notify: (method, params) => reply.send(JSON.stringify({ jsonrpc: "2.0", method, params })),
      ...(typeof logLevel === "string" && { logLevel }),
    };
    const attempted = isKnown ? this.#attempt(message, exchange) : unknownMethod(message.method);
    reply.wait();
    answer(await attempted);
  }

  async #attempt(request: RpcRequest, exchange: Exchange): Promise<Answered> {
    try {
      if (request.method === "server/discover") return await this.#discover(exchange);
      if (CAN_ASK.has(request.method)) return await this.#call(request, exchange);
      const { tasks } = this.#deps;
      if (tasks.isMethod(request.method, exchange.caller)) return await tasks.serve(request, exchange);
      const method = methodFor(request.method, exchange.caller, this.#deps.hub);
      return method ? await method(request, exchange, this.#deps) : unknownMethod(request.method);
    } catch (error) {
      this.#deps.log.error(
        { error: messageOfError(error), method: request.method },
        "a request at /mcp failed",
      );
      return { code: RPC.internalError, message: "internal error; the daemon's log says more" };
    }
  }

  async #discover({ caller }: Exchange): Promise<string> {
    const { hub, identity, tasks } = this.#deps;
    return JSON.stringify(
      identity.complete({
        supportedVersions: [MODERN_VERSION],
        capabilities: { ...serverCapabilities(hub, caller), ...tasks.extensionsFor(caller) },
        instructions: await instructionsFor(hub, caller),
        ttlMs: DISCOVER_TTL_MS,
        cacheScope: "private",
      }),
    );
  }

  /** A request whose tool, resource or prompt may ask its caller something before it is done. */
  async #call(request: RpcRequest, exchange: Exchange): Promise<Answered> {
    const asked = askedOf(request);
    if (asked === undefined) return unknownMethod(request.method);
    if (isFault(asked)) return asked;
    const { params } = request;
    const bound = bindingOf(request, asked.name, exchange);
    const before =
      params.requestState === undefined ? undefined : this.#deps.states.open(params.requestState, bound);
    if (before && !before.ok) return invalidParams(before.error);
    if (before?.value.kind === "held") return this.#goOn(before.value.call, request, exchange, bound);

    const declared = metaOf(params)[META.clientCapabilities];
    const rounds = roundsOf(request, isRecord(declared) ? declared : {}, before?.value);
    const capabilities = capabilitiesIn(declared);
    if (Object.keys(capabilities).length === 0) {
      const outcome = await this.#deps.hub.callTool(callOf(request, asked, { ...exchange, rounds }));
      return this.#answer(request, exchange, bound, { kind: "ended", outcome });
    }
    const held = this.#deps.held.begin(bound, capabilities);
    const { answering, signal, notify } = held;
    held.run(
      this.#deps.hub.callTool(callOf(request, asked, { ...exchange, answering, rounds, signal, notify })),
    );
    return this.#wait(held, request, exchange);
  }

  /** The client comes back with answers to what a held call asked. */
  async #goOn(id: string, request: RpcRequest, exchange: Exchange, bound: StateBinding): Promise<Answered> {
    const held = this.#deps.held.get(id);
    if (!held) return this.#gone(request, exchange);
    if (held.isWaitedFor) {
      return { code: RPC.invalidRequest, message: "another request brings the answers to this call already" };
    }
    if (!held.take(request.params.inputResponses)) {
      return this.#answer(request, exchange, bound, { kind: "asks", inquiries: held.inquiries }, held);
    }
    return this.#wait(held, request, exchange);
  }

  async #wait(held: HeldCall, request: RpcRequest, exchange: Exchange): Promise<Answered> {
    const round = await held.next(notifier(request, exchange), exchange.signal);
    return this.#answer(request, exchange, held.bound, round, held);
  }

  #answer(
    request: RpcRequest,
    exchange: Exchange,
    bound: StateBinding,
    round: Round,
    held?: HeldCall,
  ): Answered {
    if (round.kind === "asks" && held)
      return this.#ask(bound, round.inquiries, { kind: "held", call: held.id });
    if (round.kind === "asks") throw new Error("only a held call asks on its own");
    const { asked, task, tool } = round.outcome;
    if (task) return this.#deps.tasks.begun(tool ?? "", exchange, task);
    if (!asked) return answerOf(request, round.outcome, exchange, this.#deps);
    const { state, approved, approval } = asked;
    return this.#ask(bound, asked.inquiries, {
      kind: "forwarded",
      ...(tool !== undefined && { tool }),
      ...(state !== undefined && { state }),
      ...(approved !== undefined && { approved }),
      ...(approval !== undefined && { approval }),
    });
  }

  #ask(bound: StateBinding, inputRequests: object, state: CallState): string {
    const { states, identity } = this.#deps;
    return JSON.stringify({
      resultType: "input_required",
      inputRequests,
      requestState: states.seal(bound, state),
      _meta: identity.meta,
    });
  }

  /** What was held is held no more: Toolkeep was restarted, another replica has it, or it took too long. */
  #gone(request: RpcRequest, exchange: Exchange): Answered {
    const message =
      "the call that asked this is not under way any more: it took too long, or Toolkeep was restarted";
    const remedy = "Make the call again without requestState.";
    if (request.method !== "tools/call") return { code: RPC.internalError, message: `${message}. ${remedy}` };
    const said = `${message}\n${remedy}`;
    const outcome: ToolOutcome = {
      callId: "",
      outcome: "cancelled",
      content: [],
      text: said,
      error: { message, remedy },
      durationMs: 0,
      truncated: false,
    };
    return answerOf(request, outcome, exchange, this.#deps);
  }

  /** Where a tool's schema says so, parameters are repeated as headers, for whatever stands between. */
  #headerProblem(
    request: RpcRequest,
    { headers }: IncomingMessage,
    caller: Exchange["caller"],
  ): HttpAnswer | undefined {
    const { name, arguments: args } = request.params;
    if (request.method !== "tools/call" || typeof name !== "string") return undefined;
    const tool = this.#deps.hub.catalog.resolve(name, caller);
    const marked = tool.ok ? this.#markedIn(tool.value.inputSchema) : [];
    const problem =
      marked.length === 0
        ? undefined
        : paramHeaderProblem(marked, args, headers, headers[RELAY_HEADER] !== undefined);
    return problem === undefined ? undefined : mismatchAnswer(request, problem);
  }

  readonly #marked = new WeakMap<object, ReturnType<typeof listMarkedParameters>>();

  #markedIn(inputSchema: object): ReturnType<typeof listMarkedParameters> {
    const marked = this.#marked.get(inputSchema) ?? listMarkedParameters(inputSchema);
    this.#marked.set(inputSchema, marked);
    return marked;
  }
}

const ACCEPTED: HttpAnswer = { status: 202, headers: {}, body: "" };
/** Of these, the protocol lets the answer be a question. */
const CAN_ASK = new Set(["tools/call", "resources/read", "prompts/get"]);

function roundsOf(
  { params }: RpcRequest,
  capabilities: Record<string, unknown>,
  before: CallState | undefined,
) {
  const forwarded = before?.kind === "forwarded" ? before : undefined;
  return {
    capabilities,
    ...(isRecord(params.inputResponses) && { answers: params.inputResponses }),
    ...(forwarded?.tool !== undefined && { tool: forwarded.tool }),
    ...(forwarded?.state !== undefined && { state: forwarded.state }),
    ...(forwarded?.approved !== undefined && { approved: forwarded.approved }),
    ...(forwarded?.approval !== undefined && { approval: forwarded.approval }),
  };
}

function bindingOf({ method }: RpcRequest, name: string, { caller }: Exchange): StateBinding {
  const target = JSON.stringify([name, caller.narrowing ?? null]);
  return { tokenId: caller.tokenId ?? "", method, target };
}

/** Progress of a call goes to the request that waits for it now, under the token that this one gave. */
function notifier(request: RpcRequest, exchange: Exchange): Notify {
  const progressToken = progressTokenOf(request.params);
  return (method, params) => {
    if (method !== "notifications/progress") exchange.notify(method, params);
    else if (progressToken !== undefined) exchange.notify(method, { ...params, progressToken });
  };
}

/** The error of a server is no failure of HTTP, but for the one that the protocol gives a status. */
function statusOf({ code }: RpcFault): number {
  return code === RPC.missingCapability ? 400 : 200;
}

function unknownMethod(method: string): RpcFault {
  return { code: RPC.methodNotFound, message: `Method not found: ${method.slice(0, 100)}` };
}

function conversationIn(meta: Readonly<Record<string, unknown>>): string | undefined {
  const value = meta[CONVERSATION_KEY];
  return typeof value === "string" && value.length > 0 && value.length <= MAX_CONVERSATION_LENGTH
    ? value
    : undefined;
}
