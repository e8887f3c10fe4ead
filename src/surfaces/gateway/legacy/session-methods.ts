import type { Caller } from "../../../contract/caller.ts";
import type { Answering } from "../../../contract/tool.ts";
import type { Reply } from "../http/reply.ts";
import type { Params, RpcRequest } from "../messages.ts";
import type { Answered, Exchange, Method } from "../methods.ts";
import type { ResourceSubscriptions } from "../resource-subscriptions.ts";

/** As much of a session as its requests need. */
interface ServedSession {
  readonly caller: Caller;
  readonly subscriptions: ResourceSubscriptions;
  tell(method: string, params?: Params): void;
  initialize(): Promise<Answered>;
  setLevel(params: Params): Answered;
}

/** One request of a session. Of a class: there is one for every call, and most have nothing beside these fields. */
export class SessionExchange implements Exchange {
  readonly era = "legacy";
  readonly session: ServedSession;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly #reply: Reply;
  declare answering?: Answering;
  declare logLevel?: string;

  constructor(session: ServedSession, reply: Reply, signal: AbortSignal) {
    this.session = session;
    this.caller = session.caller;
    this.signal = signal;
    this.#reply = reply;
  }

  notify(method: string, params: Params): void {
    // That something asked for is complete may come after the answer.
    if (this.#reply.isDone && method !== "notifications/progress") this.session.tell(method, params);
    else this.#reply.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }
}

/** What only a session has. */
const SESSION_METHODS: Readonly<
  Record<
    string,
    (session: ServedSession, request: RpcRequest, exchange: Exchange) => Answered | Promise<Answered>
  >
> = {
  initialize: (session) => session.initialize(),
  ping: () => "{}",
  "logging/setLevel": (session, { params }) => session.setLevel(params),
  "resources/subscribe": ({ subscriptions }, request, exchange) => subscriptions.subscribe(request, exchange),
  "resources/unsubscribe": ({ subscriptions }, { params }) => subscriptions.unsubscribe(params),
};

/** A method that only a session has; undefined for any other. */
export function sessionMethod(name: string): Method | undefined {
  if (!Object.hasOwn(SESSION_METHODS, name)) return undefined;
  return (request, exchange) =>
    SESSION_METHODS[name]!((exchange as SessionExchange).session, request, exchange);
}
