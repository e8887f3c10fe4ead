import type { Caller } from "../../../contract/caller.ts";
import {
  type Definition,
  explainRefusal,
  failed,
  output,
  platformTool,
} from "../../../contract/define-tool.ts";
import type { JsonSchema, Tool, ToolResult } from "../../../contract/tool.ts";
import { shortenList } from "../../identity/agent-grants.ts";
import type { Identity } from "../../identity/identity.ts";
import { refuseTooMany, requireAgreement } from "../../questions/agreement.ts";
import type { Questions } from "../../questions/questions.ts";
import type { Catalog } from "../catalog.ts";
import type { ToolboxView } from "./contract.ts";

export interface ToolboxToolsDeps {
  readonly catalog: () => Pick<Catalog, "findExcessGrants" | "toolboxes">;
  readonly identity: Pick<Identity, "agentsWithToolbox">;
  readonly questions: Pick<Questions, "ask">;
}

const toolboxName: JsonSchema = { type: "string", minLength: 1, maxLength: 40, description: "The toolbox." };
const purpose: JsonSchema = { type: "string", maxLength: 2_000, description: "What it is for." };
const entries = (description: string): JsonSchema => ({
  type: "array",
  maxItems: 500,
  uniqueItems: true,
  items: { type: "string", minLength: 1, maxLength: 200 },
  description,
});

/** An addition to a toolbox, for the person who has to allow it. */
interface Addition {
  readonly tool: string;
  readonly toolbox: string;
  readonly added: readonly string[];
  readonly args: object;
  /** Its `updatedAt`; null: it is new. */
  readonly since: number | null;
}

/** Tools that manage toolboxes, granted only by name and only to main agents. Built-in toolboxes cannot be changed. */
export function toolboxTools(deps: ToolboxToolsDeps): readonly Tool[] {
  return [listTool(deps), createTool(deps), updateTool(deps), deleteTool(deps)];
}

function listTool({ catalog }: ToolboxToolsDeps): Tool {
  return define<{ readonly name?: string }>({
    name: "list_toolboxes",
    title: "List the toolboxes",
    description:
      "List every toolbox with what it is for, how many tools it names and which agents have it; with a name, that one with all its tools.",
    properties: { name: toolboxName },
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    async run({ name }) {
      const { toolboxes } = catalog();
      if (name !== undefined) return describeOne(toolboxes.get(name));
      const all = toolboxes.list();
      return output(all.map(line).join("\n"), {
        toolboxes: all.map((toolbox) => {
          const { name, description, builtin, agents } = toolbox;
          return { name, description, builtin, agents, tools: presentIn(toolbox).length };
        }),
      });
    },
  });
}

function createTool(deps: ToolboxToolsDeps): Tool {
  const tool = "create_toolbox";
  return define<{ readonly name: string; readonly description?: string; readonly tools: readonly string[] }>({
    name: tool,
    title: "Create a toolbox",
    description:
      "Create a toolbox: a named set of tools to give to agents. List as few as the agent needs. A person is asked first where it holds a tool that you do not have yourself: call again with the same arguments once they have answered.",
    properties: {
      name: { ...toolboxName, description: "Lower-case letters, digits, - and _, at most 40." },
      description: purpose,
      tools: entries("Full names of tools, patterns such as mcp:github:*, or * for every native tool."),
    },
    required: ["name", "tools"],
    async run(args, { caller }) {
      const { name, ...input } = args;
      const { toolboxes } = deps.catalog();
      toolboxes.checkNew(name, input);
      const addition = { tool, toolbox: name, added: input.tools, args, since: null };
      return (
        (await checkAddition(addition, caller, deps)) ??
        reportChange("Created", await toolboxes.create(name, input))
      );
    },
  });
}

function updateTool(deps: ToolboxToolsDeps): Tool {
  const tool = "update_toolbox";
  return define<{
    readonly name: string;
    readonly description?: string;
    readonly tools?: readonly string[];
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
  }>({
    name: tool,
    title: "Change a toolbox",
    description:
      "Change what a toolbox is for and which tools it holds: `add` and `remove` some, or give all of them as `tools`. Built-in ones cannot be changed. A person is asked before something is added that you do not have yourself, or that any agent would gain: call again with the same arguments once they have answered.",
    properties: {
      name: toolboxName,
      description: purpose,
      tools: entries("All that it holds from now on, in the place of what it held."),
      add: entries("What it holds as well from now on."),
      remove: entries("What it no longer holds."),
    },
    required: ["name"],
    flags: { destructive: true },
    async run(args, { caller }) {
      const { name, description, tools, add = [], remove = [] } = args;
      const { toolboxes } = deps.catalog();
      const before = toolboxes.get(name);
      const missing = remove.filter((entry) => !before.tools.includes(entry));
      if (missing.length > 0) return failed(`${name} does not hold ${missing.join(", ")}.`);
      const after = [...(tools ?? before.tools), ...add].filter((entry) => !remove.includes(entry));
      const change = { ...(description !== undefined && { description }), tools: after };
      toolboxes.checkChange(name, change);
      const added = after.filter((entry) => !before.tools.includes(entry));
      const addition = { tool, toolbox: name, added, args, since: before.updatedAt };
      const refused = await checkAddition(addition, caller, deps);
      // With the time of the last change: an entry that a person removed meanwhile must not come back.
      return refused ?? reportChange("Changed", await toolboxes.update(name, change, before.updatedAt));
    },
  });
}

