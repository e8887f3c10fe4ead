import { mkdir, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SyncProgress } from "../../../../src/features/knowledge/contract.ts";
import type { SourceCounts } from "../../../../src/features/knowledge/sync/source-sync.ts";
import { type TestSync, testSync } from "../../../support/knowledge-sync.ts";
import { inDeep, isAtLength } from "../../../support/length.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { readySchema } from "../../../support/ready-schema.ts";

const NOTE =
  "---\ntitle: Plans\ntags: [Work, home]\ndate: 2024-05-01\n---\n\n# Heading\n\nA word about badgers.\n";

async function withNotes(t: TestSync, files: Readonly<Record<string, string>>): Promise<void> {
  await t.write(files);
  await t.sync.addSource({ name: "notes", kind: "folder", config: { path: t.folder } });
}

const notes = (count: number, text = "") =>
  Object.fromEntries(
    Array.from({ length: count }, (_, number) => [`${number}.md`, `# Note ${number}\n\n${text}`]),
  );

describe("on SQLite", () => contract(async () => ({ url: null, [Symbol.asyncDispose]: async () => {} })));
if (isAtLength)
  describe.runIf(hasPostgres())("on PostgreSQL", () => contract(() => readySchema("store and index")));

function contract(database: () => Promise<AsyncDisposable & { readonly url: string | null }>): void {
  test("a folder of Markdown comes into the index, with titles, tags, times and headings", async () => {
    await using db = await database();
    await using t = await testSync(db.url);
    await withNotes(t, { "a/plans.md": NOTE, "b.txt": "Plain words.", "picture.png": "no text" });
    const report = await t.run();
    expect(report).toMatchObject({ source: "notes", ok: true, seen: 2, added: 2, failed: 0, chunks: 2 });
    const entities = await t.entities();
    expect([...entities.keys()]).toEqual(["a/plans.md", "b.txt"]);
    expect(entities.get("a/plans.md")).toMatchObject({
      title: "Plans",
      type: "markdown",
      tags: ["work", "home"],
      uri: join(t.folder, "a/plans.md"),
      documentAt: Date.parse("2024-05-01"),
    });
    expect(await t.textOf("a/plans.md")).toEqual(["# Heading\n\nA word about badgers."]);
  });

  test("what is unchanged is not read again, what changed is, what vanished is gone, what comes back keeps its id", async () => {
    await using db = await database();
    await using t = await testSync(db.url);
    await withNotes(t, { "a.md": "one", "b.md": "two", "c.md": "three" });
    await t.run();
    const before = await t.entities();
    expect(await t.run()).toMatchObject({ seen: 3, unchanged: 3, added: 0, changed: 0, gone: 0 });

    await t.write({ "b.md": "two and more", "d.md": "four" });
    await rm(join(t.folder, "c.md"));
    expect(await t.run()).toMatchObject({ seen: 3, unchanged: 1, added: 1, changed: 1, gone: 1 });
    expect([...(await t.entities()).keys()]).toEqual(["a.md", "b.md", "d.md"]);
    expect(await t.textOf("b.md")).toEqual(["two and more"]);

    await t.write({ "c.md": "three" });
    expect(await t.run()).toMatchObject({ unchanged: 3, gone: 0 });
    const after = await t.entities();
    for (const key of ["a.md", "b.md", "c.md"]) expect(after.get(key)?.id).toBe(before.get(key)?.id);
  });

  test("a file that was only touched is not written again", async () => {
    await using db = await database();
    await using t = await testSync(db.url);
    await withNotes(t, { "a.md": "one" });
    await t.run();
    const { indexedAt } = (await t.entities()).get("a.md")!;
    await utimes(join(t.folder, "a.md"), 1_000_000_000, 1_000_000_000);
    expect(await t.run()).toMatchObject({ unchanged: 1, changed: 0 });
    expect((await t.entities()).get("a.md")).toMatchObject({ indexedAt, modifiedAt: 1_000_000_000_000 });
  });

  test("of two syncs at once one says that it was skipped, and one that waits runs after the other", async () => {
    await using db = await database();
    await using t = await testSync(db.url);
    await withNotes(t, notes(300));
    const access = { labels: null };
    const [first, second, third] = await Promise.all([
      t.sync.sync({ access }),
      t.sync.sync({ access }),
      t.sync.sync({ access, waits: true }),
    ]);
    const outcomes = [first, second].map((outcome) => outcome.skipped).sort();
    expect(outcomes).toEqual([false, true]);
    expect(third).toMatchObject({ skipped: false, sources: [{ added: 0, unchanged: 300 }] });
    expect((await t.entities()).size).toBe(300);
  });

  test("removing a source leaves nothing of it", async () => {
    await using db = await database();
    await using t = await testSync(db.url);
    await withNotes(t, { "a.md": "one" });
    await t.run();
    await t.sync.removeSource("notes");
    expect(await t.sync.sources()).toEqual([]);
    expect(await t.index.reader.changedEntities({ revision: 0, no: 0 }, 100)).toEqual([]);
  });
}

