import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messageOf } from "../../../src/contract/errors.ts";
import { loadSettings } from "../../../src/machine/config/load.ts";
import { type WatchOptions, watchSettings } from "../../../src/machine/config/watch.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { type SettingsFolder, settingsFolder } from "./settings-folder.ts";

/** Watches with real files and notes what is told: a port for applied settings, a message for rejected ones. */
async function watched(folder: SettingsFolder, more: Partial<WatchOptions> = {}) {
  const told: (number | string)[] = [];
  const load = () => loadSettings(folder.options);
  const watch = watchSettings({
    home: folder.home,
    cwd: folder.project,
    current: await load(),
    load,
    onApplied: ({ settings }) => void told.push(settings.port),
    onRejected: (error) => void told.push(messageOf(error)),
    quietMs: 50,
    pollMs: 3_600_000,
    ...more,
  });
  return {
    told,
    watch,
    until: (outcome: number | RegExp) =>
      waitUntil(`${outcome} is told, after ${told.join()}`, () => {
        const last = told.at(-1);
        return typeof outcome === "number" ? last === outcome : outcome.test(String(last));
      }),
    [Symbol.asyncDispose]: () => watch.close(),
  };
}

describe("watchSettings", () => {
  test("a change is applied, a broken one rejected, and the next good one applied again", async () => {
    await using folder = await settingsFolder({ "home/config.json": { port: 1 } });
    await using it = await watched(folder);
    await folder.write("home/config.json", { port: 2 });
    await it.until(2);
    await folder.write("home/config.json", '{\n  "port": "x"\n}');
    await it.until(/config\.json:2:3: port: expected/);
    await folder.write("home/config.json", { port: 3 });
    await it.until(3);
    expect(it.told).toHaveLength(3);
  });

  test("going back to what is in effect after a broken change is told too", async () => {
    await using folder = await settingsFolder({ "home/config.json": { port: 1 } });
    await using it = await watched(folder);
    await folder.write("home/config.json", "{");
    await it.until(/expected a key/);
    await folder.write("home/config.json", { port: 1 });
    await it.until(1);
  });

  test("a file that did not exist is seen when it comes, goes and comes again", async () => {
    await using folder = await settingsFolder();
    await using it = await watched(folder);
    const path = await folder.write("home/config.toml", "port = 2\n");
    await it.until(2);
    await rm(path);
    await it.until(19_850);
    await folder.write("home/config.toml", "port = 4\n");
    await it.until(4);
  });

  test("a file written in place is seen, and one replaced by another, as editors save", async () => {
    await using folder = await settingsFolder({ "home/config.json": { port: 1 } });
    await using it = await watched(folder);
    await writeFile(join(folder.home, "config.json"), '{"port": 2}');
    await it.until(2);
    await folder.write("home/config.json", { port: 3 });
    await it.until(3);
    await writeFile(join(folder.home, "config.json"), '{"port": 4}');
    await it.until(4);
  });

  test("several rapid writes end in the last one", async () => {
    await using folder = await settingsFolder({ "home/config.json": { port: 1 } });
    await using it = await watched(folder);
    const path = join(folder.home, "config.json");
    for (let port = 2; port <= 30; port++) await writeFile(path, JSON.stringify({ port }));
    await it.until(30);
    await it.watch.reload();
    expect(it.told.at(-1)).toBe(30);
  });

  test("the project file is watched as well", async () => {
    await using folder = await settingsFolder();
    const servers: string[][] = [];
    await using _it = await watched(folder, {
      onApplied: ({ settings }) => void servers.push(settings.servers.map(({ name }) => name)),
    });
    await folder.write("project/toolkeep.json", { mcpServers: { fs: { command: "x" } } });
    await waitUntil("the project's server is there", () => servers.at(-1)?.join() === "fs");
  });

  test("writing the same content, or the same settings in other words, tells nothing", async () => {
    await using folder = await settingsFolder({ "home/config.json": { port: 1 } });
    await using it = await watched(folder);
    await folder.write("home/config.json", { port: 1 });
    await folder.write("home/config.json", '// the port\n{"port": 1}');
    await folder.write("home/unrelated.txt", "x");
    await it.watch.reload();
    await folder.write("home/config.json", { port: 2 });
    await it.until(2);
    expect(it.told).toEqual([2]);
  });

  test("a change between loading and watching is not missed", async () => {
    await using folder = await settingsFolder({ "home/config.json": { port: 1 } });
    const current = await loadSettings(folder.options);
    await folder.write("home/config.json", { port: 2 });
    await using it = await watched(folder, { current });
    await it.until(2);
  });

  test("a change behind a symlink is found by looking now and then", async () => {
    await using folder = await settingsFolder({ "project/elsewhere.json": { port: 1 } });
    await symlink(join(folder.project, "elsewhere.json"), join(folder.home, "config.json"));
    await using it = await watched(folder, { pollMs: 50 });
    await folder.write("project/elsewhere.json", { port: 2 });
    await it.until(2);
  });

  test("a folder that is not there yet is looked for", async () => {
    await using folder = await settingsFolder();
    await rm(folder.home, { recursive: true });
    await using it = await watched(folder, { pollMs: 50 });
    await mkdir(folder.home);
    await folder.write("home/config.json", { port: 2 });
    await it.until(2);
  });

  test("settings that could not be put into effect are rejected", async () => {
    await using folder = await settingsFolder();
    await using it = await watched(folder, {
      onApplied: () => {
        throw new Error("no room");
      },
    });
    await folder.write("home/config.json", { port: 2 });
    await it.until(/no room/);
  });

  test("watching keeps no process alive", async () => {
    await using folder = await settingsFolder();
    const current = await loadSettings(folder.options);
    const holding = () =>
      process
        .getActiveResourcesInfo()
        .filter((kind) => /FSEvent|Timeout/.test(kind))
        .sort();
    const before = holding();
    const watch = watchSettings({
      home: folder.home,
      cwd: folder.project,
      current,
      load: async () => current,
      onApplied() {},
      onRejected() {},
    });
    expect(holding()).toEqual(before);
    await watch.close();
  });

  test("after closing, or after the signal, nothing is told", async () => {
    await using folder = await settingsFolder();
    const abort = new AbortController();
    const it = await watched(folder, { signal: abort.signal });
    abort.abort();
    await folder.write("home/config.json", { port: 2 });
    await it.watch.reload();
    await it.watch.close();
    expect(it.told).toEqual([]);
  });
});
