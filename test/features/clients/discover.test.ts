// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what it is about
import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findClient } from "../../../src/features/clients/clients.ts";
import { type ClientHome, clientHome } from "../../support/client-home.ts";

const VSCODE = `{
  // my servers
  "inputs": [{ "type": "promptString", "id": "key", "password": true }],
  "servers": {
    "fetch": { "command": "uvx", "args": ["mcp-server-fetch"], },
    "search": { "type": "http", "url": "https://s.example/mcp", "headers": { "X-Key": "\${input:key}" } },
  },
}`;

const CODEX = `# mine
model = "gpt"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
env_vars = ["DOCS_TOKEN", { name = "UNSET_ONE", source = "local" }]
startup_timeout_sec = 20
tool_timeout_sec = 45.5
enabled_tools = ["search"]

[mcp_servers.docs.env]
REGION = "eu \${literally}"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Region" = "us" }
env_http_headers = { "X-Team" = "FIGMA_TEAM" }
enabled = false
`;

/** What each client's file holds, and what comes of it. */
const CLIENTS: Readonly<Record<string, { files: Record<string, string | object>; found: object[] }>> = {
  "claude-code": {
    files: {
      ".claude.json": {
        numStartups: 3,
        mcpServers: {
          github: { type: "stdio", command: "npx", args: ["-y", "gh"], env: { GH: "s3cret-value" } },
        },
        projects: {
          PROJECT: { mcpServers: { local: { command: "node", args: ["server.js"] } } },
          "/elsewhere": { mcpServers: { never: { command: "never" } } },
        },
      },
      "project/.mcp.json": {
        mcpServers: {
          shared: {
            type: "sse",
            url: "${BASE:-https://example.com}/sse",
            headers: { Authorization: "Bearer ${KEY}" },
          },
        },
      },
    },
    found: [
      {
        name: "github",
        fields: {
          transport: "stdio",
          command: "npx",
          args: ["-y", "gh"],
          env: { GH: "s3cret-value" },
          cwd: "HOME",
          enabled: true,
        },
        display: { reach: "npx -y gh", envKeys: ["GH"], headerKeys: [] },
      },
      { name: "local", fields: { command: "node", args: ["server.js"], cwd: "PROJECT" } },
      {
        name: "shared",
        fields: {
          transport: "sse",
          url: "https://example.com/sse",
          headers: { Authorization: "Bearer the-key" },
        },
        display: { reach: "${BASE:-https://example.com}/sse", headerKeys: ["Authorization"] },
      },
    ],
  },
  "claude-desktop": {
    files: {
      ".config/Claude/claude_desktop_config.json": {
        mcpServers: { sh: { command: "sh", args: ["-c", "echo ${KEY}"] } },
      },
    },
    found: [{ name: "sh", fields: { args: ["-c", "echo ${KEY}"], enabled: true } }],
  },
  cursor: {
    files: {
      ".cursor/mcp.json": {
        mcpServers: {
          remote: { url: "https://r.example/mcp", headers: { "X-Key": "${env:KEY}" } },
          old: { url: "https://r.example/sse" },
        },
      },
      "project/.cursor/mcp.json": {
        mcpServers: { here: { command: "${workspaceFolder}/run", envFile: "${workspaceFolder}/.env" } },
      },
      "project/.env": 'FROM_FILE="yes it is"\n',
    },
    found: [
      { name: "remote", fields: { transport: "http", headers: { "X-Key": "the-key" } } },
      { name: "old", fields: { transport: "sse" } },
      { name: "here", fields: { command: "PROJECT/run", env: { FROM_FILE: "yes it is" }, cwd: "PROJECT" } },
    ],
  },
  vscode: {
    files: {
      ".config/Code/User/mcp.json": VSCODE,
      ".config/Code/User/settings.json": '{ "mcp": { "servers": { "aged": { "command": "aged" } } }, }',
      "project/.vscode/mcp.json": { servers: { ws: { command: "ws", cwd: "${workspaceFolder}/sub" } } },
    },
    found: [
      { name: "fetch", fields: { command: "uvx", args: ["mcp-server-fetch"] } },
      {
        name: "search",
        missing: ["${input:key}"],
        missingIn: ["headers.X-Key"],
        fields: { headers: {}, enabled: false },
      },
      { name: "aged", fields: { command: "aged" } },
      { name: "ws", fields: { command: "ws", cwd: "PROJECT/sub" } },
    ],
  },
  windsurf: {
    files: {
      ".codeium/windsurf/mcp_config.json": {
        mcpServers: {
          w: {
            serverUrl: "https://w.example/mcp",
            headers: { A: "b" },
            disabled: true,
            disabledTools: ["x"],
          },
        },
      },
    },
    found: [
      {
        name: "w",
        fields: { transport: "http", url: "https://w.example/mcp", headers: { A: "b" }, enabled: false },
        notes: ["ignored keys: disabledTools"],
      },
    ],
  },
  codex: {
    files: { ".codex/config.toml": CODEX },
    found: [
      {
        name: "docs",
        fields: {
          command: "npx",
          env: { DOCS_TOKEN: "docs-secret", REGION: "eu ${literally}" },
          timeoutMs: 45_500,
          connectTimeoutMs: 20_000,
        },
        notes: [
          "ignored keys: enabled_tools",
          "not set here, so skipped: UNSET_ONE",
          "takes values from your environment: DOCS_TOKEN",
        ],
      },
      {
        name: "figma",
        missing: ["${FIGMA_TOKEN}", "${FIGMA_TEAM}"],
        fields: { transport: "http", enabled: false },
        display: { headerKeys: ["Authorization", "X-Team", "X-Region"] },
      },
    ],
  },
  gemini: {
    files: {
      ".gemini/settings.json": {
        theme: "x",
        mcpServers: {
          g: { httpUrl: "https://g.example/mcp", headers: { A: "$KEY" }, timeout: 5000, trust: true },
          l: { command: "l", env: { N: 3, B: true, TOO: null }, cwd: "./sub" },
        },
      },
    },
    found: [
      {
        name: "g",
        fields: { transport: "http", headers: { A: "the-key" }, timeoutMs: 5000 },
        notes: ["ignored keys: trust", "takes values from your environment: $KEY"],
      },
      { name: "l", fields: { env: { N: "3", B: "true" }, cwd: "HOME/sub" } },
    ],
  },
  opencode: {
    files: {
      ".config/opencode/opencode.jsonc": `{
        "mcp": {
          "local": { "type": "local", "command": ["bun", "x", "srv"], "environment": { "T": "{env:KEY}", "F": "{file:./token}" }, },
          "off": { "type": "remote", "url": "https://o.example/mcp", "enabled": false, "oauth": false },
        }
      }`,
      ".config/opencode/token": "from a file\n",
      "project/opencode.json": {
        mcp: { servers: { second: { type: "local", command: ["srv2"], disabled: true } } },
      },
    },
    found: [
      {
        name: "local",
        fields: { command: "bun", args: ["x", "srv"], env: { T: "the-key", F: "from a file" } },
      },
      { name: "off", fields: { transport: "http", url: "https://o.example/mcp", enabled: false } },
      { name: "second", fields: { command: "srv2", args: [], enabled: false, cwd: "PROJECT" } },
    ],
  },
};

