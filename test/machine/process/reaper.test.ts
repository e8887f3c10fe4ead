import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processTable } from "../../../src/machine/process/process-table.ts";
import { inDeep } from "../../support/length.ts";
import { living } from "../../support/living.ts";
import { pidsIn } from "../../support/pids-in.ts";
import { waitUntil } from "../../support/wait-until.ts";

const TREE = new URL("../../support/tree.sh", import.meta.url).pathname;
// A child Node process needs compiled code; `npm test` builds dist/ first.
const BUILT = new URL("../../../dist/machine/process/processes.js", import.meta.url).href;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-reaper-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("kill -9 of the parent leaves no member of its trees, and no reaper", async () => {
  const file = join(folder, "pids");
  const parent = startParent(file);
  const pids = await pidsIn(file, 8);
  const children = (await processTable()).filter((row) => row.parent === parent.pid).map((row) => row.pid);
  expect(children.length).toBe(3);

  parent.kill("SIGKILL");

  await waitUntil("every process is gone", async () => (await living([...pids, ...children])).length === 0);
});

inDeep("signals of the terminal do not end the reaper before its work is done", async () => {
  const file = join(folder, "pids");
  const parent = startParent(file);
  const pids = await pidsIn(file, 8);
  const rows = await processTable();
  const reaper = rows.find((row) => row.parent === parent.pid && !pids.includes(row.pid))!;
  expect(reaper.group).toBe(reaper.pid);

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(reaper.pid, signal);
  expect(await living([reaper.pid])).toEqual([reaper.pid]);
  parent.kill("SIGKILL");

  await waitUntil("every process is gone", async () => (await living([...pids, reaper.pid])).length === 0);
});

/** Two trees of four processes each, in a Node process of its own. */
function startParent(file: string) {
  const script = `
    import { createProcesses } from ${JSON.stringify(BUILT)};
    const processes = createProcesses();
    for (let i = 0; i < 2; i++) {
      processes.spawn("sh", [${JSON.stringify(TREE)}, ${JSON.stringify(file)}], { env: process.env, stdio: "ignore" });
    }
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "inherit" });
}
