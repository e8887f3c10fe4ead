/** What a pattern stands for, as people say it; "" for a name. */
export function entryInWords(entry: string): string {
  if (entry === "*") return "everything that comes with Toolkeep, and your scripts";
  const [kind, name, rest] = /^([^:]+):([^:]+)(?::(.*))?$/.exec(entry)?.slice(1) ?? [];
  if (name === undefined) return "";
  const whose = { mcp: name, plugin: `the plugin ${name}` }[kind!];
  if (whose === undefined) return "";
  if (name === "*") return kind === "mcp" ? "all tools of all servers" : "all tools of all plugins";
  if (rest === "*") return `all tools of ${whose}`;
  return rest?.includes("*") ? `tools of ${whose} with such names` : `one tool of ${whose}`;
}
