import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { living } from "../support/living.ts";
import { remoteServer } from "../support/remote-server.ts";
import { legacyHttp } from "../support/servers/legacy-http.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { fixture, said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { FAULTY, freshUpstream } from "./fresh-upstream.ts";

const it = freshUpstream({ backoffMs: [700, 200] });

describe("a local server that dies", () => {
  test("during a call: the call says so with exit code and stderr, without its secrets; then it is back", async () => {
    const env = { FIXTURE_TOKEN: "canary-in-stderr" };
    await it.add("mortal", { ...fixture("dies during a call"), env });
    const { up } = it;

    const result = await up.call("mcp_mortal_die");

    expect(result).toEqual({
      kind: "unavailable",
      message:
        "mcp server mortal is unavailable: the connection was lost during the call: " +
        "its process ended (exit code 7); stderr: fatal: [redacted]",
    });
    expect(up.upstream.server("mortal")).toMatchObject({ state: "unavailable" });
    expect(up.tool("mcp_mortal_die").status().kind).toBe("unavailable");
    expect(await up.call("mcp_mortal_die")).toMatchObject({ kind: "unavailable" });

    await waitUntil("it was started again", () => up.upstream.server("mortal").state === "ready");
    expect(up.tool("mcp_mortal_die").status().kind).toBe("active");
    expect(JSON.stringify([up.states, up.warnings, await up.store.dump()])).not.toContain("canary-in-stderr");
  });

  test.each([
    ["before its answer", "before the answer", "exit code 7"],
    ["in the middle of its answer", "in the middle of the answer", "exit code 7"],
    ["of SIGKILL", "SIGKILL", "SIGKILL"],
    ["of SIGSEGV", "SIGSEGV", "SIGSEGV"],
  ])("%s ends every call under way, and says how it died", async (_, moment, how) => {
    await it.add("mortal", FAULTY);
    const others = [it.up.call("mcp_mortal_hang"), it.up.call("mcp_mortal_hang")];

    const lost = { kind: "unavailable", message: expect.stringContaining(how) };
    expect(await it.up.call("mcp_mortal_die", { moment })).toMatchObject(lost);
    expect(await Promise.all(others)).toMatchObject([lost, lost]);
  });

  test("after its answer has answered, and only the next call sees that it is gone", async () => {
    await it.add("mortal", FAULTY);
    expect(said(await it.up.call("mcp_mortal_die", { moment: "after the answer" }))).toBe("the last words");
    await waitUntil("it is gone", () => it.up.upstream.server("mortal").state === "unavailable");
    expect(await it.up.call("mcp_mortal_echo")).toMatchObject({ kind: "unavailable" });
    await waitUntil("it is back", () => it.up.upstream.server("mortal").state === "ready");
    expect(said(await it.up.call("mcp_mortal_echo", { x: 1 }))).toBe('{"x":1}');
  });

  test("between two calls is back for the next", async () => {
    await it.add("mortal", FAULTY);
    const [pid] = JSON.parse(said(await it.up.call("mcp_mortal_cling"))) as number[];
    process.kill(pid!, "SIGKILL");
    await waitUntil("it was missed", () => it.up.upstream.server("mortal").state === "unavailable");
    expect(it.up.upstream.server("mortal").lastError).toContain("SIGKILL");
    await waitUntil("it is back", () => it.up.upstream.server("mortal").state === "ready");
    expect(said(await it.up.call("mcp_mortal_echo", { x: 1 }))).toBe('{"x":1}');
  });

  test("at once: the reason and what it wrote are shown", async () => {
    await it.add("stillborn", fixture("exits at once"));
    expect(it.up.upstream.server("stillborn")).toMatchObject({
      state: "unavailable",
      lastError: "its process ended (exit code 3); stderr: the configuration file is missing",
    });
  });

  test("slowly, deaf to SIGTERM and with a child that holds its output, is ended with its child", async () => {
    await it.add("clinging", FAULTY);
    const pids = JSON.parse(said(await it.up.call("mcp_clinging_cling"))) as number[];
    const hanging = it.up.call("mcp_clinging_hang");
    expect(await living(pids)).toEqual(pids);

    const took = stopwatch();
    await it.up.upstream.remove("clinging");

    expect(took()).toBeLessThan(6_000);
    expect(await hanging).toMatchObject({ kind: "unavailable" });
    expect(await living(pids)).toEqual([]);
  });
});

test("a command that does not exist is named", async () => {
  await it.add("absent", { command: "no-such-command-here" });
  expect(it.up.upstream.server("absent").lastError).toBe(
    'the command "no-such-command-here" was not found on the daemon\'s PATH: install it, or give its full path',
  );
});

test("a broken server is tried again by a call once its pause is over, and a fixed one then answers", async () => {
  await it.add("broken", fixture("exits at once"));
  await it.up.upstream.update("broken", { args: fixture("echoes").args! });
  await it.up.upstream.settled();
  expect(await it.up.call("mcp_broken_echo", { x: 1 })).toMatchObject({ kind: "output" });
  expect(it.up.upstream.server("broken").lastError).toBeNull();
});

describe("a remote server that dies", () => {
  test("before a call: the call is refused at once, and it is back when its process is", async () => {
    await using first = await remoteProcess();
    await it.add("remote", { url: first.url });
    await first.kill();

    const took = stopwatch();
    expect(await it.up.call("mcp_remote_echo")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    expect(took()).toBeLessThan(2_000);

    await using _second = await remoteProcess(first.port);
    await waitUntil("it is back", () => it.up.upstream.server("remote").state === "ready");
    expect(said(await it.up.call("mcp_remote_echo", { x: 1 }))).toBe('{"x":1}');
  });

  test("during a call ends the call", async () => {
    await using remote = await remoteProcess();
    await it.add("remote", { url: remote.url });
    const hanging = it.up.call("mcp_remote_hang");
    await waitUntil("the call is there", async () => (await remote.calls()) > 0);
    await remote.kill();
    expect(await hanging).toMatchObject({ kind: "unavailable", message: expect.stringContaining("lost") });
  });

  test("after a call has answered it", async () => {
    await using remote = await remoteProcess();
    await it.add("remote", { url: remote.url });
    expect(said(await it.up.call("mcp_remote_die", { x: 1 }))).toBe('{"x":1}');
    await remote.ended;
    expect(await it.up.call("mcp_remote_echo")).toMatchObject({ kind: "unavailable" });
  });

  test("and forgets its sessions when it is back gets a new one, and the call is answered", async () => {
    const server = legacyHttp([{ name: "echo" }]);
    await using remote = await remoteServer(server);
    await it.add("remote", { url: remote.url });
    server.forgetSessions();
    expect(said(await it.up.call("mcp_remote_echo", { x: 1 }))).toBe('{"x":1}');
  });
});

interface RemoteProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly ended: Promise<unknown>;
  /** How many calls it got. */
  calls(): Promise<number>;
  kill(): Promise<void>;
}

/** A server over HTTP in a process of its own. */
async function remoteProcess(port = 0): Promise<RemoteProcess> {
  const script = join(import.meta.dirname, "../support/servers/remote-process.mjs");
  const child = spawn(process.execPath, [script, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const listening = Number(line.toString());
  const url = `http://127.0.0.1:${listening}`;
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    url: `${url}/mcp`,
    port: listening,
    ended,
    calls: async () => Number(await (await fetch(`${url}/calls`)).text()),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
