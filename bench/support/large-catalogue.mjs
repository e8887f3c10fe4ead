// A large catalogue as a daemon holds it: servers that list their tools, one of them changing its list.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Catalog } from "../../dist/call/catalog/catalog.js";
import { ToolRanking } from "../../dist/call/search/tool-ranking.js";
import { Events } from "../../dist/contract/events.js";
import { createServerTool } from "../../dist/servers/lists/server-tool.js";
import { CHANGING_TOOLS, numbers, reworded, wordsIn } from "./many-tools.mjs";

const ACTIVE = { kind: "active" };

/**
 * Of a file that `writeServers` wrote. `change()` gives another server, of ten tools, another list; `newRanking()` is one that has read nothing
 * yet.
 */
export async function largeCatalogue(file) {
  const servers = [];
  for await (const line of createInterface({ input: createReadStream(file) })) servers.push(JSON.parse(line));
  const sample = servers.flatMap(({ tools }) => tools.slice(0, 1)).slice(0, CHANGING_TOOLS);
  const words = wordsIn(servers.slice(0, CHANGING_TOOLS));
  const random = numbers(servers.length);
  const changed = () => ({ name: "changing", tools: sample.map((tool) => reworded(tool, words, random)) });

  const lists = [...servers, changed()].map(toolsOf);
  let listener = () => {};
  const source = {
    name: "servers",
    tools: () => lists.flat(),
    onChange: (listen) => {
      listener = listen;
      return () => {};
    },
  };
  const catalog = await Catalog.open({
    sources: [source],
    store: { toolboxes: { list: async () => [] } },
    isHidden: () => false,
    isOffered: () => false,
    agentsWith: () => [],
    events: new Events((error) => {
      throw error;
    }),
    clock: Date.now,
  });
  const offerers = new Map(
    [...servers, { name: "changing" }].map(({ name }) => [`mcp:${name}`, { name, about: "" }]),
  );
  return {
    servers,
    catalog,
    offerers,
    newRanking: (more = {}) =>
      new ToolRanking({
        tool: (name) => catalog.get(name),
        tools: () => catalog.all(),
        revision: () => catalog.revision,
        offerers: () => offerers,
        ...more,
      }),
    change() {
      lists[lists.length - 1] = toolsOf(changed());
      listener();
    },
  };
}

/** An agent that has every tool, or those of which the patterns say so. */
export function agentWith(grants, agentId = "agt_bench") {
  return {
    agentId,
    agentName: "bench",
    context: "main",
    parentId: null,
    toolboxes: [],
    grants,
    folders: [],
    scopes: null,
    operator: false,
    tokenId: null,
    conversation: "bench",
  };
}

function toolsOf({ name: serverName, tools }) {
  const host = {
    origin: `mcp:${serverName}`,
    trusted: false,
    timeoutMs: 60_000,
    progressExtendsTimeout: false,
    status: () => ACTIVE,
    request: async () => ({ kind: "output", content: [] }),
  };
  const prefix = serverName.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  const taken = new Set();
  return tools.map((definition) => {
    const plain = `mcp_${prefix}_${definition.name.toLowerCase().replace(/[^a-z0-9]+/g, "_")}`;
    const name = taken.has(plain) ? `${plain}_${taken.size}` : plain;
    taken.add(name);
    return createServerTool({ originalName: definition.name, definition }, name, host);
  });
}
