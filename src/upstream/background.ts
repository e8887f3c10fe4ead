import { atMost } from "./at-most.ts";
import type { Gate } from "./definition.ts";

/** How many servers are connected to at once to learn their tools. */
const CONNECTIONS = 4;

/** What of a server is needed to learn what it offers. */
export interface Learnable {
  readonly definition: { readonly gate: Pick<Gate, "kind"> };
  connected(): Promise<unknown>;
  offersKnown(): Promise<void>;
  restUnlessUsed(): Promise<void>;
}

/** What goes on without anybody waiting for it. */
export class Background {
  readonly #work = new Set<Promise<unknown>>();
  readonly #fewAtOnce = atMost(CONNECTIONS);
  #stopped = false;

  /** Remembers work that must have ended before everything closes; it must not reject. */
  track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /**
   * Connects to a server to learn what it offers. Where many are to be learned, as at an import, each is stopped
   * again as soon as it is known.
   */
  learn(server: Learnable): void {
    this.track(
      this.#fewAtOnce(async () => {
        if (this.#stopped || server.definition.gate.kind !== "open") return;
        await server.connected();
        await server.offersKnown();
        if (this.#work.size > CONNECTIONS) await server.restUnlessUsed();
      }),
    );
  }

  /** Begins nothing new. */
  stop(): void {
    this.#stopped = true;
  }

  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
