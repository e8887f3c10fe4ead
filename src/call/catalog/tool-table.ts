import { DOMAINS, type Tool } from "../../contract/tool.ts";
import { BUILTIN_TOOLBOXES } from "./builtin-toolboxes.ts";
import { covers } from "./grants.ts";

/**
 * Toolkeep's own tools as Markdown tables for the docs, sorted by domain: those that exist and those that are
 * announced.
 */
export function renderToolTables(tools: readonly Tool[]): {
  readonly present: string;
  readonly planned: string;
} {
  const own = tools.filter((tool) => tool.domain !== undefined).sort(byDomain);
  const isPlanned = (tool: Tool) => tool.status().kind === "planned";
  return {
    present: table(own.filter((tool) => !isPlanned(tool))),
    planned: table(own.filter(isPlanned)),
  };
}

function table(tools: readonly Tool[]): string {
  return [
    "| tool | domain | what it does | for | flags | scope | toolboxes |",
    "|---|---|---|---|---|---|---|",
    ...tools.map(row),
  ].join("\n");
}

function row(tool: Tool): string {
  const flags = Object.entries(tool.flags).flatMap(([flag, isSet]) => (isSet ? [flag] : []));
  const what = tool.status().kind === "planned" ? tool.description : (tool.title ?? tool.name);
  const cells = [
    `\`${tool.name}\``,
    tool.domain,
    what,
    tool.availability,
    flags.join(", ") || "–",
    `\`${tool.scope}\``,
    toolboxesOf(tool),
  ];
  return `| ${cells.join(" | ")} |`;
}

function toolboxesOf(tool: Tool): string {
  if (tool.floor) return "core floor";
  const names = BUILTIN_TOOLBOXES.filter(({ tools }) => covers(tool, tools)).map(({ name }) => `\`${name}\``);
  return names.join(", ") || "by name only";
}

function byDomain(a: Tool, b: Tool): number {
  const domains = DOMAINS.indexOf(a.domain!) - DOMAINS.indexOf(b.domain!);
  return domains || (a.name < b.name ? -1 : 1);
}
