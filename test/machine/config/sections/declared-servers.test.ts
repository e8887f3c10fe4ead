import { describe, expect, test } from "vitest";
import { readLayer } from "../../../../src/machine/config/layer.ts";

function read(content: unknown, name = "config.json") {
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
  const { servers, values, report } = readLayer({ path: name, text, sha256: "" }, "user");
  return {
    servers: servers.map(({ config }) => config),
    values,
    problems: report.problems.map(({ message }) => message),
    warnings: report.warnings.map(({ message }) => message),
  };
}

describe("servers of a settings file", () => {
  test("in shape 1 are the objects in mcp: local with a command list, remote with a url", () => {
    const { servers, problems, warnings } = read({
      mcp: {
        enabled: true,
        fs: { type: "local", command: ["npx", "-y", "fs"], enabled: false, timeout_ms: 30_000 },
        web: { type: "remote", url: "https://x.example/mcp", headers: { A: "b" }, oauth: { client_id: "c" } },
      },
    });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(servers).toMatchObject([
      {
        name: "fs",
        transport: "stdio",
        command: "npx",
        args: ["-y", "fs"],
        enabled: false,
        timeoutMs: 30_000,
      },
      { name: "web", transport: "http", headers: { A: "b" }, oauth: { clientId: "c" }, source: "user" },
    ]);
  });

  test("in shape 2 are the [[mcp.servers]] tables", () => {
    const text = `[mcp]
enabled = true
deferred_loading = true
[[mcp.servers]]
name = "filesystem"
transport = "stdio"
command = "npx"
args = ["-y", "fs", "/tmp"]
env = { MCP_LOG = "debug", PORT = 8080 }
tool_timeout_secs = 120
[[mcp.servers]]
name = "remote-tools"
transport = "http"
url = "https://x.example/mcp"
headers = { "Authorization" = "Bearer t" }
[[mcp.servers]]
name = "sse-server"
transport = "sse"
url = "https://x.example/sse"
`;
    const { servers, values, problems, warnings } = read(text, "config.toml");
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(values).toEqual({ "mcp.enabled": true, "mcp.deferred_loading": true });
    expect(servers).toMatchObject([
      { name: "filesystem", transport: "stdio", env: { MCP_LOG: "debug", PORT: "8080" }, timeoutMs: 120_000 },
      { name: "remote-tools", transport: "http", headers: { Authorization: "Bearer t" } },
      { name: "sse-server", transport: "sse", url: "https://x.example/sse" },
    ]);
  });

  test("in shape 3 are the members of mcpServers, as other programs write them", () => {
    const { servers, problems, warnings } = read({
      mcpServers: {
        fs: { command: "npx", args: ["fs"], env: { A: "1" }, cwd: "/tmp" },
        a: { url: "https://x.example/mcp", headers: {} },
        b: { type: "sse", url: "https://x.example/sse" },
        c: { type: "streamable-http", url: "https://x.example/mcp", disabled: true },
      },
    });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(servers).toMatchObject([
      { name: "fs", transport: "stdio", cwd: "/tmp" },
      { name: "a", transport: "http" },
      { name: "b", transport: "sse" },
      { name: "c", transport: "http", enabled: false },
    ]);
  });

  test("may be named like a setting of mcp: an object is a server, anything else the setting", () => {
    const { servers, values, problems } = read({
      mcp: { enabled: { command: "x" }, servers: { command: "y" }, deferred_loading: false },
    });
    expect(problems).toEqual([]);
    expect(servers.map(({ name }) => name)).toEqual(["servers", "enabled"]);
    expect(values).toEqual({ "mcp.deferred_loading": false });
  });

  test("may stand by name below mcp.servers", () => {
    const { servers } = read(
      '[mcp.servers.fs]\ncommand = "x"\n[mcp.servers.fs.env]\nA = "1"\n',
      "config.toml",
    );
    expect(servers).toMatchObject([{ name: "fs", command: "x", env: { A: "1" } }]);
  });

  test("take every field", () => {
    const { servers, warnings } = read({
      mcp: {
        fs: {
          command: "x",
          connect: "eager",
          connect_timeout_ms: 5000,
          timeout_ms: 600_000,
          retry: "never",
          trusted: true,
          max_concurrency: 2,
          url: null,
        },
      },
    });
    expect(warnings).toEqual([]);
    expect(servers).toMatchObject([
      {
        connect: "eager",
        connectTimeoutMs: 5000,
        timeoutMs: 600_000,
        retry: "never",
        trusted: true,
        maxConcurrency: 2,
      },
    ]);
  });

  test("must have different names within a file", () => {
    const { problems } = read(
      '{\n"mcpServers": {"fs": {"command": "x"}},\n"mcp": {"fs": {"command": "y"}}\n}',
    );
    expect(problems).toEqual([
      'config.json:3:9: mcp.fs: expected every server once in a file, got a second server "fs", first in line 2',
    ]);
  });

  test.each([
    [
      { mcp: { fs: { command: "x", timeout_ms: 0 } } },
      "mcp.fs.timeout_ms: expected a whole number from 1 to 600000",
    ],
    [{ mcp: { fs: { command: "x", timeout_ms: 600_001 } } }, "mcp.fs.timeout_ms: expected a whole number"],
    [
      { mcp: { fs: { command: "x", tool_timeout_secs: 0 } } },
      "mcp.fs.tool_timeout_secs: expected a number of seconds",
    ],
    [
      { mcp: { fs: { command: "x", tool_timeout_secs: 1, timeout_ms: 1 } } },
      "mcp.fs.tool_timeout_secs: expected timeout_ms or tool_timeout_secs, got both",
    ],
    [{ mcp: { fs: { command: "x", connect_timeout_ms: 0 } } }, "mcp.fs.connect_timeout_ms: expected"],
    [
      { mcp: { fs: {} } },
      "mcp.fs.command: expected a program to run (or the url of a remote server), got nothing",
    ],
    [
      { mcp: { fs: { command: [] } } },
      "mcp.fs.command: expected a program, or a list of program and arguments",
    ],
    [{ mcp: { "a:b": { command: "x" } } }, "config.json:3:5: mcp.a:b: expected 1 to 64 characters"],
    [{ mcp: { servers: ["fs"] } }, 'mcp.servers[0]: expected an object that describes a server, got "fs"'],
    [{ mcpServers: { fs: "x" } }, 'mcpServers.fs: expected an object that describes a server, got "x"'],
    [{ mcpServers: [] }, "mcpServers: expected an object of servers by name, got an empty list"],
  ])("%j is refused once, with the key", (content, message) => {
    expect(read(content).problems).toEqual([expect.stringContaining(message)]);
  });

  test("are warned about keys that have no effect", () => {
    const { warnings } = read({ mcpServers: { fs: { type: "stdio", command: "x", headers: { A: "b" } } } });
    expect(warnings).toEqual([
      expect.stringContaining('mcpServers.fs.headers: has no effect on a server with transport "stdio"'),
    ]);
  });
});
