import type { ToolboxEntries } from "../../../call/catalog/catalog.ts";
import { contentsOf, coveringEntry } from "../../../call/catalog/grants.ts";
import type { ToolCosts } from "../../../call/conversation/tool-costs.ts";
import { toListedTool } from "../../../call/conversation/tool-view.ts";
import { checkParent } from "../../../call/identity/context.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import type { Tool } from "../../../contract/tool.ts";
import type { Hub } from "../../../hub.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import type { AgentRecord } from "../../../machine/db/store.ts";
import type { AccessChange, AccessPreview, AgentChange, ChangedTool, ToolboxContents } from "../contract.ts";
import { callerOf } from "../views.ts";
import { type EffectiveSet, effectiveSet } from "./agent-tools.ts";

/** What a change of an agent or a toolbox would come to. Changes nothing. */
export async function previewAccess(
  hub: Hub,
  costs: ToolCosts,
  { agent, toolbox }: AccessChange,
): Promise<AccessPreview> {
  const now = hub.catalog.toolboxes.byName;
  const then: ToolboxEntries = toolbox ? changed(now, toolbox) : now;
  const known = new Map(hub.identity.agents().map((record) => [record.name, record]));
  const named = agent && { before: known.get(agent.name), after: asChanged(hub, agent) };
  const concerned = [...known.values()].filter(
    ({ name, toolboxes }) => name !== agent?.name && toolbox && toolboxes.includes(toolbox.name),
  );
  const pairs = [
    ...(named ? [named] : []),
    ...concerned.map((record) => ({ before: record, after: record })),
  ];
  const agents: AgentChange[] = [];
  for (const { before, after } of pairs) {
    const change = await changeOf(hub, costs, before, after, then);
    const isSame = change.added.length === 0 && change.removed.length === 0;
    if (!isSame || after.name === agent?.name) agents.push(change);
  }
  const contents = toolbox?.tools ? await toolboxContents(hub, costs, toolbox.tools) : undefined;
  return { agents, ...(contents && { toolbox: contents }) };
}

/** What a toolbox with these entries gives now, and through which of them. */
export async function toolboxContents(
  hub: Hub,
  costs: ToolCosts,
  entries: readonly string[],
): Promise<ToolboxContents> {
  const held = contentsOf(entries, hub.catalog.all());
  const isPlanned = (tool: Tool) => tool.status().kind === "planned";
  const there = held.filter((tool) => !isPlanned(tool));
  const pace = createPace();
  const tools = [];
  for (const tool of there) {
    await pace();
    tools.push({ ...toListedTool(tool, costs), entry: coveringEntry(tool, entries) ?? tool.name });
  }
  return {
    tools,
    planned: held.filter(isPlanned).map(({ name }) => name),
    tokens: await costs.ofList(there),
    ...hub.catalog.unresolvedGrants({ toolboxes: [], grants: entries }),
  };
}

function changed(now: ToolboxEntries, { name, tools }: NonNullable<AccessChange["toolbox"]>): ToolboxEntries {
  const then = new Map(now);
  if (tools) then.set(name, { tools });
  else then.delete(name);
  return then;
}

/** The record of an agent as it would be; of one that does not exist, as it would be made. */
function asChanged(hub: Hub, change: NonNullable<AccessChange["agent"]>): AgentRecord {
  const { name, parent: parentName, scout = false, ...input } = change;
  const known = hub.identity.agents().find((agent) => agent.name === name);
  if (known) {
    if (parentName !== undefined || scout) {
      throw new ToolkeepError("BAD_REQUEST", "whom an agent works for is said when it is made");
    }
    return { ...known, ...given(input) };
  }
  const parent = parentName === undefined ? undefined : hub.identity.agent(parentName);
  checkParent(name, scout, parent);
  return {
    ...{ id: "", name, description: "", toolboxes: [], grants: [], folders: [], pins: [] },
    ...{ model: null, headless: false, localModel: false, coordinator: false, createdAt: 0, updatedAt: 0 },
    ...{ parentId: parent?.id ?? null, scout },
    ...given(input),
  };
}

function given<T extends object>(input: T): T {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as T;
}

async function changeOf(
  hub: Hub,
  costs: ToolCosts,
  before: AgentRecord | undefined,
  after: AgentRecord,
  then: ToolboxEntries,
): Promise<AgentChange> {
  const now = hub.catalog.toolboxes.byName;
  const was = before && (await effectiveSet(hub, costs, callerOf(hub, before), now));
  const willBe = await effectiveSet(hub, costs, callerOf(hub, after), then);
  return {
    agent: after.name,
    added: changedTools(hub, willBe, was, then),
    removed: was ? changedTools(hub, was, willBe, now) : [],
    hidden: willBe.hidden,
    before: was?.cost ?? NOTHING,
    after: willBe.cost,
    ...unanswered(hub, after, then),
  };
}

const NOTHING = { listed: 0, listedTokens: 0, deferred: 0, wholeTokens: 0, keptTokens: 0 };

function changedTools(
  hub: Hub,
  { tools, caller }: EffectiveSet,
  other: EffectiveSet | undefined,
  toolboxes: ToolboxEntries,
): readonly ChangedTool[] {
  const theirs = new Set(other?.tools);
  return tools
    .filter((tool) => !theirs.has(tool))
    .map((tool) => ({
      name: tool.name,
      origin: tool.origin,
      grantedBy: hub.catalog.grantSources(tool, caller, toolboxes),
    }));
}

/** A toolbox that the change makes is no unknown one. */
function unanswered(hub: Hub, agent: AgentRecord, then: ToolboxEntries) {
  const { unknown, unmatched } = hub.catalog.unresolvedGrants(agent);
  const isNew = (entry: string) =>
    agent.toolboxes.some((name) => entry === `toolbox ${name}` && then.has(name));
  return { unknown: unknown.filter((entry) => !isNew(entry)), unmatched };
}
