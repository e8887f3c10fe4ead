import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMasked } from "../../../src/machine/process/confined-command.ts";
import { createProcesses, type Processes } from "../../../src/machine/process/processes.ts";
import { type CommandResult, runCommand } from "../../../src/machine/process/run-command.ts";
import type { Confinement, ProgramStart, Sandbox } from "../../../src/machine/process/sandbox.ts";
import { NO_LIMITS, type SandboxLimits } from "../../../src/machine/process/sandbox-limits.ts";
import { built, startChild } from "../../support/child.ts";
import { inDeep } from "../../support/length.ts";
import { pidsWith } from "../../support/pids-with.ts";
import { hasSandbox, testSandbox } from "../../support/sandbox.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** For programs that end by themselves: no test is about this limit. */
const PATIENCE_MS = 45_000;
const NEVER = new AbortController().signal;

let base: string;
let home: string;
let person: string;
let env: Record<string, string>;
let processes: Processes;
let sandbox: Sandbox;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "toolkeep-sandbox-")));
  home = join(base, "home");
  person = join(base, "person");
  await mkdir(join(home, "workspaces", "a"), { recursive: true });
  await mkdir(join(base, "shown"));
  await mkdir(person);
  await writeFile(join(home, "key"), "canary-key");
  await writeFile(join(person, "diary"), "canary-diary");
  await writeFile(join(base, "shown", "file"), "shown\n");
  env = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: person };
  processes = createProcesses();
  sandbox = testSandbox(home);
});

afterAll(async () => {
  await processes.close();
  await rm(base, { recursive: true, force: true });
});

function view(change: Partial<Confinement> = {}): Confinement {
  return {
    of: "own",
    network: true,
    shown: [],
    kept: [],
    privateHome: null,
    limits: NO_LIMITS,
    ...change,
  };
}

async function started(script: string, change: Partial<Confinement> = {}) {
  const confined = await sandbox.confine(
    { file: "/bin/sh", args: ["-c", script], cwd: "/", env },
    view(change),
  );
  if (!confined.ok) throw new Error(confined.error);
  return confined.value;
}

async function run(script: string, change: Partial<Confinement> = {}): Promise<CommandResult> {
  const confined = await started(`exec 2>&1\n${script}`, change);
  return runCommand(processes, { ...confined, env, maxOutputBytes: 20_000, timeoutMs: PATIENCE_MS }, NEVER);
}

const limits = (change: Partial<SandboxLimits>) => ({ limits: { ...NO_LIMITS, ...change } });

