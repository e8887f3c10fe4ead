import { createContext, Script } from "node:vm";
import { err, ok, type Result } from "../../lib/result.ts";

/**
 * Runs synchronous work and breaks it off in the middle once it has taken too long, a regular expression included.
 * Only for work that nobody misses half done: what it was changing stays as it was at that moment.
 */
export class TimeLimit {
  readonly #script = new Script("work()");
  readonly #context: { work: (() => unknown) | undefined } = { work: undefined };

  constructor() {
    createContext(this.#context);
  }

  run<T>(ms: number, work: () => T): Result<T, "timed_out"> {
    this.#context.work = work;
    try {
      return ok(this.#script.runInContext(this.#context, { timeout: ms }) as T);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return err("timed_out");
      throw error;
    } finally {
      this.#context.work = undefined;
    }
  }
}
