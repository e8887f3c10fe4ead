import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inDeep } from "../../support/length.ts";
import { hasSandbox, testSandbox } from "../../support/sandbox.ts";
import { tempHome } from "../../support/temp-home.ts";
import { fixture, said, type TestUpstream, testUpstream } from "../../support/upstream.ts";

const SERVERS = join(import.meta.dirname, "../../support/servers");
/** Tells what it sees: its home, the home of Toolkeep, its folder, and what is in the way of writing. */
const LOOKING = `
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { serve, text, tool } from ${JSON.stringify(join(SERVERS, "rpc.mjs"))};
const attempt = (what) => { try { return what(); } catch (error) { return error.code; } };
serve([tool("look")], {
  "tools/call": () => text(JSON.stringify({
    key: attempt(() => readFileSync(process.env.LOOK_AT + "/key", "utf8")),
    home: attempt(() => readdirSync(process.env.HOME)),
    wrote: attempt(() => writeFileSync(process.env.HOME + "/mine", "x")) ?? "yes",
    given: attempt(() => writeFileSync(process.env.GIVEN + "/new", "x")) ?? "yes",
    cwd: process.cwd(),
    beside: attempt(() => writeFileSync("new", "x")) ?? "yes",
  })),
});`;

let place: Awaited<ReturnType<typeof tempHome>>;
let t: TestUpstream;

beforeAll(async () => {
  place = await tempHome();
  const person = join(place.path, "person");
  await mkdir(person);
  await writeFile(join(person, "diary"), "canary-diary");
  t = await testUpstream({ baseEnv: { PATH: process.env.PATH, HOME: person } });
});
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

describe.skipIf(!(await hasSandbox()))("a server in a sandbox", () => {
  test("sees what its settings show, and keeps a home of its own until it is removed", async () => {
    const { home } = t.settings;
    const [folder, given] = [join(place.path, "folder"), join(place.path, "given")];
    await Promise.all([folder, given].map((path) => mkdir(path)));
    await writeFile(join(home, "key"), "canary-key");
    await writeFile(join(folder, "server.mjs"), LOOKING);
    const added = await t.upstream.add("looking", {
      command: "node",
      args: ["server.mjs"],
      cwd: folder,
      env: { LOOK_AT: home, GIVEN: given },
      sandbox: { read: [SERVERS], write: [given], network: false, processes: 40, memoryMb: 2_000 },
    });
    await t.upstream.settled();
    const look = async () => JSON.parse(said(await t.call("mcp_looking_look")));
    expect(await look()).toEqual({
      key: "ENOENT",
      home: [],
      wrote: "yes",
      given: "yes",
      cwd: folder,
      beside: "EROFS",
    });
    await t.upstream.test("looking");
    expect((await look()).home).toEqual(["mine"]);
    expect(t.upstream.server("looking").sandbox).toMatchObject({
      mode: "required",
      network: false,
      problem: null,
    });

    expect(await readdir(join(home, "sandbox", added.id))).toEqual(["mine"]);
    await t.upstream.remove("looking");
    expect(await readdir(join(home, "sandbox"))).toEqual([]);
  });

  inDeep("is started by npx, which keeps what it fetched in that home", async () => {
    const folder = join(place.path, "package");
    await mkdir(folder);
    const manifest = { name: "sample-server", version: "1.0.0", bin: "./server.mjs", type: "module" };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    const server = `#!/usr/bin/env node\nprocess.argv[2] = "echoes";\nawait import(${JSON.stringify(join(SERVERS, "fixture.mjs"))});`;
    await writeFile(join(folder, "server.mjs"), server, { mode: 0o755 });
    const packed = join(place.path, "sample.tgz");
    await promisify(execFile)("tar", ["-czf", packed, "package"], { cwd: place.path });
    await t.upstream.add("npx", {
      command: "npx",
      args: ["-y", `file:${packed}`],
      env: { npm_config_offline: "true", npm_config_update_notifier: "false" },
      sandbox: { read: [SERVERS, packed] },
    });
    await t.upstream.settled();
    const { id, lastError } = t.upstream.server("npx");
    expect(lastError).toBeNull();
    expect(said(await t.call("mcp_npx_echo", { text: "hi" }))).toContain("hi");
    expect(await readdir(join(t.settings.home, "sandbox", id, ".npm"))).toContain("_npx");
  });

  test("does not start where something that it shows, its folder or its program is missing", async () => {
    const wrong = async (change: object) => {
      const report = await t.upstream.testConfig({ ...fixture("echoes"), sandbox: true, ...change });
      return report.ok ? "it works" : report.error;
    };
    expect(await wrong({ sandbox: { read: ["/nowhere/at/all"] } })).toContain(
      "/nowhere/at/all, which does not exist",
    );
    expect(await wrong({ cwd: "/nowhere" })).toContain("its folder /nowhere does not exist");
    expect(await wrong({ command: "no-such-program" })).toContain("was not found on the daemon's PATH");
    expect(await wrong({})).toContain("Cannot find module");
    expect(await wrong({ sandbox: { read: [dirname(SERVERS)] } })).toBe("it works");
  });
});

describe("a server whose sandbox cannot be had", () => {
  const without = () => testUpstream({ sandbox: testSandbox(place.path, { PATH: "/nowhere" }) });

  test("does not start where it is required, and says what to install", async () => {
    await using absent = await without();
    await absent.upstream.add("strict", { ...fixture("echoes"), sandbox: true });
    await absent.upstream.settled();
    const { state, lastError, sandbox } = absent.upstream.server("strict");
    expect(state).toBe("unavailable");
    expect(lastError).toContain("its sandbox is required but unavailable: bubblewrap is not installed");
    expect(sandbox?.problem).toContain("apt-get install bubblewrap");
    expect(absent.upstream.tools()).toEqual([]);
  });

  inDeep("starts without it where that is allowed, and people are told", async () => {
    await using absent = await without();
    await absent.upstream.add("easy", { ...fixture("echoes"), sandbox: "auto" });
    await absent.upstream.settled();
    expect(await absent.upstream.test("easy")).toMatchObject({
      ok: true,
      warning: expect.stringContaining("it runs without a sandbox: bubblewrap is not installed"),
    });
    expect(absent.upstream.server("easy").sandbox?.problem).toContain("not installed");
    const texts = absent.upstream.logs("easy").entries.map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining("not confined: bubblewrap is not installed"));
    // Off is off: nothing is looked for, and nothing is said.
    await absent.upstream.update("easy", { sandbox: "off" });
    expect(await absent.upstream.test("easy")).not.toHaveProperty("warning");
  });
});

test("a change of the sandbox keeps what it does not name, and an agent's change waits for a person", async () => {
  await using other = await testUpstream();
  await other.upstream.add("s", {
    ...fixture("echoes"),
    sandbox: { mode: "auto", read: ["/usr"], processes: 9 },
  });
  const { sandbox } = await other.upstream.update("s", { sandbox: { network: false } });
  expect(sandbox).toMatchObject({ mode: "auto", read: ["/usr"], processes: 9, network: false });
  const loosened = await other.upstream.update("s", { sandbox: null }, { by: "agent" });
  expect(loosened).toMatchObject({ state: "pending_approval", sandbox: null });
  await expect(other.upstream.update("s", { sandbox: { read: ["not/absolute"] } })).rejects.toThrow(
    "server.sandbox.read.0: expected an absolute path",
  );
});
