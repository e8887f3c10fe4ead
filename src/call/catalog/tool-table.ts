import { DOMAINS, type Tool } from "../../contract/tool.ts";
import { covers } from "./grants.ts";
import type { BuiltinToolbox } from "./toolboxes/builtin-toolboxes.ts";

/**
 * Toolkeep's own tools as Markdown tables for the docs, sorted by domain: those that exist and those that are
 * announced.
 */
export function renderToolTables(
  tools: readonly Tool[],
  toolboxes: readonly BuiltinToolbox[],
): {
  readonly present: string;
  readonly planned: string;
} {
  const own = tools.filter((tool) => tool.domain !== undefined).sort(byDomain);
  const isPlanned = (tool: Tool) => tool.status().kind === "planned";
  return {
    present: table(
      own.filter((tool) => !isPlanned(tool)),
      toolboxes,
    ),
    planned: table(own.filter(isPlanned), toolboxes),
  };
}

function table(tools: readonly Tool[], toolboxes: readonly BuiltinToolbox[]): string {
  return [
    "| tool | domain | what it does | for | flags | scope | toolboxes |",
    "|---|---|---|---|---|---|---|",
    ...tools.map((tool) => row(tool, toolboxes)),
  ].join("\n");
}

function row(tool: Tool, toolboxes: readonly BuiltinToolbox[]): string {
  const flags = Object.entries(tool.flags).flatMap(([flag, isSet]) => (isSet ? [flag] : []));
  const what = tool.status().kind === "planned" ? tool.description : (tool.title ?? tool.name);
  const cells = [
    `\`${tool.name}\``,
    tool.domain,
    what,
    tool.availability,
    flags.join(", ") || "–",
    `\`${tool.scope}\``,
    toolboxesOf(tool, toolboxes),
  ];
  return `| ${cells.join(" | ")} |`;
}

function toolboxesOf(tool: Tool, toolboxes: readonly BuiltinToolbox[]): string {
  if (tool.floor) return "core floor";
  const names = toolboxes.filter(({ tools }) => covers(tool, tools)).map(({ name }) => `\`${name}\``);
  return names.join(", ") || "by name only";
}

function byDomain(a: Tool, b: Tool): number {
  const domains = DOMAINS.indexOf(a.domain!) - DOMAINS.indexOf(b.domain!);
  return domains || (a.name < b.name ? -1 : 1);
}
