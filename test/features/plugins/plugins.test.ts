import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { inDeep } from "../../support/length.ts";
import { enabledPlugin as enabled, writePlugin, writtenPlugin as written } from "../../support/plugin.ts";
import { tempHome } from "../../support/temp-home.ts";
import { testHub } from "../../support/test-hub.ts";

const TOOL = "plugin_sample_tool";

describe("a plugin from a folder", () => {
  it("shows what it may do, and runs nothing, until a person enables it", async () => {
    await using tested = await testHub();
    const folder = await written(tested, {
      entry: `
        import fs from "node:fs";
        fs.writeFileSync(${JSON.stringify(join(tested.home, "ran"))}, "");
        export const tools = [{ name: "tool", description: "x", run: () => "hello" }];`,
      permissions: { files: "read", network: ["example.com"], secrets: ["TOKEN"] },
    });
    const added = await tested.hub.plugins.add({ kind: "folder", spec: folder });
    expect(added).toMatchObject({
      name: "sample",
      version: "1.0.0",
      enabled: false,
      status: { kind: "disabled" },
      tools: [],
      may: [
        "reach example.com on the network",
        "read the files in the calling agent's workspace",
        "use the secret TOKEN",
      ],
      missingSecrets: ["TOKEN"],
    });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "unknown_tool" });
    await expect(readFile(join(tested.home, "ran"))).rejects.toThrow("ENOENT");
  });

  it("gives its tools to those who have them by name, and to nobody by *", async () => {
    await using tested = await testHub({
      toolboxes: { everything: ["*"], named: [TOOL], pattern: ["plugin:sample:*"] },
      agents: { wide: ["everything"], precise: ["named"], patterned: ["pattern"] },
    });
    await enabled(tested, { run: "return { hello: args.name };" });
    expect(await tested.call(TOOL, { name: "you" }, "precise")).toMatchObject({
      outcome: "ok",
      structured: { hello: "you" },
    });
    expect(await tested.call(TOOL, {}, "patterned")).toMatchObject({ outcome: "ok" });
    expect(await tested.call(TOOL, {}, "wide")).toMatchObject({ outcome: "not_granted" });
    expect(await tested.call("tool", { name: "you" }, "precise")).toMatchObject({
      outcome: "ok",
      tool: TOOL,
    });
  });

  it("is started with the first call, not before", async () => {
    await using tested = await testHub();
    await enabled(tested, {});
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ processes: 0 });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "hello" });
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ processes: 1 });
  });

  it("is a copy: a change of the folder does nothing until it is updated, which disables it", async () => {
    await using tested = await testHub();
    const folder = await enabled(tested, {});
    await writePlugin(folder, { version: "2.0.0", run: "return 'changed';", permissions: { network: true } });
    expect(await tested.call(TOOL)).toMatchObject({ text: "hello" });
    const updated = await tested.hub.plugins.update("sample");
    expect(updated).toMatchObject({
      version: "2.0.0",
      enabled: false,
      mayAlso: ["reach any host on the network"],
    });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "disabled" });
    await tested.hub.plugins.enable("sample");
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "changed" });
  });

  inDeep("stays enabled when an update brings the same", async () => {
    await using tested = await testHub();
    await enabled(tested, {});
    expect(await tested.hub.plugins.update("sample")).toMatchObject({ enabled: true });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok" });
  });

  it("whose files were changed behind our back does not run until it is enabled again", async () => {
    await using tested = await testHub();
    await enabled(tested, {});
    const { folder } = await tested.hub.plugins.get("sample");
    await writePlugin(folder, { run: "return 'forged';" });
    const refused = await tested.call(TOOL);
    expect(refused.outcome).not.toBe("ok");
    expect(refused.text).toContain("has changed since it was enabled");
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "disabled" });
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ status: { kind: "disabled" } });
    await tested.hub.plugins.enable("sample");
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "forged" });
  });

  inDeep("whose files are gone says so and comes back with an update", async () => {
    await using tested = await testHub();
    await enabled(tested, {});
    const { folder } = await tested.hub.plugins.get("sample");
    await rm(folder, { recursive: true });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "unavailable" });
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ sha256: null });
    expect(await tested.hub.plugins.update("sample")).toMatchObject({
      enabled: true,
      status: { kind: "active" },
    });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok" });
  });

  it("is not enabled where its files are no longer those that were looked at", async () => {
    await using tested = await testHub();
    const folder = await written(tested, {});
    const { sha256, folder: copy } = await tested.hub.plugins.add({ kind: "folder", spec: folder });
    await writeFile(join(copy, "more.js"), "");
    await expect(tested.hub.plugins.enable("sample", { sha256: sha256! })).rejects.toMatchObject({
      code: "CHANGED",
    });
  });

  it("that is disabled ends its process and keeps its tools as disabled", async () => {
    await using tested = await testHub();
    await enabled(tested, {});
    await tested.call(TOOL);
    expect(await tested.hub.plugins.disable("sample")).toMatchObject({ enabled: false, processes: 0 });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "disabled" });
  });

  it("that is removed leaves nothing but the names of its tools", async () => {
    await using tested = await testHub();
    const source = await enabled(tested, {});
    const { folder } = await tested.hub.plugins.get("sample");
    await tested.hub.plugins.remove("sample");
    await expect(readFile(join(folder, "index.js"))).rejects.toThrow("ENOENT");
    expect(await readFile(join(source, "index.js"), "utf8")).toContain("tools");
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "unknown_tool" });
    await expect(tested.hub.plugins.get("sample")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await openServerTables(tested.hub.store.database).toolNames.list()).toContainEqual(
      expect.objectContaining({ name: TOOL }),
    );
  });

  inDeep("that is linked is used where it is, and disabled by the next change there", async () => {
    await using tested = await testHub();
    const folder = await enabled(tested, { run: "return 'one';" }, { kind: "link" });
    expect(await tested.call(TOOL)).toMatchObject({ text: "one" });
    await writePlugin(folder, { run: "return 'two';" });
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ status: { kind: "disabled" } });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "disabled" });
    await tested.hub.plugins.enable("sample");
    expect(await tested.call(TOOL)).toMatchObject({ text: "two" });
    await tested.hub.plugins.remove("sample");
    expect(await readFile(join(folder, "index.js"), "utf8")).toContain("two");
  });
});

