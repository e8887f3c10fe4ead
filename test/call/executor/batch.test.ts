import { describe, expect, it } from "vitest";
import { MAX_BATCH_CALLS, planBatch } from "../../../src/call/executor/batch.ts";
import { type Tool, type ToolFlags, text } from "../../../src/contract/tool.ts";
import { Dice } from "../../support/dice.ts";
import { openExecutor } from "../../support/executor.ts";
import { inDeep } from "../../support/length.ts";
import { testTool } from "../../support/tools.ts";
import { waitUntil } from "../../support/wait-until.ts";

describe("a plan, for random batches", () => {
  interface Planned {
    readonly at: number;
    readonly isSafe: boolean;
  }

  const eachPlan = (check: (calls: readonly Planned[], cap: number, seed: number) => void) => {
    for (let seed = 1; seed <= 500; seed++) {
      const dice = new Dice(seed);
      const share = dice.one([0, 0.1, 0.5, 0.9, 1]);
      const calls = Array.from({ length: dice.below(40) }, (_, at) => ({ at, isSafe: dice.chance(share) }));
      check(calls, 1 + dice.below(12), seed);
    }
  };
  const plan = (calls: readonly Planned[], cap: number) => planBatch(calls, ({ isSafe }) => isSafe, cap);

  it("has every call once, in the order that they came in", () => {
    eachPlan((calls, cap, seed) => {
      expect(
        plan(calls, cap).flatMap(({ members }) => members),
        `seed ${seed}`,
      ).toEqual(calls);
    });
  });

  it("lets nothing but safe calls run together, and never more than the cap", () => {
    eachPlan((calls, cap, seed) => {
      for (const { members, concurrency } of plan(calls, cap)) {
        expect(concurrency, `seed ${seed}`).toBe(Math.min(members.length, cap));
        if (members.length > 1)
          expect(
            members.every(({ isSafe }) => isSafe),
            `seed ${seed}`,
          ).toBe(true);
      }
    });
  });

  it("never separates neighbouring safe calls", () => {
    eachPlan((calls, cap, seed) => {
      const stages = plan(calls, cap);
      for (const [index, { members }] of stages.entries()) {
        const next = stages[index + 1]?.members[0];
        expect(members.at(-1)!.isSafe && next?.isSafe === true, `seed ${seed}`).toBe(false);
      }
    });
  });
});

const SAFE: ToolFlags = { readOnly: true, concurrencySafe: true, destructive: false };
const UNSAFE: ToolFlags = { readOnly: false, concurrencySafe: false, destructive: false };

/** Tools that record when each call begins and ends, and answer with their position in the batch. */
function recorder() {
  const log: string[] = [];
  const under = new Set<number>();
  let most = 0;
  const run: Tool["run"] = async ({ at }) => {
    log.push(`+${at}`);
    most = Math.max(most, under.add(at as number).size);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    under.delete(at as number);
    log.push(`-${at}`);
    return { kind: "output", content: [text(`${at}`)] };
  };
  const failing: Tool["run"] = async (args, context) => {
    await run(args, context);
    return { kind: "failed", message: `${args.at}` };
  };
  const broken: Tool["run"] = async (args, context) => {
    await run(args, context);
    throw new Error("a bug");
  };
  const tools = [
    testTool({ name: "look", ownName: "peek", flags: SAFE, run }),
    testTool({ name: "look_failing", flags: SAFE, run: failing }),
    testTool({ name: "look_broken", flags: SAFE, run: broken }),
    testTool({ name: "write", flags: UNSAFE, run }),
    testTool({ name: "write_failing", flags: UNSAFE, run: failing }),
    testTool({ name: "write_broken", flags: UNSAFE, run: broken }),
  ];
  return {
    tools,
    log,
    get most() {
      return most;
    },
  };
}

/** Waits until it is opened or stopped. */
function gate(name: string, flags: ToolFlags) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const begun: number[] = [];
  const tool = testTool({
    name,
    flags,
    run: async ({ at }, { signal }) => {
      begun.push(at as number);
      const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
      await Promise.race([opened, stopped]);
      return signal.aborted ? { kind: "failed", message: "stopped" } : { kind: "output", content: [] };
    },
  });
  return { tool, begun, open };
}

