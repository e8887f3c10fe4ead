import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/machine/config/load.ts";
import { settingsFolder } from "./settings-folder.ts";

async function load(project: unknown, user: unknown = {}) {
  await using folder = await settingsFolder({ "home/config.json": user, "project/toolkeep.json": project });
  const { settings, warnings } = await loadSettings(folder.options);
  return { settings, warnings: warnings.map(({ key, line }) => [key, line]) };
}

describe("a trusted project file", () => {
  test("adds ask and deny rules; its allow rules are dropped with a warning", async () => {
    const { settings, warnings } = await load(
      '{"rules": [\n{"permission": "run_shell", "action": "allow"},\n{"permission": "mcp:x:*", "action": "deny"}]}',
      { rules: [{ permission: "write_file", action: "allow" }] },
    );
    expect(settings.rules).toEqual([
      { permission: "write_file", action: "allow", from: "user" },
      { permission: "mcp:x:*", action: "deny", from: "project" },
    ]);
    expect(warnings).toEqual([["rules[0]", 2]]);
  });

  test("cannot trust its servers", async () => {
    const { settings, warnings } = await load('{\n"mcpServers": {"x": {"command": "y",\n"trusted": true}}}');
    expect(settings.servers).toMatchObject([{ name: "x", trusted: false, source: "project" }]);
    expect(warnings).toEqual([["mcpServers.x.trusted", 3]]);
  });

  test("cannot set where the daemon listens, what it logs, names or stores", async () => {
    const { settings, warnings } = await load({
      host: "0.0.0.0",
      port: 1,
      public_url: "https://evil.example",
      log_level: "silent",
      database_url: "postgres://evil.example/x",
      naming: "{server}_{tool}",
      max_tool_name_length: 64,
      questions: { wait_ms: 0, expire_ms: 60_000 },
    });
    const untouched = (await load({})).settings;
    expect({ ...settings, home: "" }).toEqual({ ...untouched, home: "" });
    expect(warnings).toHaveLength(9);
  });

  test("may lower a limit and not raise it", async () => {
    const { settings, warnings } = await load(
      {
        shell: { timeout_ms: 1000, max_output_bytes: 300_000 },
        max_tool_concurrency: 9,
        tool_timeout_secs: 600,
      },
      { max_tool_concurrency: 8 },
    );
    expect(settings).toMatchObject({
      shell: { timeoutMs: 1000, maxOutputBytes: 200_000 },
      limits: { maxToolConcurrency: 8 },
      mcp: { toolTimeoutMs: 120_000 },
    });
    expect(warnings).toEqual([
      ["shell.max_output_bytes", 4],
      ["max_tool_concurrency", 6],
      ["tool_timeout_secs", 7],
    ]);
  });

  test("may switch servers off and approval on, never the other way", async () => {
    const loosened = await load(
      { mcp: { enabled: true, require_approval: false } },
      { mcp: { enabled: false } },
    );
    expect(loosened.settings.mcp).toMatchObject({ enabled: false, requireApproval: true });
    expect(loosened.warnings).toHaveLength(2);

    const tightened = await load(
      { mcp: { enabled: false, require_approval: true } },
      { mcp: { require_approval: false } },
    );
    expect(tightened.settings.mcp).toMatchObject({ enabled: false, requireApproval: true });
    expect(tightened.warnings).toEqual([]);
  });

  test("may say how tools are shown", async () => {
    const { settings, warnings } = await load({
      mcp: { deferred_loading: true },
      tool_search: { enabled: false, threshold: 5, max_matches: 3, embeddings: false, learn: false },
    });
    expect(settings.toolSearch).toMatchObject({
      enabled: false,
      threshold: 5,
      maxMatches: 3,
      embeddings: false,
      learn: false,
    });
    expect(settings.mcp.deferredLoading).toBe(true);
    expect(warnings).toEqual([]);
  });
});
