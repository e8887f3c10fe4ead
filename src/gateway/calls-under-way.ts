import { FleetingSet } from "../lib/fleeting-set.ts";
import { Stop } from "../lib/stop.ts";
import { type RequestId, RPC, type RpcFault } from "./rpc-error.ts";

const MAX_OPEN_CALLS = 1_000;

/** What ends a request, under the id that its client gave it. */
export class UnderWay extends Stop {
  readonly id: RequestId;

  constructor(id: RequestId) {
    super();
    this.id = id;
  }
}

/** The requests of one client that are not answered yet. */
export class CallsUnderWay {
  readonly #calls = new FleetingSet<UnderWay>();

  /** Counts as under way until it is over; or why it is refused. */
  admit(id: RequestId): UnderWay | RpcFault {
    if (this.get(id)) return { code: RPC.invalidRequest, message: "this id is in use already" };
    if (this.#calls.size >= MAX_OPEN_CALLS)
      return { code: RPC.refused, message: "too many requests are under way" };
    const call = new UnderWay(id);
    this.#calls.add(call);
    return call;
  }

  get(id: unknown): UnderWay | undefined {
    return this.#calls.find((call) => call.id === id);
  }

  over(call: UnderWay): void {
    this.#calls.delete(call);
  }

  all(): readonly UnderWay[] {
    return this.#calls.all();
  }
}
