import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../../../../src/contract/caller.ts";
import { createHub } from "../../../../../src/hub.ts";
import { loadSettings } from "../../../../../src/machine/config/load.ts";
import { clientHome, clientHomeWithStore, commandIn as options } from "../../../../support/client-home.ts";
import { command, commandJson } from "../../../../support/run-command.ts";
import { EVERYTHING } from "../../../../support/test-hub.ts";
import { fixture } from "../../../../support/upstream.ts";

/** A server that can be run, each another one. */
const WORKS = (name: string) => {
  const { command, args } = fixture("echoes", name);
  return JSON.stringify({ command, args });
};

const tokenIn = (text: string) => /tk_sk_[\w-]+/.exec(text)?.[0];

describe("toolkeep connect", { timeout: 120_000 }, () => {
  it("gives the client an agent and a token of its own, for every external tool and not for files and commands", async () => {
    await using home = await clientHome();
    const before = '{\n  "numStartups": 1\n}\n';
    const path = await home.write(".claude.json", before);
    const done = await command(options(home), "connect", "claude-code");
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Connected Claude Code to Toolkeep."),
    });
    expect(done.stdout).toContain("claude mcp list");
    expect(done.stdout).toContain("toolkeep serve");

    const { mcpServers, numStartups } = JSON.parse(await readFile(path, "utf8"));
    const token = tokenIn(JSON.stringify(mcpServers));
    expect(mcpServers.toolkeep).toEqual({
      type: "http",
      url: "http://127.0.0.1:19850/mcp",
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(numStartups).toBe(1);
    expect(done.stdout + done.stderr).not.toContain(token);

    const { agent } = await commandJson(options(home), "agent", "show", "claude-code");
    expect(agent).toMatchObject({ grants: ["mcp:*"], toolboxes: [], context: "main" });
    const { tokens } = await commandJson(options(home), "token", "list");
    expect(tokens).toMatchObject([
      { agent: "claude-code", label: "connect claude-code", hint: token?.slice(-4) },
    ]);
    const without = ["files", "shell", "admin"];
    expect(tokens[0].scopes).toEqual(SCOPES.filter((scope) => !without.includes(scope)));

    const backups = (await readdir(home.home)).filter((name) =>
      name.startsWith(".claude.json.toolkeep-backup-"),
    );
    expect(backups).toHaveLength(1);
    expect(await readFile(join(home.home, backups[0]!), "utf8")).toBe(before);
  });

  it("revokes the former token when it connects again and when it is undone; the agent stays", async () => {
    await using home = await clientHomeWithStore();
    const path = await home.write(".cursor/mcp.json", '{ "mcpServers": {} }\n');
    const tokens = async () => (await commandJson(options(home), "token", "list")).tokens;
    await command(options(home), "connect", "cursor");
    const first = tokenIn(await readFile(path, "utf8"));
    await command(options(home), "agent", "edit", "cursor", "--grant", "think");
    await command(options(home), "connect", "cursor");
    const second = tokenIn(await readFile(path, "utf8"));
    expect(second).not.toBe(first);
    expect((await tokens()).map((token: { hint: string }) => token.hint)).toEqual([second?.slice(-4)]);
    expect((await commandJson(options(home), "agent", "show", "cursor")).agent.grants).toEqual([
      "mcp:*",
      "think",
    ]);

    const undone = await command(options(home), "connect", "cursor", "--undo", "--yes");
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining("Revoked 1 token.") });
    expect(await readFile(path, "utf8")).toBe('{ "mcpServers": {} }\n');
    expect(await tokens()).toEqual([]);
    expect((await commandJson(options(home), "agent", "list")).agents).toHaveLength(1);
    const again = await command(options(home), "connect", "cursor", "--undo", "--yes");
    expect(again).toMatchObject({ code: 0, stdout: `${path} does not contain Toolkeep.\n` });
  });

  it("gives toolboxes instead where they are named", async () => {
    await using home = await clientHomeWithStore();
    await command(options(home), "toolbox", "create", "reading", "mcp:fs:read_*");
    await command(options(home), "connect", "gemini", "--tools", "reading");
    const { agent } = await commandJson(options(home), "agent", "show", "gemini");
    expect(agent).toMatchObject({ toolboxes: ["reading"], grants: [] });
    const again = await command(options(home), "connect", "gemini");
    expect(again.stdout).toContain("Its agent gemini keeps its rights: toolbox reading.");
    expect(again.stdout).toMatch(/Its agent gemini has \d+ tools: \d+ listed, \d+ found by search\./);
    expect((await command(options(home), "connect", "cursor")).stdout).not.toContain("keeps its rights");
    expect((await command(options(home), "connect", "cursor")).stdout).not.toContain("keeps its rights");
  });

  it("writes nothing where a toolbox does not exist", async () => {
    await using home = await clientHomeWithStore();
    await command(options(home), "toolbox", "create", "reading", "mcp:fs:read_*");
    const done = await command(options(home), "connect", "gemini", "--tools", "raeding");
    expect(done).toMatchObject({ code: 3, stderr: expect.stringContaining("did you mean reading?") });
    expect(await readdir(home.home)).toEqual([".toolkeep", "project"]);
    expect((await commandJson(options(home), "agent", "list")).agents).toEqual([]);
    expect((await commandJson(options(home), "token", "list")).tokens).toEqual([]);
  });

  it("gives a project's toolboxes to an agent of its own, and the user's keeps its rights", async () => {
    await using home = await clientHomeWithStore();
    await command(options(home), "toolbox", "create", "reading", "mcp:fs:read_*");
    await command(options(home), "connect", "cursor");
    await command(options(home), "connect", "cursor", "--project");
    const { agent: name } = await commandJson(
      options(home),
      "connect",
      "cursor",
      "--project",
      "--tools",
      "reading",
    );
    expect(name).toBe("cursor-project");
    const rights = async (agent: string) => (await commandJson(options(home), "agent", "show", agent)).agent;
    expect(await rights("cursor")).toMatchObject({ toolboxes: [], grants: ["mcp:*"] });
    expect(await rights("cursor-project")).toMatchObject({ toolboxes: ["reading"], grants: [] });
    const tokens = async () =>
      (await commandJson(options(home), "token", "list")).tokens.map(
        (token: { label: string; agent: string }) => [token.agent, token.label],
      );
    const user = ["cursor", "connect cursor"];
    expect((await tokens()).sort()).toEqual([user, ["cursor-project", `connect cursor in ${home.project}`]]);
    const again = await commandJson(options(home), "connect", "cursor", "--project");
    expect(again.agent).toBe("cursor-project");

    // Another folder of the same name is another project.
    await mkdir(join(home.home, "other/project"), { recursive: true });
    const other = { ...options(home), cwd: join(home.home, "other/project") };
    const second = await commandJson(other, "connect", "cursor", "--project", "--tools", "reading");
    expect(second.agent).toBe("cursor-project-2");
    await command(other, "connect", "cursor", "--project", "--undo", "--yes");
    await command(options(home), "connect", "cursor", "--project", "--undo", "--yes");
    expect(await tokens()).toEqual([user]);
  });

  it("wants a client for what is about one", async () => {
    await using home = await clientHomeWithStore();
    for (const option of ["--undo", "--print", "--move", "--project"]) {
      expect(await command(options(home), "connect", option)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("needs a client"),
      });
    }
  });

  it("undone after a move gives the client its servers back, or says where they are", async () => {
    await using home = await clientHomeWithStore();
    const before = `{\n  "mcpServers": {\n    "a": ${WORKS("a")},\n    "b": ${WORKS("b")}\n  }\n}\n`;
    const path = await home.write(".cursor/mcp.json", before);
    await command(options(home), "import", "--yes", "--no-wait");
    await command(options(home), "connect", "cursor");
    await command(options(home), "connect", "cursor", "--move");
    expect(await readFile(path, "utf8")).not.toContain(process.execPath);
    await command(options(home), "connect", "cursor");
    const undone = await command(options(home), "connect", "cursor", "--undo", "--yes");
    expect(undone.stdout).toContain("Restored: a, b.");
    expect(await readFile(path, "utf8")).toBe(before);

    await command(options(home), "connect", "cursor", "--move");
    await writeFile(path, (await readFile(path, "utf8")).replace("{", '{ "later": true,'));
    const changed = await command(options(home), "connect", "cursor", "--undo", "--yes");
    const [, backup] = /^Not restored: a, b; they are in the backup (.+)$/m.exec(changed.stdout) ?? [];
    expect(await readFile(backup ?? "", "utf8")).toContain(`"a": ${WORKS("a")}`);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ later: true });
  });

  it("starts a program for a client that only starts programs", async () => {
    await using home = await clientHomeWithStore();
    await command(options(home), "connect", "claude-desktop");
    const path = join(home.home, ".config/Claude/claude_desktop_config.json");
    const { toolkeep } = JSON.parse(await readFile(path, "utf8")).mcpServers;
    expect(toolkeep).toEqual({
      command: process.execPath,
      args: [join(import.meta.dirname, "../../../../../bin/toolkeep"), "stdio"],
      env: { TOOLKEEP_HOME: join(home.home, ".toolkeep"), TOOLKEEP_TOKEN: expect.stringMatching(/^tk_sk_/) },
    });
  });

  it("keeps a project's connection apart from the user's", async () => {
    await using home = await clientHomeWithStore();
    await command(options(home), "connect", "cursor");
    await command(options(home), "connect", "cursor", "--project");
    const labels = async () =>
      (await commandJson(options(home), "token", "list")).tokens.map(
        (token: { label: string }) => token.label,
      );
    expect((await labels()).sort()).toEqual(["connect cursor", `connect cursor in ${home.project}`]);
    await command(options(home), "connect", "cursor", "--project", "--undo", "--yes");
    expect(await labels()).toEqual(["connect cursor"]);
    expect(await command(options(home), "connect", "windsurf", "--project")).toMatchObject({ code: 2 });
  });

  it("makes neither agent nor token where the file cannot be written", async () => {
    await using home = await clientHomeWithStore();
    await home.write(".gemini/settings.json", "{ broken");
    await home.write(".cursor/mcp.json", '{"mcpServers":{"toolkeep":{"command":"someone-elses"}}}');
    expect(await command(options(home), "connect", "gemini")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("settings.json: line 1"),
    });
    expect(await command(options(home), "connect", "cursor")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not Toolkeep"),
    });
    await home.write(".codex/config.toml", 'mcp_servers = { a = { command = "a" } }\n');
    expect((await command(options(home), "connect", "codex")).code).toBe(2);
    expect((await commandJson(options(home), "agent", "list")).agents).toEqual([]);
    expect((await commandJson(options(home), "token", "list")).tokens).toEqual([]);
  });

  it("prints what to add by hand and writes nothing", async () => {
    await using home = await clientHomeWithStore();
    const shown = await command(options(home), "connect", "codex", "--print");
    expect(shown.stdout).toContain('[mcp_servers.toolkeep]\n  url = "http://127.0.0.1:19850/mcp"');
    expect(shown.stdout).toMatch(
      /toolkeep agent create codex --grant 'mcp:\*'\n +toolkeep token create --agent codex --scope web/,
    );
    expect(await readdir(home.home)).toEqual([".toolkeep", "project"]);
    expect((await commandJson(options(home), "agent", "list")).agents).toEqual([]);
    await command(options(home), "agent", "create", "codex");
    const known = await command(options(home), "connect", "codex", "--print");
    expect(known.stdout).toContain("toolkeep token create --agent codex");
    expect(known.stdout).not.toContain("agent create");
  });

  it("lists the clients on this machine and whether they are connected", async () => {
    await using home = await clientHomeWithStore();
    await command(options(home), "connect", "cursor");
    await command(options(home), "connect", "codex");
    const { tokens } = await commandJson(options(home), "token", "list");
    const codex = tokens.find((token: { agent: string }) => token.agent === "codex");
    await command(options(home), "token", "revoke", codex.id, "--yes");
    await home.write(".gemini/settings.json", "{ broken");
    const { clients } = await commandJson(options(home), "connect");
    const states = Object.fromEntries(
      clients.map((client: { client: string; found: boolean; connected: string }) => [
        client.client,
        [client.found, client.connected],
      ]),
    );
    expect(states).toEqual({
      "claude-code": [false, "no"],
      "claude-desktop": [false, "no"],
      cursor: [true, "yes"],
      vscode: [false, "no"],
      windsurf: [false, "no"],
      codex: [true, "yes, but its token is unknown"],
      gemini: [true, "unknown, see below"],
      opencode: [false, "no"],
    });
    const { stdout } = await command(options(home), "connect");
    const lines = stdout.split("\n");
    expect(lines.find((line) => line.startsWith("gemini"))).not.toContain("expected");
    expect(stdout).toMatch(/\nCould not be read:\n {2}.*settings\.json: line 1: expected/);
    expect(clients.find((one: { client: string }) => one.client === "gemini").problem).toContain("line 1");
    expect((await command(options(home), "connect", "curser")).stderr).toContain("did you mean cursor?");
  });

  it("names the servers that would be offered twice, and moves them out of the client where that is wanted", async () => {
    await using home = await clientHomeWithStore();
    const path = await home.write(".cursor/mcp.json", {
      mcpServers: { double: JSON.parse(WORKS("double")), own: { command: "own" } },
    });
    await command(options(home), "import", "--yes", "--only", "double", "--no-wait");
    const first = await command(options(home), "connect", "cursor");
    expect(first.stdout).toContain("appear twice: double. Remove them: toolkeep connect cursor --move");
    expect(first.stdout).toContain("Not in Toolkeep yet: own. Import them: toolkeep import --client cursor");
    const moved = await commandJson(options(home), "connect", "cursor", "--move");
    expect(moved).toMatchObject({ also: ["double"], moved: ["double"], notRegistered: ["own"] });
    expect(Object.keys(JSON.parse(await readFile(path, "utf8")).mcpServers)).toEqual(["own", "toolkeep"]);
    await command(options(home), "connect", "cursor", "--undo", "--yes");
    expect(Object.keys(JSON.parse(await readFile(path, "utf8")).mcpServers)).toEqual(["double", "own"]);
  });

  it("says which patterns match no tools yet", async () => {
    await using home = await clientHomeWithStore();
    await home.write(".cursor/mcp.json", { mcpServers: {} });
    const { stdout } = await command(options(home), "connect", "cursor");
    expect(stdout).toContain("mcp:* matches no tools yet.");
  });

  it("moves no server out of the client that Toolkeep cannot run, and says why", async () => {
    await using home = await clientHomeWithStore();
    const path = await home.write(".cursor/mcp.json", {
      mcpServers: {
        works: JSON.parse(WORKS("works")),
        absent: { command: "toolkeep-test-no-such-program" },
        off: { ...JSON.parse(WORKS("off")), disabled: true },
      },
    });
    await command(options(home), "import", "--yes", "--no-wait");
    const moved = await command(options(home), "connect", "cursor", "--move");
    expect(moved.stdout).toMatch(/Kept in Cursor, since Toolkeep cannot run it: absent \(.*was not found/);
    expect(moved.stdout).toContain("cannot run it: off (it is disabled)");
    const left = JSON.parse(await readFile(path, "utf8")).mcpServers;
    expect(Object.keys(left)).toEqual(["absent", "off", "toolkeep"]);
  });

  it("shows the client the tools of servers, and none for files and commands", async () => {
    await using home = await clientHomeWithStore();
    await home.write(".cursor/mcp.json", { mcpServers: { every: EVERYTHING } });
    await command(options(home), "import", "--yes");
    await command(options(home), "connect", "cursor");
    const token = tokenIn(await readFile(join(home.home, ".cursor/mcp.json"), "utf8"));
    const { env, cwd } = options(home);
    const loaded = await loadSettings({ cwd, env, isTrusted: () => false });
    const hub = await createHub({ loaded, version: "0.0.0-test", env });
    try {
      const who = hub.identity.authenticate(token);
      if (typeof who === "string" || who.kind !== "agent") throw new Error("the token is no agent's");
      const tools = hub.catalog.visible(hub.identity.callerFor(who.agent, { ...who, conversation: "test" }));
      const names = tools.map((tool) => tool.name);
      expect(names).toContain("mcp_every_echo");
      expect(names.filter((name) => name.startsWith("mcp_every_")).length).toBeGreaterThan(5);
      expect(new Set(tools.map((tool) => tool.scope))).toEqual(new Set(["human", "tools", "mcp"]));
    } finally {
      await hub.close();
    }
  });

  it("warns where others could read the token", async () => {
    await using home = await clientHomeWithStore();
    const path = await home.write(".cursor/mcp.json", "{}", 0o644);
    expect((await command(options(home), "connect", "cursor")).stdout).toContain(`chmod 600 ${path}`);
  });
});
