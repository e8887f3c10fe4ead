import type { FastifyInstance } from "fastify";
import { rootOf } from "../../../../call/identity/context.ts";
import { OPERATOR } from "../../../../call/identity/identity.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Access } from "../../../../features/knowledge/knowledge.ts";
import { MAX_CONTENT_CHARS, type Remembered } from "../../../../features/knowledge/memory/memory.ts";
import { ownerOfSpace } from "../../../../features/knowledge/memory/spaces.ts";
import { MEMORY_TYPES, type MemoryRecord } from "../../../../machine/db/tables/knowledge/memory-record.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  MemoryAnswer,
  MemoryEdit,
  MemoryHistory,
  MemoryList,
  MemorySpaces,
  NewMemory,
} from "../../contract.ts";
import { byId, exactly, filledText, nameText, type PageQuery, pageOf, pageQuery } from "../../schema.ts";
import { seenBy, signedBy } from "../../seen-by.ts";
import { memoryVersionView, memoryView } from "../../views.ts";

const sought = filledText(1_000);
const space = filledText(40);
const content = {
  text: filledText(MAX_CONTENT_CHARS),
  tags: { type: "array", maxItems: 20, items: filledText(50) },
  type: { enum: MEMORY_TYPES },
  metadata: { type: "object", maxProperties: 100 },
};
const labelText = { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,39}$" };
const time = { type: "integer", minimum: 0 };

interface ById {
  Params: { id: string };
}

