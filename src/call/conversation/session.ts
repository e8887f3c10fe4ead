import type { Caller, Narrowing } from "../../contract/caller.ts";
import type { Answering, Tool, ToolCall, ToolOutcome } from "../../contract/tool.ts";
import type { ToolPlace } from "../../contract/tool-place.ts";
import type { NewId } from "../../lib/id.ts";
import type { AgentRecord } from "../../machine/db/store.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { nameFor } from "../catalog/grants.ts";
import type { BatchOptions } from "../executor/batch.ts";
import type { Identity } from "../identity/identity.ts";
import type { Listing } from "./listing.ts";
import type { Listings } from "./listings.ts";
import { Turn, type TurnCall } from "./turn.ts";

export interface SessionOptions {
  /** The name of an agent. */
  readonly agent: string;
  /** Ties the calls of one conversation together, also over restarts; made up where it is absent. */
  readonly conversation?: string;
  /** A smaller part of what the agent has. */
  readonly narrowing?: Narrowing;
  /** The model that the tools are for: it decides how many tools a turn lists, and which of them always. */
  readonly model?: string;
  /** That model runs on this machine or near it, whatever its name. */
  readonly localModel?: boolean;
  /** How many tokens that model can read, and how many tools it takes, where the settings do not know it. */
  readonly window?: number;
  readonly maxTools?: number;
  /** Who answers what tools ask while they run; absent: nobody. */
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

/** One conversation of an agent, in the program that embeds the hub. */
export class Session {
  readonly agent: string;
  readonly conversation: string;
  readonly #options: SessionOptions;
  readonly #deps: SessionDeps;
  #known: { readonly agent: AgentRecord; readonly caller: Caller } | undefined;

  /** Throws NOT_FOUND for an agent that does not exist. */
  constructor(options: SessionOptions, deps: SessionDeps) {
    this.agent = deps.identity.agent(options.agent).name;
    this.conversation = options.conversation ?? deps.newId("con");
    this.#options = options;
    this.#deps = deps;
  }

  /**
   * The tools that the agent has now, for one turn of a model, and the way to call them. Nothing that happens meanwhile
   * changes what the turn sees; what is taken away from the agent can no longer be called all the same. Throws NOT_FOUND
   * when the agent is gone.
   */
  async turn(): Promise<Turn> {
    const caller = this.#caller(this.#deps.identity.agent(this.agent));
    const { answering } = this.#options;
    const { catalog, listings, promptSection, maxDescription, callTool, callBatch } = this.#deps;
    const listing = await listings.for(caller);
    const { revision } = catalog;
    const granted = [...listing.tools, ...listing.deferred];
    const snapshot = new Map(granted.map((tool) => [nameFor(tool, caller), tool]));
    const whole = (call: TurnCall): ToolCall => ({
      ...call,
      caller: this.#callerNow(caller),
      snapshot,
      via: "library",
      ...(answering && { answering }),
    });
    const ended = (outcome: ToolOutcome): ToolOutcome => {
      if (outcome.outcome === "unavailable") keepAway(snapshot, outcome);
      return outcome;
    };
    return new Turn(
      { ...listing, promptSection: promptSection(listing), revision, maxDescription: maxDescription() },
      {
        callTool: async (call) => ended(await callTool(whole(call))),
        callBatch: async (calls, options) => (await callBatch(calls.map(whole), options)).map(ended),
      },
    );
  }

  /** An agent that was deleted has nothing any more. */
  #callerNow(before: Caller): Caller {
    const agent = this.#deps.identity.agentById(before.agentId);
    return agent ? this.#caller(agent) : { ...before, toolboxes: [], grants: [], scopes: [] };
  }

  /** The same object for as long as the agent is the same. */
  #caller(agent: AgentRecord): Caller {
    if (this.#known?.agent === agent) return this.#known.caller;
    const { narrowing, model, localModel, window, maxTools } = this.#options;
    const through = { tokenId: null, scopes: null, conversation: this.conversation };
    const caller = {
      ...this.#deps.identity.callerFor(agent, through),
      ...(narrowing && { narrowing }),
      ...(model !== undefined && { model }),
      ...(localModel !== undefined && { localModel }),
      host: { ...(window !== undefined && { window }), ...(maxTools !== undefined && { maxTools }) },
    };
    this.#known = { agent, caller };
    return caller;
  }
}

/** What a turn saw go away stays away for it, also when its server is back: with the others of that server, until the next turn. */
function keepAway(snapshot: Map<string, Tool>, { tool: name, error }: ToolOutcome): void {
  const gone: (Tool & ToolPlace) | undefined = [...snapshot.values()].find((tool) => tool.name === name);
  if (!gone?.unavailableTogether) return;
  const { origin } = gone;
  const status = () =>
    ({ kind: "unavailable", reason: error?.message ?? `${origin} is unavailable` }) as const;
  for (const [key, tool] of snapshot) if (tool.origin === origin) snapshot.set(key, withStatus(tool, status));
}

/** The tool with another status. Everything else is asked of the tool itself, which may keep things private. */
function withStatus(tool: Tool, status: Tool["status"]): Tool {
  return new Proxy(tool, { get: (of, key) => (key === "status" ? status : Reflect.get(of, key, of)) });
}
