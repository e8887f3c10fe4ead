import { coversHost, findHosts } from "../../lib/address/hosts-in.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { SecretBindings } from "./contract.ts";
import type { Arguments, SecretInfo, SecretUse } from "./secret.ts";

/** No tool gets the secret in its arguments. */
export const UNBOUND: SecretBindings = { tools: [], hosts: [], agents: null };

/** For a secret that an agent set: the agent knows the value, so it may send it anywhere, and no other agent may use it. */
export function ownBindings(agentId: string): SecretBindings {
  return { tools: ["*"], hosts: ["*"], agents: [agentId] };
}

/** The bindings that a person who answers `prompt_secret` was told of. Without tools, bindings stay as they are. */
export function promptedBindings(
  details: Readonly<Record<string, unknown>>,
  agents: SecretBindings["agents"],
): { readonly bindings?: SecretBindings } {
  const { tools = [], hosts = [] } = details as Partial<SecretBindings>;
  return tools.length === 0 ? {} : { bindings: { tools, hosts, agents } };
}

const MAX_PATTERNS = 100;
/** A tool name, or an origin followed by any name that a server may have. */
const TOOL_PATTERN = /^(?=.{1,200}$)(?:[\w*.-]+|[a-z*]+:\P{C}+)$/u;
const HOST_PATTERN = /^(?=.{1,253}$)(?:\[[0-9a-f:]+\]|[\p{L}\p{N}*._-]+)(?::\d{1,5})?$/iu;

/** Says what is wrong with the bindings; undefined: nothing. */
export function checkBindings({ tools, hosts }: SecretBindings): string | undefined {
  if (tools.length > MAX_PATTERNS || hosts.length > MAX_PATTERNS)
    return `a secret is bound to at most ${MAX_PATTERNS} tools and as many hosts`;
  const tool = tools.find((pattern) => !TOOL_PATTERN.test(pattern));
  if (tool !== undefined)
    return `${JSON.stringify(tool)} is no tool: expected a name such as http_request, or mcp:github:*`;
  const host = hosts.find((pattern) => !HOST_PATTERN.test(pattern));
  return host === undefined
    ? undefined
    : `${JSON.stringify(host)} is no host: expected one such as api.github.com, *.example.com or localhost:8080`;
}

/** Why a call may not get a secret, as far as that is known without its value; the end of a sentence. */
export function explainRefusal(
  { bindings, source }: SecretInfo,
  { tool, caller }: SecretUse,
): string | undefined {
  const { tools, agents } = bindings;
  if (agents !== null && !caller.operator && !agents.includes(caller.agentId)) return "is not for this agent";
  const permission = `${tool.origin}:${tool.ownName}`;
  const isBound = tools.map(wildcard).some((covers) => covers(tool.name) || covers(permission));
  if (isBound) return undefined;
  return tools.length === 0 && source === "value"
    ? "is bound to no tool, so no call gets it"
    : `is not bound to ${tool.name}`;
}

/**
 * Whether a call goes only to hosts that the secret is bound to. Checks the arguments with all values filled in, because a
 * value may be part of an address. A tool that runs programs can reach every host, and a call whose hosts are not known
 * may reach any.
 */
export function staysWithin({ hosts }: SecretBindings, filled: Arguments, { tool }: SecretUse): boolean {
  if (hosts.includes("*")) return true;
  if (tool.scope === "shell" || tool.capabilities?.includes("shell")) return false;
  const reached = [...(tool.hostsOf ? tool.hostsOf(filled) : findHosts(filled))];
  if (reached.length === 0) return hosts.length === 0;
  return reached.every((host) => hosts.some((pattern) => coversHost(pattern, host)));
}