async function writeAll(home: ClientHome, id: string): Promise<void> {
  for (const [name, content] of Object.entries(CLIENTS[id]!.files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await home.write(name, text.replaceAll("PROJECT", home.project));
  }
}

const ENV = { KEY: "the-key", DOCS_TOKEN: "docs-secret", FIGMA_TOKEN: "" };

describe("the servers of", () => {
  it.each(Object.keys(CLIENTS))("%s are found and read", async (id) => {
    await using home = await clientHome();
    await writeAll(home, id);
    const { servers, files } = await home.discover({ env: ENV, clients: [findClient(id)] });
    expect(files.map((file) => file.problem)).not.toContainEqual(expect.any(String));
    const expected = JSON.parse(
      JSON.stringify(CLIENTS[id]!.found)
        .replaceAll('"PROJECT', `"${home.project}`)
        .replaceAll('"HOME', `"${home.home}`),
    );
    expect(servers).toMatchObject(expected);
    expect(servers.map((server) => server.skipped)).toEqual(expected.map(() => null));
  });

  it("all clients are found together, each with the client and file it came from", async () => {
    await using home = await clientHome();
    for (const id of Object.keys(CLIENTS)) await writeAll(home, id);
    const { servers } = await home.discover({ env: ENV });
    expect(servers).toHaveLength(Object.values(CLIENTS).flatMap(({ found }) => found).length);
    for (const [id, { files }] of Object.entries(CLIENTS)) {
      const paths = servers
        .flatMap((server) => server.locations)
        .filter((finding) => finding.client === id)
        .map((finding) => finding.file);
      expect(paths.length).toBeGreaterThan(0);
      expect(Object.keys(files).map((name) => join(home.home, name))).toEqual(
        expect.arrayContaining([...new Set(paths)]),
      );
    }
  });

  it.each([
    ["claude-code", { CLAUDE_CONFIG_DIR: "there" }, "there/.claude.json"],
    ["claude-desktop", { XDG_CONFIG_HOME: "there" }, "there/Claude/claude_desktop_config.json"],
    ["vscode", { XDG_CONFIG_HOME: "there" }, "there/Code/User/mcp.json"],
    ["vscode", { VSCODE_PORTABLE: "there" }, "there/user-data/User/mcp.json"],
    ["codex", { CODEX_HOME: "there" }, "there/config.toml"],
    ["gemini", { GEMINI_CLI_HOME: "there" }, "there/.gemini/settings.json"],
    ["opencode", { XDG_CONFIG_HOME: "there" }, "there/opencode/opencode.json"],
    ["opencode", { OPENCODE_CONFIG: "there/named.json" }, "there/named.json"],
  ])("%s are looked for where the environment says: %o", async (id, env, file) => {
    await using home = await clientHome();
    const content = file.endsWith(".toml")
      ? '[mcp_servers.x]\ncommand = "x"\n'
      : { mcpServers: { x: { command: "x" } }, mcp: { x: { command: ["x"] } } };
    const path = await home.write(file, content);
    const named = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, join(home.home, value)]),
    );
    const { servers } = await home.discover({ env: named, clients: [findClient(id)] });
    expect(servers.map((server) => server.locations)).toEqual([
      [expect.objectContaining({ client: id, file: path, name: "x" })],
    ]);
  });

  it.each([
    ["darwin", "Library/Application Support/Claude/claude_desktop_config.json", "claude-desktop"],
    ["darwin", "Library/Application Support/Code/User/mcp.json", "vscode"],
    ["linux", ".config/Code - Insiders/User/mcp.json", "vscode"],
  ] as const)("programs on %s are found at %s", async (platform, file, id) => {
    await using home = await clientHome();
    await home.write(file, { mcpServers: { x: { command: "x" } } });
    const host = { ...home.host(), platform };
    const { servers } = await home.discover({ host, clients: [findClient(id)] });
    expect(servers.map((server) => server.name)).toEqual(["x"]);
  });
});

