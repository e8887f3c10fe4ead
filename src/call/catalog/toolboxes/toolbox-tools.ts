import type { Caller } from "../../../contract/caller.ts";
import {
  type Definition,
  explainRefusal,
  failed,
  output,
  platformTool,
} from "../../../contract/define-tool.ts";
import type { JsonSchema, Tool, ToolResult } from "../../../contract/tool.ts";
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

/** What adding to a toolbox would mean, for whoever has to allow it. */
interface Addition {
  readonly tool: string;
  readonly toolbox: string;
  readonly added: readonly string[];
  readonly args: object;
  /** Its `updatedAt`; null: it is new. */
  readonly since: number | null;
}

/** Managing toolboxes: by name only, for main agents. What a built-in toolbox holds is not theirs to change. */
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
      if (name !== undefined) return one(toolboxes.get(name));
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
      return (await refusal(addition, caller, deps)) ?? told("Created", await toolboxes.create(name, input));
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
      const absent = remove.filter((entry) => !before.tools.includes(entry));
      if (absent.length > 0) return failed(`${name} does not hold ${absent.join(", ")}.`);
      const after = [...(tools ?? before.tools), ...add].filter((entry) => !remove.includes(entry));
      const change = { ...(description !== undefined && { description }), tools: after };
      toolboxes.checkChange(name, change);
      const added = after.filter((entry) => !before.tools.includes(entry));
      const addition = { tool, toolbox: name, added, args, since: before.updatedAt };
      const refused = await refusal(addition, caller, deps);
      // What a person has taken out of it meanwhile must not come back.
      return refused ?? told("Changed", await toolboxes.update(name, change, before.updatedAt));
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
      const wish = {
        tool,
        bound: [name, updatedAt, agents],
        prompt: `May ${caller.agentName} delete the toolbox ${name}? ${agents.join(", ")} would lose its tools.`,
        visibleArguments: { name },
      };
      const refused = agents.length === 0 ? undefined : await requireAgreement(questions, wish, caller);
      if (refused) return refused;
      await toolboxes.delete(name);
      const lost = agents.length === 0 ? "" : ` Its tools are taken from ${agents.join(", ")}.`;
      return output(`Deleted ${name}.${lost}`, { name, deleted: true, agents });
    },
  });
}

/**
 * Undefined where nobody needs to be asked, or a person agreed. Nobody gives away what they do not have, and nobody makes a toolbox that
 * agents have larger: two who manage toolboxes could give each other everything.
 */
async function refusal(
  { tool, toolbox, added, args, since }: Addition,
  caller: Caller,
  { catalog, identity, questions }: ToolboxToolsDeps,
): Promise<ToolResult | undefined> {
  if (added.length === 0 || caller.operator) return undefined;
  const exceeding = catalog().findExcessGrants(caller, { grants: added });
  const gaining = identity.agentsWithToolbox(toolbox);
  if (exceeding.length === 0 && gaining.length === 0) return undefined;
  const tooMany = refuseTooMany(exceeding, [added]);
  if (tooMany) return tooMany;
  const prompt = [
    `May ${caller.agentName} ${since === null ? "create" : "add to"} the toolbox ${toolbox}?`,
    `It would hold ${shortened(added)}.`,
    ...(exceeding.length === 0 ? [] : [`${caller.agentName} does not have ${shortened(exceeding)} itself.`]),
    ...(gaining.length === 0 ? [] : [`${shortened(gaining)} would gain them.`]),
  ].join(" ");
  return requireAgreement(
    questions,
    { tool, bound: [args, since, exceeding, gaining], prompt, visibleArguments: args },
    caller,
  );
}

function told(what: "Created" | "Changed", toolbox: ToolboxView): ToolResult {
  const { name, agents } = toolbox;
  const whose = agents.length === 0 ? "No agent has it yet." : `Agents that have it: ${agents.join(", ")}.`;
  return output([`${what} ${name}. ${whose}`, ...remarks(toolbox)].join("\n"), shown(toolbox));
}

function one(toolbox: ToolboxView): ToolResult {
  const { tools } = shown(toolbox).toolbox;
  return output(
    [line(toolbox), `Tools: ${tools.join(", ") || "none"}`, ...remarks(toolbox)].join("\n"),
    shown(toolbox),
  );
}

function shown(toolbox: ToolboxView) {
  const { name, description, builtin, unknown, unmatched, agents } = toolbox;
  return { toolbox: { name, description, tools: presentIn(toolbox), builtin, unknown, unmatched, agents } };
}

/** What a toolbox names, without what is planned: that is for people to know. */
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

function remarks({ unknown, unmatched }: ToolboxView): readonly string[] {
  return [
    ...(unknown.length === 0 ? [] : [`Not known (kept, in case they come): ${unknown.join(", ")}`]),
    ...(unmatched.length === 0 ? [] : [`Matches no tool yet: ${unmatched.join(", ")}`]),
  ];
}

function shortened(names: readonly string[]): string {
  const most = 20;
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(", ")} and ${rest} more` : names.join(", ");
}

function define<Args extends object>(
  definition: Omit<Definition<Args>, "domain" | "scope" | "availability">,
): Tool {
  return platformTool<Args>({ ...definition, domain: "toolboxes" }, explainRefusal);
}
