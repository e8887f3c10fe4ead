import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf as messageOfError } from "../../../contract/errors.ts";
import type { ToolOutcome } from "../../../contract/tool.ts";
import type { Deadlines } from "../../../lib/flow/deadlines.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import { isRecord } from "../../../lib/json.ts";
import { listMarkedParameters } from "../../../servers/transport/param-headers.ts";
import { findParamHeaderProblem, toMismatchAnswer } from "../classify.ts";
import type { Address, AgentPrincipal } from "../http/admission.ts";
import { EventStream, type Heartbeat } from "../http/event-stream.ts";
import { accepts, Reply, writeAnswer } from "../http/reply.ts";
import {
  formatError,
  formatResult,
  type HttpAnswer,
  invalidParams,
  META,
  MODERN_VERSION,
  RELAY_HEADER,
  RPC,
  type RpcFault,
  type RpcNotification,
  type RpcRequest,
  readMeta,
  readProgressToken,
} from "../messages.ts";
import {
  answerOutcome,
  buildCall,
  type Exchange,
  findMethod,
  isFault,
  type MethodAnswer,
  parseCallTarget,
  readCapabilities,
} from "../methods.ts";
import { buildInstructions, describeCapabilities, readClientName, type ServingDeps } from "../serving.ts";
import type { HeldCall, HeldCalls, Notify, Round } from "./held-calls.ts";
import type { Listeners } from "./listeners.ts";
import type { CallState, RequestStates, StateBinding } from "./request-state.ts";
import type { ServerTasks } from "./tasks.ts";

const CONVERSATION_KEY = "toolkeep/conversation";
const MAX_CONVERSATION_LENGTH = 128;
/** How long a client may keep the answer to `server/discover`. */
const DISCOVER_TTL_MS = 30_000;
/** Long enough for a server to start: if it then refuses for lack of a capability, the status must be 400. */
const STREAM_AFTER_MS = 10_000;

export interface ModernDeps extends ServingDeps {
  readonly heartbeat: Heartbeat;
  readonly deadlines: Deadlines;
  readonly held: HeldCalls;
  readonly states: RequestStates;
  readonly listeners: Listeners;
  readonly tasks: ServerTasks;
}

/** One HTTP request of the modern era. */
export interface ModernRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly message: RpcRequest | RpcNotification;
  readonly principal: AgentPrincipal;
  readonly address: Address;
}

/** Serves 2026-07-28: every request stands alone, and what it sees depends only on its token and address. */
export class ModernRequests {
  readonly #deps: ModernDeps;

  constructor(deps: ModernDeps) {
    this.#deps = deps;
  }