/** What agents remember, for people who look after them. */
export function memoryRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub, options } = context;
  const { identity, memory, store } = hub;

  /** A sub-agent uses the memory of the agent it works for. */
  const ownerOf = (agent: string) =>
    agent === OPERATOR ? OPERATOR : rootOf(identity.agent(agent).id, (id) => identity.agentById(id));
  const spaces = () => Object.entries(hub.settings.memory.spaces);
  const everybody = () => [
    OPERATOR,
    ...identity.agents().flatMap(({ id, parentId }) => (parentId === null ? [id] : [])),
    ...spaces().map(([name]) => ownerOfSpace(name)),
  ];
  const chosen = (named: { agent?: string; space?: string }) => {
    if (named.agent !== undefined && named.space !== undefined)
      throw new ToolkeepError("BAD_REQUEST", "expected an agent or a space, not both");
    if (named.space !== undefined) return ownerOfSpace(named.space);
    return named.agent === undefined ? undefined : ownerOf(named.agent);
  };
  const filterFor = (owner: string | undefined, { labels }: Access) => ({
    at: options.clock(),
    ...(owner !== undefined && { agentId: owner }),
    ...(labels !== null && { labels }),
  });
  const found = async (id: string, access: Access): Promise<MemoryRecord> => {
    const record = await store.memories.get(id);
    const seen = record && (await memory.get([record.agentId], { id }, access));
    if (seen) return seen;
    throw new ToolkeepError("NOT_FOUND", `no agent has a memory ${JSON.stringify(id.slice(0, 100))}`, {
      remedy: "toolkeep memory list shows those there are.",
    });
  };
  const kept = (remembered: Remembered | undefined): MemoryAnswer => {
    if (remembered?.kind === "full")
      throw new ToolkeepError(
        "IN_USE",
        `${remembered.limit} memories are there, which is the most; forget some first`,
      );
    if (!remembered) throw new ToolkeepError("NOT_FOUND", "somebody forgot it in the same moment");
    return { memory: memoryView(hub, remembered.memory) };
  };

  app.get<{ Querystring: PageQuery & { agent?: string; space?: string; text?: string } }>(
    "/memories",
    {
      schema: {
        summary: "Lists what agents remember, newest first; with a text what it finds, best first",
        querystring: exactly({ agent: nameText, space, text: sought, ...pageQuery }),
        response: gives("MemoryList"),
      },
    },
    async (request): Promise<MemoryList> => {
      const { agent, space: named, text, ...query } = request.query;
      const owner = chosen({
        ...(agent !== undefined && { agent }),
        ...(named !== undefined && { space: named }),
      });
      const access = seenBy(request, context);
      const page = pageOf(query);
      if (text !== undefined) {
        const owners = owner === undefined ? everybody() : [owner];
        const hits = await memory.search(owners, text, page.offset + page.limit, access);
        const memories = hits.slice(page.offset).map((record) => memoryView(hub, record));
        return { memories, total: memories.length };
      }
      const filter = filterFor(owner, access);
      const [records, total] = await Promise.all([
        store.memories.list({ ...page, ...filter }),
        store.memories.count(filter),
      ]);
      return { memories: records.map((record) => memoryView(hub, record)), total };
    },
  );

  app.post<{ Body: NewMemory }>(
    "/memories",
    {
      schema: {
        role: "operator",
        summary: "Remembers something for an agent or a shared space; of a key what is new takes the place",
        body: exactly(
          { agent: nameText, space, key: nameText, ...content, label: labelText, expiresAt: time },
          ["text"],
        ),
        response: gives("MemoryAnswer", 201),
      },
    },
    async (request, reply): Promise<MemoryAnswer> => {
      const { agent, space: named, tags = [], ...input } = request.body;
      const owner = chosen({
        ...(agent !== undefined && { agent }),
        ...(named !== undefined && { space: named }),
      });
      const by = signedBy(request, context);
      reply.code(201);
      return kept(await memory.remember(owner ?? OPERATOR, { ...input, tags }, { by }));
    },
  );

  app.get(
    "/memories/spaces",
    {
      schema: {
        summary: "Lists the spaces that agents share, and who may use them",
        response: gives("MemorySpaces"),
      },
    },
    async (request): Promise<MemorySpaces> => {
      const access = seenBy(request, context);
      const counted = spaces().map(async ([name, { read, write }]) => ({
        name,
        read,
        write,
        memories: await store.memories.count(filterFor(ownerOfSpace(name), access)),
      }));
      return { spaces: await Promise.all(counted) };
    },
  );

  app.get<{ Querystring: PageQuery }>(
    "/memories/retracted",
    {
      schema: {
        summary: "Lists what was taken back, newest first",
        querystring: exactly({ ...pageQuery }),
        response: gives("MemoryHistory"),
      },
    },
    async (request): Promise<MemoryHistory> => {
      const filter = filterFor(undefined, seenBy(request, context));
      const versions = await store.memories.retracted({ ...pageOf(request.query), ...filter });
      return { versions: versions.map((version) => memoryVersionView(hub, version)) };
    },
  );

  app.get<ById>(
    "/memories/:id",
    { schema: { summary: "Shows a memory", params: byId, response: gives("MemoryAnswer") } },
    async (request): Promise<MemoryAnswer> => ({
      memory: memoryView(hub, await found(request.params.id, seenBy(request, context))),
    }),
  );

  app.get<ById>(
    "/memories/:id/history",
    {
      schema: {
        summary: "Shows what a memory said before, newest first; also of one that was taken back",
        params: byId,
        response: gives("MemoryHistory"),
      },
    },
    async (request): Promise<MemoryHistory> => {
      const versions = await memory.history(null, request.params.id, seenBy(request, context));
      return { versions: versions.map((version) => memoryVersionView(hub, version)) };
    },
  );

  app.patch<ById & { Body: MemoryEdit }>(
    "/memories/:id",
    {
      schema: {
        role: "operator",
        summary: "Changes a memory; what it said before is kept as history",
        params: byId,
        body: exactly({
          ...content,
          label: { ...labelText, type: ["string", "null"] },
          expiresAt: { ...time, type: ["integer", "null"] },
        }),
        response: gives("MemoryAnswer"),
      },
    },
    async (request): Promise<MemoryAnswer> => {
      const { id, agentId } = await found(request.params.id, seenBy(request, context));
      return kept(await memory.update(agentId, id, request.body, { by: signedBy(request, context) }));
    },
  );

  app.post<ById>(
    "/memories/:id/retract",
    {
      schema: {
        role: "operator",
        summary: "Takes a memory back: nobody finds it any more, and what it said is kept as history",
        params: byId,
        response: gives("Done"),
      },
    },
    async (request): Promise<Done> => {
      const { id, agentId } = await found(request.params.id, seenBy(request, context));
      await memory.retract(agentId, id, { by: signedBy(request, context) });
      return { done: true };
    },
  );

  app.delete<ById>(
    "/memories/:id",
    {
      schema: {
        summary: "Forgets a memory for good, with all that it said before",
        params: byId,
        response: gives("Done"),
      },
    },
    async (request): Promise<Done> => {
      const { id } = request.params;
      const isHistory = (await memory.history(null, id)).length > 0;
      if (!isHistory) await found(id, seenBy(request, context));
      await memory.erase(id);
      return { done: true };
    },
  );
}
