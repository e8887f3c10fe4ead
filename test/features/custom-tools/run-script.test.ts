import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { removeStaleCopies } from "../../../src/features/custom-tools/run-script.ts";
import { workspacePath } from "../../../src/machine/files/workspace.ts";
import { enabledTool, enableTool } from "../../support/custom.ts";
import { inDeep } from "../../support/length.ts";
import { living } from "../../support/living.ts";
import { pidsIn } from "../../support/pids-in.ts";
import { hasSandbox } from "../../support/sandbox.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { tempHome } from "../../support/temp-home.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** A file of the operator's workspace, where scripts of these tests run. */
function inWorkspace({ hub, home }: TestHub, file: string): string {
  return join(workspacePath(home, hub.identity.operatorCaller("test")), file);
}

/** A sandbox would end what these leave behind; they are about what else does. */
const UNCONFINED = { settings: { shell: { sandbox: "off" } } };

const copiesOf = ({ home }: TestHub) => readdir(join(home, "run", "custom"));

describe("a script", () => {
  it("gets its arguments as JSON on standard input, and what it prints is the answer", async () => {
    await using test = await testHub();
    await enabledTool(test, "echo", "cat");
    const args = { text: 'käse\n"quoted"', list: [1, { deep: true }] };
    expect(await test.call("custom_echo", args)).toMatchObject({ outcome: "ok", structured: args });
    await enabledTool(test, "words", "echo two words");
    expect(await test.call("custom_words")).toMatchObject({ outcome: "ok", text: "two words\n" });
    expect((await test.call("custom_words")).structured).toBeUndefined();
  });

  it("runs in the workspace of its caller", async () => {
    await using test = await testHub({ agents: { main: ["all"] } });
    await enabledTool(test, "where", 'pwd; echo "$PWD"');
    const place = workspacePath(test.home, test.caller("main"));
    expect((await test.call("custom_where", {}, "main")).text).toBe(`${place}\n${place}\n`);
  });

  it("finds the other files of its folder beside itself", async () => {
    await using test = await testHub();
    const folder = await enabledTool(test, "greet", '. "$(dirname "$0")/lib/words.sh"; echo "$WORD"');
    await mkdir(join(folder, "lib"));
    await writeFile(join(folder, "lib/words.sh"), "WORD=beside");
    await enableTool(test, "greet");
    expect((await test.call("custom_greet")).text).toBe("beside\n");
  });

  it("runs from a copy that is gone afterwards: it cannot change itself", async () => {
    await using test = await testHub();
    const folder = await enabledTool(
      test,
      "self",
      'echo "echo changed" > "$0"; touch "$(dirname "$0")/more"',
    );
    const before = await readFile(join(folder, "tool.sh"), "utf8");
    expect((await test.call("custom_self")).outcome).toBe("ok");
    expect(await readFile(join(folder, "tool.sh"), "utf8")).toBe(before);
    expect(await readdir(folder)).toEqual(["tool.json", "tool.sh"]);
    expect(await copiesOf(test)).toEqual([]);
    expect((await test.call("custom_self")).outcome).toBe("ok");
  });

  it("does not run once its folder is not what was enabled, not even before the change was noticed", async () => {
    await using test = await testHub();
    const folder = await enabledTool(test, "once", "echo first");
    expect((await test.call("custom_once")).text).toBe("first\n");
    await writeFile(join(folder, "tool.sh"), "echo second");
    const refused = await test.call("custom_once");
    expect(["unavailable", "disabled"]).toContain(refused.outcome);
    expect(refused.text).toContain("has changed since it was enabled");
    await waitUntil("the change is noticed", () => test.hub.custom.get("once").status.kind === "disabled");
    await enableTool(test, "once");
    expect((await test.call("custom_once")).text).toBe("second\n");
  });

  it("does not run with a link in the place of a file, whoever it leads to", async () => {
    await using test = await testHub();
    const folder = await enabledTool(test, "linked", "cat data");
    await writeFile(join(test.home, "elsewhere"), "secret");
    await symlink(join(test.home, "elsewhere"), join(folder, "data"));
    const refused = await test.call("custom_linked");
    expect(refused.text).toContain("data is a symbolic link");
    expect(refused.outcome).not.toBe("ok");
  });
});