describe("the same server", () => {
  it("of several clients is one, with all of them", async () => {
    await using home = await clientHome();
    const entry = { command: "npx", args: ["gh"], env: { T: "abc" } };
    await home.write(".claude.json", { mcpServers: { github: { type: "stdio", ...entry } } });
    await home.write(".cursor/mcp.json", { mcpServers: { gh: { ...entry, env: { T: "${env:TOK}" } } } });
    await home.write(".codeium/windsurf/mcp_config.json", {
      mcpServers: { other: { ...entry, env: { T: "another account" } } },
    });
    const { servers } = await home.discover({ env: { TOK: "abc" } });
    expect(servers.map(({ name, locations }) => [name, locations.map((one) => one.client)])).toEqual([
      ["github", ["claude-code", "cursor"]],
      ["other", ["windsurf"]],
    ]);
  });

  it("takes part if it does in one of them", async () => {
    await using home = await clientHome();
    await home.write(".cursor/mcp.json", { mcpServers: { a: { command: "a", disabled: true } } });
    await home.write(".gemini/settings.json", { mcpServers: { a: { command: "a" } } });
    const { servers } = await home.discover();
    expect(servers.map((server) => server.fields.enabled)).toEqual([true]);
  });

  it("is another one in another folder, where its command depends on the folder", async () => {
    await using home = await clientHome();
    await home.write(".cursor/mcp.json", { mcpServers: { a: { command: "node", args: ["./s.js"] } } });
    await home.write("project/.mcp.json", {
      mcpServers: { a: { command: "node", args: ["./s.js"] }, b: { command: "npx", args: ["b"] } },
    });
    await home.write(".gemini/settings.json", { mcpServers: { b: { command: "npx", args: ["b"] } } });
    const { servers } = await home.discover();
    expect(servers.map((server) => [server.name, server.locations.length])).toEqual([
      ["a", 1],
      ["b", 2],
      ["a", 1],
    ]);
  });
});

