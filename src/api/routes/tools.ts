import type { FastifyInstance } from "fastify";
import type { Catalog } from "../../catalog/catalog.ts";
import { ToolkeepError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Tool } from "../../tool.ts";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { ToolAnswer, ToolList } from "../contract.ts";
import { byName, exactly, nameText } from "../schema.ts";
import { callerOf, toolDetail, toolView } from "../views.ts";

export function toolRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  app.get<{ Querystring: { agent?: string } }>(
    "/tools",
    {
      schema: {
        summary: "Lists every tool, or those that an agent sees",
        querystring: exactly({ agent: nameText }),
        response: gives("ToolList"),
      },
    },
    ({ query: { agent } }): ToolList => {
      const tools =
        agent === undefined
          ? hub.catalog.all()
          : hub.catalog.visible(callerOf(hub, hub.identity.agent(agent)));
      return { tools: tools.map(toolView) };
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
}

/** By name, or by its own name where one tool has it. Disabled and pending tools are found too: people look them up. */
function findTool(catalog: Catalog, name: string): Tool {
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
