import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import {
  ParseThread,
  type ParseThreadOptions,
} from "../../../../src/features/knowledge/parse/parse-thread.ts";
import type { FileType } from "../../../../src/features/knowledge/sources/file-type.ts";
import { inDeep } from "../../../support/length.ts";
import { tempHome } from "../../../support/temp-home.ts";

/** Stands for the thread that reads: what a path names is done; a file of many has ten members, one message for each. */
const WORKER = `
import { readlinkSync } from "node:fs";
import { parentPort, workerData as place } from "node:worker_threads";
try { parentPort.postMessage({ notice: readlinkSync("/proc/thread-self") }); } catch {}
const acts = {
  spin() { for (;;); },
  sleep() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500); },
  exit() { process.exit(1); },
};
let work = Promise.resolve();
const more = new Map();
parentPort.on("message", (message) => {
  if (message === "end") return;
  if (message.taken) more.get(message.id)();
  else work = work.then(() => read(message));
});
async function read({ id, args: [number, job] }) {
  place.set([number, -1]);
  const many = job.type === "mbox";
  const acting = job.path.split(" ");
  if (!many) acts[acting[0]]?.();
  const { from = 0, failed = new Map() } = job.resume ?? {};
  for (let at = 0; many && at < 10; at++) {
    if (at < from || failed.has(at)) continue;
    place[1] = at;
    if (acting.includes(String(at))) acts[acting[0]]();
    place[1] = -1;
    parentPort.postMessage({ id, part: { members: [{ key: String(at) }], next: at + 1 } });
    await new Promise((resolve) => more.set(id, resolve));
  }
  const problems = [...failed].map(([at, reason]) => at + ": " + reason);
  parentPort.postMessage({ id, value: { kind: many ? "members" : "same", problems } });
}`;

async function thread(options: ParseThreadOptions) {
  const folder = await tempHome();
  const file = join(folder.path, "worker.mjs");
  await writeFile(file, WORKER);
  const reader = new ParseThread({ ...options, worker: pathToFileURL(file) });
  const members: string[] = [];
  const read = (path: string, type: FileType = "text") =>
    reader.read(
      { path, key: path, type, modifiedAt: 0, size: 0, plan: { kind: "mail", root: "/", maxFileBytes: 1 } },
      async (batch) => void members.push(...batch.map(({ key }) => key)),
    );
  return {
    ...{ read, members },
    async [Symbol.asyncDispose]() {
      await reader.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

inDeep(
  "of a file that holds many, the members that cannot be read are given up and the ones behind them come",
  async () => {
    await using t = await thread({ timeoutMs: 300 });
    const [box, behind] = await Promise.all([t.read("spin 2 3 7", "mbox"), t.read("behind")]);
    expect(box).toMatchObject({
      kind: "members",
      problems: [2, 3, 7].map((at) => `${at}: reading it took more than 0.3 s`),
    });
    expect(t.members).toEqual(["0", "1", "4", "5", "6", "8", "9"]);
    expect(behind.kind).toBe("same");
  },
);

test("a member that ends the thread is given up as well, and no member comes twice", async () => {
  await using t = await thread({});
  expect(await t.read("exit 0 9", "mbox")).toMatchObject({ kind: "members" });
  expect(t.members).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
});

test("a file that is given up may be so through no fault of its own the first time", async () => {
  await using t = await thread({ timeoutMs: 300 });
  const [spinning, behind] = await Promise.all([t.read("spin"), t.read("behind")]);
  expect(spinning).toEqual({
    kind: "failed",
    reason: "reading it took more than 0.3 s",
    lasting: "if again",
  });
  expect(behind.kind).toBe("same");
});

test.runIf(process.platform === "linux")(
  "time in which a thread had no processor is not held against a file",
  async () => {
    await using t = await thread({ timeoutMs: 1_000 });
    expect((await t.read("sleep")).kind).toBe("same");
  },
);
