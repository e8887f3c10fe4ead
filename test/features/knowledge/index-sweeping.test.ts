import { expect, test } from "vitest";
import type { SweepStep } from "../../../src/features/knowledge/index/index-store.ts";
import {
  IndexSweeping,
  type IndexSweepingDeps,
} from "../../../src/features/knowledge/indexing/index-sweeping.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { entity, NOW, sqliteIndex, type TestIndex } from "./index/indexes.ts";

const sweepingOf = (writer: IndexSweepingDeps["writer"]) =>
  new IndexSweeping({
    ...{ writer, log: silentLog, quietMs: 0, settleMs: 0 },
    lead: (work, signal) => work(signal),
  });

/** An index of which most is dead, with more rows than one step takes. */
async function staleIndex(): Promise<TestIndex> {
  const t = await sqliteIndex();
  const texts = Array.from({ length: 1_200 }, (_, at) => `old word${at}`);
  await t.writer.write([entity("a", texts)], NOW);
  await t.writer.write([entity("a", ["new"])], NOW);
  return t;
}

const terms = async (t: TestIndex) => (await t.index.reader.termsFrom("", 5_000)).sort();

test("a woken sweep goes on until only what is alive is left, and rests", async () => {
  await using t = await staleIndex();
  expect(await terms(t)).toHaveLength(1_203);
  const sweeping = sweepingOf(t.index.writer);
  sweeping.wake();
  sweeping.wake();
  await sweeping.rest();
  expect(await terms(t)).toEqual(["a", "new"]);
  await sweeping.close();
});

test("one that is closed in the middle ends after its step, and the next goes on", async () => {
  await using t = await staleIndex();
  const steps: SweepStep[] = [];
  const closing = sweepingOf({
    async sweep() {
      const step = await t.index.writer.sweep();
      steps.push(step);
      if (step === "swept") void closing.close();
      return step;
    },
  });
  closing.wake();
  await closing.rest();
  expect(steps).toEqual(["begun", "swept"]);
  expect((await terms(t)).length).toBeGreaterThan(100);
  closing.wake();
  await closing.rest();
  expect(steps).toHaveLength(2);
  const next = sweepingOf((await t.another()).writer);
  next.wake();
  await next.rest();
  expect(await terms(t)).toEqual(["a", "new"]);
});

test("a step that fails is told, and tried again when it is woken", async () => {
  await using t = await staleIndex();
  let isBroken = true;
  const sweeping = sweepingOf({
    sweep: () => (isBroken ? Promise.reject(new Error("locked")) : t.index.writer.sweep()),
  });
  sweeping.wake();
  await sweeping.rest();
  isBroken = false;
  sweeping.wake();
  await sweeping.rest();
  expect(await terms(t)).toEqual(["a", "new"]);
});
