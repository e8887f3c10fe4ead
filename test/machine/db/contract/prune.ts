import { expect, test } from "vitest";
import { accessTables } from "../../../support/access-tables.ts";
import { callTables } from "../../../support/call-tables.ts";
import { trustStores } from "../../../support/trust-stores.ts";
import { agent, call, NOW, question, token } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const DAY = 86_400_000;
const OLD = NOW - 100 * DAY;

export function pruneContract(fresh: FreshStore): void {
  test("old calls go oldest first, a few at a time, and the others stay", async () => {
    await using t = await fresh();
    const calls = Array.from({ length: 7 }, (_, index) => call(`c${index}`, { startedAt: OLD + index }));
    await callTables(t.store).calls.put([...calls, call("late", { startedAt: NOW, outcome: null })]);
    expect(await t.store.prune("calls", NOW, 5)).toBe(5);
    expect((await callTables(t.store).calls.list({ limit: 10 })).map(({ id }) => id)).toEqual([
      "late",
      "c6",
      "c5",
    ]);
    expect(await t.store.prune("calls", NOW, 5)).toBe(2);
    expect(await t.store.prune("calls", NOW, 5)).toBe(0);
    expect((await callTables(t.store).calls.list({ limit: 10 })).map(({ id }) => id)).toEqual(["late"]);
  });

  test("a question goes only after the time in which it could be answered or used", async () => {
    await using t = await fresh();
    const { questions } = trustStores(t.store);
    await questions.create(question("over", { createdAt: OLD, expiresAt: OLD + DAY, state: "used" }));
    await questions.create(question("unanswered", { createdAt: OLD, expiresAt: OLD + DAY }));
    await questions.create(question("open", { createdAt: OLD, expiresAt: NOW + DAY }));
    await questions.create(question("answered", { createdAt: OLD, expiresAt: NOW + 1, state: "answered" }));
    expect(await trustStores(t.store).questions.prune(NOW, 10)).toBe(2);
    expect((await questions.list()).map(({ id }) => id).sort()).toEqual(["answered", "open"]);
  });

  test("a notification goes only when it was dismissed long ago", async () => {
    await using t = await fresh();
    const { notifications } = trustStores(t.store);
    for (const id of ["n1", "n2", "n3"]) {
      await notifications.create({
        id,
        agentId: null,
        level: "info",
        title: id,
        body: "",
        createdAt: OLD,
        dismissedAt: null,
      });
    }
    await notifications.dismiss("n1", OLD + 1);
    await notifications.dismiss("n2", NOW);
    expect(await trustStores(t.store).notifications.prune(NOW - DAY, 10)).toBe(1);
    expect((await notifications.list({ dismissed: true })).map(({ id }) => id)).toEqual(["n2", "n3"]);
  });

  test("a token goes only when it expired long ago, and every process hears of it", async () => {
    await using t = await fresh();
    const { tokens } = accessTables(t.store);
    await accessTables(t.store).agents.create(agent("ada"));
    await tokens.create(token("for_ever"));
    await tokens.create(token("expired", { expiresAt: OLD }));
    await tokens.create(token("just_expired", { expiresAt: NOW }));
    const revision = await t.store.revision();
    expect(await tokens.prune(NOW - DAY, 10)).toBe(1);
    expect((await tokens.list()).map(({ id }) => id).sort()).toEqual(["for_ever", "just_expired"]);
    expect(await t.store.revision()).toBe(revision + 1);
    expect(await tokens.prune(NOW - DAY, 10)).toBe(0);
    expect(await t.store.revision()).toBe(revision + 1);
  });

  test("an old attachment goes", async () => {
    await using t = await fresh();
    for (const [id, createdAt] of [
      ["old", OLD],
      ["new", NOW],
    ] as const) {
      const mimeType = "text/plain";
      const file = {
        id,
        agentId: "agt_a",
        conversation: "c",
        name: id,
        mimeType,
        bytes: 1,
        path: id,
        note: "",
      };
      await callTables(t.store).attachments.create({ ...file, createdAt });
    }
    expect(await t.store.prune("attachments", NOW - DAY, 10)).toBe(1);
    expect((await callTables(t.store).attachments.list()).map(({ id }) => id)).toEqual(["new"]);
  });
}