describe.skipIf(!(await hasSandbox()))("a confined program", () => {
  test("sees of the home only what is kept, whatever is shown around it", async () => {
    const look = `cat ${home}/key ${base}/link; ls -A ${home} ${home}/workspaces; echo > ${home}/workspaces/a/new`;
    await symlink(join(home, "key"), join(base, "link"));
    const kept = [join(home, "workspaces", "a")];
    const views: Partial<Confinement>[] = [
      { kept, shown: [{ path: base, access: "write" }] },
      { kept, shown: [{ path: "/", access: "write" }] },
      { kept, of: "machine" },
      {
        kept,
        shown: [
          { path: home, access: "read" },
          { path: join(home, "key"), access: "read" },
        ],
      },
      { kept, shown: [{ path: join(base, "link"), access: "read" }] },
    ];
    for (const each of views) {
      const { output } = await run(look, each);
      expect(output).not.toContain("canary");
      expect(output).toMatch(/home:\nworkspaces\n\n.*workspaces:\na\n$/);
    }
    expect(await readFile(join(home, "workspaces", "a", "new"), "utf8")).toBe("\n");
  });

  test("has an empty home of its own, or the one it is given, instead of the person's", async () => {
    expect((await run("cat ~/diary; echo x > ~/mine && cat ~/mine")).output).toMatch(/No such file.*\nx\n$/);
    const own = join(base, "own");
    await mkdir(own);
    await run("echo kept > ~/mine", { privateHome: own });
    expect((await run("cat ~/mine", { privateHome: own })).output).toBe("kept\n");
    expect((await run("cat ~/diary", { shown: [{ path: person, access: "read" }] })).output).toBe(
      "canary-diary",
    );
  });

  test("writes where it may and nowhere else", async () => {
    const shown = [
      { path: base, access: "read" },
      { path: join(base, "shown"), access: "write" },
    ] as const;
    const script = `for place in ${base} ${base}/shown /usr /etc / /proc/sys/kernel/core_pattern /tmp; do
      ( [ -d $place ] && echo x > $place/toolkeep-probe || cat $place > $place ) 2>/dev/null && echo "wrote $place"; done`;
    expect((await run(script, { shown })).output).toBe(`wrote ${base}/shown\nwrote /tmp\n`);
    expect((await run("ls -A /tmp")).output).not.toContain("probe");
  });

  test("sees its own processes only, and no capability is left to it", async () => {
    const { output } = await run("ls -d /proc/[0-9]* | wc -l; grep CapEff /proc/self/status; ls /root /home");
    expect(output).toMatch(/^[1-6]\n/);
    expect(output).toMatch(/CapEff:\s+0{16}\n/);
  });

  test("reaches no network where it has none, not even this machine's", async () => {
    const server = createServer((socket) => socket.end("hello\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const script = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3'`;
    expect((await run(script)).output).toBe("hello\n");
    expect((await run(script, { network: false })).output).toContain("refused");
    server.close();
  });

  inDeep("stays within its memory, its files and its time", async () => {
    const eat = `node -e "const all = []; for (let i = 0; i < 40; i++) all.push(Buffer.alloc(1e7, 1)); console.log('all eaten')"`;
    const [free, bound, file, time] = await Promise.all([
      run(eat),
      run(eat, limits({ memoryMb: 250 })),
      run("head -c 3000000 /dev/zero > /tmp/big; wc -c < /tmp/big", limits({ fileMb: 1 })),
      run("while :; do :; done", limits({ cpuSecs: 1 })),
    ]);
    expect(free.output).toBe("all eaten\n");
    expect(bound.output).toContain("allocation failed");
    expect(bound.code).not.toBe(0);
    expect(file.output).toMatch(/^1048576\n$/m);
    expect(time).toMatchObject({ reason: "ended", code: 128 + 9 });
  });

  test("has no more processes than it may", async () => {
    const many = "(i=0; while [ $i -lt 40 ]; do sleep 77 & i=$((i+1)); done; echo all)";
    const count = "set -- /proc/[0-9]*; echo $# processes";
    const [free, bound] = [
      await run(`${many}; ${count}`),
      await run(`${many}; ${count}`, limits({ processes: 16 })),
    ];
    expect(free.output).toMatch(/^all\n4\d processes\n$/);
    expect(bound.output).toMatch(/fork/i);
    const [, counted] = /(\d+) processes/.exec(bound.output)!;
    // The first of a sandbox, which only waits for the others, is not counted.
    expect(Number(counted)).toBeGreaterThan(8);
    expect(Number(counted)).toBeLessThanOrEqual(16 + 1);
  });

  test("leaves nothing behind that left its session and its environment", async () => {
    const { output } = await run("env -i setsid sleep 77.02 & sleep 0.2; ls -d /proc/[0-9]* | wc -l; exit 3");
    expect(Number(output)).toBeGreaterThan(2);
    await waitUntil("it is gone", async () => (await pidsWith("77.02")).length === 0);
  });

  test("is asked to end before it is ended", async () => {
    const confined = await started("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done");
    const { file, args, ...options } = confined;
    const tree = processes.spawn(file, args, { ...options, env, stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    tree.child.stdout!.on("data", (chunk) => {
      said += chunk;
    });
    await waitUntil("it is up", async () => said.includes("up"));
    await tree.end(5_000);
    await waitUntil("it said goodbye", async () => said === "up\nbye\n");
    expect(await tree.ended).toEqual({ code: 0, signal: null });
  });

  test("ends with the process that started it, killed as it may be", async () => {
    await using child = startChild(`
      const { createProcesses } = await import(${built("machine/process/processes.js")});
      const { createSandbox } = await import(${built("machine/process/sandbox.js")});
      const sandbox = createSandbox({ home: ${JSON.stringify(home)}, env: process.env, clock: Date.now, newId: String });
      const limits = ${JSON.stringify(NO_LIMITS)};
      const view = { of: "own", network: true, shown: [], kept: [], privateHome: null, limits };
      const start = { file: "/bin/sh", args: ["-c", "env -i setsid sleep 77.03 & sleep 77.03"], cwd: "/", env: process.env };
      const { file, args, ...options } = (await sandbox.confine(start, view)).value;
      createProcesses().spawn(file, args, { ...options, env: process.env, stdio: "ignore" });
      setInterval(() => {}, 1000);`);
    // Both sleeps, and the shell and the keeper whose command lines name them.
    await waitUntil("all are there", async () => (await pidsWith("77.03")).length >= 5);
    await child.kill9();
    await waitUntil("all are gone", async () => (await pidsWith("77.03")).length === 0);
  });

  test("starts within milliseconds", async () => {
    const plain: ProgramStart = { file: "/bin/sh", args: ["-c", ":"], cwd: "/", env };
    const confined = await started(":");
    const timed = async (command: ProgramStart) => {
      const times: number[] = [];
      for (let i = 0; i < 5; i++) {
        const { file, args, ...options } = command;
        const before = performance.now();
        await processes.spawn(file, args, { ...options, stdio: "ignore" }).ended;
        times.push(performance.now() - before);
      }
      return times.sort((a, b) => a - b)[2]!;
    };
    const [without, within] = [await timed(plain), await timed({ ...plain, ...confined })];
    const view = performance.now();
    await started(":");
    const planned = performance.now() - view;
    console.log(
      `a start: ${without.toFixed(1)} ms plain, ${within.toFixed(1)} ms confined, and ${planned.toFixed(1)} ms to decide what is seen`,
    );
    // An idle machine needs a few; this only notices what costs a person's patience.
    expect(within - without).toBeLessThan(2_000);
  });
});

test("without bubblewrap the answer says what to install, and asks again later", async () => {
  let now = 0;
  const { createSandbox } = await import("../../../src/machine/process/sandbox.ts");
  const path = { PATH: "/nowhere" };
  const absent = createSandbox({ home, env: path, clock: () => now, newId: String });
  expect(absent.known()).toBeUndefined();
  expect(await absent.check()).toMatchObject({
    ok: false,
    error: expect.stringContaining("install bubblewrap"),
  });
  expect(isMasked("auto", absent)).toBe(false);
  expect(isMasked("off", absent)).toBe(false);
  expect(isMasked("required", absent)).toBe(true);
  if (!(await hasSandbox())) return;
  path.PATH = process.env.PATH!;
  expect((await absent.check()).ok).toBe(false);
  now = 10_000;
  expect((await absent.check()).ok).toBe(true);
  expect(isMasked("auto", absent)).toBe(true);
});

test("a bubblewrap that may not do its work counts as none", async () => {
  const broken = join(base, "broken");
  await mkdir(broken);
  await writeFile(
    join(broken, "bwrap"),
    "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n",
    {
      mode: 0o755,
    },
  );
  const works = await testSandbox(home, { PATH: `${broken}:/usr/bin:/bin` }).check();
  if (process.platform === "linux")
    expect(works).toMatchObject({ ok: false, error: expect.stringContaining("No permissions to create") });
});
