import { coversHost, findHosts } from "../../lib/address/hosts-in.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { SecretBindings } from "./contract.ts";
import type { Arguments, SecretInfo, SecretUse } from "./secret.ts";

/** Of a secret that no tool gets in its arguments. */
export const UNBOUND: SecretBindings = { tools: [], hosts: [], agents: null };

/** Of a secret that an agent set: it knows the value, so it may send it where it likes, and no other agent may. */
export function ownBindings(agentId: string): SecretBindings {
  return { tools: ["*"], hosts: ["*"], agents: [agentId] };
}

/** What a person who answers `prompt_secret` was told that the value is for; without tools what is bound stays so. */
export function askedFor(
  details: Readonly<Record<string, unknown>>,
  agents: SecretBindings["agents"],
): { readonly bindings?: SecretBindings } {
  const { tools = [], hosts = [] } = details as Partial<SecretBindings>;
  return tools.length === 0 ? {} : { bindings: { tools, hosts, agents } };
}

const MAX_PATTERNS = 100;
/** A tool name, or an origin and whatever a server may be called. */
const TOOL_PATTERN = /^(?=.{1,200}$)(?:[\w*.-]+|[a-z*]+:\P{C}+)$/u;
const HOST_PATTERN = /^(?=.{1,253}$)(?:\[[0-9a-f:]+\]|[\p{L}\p{N}*._-]+)(?::\d{1,5})?$/iu;

/** What is wrong with them; undefined: nothing. */
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

/** Why a call may not have a secret, as far as that shows before its value is there; the end of a sentence. */
export function withheld({ bindings, source }: SecretInfo, { tool, caller }: SecretUse): string | undefined {
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
 * Whether every place that a call goes to is one where the secret may go. Looks at the arguments with all values in
 * them: what a value adds to an address counts. A tool that runs programs reaches every host, and one of which nothing
 * shows where it goes may reach any.
 */
export function staysWithin({ hosts }: SecretBindings, filled: Arguments, { tool }: SecretUse): boolean {
  if (hosts.includes("*")) return true;
  if (tool.scope === "shell" || tool.capabilities?.includes("shell")) return false;
  const reached = [...(tool.hostsOf ? tool.hostsOf(filled) : findHosts(filled))];
  if (reached.length === 0) return hosts.length === 0;
  return reached.every((host) => hosts.some((pattern) => coversHost(pattern, host)));
}
