import type { FastifyInstance } from "fastify";
import type { Catalog } from "../../../../call/catalog/catalog.ts";
import { toListedTool } from "../../../../call/conversation/tool-view.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Tool } from "../../../../contract/tool.ts";
import { createPace } from "../../../../lib/flow/pace.ts";
import { nearest } from "../../../../lib/nearest.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { ListedTool, OriginCount, ToolAnswer, ToolList, ToolQuery, ToolUse } from "../../contract.ts";
import { byName, exactly, nameText, pageQuery } from "../../schema.ts";
import { fitsFilter, toolFilter } from "../../tools/tool-filter.ts";
import { toolUse } from "../../tools/tool-use.ts";
import { callerOf, toolDetail } from "../../views.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;

export function toolRoutes(app: FastifyInstance, { hub, costs, options }: ApiContext): void {
  app.get<{ Querystring: ToolQuery }>(
    "/tools",
    {
      schema: {
        summary: "Lists every tool, or those that an agent sees, page by page where a limit is given",
        querystring: exactly({
          agent: nameText,
          ...toolFilter,
          text: nameText,
          brief: { type: "boolean" },
          limit: { type: "integer", minimum: 1, maximum: 5_000 },
          offset: pageQuery.offset,
        }),
        response: gives("ToolList"),
      },
    },
    async ({ query }): Promise<ToolList> => {
      const { agent, text, brief = false, limit, offset = 0 } = query;
      const there =
        agent === undefined
          ? hub.catalog.all()
          : hub.catalog.visible(callerOf(hub, hub.identity.agent(agent)));
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
  );

  app.get<{ Params: { name: string } }>(
    "/tools/:name",
    {
      schema: { summary: "Shows a tool with its schema", params: byName, response: gives("ToolAnswer") },
    },
    ({ params }): ToolAnswer => {
      return { tool: toolDetail(hub, findTool(hub.catalog, params.name)) };
    },
  );

  app.get<{ Params: { name: string }; Querystring: { days?: number } }>(
    "/tools/:name/use",
    {
      schema: {
        summary: "Shows who has a tool and through what, and how its calls went",
        params: byName,
        querystring: exactly({ days: { type: "integer", minimum: 1, maximum: 3_650 } }),
        response: gives("ToolUse"),
      },
    },
    ({ params, query: { days = DEFAULT_DAYS } }): Promise<ToolUse> =>
      toolUse(hub, findTool(hub.catalog, params.name), options.clock() - days * DAY_MS),
  );
}

/** By any part of its names or title, in whatever case. */
function containing(text: string): (tool: Tool) => boolean {
  const part = text.toLowerCase();
  return ({ name, ownName, title = "" }) =>
    name.includes(part) || ownName.toLowerCase().includes(part) || title.toLowerCase().includes(part);
}

function originsOf(tools: readonly Tool[]): readonly OriginCount[] {
  const counts = new Map<string, number>();
  for (const { origin } of tools) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return [...counts].map(([origin, count]) => ({ origin, tools: count })).sort(byOrigin);
}

function byOrigin(a: OriginCount, b: OriginCount): number {
  return a.origin < b.origin ? -1 : 1;
}

/** By name, or by its own name where one tool has it. Disabled and pending tools are found too: people look them up. */
export function findTool(catalog: Catalog, name: string): Tool {
  const exact = catalog.get(name);
  if (exact) return exact;
  const tools = catalog.all();
  const candidates = tools.filter((tool) => tool.ownName === name);
  if (candidates.length === 1) return candidates[0]!;
  if (candidates.length > 1) {
    throw new ToolkeepError(
      "NOT_FOUND",
      `several tools are called ${name}: ${candidates.map((tool) => tool.name).join(", ")}`,
    );
  }
  const guess = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  throw new ToolkeepError("NOT_FOUND", `no tool is named ${name}${guess ? `; did you mean ${guess}?` : ""}`, {
    remedy: "toolkeep tool list shows those there are.",
  });
}
