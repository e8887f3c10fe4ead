import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SourceView } from "../../../../../src/surfaces/api/contract.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

it("toolkeep sync reads what is new, says what could not be read, and how up to date sources are", async () => {
  await using api = await testApi({ settings: { knowledge: { embeddings: false } } });
  await using place = await tempHome();
  await writeFile(join(place.path, "a.md"), "# Door\n\nThe door is green.");
  await writeFile(join(place.path, "b.pdf"), "no pdf");
  await typed(api, ["source", "add", "folder", place.path, "--name", "notes"]);

  const first = await typed(api, ["sync", "notes"]);
  expect(first.out).toMatch(
    /^notes: 1 added, 0 changed, 0 unchanged, 0 gone, 1 not read, [\d.]+ s\n {2}b\.pdf: it is not a PDF/,
  );
  expect(first).toMatchObject({ code: 0 });
  const again = JSON.parse((await typed(api, ["sync", "--json"])).out);
  expect(again.sources.find(({ source }: { source: string }) => source === "notes")).toMatchObject({
    ...{ ok: true, added: 0, unchanged: 1 },
  });
  expect((await typed(api, ["sync", "--status", "notes"])).out).toMatch(
    /notes +1 +1 +0 +\d+s ago +0 added, 0 changed, 1 unchanged/,
  );
  expect((await typed(api, ["source", "list"])).out).toMatch(/notes +folder +1 +1 +ok/);
  expect(await typed(api, ["sync", "nowhere"])).toMatchObject({
    ...{ code: 3, err: expect.stringContaining("nowhere") },
  });
});

it("toolkeep sync fails where a source does, and says which", async () => {
  await using api = await testApi();
  await using place = await tempHome();
  await typed(api, ["source", "add", "folder", place.path, "--name", "notes"]);
  await place[Symbol.asyncDispose]();
  expect(await typed(api, ["sync"])).toMatchObject({
    ...{ code: 1, out: expect.stringContaining("notes: failed, the index is unchanged: ") },
  });
});

const NONE = { added: 0, changed: 0, unchanged: 0, gone: 0, failed: 0, chunks: 0, bytes: 0 };

/** The answers of a daemon in the middle of something. */
function answering(sources: readonly object[], isDone: () => boolean): TestApi {
  const answers: Record<string, () => Promise<object>> = {
    "GET /api/sources": async () => ({ sources }),
    "POST /api/sync": async () => {
      while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
      return { running: false, skipped: false, sources: [] };
    },
  };
  const inject = async ({ method, url }: { method: string; url: string }) => ({
    ...{ statusCode: 200, payload: JSON.stringify(await answers[`${method} ${url}`]!()) },
  });
  return { home: "/", app: { inject } } as unknown as TestApi;
}

const view = (name: string, change: Partial<SourceView>): object => ({
  ...{ name, entities: 3, chunks: 30, embedded: 10, lastSync: null, lastSyncAt: null, running: null },
  ...change,
});

it("whoever waits for a sync sees how far it is, how fast, and how many passages are still to get vectors", async () => {
  const sources = [
    view("notes", {
      running: { source: "notes", phase: "reading", ...NONE, seen: 64, total: 900, rate: 21.4, added: 60 },
      embedding: { done: 10, left: 20, rate: 7.6 },
    }),
    view("wiki", { running: { source: "wiki", phase: "scanning", ...NONE, seen: 0, total: 128, rate: 640 } }),
    view("mail", { embedding: { done: 5, left: 100, rate: 7.6 } }),
  ];
  let seen = "";
  const api = answering(sources, () => seen.includes("embedding"));
  const { out } = await typed(api, ["sync"], {
    interactive: true,
    err(text) {
      seen += text;
    },
  });
  expect(seen).toContain(
    "notes: reading, 64 of 900 files, 60 added, 0 changed, 21/s; wiki: scanning, 128 files found, 640/s; embedding: 15 passages done, 120 left, 8/s",
  );
  expect(out).toContain(
    "In the background, embedding: 15 passages done, 120 left, 8/s. See progress: toolkeep sync --status\n",
  );
  const status = (await typed(api, ["sync", "--status"])).out;
  expect(status).toMatch(/notes +3 +30 +10, 20 left, 8\/s +never +notes: reading, 64 of 900 files/);
  expect(status).toMatch(/mail +3 +30 +10, 100 left, 8\/s +never +never synced/);
});