  /** Resolves when the answer is complete; for a subscription, when its client has left. */
  async serve({ req, res, message, principal, address }: ModernRequest): Promise<void> {
    // There is no session that a notification could concern.
    if (message.kind === "notification") return writeAnswer(res, ACCEPTED);
    const meta = readMeta(message.params);
    const client = readClientName(meta[META.clientInfo]);
    const conversation = readConversation(meta) ?? principal.tokenId;
    const host = client ? { client } : undefined;
    const caller = this.#deps.callers.getCaller(principal, conversation, address, host);
    if (message.method === "subscriptions/listen") return this.#deps.listeners.serve(message, res, caller);

    const refusal = this.#findHeaderProblem(message, req, caller);
    if (refusal) return writeAnswer(res, refusal);
    const disconnected = new LightSignal();
    res.once("close", () => {
      if (!res.writableFinished) disconnected.abort("the client closed the connection");
    });
    const reply = new Reply(res, {
      expected: 1,
      isBatch: false,
      headers: {},
      deadlines: this.#deps.deadlines,
      streamAfterMs: STREAM_AFTER_MS,
      ...(accepts(req.headers.accept, "text/event-stream") && {
        openStream: () => new EventStream(this.#deps.heartbeat),
      }),
    });
    const logLevel = meta[META.logLevel];
    const isKnown =
      findMethod(message.method, caller, this.#deps.hub) !== undefined ||
      message.method === "server/discover" ||
      this.#deps.tasks.isMethod(message.method, caller);
    // The first answer counts.
    const answer = (result: MethodAnswer) => {
      if (typeof result === "string") reply.answer(formatResult(message.id, result));
      else reply.answer(formatError(message.id, result), isKnown ? getStatus(result) : 404);
    };
    const exchange: Exchange = {
      era: "modern",
      caller,
      signal: disconnected,
      notify: (method, params) => reply.send(JSON.stringify({ jsonrpc: "2.0", method, params })),
      ...(typeof logLevel === "string" && { logLevel }),
    };
    const attempt = isKnown ? this.#attempt(message, exchange) : unknownMethod(message.method);
    reply.startDeadline();
    answer(await attempt);
  }

  async #attempt(request: RpcRequest, exchange: Exchange): Promise<MethodAnswer> {
    try {
      if (request.method === "server/discover") return await this.#discover(exchange);
      if (CAN_ASK.has(request.method)) return await this.#call(request, exchange);
      const { tasks } = this.#deps;
      if (tasks.isMethod(request.method, exchange.caller)) return await tasks.serve(request, exchange);
      const method = findMethod(request.method, exchange.caller, this.#deps.hub);
      return method ? await method(request, exchange, this.#deps) : unknownMethod(request.method);
    } catch (error) {
      this.#deps.log.error(
        { error: messageOfError(error), method: request.method },
        "gateway: a request at /mcp failed",
      );
      return { code: RPC.internalError, message: "internal error; the daemon's log says more" };
    }
  }

  async #discover({ caller }: Exchange): Promise<string> {
    const { hub, identity, tasks } = this.#deps;
    return JSON.stringify(
      identity.completeResult({
        supportedVersions: [MODERN_VERSION],
        capabilities: { ...describeCapabilities(hub, caller), ...tasks.extensionsFor(caller) },
        instructions: await buildInstructions(hub, caller),
        ttlMs: DISCOVER_TTL_MS,
        cacheScope: "private",
      }),
    );
  }

  /** A request whose tool, resource or prompt may ask its caller before it is done. */
  async #call(request: RpcRequest, exchange: Exchange): Promise<MethodAnswer> {
    const target = parseCallTarget(request);
    if (target === undefined) return unknownMethod(request.method);
    if (isFault(target)) return target;
    const { params } = request;
    const binding = buildBinding(request, target.name, exchange);
    const previous =
      params.requestState === undefined ? undefined : this.#deps.states.open(params.requestState, binding);
    if (previous && !previous.ok) return invalidParams(previous.error);
    if (previous?.value.kind === "held")
      return this.#resumeHeld(previous.value.call, request, exchange, binding);

    const declared = readMeta(params)[META.clientCapabilities];
    const rounds = buildRounds(request, isRecord(declared) ? declared : {}, previous?.value);
    const capabilities = readCapabilities(declared);
    if (Object.keys(capabilities).length === 0) {
      const outcome = await this.#deps.hub.callTool(buildCall(request, target, { ...exchange, rounds }));
      return this.#answer(request, exchange, binding, { kind: "ended", outcome });
    }
    const held = this.#deps.held.begin(binding, capabilities);
    const { answering, signal, notify } = held;
    held.run(
      this.#deps.hub.callTool(buildCall(request, target, { ...exchange, answering, rounds, signal, notify })),
    );
    return this.#wait(held, request, exchange);
  }