describe("the environment of a script", () => {
  const env = {
    LANG: "C.UTF-8",
    TOOLKEEP_KEY_FILE: "/nowhere",
    AWS_SECRET_ACCESS_KEY: "canary-of-the-daemon",
    CHOSEN: "passed on",
    TZ: "value-of-a-secret",
  };

  it("has what every program needs, what its manifest names, and nothing else", async () => {
    await using test = await testHub({ env });
    await test.hub.vault.put("API_KEY", "value-of-a-secret");
    await test.hub.vault.put("OTHER_KEY", "another-secret");
    await enabledTool(test, "env", "console.log(JSON.stringify({ keys: Object.keys(process.env).sort() }))", {
      entry: "tool.mjs",
      env: { MODE: "strict" },
      pass_env: ["CHOSEN", "NOT_SET"],
      secrets: ["API_KEY"],
    });
    const { structured } = await test.call("custom_env");
    // PROCESS_TREE marks the processes that belong together.
    const keys = ["API_KEY", "CHOSEN", "HOME", "LANG", "MODE", "PATH", "PROCESS_TREE", "PWD"];
    expect(structured).toEqual({ keys });
  });

  it("has the values; those of secrets do not come back", async () => {
    await using test = await testHub({ env });
    await test.hub.vault.put("API_KEY", "value-of-a-secret");
    await enabledTool(
      test,
      "values",
      'echo "$MODE $CHOSEN $API_KEY $(printf %s "$API_KEY" | wc -c)"; echo "$API_KEY" >&2; exit 3',
      {
        env: { MODE: "strict" },
        pass_env: ["CHOSEN"],
        secrets: ["API_KEY"],
      },
    );
    const { outcome, text, error } = await test.call("custom_values");
    expect(outcome).toBe("failed");
    expect(text).toContain("strict passed on [redacted] 17");
    expect(text).toContain("standard error:\n[redacted]");
    expect(JSON.stringify({ text, error })).not.toContain("value-of-a-secret");
  });

  it("has no secret of which half is shown where an output is cut", async () => {
    await using test = await testHub();
    await test.hub.vault.put("API_KEY", "hunter2-hunter2-hunter2");
    const fill = (count: number) => `head -c ${count} /dev/zero | tr '\\0' x`;
    // At the cut of standard output, and where standard error is shown from.
    const script = `${fill(990)}; printf %s "$API_KEY"; ${fill(40_000)}; exec >&2; printf %s "$API_KEY"; ${fill(3_990)}; exit 1`;
    for (const max_output_bytes of [2_000, 8_000]) {
      await enabledTool(test, "cuts", script, { secrets: ["API_KEY"], max_output_bytes });
      const { text } = await test.call("custom_cuts");
      expect(text).toContain("bytes left out");
      expect(text).not.toMatch(/hunter|2-h/);
    }
  });

  it("that cannot be given is a failure that says why", async () => {
    await using test = await testHub();
    await test.hub.vault.put("API_KEY", "with\0nul-byte");
    await enabledTool(test, "nul", "echo ran", { secrets: ["API_KEY"] });
    expect(await test.call("custom_nul")).toMatchObject({
      outcome: "unavailable",
      text: expect.stringContaining("API_KEY contains a NUL byte"),
    });
  });
});

