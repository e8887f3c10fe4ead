import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inDeep } from "../../../../support/length.ts";
import { toolkeepHere, toolkeepHereJson } from "../../../../support/run-command.ts";
import { homeWithStore } from "../../../../support/store-template.ts";
import { BIN, serve, start } from "../../../../support/toolkeep.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

describe("toolkeep call", { timeout: 120_000 }, () => {
  inDeep("of a command that fails shows what it printed before it did", async () => {
    await using home = await homeWithStore();
    const failed = await toolkeepHere(
      { home: home.path },
      "call",
      "run_shell",
      "command=echo half done; exit 3",
    );
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("exit code 3");
    expect(failed.stderr + failed.stdout).toContain("half done");
  });

  inDeep("says in which unit it gave up", async () => {
    await using home = await homeWithStore();
    const gaveUp = await toolkeepHere(
      { home: home.path },
      "call",
      "run_shell",
      "command=sleep 600",
      "--timeout",
      "1",
    );
    expect(gaveUp).toMatchObject({ code: 1, stderr: expect.stringContaining("no answer within 1 s;") });
  });

  it("with arguments that do not fit says where to see what does", async () => {
    await using home = await homeWithStore();
    const wrong = await toolkeepHere({ home: home.path }, "call", "think", "thougt=x");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("toolkeep tool show think") });
  });

  inDeep("tells a person how to read the whole of a cut output", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const cut = await toolkeepHere(options, "call", "run_shell", "command=seq 1 20000");
    const [, id = ""] = /toolkeep call read_tool_output (id=out_\w+)/.exec(cut.stderr) ?? [];
    const part = await toolkeepHere(options, "call", "read_tool_output", id, "offset=48880", "limit=20");
    expect(part.stdout).toContain("\n10000\n");
  });

  it("that needs a person does not wait where nobody could answer: without a daemon and a terminal", async () => {
    await using home = await homeWithStore();
    const options = { home: home.path };
    const asked = await toolkeepHereJson(options, "call", "prompt_human", "question=tea?");
    expect(asked).toMatchObject({
      outcome: "needs_input",
      error: { details: { questionId: expect.stringMatching(/^qst_/) } },
    });
    await toolkeepHere(options, "question", "answer", asked.error.details.questionId, "yes");
    const again = await toolkeepHere(options, "call", "prompt_human", "question=tea?");
    expect(again).toMatchObject({ code: 0, stdout: "yes\n" });
  });

  inDeep("that waits for a person at a daemon says what is asked and how to answer", async () => {
    await using home = await homeWithStore();
    await using _daemon = await serve({ home: home.path });
    const call = start({ home: home.path }, ["call", "prompt_human", "question=tea?"]);
    const closed = once(call.child, "close");
    await waitUntil("it tells", () => /toolkeep question answer qst_\w+ TEXT/.test(call.stderr()), 60_000);
    expect(call.stderr()).toContain("operator asks: tea?");
    const [id = ""] = /qst_\w+/.exec(call.stderr()) ?? [];
    await toolkeepHere({ home: home.path }, "question", "answer", id, "yes");
    expect([(await closed)[0], call.stdout()]).toEqual([0, "yes\n"]);
  });

  it("asks the person at the terminal itself, and prints only the tool's answer on standard output", async () => {
    if (spawnSync("script", ["-qefc", "true", "/dev/null"]).status !== 0) {
      console.log("left out: script (util-linux) makes no terminal here");
      return;
    }
    await using home = await homeWithStore();
    const file = join(home.path, "answer.txt");
    const command = `stty cols 100; '${process.execPath}' '${BIN}' call prompt_human 'question=tea?' > '${file}'`;
    const env = { PATH: process.env.PATH, TERM: "xterm", TOOLKEEP_HOME: home.path, TOOLKEEP_PORT: "0" };
    const terminal = spawn("script", ["-qefc", command, "/dev/null"], { env, cwd: home.path });
    const closed = once(terminal, "close");
    let shown = "";
    terminal.stdout.setEncoding("utf8").on("data", (text) => {
      shown += text;
    });
    await waitUntil("it asks", () => shown.includes("operator asks: tea?"), 60_000);
    terminal.stdin.write("yes\r");
    expect((await closed)[0]).toBe(0);
    expect(await readFile(file, "utf8")).toBe("yes\n");
  });
});
