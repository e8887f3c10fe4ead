import type { Client, LoggingLevel, Transport } from "@modelcontextprotocol/client";
import type { Inquiry } from "../../contract/tool.ts";
import type { Stop } from "../../lib/flow/stop.ts";
import type { ConnectionCall } from "../connection-call.ts";
import type { DirectRequests } from "../direct-requests.ts";
import { type FollowOptions, followLists, type ListListeners } from "../lists/list-changes.ts";
import type { OfferKind } from "../lists/offer-key.ts";
import { listOffers, type OfferList } from "../lists/offer-list.ts";
import { type FollowingDeps, followResources, type ResourceFollowing } from "../lists/resource-updates.ts";
import { listTools, type ToolList } from "../lists/tool-list.ts";
import { RequestRounds } from "../request-rounds.ts";
import { declared, type Era } from "../transport/era.ts";
import { withoutHeaderFaults } from "../transport/param-headers.ts";
import { type CallEnd, callFailure } from "./failure.ts";
import { type InquiredCall, Inquiries } from "./inquiries.ts";
import { isMoreTalkative, SentToAddress, tellLog } from "./notices.ts";

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
  readonly #sentToAddress = new SentToAddress();
  readonly #rounds: RequestRounds;
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
    this.initialTools = this.#callable(initialTools);
    this.#rounds = new RequestRounds({
      requests: opened.requests,
      era: this.era,
      clientInfo: opened.clientInfo,
      hasOwnStreams: this.#mirrorsParameters,
      fetchSchema: (name, stop) => this.#fetchSchema(name, stop),
    });
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
  send(call: ConnectionCall): Promise<CallEnd> {
    if (!this.#client.transport)
      return Promise.resolve({ kind: "lost", sent: false, message: "the connection was closed" });
    this.#inquiries.begin(call);
    let hasAnswered = false;
    const onRound = () => {
      hasAnswered = true;
    };
    const answered =
      call.logLevel === undefined
        ? this.#rounds.send(call, onRound)
        : this.#hearLog(call.logLevel).then(() => this.#rounds.send(call, onRound));
    return answered.then(
      (result) => {
        this.#over(call);
        if (result.kind === "asks") this.#rememberAddresses(Object.values(result.asked.inquiries), call);
        return result;
      },
      (error) => {
        this.#over(call);
        return this.#failed(error, call, hasAnswered);
      },
    );
  }

  #failed(error: unknown, call: ConnectionCall, hasAnswered: boolean): CallEnd {
    const end = this.failureOf(error, call);
    if (end.kind === "failed" && end.fault) this.#sentToAddress.remember(end.fault.data, call);
    if (end.kind !== "lost") return end;
    this.#fault ??= end.message;
    // What it asked back, it asked because it has the call.
    return { ...end, sent: end.sent || hasAnswered };
  }

  #over(call: ConnectionCall): void {
    this.#inquiries.end(call);
    if (this.#retired && this.openCalls === 0) void this.close();
  }

  /** What an error of a request says; also of one that was no call. */
  failureOf(error: unknown, call?: Pick<ConnectionCall, "method" | "stop">): CallEnd {
    const { method, stop } = call ?? {};
    return callFailure(error, { transport: this.#transport, redact: this.#redact, method, stop });
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
    if (this.era.era === "legacy") void this.#client.sendRootsListChanged().catch(() => {});
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

  async #fetchSchema(name: unknown, stop: Stop): Promise<unknown> {
    this.#listListeners?.tools();
    const { tools } = await this.listTools(stop.signal);
    return tools.find((tool) => tool.name === name)?.inputSchema;
  }

  get #mirrorsParameters(): boolean {
    return this.era.era === "modern" && this.#transport.hasPerRequestStream === true;
  }

  /** Without the tools that would be called wrongly. */
  #callable(list: ToolList): ToolList {
    return this.#mirrorsParameters ? withoutHeaderFaults(list) : list;
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
    if (this.era.era === "modern" || !this.canLog || !isMoreTalkative(level, this.#logLevel)) return;
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
