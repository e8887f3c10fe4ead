import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../src/features/custom-tools/manifest.ts";

const LEAST = { description: "Does it.", entry: "tool.sh", input_schema: { type: "object" } };

const read = (more: Record<string, unknown> = {}) => parseManifest(JSON.stringify({ ...LEAST, ...more }));

/** What is wrong with it, as one text. */
function problems(more: Record<string, unknown>): string {
  const result = read(more);
  return result.ok ? "" : result.error.join("\n");
}

describe("a manifest", () => {
  it("needs a description, a schema and a script; the rest has defaults that loosen nothing", () => {
    const result = read();
    expect(result.ok && result.value.manifest).toEqual({
      description: "Does it.",
      inputSchema: { type: "object" },
      flags: { readOnly: false, concurrencySafe: false, destructive: false },
      entry: "tool.sh",
      timeoutMs: 30_000,
      maxOutputBytes: 1_000_000,
      env: {},
      passEnv: [],
      secrets: [],
    });
    for (const key of Object.keys(LEAST)) expect(problems({ [key]: undefined })).toContain(key);
  });

  it("says everything else in keys of its own", () => {
    const result = read({
      title: "It",
      output_schema: { type: "object", required: ["n"] },
      read_only: true,
      concurrency_safe: true,
      interpreter: ["python3", "-u"],
      timeout_ms: 300_000,
      max_output_bytes: 5_000,
      env: { MODE: "x" },
      pass_env: ["http_proxy"],
      secrets: ["API_KEY"],
      entry: "./bin//tool.py",
    });
    expect(result.ok && result.value.manifest).toMatchObject({
      title: "It",
      outputSchema: { required: ["n"] },
      flags: { readOnly: true, concurrencySafe: true, destructive: false },
      interpreter: ["python3", "-u"],
      timeoutMs: 300_000,
      env: { MODE: "x" },
      passEnv: ["http_proxy"],
      secrets: ["API_KEY"],
      entry: "bin/tool.py",
    });
    const alone = read({ interpreter: "deno" });
    expect(alone.ok && alone.value.manifest.interpreter).toEqual(["deno"]);
  });

  it.each([
    [{ timeout_ms: 0 }, "from 1 to 300000"],
    [{ timeout_ms: 300_001 }, "from 1 to 300000"],
    [{ timeout_ms: "30s" }, "a whole number"],
    [{ max_output_bytes: 10_000_001 }, "from 1000 to 10000000"],
    [{ input_schema: { type: "string" } }, '"type": "object"'],
    [{ input_schema: [] }, '"type": "object"'],
    [{ output_schema: { type: "array" } }, '"type": "object"'],
    [{ read_only: "yes" }, "true or false"],
    [{ read_only: true, destructive: true }, "read_only is true"],
    [{ description: " " }, "what the tool does"],
    [{ entry: "../tool.sh" }, "a file in the folder"],
    [{ entry: "a/../../tool.sh" }, "a file in the folder"],
    [{ entry: "/bin/sh" }, "a file in the folder"],
    [{ entry: "." }, "a file in the folder"],
    [{ entry: "bin/" }, "a file in the folder"],
    [{ entry: "a\0b" }, "relative to the folder"],
    [{ interpreter: [] }, "a program"],
    [{ env: { "A-B": "x" } }, "letters, digits and _"],
    [{ env: { A: 1 } }, "a text"],
    [{ env: { A: "x\0y" } }, "without NUL"],
    [{ env: { TOOLKEEP_HOME: "/" } }, "the daemon's own"],
    [{ env: { PROCESS_TREE: "x" } }, "the daemon's own"],
    [{ pass_env: ["TOOLKEEP_TOKEN"] }, "the daemon's own"],
    [{ pass_env: ["DATABASE_URL"] }, "the daemon's own"],
    [{ secrets: ["lower"] }, "capitals, digits and _"],
    [{ secrets: "API_KEY" }, "a list"],
  ])("with %j is refused", (more, expected) => {
    expect(problems(more)).toContain(expected);
  });

  it("that names more variables than anybody reads is refused", () => {
    expect(problems({ pass_env: Array.from({ length: 51 }, (_, index) => `V${index}`) })).toContain(
      "at most 50",
    );
  });

  it("with a key that it does not know is refused: a misspelt one must not count as left out", () => {
    expect(problems({ destructiv: true })).toMatch(/one of title, .*"destructiv" \(for destructive\?\)/);
    expect(problems({ frobnicate: 1 })).toContain('"frobnicate"');
  });

  it("that is no JSON object is refused, with the place", () => {
    const broken = parseManifest('{\n  "description": "x",\n  "entry": }');
    expect(broken.ok ? "" : broken.error[0]).toMatch(/^tool\.json:3:\d+/);
    for (const content of ["[]", "null", "", '"x"']) expect(parseManifest(content).ok).toBe(false);
    expect(parseManifest(`{"description": "${"x".repeat(300_000)}"}`)).toEqual({
      ok: false,
      error: ["tool.json: expected at most 262144 bytes"],
    });
  });

  it("does not repeat a value of env, which may be a secret", () => {
    expect(problems({ env: { A: "canary\0" } })).not.toContain("canary");
  });
});
