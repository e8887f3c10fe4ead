import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Access, SyncOutcome } from "../../../../features/knowledge/knowledge.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  NewSource,
  SourceAnswer,
  SourceEdit,
  SourceList,
  SourceReport,
  SourceTest,
  SourceTrial,
  SourceView,
  SyncAnswer,
  SyncStart,
} from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { byName, exactly, filledText, nameText } from "../../schema.ts";
import { seenBy } from "../../seen-by.ts";

const config = { type: "object", maxProperties: 50 };
const label = { type: ["string", "null"], minLength: 1, maxLength: 40 };
const kind = filledText(100);
/** So soon a sync that has nothing to do, or may not run, is over. */
const SOON_MS = 250;

interface ByName {
  Params: { name: string };
}

/** Where knowledge comes from, and how it is brought up to date. */
export function sourceRoutes(app: FastifyInstance, context: ApiContext): void {
  const { sync } = context.hub.knowledge;

  async function views(access: Access): Promise<SourceView[]> {
    const [records, statuses] = await Promise.all([sync.sources(), sync.status(access)]);
    const byId = new Map(statuses.map((status) => [status.source.id, status]));
    return records.flatMap((record) => {
      const status = byId.get(record.id);
      return status ? [{ ...record, ...countsOf(status) }] : [];
    });
  }

  async function answer(name: string, access: Access): Promise<SourceAnswer> {
    const source = (await views(access)).find((view) => view.name === name);
    if (source) return { source };
    throw new ToolkeepError("NOT_FOUND", `There is no source named "${name}".`, {
      remedy: "toolkeep source list shows those there are.",
    });
  }

  app.get(
    "/sources",
    {
      schema: {
        summary: "Lists the sources, with what was read of them and how far a sync is",
        response: gives("SourceList"),
      },
    },
    async (request): Promise<SourceList> => ({ sources: await views(seenBy(request, context)) }),
  );

  app.get<ByName>(
    "/sources/:name",
    { schema: { summary: "Shows a source", params: byName, response: gives("SourceAnswer") } },
    (request) => answer(request.params.name, seenBy(request, context)),
  );

  app.post<{ Body: NewSource }>(
    "/sources",
    {
      schema: {
        summary: "Adds a source; a sync reads it",
        body: exactly({ name: nameText, kind, config, label }, ["name", "kind", "config"]),
        response: gives("SourceAnswer", 201),
      },
    },
    async (request, reply): Promise<SourceAnswer> => {
      const { name } = await sync.addSource(request.body);
      reply.code(201);
      return answer(name, seenBy(request, context));
    },
  );

  app.post<{ Body: SourceTrial }>(
    "/sources/test",
    {
      schema: {
        summary: "Reads a little of what a source would give, and changes nothing",
        body: exactly({ kind, config }, ["kind", "config"]),
        response: gives("SourceTest"),
      },
    },
    ({ body }, reply): Promise<SourceTest> =>
      whileConnected(reply, (signal) => sync.test(body.kind, body.config, signal)),
  );

  app.patch<ByName & { Body: SourceEdit }>(
    "/sources/:name",
    {
      schema: {
        summary: "Changes a source; what was read of it stays until the next sync",
        params: byName,
        body: exactly({ name: nameText, config, label, enabled: { type: "boolean" } }),
        response: gives("SourceAnswer"),
      },
    },
    async (request): Promise<SourceAnswer> => {
      const { name } = await sync.changeSource(request.params.name, request.body);
      return answer(name, seenBy(request, context));
    },
  );

  app.delete<ByName>(
    "/sources/:name",
    {
      schema: {
        summary: "Removes a source with everything that was read of it",
        params: byName,
        response: gives("Done"),
      },
    },
    async ({ params }): Promise<Done> => {
      await sync.removeSource(params.name);
      return { done: true };
    },
  );

  app.post<{ Body: SyncStart }>(
    "/sync",
    {
      schema: {
        role: "operator",
        summary: "Brings a source, or every enabled one, up to date; it goes on when nobody waits any more",
        body: exactly({ source: nameText, wait: { type: "boolean" } }),
        response: gives("SyncAnswer"),
      },
    },
    async (request): Promise<SyncAnswer> => {
      const { source, wait = false } = request.body;
      const ended = sync.sync({ access: seenBy(request, context), ...(source !== undefined && { source }) });
      // Whoever asked may be gone by then; the list of sources says how it ended.
      ended.catch(() => {});
      const outcome = wait ? await ended : await soon(ended);
      if (!outcome) return { running: true, skipped: false };
      return outcome.skipped
        ? { running: false, skipped: true, reason: outcome.reason }
        : { running: false, skipped: false, sources: outcome.sources };
    },
  );
}

function countsOf({
  entities,
  chunks,
  embedded,
  lastSync,
  lastSyncAt,
  running,
  embedding,
}: Pick<
  SourceView,
  "entities" | "chunks" | "embedded" | "lastSync" | "lastSyncAt" | "running" | "embedding"
>) {
  // It is kept with its time, which stands beside it here.
  const { at: _, ...report } = (lastSync ?? {}) as Partial<SourceReport> & { readonly at?: number };
  return {
    ...{ entities, chunks, embedded, lastSync: lastSync && (report as SourceReport), lastSyncAt, running },
    ...(embedding && { embedding }),
  };
}

/** Undefined where it takes longer. */
async function soon(ended: Promise<SyncOutcome>): Promise<SyncOutcome | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SOON_MS, undefined);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
