import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Discovery, McpPlace } from "../../contract.ts";
import { currentHealth } from "../daemon/health.ts";

/** Where MCP is served, and whether it is: what a page shows as its state, and gives to people for their clients. */
export function discoveryRoute(app: FastifyInstance, context: ApiContext): void {
  const { hub, options } = context;
  app.get(
    "/mcp/discovery",
    { schema: { summary: "Says where MCP clients reach Toolkeep", response: gives("Discovery") } },
    async (): Promise<Discovery> => {
      if (options.gateway?.() === undefined) {
        return { available: false, reason: "this process serves no MCP; toolkeep serve does" };
      }
      const url = `${options.url()}/mcp`;
      const places = (path: string, named: readonly { readonly name: string }[]): McpPlace[] =>
        named.map(({ name }) => ({ name, url: `${url}${path}/${encodeURIComponent(name)}` }));
      return {
        available: true,
        url,
        rpc_url: `${options.url()}/rpc`,
        toolboxes: places("", hub.catalog.toolboxes.list()),
        servers: places("/server", hub.upstream.servers()),
        health: await currentHealth(context),
      };
    },
  );
}
