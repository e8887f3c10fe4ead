import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { serve, toolkeep } from "../support/toolkeep.ts";
import { waitUntil } from "../support/wait-until.ts";

const run = promisify(execFile);
const SIZE = 3_000_000;

describe("a full disk", { timeout: 120_000 }, () => {
  it("stops writes and what must be recorded, nothing else, and passes with its cause", async (context) => {
    await using disk = await smallDisk();
    if (disk.problem) context.skip(`a small disk cannot be mounted here: ${disk.problem}`);
    const options = { home: join(disk.path, "home"), cwd: disk.path };
    await using daemon = await serve(options);
    await using connected = await connectClient(daemon.url, daemon.ready.firstStart.token);
    const call = async (name: string, args: Record<string, unknown>) =>
      (await connected.client.callTool({ name, arguments: args }))._meta?.["toolkeep/outcome"];
    expect(await call("write_file", { path: "before", content: "x" })).toBe("ok");

    const filler = join(disk.path, "filler");
    await expect(writeFile(filler, Buffer.alloc(SIZE))).rejects.toMatchObject({ code: "ENOSPC" });
    const refused = await toolkeepHereJson(options, "agent", "create", "late");
    expect(refused.error).toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("full"),
    });
    const ready = async () => (await fetch(`${daemon.url}/health?ready`)).status;
    await waitUntil("it says that it is not ready", async () => (await ready()) === 503);
    expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
    expect(await call("think", { thought: "no disk needed" })).toBe("ok");
    expect(await call("write_file", { path: "during", content: "x" })).toBe("failed");
    expect(existsSync(join(options.home, "workspaces/main/during"))).toBe(false);
    expect(await call("run_shell", { command: "true" })).toBe("unavailable");
    const second = await toolkeep({ ...options, home: join(disk.path, "other") }, "agent", "list");
    expect(second).toMatchObject({ code: 5, stderr: expect.stringContaining("disk has room") });

    await rm(filler);
    await waitUntil("it is ready again", async () => (await ready()) === 200);
    expect((await toolkeepHere(options, "agent", "create", "late")).code).toBe(0);
    expect(await call("write_file", { path: "after", content: "x" })).toBe("ok");
    expect(await daemon.end("SIGTERM")).toBe(0);
  });
});

/** A file system of three megabytes of its own, where this user may mount one. */
async function smallDisk(): Promise<{ path: string; problem?: string } & AsyncDisposable> {
  const folder = await tempHome();
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder.path]);
  } catch (error) {
    return { ...folder, problem: String((error as Error).message).split("\n")[0]! };
  }
  return {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      await run("umount", ["-l", folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}
