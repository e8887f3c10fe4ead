import { rootOf } from "../../../call/identity/context.ts";
import { type Identity, OPERATOR } from "../../../call/identity/identity.ts";
import { DONE, defineRoute, done, pageOf, type Route } from "../../../contract/define-route.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import { pick } from "../../../contract/shape.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { accessOfActor, signatureOf } from "../access.ts";
import type { Access } from "../knowledge.ts";
import * as shapes from "./contract.ts";
import type { Memory, Remembered } from "./memory.ts";
import type { MemoryStore } from "./memory-store.ts";
import { ownerOfSpace, spaceOfOwner } from "./spaces.ts";

export interface MemoryRouteDeps {
  readonly memory: Memory;
  readonly store: MemoryStore;
  readonly identity: Identity;
  readonly agents: { name(id: string): string };
  readonly settings: () => Settings;
  readonly clock: Clock;
}

/** Memories of agents, for people who look after them. */
export function memoryRoutes(deps: MemoryRouteDeps): readonly Route[] {
  const { memory, store, identity, agents, settings, clock } = deps;

  const ownerView = (agentId: string) => {
    const space = spaceOfOwner(agentId) ?? null;
    return { agent: space === null ? agents.name(agentId) : null, space };
  };
  const viewOf = (record: shapes.MemoryRecord) =>
    pick(shapes.memoryView, { ...record, ...ownerView(record.agentId) });
  const versionViewOf = (version: shapes.MemoryVersion) =>
    pick(shapes.memoryVersionView, { ...version, ...ownerView(version.agentId) });

  /** A sub-agent uses the memory of the agent it works for. */
  const ownerOf = (agent: string) =>
    agent === OPERATOR ? OPERATOR : rootOf(identity.agent(agent).id, (id) => identity.agentById(id));
  const spaces = () => Object.entries(settings().memory.spaces);
  const allOwners = () => [
    OPERATOR,
    ...identity.agents().flatMap(({ id, parentId }) => (parentId === null ? [id] : [])),
    ...spaces().map(([name]) => ownerOfSpace(name)),
  ];
  const chooseOwner = ({ agent, space }: Pick<shapes.NewMemory, "agent" | "space">) => {
    if (agent !== undefined && space !== undefined)
      throw new ToolkeepError("BAD_REQUEST", "expected an agent or a space, not both");
    if (space !== undefined) return ownerOfSpace(space);
    return agent === undefined ? undefined : ownerOf(agent);
  };
  const filterFor = (owner: string | undefined, { labels }: Access) => ({
    at: clock(),
    ...(owner !== undefined && { agentId: owner }),
    ...(labels !== null && { labels }),
  });
  const find = async (id: string, access: Access): Promise<shapes.MemoryRecord> => {
    const record = await store.get(id);
    const seen = record && (await memory.get([record.agentId], { id }, access));
    if (seen) return seen;
    throw new ToolkeepError("NOT_FOUND", `no agent has a memory ${JSON.stringify(id.slice(0, 100))}`, {
      remedy: "toolkeep memory list shows those there are.",
    });
  };
  const answer = (remembered: Remembered | undefined): shapes.MemoryAnswer => {
    if (remembered?.kind === "full")
      throw new ToolkeepError(
        "IN_USE",
        `${remembered.limit} memories are there, which is the most; forget some first`,
      );
    if (!remembered) throw new ToolkeepError("NOT_FOUND", "somebody forgot it in the same moment");
    return { memory: viewOf(remembered.memory) };
  };

  return [
    defineRoute({
      method: "GET",
      path: "/memories",
      summary: "Lists what agents remember, newest first; with a text what it finds, best first",
      query: shapes.memoryQuery,
      answer: shapes.memoryList,
      async handle({ query: { text, ...query }, by }) {
        const owner = chooseOwner(query);
        const access = accessOfActor(by);
        const page = pageOf(query);
        if (text !== undefined) {
          const owners = owner === undefined ? allOwners() : [owner];
          const hits = await memory.search(owners, text, page.offset + page.limit, access);
          const memories = hits.slice(page.offset).map(viewOf);
          return { memories, total: memories.length };
        }
        const filter = filterFor(owner, access);
        const [records, total] = await Promise.all([store.list({ ...page, ...filter }), store.count(filter)]);
        return { memories: records.map(viewOf), total };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/memories",
      summary: "Remembers something for an agent or a shared space; of a key what is new takes the place",
      role: "operator",
      body: shapes.newMemory,
      answer: shapes.memoryAnswer,
      status: 201,
      async handle({ body: { agent, space, tags = [], ...input }, by }) {
        const owner = chooseOwner({
          ...(agent !== undefined && { agent }),
          ...(space !== undefined && { space }),
        });
        return answer(await memory.remember(owner ?? OPERATOR, { ...input, tags }, { by: signatureOf(by) }));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/memories/spaces",
      summary: "Lists the spaces that agents share, and who may use them",
      answer: shapes.memorySpaces,
      async handle({ by }) {
        const access = accessOfActor(by);
        const counted = spaces().map(async ([name, { read, write }]) => ({
          name,
          read,
          write,
          memories: await store.count(filterFor(ownerOfSpace(name), access)),
        }));
        return { spaces: await Promise.all(counted) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/memories/retracted",
      summary: "Lists what was taken back, newest first",
      query: shapes.retractedQuery,
      answer: shapes.memoryHistory,
      async handle({ query, by }) {
        const filter = filterFor(undefined, accessOfActor(by));
        const versions = await store.retracted({ ...pageOf(query), ...filter });
        return { versions: versions.map(versionViewOf) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/memories/:id",
      summary: "Shows a memory",
      answer: shapes.memoryAnswer,
      handle: async ({ params, by }) => ({ memory: viewOf(await find(params.id, accessOfActor(by))) }),
    }),
    defineRoute({
      method: "GET",
      path: "/memories/:id/history",
      summary: "Shows what a memory said before, newest first; also of one that was taken back",
      answer: shapes.memoryHistory,
      async handle({ params, by }) {
        const versions = await memory.history(null, params.id, accessOfActor(by));
        return { versions: versions.map(versionViewOf) };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/memories/:id",
      summary: "Changes a memory; what it said before is kept as history",
      role: "operator",
      body: shapes.memoryEdit,
      answer: shapes.memoryAnswer,
      async handle({ params, body, by }) {
        const { id, agentId } = await find(params.id, accessOfActor(by));
        return answer(await memory.update(agentId, id, body, { by: signatureOf(by) }));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/memories/:id/retract",
      summary: "Takes a memory back: nobody finds it any more, and what it said is kept as history",
      role: "operator",
      answer: done,
      async handle({ params, by }) {
        const { id, agentId } = await find(params.id, accessOfActor(by));
        await memory.retract(agentId, id, { by: signatureOf(by) });
        return DONE;
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/memories/:id",
      summary: "Forgets a memory for good, with all that it said before",
      answer: done,
      async handle({ params: { id }, by }) {
        const hasHistory = (await memory.history(null, id)).length > 0;
        if (!hasHistory) await find(id, accessOfActor(by));
        await memory.erase(id);
        return DONE;
      },
    }),
  ];
}
