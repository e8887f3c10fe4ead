import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolStatus } from "../../../src/contract/tool.ts";
import { customTools } from "../../../src/features/custom-tools/tables.ts";
import { Records } from "../../../src/machine/db/query/records.ts";
import { enabledTool, enableTool, writeTool } from "../../support/custom.ts";
import { tempHome } from "../../support/temp-home.ts";
import { testApi } from "../../support/test-api.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const reasonOf = (status: ToolStatus) => (status.kind === "active" ? "" : status.reason);
const names = ({ hub, caller }: TestHub, agent: string) =>
  hub.catalog.visible(caller(agent)).map((tool) => tool.name);

describe("a custom tool", () => {
  it("is there when its folder is, and runs only once a person has enabled it", async () => {
    await using test = await testHub({ agents: { main: ["all"] } });
    const { custom, catalog } = test.hub;
    await writeTool(test.home, "hello", "echo hi");
    await waitUntil("it is noticed", () => catalog.get("custom_hello") !== undefined);
    expect(names(test, "main")).not.toContain("custom_hello");
    const refused = await test.call("custom_hello", {}, "main");
    expect(refused).toMatchObject({
      outcome: "disabled",
      text: expect.stringContaining("toolkeep tool enable custom_hello"),
    });

    const { sha256 } = custom.get("hello");
    const enabled = await custom.enable("custom_hello", { sha256: sha256!, by: "operator" });
    expect(enabled).toMatchObject({ status: { kind: "active" }, enabled: { sha256, enabledBy: "operator" } });
    expect(names(test, "main")).toContain("custom_hello");
    expect(await test.call("custom_hello", {}, "main")).toMatchObject({ outcome: "ok", text: "hi\n" });

    await custom.disable("hello");
    expect((await test.call("custom_hello", {}, "main")).outcome).toBe("disabled");
    expect(names(test, "main")).not.toContain("custom_hello");
  });

  it("that changes is no longer enabled, in whatever file, until a person enables it again", async () => {
    await using test = await testHub();
    const folder = await enabledTool(test, "hello", "echo hi");
    const status = () => test.hub.custom.get("hello").status;
    for (const [file, content] of [
      ["tool.sh", "echo ho"],
      ["more.txt", "more"],
      ["tool.json", (await readFile(join(folder, "tool.json"), "utf8")).replace("The tool", "A tool")],
    ] as const) {
      await writeFile(join(folder, file), content);
      await waitUntil(`the change of ${file} is noticed`, () => status().kind === "disabled");
      expect(reasonOf(status())).toContain("has changed since it was enabled");
      await enableTool(test, "hello");
      expect(status().kind).toBe("active");
    }
    await rm(join(folder, "more.txt"));
    await waitUntil("that one is gone is noticed", () => status().kind === "disabled");
    await writeFile(join(folder, "more.txt"), "more");
    await waitUntil("as it was, it counts again", () => status().kind === "active");
  });

  it("is enabled only as it was shown", async () => {
    await using test = await testHub();
    const folder = await writeTool(test.home, "hello", "echo hi");
    await test.hub.custom.refresh();
    const { sha256 } = test.hub.custom.get("hello");
    await writeFile(join(folder, "tool.sh"), "rm -rf somewhere");
    await expect(test.hub.custom.enable("hello", { sha256: sha256!, by: "operator" })).rejects.toMatchObject({
      code: "CHANGED",
    });
    expect(test.hub.custom.get("hello").enabled).toBeNull();
  });

  it("says what is wrong with it, and cannot be enabled or tried until that is put right", async () => {
    await using test = await testHub();
    const folder = await writeTool(test.home, "hello", "echo hi", { entry: "tool.sh", timeout_ms: 999_999 });
    await test.hub.custom.refresh();
    const view = test.hub.custom.get("hello");
    expect(reasonOf(view.status)).toMatch(/cannot be used: tool\.json:1:\d+: timeout_ms: expected .* 300000/);
    expect(view.wants).toBeNull();
    const enabling = test.hub.custom.enable("hello", { sha256: view.sha256!, by: "operator" });
    await expect(enabling).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(test.hub.custom.trial("hello")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await writeTool(test.home, "hello", "echo hi");
    await rm(join(folder, "tool.sh"));
    await test.hub.custom.refresh();
    expect(reasonOf(test.hub.custom.get("hello").status)).toContain("entry: expected a file of the folder");
    await rm(join(folder, "tool.json"));
    await test.hub.custom.refresh();
    expect(reasonOf(test.hub.custom.get("hello").status)).toContain("the folder has no tool.json");
  });

  it("whose interpreter is missing here can be enabled, and waits for it", async () => {
    await using test = await testHub();
    await enabledTool(test, "hello", "echo hi", { interpreter: ["no-such-program"] });
    const { status, wants } = test.hub.custom.get("hello");
    expect(status.kind).toBe("unavailable");
    expect(reasonOf(status)).toContain("no-such-program is not on the PATH");
    expect(wants?.command).toBeNull();
  });

  it("that needs a secret is unavailable until it is stored", async () => {
    await using test = await testHub();
    await enabledTool(test, "hello", "echo hi", { secrets: ["API_KEY"] });
    const refused = await test.call("custom_hello");
    expect(refused).toMatchObject({ outcome: "unavailable", text: expect.stringContaining("API_KEY") });
    await expect(test.hub.custom.trial("hello")).rejects.toMatchObject({
      message: expect.stringContaining("needs the secret API_KEY"),
    });
    await test.hub.vault.put("API_KEY", "long-enough-to-hide");
    expect((await test.call("custom_hello")).outcome).toBe("ok");
  });

  it("shows a person what it asks for, of variables and secrets the names only", async () => {
    await using test = await testHub();
    const folder = await writeTool(test.home, "hello", "#!/usr/bin/env -S sh -e\necho hi", {
      env: { MODE: "canary-value" },
      pass_env: ["http_proxy"],
      secrets: ["API_KEY"],
      timeout_ms: 5_000,
      destructive: true,
    });
    await test.hub.custom.refresh();
    const view = test.hub.custom.get("hello");
    expect(view).toMatchObject({
      name: "custom_hello",
      folder,
      files: [{ path: "tool.json" }, { path: "tool.sh", bytes: 31 }],
      wants: {
        command: [expect.stringMatching(/^\/.*\/sh$/), "-e", "tool.sh"],
        flags: { readOnly: false, concurrencySafe: false, destructive: true },
        timeoutMs: 5_000,
        env: ["MODE"],
        passEnv: ["http_proxy"],
        secrets: ["API_KEY"],
      },
      enabled: null,
    });
    expect(JSON.stringify(view)).not.toContain("canary-value");
  });

  it("can be tried by a person before it is enabled, as it is now", async () => {
    await using test = await testApi();
    const folder = await writeTool(test.home, "hello", "echo first; echo aside >&2");
    const trial = async (name: string, args: unknown = {}) =>
      (await test.request("POST", `/api/custom-tools/${name}/try`, { arguments: args })).body;
    expect(await trial("hello")).toMatchObject({
      outcome: "ok",
      tool: "custom_hello",
      text: "first\n",
      meta: { exitCode: 0, signal: null, stderr: "aside\n" },
    });
    await writeFile(join(folder, "tool.sh"), "exit 7");
    expect(await trial("custom_hello")).toMatchObject({ outcome: "failed", meta: { exitCode: 7 } });
    expect(test.hub.custom.get("hello").status.kind).toBe("disabled");
    await writeTool(test.home, "hello", "cat", {
      input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    });
    expect((await trial("hello")).outcome).toBe("invalid_arguments");
    expect(await trial("hello", { n: "4" })).toMatchObject({ structured: { n: 4 } });
    expect((await trial("helo")).error).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("did you mean custom_hello?"),
    });
  });

  it("that is removed keeps its files, elsewhere", async () => {
    await using test = await testHub();
    await enabledTool(test, "hello", "echo hi");
    const aside = await test.hub.custom.remove("hello");
    expect(await readdir(aside!)).toEqual(["tool.json", "tool.sh"]);
    expect(test.hub.custom.list()).toEqual([]);
    expect(test.hub.catalog.get("custom_hello")).toBeUndefined();
    await cp(aside!, join(test.home, "tools", "hello"), { recursive: true });
    await test.hub.custom.refresh();
    expect(reasonOf(test.hub.custom.get("hello").status)).toContain("is not enabled");
  });

  it("may be a link to a folder elsewhere; removing it takes the link away", async () => {
    await using test = await testHub();
    await using elsewhere = await tempHome();
    const written = await writeTool(elsewhere.path, "hello", "echo hi");
    await mkdir(join(test.home, "tools"), { recursive: true });
    await symlink(written, join(test.home, "tools", "hello"));
    await enableTool(test, "hello");
    expect((await test.call("custom_hello")).text).toBe("hi\n");
    await test.hub.custom.remove("hello");
    expect(await readdir(written)).toEqual(["tool.json", "tool.sh"]);
  });
});

