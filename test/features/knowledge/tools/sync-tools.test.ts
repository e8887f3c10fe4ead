import { expect, test } from "vitest";
import type { Progress, ToolContext, ToolResult } from "../../../../src/contract/tool.ts";
import type { SyncProgress } from "../../../../src/features/knowledge/contract.ts";
import type { SourceStatus, SyncRequest } from "../../../../src/features/knowledge/knowledge.ts";
import type { KnowledgeToolsDeps } from "../../../../src/features/knowledge/tools/knowledge-tool.ts";
import { createSyncTools } from "../../../../src/features/knowledge/tools/sync-tools.ts";

const NONE = { added: 0, changed: 0, unchanged: 0, gone: 0, failed: 0, chunks: 0, bytes: 0 };
const progress = (source: string, phase: SyncProgress["phase"], change: Partial<SyncProgress>) => ({
  ...{ source, phase, seen: 0, rate: 0, ...NONE, ...change },
});

async function called(name: string, sync: object) {
  const told: Progress[] = [];
  const tools = createSyncTools({
    sync,
    reachOf: () => ({ access: { labels: null } }),
  } as unknown as KnowledgeToolsDeps);
  const tool = tools.find((one) => one.name === name)!;
  const context = {
    ...{ signal: new AbortController().signal, caller: {} },
    progress: (update: Progress) => told.push(update),
  } as unknown as ToolContext;
  return { told, result: (await tool.run({}, context)) as ToolResult & { readonly structured?: unknown } };
}

test("progress over MCP says how far each source is and how fast, and only ever rises", async () => {
  const updates = [
    progress("notes", "scanning", {}),
    progress("notes", "scanning", { total: 640, rate: 9_000 }),
    progress("notes", "reading", { seen: 64, total: 1_000, added: 40, changed: 2, rate: 21.4 }),
    progress("notes", "done", { seen: 64, total: 1_000, rate: 21.4 }),
    progress("wiki", "reading", { seen: 3, rate: 1.6 }),
  ];
  const { told } = await called("sync", {
    async sync({ onProgress }: SyncRequest) {
      for (const update of updates) onProgress?.(update);
      return { skipped: false, sources: [] };
    },
  });
  expect(told.map(({ message }) => message)).toEqual([
    "notes: scanning, 0 files found, 0 files a second",
    "notes: scanning, 640 files found, 9000 files a second",
    "notes: reading, 64 of 1000 files, 42 new or changed, 21 files a second",
    "notes: done, 64 of 1000 files, 0 new or changed, 21 files a second",
    "wiki: reading, 3 files, 0 new or changed, 2 files a second",
  ]);
  const values = told.map((update) => update.progress);
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  expect(values.map(Math.floor)).toEqual([0, 0, 64, 64, 67]);
  expect(told.map(({ total }) => total)).toEqual([undefined, undefined, 1_000, 1_000, undefined]);
});

test("sync_status says how many passages have no vectors yet, and how fast they get them", async () => {
  const status: SourceStatus = {
    source: { id: "src_1", name: "notes", kind: "folder", label: null, enabled: true },
    ...{ entities: 9, chunks: 500, embedded: 128, lastSync: null, lastSyncAt: null, running: null },
    embedding: { done: 128, left: 372, rate: 21.4 },
  };
  const { result } = await called("sync_status", { status: async () => [status] });
  expect(JSON.stringify(result)).toContain(
    "notes (folder): 9 documents, 500 chunks, 128 with vectors, 372 left at 21 chunks a second; never synced",
  );
  expect(result.structured).toMatchObject({ sources: [{ embedding: { done: 128, left: 372, rate: 21.4 } }] });
});
