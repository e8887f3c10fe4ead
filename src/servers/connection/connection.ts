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
import { type FollowingDeps, followResources, type ResourceFollowing } from "../lists/resource-updates.ts";
import { listTools, type ToolList } from "../lists/tool-list.ts";
import { declared, type Era } from "../transport/era.ts";
import { paramHeaders, withoutHeaderFaults } from "../transport/param-headers.ts";
import type { DirectRequests } from "../transport/requests.ts";
import type { CallEnd, ConnectionCall } from "./call.ts";
import { callFailure } from "./failure.ts";
import { answerWith, canAnswerAll, type InquiredCall, Inquiries, inquiriesIn } from "./inquiries.ts";
import { isMoreTalkative, SentToAddress, tellLog } from "./notices.ts";
import { taskIn, withoutTasks, withTasks } from "./tasks.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A client that has shaken hands. */
export interface OpenClient {
  readonly client: Client;
  readonly transport: Transport;
  /** Over the same transport, past the client. */
  readonly requests: DirectRequests;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** The server was told that it may ask for roots. */
  readonly hasRoots: boolean;
  readonly closed: Promise<string>;
  /** Present where it is not the transport that was asked for. */
  readonly transportUsed?: "sse";
  /** Hides what may not be shown in what the server tells about itself. */
  readonly redact: (text: string) => string;
}

const MAX_INSTRUCTIONS = 64 * 1024;
/** How often a server of 2026-07-28 may ask back before one call is done. */
const MAX_ROUNDS = 10;
/** SEP-2243: the headers do not fit the body of the call. */
const HEADER_MISMATCH = -32020;
const NOBODY = "the server asked back, but the caller of this tool cannot be asked";

/** One live connection to a server, shared by every call it is given. Speaks to the server as its era wants it. */
export class Connection {
  /** The list as of connecting. */
  readonly initialTools: ToolList;
  readonly era: Era;
  readonly instructions: string | null;
  /** Resolves with the reason once the connection has ended, whoever ended it. */
  readonly closed: Promise<string>;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #redact: (text: string) => string;
  readonly #inquiries = new Inquiries();
  readonly #sentToAddress = new SentToAddress();
  readonly #requests: DirectRequests;
  readonly #isModern: boolean;
  /** Each request has a stream of its own and names some parameters in headers, as over HTTP since 2026-07-28. */
  readonly #hasOwnStreams: boolean;
  /** As Toolkeep introduces itself with each call to a modern server. */
  readonly #introduction: JsonObject;
  #logLevel: string | undefined;
  #onLog: (level: string, text: string) => void = () => {};
  #onInquiry: (isAnswerable: boolean) => void = () => {};
  #listListeners: ListListeners | undefined;
  #fault: string | undefined;
  #retired = false;

  constructor(opened: OpenClient, initialTools: ToolList, at: number) {
    this.#client = opened.client;
    this.#transport = opened.transport;
    this.#redact = opened.redact;
    this.closed = opened.closed.then((reason) => this.#fault ?? reason);
    this.instructions =
      opened.redact(opened.client.getInstructions() ?? "").slice(0, MAX_INSTRUCTIONS) || null;
    this.era = eraOf(opened, at);
    this.#requests = opened.requests;
    this.#isModern = this.era.era === "modern";
    this.#hasOwnStreams = this.#isModern && opened.transport.hasPerRequestStream === true;
    this.#introduction = {
      [PROTOCOL_VERSION_META_KEY]: this.era.version,
      [CLIENT_INFO_META_KEY]: opened.clientInfo,
    };
    this.initialTools = this.#callable(initialTools);
    this.#listenForInquiries(opened.hasRoots);
    this.#listenForNotices();
  }

  /** Calls under way. */
  get openCalls(): number {
    return this.#inquiries.openCalls;
  }

  /** The one conversation whose calls this connection has carried; undefined with none, or several. */
  get conversation(): string | undefined {
    return this.#inquiries.conversation;
  }

  /** Whether it may tell callers what it logs. */
  get canLog(): boolean {
    return this.#client.getServerCapabilities()?.logging !== undefined;
  }

  /** Never rejects: what goes wrong becomes an end that says so, and whether the server can have seen the call. */
  async send(call: ConnectionCall): Promise<CallEnd> {
    if (!this.#client.transport) return { kind: "lost", sent: false, message: "the connection was closed" };
    this.#inquiries.begin(call);
    let hasAnswered = false;
    try {
      if (call.logLevel !== undefined) await this.#hearLog(call.logLevel);
      const result = this.#isModern
        ? await this.#requestInRounds(call, () => {
            hasAnswered = true;
          })
        : await this.#requestLegacy(call);
      if (result.kind === "asks") this.#rememberAddresses(Object.values(result.asked.inquiries), call);
      return result;
    } catch (error) {
      return this.#failed(error, call, hasAnswered);
    } finally {
      this.#inquiries.end(call);
      if (this.#retired && this.openCalls === 0) void this.close();
    }
  }

