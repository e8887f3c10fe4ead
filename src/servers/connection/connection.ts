import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Inquiry, ToolResult } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { type FollowOptions, followLists, type ListListeners } from "../lists/list-changes.ts";
import type { OfferKind } from "../lists/offer-key.ts";
import { listOffers, type OfferList } from "../lists/offer-list.ts";
import { type FollowerDeps, followResources, type ResourceFollower } from "../lists/resource-updates.ts";
import { listTools, type ToolList } from "../lists/tool-list.ts";
import { type Era, readAbilities } from "../transport/era.ts";
import { buildParamHeaders, dropHeaderFaults } from "../transport/param-headers.ts";
import type { DirectRequests } from "../transport/requests.ts";
import type { CallEnd, ConnectionCall } from "./call.ts";
import { toCallEnd } from "./failure.ts";
import { type AskableCall, answerInquiry, canAnswerAll, Inquiries, parseInquiries } from "./inquiries.ts";
import { forwardLog, isMoreTalkative, UrlElicitations } from "./notices.ts";
import { parseTask, withoutTasks, withTasks } from "./tasks.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A client that has completed the handshake. */
export interface OpenClient {
  readonly client: Client;
  readonly transport: Transport;
  /** Sends over the same transport, bypassing the client. */
  readonly requests: DirectRequests;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** The server was told that it may ask for roots. */
  readonly hasRoots: boolean;
  readonly closed: Promise<string>;
  /** Present if it differs from the configured transport. */
  readonly transportUsed?: "sse";
  /** Takes secrets out of what the server says about itself. */
  readonly redact: (text: string) => string;
}

const MAX_INSTRUCTIONS = 64 * 1024;
/** How often a modern server may ask back during one call. */
const MAX_ROUNDS = 10;
/** SEP-2243: the headers do not match the body. */
const HEADER_MISMATCH = -32020;
const CANNOT_ASK = "the server asked back, but the caller of this tool cannot be asked";

/** One live connection to a server, shared by all calls given to it. Speaks the server's era. */
export class Connection {
  /** The tool list received while connecting. */
  readonly initialTools: ToolList;
  readonly era: Era;
  readonly instructions: string | null;
  /** Resolves with the reason once the connection has ended, whichever side ended it. */
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #redact: (text: string) => string;
  readonly #inquiries = new Inquiries();
  readonly #urlElicitations = new UrlElicitations();
  readonly #requests: DirectRequests;
  readonly #isModern: boolean;
  /** Modern HTTP: each request has its own stream and repeats some parameters as headers. */
  readonly #hasOwnStreams: boolean;
  /** Sent to a modern server with every call: protocol version and client info. */
  readonly #introduction: JsonObject;
  #logLevel: string | undefined;
  #onLog: (level: string, text: string) => void = () => {};
  #onInquiry: (isAnswerable: boolean) => void = () => {};
  #listListeners: ListListeners | undefined;
  #fault: string | undefined;
  #isRetired = false;

  constructor(opened: OpenClient, initialTools: ToolList, at: number) {
    this.#client = opened.client;
    this.#transport = opened.transport;
    this.#redact = opened.redact;
    this.closed = opened.closed.then((reason) => this.#fault ?? reason);
    this.instructions =
      opened.redact(opened.client.getInstructions() ?? "").slice(0, MAX_INSTRUCTIONS) || null;
    this.era = describeEra(opened, at);
    this.#requests = opened.requests;
    this.#isModern = this.era.era === "modern";
    this.#hasOwnStreams = this.#isModern && opened.transport.hasPerRequestStream === true;
    this.#introduction = {
      [PROTOCOL_VERSION_META_KEY]: this.era.version,
      [CLIENT_INFO_META_KEY]: opened.clientInfo,
    };
    this.initialTools = this.#dropUncallable(initialTools);
    this.#listenForInquiries(opened.hasRoots);
    this.#listenForNotices();
  }

  /** The number of calls under way. */
  get openCalls(): number {
    return this.#inquiries.openCalls;
  }

  /** The one conversation that every call so far came from; undefined if there was none, or several. */
  get conversation(): string | undefined {
    return this.#inquiries.conversation;
  }

  /** Whether the server can send log messages. */
  get canLog(): boolean {
    return this.#client.getServerCapabilities()?.logging !== undefined;
  }

  /** Never rejects: a failure becomes an end that says whether the server can have seen the call. */
  async send(call: ConnectionCall): Promise<CallEnd> {
    if (!this.#client.transport)
      return { kind: "lost", wasSent: false, message: "the connection was closed" };
    this.#inquiries.begin(call);
    let hasAnswered = false;
    try {
      if (call.logLevel !== undefined) await this.#raiseLogLevel(call.logLevel);
      const result = this.#isModern
        ? await this.#requestInRounds(call, () => {
            hasAnswered = true;
          })
        : await this.#requestLegacy(call);
      if (result.kind === "asks") this.#rememberUrls(Object.values(result.asked.inquiries), call);
      return result;
    } catch (error) {
      return this.#endFailedCall(error, call, hasAnswered);
    } finally {
      this.#inquiries.end(call);
      if (this.#isRetired && this.openCalls === 0) void this.close();
    }
  }

