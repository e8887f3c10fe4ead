import { expect, it } from "vitest";
import { CLIENTS } from "../../../src/features/clients/clients.ts";
import { createSnippets } from "../../../src/features/clients/snippets.ts";

const ACCESS = {
  url: "http://127.0.0.1:19850/mcp",
  token: "YOUR_TOKEN",
  command: "toolkeep",
  args: ["stdio"],
  env: { TOOLKEEP_URL: "http://127.0.0.1:19850", TOOLKEEP_TOKEN: "YOUR_TOKEN" },
};

it("there is a text with the token for every client, and one for all others", () => {
  const snippets = createSnippets(ACCESS, "linux");
  const ids = snippets.map(({ client }) => client);
  expect(ids).toEqual(["claude-code-command", ...CLIENTS.map(({ id }) => id), "other"]);
  for (const { text } of snippets) expect(text).toContain(ACCESS.token);
});

it("each is what its client reads, and says in which file", () => {
  const snippets = new Map(createSnippets(ACCESS, "linux").map((snippet) => [snippet.client, snippet]));
  expect(snippets.get("codex")).toMatchObject({ file: "~/.codex/config.toml", language: "toml" });
  expect(snippets.get("codex")!.text).toContain("[mcp_servers.toolkeep]");
  expect(JSON.parse(snippets.get("cursor")!.text)).toEqual({
    mcpServers: { toolkeep: { url: ACCESS.url, headers: { Authorization: "Bearer YOUR_TOKEN" } } },
  });
  expect(snippets.get("vscode")!.file).toBe("~/.config/Code/User/mcp.json");
});
