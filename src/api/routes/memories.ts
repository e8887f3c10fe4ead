import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../errors.ts";
import { rootOf } from "../../identity/context.ts";
import { OPERATOR } from "../../identity/identity.ts";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { Done, MemoryList } from "../contract.ts";
import { byId, exactly, nameText, type PageQuery, pageOf, pageQuery } from "../schema.ts";
import { memoryView } from "../views.ts";

const text = { type: "string", minLength: 1, maxLength: 1_000 };

/** What agents remember, for people who look after them. */
export function memoryRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { identity, memory, store } = hub;

  /** A sub-agent uses the memory of the agent it works for. */
  const ownerOf = (agent: string) =>
    agent === OPERATOR ? OPERATOR : rootOf(identity.agent(agent).id, (id) => identity.agentById(id));
  const everybody = () => [
    OPERATOR,
    ...identity.agents().flatMap(({ id, parentId }) => (parentId === null ? [id] : [])),
  ];

  app.get<{ Querystring: PageQuery & { agent?: string; text?: string } }>(
    "/memories",
    {
      schema: {
        summary: "Lists what agents remember, newest first; with a text what it finds, best first",
        querystring: exactly({ agent: nameText, text, ...pageQuery }),
        response: gives("MemoryList"),
      },
    },
    async ({ query: { agent, text: sought, ...query } }): Promise<MemoryList> => {
      const owner = agent === undefined ? undefined : ownerOf(agent);
      const page = pageOf(query);
      if (sought !== undefined) {
        const owners = owner === undefined ? everybody() : [owner];
        const found = await memory.search(owners, sought, page.offset + page.limit);
        const memories = found.slice(page.offset).map((record) => memoryView(hub, record));
        return { memories, total: memories.length };
      }
      const [records, total] = await Promise.all([
        store.memories.list({ ...page, ...(owner !== undefined && { agentId: owner }) }),
        store.memories.count(owner),
      ]);
      return { memories: records.map((record) => memoryView(hub, record)), total };
    },
  );

  app.delete<{ Params: { id: string } }>(
    "/memories/:id",
    { schema: { summary: "Forgets a memory, for good", params: byId, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      const record = await store.memories.get(params.id);
      if (!record || !(await memory.forget(record.agentId, record.id)))
        throw new ToolkeepError(
          "NOT_FOUND",
          `no agent has a memory ${JSON.stringify(params.id.slice(0, 100))}`,
          { remedy: "toolkeep memory list shows those there are." },
        );
      return { done: true };
    },
  );
}
