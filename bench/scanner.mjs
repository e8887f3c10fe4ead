// `npm run bench -- scanner`: what the scanner points at, and what cleaning changes, in the definitions of real tools.
import { readFileSync } from "node:fs";
import { cleanSchema, MAX_DESCRIPTION, MAX_TITLE } from "../dist/servers/trust/definitions/clean-schema.js";
import { cleanText } from "../dist/servers/trust/definitions/clean-text.js";
import { scanDefinition } from "../dist/servers/trust/definitions/scan-text.js";
import { CATALOGUE, missingCatalogue } from "./support/catalogue.mjs";

export async function bench() {
  const missing = missingCatalogue();
  if (missing !== undefined) return { skipped: missing };
  const lines = readFileSync(CATALOGUE, "utf8").split("\n").filter(Boolean);
  const servers = lines.map((line) => JSON.parse(line));
  const tools = servers.flatMap(({ server, tools }) => tools.map((tool) => ({ server, tool })));
  const others = othersIn(servers);
  return {
    servers: servers.length,
    tools: tools.length,
    alone: flaggedIn(tools, () => undefined),
    together: flaggedIn(tools, others),
    cleaned: tools.filter(({ tool }) => isCleaned(tool)).map(nameOf),
  };
}

export function toMarkdown({ skipped, servers, tools, alone, together, cleaned }) {
  if (skipped !== undefined) return `## Scanner\n\nLeft out: ${skipped}.\n`;
  const share = (count) => `${count} (${((count / tools) * 100).toFixed(1)} %)`;
  const kinds = [...new Set(together.flatMap((each) => each.kinds))].sort();
  const having = (flagged, kind) => flagged.filter((each) => each.kinds.includes(kind)).length;
  return [
    "## Scanner",
    "",
    `| of ${tools.toLocaleString("en")} tools of ${servers} servers | each server alone | beside all the others |`,
    "|---|---|---|",
    `| flagged | ${share(alone.length)} | ${share(together.length)} |`,
    ...kinds.map((kind) => `| \`${kind}\` | ${having(alone, kind)} | ${having(together, kind)} |`),
    `| changed by cleaning | ${share(cleaned.length)} | the same |`,
    "",
  ].join("\n");
}

function flaggedIn(tools, othersOf) {
  return tools.flatMap(({ server, tool }) => {
    const findings = scanDefinition(tool, othersOf(server));
    const kinds = [...new Set(findings.map(({ kind }) => kind))];
    return kinds.length === 0 ? [] : [{ name: nameOf({ server, tool }), kinds }];
  });
}

/** As a daemon that has all of them knows them: the other servers, and the tools that only others have. */
function othersIn(servers) {
  const owners = new Map();
  for (const { server, tools } of servers)
    for (const { name } of tools) owners.set(name, (owners.get(name) ?? new Set()).add(server));
  const names = new Set(servers.map(({ server }) => server.toLowerCase()));
  return (server) => ({
    isTool: (word) => owners.has(word) && !owners.get(word).has(server),
    isServer: (word) => word !== server.toLowerCase() && names.has(word),
  });
}

function isCleaned({ title, description = "", inputSchema = {}, outputSchema = {} }) {
  return (
    cleanText(description, MAX_DESCRIPTION) !== description ||
    (title !== undefined && cleanText(title, MAX_TITLE) !== title) ||
    [inputSchema, outputSchema].some((schema) => cleanSchema(schema) !== schema)
  );
}

function nameOf({ server, tool }) {
  return `${server} ${tool.name}`;
}
