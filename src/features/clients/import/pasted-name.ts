/** The entry of a server as in a client's settings, with its name. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

export const UNNAMED = "server";

/** Options of launchers that take a value. */
const WITH_VALUE = /^(?:--from|--with|--python|-p|--package|-c|--index-url|--directory|--project|-m)$/;
const LAUNCHER_WORDS = /^(?:run|dlx|exec|tool|x|serve|start)$/;

/** Names `npx -y @modelcontextprotocol/server-filesystem /tmp` `filesystem`. */
export function nameCommand(command: string, args: readonly string[]): string {
  const isPython = /python3?$/.test(command);
  const module = isPython ? args[args.indexOf("-m") + 1] : undefined;
  return namePackage(module ?? findFirstArgument(args) ?? command);
}

/** Names `https://mcp.linear.app/sse` `linear`. */
export function nameUrl({ hostname }: URL): string {
  if (/^[\d.]+$|^\[/.test(hostname)) return UNNAMED;
  const labels = hostname.split(".").filter((label) => !/^(?:mcp|www|api|app|remote|server)$/.test(label));
  const nameLabels = hostname.includes(".") ? labels.slice(0, -1) : labels;
  return nameLabels.at(-1) ?? labels[0] ?? UNNAMED;
}

function findFirstArgument(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (
      WITH_VALUE.test(word) ||
      /^(?:-[evuwlh]|--(?:env|volume|name|network|mount|user|platform|env-file|entrypoint))$/.test(word)
    )
      at++;
    else if (!word.startsWith("-") && !LAUNCHER_WORDS.test(word)) return word;
  }
  return undefined;
}

function namePackage(spec: string): string {
  const unversioned = spec
    .replace(/^git\+/, "")
    .replace(/(?<=[^/])@[^/]*$/, "")
    .replace(/:[^/]*$/, "")
    .replace(/\.(?:m?js|c?ts|py|git)$/, "");
  const parts = unversioned.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  const [scope] = unversioned.startsWith("@") ? parts : [];
  const last = parts.at(-1) ?? "";
  const bare = last.replace(/^(?:mcp-server-|server-|mcp-)/, "").replace(/(?:-mcp-server|-mcp|-server)$/, "");
  const isVague = /^(?:mcp|server|mcp-server|index|main|cli|dist|src)?$/.test(bare);
  const better = isVague ? (scope?.slice(1) ?? parts.at(-2)) : bare;
  return (better ?? "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "") || UNNAMED;
}