describe("a batch", () => {
  it("runs safe neighbours together and everything else alone", async () => {
    const seen = recorder();
    await using hub = await openExecutor({ tools: seen.tools });
    await hub.batch(["look", "look", "write", "write", "look"]);
    expect(seen.log).toEqual(["+0", "+1", "-0", "-1", "+2", "-2", "+3", "-3", "+4", "-4"]);
  });

  it("never runs more calls than max_tool_concurrency, and begins the next as soon as one ends", async () => {
    const held = gate("held", SAFE);
    const seen = recorder();
    await using hub = await openExecutor({ tools: [...seen.tools, held.tool], maxToolConcurrency: 3 });
    const batch = hub.batch(["held", ...Array<string>(20).fill("look")]);
    await waitUntil("all others ended", () => seen.log.filter((each) => each.startsWith("-")).length === 20);
    held.open();
    await batch;
    expect(seen.most).toBe(2);
  });

  it("knows a tool by whatever name the catalogue does, and takes what it does not know for unsafe", async () => {
    const seen = recorder();
    await using hub = await openExecutor({ tools: seen.tools });
    const outcomes = await hub.batch(["peek", "look", "nothing", "Look", "look"]);
    expect(outcomes.map(({ tool }) => tool)).toEqual(["look", "look", undefined, "look", "look"]);
    expect(seen.log).toEqual(["+0", "+1", "-0", "-1", "+3", "+4", "-3", "-4"]);
  });

  it("answers in the order of the calls, each with its own outcome, however the others end", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const dice = new Dice(seed);
      const seen = recorder();
      await using hub = await openExecutor({ tools: seen.tools, maxToolConcurrency: 1 + dice.below(5) });
      const names = Array.from({ length: 1 + dice.below(30) }, () =>
        dice.one([...seen.tools.map(({ name }) => name), "nothing"]),
      );
      const outcomes = await hub.batch(names);
      const expected = names.map((name, at) => {
        if (name === "nothing") return ["unknown_tool", undefined];
        if (name.endsWith("broken")) return ["internal_error", undefined];
        return [name.endsWith("failing") ? "failed" : "ok", `${at}`];
      });
      const came = outcomes.map(({ outcome, text: said }) => [
        outcome,
        outcome === "ok" || outcome === "failed" ? said : undefined,
      ]);
      expect(came, `seed ${seed}`).toEqual(expected);
      // An unsafe call begins when everything before it has ended, and ends before anything after it begins.
      for (const [at, name] of names.entries()) {
        if (!name.startsWith("write")) continue;
        const began = seen.log.indexOf(`+${at}`);
        expect(seen.log[began + 1], `seed ${seed}`).toBe(`-${at}`);
        const before = seen.log.slice(0, began).map((each) => Number(each.slice(1)));
        expect(Math.max(-1, ...before), `seed ${seed}`).toBeLessThan(at);
      }
      expect(await hub.records(), `seed ${seed}`).toHaveLength(names.length);
    }
  });

  it("that is cancelled cancels the running calls, and the others never run", async () => {
    const held = gate("held", UNSAFE);
    const seen = recorder();
    await using hub = await openExecutor({ tools: [...seen.tools, held.tool] });
    const stop = new AbortController();
    const batch = hub.batch(["look", "held", "write", "look"], { signal: stop.signal });
    await waitUntil("it holds", () => held.begun.length === 1);
    stop.abort();
    const outcomes = await batch;
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "cancelled", "cancelled", "cancelled"]);
    expect(outcomes[2]!.text).toContain("before it began");
    expect(seen.log).toEqual(["+0", "-0"]);
    expect((await hub.records()).map(({ outcome }) => outcome).sort()).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
      "ok",
    ]);
    expect(hub.turns.runningCount).toBe(0);
  });

  it("that is cancelled at any moment answers for every call, begins no further one and holds no turn", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const dice = new Dice(seed);
      const stop = new AbortController();
      const seen = recorder();
      const names = Array.from({ length: 1 + dice.below(30) }, () => dice.one(["look", "write"]));
      const last = dice.below(names.length * 2);
      const tools = seen.tools.map((tool) => ({
        ...tool,
        run: (args: Parameters<Tool["run"]>[0], context: Parameters<Tool["run"]>[1]) => {
          const running = tool.run(args, context);
          if (seen.log.length > last) stop.abort();
          return running;
        },
      }));
      await using hub = await openExecutor({ tools, maxToolConcurrency: 1 + dice.below(5) });
      const outcomes = await hub.batch(names, { signal: stop.signal });
      const begun = new Set(
        seen.log.filter((each) => each.startsWith("+")).map((each) => Number(each.slice(1))),
      );
      expect(outcomes, `seed ${seed}`).toHaveLength(names.length);
      for (const [at, { outcome, text: said }] of outcomes.entries()) {
        if (outcome === "ok") expect([begun.has(at), said], `seed ${seed}, ${at}`).toEqual([true, `${at}`]);
        else expect(outcome, `seed ${seed}, ${at}`).toBe("cancelled");
        if (!begun.has(at)) expect(said, `seed ${seed}, ${at}`).toContain("before it began");
      }
      // The calls that began are the first ones of the batch: none was skipped.
      expect(
        [...begun].sort((a, b) => a - b),
        `seed ${seed}`,
      ).toEqual([...begun.keys()].map((_, at) => at));
      expect([hub.turns.runningCount, (await hub.records()).length], `seed ${seed}`).toEqual([
        0,
        names.length,
      ]);
    }
  });

  it("goes on when one of its calls is cancelled by itself", async () => {
    const held = gate("held", UNSAFE);
    const seen = recorder();
    await using hub = await openExecutor({ tools: [...seen.tools, held.tool] });
    const stop = new AbortController();
    const call = { arguments: { at: 0 }, caller: hub.caller("a"), via: "library" } as const;
    const batch = hub.batchOf(
      [
        { ...call, name: "held", signal: stop.signal },
        { ...call, name: "look" },
      ],
      { signal: new AbortController().signal },
    );
    await waitUntil("it holds", () => held.begun.length === 1);
    stop.abort();
    expect((await batch).map(({ outcome }) => outcome)).toEqual(["cancelled", "ok"]);
  });

  it("of one agent does not hold up another's", async () => {
    const held = gate("held", SAFE);
    const seen = recorder();
    await using hub = await openExecutor({
      tools: [...seen.tools, held.tool],
      maxToolConcurrency: 10,
      maxBatchCalls: 10,
    });
    const many = Array.from({ length: 5 }, () => hub.batch(Array(200).fill("held"), {}, hub.caller("many")));
    await waitUntil("all places are taken", () => held.begun.length === 10);
    const few = await hub.batch(["look", "look", "write", "look"], {}, hub.caller("few"));
    expect(few.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(held.begun).toHaveLength(10);
    held.open();
    expect((await Promise.all(many)).flat()).toHaveLength(1_000);
  });

  inDeep("of calls that end at once lets everything else have its turn", async () => {
    const tools = Array.from({ length: 200 }, (_, at) =>
      testTool({ name: `mcp_files_read_the_whole_text_${at}` }),
    );
    await using hub = await openExecutor({ tools });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const unknown = Array.from({ length: 200 }, (_, at) => `mcp_filos_read_tho_whole_toxt_${at}_x`);
    const outcomes = await hub.batch(unknown);
    clearInterval(timer);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["unknown_tool"]));
    expect(turns).toBeGreaterThan(2);
  });

  it("of more calls than one may have is refused before the first of them", async () => {
    const seen = recorder();
    await using hub = await openExecutor({ tools: seen.tools });
    await expect(hub.batch(Array(MAX_BATCH_CALLS + 1).fill("look"))).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: `A batch may have at most 1000 calls; this one has 1001.`,
    });
    expect([seen.log, await hub.records()]).toEqual([[], []]);
    expect(await hub.batch([])).toEqual([]);
  });
});
