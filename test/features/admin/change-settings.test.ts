import { describe, expect, test } from "vitest";
import { applyChanges } from "../../../src/features/admin/change-settings.ts";

const file = (name: string, text: string | null) => ({
  path: `/home/${name}`,
  real: `/home/${name}`,
  text,
  mode: 0o600,
});

describe("changing the settings file", () => {
  test("writes JSON where there was no file", () => {
    const changed = applyChanges(file("config.json", null), { "shell.timeout_ms": 5_000 });
    expect(changed).toEqual({ ok: true, value: '{\n  "shell": {\n    "timeout_ms": 5000\n  }\n}\n' });
  });

  test("in TOML sets values in their place, in their table, at the top and in a new table", () => {
    const before = [
      "# mine",
      'log_level = "info" # loud',
      "",
      "# the shell",
      "[shell]",
      "max_output_bytes = 5000",
      "",
      "[mcp]",
      "enabled = true",
      "",
    ].join("\n");
    const changed = applyChanges(file("config.toml", before), {
      log_level: "warn",
      "shell.timeout_ms": 6_000,
      max_result_chars: 9_000,
      "tool_search.threshold": 7,
    });
    expect(changed).toEqual({
      ok: true,
      value: [
        "# mine",
        'log_level = "warn" # loud',
        "max_result_chars = 9000",
        "",
        "# the shell",
        "[shell]",
        "timeout_ms = 6000",
        "max_output_bytes = 5000",
        "",
        "[mcp]",
        "enabled = true",
        "",
        "[tool_search]",
        "threshold = 7",
        "",
      ].join("\n"),
    });
  });

  test("in TOML without values at the top writes before the first table", () => {
    expect(applyChanges(file("config.toml", "[mcp]\nenabled = true\n"), { log_level: "warn" })).toEqual({
      ok: true,
      value: 'log_level = "warn"\n[mcp]\nenabled = true\n',
    });
  });

  test("refuses what is written in a way that it cannot change, and files that are wrong already", () => {
    const inline = applyChanges(file("config.toml", "shell = { max_output_bytes = 5000 }\n"), {
      "shell.timeout_ms": 6_000,
    });
    expect(inline).toMatchObject({ ok: false, error: expect.stringContaining("cannot be changed safely") });
    const wrong = applyChanges(file("config.json", '{ "port": "x" }'), { log_level: "warn" });
    expect(wrong).toMatchObject({ ok: false, error: expect.stringContaining("port") });
    const half = applyChanges(file("config.json", '{ "port": '), { log_level: "warn" });
    expect(half).toMatchObject({ ok: false });
  });
});
