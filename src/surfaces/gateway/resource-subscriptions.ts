import type { Subscription, ToolOutcome } from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import { invalidParams, type Params, RPC, type RpcRequest } from "./messages.ts";
import { type Answered, callOf, type Exchange, offerFault } from "./methods.ts";

const MAX_SUBSCRIPTIONS = 100;
/** What people and the audit see of such a call. */
const ARGUMENTS = { subscribe: true };

/** A call that begins to tell of a resource's changes: decided, asked about and recorded as one that reads it. */
export function subscriptionTo(uri: string) {
  return { kind: "subscription", name: uri, arguments: ARGUMENTS } as const;
}

/** The resources that one session hears of. */
export class ResourceSubscriptions {
  readonly #byUri = new Map<string, AbortController>();
  readonly #hub: Pick<Hub, "callTool">;
  readonly #listener: Pick<Subscription, "callerNow" | "onUpdate">;

  constructor(hub: Pick<Hub, "callTool">, listener: Pick<Subscription, "callerNow" | "onUpdate">) {
    this.#hub = hub;
    this.#listener = listener;
  }

  async subscribe(request: RpcRequest, exchange: Exchange): Promise<Answered> {
    const { uri } = request.params;
    if (typeof uri !== "string") return invalidParams("uri must be the URI of a resource");
    if (this.#byUri.has(uri)) return "{}";
    if (this.#byUri.size >= MAX_SUBSCRIPTIONS) {
      return {
        code: RPC.refused,
        message: `a session may subscribe to at most ${MAX_SUBSCRIPTIONS} resources`,
      };
    }
    const end = new AbortController();
    this.#byUri.set(uri, end);
    const outcome = await this.#begin(request, uri, exchange, end.signal);
    if (outcome.outcome === "ok") return "{}";
    // It may have been given up and asked for once more meanwhile.
    if (this.#byUri.get(uri) === end) this.#byUri.delete(uri);
    return offerFault(outcome, request.params, exchange.era);
  }

  unsubscribe({ uri }: Params): Answered {
    this.#byUri.get(uri as string)?.abort();
    this.#byUri.delete(uri as string);
    return "{}";
  }

  close(): void {
    for (const subscription of this.#byUri.values()) subscription.abort();
    this.#byUri.clear();
  }

  #begin(request: RpcRequest, uri: string, exchange: Exchange, signal: AbortSignal): Promise<ToolOutcome> {
    const subscription = { ...this.#listener, signal };
    return this.#hub.callTool({ ...callOf(request, subscriptionTo(uri), exchange), subscription });
  }
}
