import type { Caller } from "../../contract/caller.ts";
import type { Hub } from "../../hub.ts";
import { isRecord } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import type { Callers } from "./http/admission.ts";
import { META, type Params } from "./messages.ts";
import type { ToolLists } from "./tool-lists.ts";

const MAX_CLIENT_NAME = 100;

/** The needs of every part that serves clients. */
export interface ServingDeps {
  readonly hub: Hub;
  readonly lists: ToolLists;
  readonly offerTexts: OfferTexts;
  readonly callers: Callers;
  readonly identity: OwnIdentity;
  readonly log: Log;
}

/** How Toolkeep identifies itself, and what every modern answer carries. */
export class OwnIdentity {
  readonly serverInfo: Readonly<Record<string, string>>;
  readonly #tail: string;

  constructor(version: string) {
    this.serverInfo = { name: "toolkeep", title: "Toolkeep", version };
    this.#tail = `"resultType":"complete","_meta":${JSON.stringify(this.meta)}`;
  }

  get meta(): Params {
    return { [META.serverInfo]: this.serverInfo };
  }

  /** The end of a list that is already text, without the closing brace. */
  formatListTail(ttlMs: number): string {
    return `"ttlMs":${ttlMs},"cacheScope":"private",${this.#tail}`;
  }

  completeResult(result: Params): Params {
    return {
      ...result,
      resultType: "complete",
      _meta: { ...(result._meta as Params | undefined), ...this.meta },
    };
  }
}

/** Caches lists of resources and prompts as text. */
export class OfferTexts {
  readonly #texts = new WeakMap<readonly Params[], string>();

  get(offers: readonly Params[]): string {
    const text = this.#texts.get(offers) ?? JSON.stringify(offers);
    this.#texts.set(offers, text);
    return text;
  }
}

/** The offers of the caller's address, as MCP server capabilities. */
export function describeCapabilities(hub: Hub, caller: Caller): Params {
  const { resources, prompts, completions, subscribe } = hub.offers.abilitiesFor(caller);
  return {
    tools: { listChanged: true },
    ...(resources && { resources: { listChanged: true, ...(subscribe && { subscribe: true }) } }),
    ...(prompts && { prompts: { listChanged: true } }),
    ...(completions && { completions: {} }),
    logging: {},
  };
}

/** Instructions for a client before its first call. */
export async function buildInstructions(hub: Hub, caller: Caller): Promise<string> {
  const { narrowing } = caller;
  if (narrowing && "server" in narrowing) {
    const own = hub.upstream.servers().find(({ name }) => name === narrowing.server)?.instructions;
    if (own) return own;
  }
  const from = narrowing ? ("toolbox" in narrowing ? narrowing.toolbox : narrowing.server) : "one place";
  const { tools, deferred } = await hub.listings.for(caller);
  const count = tools.length + deferred.length;
  const summary =
    `Toolkeep gives the agent "${caller.agentName}" ${count} ${count === 1 ? "tool" : "tools"} from ${from}. ` +
    "A result with isError says what went wrong and what to do next.";
  const section = await hub.promptSection(caller);
  return section === "" ? summary : `${summary}\n${section}`;
}

/** The name that a client gives itself, within bounds. */
export function readClientName(clientInfo: unknown): string | undefined {
  const name = isRecord(clientInfo) && clientInfo.name;
  return typeof name === "string" && name !== "" ? name.slice(0, MAX_CLIENT_NAME) : undefined;
}
