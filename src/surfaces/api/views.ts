import { toolTokens } from "../../call/conversation/token-estimate.ts";
import { toToolView } from "../../call/conversation/tool-view.ts";
import { contextOf } from "../../call/identity/context.ts";
import { OPERATOR } from "../../call/identity/identity.ts";
import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import type { AgentRecord, ConsentRecord, TokenRecord } from "../../machine/db/store.ts";
import type { AgentView, TokenView, ToolDetail } from "./contract.ts";

/** Records as people see them: agents by name instead of id, nothing secret. */

export function agentView(hub: Hub, record: AgentRecord): AgentView {
  const { parentId, scout, ...agent } = record;
  return {
    ...agent,
    parent: parentId === null ? null : agentName(hub, parentId),
    context: contextOf({ parentId, scout }),
    toolCount: hub.catalog.visible(callerOf(hub, record)).length,
  };
}

export function tokenView(
  hub: Hub,
  { agentId, consentId, ...token }: Omit<TokenRecord, "hash">,
  consents: readonly ConsentRecord[] = [],
): TokenView {
  const consent = consents.find(({ id }) => id === consentId);
  return {
    ...token,
    agent: agentId === null ? null : agentName(hub, agentId),
    client: consent
      ? { id: consent.clientId, name: consent.clientName, renewsUntil: consent.expiresAt }
      : null,
  };
}

export function toolDetail(hub: Hub, tool: Tool): ToolDetail {
  return {
    ...toToolView(tool),
    tokens: toolTokens(tool),
    deferrable: !tool.floor,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    timeoutMs: tool.timeoutMs,
    capabilities: tool.capabilities ?? [],
    corrected: hub.upstream.trust.isCorrected(tool),
    findings: hub.upstream.trust.listToolFindings(tool),
    untrusted: tool.untrusted ?? false,
    warnings: hub.warningsOf(tool),
    toolboxes: hub.catalog.toolboxes.namesGranting(tool),
    agents: hub.identity
      .agents()
      .filter((agent) => hub.catalog.visible(callerOf(hub, agent)).some((seen) => seen.name === tool.name))
      .map((agent) => agent.name),
  };
}

/** The agent itself, as an admin acts for it: through no token, with every scope. */
export function callerOf(hub: Hub, agent: AgentRecord): Caller {
  return hub.identity.callerFor(agent, { tokenId: null, scopes: null, conversation: "api" });
}

/** An agent deleted since keeps its id as its name. */
export function agentName(hub: Hub, id: string): string {
  return id === OPERATOR ? OPERATOR : (hub.identity.agentById(id)?.name ?? id);
}
