import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestNative, testNative, textOf } from "../../support/native.ts";
import { hasSandbox } from "../../support/sandbox.ts";

describe.skipIf(!(await hasSandbox()))("run_shell in a sandbox", () => {
  let t: TestNative;
  beforeAll(async () => {
    t = await testNative({ shell: { sandbox: "auto", network: false } });
    await writeFile(join(t.home, "key"), "canary-key");
    await mkdir(join(t.home, "workspaces", "another"), { recursive: true });
    await mkdir(join(t.outside, "read"));
    await mkdir(join(t.outside, "write"));
    await writeFile(join(t.outside, "secret"), "canary-outside");
  });
  afterAll(() => t[Symbol.asyncDispose]());

  const folders = () => [
    { path: join(t.outside, "read"), access: "read" as const },
    { path: join(t.outside, "write"), access: "write" as const },
  ];
  const run = async (command: string, more = {}) =>
    textOf(await t.call("run_shell", { command, ...more }, { caller: { folders: folders() } }));

  it("works in the workspace, of which it sees what is there and keeps what it writes", async () => {
    expect(await run("echo hello > file; pwd")).toBe(`${t.workspace}\n`);
    expect(await run("cat file; node -p 1+1; git --version | cut -c1-3")).toBe("hello\n2\ngit\n");
    expect(textOf(await t.call("read_file", { path: "file" }))).toContain("hello");
  });

  it("cannot see the home, another's workspace, or what was not granted", async () => {
    const seen = await run(
      `cat ${t.home}/key ${t.outside}/secret; ls ${t.home}/workspaces ${t.outside}; cat ${t.home}/toolkeep.db | wc -c; cat /proc/1/environ`,
    );
    expect(seen).not.toContain("canary");
    expect(seen).not.toContain("another");
    expect(seen).toContain(`${t.outside}:\nread\nwrite\n`);
    expect(seen).toMatch(/^0$/m);
  });

  it("reads and writes granted folders as they were granted", async () => {
    const write = (folder: string) => `echo x > ${t.outside}/${folder}/f && echo wrote ${folder}`;
    expect(await run(`${write("write")}; ${write("read")} || echo refused`)).toMatch(
      /^wrote write\n.*Read-only file system\nrefused\n$/,
    );
    expect(await run("pwd; ls", { cwd: join(t.outside, "write") })).toBe(`${t.outside}/write\nf\n`);
  });

  it("may use no more than the settings say", async () => {
    const limits = { memoryMb: 300, processes: 40, cpuSecs: 50, fileMb: 1 };
    await using tight = await testNative({ shell: { sandbox: "auto", ...limits } });
    const said = textOf(await tight.call("run_shell", { command: "ulimit -d; ulimit -t; ulimit -f" }));
    expect(said).toBe(`${300 * 1024}\n50\n1024\n`);
    const long = await tight.call("run_shell", { command: "head -c 3000000 /dev/zero > long; wc -c < long" });
    expect(textOf(long)).toContain("1048576");
    expect(await run("ulimit -d; ulimit -t; ulimit -f")).toBe(`${8_192 * 1024}\n3600\n${2_048 * 1024}\n`);
  });

  it("has no network where the settings say so, and is stopped like any other command", async () => {
    expect(await run("ls /sys/class/net 2>/dev/null; grep -c : /proc/net/dev")).toContain("1\n");
    const late = await t.call("run_shell", { command: "echo begun; sleep 60", timeout_ms: 400 });
    expect(late).toMatchObject({ kind: "timed_out", message: expect.stringContaining("begun") });
  });
});

it("run_shell does not run where its sandbox is required and cannot be had, and does where it is not", async () => {
  const env = { PATH: "/nowhere" };
  await using strict = await testNative({ env, shell: { sandbox: "required" } });
  const refused = await strict.call("run_shell", { command: "echo ran" });
  expect(refused).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("install bubblewrap"),
  });
  await using easy = await testNative({ env, shell: { sandbox: "auto" } });
  expect(textOf(await easy.call("run_shell", { command: "echo ran" }))).toBe("ran\n");
});
