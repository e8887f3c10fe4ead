import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import type { Catalog, ToolboxEntries } from "../catalog/catalog.ts";
import { contentsOf, coveringEntry } from "../catalog/grants.ts";
import { toListedTool } from "../conversation/tool-view.ts";
import { unrestrictedCaller } from "../identity/callers.ts";
import { checkParent } from "../identity/context.ts";
import type { AgentRecord, UnresolvedGrants } from "../identity/contract.ts";
import type { Identity } from "../identity/identity.ts";
import type { AccessChange, AccessPreview, AgentChange, ChangedTool, ToolboxContents } from "./contract.ts";
import { type AccessDeps, type EffectiveTools, effectiveTools } from "./effective-tools.ts";

/** Shows what a change of an agent or a toolbox would come to. Changes nothing. */
export async function previewAccess(
  { agent, toolbox }: AccessChange,
  deps: AccessDeps,
): Promise<AccessPreview> {
  const present = deps.catalog().toolboxes.byName;
  const future = toolbox ? withChange(present, toolbox) : present;
  const known = new Map(deps.identity.agents().map((record) => [record.name, record]));
  const named = agent && { before: known.get(agent.name), after: withAgentChange(agent, deps.identity) };
  const others = [...known.values()].filter(
    ({ name, toolboxes }) => name !== agent?.name && toolbox && toolboxes.includes(toolbox.name),
  );
  const pairs = [...(named ? [named] : []), ...others.map((record) => ({ before: record, after: record }))];
  const agents: AgentChange[] = [];
  for (const { before, after } of pairs) {
    const change = await compareAccess(before, after, future, deps);
    const isSame = change.added.length === 0 && change.removed.length === 0;
    if (!isSame || after.name === agent?.name) agents.push(change);
  }
  const contents = toolbox?.tools ? await describeToolboxContents(toolbox.tools, deps) : undefined;
  return { agents, ...(contents && { toolbox: contents }) };
}

/** The tools that a toolbox with these entries grants now, and the entry that grants each. */
export async function describeToolboxContents(
  entries: readonly string[],
  { catalog, costs }: AccessDeps,
): Promise<ToolboxContents> {
  const held = contentsOf(entries, catalog().all());
  const isPlanned = (tool: Tool) => tool.status().kind === "planned";
  const available = held.filter((tool) => !isPlanned(tool));
  const pace = createPace();
  const tools = [];
  for (const tool of available) {
    await pace();
    tools.push({ ...toListedTool(tool, costs), entry: coveringEntry(tool, entries) ?? tool.name });
  }
  return {
    tools,
    planned: held.filter(isPlanned).map(({ name }) => name),
    tokens: await costs.ofList(available),
    ...catalog().unresolvedGrants({ toolboxes: [], grants: entries }),
  };
}

function withChange(
  present: ToolboxEntries,
  { name, tools }: NonNullable<AccessChange["toolbox"]>,
): ToolboxEntries {
  const future = new Map(present);
  if (tools) future.set(name, { tools });
  else future.delete(name);
  return future;
}

/** The record of an agent as it would be; if the agent does not exist, as it would be created. */
function withAgentChange(
  { name, parent: parentName, scout = false, ...input }: NonNullable<AccessChange["agent"]>,
  identity: Pick<Identity, "agent" | "agents">,
): AgentRecord {
  const known = identity.agents().find((agent) => agent.name === name);
  if (known) {
    if (parentName !== undefined || scout) {
      throw new ToolkeepError("BAD_REQUEST", "whom an agent works for is said when it is made");
    }
    return { ...known, ...input };
  }
  const parent = parentName === undefined ? undefined : identity.agent(parentName);
  checkParent(name, scout, parent);
  return {
    ...{ id: "", name, description: "", toolboxes: [], grants: [], folders: [], pins: [] },
    ...{ model: null, headless: false, localModel: false, coordinator: false, createdAt: 0, updatedAt: 0 },
    ...{ parentId: parent?.id ?? null, scout },
    ...input,
  };
}

async function compareAccess(
  before: AgentRecord | undefined,
  after: AgentRecord,
  future: ToolboxEntries,
  deps: AccessDeps,
): Promise<AgentChange> {
  const catalog = deps.catalog();
  const present = catalog.toolboxes.byName;
  const now = before && (await effectiveTools(unrestrictedCaller(before), deps, present));
  const then = await effectiveTools(unrestrictedCaller(after), deps, future);
  return {
    agent: after.name,
    added: onlyIn(then, now, future, catalog),
    removed: now ? onlyIn(now, then, present, catalog) : [],
    hidden: then.hidden,
    before: now?.cost ?? NO_COST,
    after: then.cost,
    ...unresolvedIn(after, future, catalog),
  };
}

const NO_COST = { listed: 0, listedTokens: 0, deferred: 0, wholeTokens: 0, keptTokens: 0 };

/** The tools of one set that another lacks. */
function onlyIn(
  { tools, caller }: EffectiveTools,
  other: EffectiveTools | undefined,
  toolboxes: ToolboxEntries,
  catalog: Catalog,
): readonly ChangedTool[] {
  const otherTools = new Set(other?.tools);
  return tools
    .filter((tool) => !otherTools.has(tool))
    .map((tool) => ({
      name: tool.name,
      origin: tool.origin,
      grantedBy: catalog.grantSources(tool, caller, toolboxes),
    }));
}

/** A toolbox that the change creates is not unknown. */
function unresolvedIn(agent: AgentRecord, future: ToolboxEntries, catalog: Catalog): UnresolvedGrants {
  const { unknown, unmatched } = catalog.unresolvedGrants(agent);
  const isNew = (entry: string) =>
    agent.toolboxes.some((name) => entry === `toolbox ${name}` && future.has(name));
  return { unknown: unknown.filter((entry) => !isNew(entry)), unmatched };
}