describe("Toolkeep itself", () => {
  it.each([
    [
      "its token in a header",
      { url: "https://x.example/mcp", headers: { Authorization: "Bearer tk_sk_abc" } },
    ],
    ["its token in the environment", { command: "x", env: { TOOLKEEP_TOKEN: "tk_sk_abc" } }],
    ["its command", { command: "/opt/bin/toolkeep", args: ["stdio"] }],
    ["its command through npx", { command: "npx", args: ["-y", "toolkeep", "stdio"] }],
    ["its address", { url: "http://localhost:19850/mcp/" }],
  ])("is recognised by %s and skipped", async (_, entry) => {
    await using home = await clientHome();
    await home.write(".cursor/mcp.json", { mcpServers: { hub: entry } });
    const { servers } = await home.discover({ ownUrl: "http://127.0.0.1:19850/mcp" });
    expect(servers.map((server) => server.skipped)).toEqual(["this is Toolkeep itself"]);
  });

  it("is not confused with others", async () => {
    await using home = await clientHome();
    await home.write(".cursor/mcp.json", {
      mcpServers: {
        a: { url: "http://localhost:19851/mcp" },
        b: { command: "toolkeep-like", args: ["stdio"] },
      },
    });
    const { servers } = await home.discover({ ownUrl: "http://127.0.0.1:19850/mcp" });
    expect(servers.map((server) => server.skipped)).toEqual([null, null]);
  });
});

describe("what is wrong", () => {
  it("in a file is told with its line, and the other files are read", async () => {
    await using home = await clientHome();
    const broken = await home.write(
      ".cursor/mcp.json",
      '{\n  "mcpServers": {\n    "a": { "env": { "K": "s3cret" oops }\n',
    );
    await home.write(".codex/config.toml", 'a = "b"\nbad = = 1\n');
    await home.write(".gemini/settings.json", "[]");
    await home.write(".claude.json", { mcpServers: { good: { command: "good" } } });
    const { servers, files } = await home.discover();
    expect(servers.map((server) => server.name)).toEqual(["good"]);
    const problems = Object.fromEntries(files.map((file) => [file.client, file.problem]));
    expect(problems).toEqual({
      "claude-code": null,
      cursor: expect.stringMatching(/^line 3: expected/),
      codex: expect.stringMatching(/^line 2: expected valid TOML/),
      gemini: "line 1: expected an object, got something else",
    });
    expect(JSON.stringify(files)).not.toContain("s3cret");
    expect(files.find((file) => file.client === "cursor")?.path).toBe(broken);
  });

  it("with a server is told, and the other servers are read", async () => {
    await using home = await clientHome();
    await home.write(".claude.json", {
      mcpServers: {
        none: {},
        text: "npx x",
        ws: { type: "ws", url: "wss://x" },
        url: { url: "not an address" },
        base: { url: "${BASE}/mcp" },
        header: { url: "https://x.example", headers: { "bad name": "s3cret" } },
        good: { command: "good" },
      },
    });
    const { servers } = await home.discover();
    expect(Object.fromEntries(servers.map((server) => [server.name, server.skipped]))).toEqual({
      none: "the entry has neither a command nor a url",
      text: "the entry must be an object",
      ws: 'servers of type "ws" are not supported',
      url: expect.stringContaining("url: expected"),
      base: "${BASE} has no value here",
      header: expect.stringContaining("headers: expected a header name"),
      good: null,
    });
    expect(JSON.stringify(servers.map(({ fields: _, ...rest }) => rest))).not.toContain("s3cret");
  });

  it("with one that is too large does not keep the others out", async () => {
    await using home = await clientHome();
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`K${index}`, "v"]));
    await home.write(".claude.json", {
      mcpServers: {
        many: { command: "a", env: many },
        long: { command: "a", args: ["x".repeat(70_000)] },
        ["n".repeat(300)]: { command: "a" },
        good: { command: "good" },
      },
    });
    const { servers } = await home.discover();
    expect(servers.map((server) => server.skipped)).toEqual([
      ...Array(3).fill("the entry is too large"),
      null,
    ]);
  });

  it("at a path that is no regular file is told, without waiting for it", async () => {
    await using home = await clientHome();
    await mkdir(join(home.home, ".cursor/mcp.json"), { recursive: true });
    await mkdir(join(home.home, ".gemini"));
    execFileSync("mkfifo", [join(home.home, ".gemini/settings.json")]);
    await mkdir(join(home.home, ".codeium/windsurf"), { recursive: true });
    await symlink("/dev/zero", join(home.home, ".codeium/windsurf/mcp_config.json"));
    const large = await home.write(".claude.json", "");
    await truncate(large, 40_000_000);
    const { files } = await home.discover();
    expect(Object.fromEntries(files.map((file) => [file.client, file.problem]))).toEqual({
      "claude-code": expect.stringContaining("at most"),
      cursor: expect.stringContaining("expected a"),
      windsurf: "expected a file, got something else",
      gemini: "expected a file, got something else",
    });
  });

  it("with bytes that are no text is told", async () => {
    await using home = await clientHome();
    const path = await home.write(".cursor/mcp.json", "");
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]));
    const { files } = await home.discover();
    expect(files[0]?.problem).toBe("expected UTF-8 text, got other bytes");
  });
});

