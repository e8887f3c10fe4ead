import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ShellDeps, shellTool } from "../../../src/features/shell/shell.ts";
import { HeadAndTail } from "../../../src/machine/process/head-and-tail.ts";
import { inDeep } from "../../support/length.ts";
import { living } from "../../support/living.ts";
import { type NativeOptions, type TestNative, testNative, textOf } from "../../support/native.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { waitUntil } from "../../support/wait-until.ts";

const CANARIES = {
  TOOLKEEP_KEY: "canary-key",
  TOOLKEEP_TOKEN: "canary-token",
  DATABASE_URL: "postgres://canary-database",
  GITHUB_TOKEN: "canary-vault-value",
};
const OPTIONS: NativeOptions = {
  env: { ...process.env, ...CANARIES, HARMLESS: "visible" },
  isSecret: (value) => value === "canary-vault-value",
};

let t: TestNative;
beforeEach(async () => {
  t = await testNative(OPTIONS);
});
afterEach(() => t[Symbol.asyncDispose]());

const run = (command: string, more: Record<string, unknown> = {}) =>
  t.call("run_shell", { command, ...more });

/** The process ids that a command wrote, one a line, into a file of the workspace. */
async function pidsIn(file: string): Promise<number[]> {
  const content = await readFile(join(t.workspace, file), "utf8").catch(() => "");
  return content.split("\n").filter(Boolean).map(Number);
}