  #endFailedCall(error: unknown, call: ConnectionCall, hasAnswered: boolean): CallEnd {
    const end = this.toCallEnd(error, call);
    if (end.kind === "failed" && end.fault) this.#urlElicitations.remember(end.fault.data, call);
    if (end.kind !== "lost") return end;
    this.#fault ??= end.message;
    // A server that asked back has received the call.
    return { ...end, wasSent: end.wasSent || hasAnswered };
  }

  #requestLegacy({ method, params, cancellation: signal, onProgress, meta, toResult }: ConnectionCall) {
    const request = { method, params, signal, onProgress };
    return this.#requests.send(meta ? { ...request, meta } : request, toResult);
  }

  /**
   * Sends one request and answers the server's inquiries in further rounds; a caller with `rounds` gets each round
   * as its result. Rejects if the server refused the request or was unreachable. Calls `onRound` when the server
   * asks back, which proves that it has the request.
   */
  async #requestInRounds(call: ConnectionCall, onRound: () => void): Promise<ToolResult> {
    let extraParams: JsonObject = buildAnswerParams(call.rounds?.answers, call.rounds?.state);
    for (let round = 0; ; round++) {
      const answer = await this.#sendWithHeaders(call, (headers) =>
        this.#requestOnce(call, extraParams, headers),
      );
      const asked = parseInquiries(answer);
      if (!asked) return toFinalResult(answer, call);
      onRound();
      if (!asked.ok) return failWith(`the server asked back, but ${asked.error}`);
      if (call.rounds) {
        return canAnswerAll(asked.value, call.rounds.capabilities)
          ? { kind: "asks", asked: asked.value }
          : failWith(CANNOT_ASK);
      }
      if (round === MAX_ROUNDS) return failWith(`the server asked back more than ${MAX_ROUNDS} times`);
      extraParams = buildAnswerParams(await answerAll(asked.value.inquiries, call), asked.value.state);
    }
  }

  #requestOnce(
    call: ConnectionCall,
    extraParams: JsonObject,
    headers?: Record<string, string>,
  ): Promise<JsonObject> {
    const { method, cancellation: signal, onProgress } = call;
    const request = {
      method,
      params: { ...call.params, ...extraParams },
      meta: this.#buildMeta(call),
      signal,
      onProgress,
      hasOwnStream: this.#hasOwnStreams,
      ...(headers ? { headers } : {}),
    };
    return this.#requests.send(request, (answer) => answer);
  }

  /** A modern server learns with each call what the caller can be asked and which log messages it wants. */
  #buildMeta({ answering, rounds, logLevel, tasks, meta: callMeta }: ConnectionCall): JsonObject {
    const capabilities = rounds?.capabilities ?? answering?.capabilities ?? {};
    const meta: Record<string, unknown> = {
      ...callMeta,
      ...this.#introduction,
      [CLIENT_CAPABILITIES_META_KEY]: tasks ? withTasks(capabilities) : withoutTasks(capabilities),
    };
    if (logLevel !== undefined) meta[LOG_LEVEL_META_KEY] = logLevel;
    return meta;
  }

  /**
   * Repeats some parameters as headers where the schema demands it. A server that refuses the headers has not run the
   * call: its schema must have changed, so the schema is fetched again and the call sent once more.
   */
  async #sendWithHeaders<T>(
    call: ConnectionCall,
    send: (headers?: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    if (!this.#hasOwnStreams || call.method !== "tools/call") return await send();
    const args = isRecord(call.params.arguments) ? call.params.arguments : {};
    try {
      return await send(buildParamHeaders(call.inputSchema, args));
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === HEADER_MISMATCH)) throw error;
      const inputSchema = await this.#fetchSchema(call.params.name, call.signal);
      return await send(buildParamHeaders(inputSchema ?? call.inputSchema, args));
    }
  }

  /** Says what a request's error means; also for requests that are no calls. */
  toCallEnd(error: unknown, call?: Pick<ConnectionCall, "method" | "cancellation">): CallEnd {
    const { method, cancellation: signal } = call ?? {};
    return toCallEnd(error, { transport: this.#transport, redact: this.#redact, method, signal });
  }

  async listTools(signal: AbortSignal): Promise<ToolList> {
    return this.#dropUncallable(await listTools(this.#client, { signal }, this.#redact));
  }

  /** Never rejects. */
  listOffers(signal: AbortSignal, kinds?: readonly OfferKind[]): Promise<OfferList> {
    return listOffers(this.#client, { signal, ...(kinds && { kinds }) }, this.#redact);
  }

  /** Never rejects. Calls `listeners` when the server reports that a list changed, until the signal aborts. */
  followLists(listeners: ListListeners, options: FollowOptions): Promise<void> {
    this.#listListeners = listeners;
    return followLists(this.#client, listeners, options);
  }

  /** Reports changes of single resources. Supports one follower at a time. */
  followResources(deps: Omit<FollowerDeps, "redact">): ResourceFollower {
    return followResources(this.#client, { ...deps, redact: this.#redact });
  }

  /** Calls `listener` with each message that the server logs over MCP. */
  onLogMessage(listener: (level: string, text: string) => void): void {
    this.#onLog = listener;
  }

  /** Calls `listener` when the server asks back on its own; `isAnswerable` says whether anybody can answer. */
  onInquiry(listener: (isAnswerable: boolean) => void): void {
    this.#onInquiry = listener;
  }

  /** Only for a connection whose owner has roots. A failed notification is ignored. */
  notifyRootsChanged(): void {
    if (!this.#isModern) void this.#client.sendRootsListChanged().catch(() => {});
  }

  /** Takes no new calls and closes once those under way have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.openCalls === 0) await this.close();
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  /** The schema that the server publishes now; undefined if the tool is gone. */
  async #fetchSchema(name: unknown, signal: AbortSignal): Promise<unknown> {
    this.#listListeners?.tools();
    const { tools } = await this.listTools(signal);
    return tools.find((tool) => tool.name === name)?.inputSchema;
  }

  /** Drops tools whose header declarations are faulty, since they would be called wrongly. */
  #dropUncallable(list: ToolList): ToolList {
    return this.#hasOwnStreams ? dropHeaderFaults(list) : list;
  }

  #listenForInquiries(hasRoots: boolean): void {
    const relay = async (inquiry: Inquiry, signal: AbortSignal) => {
      const answerer = this.#inquiries.findAnswerer(inquiry);
      this.#onInquiry(answerer !== undefined);
      this.#rememberUrls([inquiry], answerer);
      return (await this.#inquiries.answer(inquiry, signal)) as never;
    };
    for (const method of ["elicitation/create", "sampling/createMessage"] as const) {
      this.#client.setRequestHandler(method, ({ params }, { mcpReq }) =>
        relay({ method, params: params as Record<string, unknown> }, mcpReq.signal),
      );
    }
    if (!hasRoots) return;
    // Servers ask for roots right after the handshake; that does not mean they ask back during calls.
    this.#client.setRequestHandler("roots/list", async ({ params = {} }, { mcpReq }) => {
      const inquiry: Inquiry = { method: "roots/list", params };
      return (await this.#inquiries.answer(inquiry, mcpReq.signal)) as never;
    });
  }

  #listenForNotices(): void {
    this.#client.setNotificationHandler("notifications/message", ({ params }) => {
      const { level, logger, data } = params;
      const text = typeof data === "string" ? data : JSON.stringify(data);
      this.#onLog(level, logger === undefined ? text : `${logger}: ${text}`);
      forwardLog(params, this.#inquiries.certainCalls);
    });
    this.#client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      this.#urlElicitations.complete(params),
    );
  }

  #rememberUrls(inquiries: readonly Inquiry[], call?: ConnectionCall | AskableCall): void {
    if (call) for (const { params } of inquiries) this.#urlElicitations.remember(params, call);
  }

  /** A legacy server has one log level for all callers: the most verbose request wins. */
  async #raiseLogLevel(level: string): Promise<void> {
    if (this.#isModern || !this.canLog || !isMoreTalkative(level, this.#logLevel)) return;
    this.#logLevel = level;
    // A server that refuses the level logs what it likes.
    await this.#client.setLoggingLevel(level as LoggingLevel).catch(() => {});
  }
}