describe("a hostile script", { timeout: 60_000 }, () => {
  inDeep("that never ends is stopped at its time limit, and shows what it printed", async () => {
    await using test = await testHub(UNCONFINED);
    await enabledTool(test, "slow", "echo begun; echo why >&2; echo $$ > pids; sleep 300", {
      timeout_ms: 700,
    });
    const outcome = await test.call("custom_slow");
    expect(outcome).toMatchObject({
      outcome: "timed_out",
      error: { message: expect.stringContaining("0.7 s") },
    });
    expect(outcome.text).toContain("begun");
    expect(outcome.text).toContain("why");
    expect(await living(await pidsIn(inWorkspace(test, "pids"), 1))).toEqual([]);
    expect(await copiesOf(test)).toEqual([]);
  });

  inDeep("that ignores SIGTERM, as do its children, is ended all the same", async () => {
    await using test = await testHub(UNCONFINED);
    const script = `trap '' TERM
      echo $$ >> pids
      (trap '' TERM; echo $BASHPID >> pids; while :; do sleep 1; done) &
      while :; do sleep 1; done`;
    await enabledTool(test, "deaf", script, { timeout_ms: 1_000 });
    const took = stopwatch();
    expect((await test.call("custom_deaf")).outcome).toBe("timed_out");
    expect(took()).toBeLessThan(5_000);
    await waitUntil("it is gone", async () => {
      return (await living(await pidsIn(inWorkspace(test, "pids"), 2))).length === 0;
    });
  });

  it("that forks, detaches and leaves children behind leaves none", async () => {
    await using test = await testHub(UNCONFINED);
    const script = `
      sleep 300 & echo $! >> pids
      nohup sleep 300 > /dev/null 2>&1 & echo $! >> pids
      (setsid sh -c 'echo $$ >> pids; (sleep 300 & echo $! >> pids); sleep 300' > /dev/null 2>&1 &)
      while [ "$(wc -l < pids)" -lt 4 ]; do sleep 0.05; done
      echo done`;
    await enabledTool(test, "forks", script);
    expect((await test.call("custom_forks")).text).toBe("done\n");
    expect(await living(await pidsIn(inWorkspace(test, "pids"), 4))).toEqual([]);
  });

  it("whose child keeps the output open does not keep the call waiting", async () => {
    await using test = await testHub(UNCONFINED);
    await enabledTool(test, "open", "setsid sleep 300 & echo $! > pids; echo answered", {
      timeout_ms: 20_000,
    });
    const took = stopwatch();
    expect(await test.call("custom_open")).toMatchObject({ outcome: "ok", text: "answered\n" });
    expect(took()).toBeLessThan(8_000);
    expect(await living(await pidsIn(inWorkspace(test, "pids"), 1))).toEqual([]);
  });

  inDeep("that keeps forking is ended", async () => {
    await using test = await testHub(UNCONFINED);
    const script = "f() { echo $BASHPID >> pids; sleep 0.2; f & f & wait; }; f";
    await enabledTool(test, "bomb", script, { timeout_ms: 1_000 });
    expect((await test.call("custom_bomb")).outcome).toBe("timed_out");
    await waitUntil("it is gone", async () => {
      return (await living(await pidsIn(inWorkspace(test, "pids"), 3))).length === 0;
    });
  });

  it.each([
    ["standard output", "echo $$ > pids; yes"],
    ["standard error", "echo $$ > pids; yes >&2"],
  ])("that floods %s is stopped, and the answer stays small", async (_, script) => {
    await using test = await testHub(UNCONFINED);
    await enabledTool(test, "flood", script, { max_output_bytes: 2_000 });
    const { outcome, text } = await test.call("custom_flood");
    expect(outcome).toBe("failed");
    expect(text).toContain("printed more than 64 MiB and was stopped");
    expect(text.length).toBeLessThan(8_000);
    expect(await living(await pidsIn(inWorkspace(test, "pids"), 1))).toEqual([]);
  });

  it("that waits for more input gets its end", async () => {
    await using test = await testHub(UNCONFINED);
    await enabledTool(test, "reads", "while read -r line; do n=$((n + 1)); done; cat; cat; echo end");
    expect(await test.call("custom_reads", { a: 1 })).toMatchObject({ outcome: "ok", text: "end\n" });
  });

  it("that never reads its input, or closes it, is no problem however much there is", async () => {
    await using test = await testHub(UNCONFINED);
    const args = { much: "x".repeat(1_000_000) };
    await enabledTool(test, "deafin", "echo fine");
    await enabledTool(test, "closes", "exec 0<&-; echo fine; sleep 0.2");
    for (const name of ["custom_deafin", "custom_closes"])
      expect(await test.call(name, args)).toMatchObject({ outcome: "ok", text: "fine\n" });
  });

  it("that kills itself, or whatever it can reach, is a failure and nothing more", async () => {
    await using test = await testHub(UNCONFINED);
    await enabledTool(test, "kills", "kill -KILL $$");
    expect(await test.call("custom_kills")).toMatchObject({
      outcome: "failed",
      error: { message: "The script was ended by SIGKILL." },
    });
    await enabledTool(test, "group", "kill -TERM 0; sleep 300");
    expect((await test.call("custom_group")).outcome).toBe("failed");
  });

  it("that cannot be started says so", async () => {
    await using test = await testHub(UNCONFINED);
    const interpreter = join(test.home, "interpreter");
    await writeFile(interpreter, "#!/bin/sh\n", { mode: 0o700 });
    await enabledTool(test, "orphan", "", { interpreter });
    expect((await test.call("custom_orphan")).outcome).toBe("ok");
    await rm(interpreter);
    expect(await test.call("custom_orphan")).toMatchObject({
      outcome: "unavailable",
      text: expect.stringContaining("could not be started"),
    });
  });

  it("is stopped when its call is cancelled, and when the hub closes", async () => {
    const test = await testHub(UNCONFINED);
    await using _ = test;
    await enabledTool(test, "waits", "echo $$ >> pids; sleep 300");
    const cancel = new AbortController();
    const caller = test.hub.identity.operatorCaller("test");
    const cancelled = test.hub.callTool({
      name: "custom_waits",
      arguments: {},
      caller,
      via: "library",
      signal: cancel.signal,
    });
    const file = inWorkspace(test, "pids");
    await pidsIn(file, 1);
    cancel.abort();
    expect((await cancelled).outcome).toBe("cancelled");

    const running = test.call("custom_waits");
    const pids = await pidsIn(file, 2);
    await test.hub.close();
    expect((await running).outcome).toBe("failed");
    expect(await living(pids)).toEqual([]);
    expect(await copiesOf(test)).toEqual([]);
  });
});

