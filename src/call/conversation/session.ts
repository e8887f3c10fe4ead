import type { Caller, Narrowing } from "../../contract/caller.ts";
import type { Answering, Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import type { ToolPlace } from "../../contract/tool-place.ts";
import type { NewId } from "../../lib/id.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { nameFor } from "../catalog/grants.ts";
import type { BatchOptions } from "../executor/batch.ts";
import type { AgentRecord } from "../identity/contract.ts";
import type { Identity } from "../identity/identity.ts";
import type { Listing } from "./listing.ts";
import type { Listings } from "./listings.ts";
import { Turn, type TurnCall } from "./turn.ts";

export interface SessionOptions {
  /** The name of an agent. */
  readonly agent: string;
  /** Ties the calls of one conversation together, even across restarts; generated where absent. */
  readonly conversation?: string;
  /** Narrows what the agent has. */
  readonly narrowing?: Narrowing;
  /** The model that the tools are for. It decides how many tools a turn lists, and which are always listed. */
  readonly model?: string;
  /** The model runs on this machine or near it, whatever its name. */
  readonly localModel?: boolean;
  /** How many tokens the model can read and how many tools it accepts, where the settings do not say. */
  readonly window?: number;
  readonly maxTools?: number;
  /** Answers the questions of tools while they run; absent: nobody does. */
  readonly answering?: Answering;
}

export interface SessionDeps {
  readonly identity: Pick<Identity, "agent" | "agentById" | "callerFor">;
  readonly catalog: Pick<Catalog, "revision">;
  readonly listings: Pick<Listings, "for">;
  readonly promptSection: (listing: Listing) => string;
  readonly maxDescription: () => number;
  readonly callTool: (call: ToolCall) => Promise<ToolOutcome>;
  readonly callBatch: (calls: readonly ToolCall[], options: BatchOptions) => Promise<readonly ToolOutcome[]>;
  readonly newId: NewId;
}

export class Session {
  readonly agent: string;
  readonly conversation: string;
  readonly #options: SessionOptions;
  readonly #deps: SessionDeps;
  #cache: { readonly agent: AgentRecord; readonly caller: Caller } | undefined;

  /** Throws NOT_FOUND for an agent that does not exist. */
  constructor(options: SessionOptions, deps: SessionDeps) {
    this.agent = deps.identity.agent(options.agent).name;
    this.conversation = options.conversation ?? deps.newId("con");
    this.#options = options;
    this.#deps = deps;
  }

  /**
   * The tools that the agent has now, for one turn of a model, with the means to call them. Changes that happen
   * meanwhile do not alter what the turn sees, but tools that are withdrawn from the agent can no longer be called.
   * Throws NOT_FOUND when the agent no longer exists.
   */
  async turn(): Promise<Turn> {
    const caller = this.#caller(this.#deps.identity.agent(this.agent));
    const { answering } = this.#options;
    const { catalog, listings, promptSection, maxDescription, callTool, callBatch } = this.#deps;
    const listing = await listings.for(caller);
    const { revision } = catalog;
    const granted = [...listing.tools, ...listing.deferred];
    const snapshot = new Map(granted.map((tool) => [nameFor(tool, caller), tool]));
    const toToolCall = (call: TurnCall): ToolCall => ({
      ...call,
      caller: this.#callerNow(caller),
      snapshot,
      via: "library",
      ...(answering && { answering }),
    });
    const noteOutcome = (outcome: ToolOutcome): ToolOutcome => {
      if (outcome.outcome === "unavailable") markUnavailable(snapshot, outcome);
      return outcome;
    };
    return new Turn(
      { ...listing, promptSection: promptSection(listing), revision, maxDescription: maxDescription() },
      {
        callTool: async (call) => noteOutcome(await callTool(toToolCall(call))),
        callBatch: async (calls, options) =>
          (await callBatch(calls.map(toToolCall), options)).map(noteOutcome),
      },
    );
  }

  /** A deleted agent has nothing any more. */
  #callerNow(initial: Caller): Caller {
    const agent = this.#deps.identity.agentById(initial.agentId);
    return agent ? this.#caller(agent) : { ...initial, toolboxes: [], grants: [], scopes: [] };
  }

  /** The same object while the agent is unchanged. */
  #caller(agent: AgentRecord): Caller {
    if (this.#cache?.agent === agent) return this.#cache.caller;
    const { narrowing, model, localModel, window, maxTools } = this.#options;
    const identityOfCall = { tokenId: null, scopes: null, conversation: this.conversation };
    const caller = {
      ...this.#deps.identity.callerFor(agent, identityOfCall),
      ...(narrowing && { narrowing }),
      ...(model !== undefined && { model }),
      ...(localModel !== undefined && { localModel }),
      host: { ...(window !== undefined && { window }), ...(maxTools !== undefined && { maxTools }) },
    };
    this.#cache = { agent, caller };
    return caller;
  }
}

/**
 * A tool that became unavailable during a turn stays so until the next turn, even if its server comes back, together
 * with the server's other tools.
 */
function markUnavailable(snapshot: Map<string, Tool>, { tool: name, error }: ToolOutcome): void {
  const failed: (Tool & ToolPlace) | undefined = [...snapshot.values()].find((tool) => tool.name === name);
  if (!failed?.unavailableTogether) return;
  const { origin } = failed;
  const status = () =>
    ({ kind: "unavailable", reason: error?.message ?? `${origin} is unavailable` }) as const;
  for (const [key, tool] of snapshot) if (tool.origin === origin) snapshot.set(key, withStatus(tool, status));
}

/** The tool with another status. Everything else is read from the tool itself, which may have private fields. */
function withStatus(tool: Tool, status: Tool["status"]): Tool {
  return new Proxy(tool, {
    get: (target, key) => (key === "status" ? status : Reflect.get(target, key, target)),
  });
}
