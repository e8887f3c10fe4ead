import { type ApprovalRequest, requireAgreement } from "../call/questions/agreement.ts";
import type { Questions } from "../call/questions/questions.ts";
import type { Caller } from "../contract/caller.ts";
import { type Definition, explainRefusal, failed, output, platformTool } from "../contract/define-tool.ts";
import type { Tool, ToolResult, ToolSource } from "../contract/tool.ts";
import type { ServerView } from "./contract.ts";
import {
  maskArguments,
  mergeServerInput,
  REACH_PROPERTIES,
  type ReachArgs,
  toServerInput,
} from "./tool-input.ts";
import type { Upstream } from "./upstream.ts";

export interface ServerToolsDeps {
  /** A function, because the names of these tools are reserved before there are servers. */
  readonly upstream: () => Pick<Upstream, "servers" | "server" | "add" | "update" | "approve" | "remove">;
  readonly questions: Pick<Questions, "ask">;
}

/** The number of one agent's servers that may await approval. */
const MAX_WAITING = 10;
/** The number of servers that one agent may add. */
const MAX_ADDED = 50;
const MAX_ERROR = 500;

/**
 * Tools with which agents manage servers. Nobody has them unless a toolbox or a grant names them. A server that an agent
 * adds or changes awaits a person's approval. No tool returns a value of env or headers, and none can make a server
 * trusted.
 */
export function createServerTools(deps: ServerToolsDeps): ToolSource {
  const tools = [listTool(deps), addTool(deps), updateTool(deps), removeTool(deps)];
  return { name: "servers", tools: () => tools, onChange: () => () => {} };
}

function listTool({ upstream }: ServerToolsDeps): Tool {
  return adminTool<Record<never, never>>({
    name: "list_mcp_servers",
    title: "List the MCP servers",
    description:
      "List every registered MCP server with its state and how it is reached. Of env and headers only the keys are shown.",
    properties: {},
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    async run() {
      const servers = upstream().servers().map(toSummary);
      const lines = servers.map(({ name, state, reached_by }) => `${name} (${state}): ${reached_by}`);
      return output(
        lines.length === 0 ? "No server is registered; add_mcp_server registers one." : lines.join("\n"),
        { servers },
      );
    },
  });
}

function addTool({ upstream }: ServerToolsDeps): Tool {
  return adminTool<ReachArgs & { readonly name: string }>({
    name: "add_mcp_server",
    title: "Add an MCP server",
    description:
      "Register an MCP server: a command for a local one, a url for a remote one. Unless the settings say otherwise it waits until a person has approved it, and its tools must then be granted by a person.",
    properties: {
      name: {
        type: "string",
        minLength: 1,
        maxLength: 64,
        description: "How it is called; tools get it as a prefix.",
      },
      ...REACH_PROPERTIES,
    },
    required: ["name"],
    shownArguments: maskArguments,
    takesSecretNames: true,
    async run({ name, ...reach }, { caller }) {
      const refused = refuseTooMany(upstream().servers(), caller);
      if (refused) return refused;
      const options = caller.operator ? {} : { addedBy: caller.agentName };
      return describeResult("Registered", await upstream().add(name, toServerInput(reach), options));
    },
  });
}

function updateTool({ upstream, questions }: ServerToolsDeps): Tool {
  return adminTool<ReachArgs & { readonly name: string; readonly new_name?: string }>({
    name: "update_mcp_server",
    title: "Change an MCP server",
    description:
      "Change how a registered MCP server is reached. Variables and headers are merged with the stored ones: one that is not given or blank stays, null removes it. For a server that a person registered an admin is asked first: call again with the same arguments once they have answered. Any other server stops and waits until a person has approved the change.",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 64, description: "The server." },
      new_name: { type: "string", minLength: 1, maxLength: 64, description: "Its new name." },
      ...REACH_PROPERTIES,
    },
    required: ["name"],
    flags: { destructive: true },
    shownArguments: maskArguments,
    takesSecretNames: true,
    async run({ name, new_name, ...reach }, { caller }) {
      const server = upstream().server(name);
      const input = mergeServerInput(reach, server);
      const change = new_name === undefined ? input : { ...input, name: new_name };
      if (Object.keys(change).length === 0) return failed("Nothing to change was given.");
      if (caller.operator) return describeResult("Changed", await upstream().update(name, change));
      const needsAgreement = isAddedByPerson(server);
      const refused = needsAgreement
        ? await requireAgreement(
            questions,
            createChangeRequest(server, { name, new_name, ...reach }, caller),
            caller,
          )
        : undefined;
      if (refused) return refused;
      const changed = await upstream().update(name, change, { by: caller.agentName });
      // An admin has agreed to exactly this change already.
      const isDecided = needsAgreement && changed.state === "pending_approval";
      return describeResult("Changed", isDecided ? await upstream().approve(changed.name) : changed);
    },
  });
}