  /** The client returns with answers to a held call's inquiries. */
  async #resumeHeld(
    id: string,
    request: RpcRequest,
    exchange: Exchange,
    binding: StateBinding,
  ): Promise<MethodAnswer> {
    const held = this.#deps.held.get(id);
    if (!held) return this.#answerLost(request, exchange);
    if (held.hasWaiter) {
      return { code: RPC.invalidRequest, message: "another request already brings the answers to this call" };
    }
    if (!held.takeAnswers(request.params.inputResponses)) {
      return this.#answer(request, exchange, binding, { kind: "asks", inquiries: held.inquiries }, held);
    }
    return this.#wait(held, request, exchange);
  }

  async #wait(held: HeldCall, request: RpcRequest, exchange: Exchange): Promise<MethodAnswer> {
    const round = await held.next(createNotifier(request, exchange), exchange.signal);
    return this.#answer(request, exchange, held.binding, round, held);
  }

  #answer(
    request: RpcRequest,
    exchange: Exchange,
    binding: StateBinding,
    round: Round,
    held?: HeldCall,
  ): MethodAnswer {
    if (round.kind === "asks" && held)
      return this.#ask(binding, round.inquiries, { kind: "held", call: held.id });
    if (round.kind === "asks") throw new Error("only a held call asks on its own");
    const { asked, task, tool } = round.outcome;
    if (task) return this.#deps.tasks.formatBegun(tool ?? "", exchange, task);
    if (!asked) return answerOutcome(request, round.outcome, exchange, this.#deps);
    const { state, approved, approval } = asked;
    return this.#ask(binding, asked.inquiries, {
      kind: "forwarded",
      ...(tool !== undefined && { tool }),
      ...(state !== undefined && { state }),
      ...(approved !== undefined && { approved }),
      ...(approval !== undefined && { approval }),
    });
  }

  #ask(binding: StateBinding, inputRequests: object, state: CallState): string {
    const { states, identity } = this.#deps;
    return JSON.stringify({
      resultType: "input_required",
      inputRequests,
      requestState: states.seal(binding, state),
      _meta: identity.meta,
    });
  }

  /** The held call is gone: it took too long, Toolkeep was restarted, or another replica has it. */
  #answerLost(request: RpcRequest, exchange: Exchange): MethodAnswer {
    const message =
      "the call that asked this is not under way any more: it took too long, or Toolkeep was restarted";
    const remedy = "Make the call again without requestState.";
    if (request.method !== "tools/call") return { code: RPC.internalError, message: `${message}. ${remedy}` };
    const text = `${message}\n${remedy}`;
    const outcome: ToolOutcome = {
      callId: "",
      outcome: "cancelled",
      content: [],
      text,
      error: { message, remedy },
      durationMs: 0,
      truncated: false,
    };
    return answerOutcome(request, outcome, exchange, this.#deps);
  }

  /** Checks the headers that repeat parameters, for tools whose schema marks some. */
  #findHeaderProblem(
    request: RpcRequest,
    { headers }: IncomingMessage,
    caller: Exchange["caller"],
  ): HttpAnswer | undefined {
    const { name, arguments: args } = request.params;
    if (request.method !== "tools/call" || typeof name !== "string") return undefined;
    const tool = this.#deps.hub.catalog.resolve(name, caller);
    const marked = tool.ok ? this.#getMarked(tool.value.inputSchema) : [];
    const problem =
      marked.length === 0
        ? undefined
        : findParamHeaderProblem(marked, args, headers, headers[RELAY_HEADER] !== undefined);
    return problem === undefined ? undefined : toMismatchAnswer(request, problem);
  }

  readonly #marked = new WeakMap<object, ReturnType<typeof listMarkedParameters>>();

  #getMarked(inputSchema: object): ReturnType<typeof listMarkedParameters> {
    const marked = this.#marked.get(inputSchema) ?? listMarkedParameters(inputSchema);
    this.#marked.set(inputSchema, marked);
    return marked;
  }
}

const ACCEPTED: HttpAnswer = { status: 202, headers: {}, body: "" };
/** The methods that may be answered with inquiries. */
const CAN_ASK = new Set(["tools/call", "resources/read", "prompts/get"]);

function buildRounds(
  { params }: RpcRequest,
  capabilities: Record<string, unknown>,
  previous: CallState | undefined,
) {
  const forwarded = previous?.kind === "forwarded" ? previous : undefined;
  return {
    capabilities,
    ...(isRecord(params.inputResponses) && { answers: params.inputResponses }),
    ...(forwarded?.tool !== undefined && { tool: forwarded.tool }),
    ...(forwarded?.state !== undefined && { state: forwarded.state }),
    ...(forwarded?.approved !== undefined && { approved: forwarded.approved }),
    ...(forwarded?.approval !== undefined && { approval: forwarded.approval }),
  };
}

function buildBinding({ method }: RpcRequest, name: string, { caller }: Exchange): StateBinding {
  const target = JSON.stringify([name, caller.narrowing ?? null]);
  return { tokenId: caller.tokenId ?? "", method, target };
}

/** Sends a call's progress to the request that currently waits, under that request's token. */
function createNotifier(request: RpcRequest, exchange: Exchange): Notify {
  const progressToken = readProgressToken(request.params);
  return (method, params) => {
    if (method !== "notifications/progress") exchange.notify(method, params);
    else if (progressToken !== undefined) exchange.notify(method, { ...params, progressToken });
  };
}

/** A server's error is no HTTP failure, except the one for which MCP prescribes a status. */
function getStatus({ code }: RpcFault): number {
  return code === RPC.missingCapability ? 400 : 200;
}

function unknownMethod(method: string): RpcFault {
  return { code: RPC.methodNotFound, message: `Method not found: ${method.slice(0, 100)}` };
}

function readConversation(meta: Readonly<Record<string, unknown>>): string | undefined {
  const value = meta[CONVERSATION_KEY];
  return typeof value === "string" && value.length > 0 && value.length <= MAX_CONVERSATION_LENGTH
    ? value
    : undefined;
}
