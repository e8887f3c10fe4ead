import { withSetting } from "../../machine/config/edit/edit-settings.ts";
import { isToml } from "../../machine/config/edit/settings-document.ts";
import type { Access, Client, Place } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import { OWN_NAME } from "./own-entry.ts";

/** What to write into the settings of one client. */
export interface Snippet {
  readonly client: string;
  readonly title: string;
  /** Where it belongs; null: it is a command, or nothing more is known. */
  readonly file: string | null;
  readonly language: "json" | "toml" | "shell" | "text";
  readonly text: string;
  /** What to do after. */
  readonly next: string;
}

/** What to give to every client so that it reaches Toolkeep. Files are those of a usual home, written with `~`. */
export function clientSnippets(access: Access, platform: NodeJS.Platform): readonly Snippet[] {
  const place: Place = { home: "~", env: {}, cwd: ".", platform };
  return [command(access), ...CLIENTS.map((client) => snippetOf(client, access, place)), anyOther(access)];
}

function snippetOf(client: Client, access: Access, place: Place): Snippet {
  const file = client.files(place).find(({ scope, readOnly }) => scope === "user" && !readOnly)!.path;
  const written = withSetting(file, "", [...client.container({}), OWN_NAME], client.entry(access));
  return {
    client: client.id,
    title: client.title,
    file,
    language: isToml(file) ? "toml" : "json",
    text: written.ok ? written.value : JSON.stringify(client.entry(access), null, 2),
    next: client.next,
  };
}

function command({ url, token }: Access): Snippet {
  return {
    client: "claude-code-command",
    title: "Claude Code (command)",
    file: null,
    language: "shell",
    text: `claude mcp add --transport http ${OWN_NAME} ${url} --header "Authorization: Bearer ${token}"\n`,
    next: "Start a new session of Claude Code; claude mcp list shows whether it is connected.",
  };
}

function anyOther({ url, token }: Access): Snippet {
  return {
    client: "other",
    title: "Any other client",
    file: null,
    language: "text",
    text: `Address: ${url}\nTransport: streamable HTTP\nHeader: Authorization: Bearer ${token}\n`,
    next: "Add an MCP server with this address and header.",
  };
}
