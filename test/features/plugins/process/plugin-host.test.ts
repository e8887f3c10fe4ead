import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../src/contract/tool.ts";
import { PluginLog } from "../../../../src/features/plugins/plugin-log.ts";
import { LIMITS, type PluginLimits } from "../../../../src/features/plugins/process/limits.ts";
import { PluginHost } from "../../../../src/features/plugins/process/plugin-host.ts";
import { ok } from "../../../../src/lib/result.ts";
import { createProcesses } from "../../../../src/machine/process/processes.ts";
import { inDeep } from "../../../support/length.ts";
import { writePlugin } from "../../../support/plugin.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { waitUntil } from "../../../support/wait-until.ts";

/** A host of one plugin whose only tool runs `run`, with a clock that stands still until it is moved. */
async function hosting(run: string, limits: Partial<PluginLimits> = {}) {
  const home = await tempHome();
  const folder = await writePlugin(home.path, { run });
  const processes = createProcesses();
  const log = new PluginLog(() => 0);
  let now = 0;
  let starts = 0;
  const host = new PluginHost({
    ...{ plugin: "sample", processes, log, limits: { ...LIMITS, ...limits } },
    clock: () => now,
    secrets: async () => ({}),
    prepareStart: async () => {
      starts += 1;
      return ok({
        ...{ plugin: "sample", folder, cwd: folder, entry: join(folder, "index.js"), env: {}, nodeArgs: [] },
      });
    },
  });
  return {
    host,
    log: () => log.read((text) => text).map(({ text }) => text),
    starts: () => starts,
    pass: (ms: number) => {
      now += ms;
    },
    call: (args: Record<string, unknown> = {}, workspace: string | null = null, signal?: AbortSignal) =>
      host.run("tool", args, workspace, contextOf(signal)),
    /** A call that is cancelled once it runs, which it says by its progress. */
    cancelled: () => {
      const stop = new AbortController();
      return host.run(
        "tool",
        {},
        null,
        contextOf(stop.signal, () => stop.abort()),
      );
    },
    async [Symbol.asyncDispose]() {
      await host.close("the test is over");
      await processes.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

function contextOf(signal = new AbortController().signal, progress = () => {}): ToolContext {
  return { signal, progress, caller: { agentName: "main" } } as unknown as ToolContext;
}

describe("the host of a plugin", () => {
  it("starts one process for calls that come together", async () => {
    await using hosted = await hosting("return process.pid;");
    const answers = await Promise.all([hosted.call(), hosted.call(), hosted.call()]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect([hosted.starts(), hosted.host.processes]).toEqual([1, 1]);
  });

  it("ends a process that has nothing to do, and starts it again", async () => {
    await using hosted = await hosting("return process.pid;", { idleMs: 50 });
    const first = await hosted.call();
    await waitUntil("process ended", () => hosted.host.processes === 0);
    expect(await hosted.call()).not.toEqual(first);
    expect(hosted.starts()).toBe(2);
  });

  it("starts a crashed process with the next call, then only after a growing pause", async () => {
    await using hosted = await hosting("process.exit(7);", { pausesMs: [0, 1_000, 5_000] });
    const crash = async () => {
      const answer = await hosted.call();
      await waitUntil("process ended", () => hosted.host.processes === 0);
      return answer;
    };
    expect(await crash()).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("exit code 7"),
    });
    await crash();
    expect(hosted.starts()).toBe(2);
    expect(await hosted.call()).toMatchObject({ message: expect.stringContaining("restarts in 1 s") });
    expect(hosted.starts()).toBe(2);
    hosted.pass(1_000);
    await crash();
    expect(hosted.starts()).toBe(3);
    expect(hosted.host.pause).toContain("in 5 s");
  });

  inDeep("forgets crashes after a call that was answered", async () => {
    await using hosted = await hosting("if (args.crash) process.exit(1); return 'fine';", {
      pausesMs: [0, 60_000],
    });
    for (let round = 0; round < 3; round++) {
      await hosted.call({ crash: true });
      await waitUntil("process ended", () => hosted.host.processes === 0);
      expect(await hosted.call()).toMatchObject({ kind: "output" });
    }
  });

  inDeep(
    "has a process for each workspace, and makes room by ending the one that rested longest",
    async () => {
      await using hosted = await hosting("return process.pid;", { maxProcesses: 2 });
      const first = await hosted.call({}, "/a");
      await hosted.call({}, "/b");
      await hosted.call({}, "/c");
      expect(hosted.host.processes).toBe(2);
      expect(await hosted.call({}, "/a")).not.toEqual(first);
    },
  );

  inDeep("refuses a workspace more while all processes are busy", async () => {
    await using hosted = await hosting("await new Promise((resolve) => setTimeout(resolve, args.ms));", {
      maxProcesses: 1,
    });
    const busy = hosted.call({ ms: 2_000 }, "/a");
    await waitUntil("it runs", () => hosted.host.processes === 1);
    expect(await hosted.call({ ms: 0 }, "/b")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("try again in a moment"),
    });
    await busy;
  });

  inDeep("takes no more calls at once than it may", async () => {
    await using hosted = await hosting("await new Promise((resolve) => setTimeout(resolve, 500));", {
      maxCalls: 2,
    });
    const answers = await Promise.all([hosted.call(), hosted.call(), hosted.call()]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["output", "output", "unavailable"]);
  });

  it("ends a call that is cancelled, and keeps the process for others", async () => {
    await using hosted = await hosting("if (args.wait) await new Promise(() => {}); return 'fine';");
    const stop = new AbortController();
    const waiting = hosted.call({ wait: true }, null, stop.signal);
    expect(await hosted.call()).toMatchObject({ kind: "output" });
    stop.abort();
    expect(await waiting).toMatchObject({ kind: "failed" });
    expect(await hosted.call()).toMatchObject({ kind: "output" });
    expect(hosted.starts()).toBe(1);
  });

  it("ends a process whose cancelled calls go on for ever", async () => {
    await using hosted = await hosting("context.progress({ progress: 1 }); await new Promise(() => {});", {
      maxAbandoned: 1,
    });
    for (let round = 0; round < 2; round++)
      expect(await hosted.cancelled()).toMatchObject({ kind: "failed" });
    await waitUntil("process ended", () => hosted.host.processes === 0);
    expect(hosted.log().at(-1)).toContain("kept running after they were cancelled");
  });

  inDeep("ends a process that hangs and does not hear that a call was cancelled", async () => {
    await using hosted = await hosting("context.progress({ progress: 1 }); for (;;);", { stopMs: 100 });
    expect(await hosted.cancelled()).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it hangs"),
    });
    await waitUntil("process ended", () => hosted.host.processes === 0);
  });

  it("that is closed while a process starts leaves none behind", async () => {
    await using hosted = await hosting("return 'never';");
    const call = hosted.call();
    await waitUntil("it starts", () => hosted.host.processes === 1);
    await hosted.host.close("it was disabled");
    expect(await call).toMatchObject({ kind: "unavailable" });
    expect(hosted.host.processes).toBe(0);
    expect(await hosted.call()).toMatchObject({ kind: "unavailable", message: "it was disabled" });
  });
});
