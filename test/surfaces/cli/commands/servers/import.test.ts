// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what it is about
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ClientHome, clientHome, clientHomeWithStore } from "../../../../support/client-home.ts";
import { inDeep } from "../../../../support/length.ts";
import { command, commandJson } from "../../../../support/run-command.ts";
import { EVERYTHING } from "../../../../support/test-hub.ts";

const CANARY = "canary-value-of-a-secret";

function options(home: ClientHome, env: Record<string, string> = {}) {
  return {
    env: {
      HOME: home.home,
      TOOLKEEP_HOME: join(home.home, ".toolkeep"),
      TOOLKEEP_DEFAULT_RULES: "false",
      ...env,
    },
    cwd: home.project,
  };
}

async function someServers(home: ClientHome): Promise<void> {
  await home.write(".claude.json", {
    mcpServers: {
      every: { type: "stdio", ...EVERYTHING, env: { KEY: CANARY } },
      hub: { command: "toolkeep", args: ["stdio"] },
    },
  });
  await home.write(".cursor/mcp.json", {
    mcpServers: {
      also: { ...EVERYTHING, env: { KEY: CANARY } },
      late: { command: "x", env: { T: "${env:LATE}" } },
    },
  });
  await home.write(
    "project/.vscode/mcp.json",
    '{ "servers": { "gone": { "command": "/no/such/program" }, } }',
  );
  await home.write(".gemini/settings.json", '{ "mcpServers": ');
}

