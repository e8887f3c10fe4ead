import type { Caller } from "../../contract/caller.ts";
import { defineRoute, type Route } from "../../contract/define-route.ts";
import type { Capability, Tool } from "../../contract/tool.ts";
import type { Finding, ListedTool } from "../../contract/tool-shapes.ts";
import type { Clock } from "../../lib/clock.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { toolTokens } from "../conversation/token-estimate.ts";
import type { ToolCosts } from "../conversation/tool-costs.ts";
import { toListedTool, toToolView } from "../conversation/tool-view.ts";
import { unrestrictedCaller } from "../identity/callers.ts";
import type { explainSearch } from "../search/find-tools.ts";
import * as shapes from "./contract.ts";
import { findTool } from "./find-tool.ts";
import { fitsFilter } from "./tool-filter.ts";
import { type ToolUseDeps, toolUse } from "./tool-use.ts";

export interface ToolRouteDeps extends ToolUseDeps {
  /** What people should look at in what a tool says of itself. */
  readonly findingsOf: (tool: Tool) => readonly Finding[];
  /** What people said of the tools of servers. */
  readonly upstream: () => {
    readonly trust: {
      isCorrected(tool: Tool): boolean;
      /** Throws BAD_REQUEST for a tool that no server has. */
      setCapabilities(tool: Tool, capabilities: readonly Capability[] | null): Promise<void>;
    };
  };
  /** What `tool_search` would find for a caller, and why. `fits` narrows what is shown and changes no rank. */
  readonly explainSearch: (
    caller: Caller,
    query: string,
    limit: number,
    fits: (tool: Tool) => boolean,
  ) => ReturnType<typeof explainSearch>;
  /** What people should know about a tool. */
  readonly warningsOf: (tool: Tool) => readonly string[];
  readonly costs: ToolCosts;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const DEFAULT_MATCHES = 20;

export function toolRoutes(deps: ToolRouteDeps): readonly Route[] {
  const { identity, catalog, upstream, costs, explainSearch, clock } = deps;
  return [
    defineRoute({
      method: "GET",
      path: "/tools",
      summary: "Lists every tool, or those that an agent sees, page by page where a limit is given",
      query: shapes.toolQuery,
      answer: shapes.toolList,
      async handle({ query }) {
        const { agent, text, brief = false, limit, offset = 0 } = query;
        const there =
          agent === undefined
            ? catalog().all()
            : catalog().visible(unrestrictedCaller(identity.agent(agent)));
        const isAnnounced = fitsFilter({ state: "planned" });
        const all = query.state === "planned" ? there : there.filter((tool) => !isAnnounced(tool));
        const fits = fitsFilter(query);
        const isMeant = text === undefined ? () => true : containing(text);
        const found = all.filter((tool) => fits(tool) && isMeant(tool));
        const page = limit === undefined ? found : found.slice(offset, offset + limit);
        const pace = createPace();
        const tools: ListedTool[] = [];
        for (const tool of page) {
          await pace();
          tools.push(toListedTool(tool, costs, brief));
        }
        return { tools, total: found.length, origins: originsOf(all) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/tools/:name",
      summary: "Shows a tool with its schema",
      answer: shapes.toolAnswer,
      handle: async ({ params }) => ({ tool: toolDetail(findTool(catalog(), params.name), deps) }),
    }),
    defineRoute({
      method: "GET",
      path: "/tools/:name/use",
      summary: "Shows who has a tool and through what, and how its calls went",
      query: shapes.toolUseQuery,
      answer: shapes.toolUse,
      handle: async ({ params, query: { days = DEFAULT_DAYS } }) =>
        toolUse(findTool(catalog(), params.name), clock() - days * DAY_MS, deps),
    }),
    defineRoute({
      method: "PUT",
      path: "/tools/:name/capabilities",
      summary: "Says what a tool of a server can do; null: what its definition says",
      body: shapes.toolCapabilitiesChange,
      answer: shapes.toolAnswer,
      async handle({ params, body: { capabilities } }) {
        const tool = findTool(catalog(), params.name);
        await upstream().trust.setCapabilities(tool, capabilities);
        return { tool: toolDetail(findTool(catalog(), tool.name), deps) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/tool-search",
      summary:
        "Searches tools as an agent does or, where none is named, among all, and says why each is found",
      query: shapes.toolSearchQuery,
      answer: shapes.toolSearchAnswer,
      /** Looking changes nothing: no list grows, and nothing is learned. */
      async handle({ query: { query, agent, limit = DEFAULT_MATCHES, ...filter } }) {
        const caller =
          agent === undefined ? identity.operatorCaller("api") : unrestrictedCaller(identity.agent(agent));
        const { matches, ...rest } = await explainSearch(caller, query, limit, fitsFilter(filter));
        return {
          matches: matches.map(({ tool, score, named, reason, alike }) => ({
            tool: toListedTool(tool, costs, true),
            score,
            why: { named, ...reason },
            alike: alike.map(({ name }) => name),
          })),
          among: catalog().visible(caller).length,
          ...rest,
        };
      },
    }),
  ];
}

/** By any part of its names or title, in whatever case. */
function containing(text: string): (tool: Tool) => boolean {
  const part = text.toLowerCase();
  return ({ name, ownName, title = "" }) =>
    name.includes(part) || ownName.toLowerCase().includes(part) || title.toLowerCase().includes(part);
}

function originsOf(tools: readonly Tool[]): readonly shapes.OriginCount[] {
  const counts = new Map<string, number>();
  for (const { origin } of tools) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return [...counts]
    .map(([origin, count]) => ({ origin, tools: count }))
    .sort((a, b) => (a.origin < b.origin ? -1 : 1));
}

function toolDetail(
  tool: Tool,
  { identity, catalog, upstream, findingsOf, warningsOf }: ToolRouteDeps,
): shapes.ToolDetail {
  return {
    ...toToolView(tool),
    tokens: toolTokens(tool),
    deferrable: !tool.floor,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    timeoutMs: tool.timeoutMs,
    capabilities: tool.capabilities ?? [],
    corrected: upstream().trust.isCorrected(tool),
    findings: findingsOf(tool),
    untrusted: tool.untrusted ?? false,
    warnings: warningsOf(tool),
    toolboxes: catalog().toolboxes.namesGranting(tool),
    agents: identity
      .agents()
      .filter((agent) =>
        catalog()
          .visible(unrestrictedCaller(agent))
          .some(({ name }) => name === tool.name),
      )
      .map(({ name }) => name),
  };
}
