import {
  CLIENT_CAPABILITIES_META_KEY,
  type Client,
  isInputRequiredResult,
  ProtocolError,
  type RequestOptions,
  type Transport,
  withInputRequired,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { isRecord } from "../lib/json.ts";
import type { Answering, Caller, Inquiry, Progress } from "../tool.ts";
import { type CallEnd, callFailure } from "./call-failure.ts";
import { callResult } from "./call-result.ts";
import type { Era } from "./era.ts";
import { answerWith, Inquiries } from "./inquiries.ts";
import { type FollowOptions, followLists, type ListListeners } from "./list-changes.ts";
import { listOffers, type OfferList } from "./offer-list.ts";
import { paramHeaders, withoutHeaderFaults } from "./param-headers.ts";
import { listTools, type ToolList } from "./tool-list.ts";
import type { OfferUse } from "./use-offers.ts";

/** A client that has shaken hands. */
export interface OpenClient {
  readonly client: Client;
  readonly transport: Transport;
  readonly closed: Promise<string>;
  /** Present where it is not the transport that was asked for. */
  readonly transportUsed?: "sse";
  /** Hides what may not be shown in what the server tells about itself. */
  readonly redact: (text: string) => string;
}

/** How one call is sent: its tool and arguments, who calls, and where its progress goes. */
export interface ConnectionCall {
  readonly tool: string;
  /** Of the tool, as published. */
  readonly inputSchema: unknown;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly onProgress: (update: Progress) => void;
  readonly answering?: Answering;
}

/** The executor ends calls sooner; this only keeps the SDK's own minute from doing it. */
const CALL_TIMEOUT_MS = 660_000;
const MAX_INSTRUCTIONS = 64 * 1024;
/** How often a server of 2026-07-28 may ask back before one call is done. */
const MAX_ROUNDS = 10;
/** SEP-2243: the headers do not fit the body of the call. */
const HEADER_MISMATCH = -32020;

/** One live connection to a server, shared by every call it is given. */
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
  #onInquiry: () => void = () => {};
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
    this.initialTools = this.#callable(initialTools);
    this.#listenForInquiries();
  }

  /** Calls under way. */
  get openCalls(): number {
    return this.#inquiries.openCalls;
  }

  /** The one conversation whose calls this connection has carried; undefined with none, or several. */
  get conversation(): string | undefined {
    return this.#inquiries.conversation;
  }

  /** Never rejects: what goes wrong becomes an end that says so, and whether the server can have seen the call. */
  async callTool(call: ConnectionCall): Promise<CallEnd> {
    if (!this.#client.transport) return { kind: "lost", sent: false, message: "the connection was closed" };
    this.#inquiries.begin(call);
    let hasAnswered = false;
    try {
      return callResult(
        await this.#request(call, () => {
          hasAnswered = true;
        }),
      );
    } catch (error) {
      const end = callFailure(error, {
        transport: this.#transport,
        signal: call.signal,
        redact: this.#redact,
      });
      if (end.kind !== "lost") return end;
      this.#fault ??= end.message;
      // What it asked back, it asked because it has the call.
      return { ...end, sent: end.sent || hasAnswered };
    } finally {
      this.#inquiries.end(call);
      if (this.#retired && this.openCalls === 0) void this.close();
    }
  }

  async listTools(signal: AbortSignal): Promise<ToolList> {
    return this.#callable(await listTools(this.#client, { signal }, this.#redact));
  }

  /** Never rejects. */
  listOffers(signal: AbortSignal): Promise<OfferList> {
    return listOffers(this.#client, { signal }, this.#redact);
  }

  /** Never rejects; tells `listeners` when the server says that a list changed, until the signal aborts. */
  followLists(listeners: ListListeners, options: FollowOptions): Promise<void> {
    this.#listListeners = listeners;
    return followLists(this.#client, listeners, options);
  }

  /** What is needed to use the server's resources, prompts and completions over this connection. */
  offerUse(signal: AbortSignal): OfferUse {
    this.#inquiries.blur();
    return { client: this.#client, options: { signal }, redact: this.#redact };
  }

  /** Calls `listener` with what the server logs over the protocol. */
  onLogMessage(listener: (level: string, text: string) => void): void {
    this.#client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      listener(level, logger === undefined ? text : `${logger}: ${text}`);
    });
  }

  /** Calls `listener` when the server asks something back on its own, whether or not it is answered. */
  onInquiry(listener: () => void): void {
    this.#onInquiry = listener;
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

  /** One call with all its rounds: a server of 2026-07-28 answers with what it wants to know first. */
  async #request(call: ConnectionCall, onRound: () => void): Promise<Record<string, unknown>> {
    const options: RequestOptions = {
      signal: call.signal,
      timeout: CALL_TIMEOUT_MS,
      allowInputRequired: true,
      onprogress: ({ progress, total, message }) =>
        call.onProgress({
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        }),
    };
    let params: Record<string, unknown> = {
      name: call.tool,
      arguments: call.arguments,
      ...this.#capabilitiesOf(call),
    };
    for (let round = 0; ; round++) {
      const result = await this.#withHeaders(call, (headers) =>
        this.#client.request({ method: "tools/call", params }, anyResult, { ...options, headers }),
      );
      if (!isInputRequiredResult(result)) return result as Record<string, unknown>;
      onRound();
      if (round === MAX_ROUNDS) throw new Error(`it asked back more than ${MAX_ROUNDS} times`);
      const { inputRequests = {}, requestState } = result;
      params = {
        ...params,
        inputResponses: await answers(inputRequests, call),
        ...(requestState === undefined ? {} : { requestState }),
      };
    }
  }

  /**
   * Some parameters also travel as headers, where the schema says so. A server that refuses them has not looked at
   * the call yet: its schema must have changed, so it is asked for that and gets the call once more.
   */
  async #withHeaders<T>(
    call: ConnectionCall,
    send: (headers: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    if (!this.#mirrorsParameters) return await send({});
    try {
      return await send(paramHeaders(call.inputSchema, call.arguments));
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === HEADER_MISMATCH)) throw error;
      this.#listListeners?.tools();
      const { tools } = await this.listTools(call.signal);
      const { inputSchema } = tools.find(({ name }) => name === call.tool) ?? call;
      return await send(paramHeaders(inputSchema, call.arguments));
    }
  }

  get #mirrorsParameters(): boolean {
    return this.era.era === "modern" && this.#transport.hasPerRequestStream === true;
  }

  /** A server of 2026-07-28 is told with each call what this caller can be asked. */
  #capabilitiesOf({ answering }: ConnectionCall): { _meta?: Record<string, unknown> } {
    if (this.era.era === "legacy") return {};
    return { _meta: { [CLIENT_CAPABILITIES_META_KEY]: answering?.capabilities ?? {} } };
  }

  /** Without the tools that would be called wrongly. */
  #callable(list: ToolList): ToolList {
    return this.#mirrorsParameters ? withoutHeaderFaults(list) : list;
  }

  #listenForInquiries(): void {
    const relay = async (inquiry: Inquiry, signal: AbortSignal) => {
      this.#onInquiry();
      return (await this.#inquiries.answer(inquiry, signal)) as never;
    };
    for (const method of ["elicitation/create", "sampling/createMessage"] as const) {
      this.#client.setRequestHandler(method, ({ params }, { mcpReq }) =>
        relay({ method, params: params as Record<string, unknown> }, mcpReq.signal),
      );
    }
  }
}

async function answers(requests: Readonly<Record<string, unknown>>, call: ConnectionCall) {
  const answered: Record<string, unknown> = {};
  for (const [key, request] of Object.entries(requests)) {
    if (!isRecord(request)) continue;
    const { method, params } = request;
    const inquiry = { method, params: isRecord(params) ? params : {} } as Inquiry;
    answered[key] = await answerWith(call, inquiry, call.signal);
  }
  return answered;
}

function eraOf({ client, transportUsed }: OpenClient, at: number): Era {
  const discover = client.getDiscoverResult();
  return {
    era: client.getProtocolEra() ?? "legacy",
    version: client.getNegotiatedProtocolVersion() ?? "unknown",
    at,
    ...(discover ? { discover } : {}),
    ...(transportUsed ? { transport: transportUsed } : {}),
  };
}

const anyResult = withInputRequired(z.looseObject({}));