describe("copies that a killed process left", () => {
  it("are removed once no call can need them", async () => {
    await using home = await tempHome();
    const place = join(home.path, "run", "custom", "call-left");
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "tool.sh"), "");
    await removeStaleCopies(home.path, Date.now());
    expect(await readdir(join(home.path, "run", "custom"))).toEqual(["call-left"]);
    await removeStaleCopies(home.path, Date.now() + 16 * 60_000);
    expect(await readdir(join(home.path, "run", "custom"))).toEqual([]);
    await removeStaleCopies(join(home.path, "nowhere"), Date.now());
  });
});

describe.skipIf(!(await hasSandbox()))("a script in a sandbox", () => {
  it("sees the machine as a person does, but of the home only its workspace and itself", async () => {
    await using test = await testHub();
    const script =
      'ls "$1"; cat "$1/config.json" | wc -c; test -w /tmp && echo x > made && ls "$(dirname "$0")" made';
    await enabledTool(test, "look", `set -- ${test.home}\n${script}`);
    const { outcome, text } = await test.call("custom_look");
    expect({ outcome, text }).toEqual({
      outcome: "ok",
      text: expect.stringMatching(/^run\nworkspaces\n0\nmade\n/),
    });
    expect(text).toMatch(/tool\.json\ntool\.sh\n$/);
    expect(await readFile(inWorkspace(test, "made"), "utf8")).toBe("x\n");
  });

  it("does not run where a sandbox is required and cannot be had", async () => {
    const settings = { shell: { sandbox: "required" } };
    await using test = await testHub({ settings, env: { PATH: "/bin/nowhere" } });
    await enabledTool(test, "strict", "echo ran", { interpreter: "/bin/sh" });
    expect(await test.call("custom_strict")).toMatchObject({
      outcome: "unavailable",
      text: expect.stringContaining("install bubblewrap"),
    });
  });
});