describe("the folder of custom tools", () => {
  it("tells of folders that cannot be a tool, and leaves files beside them alone", async () => {
    await using test = await testHub();
    await writeTool(test.home, "My-Tool", "echo");
    await writeFile(join(test.home, "tools", "README"), "");
    await mkdir(join(test.home, "tools", ".hidden"));
    await test.hub.custom.refresh();
    expect(test.hub.custom.list()).toEqual([]);
    expect(test.hub.custom.problems()).toEqual([
      expect.stringContaining("rename it, for instance to my_tool"),
    ]);
  });

  it("that cannot be read is a problem to be told of, and is read as soon as it can be", async () => {
    await using home = await tempHome();
    await using test = await testHub();
    const tools = join(test.home, "tools");
    await enabledTool(test, "hello", "echo hi");
    await rename(tools, join(home.path, "aside"));
    await writeFile(tools, "no folder");
    await test.hub.custom.refresh();
    expect(test.hub.custom.problems()).toEqual([expect.stringContaining("EEXIST")]);
    expect((await test.call("custom_hello")).outcome).toBe("unavailable");
    await rm(tools);
    await rename(join(home.path, "aside"), tools);
    await test.hub.custom.refresh();
    expect(test.hub.custom.problems()).toEqual([]);
    expect((await test.call("custom_hello")).outcome).toBe("ok");
  });

  it("may be without the folder of an enabled tool, as on another machine: the tool says so", async () => {
    await using test = await testHub({ agents: { main: ["all"] } });
    const folder = await enabledTool(test, "hello", "echo hi");
    await rm(folder, { recursive: true });
    await test.hub.custom.refresh();
    expect(await test.call("custom_hello", {}, "main")).toMatchObject({
      outcome: "unavailable",
      text: expect.stringContaining("its folder is not on this machine"),
    });
    expect(test.hub.catalog.get("custom_hello")?.description).toBe("The tool hello.");
    expect(await test.hub.custom.disable("hello")).toMatchObject({
      status: { kind: "disabled" },
      enabled: null,
    });
    expect(test.hub.custom.list()).toEqual([]);
  });
});

