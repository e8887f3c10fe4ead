import { type ListToolsResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { messageOf } from "../errors.ts";
import type { Hub } from "../hub.ts";
import type { Log } from "../lib/log.ts";
import type { Progress } from "../tool.ts";
import type { AgentPrincipal } from "./authenticate.ts";
import { toCallResult } from "./call-result.ts";
import type { ToolLists } from "./tool-lists.ts";

/** How long a client without a subscription may keep a list before it asks again. */
const LIST_TTL_MS = 30_000;

export interface McpServerDeps {
  readonly hub: Hub;
  readonly lists: ToolLists;
  readonly version: string;
  readonly log: Log;
}

/** Whom a server instance serves: one session of the older era, or one request of the modern one. */
export interface Serving {
  /** Read anew for every request, so that a change to the agent counts from the next one on. */
  readonly principal: AgentPrincipal;
  conversation(meta: Readonly<Record<string, unknown>> | undefined): string;
}

/** The hub as an MCP server for one caller. Cheap: lists come ready from `deps.lists`. */
export function createMcpServer(deps: McpServerDeps, serving: Serving): Server {
  const { hub, lists, version, log } = deps;
  const cacheHint = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;
  const server = new Server(
    { name: "toolkeep", title: "Toolkeep", version },
    {
      capabilities: { tools: { listChanged: true } },
      instructions: instructions(serving.principal, lists),
      cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint },
    },
  );
  server.onerror = (error) => log.debug({ error: error.message }, "mcp exchange");

  server.setRequestHandler("tools/list", (): ListToolsResult => {
    return { tools: [...lists.for(serving.principal).tools] };
  });

  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { tokenId, agent, scopes } = serving.principal;
    const conversation = serving.conversation(context.mcpReq._meta);
    const outcome = await hub.callTool({
      name: params.name,
      arguments: params.arguments ?? {},
      caller: hub.identity.callerFor(agent, { tokenId, scopes, conversation }),
      via: "mcp",
      signal: context.mcpReq.signal,
      ...progressSink(context, log),
    });
    const listed = lists.for(serving.principal).byName.get(outcome.tool ?? "");
    return server.projectCallToolResult(toCallResult(outcome, listed), listed?.outputSchema);
  });

  return server;
}

function instructions(principal: AgentPrincipal, lists: ToolLists): string {
  const count = lists.for(principal).tools.length;
  return (
    `Toolkeep gives the agent "${principal.agent.name}" ${count} ${count === 1 ? "tool" : "tools"} from one place. ` +
    "A result with isError says what went wrong and what to do next."
  );
}

/** Sends progress on to a client that asked for it with a token. */
function progressSink({ mcpReq }: ServerContext, log: Log): { onProgress?: (update: Progress) => void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onProgress: (update) => {
      mcpReq
        .notify({ method: "notifications/progress", params: { ...update, progressToken } })
        .catch((error: unknown) => log.debug({ error: messageOf(error) }, "progress not delivered"));
    },
  };
}
