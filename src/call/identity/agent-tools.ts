import type { Caller } from "../../contract/caller.ts";
import { definePlatform, failed, output } from "../../contract/define-native-tool.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { checkName } from "../../contract/names.ts";
import type { JsonSchema, Tool, ToolResult } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, PAGE_PROPERTIES, type PageArgs, pageRequest } from "../../machine/db/query/paging.ts";
import { refuseTooMany, requireAgreement } from "../questions/agreement.ts";
import type { Questions } from "../questions/questions.ts";
import {
  checkGrantRequest,
  describeGrants,
  findAdded,
  findUnapproved,
  type GrantRequest,
  type GrantRequestDeps,
  shortenList,
  worksFor,
} from "./agent-grants.ts";
import { checkParent, contextOf, SCOUT_TOOLBOX } from "./context.ts";
import type { AgentInput, AgentRecord, NewAgent, UnresolvedGrants } from "./contract.ts";
import type { Identity } from "./identity.ts";

export interface AgentToolDeps extends GrantRequestDeps {
  readonly identity: Pick<
    Identity,
    "agents" | "agent" | "agentById" | "agentName" | "createAgent" | "updateAgent" | "deleteAgent" | "tokens"
  >;
  readonly questions: Pick<Questions, "ask">;
  /** The names of the tools that an agent sees. */
  readonly toolsOf: (agent: AgentRecord) => readonly string[];
  readonly unresolvedGrants: (agent: AgentRecord) => UnresolvedGrants;
}

const DOMAIN = { domain: "agents" } as const;
const READS = { readOnly: true, concurrencySafe: true } as const;
/** Above this number, only people create more. */
const MAX_AGENTS = 500;
const MAX_SHOWN_TOOLS = 500;

const NAME: JsonSchema = { type: "string", minLength: 1, maxLength: 40, description: "The agent." };
const DESCRIPTION: JsonSchema = { type: "string", maxLength: 2_000, description: "What it is for." };
const GRANTS: Readonly<Record<keyof GrantRequest, JsonSchema>> = {
  toolboxes: names(100, "The toolboxes it has."),
  grants: names(200, "Tools it has beside them, one by one: full names, or patterns such as mcp:github:*."),
  folders: {
    type: "array",
    maxItems: 50,
    items: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, maxLength: 4_096 },
        access: { enum: ["read", "write"] },
      },
      required: ["path", "access"],
      additionalProperties: false,
    },
    description: "Folders outside its workspace that it may use, by absolute path.",
  },
};

/**
 * Tools that manage agents, granted only by name and only to main agents. Unless a person agrees, callers cannot grant what
 * they do not have, and cannot change agents that do not work for them. No tool creates or shows a token.
 */
export function agentTools(deps: AgentToolDeps): readonly Tool[] {
  return [listTool(deps), getTool(deps), createTool(deps), updateTool(deps), deleteTool(deps)];
}

function listTool(deps: AgentToolDeps): Tool {
  return definePlatform<PageArgs>({
    ...DOMAIN,
    name: "list_agents",
    title: "List the agents",
    description: "List the agents with what each is for, whom it works for and which toolboxes it has.",
    properties: PAGE_PROPERTIES,
    required: [],
    flags: READS,
    async run(page) {
      const { limit, offset } = pageRequest(page);
      const all = deps.identity.agents();
      const found = { items: all.slice(offset, offset + limit), total: all.length };
      const texts = { line: (agent: AgentRecord) => agentLine(agent, deps), none: "There is no agent yet." };
      return outputPage(found, offset, texts, {
        agents: found.items.map((agent) => describeAgent(agent, deps)),
      });
    },
  });
}

function getTool(deps: AgentToolDeps): Tool {
  return definePlatform<{ readonly name: string }>({
    ...DOMAIN,
    name: "get_agent",
    title: "Show an agent",
    description: "Show an agent: its toolboxes, grants and folders, and every tool that it can call.",
    properties: { name: NAME },
    required: ["name"],
    flags: READS,
    async run({ name }) {
      const agent = deps.identity.agent(name);
      const tools = deps.toolsOf(agent);
      const shown = tools.slice(0, MAX_SHOWN_TOOLS);
      const tokens = deps.identity.tokens().filter(({ agentId }) => agentId === agent.id).length;
      const lines = [
        agentLine(agent, deps),
        `has ${describeGrants(agent) || "the core tools only"}`,
        `tokens: ${tokens}`,
        `tools (${tools.length}): ${shown.join(", ")}${tools.length > shown.length ? " …" : ""}`,
        ...unresolvedLines(agent, deps),
      ];
      return output(lines.join("\n"), {
        agent: describeAgent(agent, deps),
        tokens,
        tools: shown,
        tool_count: tools.length,
        ...deps.unresolvedGrants(agent),
      });
    },
  });
}

type CreateArgs = Pick<
  NewAgent,
  "name" | "description" | "parent" | "scout" | "toolboxes" | "grants" | "folders"
