import type { Catalog } from "../catalog/catalog.ts";
import type { BatchOptions } from "../executor/batch.ts";
import type { Identity } from "../identity/identity.ts";
import type { NewId } from "../lib/id.ts";
import type { Answering, Caller, Narrowing, ToolCall, ToolOutcome } from "../tool.ts";
import { Turn, type TurnCall } from "./turn.ts";

export interface SessionOptions {
  /** The name of an agent. */
  readonly agent: string;
  /** Ties the calls of one conversation together, also over restarts; made up where it is absent. */
  readonly conversation?: string;
  /** A smaller part of what the agent has. */
  readonly narrowing?: Narrowing;
  /** Who answers what tools ask while they run; absent: nobody. */
  readonly answering?: Answering;
}

export interface SessionDeps {
  readonly identity: Pick<Identity, "agent" | "callerFor">;
  readonly catalog: Pick<Catalog, "visible">;
  readonly callTool: (call: ToolCall) => Promise<ToolOutcome>;
  readonly callBatch: (calls: readonly ToolCall[], options: BatchOptions) => Promise<readonly ToolOutcome[]>;
  readonly newId: NewId;
}

/** One conversation of an agent, in the program that embeds the hub. */
export class Session {
  readonly agent: string;
  readonly conversation: string;
  readonly #options: SessionOptions;
  readonly #deps: SessionDeps;

  /** Throws NOT_FOUND for an agent that does not exist. */
  constructor(options: SessionOptions, deps: SessionDeps) {
    this.agent = deps.identity.agent(options.agent).name;
    this.conversation = options.conversation ?? deps.newId("con");
    this.#options = options;
    this.#deps = deps;
  }

  /** The tools that the agent has now, for one turn of a model, and the way to call them. */
  turn(): Turn {
    const caller = this.#caller();
    const { answering } = this.#options;
    const { catalog, callTool, callBatch } = this.#deps;
    const whole = (call: TurnCall): ToolCall => ({
      ...call,
      caller,
      via: "library",
      ...(answering && { answering }),
    });
    return new Turn(catalog.visible(caller), {
      callTool: (call) => callTool(whole(call)),
      callBatch: (calls, options) => callBatch(calls.map(whole), options),
    });
  }

  /** With the grants of now. */
  #caller(): Caller {
    const { narrowing } = this.#options;
    const agent = this.#deps.identity.agent(this.agent);
    const through = { tokenId: null, scopes: null, conversation: this.conversation };
    return { ...this.#deps.identity.callerFor(agent, through), ...(narrowing && { narrowing }) };
  }
}
