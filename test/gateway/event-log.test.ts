import { describe, expect, it } from "vitest";
import { EventLog } from "../../src/gateway/event-log.ts";

describe("a log of events", () => {
  it("gives what came after an event of the same stream, and of no other", () => {
    const log = new EventLog();
    const [one, two] = [log.newStream(), log.newStream()];
    const first = one.keep("a");
    two.keep("x");
    one.keep("b");
    one.keep("c");
    expect(log.after(first)?.missed.map(([, text]) => text)).toEqual(["b", "c"]);
    expect(log.after(first)?.stream).toBe(one.stream);
  });

  it("does not count an event without data among what was missed", () => {
    const log = new EventLog();
    const stream = log.newStream();
    const first = stream.keep("");
    stream.keep("");
    stream.keep("a");
    expect(log.after(first)?.missed.map(([, text]) => text)).toEqual(["a"]);
  });

  it.each(["", "1", "a-b", "9-0", "0-1e9", "-1-0", "aaaaaaaa-0-0"])("knows no event named %j", (id) => {
    const log = new EventLog();
    log.newStream().keep("a");
    expect(log.after(id)).toBeUndefined();
  });

  it("keeps the last few hundred events, and few megabytes", () => {
    const log = new EventLog();
    const stream = log.newStream();
    const first = stream.keep("first");
    for (let count = 0; count < 500; count++) stream.keep(String(count));
    expect(log.after(first)?.missed).toHaveLength(200);
    for (let count = 0; count < 5; count++) stream.keep("x".repeat(1024 * 1024));
    expect(log.after(first)?.missed.length).toBeLessThanOrEqual(2);
  });
});
