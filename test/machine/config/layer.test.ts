import { describe, expect, test } from "vitest";
import { readLayer } from "../../../src/machine/config/layer.ts";
import { atLength } from "../../support/length.ts";
import { workNow } from "../../support/work-clock.ts";

const read = (name: string, text: string) => readLayer({ path: name, text, sha256: "" }, "user");
const problemsOf = (name: string, text: string) =>
  read(name, text).report.problems.map(({ message }) => message);
const warningsOf = (name: string, text: string) =>
  read(name, text).report.warnings.map(({ message }) => message);

describe("a broken file", () => {
  test("in JSON names file, line, column, key, what was expected and what came, for every problem", () => {
    const text = `{
  "port": "19850",
  "log_level": "loud",
  "naming": "{tool}",
  "shell": {
    "timeout_ms": 600001
  },
  "tool_search": 5,
  "mcp": {
    "deferred_loading": "sometimes",
    "tool_timeout_secs": 0
  },
  "rules": [
    { "permission": "*", "action": "maybe" },
    "deny"
  ]
}`;
    expect(problemsOf("config.json", text)).toEqual([
      'config.json:2:3: port: expected a whole number from 0 to 65535, got "19850"',
      'config.json:3:3: log_level: expected one of "fatal", "error", "warn", "info", "debug", "trace", "silent", got "loud"',
      'config.json:4:3: naming: expected a template of at most 64 characters with {server} and {tool}, got "{tool}"',
      "config.json:6:5: shell.timeout_ms: expected a whole number from 1 to 600000 milliseconds (600 s at most), got 600001",
      "config.json:8:3: tool_search: expected an object, got 5",
      'config.json:10:5: mcp.deferred_loading: expected "auto", true or false, got "sometimes"',
      "config.json:11:5: mcp.tool_timeout_secs: expected a number of seconds above 0 and up to 600, got 0",
      'config.json:14:26: rules[0].action: expected one of "allow", "ask", "deny", got "maybe"',
      'config.json:15:5: rules[1]: expected an object with permission and action, got "deny"',
    ]);
  });

  test("in TOML does the same", () => {
    const text = `host = "a b"
[mcp]
enabled = "yes"

[[mcp.servers]]
name = "good"
command = "npx"

[[mcp.servers]]
name = "bad"
transport = "pigeon"
command = "npx"
tool_timeout_secs = 601
env = { A = [1] }

[[mcp.servers]]
command = "npx"

[questions]
wait_ms = -1
`;
    expect(problemsOf("config.toml", text)).toEqual([
      'config.toml:1:1: host: expected a host name or IP address, got "a b"',
      'config.toml:3:1: mcp.enabled: expected true or false, got "yes"',
      'config.toml:11:1: mcp.servers[1].transport: expected one of "local", "stdio", "remote", "http", "streamable-http", "streamableHttp", "sse", got "pigeon"',
      "config.toml:13:1: mcp.servers[1].tool_timeout_secs: expected a number of seconds above 0 and up to 600, got 601",
      "config.toml:14:9: mcp.servers[1].env.A: expected a string, got a list",
      "config.toml:16:1: mcp.servers[2].name: expected 1 to 64 characters of any script with a letter or digit, no space at either end, and no * or : (they mean something in rules), got nothing",
      "config.toml:20:1: questions.wait_ms: expected a whole number from 0 to 600000 milliseconds, got -1",
    ]);
  });

  test("has each problem as data too", () => {
    expect(read("config.json", '{\n"port": -1}').report.problems).toEqual([
      {
        file: "config.json",
        line: 2,
        column: 1,
        key: "port",
        expected: "a whole number from 0 to 65535",
        got: "-1",
        message: "config.json:2:1: port: expected a whole number from 0 to 65535, got -1",
      },
    ]);
  });

  test.each([
    ["config.json", '{\n  "port": 1\n  "host": "x"\n}', 'config.json:3:3: expected "," or "}", got "\\""'],
    ["config.json", "[]", "config.json:1:1: expected an object with settings, got an empty list"],
    ["config.toml", "port = 1\nport = 2\n", /^config\.toml:2:\d+: expected valid TOML: /],
  ])("%s with %j is malformed", (name, text, message) => {
    expect(problemsOf(name, text)).toEqual([
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });

  test("never has a value that may be a secret quoted", () => {
    const text = `{
  "database_url": "mysql://root:hunter2@db/x",
  "public_url": "https://me:hunter2@example.com",
  "mcpServers": {
    "a": { "url": "ftp://hunter2@x", "headers": { "A": "hunter2\\n" } },
    "b": { "command": "x", "env": { "A=": "hunter2" }, "args": ["hunter2", 5] },
    "c": { "url": "https://x", "oauth": "hunter2" }
  }
}`;
    const problems = problemsOf("config.json", text);
    expect(problems).toHaveLength(7);
    expect(problems.join("\n")).not.toContain("hunter2");
  });
});

describe("a hostile file", () => {
  test("gets at most a hundred problems and warnings", () => {
    const wrong = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`s${index}`, { x: 1 }]));
    const { report } = read("config.json", JSON.stringify({ mcpServers: wrong }));
    expect(report.problems).toHaveLength(100);
    expect(report.warnings).toHaveLength(100);
  });

  test("a megabyte of list items or keys is read in good time", () => {
    const started = workNow();
    read("config.json", `{"a": [${"0,".repeat(atLength(499_000, 99_000))}0]}`);
    read(
      "config.toml",
      Array.from({ length: atLength(70_000, 14_000) }, (_, index) => `k${index} = 1`).join("\n"),
    );
    expect(workNow() - started).toBeLessThan(20_000);
  });
});

