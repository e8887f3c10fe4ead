import type { FastifyInstance } from "fastify";
import { toListedTool } from "../../../../call/conversation/tool-view.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { ToolSearchAnswer, ToolSearchQuery } from "../../contract.ts";
import { exactly, filledText, nameText } from "../../schema.ts";
import { fitsFilter, toolFilter } from "../../tools/tool-filter.ts";
import { callerOf } from "../../views.ts";

const DEFAULT_LIMIT = 20;

/** The search that models use, with reasons. Whoever looks changes nothing: no list grows, and nothing is learned. */
export function toolSearchRoute(app: FastifyInstance, { hub, costs }: ApiContext): void {
  app.get<{ Querystring: ToolSearchQuery }>(
    "/tool-search",
    {
      schema: {
        summary:
          "Searches tools as an agent does or, where none is named, among all, and says why each is found",
        querystring: exactly(
          {
            query: filledText(2_000),
            agent: nameText,
            limit: { type: "integer", minimum: 1, maximum: 100 },
            ...toolFilter,
          },
          ["query"],
        ),
        response: gives("ToolSearchAnswer"),
      },
    },
    async ({ query: asked }): Promise<ToolSearchAnswer> => {
      const { query, agent, limit = DEFAULT_LIMIT } = asked;
      const caller =
        agent === undefined ? hub.identity.operatorCaller("api") : callerOf(hub, hub.identity.agent(agent));
      const { matches, ...rest } = await hub.explainSearch(caller, query, limit, fitsFilter(asked));
      return {
        matches: matches.map(({ tool, score, named, reason, alike }) => ({
          tool: toListedTool(tool, costs, true),
          score,
          why: { named, ...reason },
          alike: alike.map(({ name }) => name),
        })),
        among: hub.catalog.visible(caller).length,
        ...rest,
      };
    },
  );
}
