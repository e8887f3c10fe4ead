// The real servers that Toolkeep is tried with: exact versions from npm, and one call each that needs neither the internet nor an
// account. Where every tool of a server needs one of them, the server's own error is the answer that counts.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const NO_BROWSER = `${CHROMIUM} is missing; install Debian's chromium or set CHROMIUM_PATH`;
const PAGE = "data:text/html,<title>A quiet page</title><h1>Hello</h1>";
const THOUGHT = { thought: "One step.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
/** What a server says that lacks the internet or an account. */
const OFFLINE = /fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|403|401|unauthorized/i;

/**
 * `args`, `env` and the arguments of `call` may use `folder`, a fresh one with the files below. `serves` starts the server as a
 * remote one, at the path given. `says` is what a good answer holds; with `orSays` a good answer may hold anything, and the server's
 * own error counts too when it fits.
 */
export const SERVERS = [
  {
    spec: "@modelcontextprotocol/server-everything@2026.8.31",
    args: () => ["stdio"],
    call: ["echo", { message: "over stdio" }],
    says: "Echo: over stdio",
  },
  {
    spec: "@modelcontextprotocol/server-everything@2026.8.31",
    args: () => ["streamableHttp"],
    env: ({ port }) => ({ PORT: port }),
    serves: { transport: "http", path: "/mcp" },
    call: ["echo", { message: "over HTTP" }],
    says: "Echo: over HTTP",
  },
  {
    spec: "@modelcontextprotocol/server-everything@2026.8.31",
    args: () => ["sse"],
    env: ({ port }) => ({ PORT: port }),
    serves: { transport: "sse", path: "/sse" },
    call: ["echo", { message: "over SSE" }],
    says: "Echo: over SSE",
  },
  {
    spec: "@modelcontextprotocol/server-filesystem@2026.8.31",
    args: ({ folder }) => [folder],
    call: ["read_text_file", ({ folder }) => ({ path: join(folder, "note.md") })],
    says: "A note.",
  },
  {
    spec: "@modelcontextprotocol/server-memory@2026.8.31",
    env: ({ folder }) => ({ MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
    call: [
      "create_entities",
      { entities: [{ name: "Toolkeep", entityType: "program", observations: ["keeps tools"] }] },
    ],
    says: "keeps tools",
  },
  {
    spec: "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    call: ["sequentialthinking", THOUGHT],
    says: "thoughtHistoryLength",
  },
  {
    spec: "@modelcontextprotocol/server-github@2025.4.8",
    call: ["search_repositories", { query: "toolkeep" }],
    orSays: OFFLINE,
  },
  {
    spec: "@playwright/mcp@0.0.83",
    args: () => ["--headless", "--isolated", "--no-sandbox", "--executable-path", CHROMIUM],
    missing: () => (existsSync(CHROMIUM) ? undefined : NO_BROWSER),
    call: ["browser_navigate", { url: PAGE }],
    says: "Page Title: A quiet page",
  },
  {
    spec: "chrome-devtools-mcp@1.11.0",
    args: () => ["--headless", "--isolated", "--executablePath", CHROMIUM, "--chromeArg=--no-sandbox"],
    env: () => ({ CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: "1" }),
    missing: () => (existsSync(CHROMIUM) ? undefined : NO_BROWSER),
    call: ["list_pages", {}],
    says: "about:blank",
  },
  {
    spec: "@upstash/context7-mcp@4.1.1",
    call: ["resolve-library-id", { libraryName: "react", query: "how do effects run" }],
    orSays: OFFLINE,
  },
  {
    spec: "@upstash/context7-mcp@4.1.1",
    args: ({ port }) => ["--transport", "http", "--port", port],
    serves: { transport: "http", path: "/mcp" },
    call: ["resolve-library-id", { libraryName: "react", query: "how do effects run" }],
    orSays: OFFLINE,
  },
  {
    spec: "mongodb-mcp-server@3.0.4",
    env: ({ folder }) => ({ MDB_MCP_TELEMETRY: "disabled", MDB_MCP_LOG_PATH: join(folder, "mongodb") }),
    call: ["list-connections", {}],
    says: "connection",
  },
  {
    spec: "@bitbonsai/mcpvault@0.16.0",
    args: ({ folder }) => [folder],
    call: ["read_note", { path: "note.md" }],
    says: "A note.",
  },
  {
    spec: "@notionhq/notion-mcp-server@2.5.2",
    env: () => ({ NOTION_TOKEN: "ntn_of_nobody" }),
    call: ["API-get-self", {}],
    orSays: OFFLINE,
  },
  {
    spec: "n8n-mcp@2.87.0",
    env: () => ({ MCP_MODE: "stdio", LOG_LEVEL: "error", N8N_MCP_TELEMETRY_DISABLED: "true" }),
    call: ["tools_documentation", {}],
    says: "n8n MCP Tools Reference",
  },
  {
    spec: "@azure/mcp@2.0.5",
    args: () => ["server", "start"],
    env: () => ({ AZURE_MCP_COLLECT_TELEMETRY: "false" }),
    call: ["get_azure_bestpractices", { intent: "see what there is", learn: true }],
    says: "azure",
  },
  {
    spec: "time-mcp@1.0.6",
    call: ["days_in_month", { date: "2024-02-01" }],
    says: "29",
  },
  {
    spec: "@wrtnlabs/calculator-mcp@0.2.1",
    call: ["add", { a: 2, b: 3 }],
    says: "is 5",
  },
  {
    spec: "mcp-server-commands@0.5.0",
    call: ["run_command", { command: "echo from the shell" }],
    says: "from the shell",
  },
  {
    spec: "@cyanheads/git-mcp-server@2.15.3",
    env: ({ folder }) => ({ MCP_TRANSPORT_TYPE: "stdio", GIT_BASE_DIR: folder }),
    call: ["git_init", ({ folder }) => ({ path: join(folder, "repository") })],
    says: "initialBranch",
  },
  {
    spec: "@eslint/mcp@0.3.13",
    call: ["lint-files", ({ folder }) => ({ filePaths: [join(folder, "sloppy.js")] })],
    says: "no-unused-vars",
  },
  {
    spec: "@mantine/mcp-server@9.6.2",
    call: ["list_items", {}],
    orSays: OFFLINE,
  },
];

/** The files that the calls above read. */
export async function fillFolder(folder) {
  await mkdir(join(folder, "repository"), { recursive: true });
  await mkdir(join(folder, "mongodb"), { recursive: true });
  await writeFile(join(folder, "note.md"), "A note.\n");
  await writeFile(join(folder, "sloppy.js"), "const unused = 1;\n");
  const rules = 'export default [{ rules: { "no-unused-vars": "error" } }];\n';
  await writeFile(join(folder, "eslint.config.mjs"), rules);
}
