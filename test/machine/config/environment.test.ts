import { describe, expect, test } from "vitest";
import { readEnvironment } from "../../../src/machine/config/environment.ts";

describe("readEnvironment", () => {
  test("every variable becomes the value of its setting", () => {
    const { values, problems } = readEnvironment({
      TOOLKEEP_HOST: "0.0.0.0",
      TOOLKEEP_PORT: "8080",
      TOOLKEEP_PUBLIC_URL: "https://keep.example/",
      TOOLKEEP_LOG_LEVEL: "debug",
      TOOLKEEP_MAX_TOOL_USE_CONCURRENCY: "3",
      MCP_REQUIRE_APPROVAL: "false",
      DATABASE_URL: "postgresql://me:pw@localhost/toolkeep",
      UNRELATED: "x",
    });
    expect(problems).toEqual([]);
    expect(values).toEqual({
      host: "0.0.0.0",
      port: 8080,
      public_url: "https://keep.example",
      log_level: "debug",
      max_tool_concurrency: 3,
      "mcp.require_approval": false,
      database_url: "postgresql://me:pw@localhost/toolkeep",
    });
  });

  test.each([
    ["1", true],
    ["YES", true],
    ["0", false],
    ["off", false],
  ])("MCP_REQUIRE_APPROVAL=%s means %s", (written, value) => {
    expect(readEnvironment({ MCP_REQUIRE_APPROVAL: written }).values).toEqual({
      "mcp.require_approval": value,
    });
  });

  test.each(["TOOLKEEP_EMBEDDINGS_API_KEY", "TOOLKEEP_SEARCH_API_KEY"])(
    "a %s that is none is not quoted",
    (name) => {
      const { problems } = readEnvironment({ [name]: `hunter2\u0007${"x".repeat(20)}` });
      expect(JSON.stringify(problems)).toMatch(/got a string \(not shown\)/);
      expect(JSON.stringify(problems)).not.toContain("hunter2");
    },
  );

  test("an embedder is named by variables, too", () => {
    const { values, problems } = readEnvironment({
      TOOLKEEP_EMBEDDINGS_PROVIDER: "off",
      TOOLKEEP_EMBEDDINGS_URL: "http://127.0.0.1:8080/v1",
      TOOLKEEP_EMBEDDINGS_MODEL: "3",
      TOOLKEEP_EMBEDDINGS_DIMENSIONS: "5000",
    });
    expect(values).toEqual({
      "embeddings.provider": "off",
      "embeddings.url": "http://127.0.0.1:8080/v1",
      "embeddings.model": "3",
    });
    expect(JSON.stringify(problems)).toContain("expected a whole number from 8 to 4096");
  });

  test("an empty variable counts as not set", () => {
    expect(readEnvironment({ TOOLKEEP_PORT: "", DATABASE_URL: " " })).toEqual({ values: {}, problems: [] });
  });

  test.each([
    ["TOOLKEEP_PORT", "abc", 'expected a whole number from 0 to 65535, got "abc"'],
    ["TOOLKEEP_PORT", "70000", 'expected a whole number from 0 to 65535, got "70000"'],
    ["TOOLKEEP_MAX_TOOL_USE_CONCURRENCY", "0", 'expected a whole number from 1 to 100, got "0"'],
    ["MCP_REQUIRE_APPROVAL", "maybe", 'expected true or false, got "maybe"'],
    ["TOOLKEEP_HOST", "http://x", 'expected a host name or IP address, got "http://x"'],
    [
      "DATABASE_URL",
      "mysql://u:hunter2@db/x",
      "expected a postgres:// or postgresql:// URL, got a string (not shown)",
    ],
  ])("a bad %s=%s is named", (variable, value, message) => {
    expect(readEnvironment({ [variable]: value }).problems).toEqual([
      expect.objectContaining({ file: null, key: variable, message: `${variable}: ${message}` }),
    ]);
  });
});
