import type { Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import { type BatchOptions, MAX_BATCH_CALLS } from "../executor/batch.ts";
import { listedDescription } from "./listed-description.ts";
import type { Listing } from "./listing.ts";

/** What a model asks for in one turn. */
export type TurnCall = Pick<ToolCall, "name" | "arguments" | "signal" | "onProgress">;

/** How the calls of a turn are made. */
export interface Calling {
  callTool(call: TurnCall): Promise<ToolOutcome>;
  callBatch(calls: readonly TurnCall[], options: BatchOptions): Promise<readonly ToolOutcome[]>;
}

/** What a turn begins with. */
export interface TurnStart extends Listing {
  readonly promptSection: string;
  /** Of the catalogue. */
  readonly revision: number;
  /** Where the descriptions of tools are cut that nobody vouches for. */
  readonly maxDescription: number;
}

/** One turn of a model: the tools it is shown, and the calls that come back. Nothing in it changes. */
export class Turn {
  /** For the model, with their schemas, sorted by name. */
  readonly tools: readonly Tool[];
  /** Tools that the model finds by `tool_search`, and may call. */
  readonly deferred: readonly Tool[];
  /** Tools that the conversation had found, and that had to make room because the model takes no more. */
  readonly retired: readonly Tool[];
  /** For the prompt: the servers behind the tools, what is deferred, and how to get it. Empty where there is neither. */
  readonly promptSection: string;
  /** Turns with the same one began with the same catalogue. */
  readonly revision: number;
  readonly #maxDescription: number;
  readonly #calling: Calling;

  constructor(start: TurnStart, calling: Calling) {
    const { tools, deferred, retired, promptSection, revision, maxDescription } = start;
    this.#maxDescription = maxDescription;
    this.tools = tools;
    this.deferred = deferred;
    this.retired = retired;
    this.promptSection = promptSection;
    this.revision = revision;
    this.#calling = calling;
  }

  /** What a model is told of a tool in its list. */
  descriptionOf(tool: Tool): string {
    return listedDescription(tool, this.#maxDescription);
  }

  /** Never rejects for what a model, a server or a person can cause. */
  call(call: TurnCall): Promise<ToolOutcome> {
    return this.#calling.callTool(call);
  }

  /**
   * Makes the calls of one step. Adjacent ones that may run beside others do, the rest one by one; the outcomes are
   * in the order of the calls. One that fails does not stop its neighbours.
   */
  async callAll(calls: readonly TurnCall[], options: BatchOptions = {}): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    // A model may ask for more than one batch takes.
    for (let start = 0; start < calls.length; start += MAX_BATCH_CALLS) {
      const batch = calls.slice(start, start + MAX_BATCH_CALLS);
      outcomes.push(...(await this.#calling.callBatch(batch, options)));
    }
    return outcomes;
  }
}
