import { createHash } from "node:crypto";
import { isSpecType, type Tool as McpTool } from "@modelcontextprotocol/server";
import type { Hub } from "../hub.ts";
import type { AgentRecord } from "../store/store.ts";
import type { Tool, ToolFlags } from "../tool.ts";
import type { AgentPrincipal } from "./authenticate.ts";

const MAX_LISTS = 500;

/** What one caller gets from `tools/list`, ordered by name. */
export interface ToolList {
  readonly tools: readonly McpTool[];
  readonly byName: ReadonlyMap<string, McpTool>;
  /** Equal for equal lists. */
  readonly digest: string;
}

interface Entry {
  readonly agent: AgentRecord;
  readonly revision: number;
  readonly list: ToolList;
}

/** Tool lists, built once per grant set and catalogue revision. */
export class ToolLists {
  readonly #hub: Pick<Hub, "catalog" | "identity">;
  readonly #entries = new Map<string, Entry>();
  /** A tool that did not change is the same object, and checking thousands again would hold everybody up. */
  readonly #made = new WeakMap<Tool, McpTool>();

  constructor(hub: Pick<Hub, "catalog" | "identity">) {
    this.#hub = hub;
  }

  for(principal: AgentPrincipal): ToolList {
    const { agent, scopes } = principal;
    const { revision } = this.#hub.catalog;
    const key = `${agent.id} ${scopes?.join(" ") ?? "*"}`;
    const known = this.#entries.get(key);
    // A changed agent is another record, so comparing records also covers two changes within a millisecond.
    if (known && known.agent === agent && known.revision === revision) return known.list;

    const caller = this.#hub.identity.callerFor(agent, {
      tokenId: principal.tokenId,
      scopes,
      conversation: "",
    });
    const list = toolList(this.#hub.catalog.visible(caller).map((tool) => this.#toMcpTool(tool)));
    this.#keep(key, { agent, revision, list });
    return list;
  }

  #toMcpTool(tool: Tool): McpTool {
    const made = this.#made.get(tool) ?? toMcpTool(tool);
    this.#made.set(tool, made);
    return made;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_LISTS && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** A tool as MCP lists it: what its origin published, or what follows from its flags. */
export function toMcpTool(tool: Tool): McpTool {
  const { annotations, icons, _meta } = tool.published ?? {};
  const listed = {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: "object" },
    ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
    annotations: annotations ?? annotationsOf(tool.flags),
    ...(icons !== undefined && { icons }),
    ...(_meta !== undefined && { _meta }),
  };
  // One malformed tool would make clients refuse the whole list, its neighbours included.
  return isSpecType.Tool(listed) ? listed : bareTool(tool);
}

function toolList(tools: readonly McpTool[]): ToolList {
  let digest: string | undefined;
  return {
    tools,
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    get digest() {
      digest ??= createHash("sha256").update(JSON.stringify(tools)).digest("base64");
      return digest;
    },
  };
}

function bareTool(tool: Tool): McpTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { type: "object" },
    annotations: annotationsOf(tool.flags),
  };
}

function annotationsOf(flags: ToolFlags): NonNullable<McpTool["annotations"]> {
  return flags.readOnly
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: flags.destructive };
}
