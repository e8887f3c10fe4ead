import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../../src/surfaces/daemon/log/log.ts";
import { openLogFile } from "../../../../src/surfaces/daemon/log/log-file.ts";
import { followLog, readLastLogLines } from "../../../../src/surfaces/daemon/log/read-log.ts";
import { tempHome } from "../../../support/temp-home.ts";

describe("the log of a daemon", () => {
  it("keeps a bounded number of files of bounded size, for the owner only, newest last", async () => {
    await using home = await tempHome();
    const file = openLogFile(home.path, { maxBytes: 1_000, files: 3 });
    for (let line = 0; line < 500; line++) file.write(`${JSON.stringify({ msg: `line ${line}` })}\n`);
    file.close();
    const names = (await readdir(home.path)).filter((name) => name.startsWith("daemon.log")).sort();
    expect(names).toEqual(["daemon.log", "daemon.log.1", "daemon.log.2"]);
    for (const name of names) {
      const { size, mode } = await stat(join(home.path, name));
      expect(size).toBeLessThanOrEqual(1_000);
      expect(mode & 0o777).toBe(0o600);
    }
    const last = await readLastLogLines(home.path, 60);
    expect(last).toEqual(Array.from({ length: 60 }, (_, index) => `{"msg":"line ${440 + index}"}`));
  });

  it("holds no known secret and nothing that looks like a credential", async () => {
    await using home = await tempHome();
    const file = openLogFile(home.path);
    const log = createLog({ level: "info", human: false, write: () => {}, file });
    log.redactWith((line) => line.replaceAll("canary-known", "[redacted]"));
    log.logger.info({ token: "canary-field" }, "with canary-known");
    log.logger.info({}, "with sk-ant-api03-canarycanarycanarycanarycanarycanary");
    file.close();
    const text = await readFile(join(home.path, "daemon.log"), "utf8");
    expect(text.trim().split("\n")).toHaveLength(2);
    expect(text).not.toContain("canary");
  });

  it("makes no home, and stops nothing where it cannot be written", async () => {
    await using home = await tempHome();
    const gone = join(home.path, "gone");
    const file = openLogFile(gone, { maxBytes: 100 });
    file.write("a\n");
    await expect(stat(gone)).rejects.toThrow();
    await mkdir(gone);
    file.write("b\n");
    expect(await readLastLogLines(gone, 10)).toEqual(["b"]);
    await rm(gone, { recursive: true });
    for (let line = 0; line < 50; line++) file.write("a long line of a log\n");
    await expect(stat(gone)).rejects.toThrow();
    file.close();
  });

  it("is followed across files", async () => {
    await using home = await tempHome();
    const file = openLogFile(home.path, { maxBytes: 200 });
    file.write("before\n");
    const stop = new AbortController();
    const lines = followLog(home.path, stop.signal);
    const seen: string[] = [];
    const next = async () => seen.push((await lines.next()).value as string);
    const first = next();
    file.write("one\n");
    // What was there when it began may be missed or seen; what comes after is seen.
    const again = setInterval(() => file.write("tick\n"), 20);
    await first;
    clearInterval(again);
    file.write(`${"x".repeat(190)}\n`);
    while (!seen.some((line) => line.startsWith("xxx"))) await next();
    expect(seen).not.toContain("before");
    stop.abort();
    expect((await lines.next()).done).toBe(true);
    file.close();
  });
});
