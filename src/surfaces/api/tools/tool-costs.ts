import { toolTokens } from "../../../call/conversation/token-estimate.ts";
import type { Tool } from "../../../contract/tool.ts";
import { createPace } from "../../../lib/flow/pace.ts";

/** About how many tokens tools take in lists. Each is worked out once. */
export class ToolCosts {
  readonly #known = new WeakMap<Tool, number>();

  of(tool: Tool): number {
    const known = this.#known.get(tool);
    if (known !== undefined) return known;
    const tokens = toolTokens(tool);
    this.#known.set(tool, tokens);
    return tokens;
  }

  /** What a list of them takes, in slices that hold nobody up. */
  async ofList(tools: readonly Tool[]): Promise<number> {
    const pace = createPace();
    let sum = 0;
    for (const tool of tools) {
      if (!this.#known.has(tool)) await pace();
      sum += this.of(tool);
    }
    return sum;
  }
}

/** What of a whole list a shorter one keeps out of each prompt. */
export function keptOut(wholeTokens: number, listedTokens: number): number {
  return Math.max(0, wholeTokens - listedTokens);
}