describe("an unknown key", () => {
  test("is a warning with its place and the nearest known key", () => {
    const text = `{
  "$schema": "https://example.com/schema.json",
  "prot": 1,
  "shell": { "timeoutms": 1 },
  "mcp": {
    "enable": true,
    "fs": { "comand": "x", "command": "y" }
  },
  "rules": [{ "permission": "*", "action": "ask", "acton": "deny" }],
  "xyzzy": true,
  "mcp.enabled": false
}`;
    expect(problemsOf("config.json", text)).toEqual([]);
    expect(warningsOf("config.json", text)).toEqual([
      'config.json:3:3: prot: unknown key, ignored; did you mean "port"?',
      'config.json:4:14: shell.timeoutms: unknown key, ignored; did you mean "timeout_ms"?',
      'config.json:6:5: mcp.enable: unknown key, ignored; did you mean "enabled"?',
      'config.json:7:13: mcp.fs.comand: unknown key, ignored; did you mean "command"?',
      'config.json:9:51: rules[0].acton: unknown key, ignored; did you mean "action"?',
      expect.stringMatching(/^config\.json:10:3: xyzzy: unknown key, ignored; known here: host, port, /),
      expect.stringContaining("config.json:11:3: mcp.enabled: unknown key"),
    ]);
  });
});

describe("values", () => {
  test("null means not set", () => {
    const layer = read("config.json", '{"port": null, "mcp": null, "rules": null, "mcpServers": null}');
    expect(layer.report.problems).toEqual([]);
    expect(layer.values).toEqual({});
  });

  test("deferred_loading and tool_timeout_secs are accepted at the top level and count less there", () => {
    const top = read("config.toml", "deferred_loading = true\ntool_timeout_secs = 5\n");
    expect(top.values).toEqual({ "mcp.deferred_loading": true, "mcp.tool_timeout_secs": 5 });
    for (const text of [
      '{"deferred_loading": true, "mcp": {"deferred_loading": false}}',
      '{"mcp": {"deferred_loading": false}, "deferred_loading": true}',
    ]) {
      expect(read("config.json", text).values).toEqual({ "mcp.deferred_loading": false });
    }
  });

  test("a rule with a pattern that would be ignored is refused", () => {
    const rule = (pattern: unknown, more = {}) =>
      JSON.stringify({ rules: [{ permission: "run_shell", pattern, action: "allow", ...more }] });
    for (const pattern of ["*", "git *", { command: ["git *", "!git push*"], "arg.cwd": "/srv/*" }])
      expect(problemsOf("config.json", rule(pattern))).toEqual([]);
    for (const pattern of [{}, { comand: "git *" }, { "arg.": "x" }, { command: [] }, { command: 3 }, 3])
      expect(problemsOf("config.json", rule(pattern))).toEqual([expect.stringContaining("rules[0].pattern")]);
    expect(problemsOf("config.json", rule("*", { final: true }))).toEqual([
      expect.stringContaining("rules[0].final: expected only with the action deny"),
    ]);
    expect(problemsOf("config.json", rule("*", { after: "Not One" }))).toHaveLength(1);
  });

  test("a public url loses its trailing slash", () => {
    expect(read("config.toml", 'public_url = "https://x.example/keep/"\n').values).toEqual({
      public_url: "https://x.example/keep",
    });
  });
});
