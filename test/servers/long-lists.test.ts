import { join } from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import { expect, test } from "vitest";
import { testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

const TOOLS = 8000;
/** What others may have to wait. It is far less on a quiet machine, and was three times as much when all was done in one go. */
const LONGEST_TURN_MS = 150;

test.each(["legacy", "modern"])(
  "a %s list of 8,000 tools holds nobody up",
  { timeout: 60_000 },
  async (era) => {
    await using up = await testUpstream();
    for (let index = 0; index < 20; index++) up.vault.conceal(`some-secret-value-${index}`);
    // Whatever the first connection has to load is not about lists.
    await up.upstream.add("small", lists(era, "1"));
    await waitUntil("the small list is known", () => up.upstream.tools().length === 1);
    await up.upstream.settled();

    const turns = watchTurns();
    await up.upstream.add("big", lists(era, String(TOOLS)));
    await waitUntil("the big list is known", () => up.upstream.tools().length === TOOLS + 1, 50_000);
    expect(turns.longest()).toBeLessThan(LONGEST_TURN_MS);
  },
);

/**
 * How long one turn of the event loop took at most, in time that this process really worked: on a busy machine it may
 * be kept waiting for reasons of others. What collecting the garbage of all tests before took is left out.
 */
function watchTurns() {
  const turns: { from: number; to: number; worked: number }[] = [];
  const collections: { startTime: number; duration: number }[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  let from = performance.now();
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    const to = performance.now();
    turns.push({ from, to, worked: Math.min(to - from, (user + system) / 1000) });
    from = performance.now();
    cpu = process.cpuUsage();
  }, 1);
  return {
    longest() {
      clearInterval(timer);
      collections.push(...observer.takeRecords());
      observer.disconnect();
      const collecting = ({ from, to }: { from: number; to: number }) =>
        collections
          .filter(({ startTime }) => startTime >= from && startTime < to)
          .reduce((sum, { duration }) => sum + duration, 0);
      return Math.max(...turns.map((turn) => turn.worked - collecting(turn)));
    },
  };
}

/** A server of `servers/lists.mjs` with this many tools. */
function lists(era: string, tools: string) {
  const script = join(import.meta.dirname, "../support/servers/lists.mjs");
  return { command: process.execPath, args: [script, era, "lists very many tools", tools] };
}
