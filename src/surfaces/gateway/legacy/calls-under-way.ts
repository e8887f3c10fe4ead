import { FleetingSet } from "../../../lib/flow/fleeting-set.ts";
import { LightSignal } from "../../../lib/flow/light-signal.ts";
import type { Reply } from "../http/reply.ts";
import { errorText, type RequestId, RPC, type RpcFault, resultText } from "../messages.ts";

const MAX_OPEN_CALLS = 1_000;

/** Where the answer to a request goes. */
export interface AnswerPlace {
  readonly reply: Pick<Reply, "answer" | "withdraw">;
  /** Among the answers of one POST. */
  readonly at: number;
}

/** What ends a request, under the id that its client gave it, and how it is answered: once. */
export class UnderWay {
  readonly signal = new LightSignal();
  readonly id: RequestId;
  readonly #reply: AnswerPlace["reply"];
  readonly #at: number;
  #isAnswered = false;

  constructor(id: RequestId, { reply, at }: AnswerPlace) {
    this.id = id;
    this.#reply = reply;
    this.#at = at;
  }

  /** Answers at once, whatever it still does: nothing that it says later reaches its client. */
  giveUp(fault: RpcFault): void {
    this.signal.abort(fault.message);
    this.answer(fault);
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** A result as JSON text, or an error; undefined: it will not be answered. */
  answer(answered: string | RpcFault | undefined): void {
    if (this.#isAnswered) return;
    if (answered === undefined) this.#reply.withdraw();
    else if (typeof answered === "string") this.#reply.answer(resultText(this.id, answered), 200, this.#at);
    else this.#reply.answer(errorText(this.id, answered), 200, this.#at);
    // Not before: one that could not be written is not.
    this.#isAnswered = true;
  }
}

/** The requests of one client that are not answered yet. */
export class CallsUnderWay {
  readonly #calls = new FleetingSet<UnderWay>();

  /** Counts as under way until it is over; or why it is refused. */
  admit(id: RequestId, place: AnswerPlace): UnderWay | RpcFault {
    if (this.get(id)) return { code: RPC.invalidRequest, message: "this id is in use already" };
    if (this.#calls.size >= MAX_OPEN_CALLS)
      return { code: RPC.refused, message: "too many requests are under way" };
    const call = new UnderWay(id, place);
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
