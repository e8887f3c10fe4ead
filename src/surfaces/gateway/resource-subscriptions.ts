import type { Subscription, ToolOutcome } from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import { invalidParams, type Params, RPC, type RpcRequest } from "./messages.ts";
import { buildCall, type Exchange, type MethodAnswer, toOfferFault } from "./methods.ts";

const MAX_SUBSCRIPTIONS = 100;
/** The arguments that people and the audit see for such a call. */
const AUDITED_ARGUMENTS = { subscribe: true };

/** The call that starts a subscription; it is decided, approved and recorded like one that reads the resource. */
export function toSubscriptionCall(uri: string) {
  return { kind: "subscription", name: uri, arguments: AUDITED_ARGUMENTS } as const;
}

/** The resource subscriptions of one session. */
export class ResourceSubscriptions {
  readonly #byUri = new Map<string, AbortController>();
  readonly #hub: Pick<Hub, "callTool">;
  readonly #listener: Pick<Subscription, "callerNow" | "onUpdate">;

  constructor(hub: Pick<Hub, "callTool">, listener: Pick<Subscription, "callerNow" | "onUpdate">) {
    this.#hub = hub;
    this.#listener = listener;
  }

  async subscribe(request: RpcRequest, exchange: Exchange): Promise<MethodAnswer> {
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
    // The client may have unsubscribed and subscribed again meanwhile.
    if (this.#byUri.get(uri) === end) this.#byUri.delete(uri);
    return toOfferFault(outcome, request.params, exchange.era);
  }

  unsubscribe({ uri }: Params): MethodAnswer {
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
    return this.#hub.callTool({ ...buildCall(request, toSubscriptionCall(uri), exchange), subscription });
  }
}
