import { err, ok, type Result } from "../result.ts";

/** Ends a turn. Calling it again does nothing. */
export type EndTurn = () => void;

const GIVEN_UP = "the call was given up before it was its turn";

interface Waiting {
  readonly start: () => void;
}

/**
 * Runs at most `limit()` calls at once. Waiting calls are taken from one agent after the other, so that an agent with
 * fifty calls does not delay another agent's single call.
 */
export class FairQueue {
  readonly #limit: () => number;
  readonly #maxWaiting: number;
  /** By agent, in the order of their turns; an agent without waiting calls is not in here. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #running = 0;
  #waitingCount = 0;

  constructor(limit: () => number, maxWaiting: number) {
    this.#limit = limit;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  /** Returns this call's turn, a promise of it if it must wait, or the reason why it gets none. */
  enter(agent: string, signal: AbortSignal): Result<EndTurn, string> | Promise<Result<EndTurn, string>> {
    if (signal.aborted) return err(GIVEN_UP);
    if (this.#running < this.#limit() && this.#waitingCount === 0) {
      this.#running++;
      return ok(this.#endTurn());
    }
    if (this.#isFull(agent)) return err(`${this.#maxWaiting} calls of this agent wait for it already`);
    return this.#wait(agent, signal).then((came) => (came ? ok(this.#endTurn()) : err(GIVEN_UP)));
  }

  /** Gives the turn of a running call to another one while it waits for something else. */
  pause(): void {
    this.#running--;
    while (this.#waitingCount > 0 && this.#running < this.#limit()) this.#startNext();
  }

  /** Continues at once, however many calls are running, because the call is half done. */
  resume(): void {
    this.#running++;
  }

  /** Starts the agent's next call now, however many calls are running. */
  hurry(agent: string): void {
    const calls = this.#waiting.get(agent);
    if (calls) this.#start(agent, calls);
  }

  /** Limited for each agent separately: an agent that floods the queue must not shut others out. */
  #isFull(agent: string): boolean {
    return (this.#waiting.get(agent)?.size ?? 0) >= this.#maxWaiting;
  }

  /** Resolves true with a turn, false if the call was given up before. */
  #wait(agent: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener("abort", giveUp);
          resolve(true);
        },
      };
      const giveUp = () => {
        this.#remove(agent, waiting);
        resolve(false);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      const calls = this.#waiting.get(agent) ?? new Set();
      this.#waiting.set(agent, calls.add(waiting));
      this.#waitingCount++;
    });
  }

  #endTurn(): EndTurn {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.pause();
    };
  }

  #startNext(): void {
    const [agent, calls] = this.#waiting.entries().next().value!;
    this.#start(agent, calls);
  }

  #start(agent: string, calls: Set<Waiting>): void {
    const [next] = calls;
    this.#remove(agent, next!);
    // The agent's next call waits until every other agent had a turn.
    if (this.#waiting.delete(agent)) this.#waiting.set(agent, calls);
    this.#running++;
    next!.start();
  }

  #remove(agent: string, waiting: Waiting): void {
    const calls = this.#waiting.get(agent);
    if (!calls?.delete(waiting)) return;
    this.#waitingCount--;
    if (calls.size === 0) this.#waiting.delete(agent);
  }
}