>;
type UpdateArgs = Pick<AgentInput, "description" | "toolboxes" | "grants" | "folders"> &
  Pick<NewAgent, "name">;

function createTool(deps: AgentToolDeps): Tool {
  const tool = "create_agent";
  return definePlatform<CreateArgs>({
    ...DOMAIN,
    name: tool,
    title: "Create an agent",
    description:
      "Create an agent: with a parent a sub-agent that works for it, with scout one that only looks around. Give it as little as its work needs; without toolboxes it has the core tools only. A person is asked first where it gets what you do not have yourself, or works for somebody else than you: call again with the same arguments once they have answered. A person makes the token that a program connects with.",
    properties: {
      name: { ...NAME, description: "Letters, digits, - and _, at most 40." },
      description: DESCRIPTION,
      parent: { ...NAME, description: "The agent that it works for, such as you." },
      scout: { type: "boolean", description: "Whether it only looks around for its parent. Default false." },
      ...GRANTS,
    },
    required: ["name"],
    async run(args, { caller }) {
      const { name, ...input } = args;
      const grants = withDefaults(args);
      const parent = checkNew(args, caller, deps);
      checkGrantRequest(grants, deps.toolboxNames());
      const excess = findUnapproved(grants, caller, deps);
      const tooMany = refuseTooMany(excess, listsOf(grants));
      if (tooMany) return tooMany;
      const isForeign = parent !== undefined && !isOwn(parent, caller, deps);
      const reasons = [
        ...explainExcess(caller, excess),
        ...(isForeign ? [`It would work for ${parent.name} and use its memory.`] : []),
      ];
      const request = {
        tool,
        bound: [args, excess, parent?.id ?? null],
        prompt: `May ${caller.agentName} create the agent ${name} with ${describeGrants(grants) || "the core tools"}? ${reasons.join(" ")}`,
        visibleArguments: args,
      };
      const refused =
        reasons.length === 0 ? undefined : await requireAgreement(deps.questions, request, caller);
      return refused ?? reportChange("Created", await deps.identity.createAgent(name, input), deps);
    },
  });
}

function updateTool(deps: AgentToolDeps): Tool {
  const tool = "update_agent";
  return definePlatform<UpdateArgs>({
    ...DOMAIN,
    name: tool,
    title: "Change an agent",
    description:
      "Change what an agent is for and what it has. A list that is given takes the place of the one that it had, so read it with get_agent first; what is left out stays. A person is asked first where the agent gains what you do not have yourself, or does not work for you: call again with the same arguments once they have answered.",
    properties: { name: NAME, description: DESCRIPTION, ...GRANTS },
    required: ["name"],
    flags: { destructive: true },
    async run(args, { caller }) {
      const { name, ...change } = args;
      if (Object.keys(change).length === 0) return failed("Nothing to change was given.");
      const agent = deps.identity.agent(name);
      const added = findAdded(change, agent);
      checkGrantRequest(added, deps.toolboxNames());
      const excess = findUnapproved(added, caller, deps);
      const tooMany = refuseTooMany(excess, listsOf(added));
      if (tooMany) return tooMany;
      const reasons = [
        ...explainExcess(caller, excess),
        ...(worksFor(agent, caller.agentId, deps) ? [] : [explainForeign(agent, caller)]),
      ];
      const request = {
        tool,
        bound: [args, agent.updatedAt, excess],
        prompt: `May ${caller.agentName} change the agent ${name}? ${describeChange(change, added)} ${reasons.join(" ")}`,
        visibleArguments: args,
      };
      const refused =
        reasons.length === 0 ? undefined : await requireAgreement(deps.questions, request, caller);
      // With the time of the last change: a grant that a person withdrew meanwhile must not come back.
      return (
        refused ??
        reportChange("Changed", await deps.identity.updateAgent(name, change, agent.updatedAt), deps)
      );
    },
  });
}

function deleteTool(deps: AgentToolDeps): Tool {
  const tool = "delete_agent";
  return definePlatform<{ readonly name: string }>({
    ...DOMAIN,
    name: tool,
    title: "Delete an agent",
    description:
      "Delete an agent with its tokens, memories and to-dos; its workspace stays. One that has sub-agents cannot be deleted, nor can you delete yourself. A person is asked first where it does not work for you or has a token: call again with the same arguments once they have answered.",
    properties: { name: NAME },
    required: ["name"],
    flags: { destructive: true },
    async run({ name }, { caller }) {
      const agent = deps.identity.agent(name);
      if (agent.id === caller.agentId) return failed("You cannot delete yourself.");
      const subAgents = deps.identity.agents().filter(({ parentId }) => parentId === agent.id);
      if (subAgents.length > 0)
        return failed(
          `${name} is the parent of ${shortenList(subAgents.map((each) => each.name))}. Delete those first.`,
        );
      const tokens = deps.identity.tokens().filter(({ agentId }) => agentId === agent.id).length;
      const isAllowed = tokens === 0 && worksFor(agent, caller.agentId, deps);
      const request = {
        tool,
        bound: [agent.id, agent.updatedAt],
        prompt: `May ${caller.agentName} delete the agent ${name} with its ${tokens} tokens, its memories and to-dos?`,
        visibleArguments: { name },
      };
      const refused = isAllowed ? undefined : await requireAgreement(deps.questions, request, caller);
      if (refused) return refused;
      await deps.identity.deleteAgent(name);
      return output(`Deleted ${name}.`, { name, deleted: true });
    },
  });
}