function deleteTool({ catalog, questions }: ToolboxToolsDeps): Tool {
  const tool = "delete_toolbox";
  return define<{ readonly name: string }>({
    name: tool,
    title: "Delete a toolbox",
    description:
      "Delete a toolbox. Built-in ones cannot be deleted. Where agents have it they lose its tools, and a person is asked first: call again with the same arguments once they have answered.",
    properties: { name: toolboxName },
    required: ["name"],
    flags: { destructive: true },
    async run({ name }, { caller }) {
      const { toolboxes } = catalog();
      toolboxes.checkChange(name, {});
      const { agents, updatedAt } = toolboxes.get(name);
      const request = {
        tool,
        bound: [name, updatedAt, agents],
        prompt: `May ${caller.agentName} delete the toolbox ${name}? ${agents.join(", ")} would lose its tools.`,
        visibleArguments: { name },
      };
      const refused = agents.length === 0 ? undefined : await requireAgreement(questions, request, caller);
      if (refused) return refused;
      await toolboxes.delete(name);
      const lost = agents.length === 0 ? "" : ` Its tools are taken from ${agents.join(", ")}.`;
      return output(`Deleted ${name}.${lost}`, { name, deleted: true, agents });
    },
  });
}

/**
 * Undefined if no person has to agree, or one did. A person has to agree when a caller adds what it does not have itself, and
 * to any addition to a toolbox that agents have: otherwise two agents that manage toolboxes could grant each other everything.
 */
async function checkAddition(
  { tool, toolbox, added, args, since }: Addition,
  caller: Caller,
  { catalog, identity, questions }: ToolboxToolsDeps,
): Promise<ToolResult | undefined> {
  if (added.length === 0 || caller.operator) return undefined;
  const excess = catalog().findExcessGrants(caller, { grants: added });
  const gaining = identity.agentsWithToolbox(toolbox);
  if (excess.length === 0 && gaining.length === 0) return undefined;
  const tooMany = refuseTooMany(excess, [added]);
  if (tooMany) return tooMany;
  const prompt = [
    `May ${caller.agentName} ${since === null ? "create" : "add to"} the toolbox ${toolbox}?`,
    `It would hold ${shortenList(added)}.`,
    ...(excess.length === 0 ? [] : [`${caller.agentName} does not have ${shortenList(excess)} itself.`]),
    ...(gaining.length === 0 ? [] : [`${shortenList(gaining)} would gain them.`]),
  ].join(" ");
  return requireAgreement(
    questions,
    { tool, bound: [args, since, excess, gaining], prompt, visibleArguments: args },
    caller,
  );
}

function reportChange(verb: "Created" | "Changed", toolbox: ToolboxView): ToolResult {
  const { name, agents } = toolbox;
  const holders = agents.length === 0 ? "No agent has it yet." : `Agents that have it: ${agents.join(", ")}.`;
  return output(
    [`${verb} ${name}. ${holders}`, ...unresolvedLines(toolbox)].join("\n"),
    structureOf(toolbox),
  );
}

function describeOne(toolbox: ToolboxView): ToolResult {
  const { tools } = structureOf(toolbox).toolbox;
  return output(
    [line(toolbox), `Tools: ${tools.join(", ") || "none"}`, ...unresolvedLines(toolbox)].join("\n"),
    structureOf(toolbox),
  );
}

function structureOf(toolbox: ToolboxView) {
  const { name, description, builtin, unknown, unmatched, agents } = toolbox;
  return { toolbox: { name, description, tools: presentIn(toolbox), builtin, unknown, unmatched, agents } };
}

/** The entries of a toolbox without planned tools, which only people see. */
function presentIn({ tools, planned }: ToolboxView): readonly string[] {
  return tools.filter((tool) => !planned.includes(tool));
}

function line(toolbox: ToolboxView): string {
  const { name, builtin, agents, description } = toolbox;
  const tools = presentIn(toolbox);
  const facts = [
    ...(builtin ? ["built-in"] : []),
    tools.includes("*") ? "every native tool" : `${tools.length} tools`,
    ...(agents.length === 0 ? [] : [`agents: ${agents.join(", ")}`]),
  ];
  return `${name} (${facts.join("; ")})${description === "" ? "" : `: ${description}`}`;
}

function unresolvedLines({ unknown, unmatched }: ToolboxView): readonly string[] {
  return [
    ...(unknown.length === 0 ? [] : [`Not known (kept, in case they come): ${unknown.join(", ")}`]),
    ...(unmatched.length === 0 ? [] : [`Matches no tool yet: ${unmatched.join(", ")}`]),
  ];
}

function define<Args extends object>(
  definition: Omit<Definition<Args>, "domain" | "scope" | "availability">,
): Tool {
  return platformTool<Args>({ ...definition, domain: "toolboxes" }, explainRefusal);
}
