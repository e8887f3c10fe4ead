import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { ServerInput } from "../../src/servers/contract.ts";
import type { UpstreamDeps } from "../../src/servers/upstream.ts";
import { type TestUpstream, testUpstream } from "../support/upstream.ts";

export interface FreshUpstream {
  /** The one of the test under way. */
  readonly up: TestUpstream;
  /** Registers a server and waits until it is connected, or is not. */
  add(name: string, input: ServerInput): Promise<void>;
}

/** An upstream for every test. When the test is over, so is every process that one of its servers ever started. */
export function freshUpstream(setup: Partial<UpstreamDeps> = {}): FreshUpstream {
  let up: TestUpstream;
  let mark: string;
  let before: readonly number[];

  beforeEach(async () => {
    mark = randomUUID();
    up = await testUpstream({ baseEnv: { ...process.env, FAULT_TEST: mark }, ...setup });
    before = await up.children();
  });
  afterEach(async () => {
    await up[Symbol.asyncDispose]();
    const children = (await up.children()).filter((pid) => !before.includes(pid));
    expect([...children, ...(await marked(mark))]).toEqual([]);
  });
  return {
    get up() {
      return up;
    },
    async add(name, input) {
      await up.upstream.add(name, input);
      await up.upstream.settled();
    },
  };
}

/** The server of `servers/faulty.mjs`, whose calls say how they are to be answered. */
export const FAULTY: ServerInput = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/faulty.mjs")],
};

/** Where the system shows environments: whoever inherited the mark, whatever became of its parents. */
async function marked(mark: string): Promise<string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")),
  );
  return pids.filter((_, index) => environments[index]!.includes(`FAULT_TEST=${mark}`));
}