test("a source that is not there any more loses nothing, and says why", async () => {
  await using t = await testSync();
  await withNotes(t, { "a.md": "one", "b.md": "two" });
  await t.run();
  await rename(t.folder, `${t.folder}-away`);
  expect(await t.run()).toMatchObject({
    ok: false,
    gone: 0,
    error: expect.stringContaining("it is not there"),
  });
  expect((await t.entities()).size).toBe(2);
  await rename(`${t.folder}-away`, t.folder);
  expect(await t.run()).toMatchObject({ ok: true, unchanged: 2 });
});

inDeep("a folder that is empty all at once is taken for a drive that is not mounted", async () => {
  await using t = await testSync();
  await withNotes(t, notes(30));
  await t.run();
  await rename(t.folder, `${t.folder}-away`);
  await mkdir(t.folder);
  expect(await t.run()).toMatchObject({
    ok: false,
    gone: 0,
    error: expect.stringContaining("30 documents were"),
  });
  expect((await t.entities()).size).toBe(30);
});

test("a link is never followed, so nothing outside is read and a loop ends", async () => {
  await using t = await testSync();
  await withNotes(t, { "in/a.md": "one" });
  await t.write({ "../outside/secret.md": "secret" });
  await symlink(join(t.folder, ".."), join(t.folder, "in/up"));
  await symlink(join(t.folder, "../outside/secret.md"), join(t.folder, "in/secret.md"));
  await symlink(t.folder, join(t.folder, "in/loop"));
  expect(await t.run()).toMatchObject({ ok: true, seen: 1, added: 1 });
});

