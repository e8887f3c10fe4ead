import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../../../../src/contract/caller.ts";
import { createHub } from "../../../../../src/hub.ts";
import { loadSettings } from "../../../../../src/machine/config/load.ts";
import { clientHome, clientHomeWithStore, commandIn as options } from "../../../../support/client-home.ts";
import { inDeep } from "../../../../support/length.ts";
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

  inDeep(
    "revokes the former token when it connects again and when it is undone; the agent stays",
    async () => {
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
    },
  );

  it("wants a client for what is about one", async () => {
    await using home = await clientHomeWithStore();
    for (const option of ["--undo", "--print", "--move", "--project"]) {
      expect(await command(options(home), "connect", option)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("needs a client"),
      });
    }
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

  inDeep("makes neither agent nor token where the file cannot be written", async () => {
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

  inDeep(
    "names the servers that would be offered twice, and moves them out of the client where that is wanted",
    async () => {
      await using home = await clientHomeWithStore();
      const path = await home.write(".cursor/mcp.json", {
        mcpServers: { double: JSON.parse(WORKS("double")), own: { command: "own" } },
      });
      await command(options(home), "import", "--yes", "--only", "double", "--no-wait");
      const first = await command(options(home), "connect", "cursor");
      expect(first.stdout).toContain("appear twice: double. Remove them: toolkeep connect cursor --move");
      expect(first.stdout).toContain(
        "Not in Toolkeep yet: own. Import them: toolkeep import --client cursor",
      );
      const moved = await commandJson(options(home), "connect", "cursor", "--move");
      expect(moved).toMatchObject({ also: ["double"], moved: ["double"], notRegistered: ["own"] });
      expect(Object.keys(JSON.parse(await readFile(path, "utf8")).mcpServers)).toEqual(["own", "toolkeep"]);
      await command(options(home), "connect", "cursor", "--undo", "--yes");
      expect(Object.keys(JSON.parse(await readFile(path, "utf8")).mcpServers)).toEqual(["double", "own"]);
    },
  );

  it("says which patterns match no tools yet", async () => {
    await using home = await clientHomeWithStore();
    await home.write(".cursor/mcp.json", { mcpServers: {} });
    const { stdout } = await command(options(home), "connect", "cursor");
    expect(stdout).toContain("mcp:* matches no tools yet.");
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
