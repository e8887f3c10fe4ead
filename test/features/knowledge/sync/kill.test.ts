import { describe, expect, test } from "vitest";
import { built, type Child, startChild } from "../../../support/child.ts";
import { type TestSync, testSync } from "../../../support/knowledge-sync.ts";
import { hasPostgres, scopedSchema } from "../../../support/postgres.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const FILES = 400;
const MESSAGES = 200;
const ROUNDS = 3;
/** So that a sync is still under way when another begins. */
const ENOUGH_TO_MEET = FILES;

describe("on SQLite", () => contract(async () => ({ url: null, [Symbol.asyncDispose]: async () => {} })));
describe.runIf(hasPostgres())("on PostgreSQL", () => contract(scopedSchema));

function contract(database: () => Promise<AsyncDisposable & { readonly url: string | null }>): void {
  test("kill -9 during a sync: the next completes it, nothing is there twice, nothing is lost", async () => {
    await using db = await database();
    await using t = await testSync(db.url);
    await t.write(documents());
    await t.sync.addSource({ name: "files", kind: "folder", config: { path: t.folder } });
    await t.sync.addSource({ name: "mail", kind: "mail", config: { path: `${t.folder}/mail` } });

    let interrupted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await using child = syncChild(t.home, db.url);
      // What is left for a later round may be done before it has said so much.
      const isDone = () => child.lines.some((line) => line.startsWith("done"));
      await waitUntil("it has begun", () => child.lines.length > round * 3 || isDone(), 60_000);
      await child.kill9();
      if (!isDone()) interrupted += 1;
    }
    expect(interrupted).toBeGreaterThan(0);

    const { sources } = (await t.sync.sync({ access: { labels: null }, waits: true })) as Extract<
      Awaited<ReturnType<typeof t.sync.sync>>,
      { skipped: false }
    >;
    expect(sources).toMatchObject([
      { source: "files", ok: true, seen: FILES, failed: 0, gone: 0 },
      { source: "mail", ok: true, seen: 1, failed: 0, gone: 0 },
    ]);
    uninterrupted ??= syncedAtOnce();
    const whole = await uninterrupted;
    expect(whole.size).toBe(FILES + MESSAGES + 1);
    expect(await contents(t)).toEqual(whole);
  }, 180_000);

  test("a sync of another process is waited for by nobody: this one says that it was skipped", async () => {
    await using db = await database();
    if (db.url === null) return; // a home has one process at a time
    await using t = await testSync(db.url);
    await t.write(documents(ENOUGH_TO_MEET));
    await t.sync.addSource({ name: "files", kind: "folder", config: { path: t.folder } });
    await using child = syncChild(t.home, db.url);
    await waitUntil("it has begun", () => child.lines.length > 0, 60_000);
    expect(await t.sync.sync({ access: { labels: null } })).toEqual({
      skipped: true,
      reason: "another sync is under way",
    });
    await waitUntil("it is done", () => child.lines.at(-1)?.startsWith("done") ?? false, 60_000);
    expect(await t.run({ waits: true })).toMatchObject({ unchanged: ENOUGH_TO_MEET });
  }, 120_000);
}

/** What an index holds after a sync that nobody interrupted; the same for both. */
let uninterrupted: Promise<Map<string, unknown>> | undefined;

async function syncedAtOnce(): Promise<Map<string, unknown>> {
  await using fresh = await testSync();
  await fresh.write(documents());
  await fresh.sync.addSource({ name: "files", kind: "folder", config: { path: fresh.folder } });
  await fresh.sync.addSource({ name: "mail", kind: "mail", config: { path: `${fresh.folder}/mail` } });
  await fresh.sync.sync({ access: { labels: null } });
  return contents(fresh);
}

function documents(count = FILES): Record<string, string> {
  const files = Array.from({ length: count }, (_, at) => [
    `notes/${at % 30}/${at}.md`,
    `# Note ${at}\n\n${`Words of note ${at} about badgers. `.repeat(60)}`,
  ]);
  const messages = Array.from(
    { length: MESSAGES },
    (_, at) =>
      `From a@b Fri May  3 10:00:00 2024\nSubject: Message ${at}\nMessage-ID: <${at}@x>\n\nText ${at}.\n\n`,
  );
  return { ...Object.fromEntries(files), "mail/box.mbox": messages.join("") };
}

/** What the index holds, by key, with all that it says. */
async function contents(t: TestSync): Promise<Map<string, unknown>> {
  const held = new Map<string, unknown>();
  for (const [key, entity] of await t.entities()) {
    const chunks = await t.index.reader.chunksOf(entity, 0, 1_000);
    expect(chunks).toHaveLength(entity.chunkCount);
    held.set(key, { title: entity.title, hash: entity.hash, texts: chunks.map(({ text }) => text) });
  }
  return held;
}

/** Another process that syncs once and prints how far it is. */
function syncChild(home: string, url: string | null): Child {
  return startChild(`
    import { SourceSync } from ${built("features/knowledge/sync/source-sync.js")};
    import { SourceTable } from ${built("features/knowledge/tables.js")};
    import { openStore } from ${built("machine/db/open.js")};
    import { randomId } from ${built("lib/id.js")};
    const place = { home: ${JSON.stringify(home)}, databaseUrl: ${JSON.stringify(url)}, clock: Date.now };
    const store = await openStore(place);
    const log = { info() {}, warn() {}, error() {}, debug() {} };
    const sync = new SourceSync({ ...place, sources: new SourceTable(store.database), sharing: store, newId: randomId, log });
    const onProgress = ({ seen }) => console.log("seen " + seen);
    const outcome = await sync.sync({ access: { labels: null }, onProgress });
    console.log("done " + JSON.stringify(outcome));
    await sync.close();
    await store.close();
  `);
}
