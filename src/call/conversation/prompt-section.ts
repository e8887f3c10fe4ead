import type { Tool } from "../../contract/tool.ts";
import { CALL_TOOL } from "../catalog/call-tool-tool.ts";
import { TOOL_SEARCH } from "../search/find-tools.ts";
import { groupTools, type ToolGroup } from "../search/tool-groups.ts";
import type { Listing } from "./listing.ts";
import { estimateTokens } from "./token-estimate.ts";

export interface PromptDeps {
  /** The description that a server gives of itself, by the origin of its tools. */
  readonly aboutServer: (origin: string) => string | undefined;
  /** The length at which the description of a tool is cut. */
  readonly maxDescription: number;
}

const MAX_TOKENS = 2_000;
/** More characters exceed MAX_TOKENS in every language. */
const MAX_CHARS = 5 * MAX_TOKENS;
const MAX_ABOUT = 200;

/**
 * Tells a model about its tools besides their list: the servers they come from, with counts and descriptions,
 * and for deferred tools also their names and how to find them. At most 2,000 tokens: first the descriptions of tools
 * are dropped, then the names in favour of counts per server. Empty where there is nothing to say.
 */
export function promptSection(listing: Listing, deps: PromptDeps): string {
  const { tools, deferred } = listing;
  const groups = groupTools([...tools.filter(isOfServer), ...deferred]);
  if (groups.length === 0) return "";
  const groupLines = (texts: Pick<PromptDeps, "aboutServer">) => describeGroups(groups, deferred, texts);
  const forms = [
    () => [...groupLines(deps), ...listDeferred(deferred, (tool) => describeTool(tool, deps))],
    () => [...groupLines(deps), ...listDeferred(deferred, ({ name }) => name)],
    () => groupLines(deps),
    () => groupLines({ aboutServer: () => undefined }),
  ];
  for (const form of forms) {
    const section = renderSection(listing, form());
    if (estimateTokens(section) <= MAX_TOKENS) return section;
  }
  return renderSection(listing, listGroupsThatFit(listing, groups));
}

/** Stops early where the lines are too many anyway: nobody writes out ten thousand names. */
function listDeferred(deferred: readonly Tool[], lineFor: (tool: Tool) => string): readonly string[] {
  if (deferred.length === 0) return [];
  const lines: string[] = [];
  let chars = 0;
  for (const tool of deferred) {
    const line = lineFor(tool);
    lines.push(line);
    chars += line.length;
    if (chars > MAX_CHARS) break;
  }
  return ["<available-deferred-tools>", ...lines, "</available-deferred-tools>"];
}

/** Our own tools have a domain and need no introduction while they are in the list. */
function isOfServer({ domain, origin }: Tool): boolean {
  return domain === undefined && origin.includes(":");
}

function renderSection({ tools, deferred, tooManyFor }: Listing, lines: readonly string[]): string {
  if (deferred.length === 0) return ["Some of your tools come from these servers:", ...lines].join("\n");
  const count = deferred.length === 1 ? "1 more tool" : `${deferred.length} more tools`;
  return [
    `You can use ${count} than your list shows. Find them with ${TOOL_SEARCH}: one short phrase for each step of your work, such as "create a calendar event", or select:NAME,NAME for tools whose names you know. What it finds can be called from then on, by its name${tools.some(({ name }) => name === CALL_TOOL) ? ` or with ${CALL_TOOL}` : ""}.`,
    ...(tooManyFor === undefined
      ? []
      : [`Your list is longer than the ${tooManyFor} tools that your host is known to take.`]),
    ...lines,
  ].join("\n");
}

function describeGroups(
  groups: readonly ToolGroup[],
  deferred: readonly Tool[],
  { aboutServer }: Pick<PromptDeps, "aboutServer">,
): readonly string[] {
  const remaining = new Set(deferred);
  return groups.map((group) => {
    const text = oneLine(aboutServer(group.tools[0]!.origin) ?? "", MAX_ABOUT);
    const deferredCount = group.tools.filter((tool) => remaining.has(tool)).length;
    return `- ${describeGroup(group, deferredCount)}${text && `: ${text}`}`;
  });
}

/** Renders as many groups as there is room for. */
function listGroupsThatFit(listing: Listing, groups: readonly ToolGroup[]): readonly string[] {
  const lines: string[] = [];
  for (const [index, group] of groups.entries()) {
    const more = `- and ${groups.length - index} more`;
    const next = [...lines, `- ${describeGroup(group)}`];
    if (estimateTokens(renderSection(listing, [...next, more])) > MAX_TOKENS) return [...lines, more];
    lines.push(next.at(-1)!);
  }
  return lines;
}

function describeGroup({ name, tools }: ToolGroup, deferredCount = tools.length): string {
  const deferredPart =
    deferredCount > 0 && deferredCount < tools.length ? `, ${deferredCount} of them to be found` : "";
  return `${name} (${tools.length} ${tools.length === 1 ? "tool" : "tools"}${deferredPart})`;
}

function describeTool({ name, description }: Tool, { maxDescription }: PromptDeps): string {
  const text = oneLine(description, maxDescription);
  return text ? `${name}: ${text}` : name;
}

/** Text of servers is untrusted data, so it becomes one line, without tags that could end or begin a part of the prompt. */
function oneLine(text: string, max: number): string {
  const plain = text
    .slice(0, 10 * max)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replaceAll(/[<>]/g, "")
    .trim();
  return plain.length <= max ? plain : `${plain.slice(0, max - 1)}…`;
}
