import { withSetting } from "../../machine/config/edit/edit-settings.ts";
import { isToml } from "../../machine/config/edit/settings-document.ts";
import type { Access, Client, HostContext } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import type { ClientSnippet } from "./contract.ts";
import { OWN_NAME } from "./own-entry.ts";

/** The snippets for every client. Files are those of a typical home, written with `~`. */
export function createSnippets(access: Access, platform: NodeJS.Platform): readonly ClientSnippet[] {
  const host: HostContext = { home: "~", env: {}, cwd: ".", platform };
  return [
    createCommandSnippet(access),
    ...CLIENTS.map((client) => createClientSnippet(client, access, host)),
    createGenericSnippet(access),
  ];
}

function createClientSnippet(client: Client, access: Access, host: HostContext): ClientSnippet {
  const file = client.files(host).find(({ scope, readOnly }) => scope === "user" && !readOnly)!.path;
  const edited = withSetting(file, "", [...client.container({}), OWN_NAME], client.entry(access));
  return {
    client: client.id,
    title: client.title,
    file,
    language: isToml(file) ? "toml" : "json",
    text: edited.ok ? edited.value : JSON.stringify(client.entry(access), null, 2),
    next: client.next,
  };
}

function createCommandSnippet({ url, token }: Access): ClientSnippet {
  return {
    client: "claude-code-command",
    title: "Claude Code (command)",
    file: null,
    language: "shell",
    text: `claude mcp add --transport http ${OWN_NAME} ${url} --header "Authorization: Bearer ${token}"\n`,
    next: "Start a new Claude Code session. Run claude mcp list to check the connection.",
  };
}

function createGenericSnippet({ url, token }: Access): ClientSnippet {
  return {
    client: "other",
    title: "Any other client",
    file: null,
    language: "text",
    text: `Address: ${url}\nTransport: streamable HTTP\nHeader: Authorization: Bearer ${token}\n`,
    next: "Add an MCP server with this address and header.",
  };
}
