import { expect, it } from "vitest";
import { shareRuns } from "../../../src/lib/flow/share-runs.ts";

it("whoever asks while it runs shares the next run, which begins after they asked", async () => {
  const runs: ((value: number) => void)[] = [];
  const take = shareRuns(() => new Promise<number>((resolve) => runs.push(resolve)));
  const first = take();
  const second = take();
  const third = take();
  expect(runs).toHaveLength(1);
  runs[0]!(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(runs).toHaveLength(2);
  runs[1]!(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  void take();
  expect(runs).toHaveLength(3);
});

it("one that fails is no reason for the next not to run", async () => {
  let runs = 0;
  const take = shareRuns(async () => {
    if (++runs === 1) throw new Error("no");
    return "yes";
  });
  const both = await Promise.allSettled([take(), take()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(await take()).toBe("yes");
});