  #failed(error: unknown, call: ConnectionCall, hasAnswered: boolean): CallEnd {
    const end = this.failureOf(error, call);
    if (end.kind === "failed" && end.fault) this.#sentToAddress.remember(end.fault.data, call);
    if (end.kind !== "lost") return end;
    this.#fault ??= end.message;
    // What it asked back, it asked because it has the call.
    return { ...end, sent: end.sent || hasAnswered };
  }

  #requestLegacy({ method, params, cancellation: signal, onProgress, meta, resultOf }: ConnectionCall) {
    const request = { method, params, signal, onProgress };
    return this.#requests.send(meta ? { ...request, meta } : request, resultOf);
  }

  /**
   * One request with all its rounds, or one round of it where the caller answers by calling again. Rejects where the
   * server refused it or could not be reached; `onRound` is told when the server has asked, and so has the request.
   */
  async #requestInRounds(call: ConnectionCall, onRound: () => void): Promise<ToolResult> {
    let added: JsonObject = answersAsParams(call.rounds?.answers, call.rounds?.state);
    for (let round = 0; ; round++) {
      const answer = await this.#withHeaders(call, (headers) => this.#requestOnce(call, added, headers));
      const asked = inquiriesIn(answer);
      if (!asked) return completed(answer, call);
      onRound();
      if (!asked.ok) return failed(`the server asked back, but ${asked.error}`);
      if (call.rounds) {
        return canAnswerAll(asked.value, call.rounds.capabilities)
          ? { kind: "asks", asked: asked.value }
          : failed(NOBODY);
      }
      if (round === MAX_ROUNDS) return failed(`the server asked back more than ${MAX_ROUNDS} times`);
      added = answersAsParams(await answerAll(asked.value.inquiries, call), asked.value.state);
    }
  }

  #requestOnce(
    call: ConnectionCall,
    added: JsonObject,
    headers?: Record<string, string>,
  ): Promise<JsonObject> {
    const { method, cancellation: signal, onProgress } = call;
    const request = {
      method,
      params: { ...call.params, ...added },
      meta: this.#metaOf(call),
      signal,
      onProgress,
      ownStream: this.#hasOwnStreams,
      ...(headers ? { headers } : {}),
    };
    return this.#requests.send(request, (answer) => answer);
  }

  /** A server of 2026-07-28 is told with each call what this caller can be asked and wants to hear. */
  #metaOf({ answering, rounds, logLevel, tasks, meta: given }: ConnectionCall): JsonObject {
    const capabilities = rounds?.capabilities ?? answering?.capabilities ?? {};
    const meta: Record<string, unknown> = {
      ...given,
      ...this.#introduction,
      [CLIENT_CAPABILITIES_META_KEY]: tasks ? withTasks(capabilities) : withoutTasks(capabilities),
    };
    if (logLevel !== undefined) meta[LOG_LEVEL_META_KEY] = logLevel;
    return meta;
  }

  /**
   * Some parameters also travel as headers, where the schema says so. A server that refuses them has not looked at
   * the call yet: its schema must have changed, so it is asked for that and gets the call once more.
   */
  async #withHeaders<T>(
    call: ConnectionCall,
    send: (headers?: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    if (!this.#hasOwnStreams || call.method !== "tools/call") return await send();
    const args = isRecord(call.params.arguments) ? call.params.arguments : {};
    try {
      return await send(paramHeaders(call.inputSchema, args));
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === HEADER_MISMATCH)) throw error;
      const inputSchema = await this.#fetchSchema(call.params.name, call.signal);
      return await send(paramHeaders(inputSchema ?? call.inputSchema, args));
    }
  }

  /** What an error of a request says; also of one that was no call. */
  failureOf(error: unknown, call?: Pick<ConnectionCall, "method" | "cancellation">): CallEnd {
    const { method, cancellation: signal } = call ?? {};
    return callFailure(error, { transport: this.#transport, redact: this.#redact, method, signal });
  }

  async listTools(signal: AbortSignal): Promise<ToolList> {
    return this.#callable(await listTools(this.#client, { signal }, this.#redact));
  }

  /** Never rejects. */
  listOffers(signal: AbortSignal, kinds?: readonly OfferKind[]): Promise<OfferList> {
    return listOffers(this.#client, { signal, ...(kinds && { kinds }) }, this.#redact);
  }

  /** Never rejects; tells `listeners` when the server says that a list changed, until the signal aborts. */
  followLists(listeners: ListListeners, options: FollowOptions): Promise<void> {
    this.#listListeners = listeners;
    return followLists(this.#client, listeners, options);
  }

  /** Tells when single resources change; only one at a time may ask for that. */
  followResources(deps: Omit<FollowingDeps, "redact">): ResourceFollowing {
    return followResources(this.#client, { ...deps, redact: this.#redact });
  }

  /** Calls `listener` with what the server logs over the protocol. */
  onLogMessage(listener: (level: string, text: string) => void): void {
    this.#onLog = listener;
  }

  /** Calls `listener` when the server asks something back on its own, and says whether somebody can be asked. */
  onInquiry(listener: (isAnswerable: boolean) => void): void {
    this.#onInquiry = listener;
  }

  /** Only for one that was opened by somebody who has roots. Whether the server hears of it makes no difference here. */
  rootsChanged(): void {
    if (!this.#isModern) void this.#client.sendRootsListChanged().catch(() => {});
  }

  /** No new calls will come: closes once those under way have ended. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.openCalls === 0) await this.close();
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  /** The schema that the server publishes for a tool now; undefined where it has no such tool. */
  async #fetchSchema(name: unknown, signal: AbortSignal): Promise<unknown> {
    this.#listListeners?.tools();
    const { tools } = await this.listTools(signal);
    return tools.find((tool) => tool.name === name)?.inputSchema;
  }

  /** Without the tools that would be called wrongly. */
  #callable(list: ToolList): ToolList {
    return this.#hasOwnStreams ? withoutHeaderFaults(list) : list;
  }

  #listenForInquiries(hasRoots: boolean): void {
    const relay = async (inquiry: Inquiry, signal: AbortSignal) => {
      const asked = this.#inquiries.askable(inquiry);
      this.#onInquiry(asked !== undefined);
      this.#rememberAddresses([inquiry], asked);
      return (await this.#inquiries.answer(inquiry, signal)) as never;
    };
    for (const method of ["elicitation/create", "sampling/createMessage"] as const) {
      this.#client.setRequestHandler(method, ({ params }, { mcpReq }) =>
        relay({ method, params: params as Record<string, unknown> }, mcpReq.signal),
      );
    }
    if (!hasRoots) return;
    // What it asks right after the handshake is no sign that it asks back during calls.
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
      tellLog(params, this.#inquiries.certain);
    });
    this.#client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      this.#sentToAddress.complete(params),
    );
  }

  #rememberAddresses(inquiries: readonly Inquiry[], call?: ConnectionCall | InquiredCall): void {
    if (call) for (const { params } of inquiries) this.#sentToAddress.remember(params, call);
  }

  /** A server before 2026-07-28 is told once how much to log; the most talkative wish counts. */
  async #hearLog(level: string): Promise<void> {
    if (this.#isModern || !this.canLog || !isMoreTalkative(level, this.#logLevel)) return;
    this.#logLevel = level;
    // One that cannot do it logs as it likes.
    await this.#client.setLoggingLevel(level as LoggingLevel).catch(() => {});
  }
}

