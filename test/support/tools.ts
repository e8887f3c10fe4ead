import type { Caller } from "../../src/contract/caller.ts";
import type { Tool, ToolSource } from "../../src/contract/tool.ts";
import { text } from "../../src/contract/tool.ts";

/** A real, small tool: what a test does not say is unremarkable. */
export function testTool(tool: Partial<Tool> & { name: string }): Tool {
  return {
    ownName: tool.name,
    description: `The tool ${tool.name}.`,
    inputSchema: { type: "object" },
    flags: { readOnly: false, concurrencySafe: false, destructive: false },
    scope: "tools",
    availability: "both",
    floor: false,
    wildcard: false,
    origin: "native",
    timeoutMs: 5_000,
    status: () => ({ kind: "active" }),
    run: async () => ({ kind: "output", content: [text(`${tool.name} ran`)] }),
    ...tool,
  };
}

export function testCaller(caller: Partial<Caller> = {}): Caller {
  return {
    agentId: "agt_test",
    agentName: "tester",
    context: "main",
    parentId: null,
    toolboxes: [],
    grants: [],
    folders: [],
    scopes: null,
    operator: false,
    tokenId: null,
    conversation: "conv",
    ...caller,
  };
}

/** A source whose tools a test can replace. */
export class TestSource implements ToolSource {
  readonly name = "test";
  #tools: readonly Tool[];
  readonly #listeners = new Set<() => void>();

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  replace(tools: readonly Tool[]): void {
    this.#tools = tools;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