describe("names", () => {
  it("of a plugin's tools are never given to another", async () => {
    await using tested = await testHub();
    await enabled(tested, { name: "a_b", entry: toolNamed("c") }, { name: "a_b" });
    await enabled(tested, { name: "a", entry: toolNamed("b_c") }, { name: "a" });
    const [first] = (await tested.hub.plugins.get("a_b")).tools;
    const [second] = (await tested.hub.plugins.get("a")).tools;
    expect(first!.name).toBe("plugin_a_b_c");
    expect(second!.name).toMatch(/^plugin_a_b_c_[0-9a-f]{6}$/);
    await tested.hub.plugins.remove("a_b");
    await tested.hub.plugins.enable("a");
    expect((await tested.hub.plugins.get("a")).tools[0]!.name).toBe(second!.name);
  });

  inDeep("have at most 64 characters", async () => {
    await using tested = await testHub();
    const long = "t".repeat(64);
    await enabled(tested, { entry: toolNamed(long) }, { name: "p".repeat(32) });
    const [tool] = (await tested.hub.plugins.get("p".repeat(32))).tools;
    expect(tool!.name).toHaveLength(64);
    expect(await tested.call(tool!.name)).toMatchObject({ outcome: "ok" });
  });

  inDeep("of plugins are taken once", async () => {
    await using tested = await testHub();
    const spec = await enabled(tested, {});
    await expect(tested.hub.plugins.add({ kind: "folder", spec })).rejects.toMatchObject({
      code: "NAME_TAKEN",
    });
    await expect(tested.hub.plugins.add({ kind: "folder", spec }, { name: "No" })).rejects.toMatchObject({
      code: "NAME_INVALID",
    });
    await expect(tested.hub.plugins.get("sampel")).rejects.toThrow("did you mean sample?");
  });
});

describe("flags", () => {
  inDeep("that loosen count only where a person enabled the plugin as trusted", async () => {
    await using tested = await testHub();
    await enabled(tested, { flags: { readOnly: true, concurrencySafe: true } });
    const flags = () => tested.hub.plugins.tools()[0]!.flags;
    expect(flags()).toEqual({ readOnly: false, concurrencySafe: false, destructive: false });
    await tested.hub.plugins.enable("sample", { trusted: true });
    expect(flags()).toEqual({ readOnly: true, concurrencySafe: true, destructive: false });
    await tested.hub.plugins.enable("sample");
    expect(flags()).toMatchObject({ readOnly: false });
  });

  it("that tighten are believed from anyone", async () => {
    await using tested = await testHub();
    await enabled(tested, { flags: { destructive: true, readOnly: true } });
    expect(tested.hub.plugins.tools()[0]!.flags).toEqual({
      readOnly: false,
      concurrencySafe: false,
      destructive: true,
    });
  });
});

