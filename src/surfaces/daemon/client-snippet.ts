/** The settings to paste into MCP clients: a command for Claude Code, and the JSON that most others read. */
export function formatClientSnippet({
  url,
  token,
}: {
  readonly url: string;
  readonly token: string;
}): string {
  const config = {
    mcpServers: {
      toolkeep: { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    },
  };
  return `Claude Code:

  claude mcp add --transport http toolkeep ${url}/mcp --header "Authorization: Bearer ${token}"

Other clients (mcpServers):

${JSON.stringify(config, null, 2).replace(/^/gm, "  ")}
`;
}
