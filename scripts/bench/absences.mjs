import { LABELS, PEERS } from "./contenders.mjs";

/**
 * Other people's programs that could not be installed, started or called. They are left out and said so; the rest is measured all the same. What goes
 * wrong with anything of ours ends the benchmark.
 */
export class Absences {
  #say;
  #reasons = {};

  constructor(say) {
    this.#say = say;
  }

  /** The result of `work` about `name`; undefined where that is left out, now or before. */
  async unless(name, work) {
    if (this.has(name)) return undefined;
    try {
      return await work();
    } catch (error) {
      if (!PEERS.includes(name)) throw error;
      this.#reasons[name] = error.message.split("\n")[0].slice(0, 300);
      this.#say(`left out: ${LABELS[name]}: ${this.#reasons[name]}`);
      return undefined;
    }
  }

  has(name) {
    return this.#reasons[name] !== undefined;
  }

  /** The reasons by name. */
  reasons() {
    return { ...this.#reasons };
  }
}
