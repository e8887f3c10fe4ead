import { toolTokens } from "../../call/conversation/token-estimate.ts";
import { toToolView } from "../../call/conversation/tool-view.ts";
import { unrestrictedCaller } from "../../call/identity/callers.ts";
import type { AgentRecord } from "../../call/identity/contract.ts";
import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import type { ToolDetail } from "./contract.ts";

/** Records as people see them: agents by name instead of id, nothing secret. */

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

export function callerOf(_hub: Hub, agent: AgentRecord): Caller {
  return unrestrictedCaller(agent);
}

export function agentName(hub: Hub, id: string): string {
  return hub.identity.agentName(id);
}
