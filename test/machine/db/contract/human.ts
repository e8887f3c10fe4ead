import { expect, test } from "vitest";
import {
  type NotificationRecord,
  type QuestionRecord,
  VISIBLE_STATES,
  type VisibleState,
} from "../../../../src/call/questions/contract.ts";
import { visibleState } from "../../../../src/call/questions/questions.ts";
import { trustStores } from "../../../support/trust-stores.ts";
import { NOW, question, secretRecord } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

const notification = (id: string, change: Partial<NotificationRecord> = {}): NotificationRecord => ({
  id,
  agentId: null,
  level: "info",
  title: "Done",
  body: "",
  createdAt: NOW,
  dismissedAt: null,
  ...change,
});

export function humanContract(fresh: FreshStore): void {
  test("a secret put again keeps the time it was made", async () => {
    await using t = await fresh();
    const { secrets } = trustStores(t.store);
    await secrets.put(secretRecord("KEY", { sealed: bytes(1, 0, 255) }));
    const later = { createdAt: NOW + 1, updatedAt: NOW + 1 };
    await secrets.put(secretRecord("KEY", { sealed: bytes(2), earlier: bytes(1), ...later }));
    await secrets.put(secretRecord("A", { sealed: bytes(), source: "env" }));
    expect(await secrets.list()).toEqual([
      secretRecord("A", { sealed: bytes(), source: "env" }),
      secretRecord("KEY", { sealed: bytes(2), earlier: bytes(1), updatedAt: NOW + 1 }),
    ]);
    await secrets.delete("A");
    await expect(secrets.delete("A")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a secret is bound to other tools, hosts and agents without a new value", async () => {
    await using t = await fresh();
    const { secrets } = trustStores(t.store);
    await secrets.put(secretRecord("KEY"));
    const bindings = { tools: ["mcp:x:*"], hosts: ["*.example.com"], agents: ["agt_ada"] };
    const { sealed: was, source } = secretRecord("KEY");
    const change = { sealed: bytes(9, 9), source, bindings };
    expect(await secrets.replace("KEY", change, was)).toBe(true);
    expect(await secrets.list()).toEqual([secretRecord("KEY", change)]);
    expect(await secrets.replace("KEY", { ...change, bindings: null }, was)).toBe(false);
    expect(await secrets.replace("NONE", change, was)).toBe(false);
    expect(await secrets.list()).toEqual([secretRecord("KEY", change)]);
  });

  test("questions of a batch move together, are counted by digest and not listed; a no is found again", async () => {
    await using t = await fresh();
    const { questions } = trustStores(t.store);
    const members = ["m1", "m2"].map((id) => question(id, { digest: "d", batchId: "q1" }));
    await questions.createBatch(question("q1"), members);
    expect((await questions.list()).map(({ id }) => id)).toEqual(["q1"]);
    expect(await questions.countOpen(["d", "other"], NOW)).toEqual(new Map([["d", 2]]));
    const settlement = { by: "eve", from: "cli", reason: "no" } as const;
    const no = { state: "answered", answer: "reject", answeredAt: NOW + 5, settlement } as const;
    expect(await questions.move("q1", "pending", no)).toBe(true);
    expect(await questions.get("m2")).toEqual({ ...members[1], ...no });
    expect(await questions.refused("d", NOW + 5)).toMatchObject({ answer: "reject", settlement });
    expect(await questions.refused("d", NOW + 6)).toBeUndefined();
    expect(await questions.move("q1", "pending", no)).toBe(false);
  });

  test("questions are listed newest last, by state and agent, the newest 500", async () => {
    await using t = await fresh();
    const { questions } = trustStores(t.store);
    for (let index = 0; index < 502; index++) {
      const change = { createdAt: NOW + index, agentId: index % 2 ? "agt_b" : "agt_a" };
      await questions.create(question(`q${String(index).padStart(3, "0")}`, change));
    }
    await questions.move("q500", "pending", { state: "answered" });
    const all = await questions.list();
    expect([all.length, all[0]?.id, all.at(-1)?.id]).toEqual([500, "q002", "q501"]);
    expect((await questions.list({ state: "answered" })).map((each) => each.id)).toEqual(["q500"]);
    expect(await questions.list({ agentId: "agt_b", state: "pending" })).toHaveLength(251);
  });

  test("an open question is found by digest until it is used, dismissed or expired", async () => {
    await using t = await fresh();
    const { questions } = trustStores(t.store);
    const asked = question("q1", { digest: "d" });
    await questions.create(asked);
    expect(await questions.open("d", NOW)).toEqual(asked);
    expect(await questions.open("d", asked.expiresAt)).toBeUndefined();
    expect(await questions.open("other", NOW)).toBeUndefined();

    const answered = { state: "answered", answer: "red", answeredAt: NOW + 2 } as const;
    await questions.move("q1", "pending", answered);
    expect(await questions.open("d", NOW)).toEqual({ ...asked, ...answered });
    await questions.move("q1", "answered", { state: "used" });
    expect(await questions.open("d", NOW)).toBeUndefined();
    expect(await questions.get("q1")).toEqual({ ...asked, ...answered, state: "used" });
    expect(await questions.get("no")).toBeUndefined();
  });

  test("of many moving a question on at once exactly one wins", async () => {
    await using t = await fresh();
    const stores = [t.store, await t.another()];
    await trustStores(t.store).questions.create(question("q1", { state: "answered", answer: "yes" }));
    const moves = Array.from({ length: 10 }, (_, index) =>
      trustStores(stores[index % 2]!).questions.move("q1", "answered", { state: "used" }),
    );
    expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
    expect(await trustStores(t.store).questions.move("no", "pending", { state: "used" })).toBe(false);
  });

  test("equal questions asked by two processes at once become one", async () => {
    await using t = await fresh();
    const stores = [t.store, await t.another()];
    const asked = Array.from({ length: 6 }, (_, index) => question(`q${index}`, { digest: "same" }));
    const created = await Promise.all(
      asked.map((each, index) => trustStores(stores[index % 2]!).questions.create(each)),
    );
    const [kept] = await trustStores(t.store).questions.list();
    expect(await trustStores(t.store).questions.list()).toHaveLength(1);
    expect(created).toEqual(created.map(() => kept));
    await trustStores(t.store).questions.create(
      question("later", { digest: "same", createdAt: kept!.expiresAt }),
    );
    expect(await trustStores(t.store).questions.list()).toHaveLength(2);
  });

  test("what may happen once is taken by exactly one of many", async () => {
    await using t = await fresh();
    const stores = [t.store, await t.another()];
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, index) => trustStores(stores[index % 2]!).claims.take("round", NOW)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await trustStores(t.store).claims.take("another", NOW)).toBe(true);
    expect(await trustStores(t.store).claims.prune(NOW + 1, 10)).toBe(2);
  });

  test("of several sealed key values the first is kept", async () => {
    await using t = await fresh();
    const { vaultKey } = trustStores(t.store);
    expect(await vaultKey.get()).toBeUndefined();
    expect(await vaultKey.claim(Uint8Array.of(1, 2), NOW)).toEqual(Uint8Array.of(1, 2));
    expect(await vaultKey.claim(Uint8Array.of(3), NOW)).toEqual(Uint8Array.of(1, 2));
    expect(await vaultKey.get()).toEqual(Uint8Array.of(1, 2));
  });

  test("a dismissed notification is listed only on request", async () => {
    await using t = await fresh();
    const { notifications } = trustStores(t.store);
    await notifications.create(notification("n2", { createdAt: NOW + 1, level: "error", agentId: "agt_a" }));
    await notifications.create(notification("n1"));
    await notifications.dismiss("n1", NOW + 5);
    expect((await notifications.list()).map((each) => each.id)).toEqual(["n2"]);
    expect(await notifications.list({ idPrefix: "n" })).toHaveLength(1);
    expect(await notifications.list({ idPrefix: "n1" })).toEqual([]);
    expect(await notifications.list({ idPrefix: "_2", dismissed: true })).toEqual([]);
    expect(await notifications.list({ dismissed: true })).toEqual([
      notification("n1", { dismissedAt: NOW + 5 }),
      notification("n2", { createdAt: NOW + 1, level: "error", agentId: "agt_a" }),
    ]);
    await expect(notifications.dismiss("no", NOW)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("notifications and questions are listed in pages, newest first, those of one moment too", async () => {
    await using t = await fresh();
    const { notifications } = trustStores(t.store);
    const { questions } = trustStores(t.store);
    for (const id of ["n1", "n2", "n3", "n4", "n5"]) {
      await notifications.create(notification(id));
      await questions.create(question(`q${id}`, { digest: `d${id}`, createdAt: NOW }));
    }
    await notifications.dismiss("n2", NOW);
    const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
    expect(ids(await notifications.list({ limit: 2 }))).toEqual(["n4", "n5"]);
    const before = { createdAt: NOW, id: "n4" };
    expect(ids(await notifications.list({ limit: 2, before }))).toEqual(["n1", "n3"]);
    expect(ids(await notifications.list({ dismissed: "only" }))).toEqual(["n2"]);
    expect(ids(await questions.list({ limit: 2, before: { createdAt: NOW, id: "qn3" } }))).toEqual([
      "qn1",
      "qn2",
    ]);
    const { expiresAt } = (await questions.get("qn1"))!;
    expect(await questions.list({ visible: { state: "settled", now: expiresAt - 1 } })).toEqual([]);
    expect(ids(await questions.list({ visible: { state: "settled", now: expiresAt }, limit: 1 }))).toEqual([
      "qn5",
    ]);
  });

  test("questions are listed by kind, and by the state that people see, as it is of each record", async () => {
    await using t = await fresh();
    const { questions } = trustStores(t.store);
    const now = NOW + 100;
    const kept: Record<VisibleState, readonly Partial<QuestionRecord>[]> = {
      pending: [{ state: "pending", expiresAt: now + 1 }],
      expired: [{ state: "pending", expiresAt: now }],
      answered: [{ state: "answered", answer: "once", expiresAt: now }],
      used: [{ state: "used", answer: "reject" }],
      dismissed: [{ state: "dismissed" }, { state: "used" }],
    };
    const ids: Partial<Record<VisibleState | "settled", string[]>> = { settled: [] };
    for (const [state, records] of Object.entries(kept) as [VisibleState, Partial<QuestionRecord>[]][])
      for (const [index, values] of records.entries()) {
        const record = question(`q_${state}_${index}`, {
          digest: `d_${state}_${index}`,
          createdAt: NOW,
          ...values,
        });
        await questions.create(record);
        expect(visibleState(record, now)).toBe(state);
        ids[state] = [...(ids[state] ?? []), record.id];
        if (state !== "pending") ids.settled!.push(record.id);
      }
    for (const state of [...VISIBLE_STATES, "settled"] as const) {
      const found = await questions.list({ visible: { state, now } });
      expect([state, found.map(({ id }) => id)]).toEqual([state, ids[state]!.sort()]);
    }
    await questions.create(question("q_access", { digest: "d_access", kind: "access", createdAt: NOW }));
    expect((await questions.list({ kind: "access" })).map(({ id }) => id)).toEqual(["q_access"]);
    expect(await questions.list({ kind: "secret" })).toEqual([]);
  });
}
