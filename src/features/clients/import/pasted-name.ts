/** A server as clients' settings have it, with the name it gets. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

export const UNNAMED = "server";

/** Options of launchers that have a value beside them. */
const WITH_VALUE = /^(?:--from|--with|--python|-p|--package|-c|--index-url|--directory|--project|-m)$/;
const WORDS_OF_LAUNCHERS = /^(?:run|dlx|exec|tool|x|serve|start)$/;

/** `npx -y @modelcontextprotocol/server-filesystem /tmp` is `filesystem`. */
export function nameOfCommand(command: string, args: readonly string[]): string {
  const isPython = /python3?$/.test(command);
  const module = isPython ? args[args.indexOf("-m") + 1] : undefined;
  return nameOfPackage(module ?? firstArgument(args) ?? command);
}

/** `https://mcp.linear.app/sse` is `linear`. */
export function nameOfUrl({ hostname }: URL): string {
  if (/^[\d.]+$|^\[/.test(hostname)) return UNNAMED;
  const labels = hostname.split(".").filter((label) => !/^(?:mcp|www|api|app|remote|server)$/.test(label));
  const own = hostname.includes(".") ? labels.slice(0, -1) : labels;
  return own.at(-1) ?? labels[0] ?? UNNAMED;
}

function firstArgument(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (
      WITH_VALUE.test(word) ||
      /^(?:-[evuwlh]|--(?:env|volume|name|network|mount|user|platform|env-file|entrypoint))$/.test(word)
    )
      at++;
    else if (!word.startsWith("-") && !WORDS_OF_LAUNCHERS.test(word)) return word;
  }
  return undefined;
}

function nameOfPackage(written: string): string {
  const unversioned = written
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
