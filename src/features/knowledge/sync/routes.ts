import { DONE, defineRoute, done, type Route } from "../../../contract/define-route.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import { pick } from "../../../contract/shape.ts";
import { accessOfActor } from "../access.ts";
import * as shapes from "../contract.ts";
import type { Access, KnowledgeSync } from "../knowledge.ts";

/** A sync that has nothing to do, or may not run, ends within this time. */
const SOON_MS = 250;

/** Sources, and how they are brought up to date. */
export function sourceRoutes(sync: KnowledgeSync): readonly Route[] {
  async function listViews(access: Access): Promise<shapes.SourceView[]> {
    const [records, statuses] = await Promise.all([sync.sources(), sync.status(access)]);
    const byId = new Map(statuses.map((status) => [status.source.id, status]));
    return records.flatMap((record) => {
      const status = byId.get(record.id);
      if (!status) return [];
      // The stored report also has its time, which is `lastSyncAt` here.
      const lastSync = status.lastSync && pick(shapes.sourceReport, status.lastSync);
      return [pick(shapes.sourceView, { ...record, ...status, lastSync })];
    });
  }

  async function answer(name: string, access: Access): Promise<shapes.SourceAnswer> {
    const source = (await listViews(access)).find((view) => view.name === name);
    if (source) return { source };
    throw new ToolkeepError("NOT_FOUND", `There is no source named "${name}".`, {
      remedy: "toolkeep source list shows those there are.",
    });
  }

  return [
    defineRoute({
      method: "GET",
      path: "/sources",
      summary: "Lists the sources, with what was read of them and how far a sync is",
      answer: shapes.sourceList,
      handle: async ({ by }) => ({ sources: await listViews(accessOfActor(by)) }),
    }),
    defineRoute({
      method: "GET",
      path: "/sources/:name",
      summary: "Shows a source",
      answer: shapes.sourceAnswer,
      handle: ({ params, by }) => answer(params.name, accessOfActor(by)),
    }),
    defineRoute({
      method: "POST",
      path: "/sources",
      summary: "Adds a source; a sync reads it",
      body: shapes.newSource,
      answer: shapes.sourceAnswer,
      status: 201,
      async handle({ body, by }) {
        const { name } = await sync.addSource(body);
        return answer(name, accessOfActor(by));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/sources/test",
      summary: "Reads a little of what a source would give, and changes nothing",
      body: shapes.sourceTrial,
      answer: shapes.sourceTest,
      handle: ({ body: { kind, config }, signal }) => sync.test(kind, config, signal),
    }),
    defineRoute({
      method: "PATCH",
      path: "/sources/:name",
      summary: "Changes a source; what was read of it stays until the next sync",
      body: shapes.sourceEdit,
      answer: shapes.sourceAnswer,
      async handle({ params, body, by }) {
        const { name } = await sync.changeSource(params.name, body);
        return answer(name, accessOfActor(by));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/sources/:name",
      summary: "Removes a source with everything that was read of it",
      answer: done,
      async handle({ params }) {
        await sync.removeSource(params.name);
        return DONE;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/sync",
      summary: "Brings a source, or every enabled one, up to date; it goes on when nobody waits any more",
      role: "operator",
      body: shapes.syncStart,
      answer: shapes.syncAnswer,
      async handle({ body: { wait = false, ...request }, by }) {
        const ended = sync.sync({ ...request, access: accessOfActor(by) });
        // The client may be gone by then; the list of sources shows how it ended.
        ended.catch(() => {});
        const outcome = wait ? await ended : await endSoon(ended);
        return outcome ? { running: false, ...outcome } : { running: true, skipped: false };
      },
    }),
  ];
}

/** Undefined if it takes longer. */
async function endSoon(ended: Promise<shapes.SyncOutcome>): Promise<shapes.SyncOutcome | undefined> {
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
