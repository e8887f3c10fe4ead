import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processTable } from "../../../src/machine/process/process-table.ts";
import { createProcesses, type Processes } from "../../../src/machine/process/processes.ts";
import { inDeep } from "../../support/length.ts";
import { living } from "../../support/living.ts";
import { pidsIn } from "../../support/pids-in.ts";
import { waitUntil } from "../../support/wait-until.ts";

const TREE = new URL("../../support/tree.sh", import.meta.url).pathname;
const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };

let folder: string;
let processes: Processes;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-process-"));
  processes = createProcesses();
});

afterEach(async () => {
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

test("end leaves no member of a tree: not one that ignores SIGTERM, not one in a session of its own", async () => {
  const file = join(folder, "pids");
  const tree = processes.spawn("sh", [TREE, file], { env, stdio: "ignore" });
  const pids = await pidsIn(file, 4);
  expect(await living(pids)).toEqual(pids);

  // However long the child takes to hear of it; those that do not want to hear are killed then.
  const ending = tree.end(60_000);
  await tree.ended;
  await tree.end(0);
  await ending;

  expect(await living(pids)).toEqual([]);
  expect((await tree.ended).signal).toBe("SIGTERM");
});

test("a child that ends by itself takes what it left behind with it", async () => {
  const file = join(folder, "pids");
  const script = 'sh -c \'echo $$ >>"$0"; exec sleep 600\' "$0" & sleep 0.3; exit 3';
  const tree = processes.spawn("sh", ["-c", script, file], { env, stdio: "ignore" });

  expect(await tree.ended).toEqual({ code: 3, signal: null });
  const pids = await pidsIn(file, 1);
  await waitUntil("the grandchild is gone", async () => (await living(pids)).length === 0);
});

inDeep(
  "a child that leaves its group in the moment in which its parent ends is found all the same",
  async () => {
    const file = join(folder, "pids");
    // As one program takes the place of the other its environment, by which it is known, cannot be read: often enough
    // in this many.
    const trees = Array.from({ length: 30 }, () =>
      processes.spawn("sh", ["-c", 'setsid sleep 600 & echo $! >> "$0"', file], { env, stdio: "ignore" }),
    );
    await Promise.all(trees.map((tree) => tree.ended.then(() => tree.end())));
    const pids = await pidsIn(file, 30);
    const left = await living(pids);
    for (const pid of left) process.kill(pid, "SIGKILL");
    expect(left).toEqual([]);
  },
);

test("a second end with a shorter grace hurries the first", async () => {
  const tree = processes.spawn("sh", ["-c", "trap '' TERM; echo up; while :; do sleep 1; done"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => tree.child.stdout!.once("data", resolve));

  const patient = tree.end(600_000);
  await tree.end(0);
  await patient;

  expect((await tree.ended).signal).toBe("SIGKILL");
});

test("a command that does not exist ends its tree at once and throws nothing", async () => {
  const tree = processes.spawn(join(folder, "absent"), [], { env, stdio: "ignore" });
  const error = new Promise<Error>((resolve) => tree.child.once("error", resolve));

  expect((await error).message).toContain("ENOENT");
  expect(await tree.ended).toEqual({ code: null, signal: null });
  expect(tree.pid).toBe(0);
  await tree.end();
});

test("close ends every tree and the reaper", async () => {
  const before = new Set((await processTable()).map((row) => row.pid));
  const trees = [1, 2, 3].map(() => processes.spawn("sleep", ["600"], { env, stdio: "ignore" }));
  const ours = (await processTable()).filter((row) => row.parent === process.pid && !before.has(row.pid));
  expect(ours.length).toBeGreaterThanOrEqual(4);

  await processes.close();

  expect(await living([...trees.map((tree) => tree.pid), ...ours.map((row) => row.pid)])).toEqual([]);
});
