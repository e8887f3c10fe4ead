import type { FastifyInstance } from "fastify";
import { inputSchema } from "../../../../contract/shape.ts";
import { toolCapabilitiesChange } from "../../../../servers/trust/contract.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { ToolAnswer, ToolCapabilitiesChange } from "../../contract.ts";
import { byName } from "../../schema.ts";
import { toolDetail } from "../../views.ts";
import { findTool } from "./tools.ts";

export function toolCapabilitiesRoute(app: FastifyInstance, { hub }: ApiContext): void {
  app.put<{ Params: { name: string }; Body: ToolCapabilitiesChange }>(
    "/tools/:name/capabilities",
    {
      schema: {
        summary: "Says what a tool of a server can do; null: what its definition says",
        params: byName,
        body: inputSchema(toolCapabilitiesChange),
        response: gives("ToolAnswer"),
      },
    },
    async ({ params, body: { capabilities } }): Promise<ToolAnswer> => {
      const tool = findTool(hub.catalog, params.name);
      await hub.upstream.trust.setCapabilities(tool, capabilities);
      return { tool: toolDetail(hub, findTool(hub.catalog, tool.name)) };
    },
  );
}
