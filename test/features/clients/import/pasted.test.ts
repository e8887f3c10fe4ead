import { describe, expect, it } from "vitest";
import { getHostContext } from "../../../../src/features/clients/client.ts";
import { discoverPasted } from "../../../../src/features/clients/import/pasted.ts";

const found = (text: string) =>
  discoverPasted(text, { host: getHostContext({ HOME: "/home/x" }, "/"), ownUrl: null });

describe("servers in a text that was pasted", () => {
  const entry = { command: "npx", args: ["-y", "server-files"], env: { TOKEN: "abc" } };

  it.each([
    ["the settings of a client", JSON.stringify({ mcpServers: { files: entry } })],
    ["settings with remarks", `{ // mine\n"mcpServers": ${JSON.stringify({ files: entry })}, }`],
    ["what stands under mcpServers", JSON.stringify({ files: entry })],
    ["a fragment without braces", `"files": ${JSON.stringify(entry)},`],
    ["the servers of VS Code", JSON.stringify({ servers: { files: { type: "stdio", ...entry } } })],
    [
      "the settings of Codex",
      '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "server-files"]\n[mcp_servers.files.env]\nTOKEN = "abc"',
    ],
  ])("are found in %s", async (_what, text) => {
    const { servers } = await found(text);
    expect(servers.map(({ name, fields }) => [name, fields.command, fields.args, fields.env])).toEqual([
      ["files", "npx", ["-y", "server-files"], { TOKEN: "abc" }],
    ]);
  });

  it("are found without a name", async () => {
    const { servers } = await found('{"url": "https://mcp.example.com/mcp"}');
    expect(servers.map(({ name, fields }) => [name, fields.url])).toEqual([
      ["server", "https://mcp.example.com/mcp"],
    ]);
  });

  it("say what is wrong with the text, with the line", async () => {
    const { servers, files } = await found('{"mcpServers": {\n"files": {"command" "npx"}}}');
    expect(servers).toEqual([]);
    expect(files[0]!.problem).toMatch(/line 2/);
    expect((await found("hello")).files[0]!.problem).not.toBeNull();
  });

  it("have no file read, whatever the text names", async () => {
    const text = JSON.stringify({ servers: { one: { command: "x", envFile: "/etc/passwd" } } });
    const { servers } = await found(text);
    expect(JSON.stringify(servers)).not.toContain("root:");
  });
});