function eraOf({ client, transportUsed }: OpenClient, at: number): Era {
  const discover = client.getDiscoverResult();
  return {
    era: client.getProtocolEra() ?? "legacy",
    version: client.getNegotiatedProtocolVersion() ?? "unknown",
    at,
    declares: declared(client.getServerCapabilities()),
    ...(discover ? { discover } : {}),
    ...(transportUsed ? { transport: transportUsed } : {}),
  };
}

function completed(answer: JsonObject, { resultOf, tasks }: ConnectionCall): ToolResult {
  const { resultType = "complete" } = answer;
  const task = resultType === "task" && tasks ? taskIn(answer) : undefined;
  if (task) return { kind: "task", task };
  return resultType === "complete"
    ? resultOf(answer)
    : failed(`the server sent a kind of answer that is not known: ${String(resultType).slice(0, 100)}`);
}

function failed(message: string): ToolResult {
  return { kind: "failed", message };
}

/** The parameters of a repeated request beside those of the first. */
function answersAsParams(answers: JsonObject | undefined, state: string | undefined): JsonObject {
  return {
    ...(answers === undefined ? {} : { inputResponses: answers }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

async function answerAll(inquiries: Readonly<Record<string, Inquiry>>, call: ConnectionCall) {
  const answered: [string, unknown][] = [];
  for (const [name, inquiry] of Object.entries(inquiries)) {
    answered.push([name, await answerWith(call, inquiry, call.signal)]);
  }
  return Object.fromEntries(answered);
}
