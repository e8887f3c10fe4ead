import type { ServerResponse } from "node:http";
import type { Caller } from "../../../contract/caller.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import { isRecord } from "../../../lib/json.ts";
import { EventStream, type Heartbeat } from "../http/event-stream.ts";
import { writeAnswer } from "../http/reply.ts";
import {
  META,
  type Params,
  type RequestId,
  RPC,
  type RpcRequest,
  resultText,
  rpcError,
} from "../messages.ts";
import { subscriptionTo } from "../resource-subscriptions.ts";
import { LIST_CHANGES, type ListName, SeenLists } from "../seen-lists.ts";
import { type ServingDeps, serverCapabilities } from "../serving.ts";

const MAX_LISTENERS = 2_000;
const MAX_LISTENERS_PER_TOKEN = 200;
const MAX_URIS = 100;
/** The lists that can be listened for, by the client's word for it. */
const WANTED_AS: Readonly<Record<ListName, string>> = {
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
  readonly beats: Heartbeat;
}

/** The subscriptions of the modern era: streams on which a client hears of changes to what it chose. */
export class Listeners {
  readonly #deps: ListenerDeps;
  readonly #open = new Set<Listener>();

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Serves one `subscriptions/listen`. Resolves when its client is gone. */
  async serve(request: RpcRequest, res: ServerResponse, caller: Caller): Promise<void> {
    const { id, params } = request;
    if (!isRecord(params.notifications)) {
      const message = "Invalid params: notifications must say what to listen for";
      return writeAnswer(res, rpcError(200, RPC.invalidParams, message, { id }));
    }
    const ofToken = [...this.#open].filter((each) => each.caller.tokenId === caller.tokenId);
    if (this.#open.size >= MAX_LISTENERS || ofToken.length >= MAX_LISTENERS_PER_TOKEN) {
      const message = "too many subscriptions are open; end some and try again";
      return writeAnswer(res, rpcError(200, RPC.internalError, message, { id }));
    }
    await this.#listen(id, params.notifications, res, caller);
  }

  /** Tells each listener which of its own lists changed, as far as it wants to know. */
  async announceChanges(): Promise<void> {
    const pace = createPace();
    for (const listener of [...this.#open]) {
      await pace();
      if (listener.stream.isConnected) await this.#tellChanges(listener);
    }
  }

  /** Ends every subscription in good order: its client knows that it was not cut off. */
  close(): void {
    for (const { id, stream } of this.#open) {
      const result = JSON.stringify(this.#deps.identity.complete({ _meta: { [META.subscriptionId]: id } }));
      stream.send(resultText(id, result));
      stream.end();
    }
    this.#open.clear();
  }

  async #listen(id: RequestId, wanted: Params, res: ServerResponse, caller: Caller): Promise<void> {
    const { hub, beats } = this.#deps;
    const end = new AbortController();
    const gone = new Promise<void>((resolve) => {
      res.once("close", () => {
        end.abort();
        resolve();
      });
    });
    const stream = new EventStream(beats);
    const listener: Listener = {
      id,
      caller,
      stream,
      lists: new Set(listsIn(wanted, serverCapabilities(hub, caller))),
      seen: new SeenLists(),
    };
    this.#open.add(listener);
    void gone.then(() => this.#open.delete(listener));
    await listener.seen.note(caller, this.#deps);
    const uris = await this.#subscribe(listener, urisIn(wanted), end.signal);
    if (end.signal.aborted) return;
    // Everything is being listened to before the client is told so.
    stream.connect(res, {});
    const honoured = {
      ...Object.fromEntries([...listener.lists].map((name) => [WANTED_AS[name], true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    tell(listener, "notifications/subscriptions/acknowledged", { notifications: honoured });
    if (Object.keys(honoured).length === 0) this.#finish(listener);
    // What changed while servers were being asked could not be told yet.
    else await this.#tellChanges(listener);
    await gone;
  }

  async #tellChanges(listener: Listener): Promise<void> {
    const caller = this.#currentCaller(listener.caller);
    if (!caller) return;
    for (const list of await listener.seen.changes(caller, this.#deps)) {
      if (listener.lists.has(list)) tell(listener, LIST_CHANGES[list]);
    }
  }

  /** The URIs whose changes will be told. */
  async #subscribe(
    listener: Listener,
    uris: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { caller } = listener;
    const subscription = {
      callerNow: () => this.#currentCaller(caller),
      onUpdate: (params: Params) => tell(listener, "notifications/resources/updated", params),
      signal,
    };
    const subscribed = await Promise.all(
      uris.map(async (uri) => {
        const call = { ...subscriptionTo(uri), caller, via: "mcp", signal, subscription } as const;
        const { outcome } = await this.#deps.hub.callTool(call);
        return outcome === "ok" ? [uri] : [];
      }),
    );
    return subscribed.flat();
  }

  /** There is nothing to listen for. */
  #finish(listener: Listener): void {
    const result = this.#deps.identity.complete({ _meta: { [META.subscriptionId]: listener.id } });
    listener.stream.send(resultText(listener.id, JSON.stringify(result)));
    listener.stream.end();
    this.#open.delete(listener);
  }

  /** The caller with what its agent is granted now. */
  #currentCaller(caller: Caller): Caller | undefined {
    const { hub, callers } = this.#deps;
    const agent = hub.identity.agentById(caller.agentId);
    if (!agent) return undefined;
    const { tokenId, scopes, conversation, narrowing, host, withheld, interactive = false } = caller;
    return callers.for(
      { agent, tokenId: tokenId ?? "", scopes, interactive, ...(withheld && { withheld }) },
      conversation,
      narrowing ? { narrowing } : {},
      host,
    );
  }
}

function tell({ stream, id }: Listener, method: string, params: Params = {}): void {
  const _meta = { ...(params._meta as Params | undefined), [META.subscriptionId]: id };
  stream.send(JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, _meta } }));
}

function listsIn(wanted: Params, capabilities: Params): ListName[] {
  return (Object.keys(WANTED_AS) as ListName[]).filter(
    (name) => wanted[WANTED_AS[name]] === true && capabilities[name] !== undefined,
  );
}

function urisIn({ resourceSubscriptions }: Params): readonly string[] {
  const uris = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  return uris.filter((uri) => typeof uri === "string").slice(0, MAX_URIS);
}
