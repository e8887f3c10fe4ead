import type { FastifyInstance } from "fastify";
import { createSnippets } from "../../../../features/clients/snippets.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Discovery, McpPlace, SnippetList } from "../../contract.ts";
import { exactly, nameText } from "../../schema.ts";
import { currentHealth } from "../daemon/health.ts";

/** No token looks like it. */
const PLACEHOLDER = "YOUR_TOKEN";

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

  app.get<{ Querystring: { toolbox?: string } }>(
    "/mcp/snippets",
    {
      schema: {
        summary: "Shows what to write into the settings of MCP clients, with a placeholder for the token",
        querystring: exactly({ toolbox: nameText }),
        response: gives("SnippetList"),
      },
    },
    ({ query: { toolbox } }): SnippetList => {
      const path =
        toolbox === undefined ? "" : `/${encodeURIComponent(hub.catalog.toolboxes.get(toolbox).name)}`;
      const access = {
        url: `${options.url()}/mcp${path}`,
        token: PLACEHOLDER,
        command: "toolkeep",
        args: ["stdio"],
        env: { TOOLKEEP_URL: options.url(), TOOLKEEP_TOKEN: PLACEHOLDER },
      };
      return { snippets: createSnippets(access, process.platform), placeholder: PLACEHOLDER };
    },
  );
}
