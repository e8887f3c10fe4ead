import type { Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { type BatchOptions, MAX_BATCH_CALLS } from "../executor/batch.ts";
import { listedDescription } from "./listed-description.ts";
import type { Listing } from "./listing.ts";

/** A call that a model asks for in one turn. */
export type TurnCall = Pick<ToolCall, "name" | "arguments" | "signal" | "onProgress">;

/** How the calls of a turn are made. */
export interface CallMaker {
  callTool(call: TurnCall): Promise<ToolOutcome>;
  callBatch(calls: readonly TurnCall[], options: BatchOptions): Promise<readonly ToolOutcome[]>;
}

export interface TurnStart extends Listing {
  readonly promptSection: string;
  /** The revision of the catalogue. */
  readonly revision: number;
  /** The length at which the descriptions of untrusted tools are cut. */
  readonly maxDescription: number;
}

/** One turn of a model: the tools it is shown, and the means to call them. Immutable. */
export class Turn {
  /** For the model, with their schemas, sorted by name. */
  readonly tools: readonly Tool[];
  /** Tools that the model finds with `tool_search`, and may call. */
  readonly deferred: readonly Tool[];
  /** Tools that the conversation had found but that had to make room, because the model accepts no more. */
  readonly retired: readonly Tool[];
  /**
   * For the prompt: the servers behind the tools, the deferred tools and how to find them. Empty where there is
   * neither.
   */
  readonly promptSection: string;
  /** Turns with the same revision began with the same catalogue. */
  readonly revision: number;
  readonly #maxDescription: number;
  readonly #callMaker: CallMaker;

  constructor(start: TurnStart, callMaker: CallMaker) {
    const { tools, deferred, retired, promptSection, revision, maxDescription } = start;
    this.#maxDescription = maxDescription;
    this.tools = tools;
    this.deferred = deferred;
    this.retired = retired;
    this.promptSection = promptSection;
    this.revision = revision;
    this.#callMaker = callMaker;
  }

  /** The description of a listed tool, for the model. */
  descriptionOf(tool: Tool): string {
    return listedDescription(tool, this.#maxDescription);
  }

  /** Never rejects for what a model, a server or a person can cause. */
  call(call: TurnCall): Promise<ToolOutcome> {
    return this.#callMaker.callTool(call);
  }

  /**
   * Makes the calls of one step. Neighbours that are safe run together, the rest one by one; the outcomes are in the
   * order of the calls. A failed call does not stop the others.
   */
  async callAll(calls: readonly TurnCall[], options: BatchOptions = {}): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    // A model may ask for more calls than one batch may have.
    for (let start = 0; start < calls.length; start += MAX_BATCH_CALLS) {
      const batch = calls.slice(start, start + MAX_BATCH_CALLS);
      outcomes.push(...(await this.#callMaker.callBatch(batch, options)));
    }
    return outcomes;
  }
}