describe("toolkeep import", { timeout: 120_000 }, () => {
  it("shows first what would happen, and changes nothing", async () => {
    await using home = await clientHome();
    await someServers(home);
    const shown = await command(options(home), "import", "--dry-run");
    expect(shown.code).toBe(0);
    const rows = shown.stdout.split("\n");
    expect(rows.find((row) => row.startsWith("every"))).toMatch(/claude-code, cursor .* new$/);
    expect(rows.find((row) => row.startsWith("hub"))).toContain("skipped: this is Toolkeep itself");
    expect(rows.find((row) => row.startsWith("late"))).toContain(
      "new, disabled: ${env:LATE} has no value here",
    );
    expect(rows.find((row) => row.startsWith("gone"))).toContain("vscode (project)");
    expect(shown.stdout).toContain(`${join(home.home, ".gemini/settings.json")}: line 1: expected`);
    expect(shown.stdout + shown.stderr).not.toContain(CANARY);
    expect(await commandJson(options(home), "server", "list")).toEqual({ servers: [] });
  });

  it("registers after a yes, waits for the tools, and tells of each what became of it", async () => {
    await using home = await clientHomeWithStore();
    await someServers(home);
    const before = await snapshot(home);
    const done = await command(options(home), "import", "--yes");
    expect(done.code).toBe(0);
    const rows = done.stdout.split("\n");
    expect(rows.find((row) => row.startsWith("every"))).toMatch(/every +(ready|idle) +\d\d/);
    expect(rows.find((row) => row.startsWith("late"))).toMatch(/late +disabled +0 .*\$\{env:LATE\}/);
    expect(rows.find((row) => row.startsWith("gone"))).toMatch(/gone +unavailable +0 .*\/no\/such\/program/);
    expect(done.stdout + done.stderr).not.toContain(CANARY);
    expect(await snapshot(home)).toEqual(before);

    const { servers } = await commandJson(options(home), "server", "list");
    expect(servers.map((server: { name: string }) => server.name)).toEqual(["every", "gone", "late"]);
    expect(servers[0]).toMatchObject({ cwd: home.home, envKeys: ["KEY"] });
    expect(servers[1]).toMatchObject({ cwd: home.project });

    const again = await commandJson(options(home), "import", "--yes");
    expect(again.results).toEqual([]);
    const late = await commandJson(options(home, { LATE: CANARY }), "import", "--yes", "--no-wait");
    expect(late.results).toMatchObject([
      { verdict: { kind: "completed", name: "late" }, server: { enabled: true } },
    ]);
    expect(JSON.stringify(late)).not.toContain(CANARY);
  });

  it("asks, and does nothing where nobody can answer", async () => {
    await using home = await clientHomeWithStore();
    await someServers(home);
    const asked = await command(options(home), "import");
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("pass --yes") });
    expect(asked.stderr).toContain("every");
    expect(await commandJson(options(home), "server", "list")).toEqual({ servers: [] });
  });

  inDeep("takes only the clients and servers that are named", async () => {
    await using home = await clientHomeWithStore();
    await someServers(home);
    const { servers } = await commandJson(
      options(home),
      "import",
      "--dry-run",
      "--client",
      "cursor",
      "vscode",
      "--only",
      "late",
      "gone",
    );
    expect(servers.map((server: { name: string }) => server.name)).toEqual(["late", "gone"]);
    expect(await command(options(home), "import", "--client", "cursr")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("did you mean cursor?"),
    });
    expect(await command(options(home), "import", "--only", "evry")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("did you mean every?"),
    });
  });

  it("reads one named file, and fails where it cannot", async () => {
    await using home = await clientHomeWithStore();
    await someServers(home);
    await home.write("elsewhere/mcp.json", { mcpServers: { one: { command: "one" } } });
    const { servers } = await commandJson(
      options(home),
      "import",
      "--dry-run",
      "--file",
      "../elsewhere/mcp.json",
    );
    expect(servers).toMatchObject([
      { name: "one", clients: ["file"], project: join(home.home, "elsewhere") },
    ]);
    expect((await command(options(home), "import", "--dry-run", "--file", "none.json")).code).toBe(1);
  });

  inDeep(
    "knows a server again whose variable is gone, has another value, or was given one by hand",
    async () => {
      await using home = await clientHomeWithStore();
      await home.write(".config/opencode/opencode.json", {
        mcp: {
          oc: {
            type: "local",
            command: ["oc", "--key={env:SET_VAR}"],
            environment: { K: "{env:SET_VAR}", L: "literal" },
            enabled: false,
          },
        },
      });
      const verdict = async (env: Record<string, string>) =>
        (await commandJson(options(home, env), "import", "--dry-run")).servers[0].verdict;
      await command(options(home, { SET_VAR: "one" }), "import", "--yes", "--no-wait");
      expect(await verdict({ SET_VAR: "one" })).toEqual({ kind: "same", name: "oc" });
      expect(await verdict({})).toEqual({ kind: "same", name: "oc" });
      expect(await verdict({ SET_VAR: "two" })).toEqual({ kind: "same", name: "oc" });
      const connected = await command(options(home), "connect", "opencode");
      expect(connected.stdout).not.toContain("Not in Toolkeep yet");

      await command(options(home), "server", "edit", "oc", "--env", "L=edited");
      expect(await verdict({})).toEqual({ kind: "same", name: "oc", otherValues: true });
      const shown = await command(options(home), "import", "--dry-run");
      expect(shown.stdout).toContain("same as registered oc, which has different values");
    },
  );

  inDeep("says how to give a missing value, and never keeps the reference as the value", async () => {
    await using home = await clientHomeWithStore();
    await home.write(".cursor/mcp.json", {
      mcpServers: {
        late: { ...EVERYTHING, env: { T: "${env:LATE}", SET: "${env:HOME}" } },
        far: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer ${env:LATE}" } },
      },
    });
    const how = "toolkeep server edit late --env T, then toolkeep server enable late";
    const done = await command(options(home), "import", "--yes");
    expect(done.stdout).toContain(how);
    expect(done.stdout).toContain("toolkeep server edit far --header Authorization, then");
    const { servers } = await commandJson(options(home), "server", "list");
    expect(servers).toMatchObject([
      { name: "far", headerKeys: [] },
      { name: "late", envKeys: ["SET"], enabled: false },
    ]);

    const again = await command(options(home), "import");
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("same as registered late, which still needs T");
    expect(again.stdout).toContain(how);

    await command(options(home), "server", "edit", "late", "--env", "T=by hand");
    expect((await command(options(home), "import")).stdout).not.toContain(how);
    expect(
      (await commandJson(options(home, { LATE: CANARY }), "import", "--dry-run")).servers.map(
        (server: { verdict: object }) => server.verdict,
      ),
    ).toEqual([
      { kind: "same", name: "late" },
      { kind: "completed", name: "far" },
    ]);
  });

  it("cuts a long command in the middle, so that its telling end stays", async () => {
    await using home = await clientHomeWithStore();
    const folder = `/usr/local/${"deep/".repeat(12)}`;
    await home.write(".cursor/mcp.json", {
      mcpServers: {
        one: { command: "node", args: [`${folder}one.js`] },
        two: { command: "node", args: [`${folder}two.js`] },
      },
    });
    const { stdout } = await command(options(home), "import", "--dry-run");
    expect(stdout).toMatch(/one +cursor +node \/usr.*….*\/one\.js +new/);
    expect(stdout).toMatch(/two +cursor +node \/usr.*….*\/two\.js +new/);
  });

  it("says so where there is nothing", async () => {
    await using home = await clientHomeWithStore();
    expect(await command(options(home), "import")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("No servers found"),
    });
  });
});

/** Every file of the clients with its content. */
async function snapshot({ home }: ClientHome): Promise<Record<string, string>> {
  const names = await readdir(home, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".toolkeep"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes(".toolkeep"));
  return Object.fromEntries(
    await Promise.all(files.map(async (path) => [path, await readFile(path, "utf8")])),
  );
}
