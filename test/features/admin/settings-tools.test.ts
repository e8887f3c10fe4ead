import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHub } from "../../../src/hub.ts";
import { loadSettings } from "../../../src/machine/config/load.ts";
import { inDeep } from "../../support/length.ts";
import { tempHome } from "../../support/temp-home.ts";
import { type TestHub, type TestHubSetup, testHub } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const CANARY = "canary-71b09c";
const WHY = { reason: "the build takes longer" };

function managed(setup: TestHubSetup = {}): Promise<TestHub> {
  return testHub({ agents: { boss: ["configurator"], star: ["all"] }, ...setup });
}

async function agree(it: TestHub): Promise<string> {
  const [question] = await it.hub.questions.list({ state: "pending" });
  await it.hub.questions.answer(question!.id, "once");
  return question!.prompt;
}

/** A daemon that follows its settings file, as far as a test needs one. */
function following(it: TestHub): () => Promise<void> {
  const read = () => readFile(join(it.home, "config.json"), "utf8");
  let isOver = false;
  const done = (async () => {
    const before = await read();
    await waitUntil("the file changed", async () => isOver || (await read()) !== before);
    const options = { cwd: it.home, env: { TOOLKEEP_HOME: it.home }, isTrusted: () => false };
    if (!isOver) await it.hub.apply(await loadSettings(options));
  })();
  return () => {
    isOver = true;
    return done;
  };
}

describe("the tools for settings", () => {
  test("are had by name only, and a change is destructive", async () => {
    await using it = await managed();
    for (const name of ["get_platform_config", "update_platform_config"])
      expect((await it.call(name, {}, "star")).outcome).toBe("not_granted");
    expect(it.hub.catalog.get("update_platform_config")).toMatchObject({
      scope: "admin",
      availability: "main",
      flags: { destructive: true },
    });
  });
});

describe("get_platform_config", () => {
  test("shows the settings in force and where they come from, and no secret", async () => {
    await using it = await managed({
      servers: { fs: { command: "npx", args: [`--token=${CANARY}`], env: { KEY: CANARY } } },
      settings: { shell: { timeout_ms: 5_000 } },
      env: { TOOLKEEP_SEARCH_API_KEY: CANARY },
    });
    const shown = await it.call("get_platform_config", {}, "boss");
    expect(shown.structured).toMatchObject({
      settings: { shell: { timeout_ms: 5_000 } },
      origins: { "shell.timeout_ms": "user", "web.search.api_key": "env" },
      files: [{ scope: "user", used: true }],
    });
    expect(JSON.stringify(shown)).not.toContain(CANARY);
    expect(
      (await it.call("get_platform_config", { key: "shell.timeout_ms" }, "boss")).structured,
    ).toMatchObject({
      settings: { "shell.timeout_ms": 5_000 },
      origins: { "shell.timeout_ms": "user" },
    });
    expect((await it.call("get_platform_config", { key: "shell.nothing" }, "boss")).outcome).toBe("failed");
  });
});

describe("update_platform_config", () => {
  test("asks a person, keeps a copy and changes nothing else in the file", async () => {
    await using it = await managed();
    const path = join(it.home, "config.json");
    const before =
      '{\n  // loud\n  "log_level": "silent",\n  "default_rules": false,\n  "shell": { "max_output_bytes": 5000 }\n}\n';
    await writeFile(path, before);
    const update = () =>
      it.call(
        "update_platform_config",
        { changes: { "shell.timeout_ms": 60_000, log_level: "error" }, ...WHY },
        "boss",
      );
    expect((await update()).outcome).toBe("needs_input");
    expect(await readFile(path, "utf8")).toBe(before);
    const prompt = await agree(it);
    expect(prompt).toContain('shell.timeout_ms from 120000 to 60000, log_level from "silent" to "error"');
    expect(prompt).toContain(WHY.reason);

    const stop = following(it);
    const changed = await update();
    await stop();
    expect(changed).toMatchObject({
      outcome: "ok",
      structured: { in_force: true, values: { "shell.timeout_ms": 60_000, log_level: "error" } },
    });
    const after = await readFile(path, "utf8");
    expect(after).toContain("// loud");
    expect(it.hub.settings.shell).toMatchObject({ timeoutMs: 60_000, maxOutputBytes: 5_000 });
    const [backup] = (await readdir(it.home)).filter((name) => name.includes("backup"));
    expect(await readFile(join(it.home, backup!), "utf8")).toBe(before);
    expect((await update()).outcome).toBe("needs_input");
  });

  test("a yes does not count for a file that has changed since", async () => {
    await using it = await managed();
    const update = () =>
      it.call("update_platform_config", { changes: { log_level: "error" }, ...WHY }, "boss");
    await update();
    await agree(it);
    await writeFile(join(it.home, "config.json"), '{ "log_level": "warn" }');
    expect((await update()).outcome).toBe("needs_input");
    expect(await readFile(join(it.home, "config.json"), "utf8")).toContain("warn");
  });

  test.each([
    ["who gets in", { host: "0.0.0.0" }, "host is not for agents to change"],
    ["what is asked", { "mcp.require_approval": false }, "is not for agents to change"],
    ["what is reached", { "net.allow_hosts": "x" }, "is not for agents to change"],
    ["what is remembered", { "retention.audit_days": 1 }, "is not for agents to change"],
    ["rules", { rules: "x" }, "is not for agents to change"],
    ["a value that does not fit", { "shell.timeout_ms": 0 }, "shell.timeout_ms: expected"],
    ["what the environment says", { max_tool_concurrency: 5 }, "TOOLKEEP_MAX_TOOL_USE_CONCURRENCY"],
  ])("refuses %s and asks nobody", async (_, changes, message) => {
    await using it = await managed({ env: { TOOLKEEP_MAX_TOOL_USE_CONCURRENCY: "3" } });
    const refused = await it.call("update_platform_config", { changes, ...WHY }, "boss");
    expect(refused).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining(message) },
    });
    expect(await it.hub.questions.list()).toEqual([]);
  });

  inDeep(
    "null takes a setting out again, and without a daemon the change waits for the next start",
    async () => {
      await using it = await managed({ settings: { shell: { timeout_ms: 5_000 } } });
      const changes = { "shell.timeout_ms": null };
      const changed = await it.call("update_platform_config", { changes, ...WHY });
      expect(changed).toMatchObject({ outcome: "ok", structured: { in_force: false } });
      expect(changed.text).toContain("It counts from the next start.");
      expect(JSON.parse(await readFile(join(it.home, "config.json"), "utf8")).shell).toEqual({});
    },
    20_000,
  );

  test("is refused where a program gave the settings", async () => {
    await using home = await tempHome();
    const hub = await createHub({ home: home.path, settings: { log_level: "silent" }, env: {} });
    try {
      const outcome = await hub.callTool({
        name: "update_platform_config",
        arguments: { changes: { log_level: "info" }, ...WHY },
        caller: hub.identity.operatorCaller("test"),
        via: "library",
      });
      expect(outcome.error?.message).toContain("given by the program that embeds Toolkeep");
    } finally {
      await hub.close();
    }
  });
});
