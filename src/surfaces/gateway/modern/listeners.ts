import type { ServerResponse } from "node:http";
import type { Caller } from "../../../contract/caller.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import { isRecord } from "../../../lib/json.ts";
import { EventStream, type Heartbeat } from "../http/event-stream.ts";
import { writeAnswer } from "../http/reply.ts";
import {
  formatResult,
  META,
  type Params,
  type RequestId,
  RPC,
  type RpcRequest,
  rpcError,
} from "../messages.ts";
import { toSubscriptionCall } from "../resource-subscriptions.ts";
import { LIST_CHANGES, type ListName, SeenLists } from "../seen-lists.ts";
import { describeCapabilities, type ServingDeps } from "../serving.ts";

const MAX_LISTENERS = 2_000;
const MAX_LISTENERS_PER_TOKEN = 200;
const MAX_URIS = 100;
/** The lists that a client can subscribe to, by the key of its filter. */
const FILTER_KEYS: Readonly<Record<ListName, string>> = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};

interface Listener {
  readonly id: RequestId;
  readonly caller: Caller;
  readonly stream: EventStream;
  readonly lists: ReadonlySet<ListName>;
  readonly seen: SeenLists;
}

export interface ListenerDeps extends ServingDeps {
  readonly heartbeat: Heartbeat;
}

/** The subscriptions of the modern era: streams on which a client hears of changes that it chose. */
export class Listeners {
  readonly #deps: ListenerDeps;
  readonly #open = new Set<Listener>();

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Serves one `subscriptions/listen`. Resolves when its client has left. */
  async serve(request: RpcRequest, res: ServerResponse, caller: Caller): Promise<void> {
    const { id, params } = request;
    if (!isRecord(params.notifications)) {
      const message = "Invalid params: notifications must say what to listen for";
      return writeAnswer(res, rpcError(200, RPC.invalidParams, message, { id }));
    }
    const sameToken = [...this.#open].filter((each) => each.caller.tokenId === caller.tokenId);
    if (this.#open.size >= MAX_LISTENERS || sameToken.length >= MAX_LISTENERS_PER_TOKEN) {
      const message = "too many subscriptions are open; end some and try again";
      return writeAnswer(res, rpcError(200, RPC.internalError, message, { id }));
    }
    await this.#listen(id, params.notifications, res, caller);
  }

  /** Tells each listener which of its own lists changed, if it asked for that. */
  async announceChanges(): Promise<void> {
    const pace = createPace();
    for (const listener of [...this.#open]) {
      await pace();
      if (listener.stream.isConnected) await this.#announceTo(listener);
    }
  }

  /** Ends every subscription with a result, so that its client knows that it was not cut off. */
  close(): void {
    for (const { id, stream } of this.#open) {
      const result = JSON.stringify(
        this.#deps.identity.completeResult({ _meta: { [META.subscriptionId]: id } }),
      );
      stream.send(formatResult(id, result));
      stream.end();
    }
    this.#open.clear();
  }

  async #listen(id: RequestId, filter: Params, res: ServerResponse, caller: Caller): Promise<void> {
    const { hub, heartbeat } = this.#deps;
    const end = new AbortController();
    const closed = new Promise<void>((resolve) => {
      res.once("close", () => {
        end.abort();
        resolve();
      });
    });
    const stream = new EventStream(heartbeat);
    const listener: Listener = {
      id,
      caller,
      stream,
      lists: new Set(readLists(filter, describeCapabilities(hub, caller))),
      seen: new SeenLists(),
    };
    this.#open.add(listener);
    void closed.then(() => this.#open.delete(listener));
    await listener.seen.remember(caller, this.#deps);
    const uris = await this.#subscribe(listener, readUris(filter), end.signal);
    if (end.signal.aborted) return;
    // Acknowledge only once everything is subscribed.
    stream.connect(res, {});
    const honoured = {
      ...Object.fromEntries([...listener.lists].map((name) => [FILTER_KEYS[name], true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    notify(listener, "notifications/subscriptions/acknowledged", { notifications: honoured });
    if (Object.keys(honoured).length === 0) this.#finish(listener);
    // Changes during the subscription could not be reported yet.
    else await this.#announceTo(listener);
    await closed;
  }

  async #announceTo(listener: Listener): Promise<void> {
    const caller = this.#currentCaller(listener.caller);
    if (!caller) return;
    for (const list of await listener.seen.takeChanges(caller, this.#deps)) {
      if (listener.lists.has(list)) notify(listener, LIST_CHANGES[list]);
    }
  }

  /** Returns the URIs whose changes will be reported. */
  async #subscribe(
    listener: Listener,
    uris: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { caller } = listener;
    const subscription = {
      callerNow: () => this.#currentCaller(caller),
      onUpdate: (params: Params) => notify(listener, "notifications/resources/updated", params),
      signal,
    };
    const subscribed = await Promise.all(
      uris.map(async (uri) => {
        const call = { ...toSubscriptionCall(uri), caller, via: "mcp", signal, subscription } as const;
        const { outcome } = await this.#deps.hub.callTool(call);
        return outcome === "ok" ? [uri] : [];
      }),
    );
    return subscribed.flat();
  }

  /** Ends a subscription that covers nothing. */
  #finish(listener: Listener): void {
    const result = this.#deps.identity.completeResult({ _meta: { [META.subscriptionId]: listener.id } });
    listener.stream.send(formatResult(listener.id, JSON.stringify(result)));
    listener.stream.end();
    this.#open.delete(listener);
  }

  /** The caller with its agent's current grants. */
  #currentCaller(caller: Caller): Caller | undefined {
    const { hub, callers } = this.#deps;
    const agent = hub.identity.agentById(caller.agentId);
    if (!agent) return undefined;
    const { tokenId, scopes, conversation, narrowing, host, withheld, interactive = false } = caller;
    return callers.getCaller(
      { agent, tokenId: tokenId ?? "", scopes, interactive, ...(withheld && { withheld }) },
      conversation,
      narrowing ? { narrowing } : {},
      host,
    );
  }
}

function notify({ stream, id }: Listener, method: string, params: Params = {}): void {
  const _meta = { ...(params._meta as Params | undefined), [META.subscriptionId]: id };
  stream.send(JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, _meta } }));
}

function readLists(filter: Params, capabilities: Params): ListName[] {
  return (Object.keys(FILTER_KEYS) as ListName[]).filter(
    (name) => filter[FILTER_KEYS[name]] === true && capabilities[name] !== undefined,
  );
}

function readUris({ resourceSubscriptions }: Params): readonly string[] {
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  return uris.filter((uri) => typeof uri === "string").slice(0, MAX_URIS);
}
