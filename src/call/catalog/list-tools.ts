import type { Caller } from "../../contract/caller.ts";
import { explainRefusal, output, toolOf } from "../../contract/define-tool.ts";
import { DOMAINS, type Tool } from "../../contract/tool.ts";
import type { Catalog } from "./catalog.ts";
import { covers, fitsContext, isInScope } from "./grants.ts";

export interface ListToolsDeps {
  /** A function, because the catalogue is opened with the tools in it. */
  readonly catalog: () => Pick<Catalog, "visible" | "discoverable" | "resolve" | "toolboxes">;
  /** How much of a description a list shows. */
  readonly maxDescription: () => number;
}

interface Args {
  readonly query?: string;
  readonly domain?: string;
  readonly origin?: string;
  readonly toolbox?: string;
  readonly scope?: "granted" | "all";
  readonly limit?: number;
  readonly offset?: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Callers that have this tool compose toolboxes, so they may list every tool. */
const COMPOSING_TOOL = "create_toolbox";

export function listToolsTool(deps: ListToolsDeps): Tool {
  return toolOf<Args>(
    {
      name: "list_tools",
      title: "List tools",
      domain: "toolboxes",
      description:
        "List tools by name with one line each, narrowed by words, domain, origin or toolbox. By default those you can call; with scope `all` also those that you could ask a person for with request_tool_access.",
      properties: {
        query: {
          type: "string",
          maxLength: 200,
          description: "Words that name or description must contain.",
        },
        domain: { enum: [...DOMAINS], description: "Only Toolkeep's own tools about this." },
        origin: {
          type: "string",
          maxLength: 100,
          description: "Only tools from here: native, platform, custom, mcp:SERVER or plugin:NAME.",
        },
        toolbox: { type: "string", maxLength: 40, description: "Only what this toolbox gives." },
        scope: { enum: ["granted", "all"], description: "Default granted." },
        limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `Default ${DEFAULT_LIMIT}.` },
        offset: { type: "integer", minimum: 0, description: "Skip this many, for the next page." },
      },
      required: [],
      flags: { readOnly: true, concurrencySafe: true },
      scope: "tools",
      async run(args, { caller }) {
        const found = findTools(args, caller, deps);
        const { limit = DEFAULT_LIMIT, offset = 0 } = args;
        return renderPage(found, caller, { limit, offset }, deps);
      },
    },
    { origin: "native", floor: true, wildcard: true },
    explainRefusal,
  );
}

/** Models never see planned tools, nor tools that a rule hides. */
function findTools(args: Args, caller: Caller, deps: ListToolsDeps): readonly Tool[] {
  const catalog = deps.catalog();
  const { query = "", domain, origin, toolbox, scope = "granted" } = args;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = toolbox === undefined ? undefined : catalog.toolboxes.get(toolbox).tools;
  const tools = scope === "all" ? grantableTools(caller, catalog) : catalog.visible(caller);
  return tools.filter((tool) => {
    const text = `${tool.name} ${tool.title ?? ""} ${tool.description}`.toLowerCase();
    return (
      (domain === undefined || tool.domain === domain) &&
      (origin === undefined || tool.origin === origin) &&
      (entries === undefined || covers(tool, entries)) &&
      words.every((word) => text.includes(word))
    );
  });
}

/** The tools that the caller could be granted; if it composes toolboxes, those that any agent could be. */
function grantableTools(caller: Caller, catalog: ReturnType<ListToolsDeps["catalog"]>): readonly Tool[] {
  const tools = catalog.discoverable(caller);
  if (catalog.resolve(COMPOSING_TOOL, caller).ok) return tools;
  return tools.filter((tool) => {
    const { kind } = tool.status();
    const isUsable = kind === "active" || kind === "unavailable";
    return isUsable && fitsContext(tool, caller) && isInScope(tool, caller);
  });
}

function renderPage(
  found: readonly Tool[],
  caller: Caller,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  deps: ListToolsDeps,
) {
  const own = new Set(deps.catalog().visible(caller));
  const tools = found.slice(offset, offset + limit).map((tool) => ({
    name: tool.name,
    description: firstLine(tool.description, deps.maxDescription()),
    origin: tool.origin,
    ...(tool.domain && { domain: tool.domain }),
    granted: own.has(tool),
  }));
  const end = offset + tools.length;
  const rest = found.length - end;
  const lines = tools.map(
    ({ name, granted, description }) => `${name}${granted ? "" : " (not granted)"}: ${description}`,
  );
  if (tools.length === 0) lines.push("No tool fits.");
  if (rest > 0) lines.push(`${rest} more: call again with offset ${end}, or narrow it down.`);
  return output(lines.join("\n"), { tools, total: found.length, ...(rest > 0 && { next_offset: end }) });
}

function firstLine(text: string, max: number): string {
  const line = text.trim().split("\n", 1)[0]!;
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
