import { describe, expect, test } from "vitest";
import { ServerLog } from "../../../src/servers/lifecycle/server-log.ts";

const SECRET = "canary-0123456789";

function log() {
  let now = 1_000;
  return new ServerLog(
    () => now++,
    (text) => text.replaceAll(SECRET, "[redacted]"),
  );
}

const texts = (from: ServerLog, since?: number) =>
  from.read(since === undefined ? {} : { since }).entries.map(({ kind, text }) => `${kind} ${text}`);

describe("ServerLog", () => {
  test("puts lines together from pieces, and ends the last one with its process", () => {
    const server = log();
    server.addStderr("war");
    server.addStderr("ning: a\nwarning: b\r\n\nfatal");
    expect(texts(server)).toEqual(["stderr warning: a", "stderr warning: b"]);
    server.endStderr();
    expect(texts(server)).toEqual(["stderr warning: a", "stderr warning: b", "stderr fatal"]);
  });

  test("keeps what happened in order, with times", () => {
    const server = log();
    server.addState("connecting");
    server.addMessage("warning", "low on cheese");
    server.addState("unavailable", "it ended");
    expect(server.read().entries).toEqual([
      { seq: 1, at: 1_000, kind: "state", text: "connecting" },
      { seq: 2, at: 1_001, kind: "message", level: "warning", text: "low on cheese" },
      { seq: 3, at: 1_002, kind: "state", text: "unavailable: it ended" },
    ]);
  });

  test("counts junk in a row as one entry and all of it", () => {
    const server = log();
    server.addJunk("Welcome!");
    server.addJunk("to my server");
    server.addStderr("x\n");
    server.addJunk("again");
    const page = server.read();
    expect(page.entries).toMatchObject([
      { kind: "junk", count: 2, text: "to my server" },
      { kind: "stderr" },
      { kind: "junk", count: 1, text: "again" },
    ]);
    expect(page.junkLines).toBe(3);
  });

  test("gives what came after a cursor, and everything to a cursor from before a restart", () => {
    const server = log();
    server.addStderr("one\ntwo\n");
    const { cursor } = server.read();
    server.addStderr("three\n");
    expect(texts(server, cursor)).toEqual(["stderr three"]);
    expect(server.read({ since: cursor }).cursor).toBe(cursor + 1);
    expect(texts(server, 500)).toHaveLength(3);
    expect(server.read({ limit: 1 }).entries).toMatchObject([{ text: "three" }]);
  });

  test("hides a secret also where a long line is cut through it", () => {
    for (let at = 4_096 - SECRET.length; at <= 4_096; at++) {
      const server = log();
      server.addStderr(`token ${SECRET}\n${"x".repeat(at)}${SECRET}${"y".repeat(200_000)}\n`);
      const [short, long] = texts(server);
      expect(short).toBe("stderr token [redacted]");
      expect(long!.length).toBeGreaterThan(4_000);
      expect(/can|ary/.test(long!)).toBe(false);
    }
  });

  test("keeps the end of a flood that comes in one piece, and says that it is one", () => {
    const server = log();
    expect(server.addStderr("begin\n")).toBe(true);
    const flood = Array.from({ length: 30_000 }, (_, n) => `f${n}\n`).join("");
    expect(server.addStderr(flood)).toBe(false);
    expect(server.read().entries.at(-1)?.text).toBe("f29999");
    expect(server.read().entries.length).toBeLessThanOrEqual(1_001);
  });

  test("stays small however much is written, keeping the end", () => {
    const server = log();
    for (let index = 0; index < 5_000; index++) server.addStderr(`line ${index}\n`);
    expect(server.read().entries).toHaveLength(2_000);
    expect(server.read().entries.at(-1)?.text).toBe("line 4999");
    const endless = "x".repeat(1024 * 1024);
    for (let index = 0; index < 50; index++) server.addStderr(endless);
    server.addStderr("\n");
    for (let index = 0; index < 50; index++) server.addJunk(endless);
    const size = JSON.stringify(server.read().entries).length;
    expect(size).toBeLessThan(1024 * 1024);
    expect(server.read().entries.at(-1)?.text.length).toBeLessThan(5_000);
  });
});