function describeEra({ client, transportUsed }: OpenClient, at: number): Era {
  const discover = client.getDiscoverResult();
  return {
    era: client.getProtocolEra() ?? "legacy",
    version: client.getNegotiatedProtocolVersion() ?? "unknown",
    at,
    declares: readAbilities(client.getServerCapabilities()),
    ...(discover ? { discover } : {}),
    ...(transportUsed ? { transport: transportUsed } : {}),
  };
}

function toFinalResult(answer: JsonObject, { toResult, tasks }: ConnectionCall): ToolResult {
  const { resultType = "complete" } = answer;
  const task = resultType === "task" && tasks ? parseTask(answer) : undefined;
  if (task) return { kind: "task", task };
  return resultType === "complete"
    ? toResult(answer)
    : failWith(`the server sent an answer of an unknown kind: ${String(resultType).slice(0, 100)}`);
}

function failWith(message: string): ToolResult {
  return { kind: "failed", message };
}

/** Parameters that a repeated request carries in addition to those of the first. */
function buildAnswerParams(answers: JsonObject | undefined, state: string | undefined): JsonObject {
  return {
    ...(answers === undefined ? {} : { inputResponses: answers }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

async function answerAll(inquiries: Readonly<Record<string, Inquiry>>, call: ConnectionCall) {
  const answers: [string, unknown][] = [];
  for (const [name, inquiry] of Object.entries(inquiries)) {
    answers.push([name, await answerInquiry(call, inquiry, call.signal)]);
  }
  return Object.fromEntries(answers);
}
