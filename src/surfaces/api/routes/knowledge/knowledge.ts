import type { FastifyInstance } from "fastify";
import { OPERATOR } from "../../../../call/identity/identity.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { ownerOfSpace } from "../../../../features/knowledge/memory/spaces.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  ChunkAnswer,
  EntityAnswer,
  InboxAnswer,
  InboxInput,
  InboxList,
  SearchPage,
} from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { byId, exactly, filledText, nameList, nameText } from "../../schema.ts";
import { seenBy, signedBy } from "../../seen-by.ts";

const MAX_LISTED = 500;
const metadata = { type: "object", maxProperties: 100 };

interface SearchQuery {
  query: string;
  limit?: number;
  source?: string;
  cursor?: string;
  /** `entity`, `memory`, or both with a comma between. */
  types?: string;
}

/** Searching and reading what was gathered, and the inbox. */
export function knowledgeRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub } = context;
  const { reader, inbox } = hub.knowledge;
  /** What people remember themselves, and what everybody shares. */
  const memoryOwners = () => [OPERATOR, ...Object.keys(hub.settings.memory.spaces).map(ownerOfSpace)];

  app.get<{ Querystring: SearchQuery }>(
    "/search",
    {
      schema: {
        summary: "Searches what was gathered, best first, with scores and where the words stand",
        querystring: exactly(
          {
            query: filledText(1_000),
            limit: { type: "integer", minimum: 1, maximum: 100 },
            source: nameText,
            cursor: { type: "string", maxLength: 20_000 },
            types: { enum: ["entity", "memory", "entity,memory", "memory,entity"] },
          },
          ["query"],
        ),
        response: gives("SearchPage"),
      },
    },
    (request, reply): Promise<SearchPage> => {
      const { query, limit = 20, source, cursor, types = "entity" } = request.query;
      const asked = {
        query,
        limit,
        types: types.split(",") as ("entity" | "memory")[],
        access: seenBy(request, context),
        memoryOwners: memoryOwners(),
        ...(source !== undefined && { source }),
        ...(cursor !== undefined && { cursor }),
      };
      return whileConnected(reply, (signal) => reader.search(asked, signal));
    },
  );

  app.get<{ Params: { id: string } }>(
    "/entities/:id",
    {
      schema: { summary: "Shows a document with its chunks", params: byId, response: gives("EntityAnswer") },
    },
    async (request): Promise<EntityAnswer> => {
      const entity = await reader.entity(request.params.id, seenBy(request, context));
      if (!entity) throw missing("document", request.params.id);
      return { entity };
    },
  );

  app.get<{ Params: { id: string }; Querystring: { around?: number } }>(
    "/chunks/:id",
    {
      schema: {
        summary: "Shows a chunk with its neighbours",
        params: byId,
        querystring: exactly({ around: { type: "integer", minimum: 0, maximum: 10 } }),
        response: gives("ChunkAnswer"),
      },
    },
    async (request): Promise<ChunkAnswer> => {
      const { params, query } = request;
      const found = await reader.chunk(params.id, query.around ?? 0, seenBy(request, context));
      if (!found) throw missing("chunk", params.id);
      return found;
    },
  );

  app.get(
    "/inbox",
    { schema: { summary: "Lists what lies in the inbox, newest first", response: gives("InboxList") } },
    (): Promise<InboxList> => inbox.list(MAX_LISTED),
  );

  app.post<{ Body: InboxInput }>(
    "/inbox",
    {
      schema: {
        role: "operator",
        summary: "Puts something into the inbox, under a name of its own; nothing is overwritten",
        body: exactly(
          {
            content: filledText(1_000_000),
            title: { type: "string", maxLength: 300 },
            tags: { ...nameList, maxItems: 50 },
            metadata,
            filename: { type: "string", maxLength: 300 },
            extension: { type: "string", maxLength: 20 },
          },
          ["content"],
        ),
        response: gives("InboxAnswer", 201),
      },
    },
    async (request, reply): Promise<InboxAnswer> => {
      const { name } = await inbox.put({ ...request.body, by: signedBy(request, context) });
      reply.code(201);
      return { name };
    },
  );
}

function missing(what: string, id: string): ToolkeepError {
  return new ToolkeepError("NOT_FOUND", `There is no ${what} ${JSON.stringify(id.slice(0, 100))}.`, {
    remedy: "toolkeep search finds those there are.",
  });
}
