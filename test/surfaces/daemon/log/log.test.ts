import { describe, expect, it } from "vitest";
import { createLog } from "../../../../src/surfaces/daemon/log/log.ts";

describe("the log", () => {
  it("shows no credentials, at any of the depths they come in", () => {
    const { log, lines } = captured(false);
    log.logger.info(
      { authorization: "Bearer x1", req: { headers: { authorization: "Bearer x2", cookie: "x3" } } },
      "in",
    );
    expect(lines.join("")).not.toMatch(/x[123]/);
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: "in", authorization: "[redacted]" });
  });

  it("hides secrets once the vault knows them", () => {
    const { log, lines } = captured(false);
    log.redactWith((line) => line.replaceAll("hunter2", "[redacted]"));
    log.logger.error({ cause: "wrong password hunter2" }, "no");
    expect(lines[0]).toContain("wrong password [redacted]");
  });

  it("for people is one line without control characters", () => {
    const { log, lines } = captured(true);
    log.logger.warn({ server: "fs", err: new Error("it\nbroke \u001b[31mred") }, "a server \u001b[2Jfailed");
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn a server \[2Jfailed server=fs err=it broke \[31mred\n$/);
  });

  it("keeps its newest lines, without what has become a secret since", () => {
    const { log } = captured(true);
    log.logger.info({ server: "fs" }, "first");
    log.logger.error({ cause: "wrong password hunter2" }, "second");
    log.redactWith((line) => line.replaceAll("hunter2", "[redacted]"));
    const recent = log.recent().map((line) => JSON.parse(line));
    expect(recent).toMatchObject([{ msg: "first", server: "fs" }, { cause: "wrong password [redacted]" }]);
  });

  it("takes another level while it runs", () => {
    const { log, lines } = captured(false);
    log.setLevel("error");
    log.logger.info({}, "quiet");
    expect(lines).toEqual([]);
  });
});

function captured(human: boolean) {
  const lines: string[] = [];
  return { lines, log: createLog({ level: "info", human, write: (text) => void lines.push(text) }) };
}