describe("what a plugin sees", () => {
  it("of the environment is what it declared, and of the vault the secrets it named", async () => {
    await using tested = await testHub({ env: { WANTED: "1", OTHER: "2", DATABASE_PASSWORD: "3" } });
    await tested.hub.vault.put("TOKEN", "a-very-secret-token");
    await tested.hub.vault.put("UNNAMED", "another-secret-value");
    await enabled(tested, {
      run: "return { env: process.env, names: Object.keys(context.secrets), length: context.secrets.TOKEN.length };",
      permissions: { env: ["WANTED"], secrets: ["TOKEN"] },
    });
    const { structured } = await tested.call(TOOL);
    expect(structured).toMatchObject({ names: ["TOKEN"], length: 19, env: { WANTED: "1" } });
    const allowed = /^(WANTED|LANG|LANGUAGE|LC_ALL|LC_CTYPE|TZ|PROCESS_TREE|TOOLKEEP_TREE)$/;
    expect(Object.keys(structured!.env as object).filter((name) => !allowed.test(name))).toEqual([]);
  });

  it("of a secret never reaches who called", async () => {
    await using tested = await testHub();
    await tested.hub.vault.put("TOKEN", "a-very-secret-token");
    await enabled(tested, { run: "return context.secrets.TOKEN;", permissions: { secrets: ["TOKEN"] } });
    const { outcome, text } = await tested.call(TOOL);
    expect(outcome).toBe("ok");
    expect(text).not.toContain("a-very-secret-token");
  });

  it("of files is the workspace of who calls, in a process of its own for each", async () => {
    await using tested = await testHub({
      toolboxes: { box: [TOOL] },
      agents: { one: ["box"], two: ["box"] },
    });
    await enabled(tested, {
      run: `
        fs.writeFileSync("note.txt", context.agent);
        const attempt = (path) => { try { return fs.readFileSync(path, "utf8"); } catch (error) { return error.code; } };
        return { own: attempt(context.workspace + "/note.txt"), other: attempt(context.workspace + "/../one/note.txt"), system: attempt("/etc/passwd") };`,
      permissions: { files: "write" },
    });
    expect((await tested.call(TOOL, {}, "one")).structured).toMatchObject({ own: "one" });
    expect((await tested.call(TOOL, {}, "two")).structured).toEqual({
      own: "two",
      other: "ERR_ACCESS_DENIED",
      system: "ERR_ACCESS_DENIED",
    });
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ processes: 2 });
  });

  it("without declared files is its own folder, read-only, and no other program", async () => {
    await using tested = await testHub();
    await enabled(tested, {
      entry: `
        import fs from "node:fs";
        import { spawnSync } from "node:child_process";
        const attempt = (work) => { try { work(); return "done"; } catch (error) { return error.code; } };
        export const tools = [{ name: "tool", description: "x", run: (args, context) => ({
          workspace: context.workspace ?? "none",
          own: attempt(() => fs.readFileSync(new URL("package.json", import.meta.url))),
          write: attempt(() => fs.writeFileSync(new URL("x", import.meta.url), "")),
          program: attempt(() => spawnSync("true")),
        }) }];`,
    });
    expect((await tested.call(TOOL)).structured).toEqual({
      workspace: "none",
      own: "done",
      write: "ERR_ACCESS_DENIED",
      program: "ERR_ACCESS_DENIED",
    });
  });

  inDeep("of other programs is what it declared", async () => {
    await using tested = await testHub();
    await enabled(tested, {
      entry: `
        import { execFileSync } from "node:child_process";
        export const tools = [{ name: "tool", description: "x", run: () => execFileSync("echo", ["from elsewhere"], { encoding: "utf8" }) }];`,
      permissions: { childProcesses: true },
    });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "from elsewhere\n" });
  });

  it("is said honestly where nobody sees to it", async () => {
    await using tested = await testHub();
    const folder = await written(tested, {});
    const { notEnforced } = await tested.hub.plugins.add({ kind: "folder", spec: folder });
    const holdsNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");
    expect(notEnforced.some((note) => note.startsWith("the network"))).toBe(!holdsNetwork);
  });
});

describe("a hub", () => {
  it("that opens a home again knows its plugins without starting them", async () => {
    await using home = await tempHome();
    const { createHub } = await import("../../../src/hub.ts");
    const options = { home: home.path, settings: {}, env: { PATH: process.env.PATH ?? "" } };
    const folder = await writePlugin(join(home.path, "source"), {});
    const first = await createHub(options);
    await first.plugins.add({ kind: "folder", spec: folder });
    await first.plugins.enable("sample");
    await first.close();
    const second = await createHub(options);
    expect(second.plugins.tools().map(({ name }) => name)).toEqual([TOOL]);
    const called = await second.callTool({
      name: TOOL,
      arguments: {},
      caller: second.identity.operatorCaller("test"),
      via: "library",
    });
    expect(called).toMatchObject({ outcome: "ok" });
    await second.close();
  });
});

function toolNamed(name: string): string {
  return `export const tools = [{ name: ${JSON.stringify(name)}, description: "x", run: () => "done" }];`;
}
