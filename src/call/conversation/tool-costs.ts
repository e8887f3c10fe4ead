import type { Tool } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { toolTokens } from "./token-estimate.ts";

/** About how many tokens tools take in lists. Each tool is estimated once. */
export class ToolCosts {
  readonly #known = new WeakMap<Tool, number>();

  of(tool: Tool): number {
    const known = this.#known.get(tool);
    if (known !== undefined) return known;
    const tokens = toolTokens(tool);
    this.#known.set(tool, tokens);
    return tokens;
  }

  /** The tokens of a list of tools. Yields regularly, so that a long list delays nobody. */
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

/** The tokens that a shorter list saves in each prompt. */
export function keptOut(wholeTokens: number, listedTokens: number): number {
  return Math.max(0, wholeTokens - listedTokens);
}