inDeep("a sync that is cancelled ends soon, and the next completes it", async () => {
  await using t = await testSync();
  await withNotes(t, notes(800, "Words. ".repeat(50)));
  const stop = new AbortController();
  const running = t.sync.sync({
    access: { labels: null },
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(running).rejects.toThrow();
  expect((await t.entities()).size).toBeLessThan(800);
  const report = await t.run();
  expect(report).toMatchObject({ ok: true, seen: 800, gone: 0 });
  expect(report.added + report.unchanged).toBe(800);
  expect((await t.entities()).size).toBe(800);
});

inDeep(
  "however many wait for a sync, it runs once more, and one that goes away takes nobody with it",
  async () => {
    await using t = await testSync();
    await withNotes(t, notes(300));
    const access = { labels: null };
    const running = t.sync.sync({ access });
    const leaving = new AbortController();
    const waiting = Array.from({ length: 20 }, () => t.sync.sync({ access, waits: true }));
    const gone = t.sync.sync({ access, waits: true, signal: leaving.signal });
    leaving.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    expect(await running).toMatchObject({ sources: [{ added: 300 }] });
    const outcomes = new Set(await Promise.all(waiting));
    expect([...outcomes]).toMatchObject([{ skipped: false, sources: [{ unchanged: 300 }] }]);
  },
);

inDeep("removing a source ends its sync, and the one of the others goes on", async () => {
  await using t = await testSync();
  await t.write(Object.fromEntries(Object.entries(notes(800)).map(([name, text]) => [`a/${name}`, text])));
  await t.write({ "b/note.md": "one" });
  for (const name of ["a", "b"])
    await t.sync.addSource({ name, kind: "folder", config: { path: join(t.folder, name) } });
  let removed: Promise<void> | undefined;
  const onProgress = () => {
    removed ??= t.sync.removeSource("a");
  };
  const outcome = await t.sync.sync({ access: { labels: null }, onProgress });
  await removed;
  expect(outcome).toMatchObject({
    sources: [
      { source: "a", ok: false, error: expect.stringContaining("removed") },
      { source: "b", ok: true, added: 1 },
    ],
  });
  expect((await t.sync.sources()).map(({ name }) => name)).toEqual(["b"]);
  expect([...(await t.entities()).keys()]).toEqual(["note.md"]);
});

test("a labelled source is there only for who may see its label", async () => {
  await using t = await testSync();
  await t.write({ "a.md": "one" });
  await t.sync.addSource({ name: "private", kind: "folder", config: { path: t.folder }, label: "private" });
  const nobody = { labels: [] };
  expect(await t.sync.status(nobody)).toEqual([]);
  expect(await t.sync.sync({ access: nobody })).toEqual({ skipped: false, sources: [] });
  await expect(t.sync.sync({ access: nobody, source: "private" })).rejects.toThrow("There is no source");
  const somebody = { labels: ["private"] };
  expect(await t.sync.sync({ access: somebody })).toMatchObject({ sources: [{ added: 1 }] });
  expect(await t.sync.status(somebody)).toMatchObject([{ lastSync: { added: 1, ok: true }, running: null }]);
});

test("progress tells of the files that were counted, then of those read, and the status of vectors to come", async () => {
  const counts = new Map<string, SourceCounts>();
  let rate: number | undefined;
  await using t = await testSync(null, { counts: async () => counts, embeddingRate: () => rate });
  await t.write({ "a.md": "one", "b/c.md": "two", "b/.hidden.md": "three" });
  const { id } = await t.sync.addSource({ name: "notes", kind: "folder", config: { path: t.folder } });
  const told: SyncProgress[] = [];
  await t.run({ onProgress: (progress) => told.push(progress) });
  expect([...new Set(told.map(({ phase }) => phase))]).toEqual(["scanning", "reading", "done"]);
  expect(told.find(({ phase }) => phase === "reading")).toMatchObject({ seen: 1, total: 2 });

  counts.set(id, { entities: 2, chunks: 30, embedded: 10 });
  const embedding = async () => (await t.sync.status({ labels: null }))[0]!.embedding;
  expect(await embedding()).toBeUndefined();
  rate = 12.5;
  expect(await embedding()).toEqual({ done: 10, left: 20, rate: 12.5 });
  counts.set(id, { entities: 2, chunks: 30, embedded: 30 });
  expect(await embedding()).toBeUndefined();
});

test("a source in the home is refused, and the home is left out of a source around it", async () => {
  await using t = await testSync();
  const add = (name: string, path: string) =>
    t.sync.addSource({ name, kind: "folder", config: { path, hidden: true } });
  await t.write({ "../home/notes/a.md": "one", "b.md": "two" });
  await expect(add("inside", join(t.home, "notes"))).rejects.toThrow("holds secrets");
  await add("around", join(t.home, ".."));
  expect(await t.run()).toMatchObject({ seen: 1, added: 1 });
});

test("the inbox is a source of its own, made when it is asked for", async () => {
  await using t = await testSync();
  const { folder, source } = await t.sync.inbox();
  expect(source).toMatchObject({ name: "inbox", kind: "inbox", enabled: true });
  expect((await t.sync.inbox()).source.id).toBe(source.id);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await t.write({ "../home/inbox/new.md": "# Found\n\nA thought." });
  expect(await t.run()).toMatchObject({ source: "inbox", added: 1 });
});

test("a source is tested without changing anything", async () => {
  await using t = await testSync();
  await t.write({ "a.md": "# One\n\nText.", "b.pdf": "no pdf" });
  expect(await t.sync.test("folder", { path: t.folder })).toEqual({
    ok: true,
    files: 2,
    more: false,
    sample: [{ key: "a.md", title: "One", chunks: 1 }],
    problems: [{ key: "b.pdf", reason: "it is not a PDF, or a broken one" }],
  });
  expect(await t.sync.test("folder", { path: "/nowhere/at/all" })).toMatchObject({ ok: false });
  expect(await t.sync.test("folder", { path: t.folder, depth: 1 })).toMatchObject({ ok: false });
  const nonsense = await t.sync.test("nonsense", {});
  expect(nonsense).toMatchObject({ ok: false, error: expect.stringContaining("folder, obsidian") });
});