describe("run_shell", () => {
  it("labels who reads what it printed, unless it surely reached nobody", () => {
    let shell = { network: true, sandbox: "required" };
    const deps = { settings: () => ({ shell }), sandbox: { known: () => undefined } };
    const tool = shellTool(deps as unknown as ShellDeps);
    expect(tool.labels).toEqual(["untrusted_content"]);
    shell = { network: false, sandbox: "required" };
    expect(tool.labels).toBeUndefined();
    shell = { network: false, sandbox: "auto" };
    expect(tool.labels).toEqual(["untrusted_content"]);
  });

  it("runs in the workspace and answers output and exit code", async () => {
    const result = await run("pwd; echo done");
    expect(result).toMatchObject({ kind: "output", structured: { exitCode: 0 } });
    expect(textOf(result)).toBe(`${t.workspace}\ndone\n`);
  });

  it("runs in another allowed folder on request", async () => {
    await t.call("write_file", { path: "sub/f", content: "" });
    expect(textOf(await run("ls", { cwd: "sub" }))).toBe("f\n");
    expect(textOf(await run("ls", { cwd: "nowhere" }))).toContain("There is no folder");
    await mkdir(join(t.outside, "g"));
    const folders = [{ path: t.outside, access: "read" as const }];
    const granted = await t.call("run_shell", { command: "ls", cwd: t.outside }, { caller: { folders } });
    expect(textOf(granted)).toBe("g\n");
  });

  it("keeps standard output and standard error in order", async () => {
    const result = await run("for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    expect(textOf(result)).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
  });

  it("fails with the output and the exit code", async () => {
    const result = await run("echo before; exit 3");
    expect(result).toMatchObject({ kind: "failed", structured: { exitCode: 3 } });
    expect(textOf(result)).toBe("The command ended with exit code 3.\nbefore\n");
    expect(textOf(await run("if then"))).toContain("syntax error");
    expect(textOf(await run("kill -KILL $$"))).toContain("ended by SIGKILL");
    expect(textOf(await run("a\0b"))).toContain("NUL byte");
  });

  it("hides the hub's secrets and keeps the rest of the environment", async () => {
    const environment = textOf(await run("env; cat /proc/self/environ | tr '\\0' '\\n'"));
    for (const value of Object.values(CANARIES)) expect(environment).not.toContain(value);
    expect(environment).not.toContain("TOOLKEEP_");
    expect(environment).toContain("HARMLESS=visible");
    expect(environment).toContain(`HOME=${process.env.HOME}`);
    expect(environment).toContain(`PWD=${t.workspace}`);
  });

  it("gives a command that reads standard input nothing to wait for", async () => {
    expect(textOf(await run("cat; read -r line; echo got:$line"))).toBe("got:\n");
  });

  it("keeps the beginning and the end of a long output", async () => {
    const output = textOf(await run("echo FIRST; seq 1 20000; echo LAST"));
    expect(output).toMatch(/^FIRST\n1\n/);
    expect(output).toMatch(/20000\nLAST\n$/);
    expect(output).toMatch(/\[… \d+ bytes left out …\]/);
    expect(output.length).toBeLessThan(20_100);
  });

  it("stops a command at its time limit and shows what it printed", async () => {
    const result = await run("echo begun; sleep 300", { timeout_ms: 500 });
    expect(result.kind).toBe("timed_out");
    expect(textOf(result)).toContain("did not end within 0.5 s");
    expect(textOf(result)).toContain("begun");
  });

  inDeep("stops a command that ignores SIGTERM, with its children", async () => {
    const command =
      "trap '' TERM; echo $$ >> pids; (trap '' TERM; echo $BASHPID >> pids; while :; do sleep 1; done) & wait; sleep 300";
    expect((await run(command, { timeout_ms: 1_000 })).kind).toBe("timed_out");
    const pids = await pidsIn("pids");
    expect(pids.length).toBeGreaterThanOrEqual(1);
    expect(await living(pids)).toEqual([]);
  });

  it("ends what a command left in the background, however it was detached", async () => {
    const command = `
      sleep 300 & echo $! >> pids
      nohup sleep 300 > /dev/null 2>&1 & echo $! >> pids
      (setsid sh -c 'echo $$ >> pids; sleep 300' > /dev/null 2>&1 &)
      while [ "$(wc -l < pids)" -lt 3 ]; do sleep 0.05; done
      echo parent done`;
    expect(textOf(await run(command))).toBe("parent done\n");
    const pids = await pidsIn("pids");
    expect(pids).toHaveLength(3);
    expect(await living(pids)).toEqual([]);
  });

  it("does not wait for a background job that keeps the output open, and ends it", async () => {
    const took = stopwatch();
    const result = await run(
      "sleep 300 & echo $! >> pids; setsid sleep 300 & echo $! >> pids; echo answered",
    );
    expect(result.kind).toBe("output");
    expect(textOf(result)).toBe("answered\n");
    expect(took()).toBeLessThan(10_000);
    const pids = await pidsIn("pids");
    expect(pids).toHaveLength(2);
    expect(await living(pids)).toEqual([]);
  });

  it("ends a daemon: forked twice, in a session of its own, deaf to SIGTERM and SIGHUP, flooding its output", async () => {
    await t.call("write_file", { path: "daemon.sh", content: "trap '' TERM HUP\necho $$ >> pids\nyes\n" });
    const command = "(setsid sh -c 'sh daemon.sh &' &); while ! [ -s pids ]; do sleep 0.05; done; sleep 0.2";
    const result = await run(command);
    expect(["output", "failed"]).toContain(result.kind);
    expect(textOf(result).length).toBeLessThan(21_000);
    const pids = await pidsIn("pids");
    expect(pids).toHaveLength(1);
    expect(await living(pids)).toEqual([]);
  });

  inDeep("ends a command that waits for input from somewhere else than its standard input", async () => {
    const result = await run("mkfifo pipe; echo $$ >> pids; cat pipe", { timeout_ms: 500 });
    expect(result.kind).toBe("timed_out");
    expect(await living(await pidsIn("pids"))).toEqual([]);
  });

  inDeep("ends a command that keeps forking", async () => {
    const command = "f() { echo $BASHPID >> pids; sleep 0.2; f & f & wait; }; f";
    expect((await run(command, { timeout_ms: 1_000 })).kind).toBe("timed_out");
    expect(await living(await pidsIn("pids"))).toEqual([]);
  });

  it.each(["yes", "yes >&2", "yes | cat | cat", "yes & yes & wait"])(
    "stops a command that floods its output: %s",
    async (flood) => {
      const result = await run(flood);
      expect(result.kind).toBe("failed");
      expect(textOf(result)).toContain("printed more than");
      expect(textOf(result).length).toBeLessThan(21_000);
    },
  );

  it("ends the whole tree when the call is cancelled", async () => {
    const cancel = new AbortController();
    const command = "echo $$ >> pids; sleep 300 & echo $! >> pids; wait";
    const running = t.call("run_shell", { command }, { signal: cancel.signal });
    await waitUntil("the command runs", async () => (await pidsIn("pids")).length === 2);
    cancel.abort();
    expect(textOf(await running)).toContain("cancelled");
    expect(await living(await pidsIn("pids"))).toEqual([]);
  });

  it("ends running commands when the native tools close", async () => {
    const running = run("echo $$ >> pids; sleep 300");
    await waitUntil("the command runs", async () => (await pidsIn("pids")).length === 1);
    await t.native.close();
    expect((await running).kind).toBe("failed");
    expect(await living(await pidsIn("pids"))).toEqual([]);
    expect((await run("true")).kind).toBe("unavailable");
  });

  it("can run several commands at once", async () => {
    await writeFile(join(t.outside, "x"), "");
    const results = await Promise.all([1, 2, 3].map((number) => run(`sleep 0.1; echo ${number}`)));
    expect(results.map(textOf)).toEqual(["1\n", "2\n", "3\n"]);
  });
});

describe("head and tail", () => {
  it("keeps everything that fits", () => {
    const kept = new HeadAndTail(10);
    for (const part of ["abc", "def", "ghij"]) kept.write(Buffer.from(part));
    expect(kept.text()).toBe("abcdefghij");
  });

  it("drops and counts the middle, whatever the size of the pieces", () => {
    const whole = Buffer.from(
      Array.from({ length: 5_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join(""),
    );
    for (const size of [1, 7, 100, 5_000]) {
      const kept = new HeadAndTail(100);
      for (let at = 0; at < whole.length; at += size) kept.write(whole.subarray(at, at + size));
      const expected = `${whole.subarray(0, 50)}\n[… 4900 bytes left out …]\n${whole.subarray(-50)}`;
      expect(kept.text()).toBe(expected);
    }
  });

  it("does not show halves of characters at the cut", () => {
    const kept = new HeadAndTail(11);
    kept.write(Buffer.from("ééééééééééé"));
    expect(kept.text()).not.toContain("\uFFFD");
  });

  it("leaves no half of a secret at the cut, wherever it lies and whatever the size of the pieces", () => {
    const secret = "hunter2-hunter2-hunter2";
    const redact = (text: string) => text.replaceAll(secret, "[redacted]");
    for (const length of [40_000, 200_000]) {
      for (const cut of [500, length - 500]) {
        for (let at = cut - secret.length; at <= cut; at += 2) {
          const whole = Buffer.from(`${"x".repeat(at)}${secret}${"y".repeat(length - at - secret.length)}`);
          for (const size of [1_000, 65_536]) {
            const kept = new HeadAndTail(1_000, redact);
            for (let from = 0; from < length; from += size) kept.write(whole.subarray(from, from + size));
            expect(kept.text(), `${length}, ${at}, ${size}`).not.toMatch(/hunter|2-h/);
            expect(kept.text().length).toBeLessThan(1_100);
            expect(kept.text().length).toBeGreaterThan(900);
          }
        }
      }
    }
  });

  it("shows what fits once secrets are out", () => {
    const kept = new HeadAndTail(100, (text) => text.replaceAll("long-secret-".repeat(10), "[redacted]"));
    kept.write(Buffer.from(`a ${"long-secret-".repeat(10)} b`));
    expect(kept.text()).toBe("a [redacted] b");
  });
});
