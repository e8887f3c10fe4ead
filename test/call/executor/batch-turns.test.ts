import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { BatchTurns } from "../../../src/call/executor/batch.ts";
import { Dice } from "../../support/dice.ts";

const never = new AbortController().signal;
setMaxListeners(0, never);

test("an agent without a call under way gets a turn at once, whoever holds the others", async () => {
  const turns = new BatchTurns(() => 2);
  await turns.enter("a", never);
  await turns.enter("a", never);
  expect(await turns.enter("b", never)).toBeTypeOf("function");
});

test("its only turn stays with an agent that has more to do, though others hold too many", async () => {
  const turns = new BatchTurns(() => 2);
  for (let held = 0; held < 2; held++) await turns.enter("a", never);
  const first = await turns.enter("b", never);
  const second = turns.enter("b", never);
  first?.();
  expect(await second).toBeTypeOf("function");
  expect(turns.runningCount).toBe(3);
});

test("an agent that is cancelled while it waits has no turn and leaves nothing behind", async () => {
  const turns = new BatchTurns(() => 1);
  const first = await turns.enter("a", never);
  const stop = new AbortController();
  const waiting = turns.enter("a", stop.signal);
  stop.abort("given up");
  expect(await waiting).toBeUndefined();
  expect(await turns.enter("a", stop.signal)).toBeUndefined();
  first?.();
  first?.();
  expect(turns.runningCount).toBe(0);
});

test("whatever the agents do, no more calls run than the limit plus one for each agent, and all get through", async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const dice = new Dice(seed);
    const limit = 1 + dice.below(4);
    const agents = ["a", "b", "c", "d"].slice(0, 1 + dice.below(4));
    const turns = new BatchTurns(() => limit);
    let done = 0;
    const calls = Array.from({ length: 60 }, async () => {
      const waits = dice.below(5);
      const end = await turns.enter(dice.one(agents), never);
      expect(turns.runningCount, `seed ${seed}`).toBeLessThanOrEqual(limit + agents.length);
      for (let wait = 0; wait < waits; wait++) await Promise.resolve();
      end?.();
      done++;
    });
    await Promise.all(calls);
    expect([done, turns.runningCount], `seed ${seed}`).toEqual([60, 0]);
  }
});
