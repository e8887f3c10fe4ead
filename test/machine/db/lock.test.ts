import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockHome } from "../../../src/machine/db/lock.ts";
import { built, startChild } from "../../support/child.ts";
import { tempHome } from "../../support/temp-home.ts";
import { waitUntil } from "../../support/wait-until.ts";

const daemon = { holder: "daemon", waitMs: 0 } as const;
const cli = { holder: "cli", waitMs: 0 } as const;

test("a home has one holder; the second is told who it is", async () => {
  await using home = await tempHome();
  const lock = await lockHome(home.path, daemon);
  await expect(lockHome(home.path, cli)).rejects.toMatchObject({
    code: "STORE_LOCKED",
    message: `${home.path} is in use by the toolkeep daemon with process id ${process.pid}.`,
    details: { pid: process.pid, holder: "daemon" },
  });
  await lock.release();
});

test("a released home can be taken again, and leaves no note of its holder", async () => {
  await using home = await tempHome();
  await (await lockHome(home.path, daemon)).release();
  await expect(access(join(home.path, "lock.json"))).rejects.toThrow("ENOENT");
  await (await lockHome(home.path, cli)).release();
});

test("whoever waits gets the home once it is released", async () => {
  await using home = await tempHome();
  const first = await lockHome(home.path, daemon);
  const waiting = lockHome(home.path, { holder: "cli", waitMs: 20_000 });
  await first.release();
  const second = await waiting;
  expect(JSON.parse(await readFile(join(home.path, "lock.json"), "utf8"))).toMatchObject({ holder: "cli" });
  await second.release();
});

test("waiting ends with the signal", async () => {
  await using home = await tempHome();
  const lock = await lockHome(home.path, daemon);
  const stop = new AbortController();
  const waiting = lockHome(home.path, { holder: "cli", waitMs: 60_000, signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  await lock.release();
});

test("kill -9 of the holder frees the home", async () => {
  await using home = await tempHome();
  await using holder = startChild(`
    import { lockHome } from ${built("machine/db/lock.js")};
    await lockHome(${JSON.stringify(home.path)}, { holder: "daemon", waitMs: 0 });
    console.log("locked");
    setInterval(() => {}, 1000);`);
  await waitUntil("the child holds the lock", () => holder.lines.includes("locked"));
  await expect(lockHome(home.path, cli)).rejects.toMatchObject({
    code: "STORE_LOCKED",
    details: { pid: holder.pid },
  });

  await holder.kill9();

  await (await lockHome(home.path, { holder: "cli", waitMs: 5000 })).release();
});

test("a note that cannot be read does not hide that the home is locked", async () => {
  await using home = await tempHome();
  const lock = await lockHome(home.path, daemon);
  await writeFile(join(home.path, "lock.json"), "{");
  await expect(lockHome(home.path, cli)).rejects.toMatchObject({
    code: "STORE_LOCKED",
    message: `${home.path} is in use by another process.`,
  });
  await lock.release();
});
