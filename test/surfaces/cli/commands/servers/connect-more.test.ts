import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientHomeWithStore, commandIn as options } from "../../../../support/client-home.ts";
import { command, commandJson } from "../../../../support/run-command.ts";
import { fixture } from "../../../../support/upstream.ts";

/** A server that can be run, each another one. */
const WORKS = (name: string) => {
  const { command, args } = fixture("echoes", name);
  return JSON.stringify({ command, args });
};

describe("toolkeep connect", { timeout: 120_000 }, () => {
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
});