describe("who may call a custom tool", () => {
  it("is whoever has *, or its name, or a pattern; not an agent with neither", async () => {
    await using test = await testHub({
      toolboxes: { every: ["*"], one: ["custom_hello"], pattern: ["custom:he*"], other: ["mcp:*"] },
      agents: { star: ["every"], named: ["one"], matched: ["pattern"], bare: [], mcp: ["other"] },
    });
    await enabledTool(test, "hello", "echo hi");
    for (const agent of ["star", "named", "matched"]) {
      expect(names(test, agent)).toContain("custom_hello");
      expect((await test.call("custom_hello", {}, agent)).outcome).toBe("ok");
    }
    for (const agent of ["bare", "mcp"])
      expect((await test.call("custom_hello", {}, agent)).outcome).toBe("not_granted");
  });

  it("is narrowed by the scopes of a token and by the context of a scout", async () => {
    await using test = await testHub({ agents: { main: ["all"] } });
    await enabledTool(test, "writes", "echo hi");
    await enabledTool(test, "looks", "echo hi", { read_only: true });
    const { identity, catalog } = test.hub;
    const seen = (scopes: readonly ("files" | "tools")[]) =>
      catalog
        .visible(identity.callerFor(identity.agent("main"), { tokenId: "t", scopes, conversation: "c" }))
        .map((tool) => tool.name);
    expect(seen(["files"])).not.toContain("custom_looks");
    expect(seen(["tools"])).toContain("custom_looks");
    await identity.createAgent("eyes", { parent: "main", scout: true, toolboxes: ["all"] });
    expect(names(test, "eyes")).toContain("custom_looks");
    expect(names(test, "eyes")).not.toContain("custom_writes");
  });

  it("is decided by rules too, by its name or by custom:<slug>", async () => {
    await using test = await testHub({
      agents: { main: ["all"] },
      rules: [
        { permission: "custom:*", action: "ask" },
        { permission: "custom_never", action: "deny" },
      ],
    });
    await enabledTool(test, "asks", "echo hi");
    await enabledTool(test, "never", "echo hi");
    expect((await test.call("custom_asks", {}, "main")).outcome).toBe("needs_approval");
    expect((await test.call("custom_never", {}, "main")).outcome).toBe("denied");
    expect(names(test, "main")).not.toContain("custom_never");
  });

  it("runs beside others where the manifest says so, which is believed", async () => {
    await using test = await testHub({ agents: { main: ["all"] } });
    const flags = { read_only: true, concurrency_safe: true };
    // Each waits for the other: alone, neither ends.
    const meet = (own: string, other: string) =>
      `touch ${own}; while ! [ -e ${other} ]; do sleep 0.02; done; echo met`;
    await enabledTool(test, "left", meet("l", "r"), flags);
    await enabledTool(test, "right", meet("r", "l"), flags);
    const caller = test.caller("main");
    const outcomes = await test.hub.callBatch(
      ["custom_left", "custom_right"].map((name) => ({ name, arguments: {}, caller, via: "library" })),
    );
    expect(outcomes.map(({ text }) => text)).toEqual(["met\n", "met\n"]);
  });
});

describe("what another process enables", () => {
  it("counts here once it is read again", async () => {
    await using test = await testHub();
    await writeTool(test.home, "hello", "echo hi");
    await test.hub.custom.refresh();
    const { sha256 } = test.hub.custom.get("hello");
    const records = new Records(test.hub.store.database, customTools);
    const record = { slug: "hello", sha256: sha256!, manifest: {}, enabledBy: "operator", enabledAt: 1 };
    await records.put(record);
    expect((await test.call("custom_hello")).outcome).toBe("disabled");
    await test.hub.reload(new Set(["custom_tools"]));
    expect((await test.call("custom_hello")).outcome).toBe("ok");
    await records.delete({ slug: "hello" });
    await test.hub.reload(new Set(["custom_tools"]));
    expect((await test.call("custom_hello")).outcome).toBe("disabled");
  });
});
