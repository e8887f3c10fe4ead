import type { FastifyInstance } from "fastify";
import { CAPABILITIES } from "../../../../contract/tool.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  ServerChanges,
  ServerDecision,
  ServerFindings,
  ToolAnswer,
  ToolCapabilitiesChange,
} from "../../contract.ts";
import { byName, exactly } from "../../schema.ts";
import { toolDetail } from "../../views.ts";
import { findTool } from "./tools.ts";

interface ByName {
  Params: { name: string };
}

const names = { type: "array", maxItems: 1_000, items: { type: "string", maxLength: 256 } };
const seen = { type: "string", maxLength: 64 };
/** Nobody takes in what they have not seen; what is kept out does no harm. */
const DECISIONS = {
  accept: exactly({ names, seen }, ["seen"]),
  reject: { ...exactly({ names, seen }), type: ["object", "null"] },
};

/** What people see and decide of what servers publish. */
export function serverTrustRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { trust } = hub.upstream;

  app.get<ByName>(
    "/servers/:name/changes",
    {
      schema: {
        summary: "Shows what a pinned server publishes that nobody has accepted",
        params: byName,
        response: gives("ServerChanges"),
      },
    },
    ({ params }): Promise<ServerChanges> => trust.listChanges(params.name),
  );

  for (const [verb, summary] of [
    ["accept", "Takes in what a server publishes, as it was seen; without names, all that waits"],
    ["reject", "Keeps out what a server publishes, without asking again"],
  ] as const) {
    app.post<ByName & { Body: ServerDecision | null }>(
      `/servers/:name/${verb}`,
      { schema: { summary, params: byName, body: DECISIONS[verb], response: gives("ServerChanges") } },
      ({ params, body }): Promise<ServerChanges> => trust.decide(params.name, verb, body ?? {}),
    );
  }

  app.get<ByName>(
    "/servers/:name/findings",
    {
      schema: {
        summary: "Shows what to look at in what a server says",
        params: byName,
        response: gives("ServerFindings"),
      },
    },
    async ({ params }): Promise<ServerFindings> => ({ tools: await trust.listFindings(params.name) }),
  );

  app.put<ByName & { Body: ToolCapabilitiesChange }>(
    "/tools/:name/capabilities",
    {
      schema: {
        summary: "Says what a tool of a server can do; null: what its definition says",
        params: byName,
        body: exactly(
          {
            capabilities: {
              type: ["array", "null"],
              uniqueItems: true,
              maxItems: CAPABILITIES.length,
              items: { enum: [...CAPABILITIES] },
            },
          },
          ["capabilities"],
        ),
        response: gives("ToolAnswer"),
      },
    },
    async ({ params, body: { capabilities } }): Promise<ToolAnswer> => {
      const tool = findTool(hub.catalog, params.name);
      await trust.setCapabilities(tool, capabilities);
      return { tool: toolDetail(hub, findTool(hub.catalog, tool.name)) };
    },
  );
}
