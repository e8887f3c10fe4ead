import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { living } from "../support/living.ts";
import { pidsIn } from "../support/pids-in.ts";
import { enabledPlugin, writePlugin, writtenPlugin } from "../support/plugin.ts";
import { type TestHub, testHub } from "../support/test-hub.ts";
import { waitUntil } from "../support/wait-until.ts";

const TOOL = "plugin_sample_tool";

/** One hub for tests of which each adds the plugin `sample`, and leaves without it. */
function sharedHub(prepare: (tested: TestHub) => Promise<unknown> = async () => {}): () => TestHub {
  let tested: TestHub;
  beforeAll(async () => {
    tested = await testHub();
    await prepare(tested);
  });
  afterEach(() => tested.hub.plugins.remove("sample"));
  afterAll(() => tested[Symbol.asyncDispose]());
  return () => tested;
}

/** Raw messages to the hub, past what the runner allows. */
const RAW = (text: string) => `fs.writeSync(4, ${text});`;

describe("a plugin that", () => {
  const shared = sharedHub((tested) => enabledPlugin(tested, { name: "good", run: "return 'still here';" }));

  /** That a bad plugin hurts nobody else: another plugin and the hub itself go on. */
  async function othersGoOn(): Promise<void> {
    expect(await shared().call("plugin_good_tool")).toMatchObject({ outcome: "ok", text: "still here" });
    expect(await shared().call("think", { thought: "fine" })).toMatchObject({ outcome: "ok" });
  }

  async function besideGood(run: string): Promise<TestHub> {
    await enabledPlugin(shared(), { run });
    return shared();
  }

  it.each([
    ["exits in a call", "process.exit(3);", "unavailable", "exit code 3"],
    ["is killed in a call", "process.kill(process.pid, 'SIGKILL');", "unavailable", "SIGKILL"],
    [
      "throws where nobody catches",
      "setTimeout(() => { throw new Error('late'); }); await new Promise(() => {});",
      "unavailable",
      "exit code 1",
    ],
    [
      "sends one message without end",
      "for (;;) fs.writeSync(4, 'x'.repeat(1 << 20));",
      "unavailable",
      "more than 16777216 bytes",
    ],
    [
      "floods with messages",
      'for (;;) fs.writeSync(4, \'{"type":"progress","id":1}\\n\'.repeat(1000));',
      "unavailable",
      "messages",
    ],
    ["floods with rubbish", "for (;;) fs.writeSync(4, 'rubbish\\n'.repeat(100));", "unavailable", "messages"],
    [
      "floods with large messages",
      "const line = JSON.stringify({ type: 'progress', id: 1, message: 'x'.repeat(8 << 20) }) + '\\n'; for (;;) fs.writeSync(4, line);",
      "unavailable",
      "more data than its calls allow",
    ],
    [
      "answers too deep",
      "let value = []; for (let i = 0; i < 200; i++) value = [value]; return value;",
      "failed",
      "nested more than 100 levels",
    ],
    ["answers what is no JSON", "return 1n;", "failed", "BigInt"],
    ["answers in a circle", "const a = {}; a.a = a; return a;", "failed", "circular"],
    [
      "uses all its memory",
      "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));",
      "unavailable",
      "did not answer",
    ],
  ])("%s loses only that call", async (_, run, outcome, message) => {
    const tested = await besideGood(run);
    const ended = await tested.call(TOOL);
    expect([ended.outcome, ended.text]).toEqual([outcome, expect.stringContaining(message)]);
    await othersGoOn();
  });

  it("answers for calls that nobody made, and twice, is not heard", async () => {
    const tested = await besideGood(
      `${RAW(`'{"type":"result","id":999,"value":"forged"}\\n{"type":"ready","tools":[]}\\nnull\\n[]\\n'`)} return "honest";`,
    );
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "honest" });
    await othersGoOn();
  });

  it("prints without end is slowed down and still answers", async () => {
    const tested = await besideGood(
      "for (let i = 0; i < 200; i++) process.stdout.write('x'.repeat(65536) + '\\n'); return 'done';",
    );
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "done" });
    expect(tested.hub.plugins.log("sample").length).toBeLessThanOrEqual(200);
    await othersGoOn();
  });
});

describe("a plugin by itself that", () => {
  const shared = sharedHub();

  it("hangs and ignores signals is gone after its time, with everything it started", async () => {
    const tested = shared();
    const pids = join(tested.home, "workspaces", "operator", "pid");
    await enabledPlugin(tested, {
      entry: `
        import fs from "node:fs";
        import { spawn } from "node:child_process";
        process.on("SIGTERM", () => {});
        export const tools = [{ name: "tool", description: "x", timeoutMs: 1000, run() {
          const child = spawn("sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { detached: true, stdio: "ignore" });
          fs.writeFileSync("pid", process.pid + "\\n" + child.pid);
          for (;;);
        } }];`,
      permissions: { childProcesses: true, files: "write" },
    });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "timed_out" });
    const started = await pidsIn(pids, 2);
    await waitUntil("both are gone", async () => (await living(started)).length === 0);
  });

  it.each([
    ["throws at load", "throw new Error('not today');", "not today"],
    ["exits at load", "process.exit(0);", "exit code 0"],
    ["exports nothing", "export const nothing = 1;", "exports neither tools"],
    ["has no tools", "export const tools = [];", "it has no tools"],
    [
      "has only unusable tools",
      "export const tools = [{ name: 'x y', description: 'x', run() {} }];",
      "was left out",
    ],
    [
      "has a huge schema",
      "export const tools = [{ name: 'x', description: 'x', inputSchema: { x: 'x'.repeat(100000) }, run() {} }];",
      "more than 65536 bytes",
    ],
    [
      "says too much at load",
      "export const tools = Array.from({ length: 300 }, (_, i) => ({ name: 't' + i, description: 'x'.repeat(60000), run() {} }));",
      "16777216 bytes",
    ],
    ["cannot be parsed", "this is no JavaScript", "Unexpected identifier"],
  ])("%s is not enabled, and says why", async (_, entry, message) => {
    const tested = shared();
    const spec = await writtenPlugin(tested, { entry });
    await tested.hub.plugins.add({ kind: "folder", spec });
    await expect(tested.hub.plugins.enable("sample")).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining(message),
    });
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ enabled: false, processes: 0 });
    expect(tested.hub.plugins.tools()).toEqual([]);
  });

  it("has a schema that cannot be compiled accepts any object, with a warning", async () => {
    const tested = shared();
    await enabledPlugin(tested, {
      entry: `export const tools = [{ name: "tool", description: "x", inputSchema: { type: "object", properties: { a: { type: "nonsense" } } }, run: () => "ran" }];`,
    });
    expect(await tested.call(TOOL, { a: 1 })).toMatchObject({ outcome: "ok", text: "ran" });
    expect(tested.hub.warningsOf(tested.hub.plugins.tools()[0]!)).toEqual([
      expect.stringContaining("its schema cannot be used"),
    ]);
  });
});

it("a plugin that links to what is outside its folder is refused", async () => {
  await using tested = await testHub();
  const spec = await writePlugin(join(tested.home, "sources", "sample"), {});
  await symlink("/etc", join(spec, "etc"));
  await expect(tested.hub.plugins.add({ kind: "folder", spec })).rejects.toThrow(
    "etc is a link that leads out of the plugin's folder",
  );
});
