import { expect, test } from "vitest";
import type { ToolContext } from "../../../../src/contract/tool.ts";
import type { SyncOutcome } from "../../../../src/features/knowledge/contract.ts";
import { inboxTool } from "../../../../src/features/knowledge/tools/inbox-tool.ts";
import type { KnowledgeToolsDeps } from "../../../../src/features/knowledge/tools/knowledge-tool.ts";

const DONE: SyncOutcome = { skipped: false, sources: [] };

async function put(sync: () => Promise<SyncOutcome>) {
  const tool = inboxTool({
    inbox: { put: async () => ({ name: "note.md", path: "/inbox/note.md", source: "inbox" }) },
    sync: { sync, status: async () => [] },
    reachOf: () => ({ by: "ada" }),
    inboxWaitMs: 20,
  } as unknown as KnowledgeToolsDeps);
  const context = { signal: new AbortController().signal, caller: {} } as ToolContext;
  return (await tool.run({ content: "x", sync_immediately: true }, context)) as {
    readonly structured?: unknown;
  };
}

test("inbox_put says that what it wrote was synced, or why it was not yet, and does not wait for long", async () => {
  expect((await put(async () => DONE)).structured).toEqual({ name: "note.md", synced: true });
  const never = new Promise<SyncOutcome>(() => {});
  expect((await put(() => never)).structured).toEqual({
    ...{ name: "note.md", synced: false },
    reason: expect.stringContaining("waits for another"),
  });
  expect((await put(() => Promise.reject(new Error("closing")))).structured).toMatchObject({
    ...{ name: "note.md", synced: false },
    reason: expect.stringContaining("could not be synced"),
  });
});
