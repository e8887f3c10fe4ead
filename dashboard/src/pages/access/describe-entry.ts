/** Says what a pattern covers; "" for a plain tool name. */
export function describeEntry(entry: string): string {
  if (entry === "*") return "all built-in tools and your custom tools";
  const [kind, name, rest] = /^([^:]+):([^:]+)(?::(.*))?$/.exec(entry)?.slice(1) ?? [];
  if (name === undefined) return "";
  const owner = { mcp: name, plugin: `the plugin ${name}` }[kind!];
  if (owner === undefined) return "";
  if (name === "*") return kind === "mcp" ? "all tools of all servers" : "all tools of all plugins";
  if (rest === "*") return `all tools of ${owner}`;
  return rest?.includes("*") ? `matching tools of ${owner}` : `one tool of ${owner}`;
}