describe("a named file", () => {
  it("is read whoever it belongs to; its servers belong to its folder", async () => {
    await using home = await clientHome();
    const file = await home.write("other/.cursor/mcp.json", { mcpServers: { a: { command: "./a" } } });
    await home.write(".claude.json", { mcpServers: { b: { command: "b" } } });
    const { servers } = await home.discover({ file });
    expect(servers.map((server) => [server.name, server.fields.cwd])).toEqual([
      ["a", join(home.home, "other")],
    ]);
  });

  it("that is not there is a problem", async () => {
    await using home = await clientHome();
    const { files } = await home.discover({ file: join(home.home, "none.json") });
    expect(files.map((file) => file.problem)).toEqual(["the file does not exist"]);
  });

  it("that is a link is followed", async () => {
    await using home = await clientHome();
    const real = await home.write("dotfiles/mcp.json", { mcpServers: { a: { command: "a" } } });
    await mkdir(join(home.home, ".cursor"));
    await symlink(real, join(home.home, ".cursor/mcp.json"));
    const { servers } = await home.discover();
    expect(servers.map((server) => server.name)).toEqual(["a"]);
  });
});

describe("secrets", () => {
  it("are shown nowhere but in the fields to register", async () => {
    await using home = await clientHome();
    await home.write(".claude.json", {
      mcpServers: {
        a: {
          command: "npx",
          args: [
            "--api-key",
            "canary-1",
            "--token=canary-2",
            "ghp_canary3canary3",
            "postgres://u:canary-4@h/db",
          ],
          env: { K: "canary-5", V: "${CANARY}" },
        },
        b: { url: "https://x.example/mcp?api_key=canary-7", headers: { A: "canary-8" } },
        u: { url: "https://u:canary-6@x.example/mcp" },
        c: { command: "c", args: ["--key", "${CANARY}"] },
      },
    });
    const { servers, files } = await home.discover({ env: { CANARY: "canary-9" } });
    const shown = JSON.stringify([servers.map(({ fields: _, ...rest }) => rest), files]);
    expect(shown).not.toContain("canary");
    expect(servers[0]?.notes).toEqual([
      "takes values from your environment: ${CANARY}",
      expect.stringContaining("an argument contains what looks like a secret"),
    ]);
    expect(servers[1]?.notes).toEqual([expect.stringContaining("the address contains")]);
    expect(servers.find((server) => server.name === "c")?.notes).toEqual([
      "takes values from your environment: ${CANARY}",
      expect.stringContaining("an argument contains the value of ${CANARY}"),
    ]);
    expect(JSON.stringify(servers[0]?.fields)).toContain("canary-9");
  });
});
