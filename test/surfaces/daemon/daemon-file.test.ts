import { readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDaemon, removeDaemonFile, writeDaemonFile } from "../../../src/surfaces/daemon/daemon-file.ts";
import { tempHome } from "../../support/temp-home.ts";

describe("the daemon file", () => {
  it("is for its owner only and leaves no draft behind", async () => {
    await using home = await tempHome();
    await writeDaemonFile(home.path, { pid: 1, url: "http://127.0.0.1:1", token: "t", startedAt: 0 });
    expect((await stat(join(home.path, "daemon.json"))).mode & 0o777).toBe(0o600);
    expect(await readdir(home.path)).toEqual(["daemon.json"]);
    await removeDaemonFile(home.path);
    expect(await readdir(home.path)).toEqual([]);
  });

  it("leads to a daemon that answers", async () => {
    await using home = await tempHome();
    await using health = await healthServer({ status: "ok" });
    await writeDaemonFile(home.path, { pid: process.pid, url: health.url, token: "t", startedAt: 0 });
    expect(await findDaemon(home.path)).toMatchObject({ url: health.url, token: "t" });
  });

  it("of a process that is gone, of something else or half written leads nowhere", async () => {
    await using home = await tempHome();
    expect(await findDaemon(home.path)).toBeUndefined();

    await using other = await healthServer({ hello: "I am no daemon" });
    await writeDaemonFile(home.path, { pid: process.pid, url: other.url, token: "t", startedAt: 0 });
    expect(await findDaemon(home.path)).toBeUndefined();

    await using health = await healthServer({ status: "ok" });
    await writeDaemonFile(home.path, { pid: 2 ** 22 + 1, url: health.url, token: "t", startedAt: 0 });
    expect(await findDaemon(home.path)).toBeUndefined();

    await writeFile(join(home.path, "daemon.json"), '{"pid": 1');
    expect(await findDaemon(home.path)).toBeUndefined();
  });
});

async function healthServer(answer: object): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_request, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
