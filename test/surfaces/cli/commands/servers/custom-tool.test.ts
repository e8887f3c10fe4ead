import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeTool } from "../../../../support/custom.ts";
import { inDeep } from "../../../../support/length.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep tool", () => {
  it("new, test and enable make a tool of one's own", async () => {
    await using api = await testApi({ agents: { main: ["all"] } });
    const written = await typed(api, ["tool", "new", "hello", "--lang", "js"]);
    expect(written.out).toContain(join(api.home, "tools", "hello", "tool.mjs"));
    expect(written.out).toContain("toolkeep tool test hello");

    const tried = await typed(api, ["tool", "test", "hello", "name=Ada"]);
    expect([tried.code, tried.out]).toEqual([0, '{"greeting":"Hello, Ada!"}\n']);

    const enabled = await typed(api, ["tool", "enable", "hello", "--yes"]);
    expect(enabled).toMatchObject({ code: 0, out: expect.stringContaining("Enabled custom_hello.") });
    expect((await api.call("custom_hello", { name: "Ada" }, "main")).outcome).toBe("ok");
    expect((await typed(api, ["tool", "enable", "hello"])).out).toContain("already enabled");

    expect((await typed(api, ["tool", "disable", "hello"])).out).toContain("Disabled custom_hello.");
    expect((await api.call("custom_hello", { name: "Ada" }, "main")).outcome).toBe("disabled");
    const removed = await typed(api, ["tool", "remove", "hello", "--yes"]);
    expect(removed.out).toContain(join(api.home, "removed-tools", "hello-"));
    expect((await typed(api, ["tool", "disable", "hello"])).code).toBe(3);
  });

  it("new writes a shell script unless told otherwise, and knows its languages", async () => {
    await using api = await testApi();
    expect((await typed(api, ["tool", "new", "hello"])).out).toContain("tool.sh");
    const wrong = await typed(api, ["tool", "new", "bad name", "--json"]);
    expect([wrong.code, JSON.parse(wrong.out).error.code]).toEqual([2, "NAME_INVALID"]);
  });

  it("enable shows what it enables, and does so only for a person or with --yes", async () => {
    await using api = await testApi();
    await writeTool(api.home, "hello", "echo hi", {
      env: { MODE: "canary-value" },
      pass_env: ["http_proxy"],
      secrets: ["API_KEY"],
      timeout_ms: 5_000,
      destructive: true,
    });
    const alone = await typed(api, ["tool", "enable", "hello"]);
    expect(alone.code).toBe(2);
    for (const shown of [
      /^name: +custom_hello$/m,
      /^runs: +\/\S+ tool\.sh$/m,
      /^flags: +destructive$/m,
      /^time limit: +5 s$/m,
      /^env: +MODE$/m,
      /^env passed on: +http_proxy$/m,
      /^secrets: +API_KEY$/m,
      /cannot ask without a terminal; pass --yes after reviewing/,
    ])
      expect(alone.err).toMatch(shown);
    expect(alone.err).not.toContain("canary-value");
    expect(api.hub.custom.get("hello").enabled).toBeNull();

    const enabled = await typed(api, ["tool", "enable", "custom_hello", "--yes", "--json"]);
    expect(JSON.parse(enabled.out).tool).toMatchObject({ enabled: { enabledBy: "operator" } });
    expect((await typed(api, ["tool", "enable", "hello"])).out).toContain("needs the secret API_KEY");
  });

  it("enable refuses what cannot be used, and says what to correct", async () => {
    await using api = await testApi();
    await writeTool(api.home, "hello", "echo hi", { timeout_ms: 0 });
    const refused = await typed(api, ["tool", "enable", "hello", "--yes"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("timeout_ms: expected a whole number from 1 to 300000");
  });

  inDeep("test shows how a script ended, and what it said beside its answer", async () => {
    await using api = await testApi();
    await writeTool(api.home, "good", "echo answer; echo aside >&2");
    const good = await typed(api, ["tool", "test", "good"]);
    expect(good).toEqual({
      code: 0,
      out: "answer\n",
      err: expect.stringContaining("standard error:\naside\n"),
    });
    await writeTool(api.home, "bad", "echo half; echo why >&2; exit 3");
    const bad = await typed(api, ["tool", "test", "bad"]);
    expect(bad.code).toBe(1);
    expect(bad.err).toMatch(/exit code 3.*why.*half/s);
    const json = await typed(api, ["tool", "test", "bad", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ outcome: "failed", meta: { exitCode: 3, stderr: "why\n" } });
  });

  it("list and show say what waits for a person", async () => {
    await using api = await testApi({ agents: { main: ["all"] } });
    const folder = await writeTool(api.home, "hello", "echo hi");
    await writeTool(api.home, "Not-This", "echo");
    const listed = await typed(api, ["tool", "list"]);
    expect(listed.out).toMatch(/^custom: 1 tool\n {2}custom_hello +disabled +The tool hello\.$/m);
    expect(listed.out).toContain(
      "custom_hello is not enabled. A person has to review and enable it: toolkeep tool",
    );
    expect(listed.out).toContain('not a tool: "Not-This"');
    expect((await typed(api, ["tool", "list", "--agent", "main"])).out).not.toContain("custom_hello");

    await typed(api, ["tool", "enable", "hello", "--yes"]);
    await writeFile(join(folder, "tool.sh"), "echo other");
    expect((await typed(api, ["tool", "list"])).out).toContain(
      "custom_hello has changed since it was enabled.",
    );
    const shown = await typed(api, ["tool", "show", "custom_hello"]);
    expect(shown.out).toMatch(/^status: +disabled: custom_hello has changed/m);
    expect(shown.out).toContain(folder);
    const json = JSON.parse((await typed(api, ["tool", "show", "hello", "--json"])).out);
    expect(json.custom).toMatchObject({ slug: "hello", wants: { timeoutMs: 30_000 } });
  });
});