function removeTool({ upstream, questions }: ServerToolsDeps): Tool {
  return adminTool<{ readonly name: string }>({
    name: "remove_mcp_server",
    title: "Remove an MCP server",
    description:
      "Disconnect an MCP server and forget it with its stored variables and headers. For a server that a person registered a person is asked first: call again with the same arguments once they have answered.",
    properties: { name: { type: "string", minLength: 1, maxLength: 64, description: "The server." } },
    required: ["name"],
    flags: { destructive: true },
    async run({ name }, { caller }) {
      const server = upstream().server(name);
      const refused = isAddedByPerson(server) ? await askToRemove(questions, server, caller) : undefined;
      if (refused) return refused;
      await upstream().remove(name);
      return output(`Removed ${name}.`, { name, removed: true });
    },
  });
}

/** Whether a person registered it: it is neither declared in a file nor added by an agent. */
function isAddedByPerson({ addedBy, source }: ServerView): boolean {
  return addedBy === null && source === "stored";
}

/** The approval is bound to every value, including those that are not shown, and to the current version of the server. */
function createChangeRequest(
  { id, name, changedAt, envKeys, headerKeys, state }: ServerView,
  args: object,
  { agentName }: Caller,
): ApprovalRequest {
  const kept = [...envKeys, ...headerKeys];
  const secrets =
    kept.length === 0
      ? ""
      : ` The stored values of ${kept.join(", ")} go along unless the change replaces them.`;
  return {
    tool: "update_mcp_server",
    bound: [id, changedAt, args],
    prompt: `May ${agentName} change the MCP server ${name} (${state.replace("_", " ")}) as the arguments say?${secrets} It is no longer trusted then.`,
    visibleArguments: maskArguments(args) as object,
  };
}

/** Asks a person; resolves with undefined once they have agreed. */
function askToRemove(
  questions: ServerToolsDeps["questions"],
  { id, name, changedAt }: ServerView,
  caller: Caller,
): Promise<ToolResult | undefined> {
  const request = {
    tool: "remove_mcp_server",
    bound: [id, changedAt],
    prompt: `May ${caller.agentName} remove the MCP server ${name}? Its stored env and header values are lost then.`,
    visibleArguments: { name },
  };
  return requireAgreement(questions, request, caller);
}

function adminTool<Args extends object>(
  definition: Omit<Definition<Args>, "domain" | "scope" | "availability">,
): Tool {
  return platformTool<Args>({ ...definition, domain: "servers" }, explainRefusal);
}

function refuseTooMany(
  servers: readonly ServerView[],
  { operator, agentName }: Caller,
): ToolResult | undefined {
  if (operator) return undefined;
  const own = servers.filter(({ addedBy }) => addedBy === agentName);
  const waiting = own.filter(({ state }) => state === "pending_approval").length;
  if (waiting >= MAX_WAITING)
    return failed(
      `${waiting} servers that you added wait for a person already. Wait until they are decided.`,
    );
  return own.length >= MAX_ADDED
    ? failed(`You have added ${own.length} servers already, which is the most. Remove one first.`)
    : undefined;
}

function describeResult(what: "Registered" | "Changed", server: ServerView): ToolResult {
  const { name, state } = server;
  const next =
    state === "pending_approval"
      ? "It does nothing until a person has approved it; they have been notified."
      : `It is ${state.replace("_", " ")}. Its tools can be called once a person has granted them.`;
  return output(`${what} ${name}. ${next}`, { server: toSummary(server) });
}

function toSummary(server: ServerView) {
  return {
    name: server.name,
    state: server.state,
    source: server.source,
    transport: server.transport,
    reached_by: server.url ?? [server.command, ...server.args].join(" "),
    env_keys: server.envKeys,
    header_keys: server.headerKeys,
    secrets: server.secrets,
    tools: server.toolCount,
    added_by: server.addedBy,
    last_error: server.lastError?.slice(0, MAX_ERROR) ?? null,
  };
}
