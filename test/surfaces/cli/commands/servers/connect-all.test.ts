import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { CLIENTS } from "../../../../../src/features/clients/clients.ts";
import { clientHomeWithStore, commandIn as options } from "../../../../support/client-home.ts";
import { command, commandJson } from "../../../../support/run-command.ts";

/** One server in each client's own words. */
const FILES: Readonly<Record<string, string>> = {
  ".claude.json":
    '{\n  "mcpServers": { "one": { "type": "stdio", "command": "one" } },\n  "numStartups": 2\n}',
  ".config/Claude/claude_desktop_config.json": '{"mcpServers":{"two":{"command":"two"}}}',
  ".cursor/mcp.json": '{\n\t"mcpServers": {\n\t\t"three": { "url": "http://127.0.0.1:1/three" }\n\t}\n}\n',
  ".config/Code/User/mcp.json":
    '{\n  // mine\n  "servers": {\n    "four": { "command": "four" }, // yes\n  },\n}\n',
  ".codeium/windsurf/mcp_config.json":
    '{ "mcpServers": { "five": { "serverUrl": "http://127.0.0.1:1/5" } } }\n',
  ".codex/config.toml": 'model = "x" # mine\n\n[mcp_servers.six]\ncommand = "six"\n\n[tui]\na = 1\n',
  ".gemini/settings.json": '{\r\n  "mcpServers": {\r\n    "seven": { "command": "seven" }\r\n  }\r\n}\r\n',
  ".config/opencode/opencode.jsonc":
    '{\n  "mcp": {\n    /* mine */\n    "eight": { "type": "local", "command": ["eight"] },\n  },\n}\n',
};

it("leaves the files of all clients to the letter as they were, after import, connect and undo", async () => {
  await using home = await clientHomeWithStore();
  const texts = new Map<string, string>();
  for (const [name, text] of Object.entries(FILES)) texts.set(await home.write(name, text), text);
  const ids = CLIENTS.map((client) => client.id);
  const { results } = await commandJson(options(home), "import", "--yes", "--no-wait");
  expect(results).toHaveLength(ids.length);
  for (const id of ids) expect((await command(options(home), "connect", id)).code).toBe(0);
  for (const [path] of texts) expect(await readFile(path, "utf8")).toContain("tk_sk_");
  const { clients } = await commandJson(options(home), "connect");
  expect(clients.map((client: { connected: string }) => client.connected)).toEqual(ids.map(() => "yes"));
  for (const id of ids) expect((await command(options(home), "connect", id, "--undo", "--yes")).code).toBe(0);
  for (const [path, text] of texts) expect(await readFile(path, "utf8")).toBe(text);
  expect((await commandJson(options(home), "token", "list")).tokens).toEqual([]);
}, 120_000);
