import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptWaiting } from "../../support/kept-waiting.ts";
import { inDeep } from "../../support/length.ts";
import { living } from "../../support/living.ts";
import { toolkeepHere, toolkeepHereJson } from "../../support/run-command.ts";
import { homeWithStore } from "../../support/store-template.ts";
import { tempHome } from "../../support/temp-home.ts";
import { filesystem } from "../../support/test-hub.ts";
import { serve, start, toolkeep } from "../../support/toolkeep.ts";
import { waitUntil } from "../../support/wait-until.ts";

describe("toolkeep", { timeout: 120_000 }, () => {
  it("--help starts fast, because nothing heavy is loaded for it", async () => {
    await using home = await tempHome();
    // About 150 ms on an idle machine; the limit and the tries leave room for one that is busy with other tests.
    const limit = 1_500;
    let fastest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && fastest >= limit; round++) {
      const startedAt = performance.now();
      const help = start({ home: home.path }, ["--help"]);
      let waited = 0;
      const watch = setInterval(() => {
        waited = Math.max(waited, keptWaiting(help.child.pid!));
      }, 10);
      const [code] = await once(help.child, "close");
      clearInterval(watch);
      fastest = Math.min(fastest, performance.now() - startedAt - waited);
      const stdout = help.stdout();
      expect([code, stdout]).toEqual([0, expect.stringContaining("Usage: toolkeep")]);
    }
    expect(fastest).toBeLessThan(limit);
  });

  it("tells bad usage with code 2, as JSON where that is wanted", async () => {
    await using home = await tempHome();
    const unknown = await toolkeep({ home: home.path }, "sevre");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean serve?")]);
    const json = await toolkeepHere({ home: home.path }, "agent", "create", "--json");
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout).error).toMatchObject({
      code: "BAD_USAGE",
      message: expect.stringContaining("name"),
    });
  });

  inDeep("names the command whose help to read, and what a newcomer forgot", async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    const stderr = async (...args: string[]) => (await toolkeepHere(options, ...args)).stderr;
    expect(await stderr("call")).toContain("toolkeep call --help");
    expect(await stderr("agent", "edit", "main")).toContain("toolkeep agent edit --help");
    expect(await stderr("server", "add", "fs", "npx", "-y", "x")).toContain(
      "toolkeep server add NAME -- COMMAND",
    );
    expect(await stderr("server", "add", "x", "--transport", "ftp", "--url", "http://x")).toMatch(
      /stdio.*http.*sse/,
    );
    expect(await stderr("serve", "--port", "abc")).toMatch(/--port .*"abc"/);
    expect(await toolkeepHere(options, "help", "server")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage: toolkeep server"),
    });
  });

  inDeep("does not pretend to have taken away what was not there", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    await toolkeepHere(options, "agent", "create", "main");
    await toolkeepHere(options, "toolbox", "create", "reading", "read_file");
    expect(await toolkeepHere(options, "agent", "edit", "main", "--revoke", "raeding")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("raeding"),
    });
    expect(await toolkeepHere(options, "toolbox", "remove", "reading", "raed_file")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("raed_file"),
    });
  });

  it("adds a server and prints a file through it, without a daemon, and leaves no process behind", async () => {
    await using home = await homeWithStore();
    const folder = join(home.path, "documents");
    await mkdir(folder);
    await writeFile(join(folder, "note.txt"), "remember the milk\n");
    const options = { home: home.path };
    const { command, args } = filesystem(folder);

    const added = await toolkeepHere(options, "server", "add", "fs", "--", command, ...args);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("mcp_fs_read_text_file") });

    const file = JSON.stringify({ path: join(folder, "note.txt") });
    const called = await toolkeep(options, "call", "mcp_fs_read_text_file", file);
    expect(called).toMatchObject({ code: 0, stdout: "remember the milk\n" });

    const envelope = await toolkeepHereJson(
      options,
      "call",
      "read_text_file",
      `path=${join(folder, "note.txt")}`,
    );
    expect(envelope).toMatchObject({
      outcome: "ok",
      tool: "mcp_fs_read_text_file",
      text: "remember the milk\n",
    });

    const misspelt = await toolkeepHere(options, "call", "mcp_fs_read_txt_file");
    expect(misspelt).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("did you mean mcp_fs_read_text_file"),
    });
  });

  it("says why a server does not work, with code 1", async () => {
    await using home = await homeWithStore();
    const script = "console.error('the token is missing'); process.exit(3)";
    const added = await toolkeepHere(
      { home: home.path },
      "server",
      "add",
      "bad",
      "--",
      process.execPath,
      "-e",
      script,
    );
    expect(added.code).toBe(1);
    expect(added.stdout).toContain("the token is missing");
  });

  inDeep(
    "grants: an agent sees the floor, with a toolbox more; the rest is refused with code 4",
    async () => {
      await using home = await homeWithStore();
      await using _daemon = await serve({ home: home.path });
      const options = { home: home.path };
      const { command, args } = filesystem(home.path);
      await toolkeepHere(options, "server", "add", "fs", "--", command, ...args);
      const names = async () => {
        const { tools } = await toolkeepHereJson(options, "tool", "list", "--agent", "main");
        return tools.map((tool: { name: string }) => tool.name);
      };
      const floor: string[] = await names();
      expect(floor).toContain("read_file");
      expect(floor.filter((name) => name.startsWith("mcp_"))).toEqual([]);

      await toolkeepHere(options, "toolbox", "create", "reading", "mcp_fs_read_text_file");
      await toolkeepHere(options, "agent", "edit", "main", "--toolbox", "reading");
      expect(await names()).toEqual([...floor, "mcp_fs_read_text_file"].sort());

      const refused = await toolkeepHere(
        options,
        "call",
        "mcp_fs_write_file",
        "path=x",
        "content=y",
        "--agent",
        "main",
      );
      expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("not granted") });
    },
  );

  it("keeps values of --env out of everything it prints", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const value = "a-value-nobody-may-see";
    const printed = [
      await toolkeepHere(options, "server", "add", "s", "--no-test", "--env", `KEY=${value}`, "--", "false"),
      await toolkeepHere(options, "server", "show", "s", "--json"),
      await toolkeepHere(options, "server", "list"),
    ];
    expect(JSON.stringify(printed)).not.toContain(value);
    expect(printed[1]!.stdout).toContain('"KEY"');
  });

  it("init writes settings that are right, an agent and a token, and replaces nothing by itself", async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    const made = await toolkeepHereJson(options, "init", "--agent", "writer", "--port", "0");
    expect(made).toMatchObject({ agent: "writer", token: expect.stringMatching(/^tk_sk_/) });
    expect(await readFile(made.file, "utf8")).toContain("\nport = 0\n");
    expect(await toolkeepHereJson(options, "config", "check")).toMatchObject({
      ok: true,
      problems: [],
      warnings: [],
    });
    expect(await toolkeepHere(options, "init")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--force"),
    });
  });

  it("config names the line of what is wrong, and shows settings without secrets", async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    const file = join(home.path, "config.json");
    await writeFile(file, '{\n  "port": "high"\n}');
    const wrong = await toolkeepHere(options, "config", "check");
    expect(wrong).toMatchObject({ code: 2, stdout: expect.stringContaining(`${file}:2`) });
    expect((await toolkeepHere(options, "agent", "list")).code).toBe(2);

    const env = { KEY: "a-value-nobody-may-see" };
    await writeFile(file, JSON.stringify({ mcpServers: { s: { command: "false", env } } }));
    const shown = await toolkeepHere(options, "config", "show");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("KEY") });
    expect(shown.stdout).not.toContain("a-value-nobody-may-see");
  });

  it("a call that needs a person ends with code 4, and with the answer goes on", async () => {
    await using home = await homeWithStore();
    await writeFile(join(home.path, "config.json"), JSON.stringify({ questions: { wait_ms: 0 } }));
    const options = { home: home.path };
    const asked = await toolkeepHere(options, "call", "prompt_human", "question=tea or coffee?");
    expect(asked).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("toolkeep question answer qst_"),
    });
    const { questions } = await toolkeepHereJson(options, "question", "list");
    const answered = await toolkeepHere(
      { ...options, input: "tea\n" },
      "question",
      "answer",
      questions[0].id,
      "--stdin",
    );
    expect(answered.code).toBe(0);
    const again = await toolkeepHere(options, "call", "prompt_human", "question=tea or coffee?");
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("tea") });
  });

  inDeep("gives up on a call after --timeout, and what the call started ends", async () => {
    await using home = await homeWithStore();
    const pidFile = join(home.path, "shell.pid");
    await writeFile(join(home.path, "config.json"), JSON.stringify({ shell: { sandbox: "off" } }));
    const command = `command=echo $$ > ${pidFile}; sleep 600`;
    // On a starved machine the command may not have begun within the first.
    for (const timeout of ["5s", "15s", "30s"]) {
      const gaveUp = await toolkeep({ home: home.path }, "call", "run_shell", command, "--timeout", timeout);
      expect(gaveUp).toMatchObject({ code: 1, stderr: expect.stringContaining("timed out") });
      if (existsSync(pidFile)) break;
    }
    const pid = Number(await readFile(pidFile, "utf8"));
    await waitUntil("the command is gone", async () => (await living([pid])).length === 0);
  });

  inDeep("trust lets a project file count with the content it has, and no other", async () => {
    await using home = await homeWithStore();
    await using project = await tempHome();
    const options = { home: home.path, cwd: project.path };
    const file = join(project.path, "toolkeep.json");
    const servers = async () => (await toolkeepHereJson(options, "server", "list")).servers;
    await writeFile(file, JSON.stringify({ mcpServers: { proj: { command: "false" } } }));
    expect(await servers()).toEqual([]);

    expect((await toolkeepHere(options, "trust")).code).toBe(4);
    const trusted = await toolkeepHere(options, "trust", "--yes");
    expect(trusted).toMatchObject({ code: 0, stderr: expect.stringContaining('"proj"') });
    expect(await servers()).toMatchObject([{ name: "proj", state: "pending_approval" }]);

    await writeFile(file, JSON.stringify({ mcpServers: { proj: { command: "rm" } } }));
    expect(await servers()).toEqual([]);
    expect((await toolkeepHere(options, "trust", "--revoke", "--yes")).code).toBe(0);
    expect((await toolkeepHereJson(options, "trust", "--list")).trusted).toEqual([]);
  });

  it("doctor finds what is broken and says what to do", async () => {
    await using home = await tempHome();
    const options = { home: home.path };
    expect((await toolkeepHereJson(options, "doctor")).ok).toBe(true);
    await toolkeepHere(options, "server", "add", "s", "--no-test", "--", "no-such-command-anywhere");
    const { code, stdout } = await toolkeepHere(options, "doctor");
    expect(code).toBe(1);
    const file = join(home.path, "file");
    await writeFile(file, "");
    const nowhere = await toolkeepHere({ home: join(file, "home"), cwd: home.path }, "doctor");
    expect(nowhere).toMatchObject({ code: 1, stdout: expect.stringContaining("✗ home:") });
    expect(stdout).toMatch(/✗ server s: its command no-such-command-anywhere is not on the PATH\n {4}\S/);
  });

  it("a wrong TOOLKEEP_URL is unreachable with code 5", async () => {
    await using home = await tempHome();
    const env = { TOOLKEEP_URL: "http://127.0.0.1:1", TOOLKEEP_TOKEN: "tk_sk_x" };
    expect((await toolkeepHere({ home: home.path, env }, "agent", "list")).code).toBe(5);
    const half = await toolkeepHere(
      { home: home.path, env: { TOOLKEEP_URL: "http://127.0.0.1:1" } },
      "agent",
      "list",
    );
    expect(half).toMatchObject({ code: 4, stderr: expect.stringContaining("TOOLKEEP_TOKEN") });
  });
});