/** Throws what `createAgent` would throw, so that no person is asked in vain. */
function checkNew(
  { name, parent: parentName, scout = false }: CreateArgs,
  { operator }: Caller,
  { identity }: AgentToolDeps,
): AgentRecord | undefined {
  checkName("agent", name);
  const all = identity.agents();
  if (all.some((agent) => agent.name === name))
    throw new ToolkeepError("NAME_TAKEN", `an agent named ${name} exists already`);
  if (all.length >= MAX_AGENTS && !operator)
    throw new ToolkeepError("TOO_MANY", `there are ${all.length} agents already; only a person makes more`);
  const parent = parentName === undefined ? undefined : identity.agent(parentName);
  checkParent(name, scout, parent);
  return parent;
}

/** The grants of a new agent, as `createAgent` sets them. */
function withDefaults({ scout = false, toolboxes, grants, folders }: CreateArgs): GrantRequest {
  return {
    toolboxes: toolboxes ?? (scout ? [SCOUT_TOOLBOX] : []),
    ...(grants && { grants }),
    ...(folders && { folders }),
  };
}

function listsOf({ toolboxes = [], grants = [], folders = [] }: GrantRequest) {
  return [toolboxes, grants, folders];
}

function isOwn(agent: AgentRecord, caller: Caller, deps: AgentToolDeps): boolean {
  return agent.id === caller.agentId || worksFor(agent, caller.agentId, deps);
}

function explainExcess({ agentName }: Caller, excess: readonly string[]): readonly string[] {
  return excess.length === 0 ? [] : [`${agentName} does not have ${shortenList(excess)} itself.`];
}

function explainForeign({ id, name }: AgentRecord, { agentId, agentName }: Caller): string {
  return id === agentId ? `${agentName} would change itself.` : `${name} does not work for ${agentName}.`;
}

function describeChange(change: Omit<UpdateArgs, "name">, added: GrantRequest): string {
  const gains = describeGrants(added);
  const now = describeGrants(change);
  return [
    ...(gains === "" ? [] : [`It would gain ${gains}.`]),
    ...(now === "" ? [] : [`It would have ${now}.`]),
    ...(change.description === undefined ? [] : ["Its description would change."]),
  ].join(" ");
}

function reportChange(verb: "Created" | "Changed", agent: AgentRecord, deps: AgentToolDeps): ToolResult {
  const count = deps.toolsOf(agent).length;
  const next =
    verb === "Created" ? ` A person connects it: toolkeep token create --agent ${agent.name}.` : "";
  const line = `${verb} ${agentLine(agent, deps)}. It can call ${count} tools.${next}`;
  return output([line, ...unresolvedLines(agent, deps)].join("\n"), {
    agent: describeAgent(agent, deps),
    tool_count: count,
    ...deps.unresolvedGrants(agent),
  });
}

function unresolvedLines(agent: AgentRecord, deps: AgentToolDeps): readonly string[] {
  const { unknown, unmatched } = deps.unresolvedGrants(agent);
  return [
    ...(unknown.length === 0 ? [] : [`Not known (kept, in case they come): ${shortenList(unknown)}`]),
    ...(unmatched.length === 0 ? [] : [`Matches no tool yet: ${shortenList(unmatched)}`]),
  ];
}

function agentLine(agent: AgentRecord, deps: AgentToolDeps): string {
  const { name, context, parent, toolboxes, description } = describeAgent(agent, deps);
  const facts = [
    parent === null ? context : `${context} of ${parent}`,
    ...(toolboxes.length === 0 ? [] : [`toolboxes: ${shortenList(toolboxes)}`]),
  ];
  return `${name} (${facts.join("; ")})${description === "" ? "" : `: ${description}`}`;
}

function describeAgent(agent: AgentRecord, { identity }: AgentToolDeps) {
  const { name, description, parentId, toolboxes, grants, folders, createdAt, updatedAt } = agent;
  return {
    name,
    description,
    context: contextOf(agent),
    parent: parentId === null ? null : identity.agentName(parentId),
    toolboxes,
    grants,
    folders,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}

function names(maxItems: number, description: string): JsonSchema {
  return {
    type: "array",
    maxItems,
    uniqueItems: true,
    items: { type: "string", minLength: 1, maxLength: 200 },
    description,
  };
}
