import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import type { AgentPrincipal } from "./authenticate.ts";
import { createMcpServer, type McpServerDeps } from "./mcp-server.ts";

const CONVERSATION_KEY = "toolkeep/conversation";
const MAX_CONVERSATION_LENGTH = 128;

/** The 2026-07-28 era: every request stands alone, and what it sees follows from its token only. */
export interface Modern {
  fetch(request: Request, body: unknown, principal: AgentPrincipal): Promise<Response>;
  /** Tells every open subscription to list its tools again. */
  announceChanges(): void;
  close(): Promise<void>;
}

export function createModern(deps: McpServerDeps): Modern {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const principal = principalOf(authInfo);
      return createMcpServer(deps, {
        principal,
        conversation: (meta) => conversationOf(meta) ?? principal.tokenId,
      });
    },
    {
      legacy: "reject",
      onerror: (error) => deps.log.debug({ error: error.message }, "mcp exchange"),
    },
  );
  return {
    fetch: (request, parsedBody, principal) =>
      handler.fetch(request, { parsedBody, authInfo: authInfoOf(principal) }),
    announceChanges: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}

/** The SDK hands this from `fetch` to the factory. The token itself stays out: nothing there needs it. */
function authInfoOf(principal: AgentPrincipal): AuthInfo {
  return { token: "", clientId: principal.agent.name, scopes: [], extra: { principal } };
}

function principalOf(authInfo: AuthInfo | undefined): AgentPrincipal {
  return authInfo?.extra?.principal as AgentPrincipal;
}

function conversationOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const value = meta?.[CONVERSATION_KEY];
  return typeof value === "string" && value.length > 0 && value.length <= MAX_CONVERSATION_LENGTH
    ? value
    : undefined;
}
