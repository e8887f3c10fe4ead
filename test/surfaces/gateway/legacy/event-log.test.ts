import { describe, expect, it } from "vitest";
import { EventBudget, EventLog, readRequestId } from "../../../../src/surfaces/gateway/legacy/event-log.ts";

describe("a log of events", () => {
  it.each([7, -1.5, "", "a text, ünïcode", "x".repeat(140)])(
    "tells by an event's id which request its stream answers: %j",
    (id) => {
      const event = new EventLog(new EventBudget()).newStream(id).keep("a");
      expect(readRequestId(event)).toBe(id);
    },
  );

  it.each([
    "",
    "7-3",
    "abcdefgh-0-0",
    "abcdefgh-1-0-nYQ",
    "abcdefgh-1-0-x",
    `abcdefgh-1-0-s${"a".repeat(200)}`,
  ])("finds no request in %j", (id) => {
    expect(readRequestId(id)).toBeUndefined();
  });

  it("leaves out the id of a request that is too long", () => {
    const event = new EventLog(new EventBudget()).newStream("x".repeat(200)).keep("a");
    expect(readRequestId(event)).toBeUndefined();
    expect(event.length).toBeLessThan(40);
  });

  it("gives what came after an event of the same stream, and of no other", () => {
    const log = new EventLog(new EventBudget());
    const [one, two] = [log.newStream(), log.newStream()];
    const first = one.keep("a");
    two.keep("x");
    one.keep("b");
    one.keep("c");
    expect(log.resumeAfter(first)?.missed.map(([, text]) => text)).toEqual(["b", "c"]);
    expect(log.resumeAfter(first)?.stream).toBe(one.stream);
  });

  it("does not count an event without data among what was missed", () => {
    const log = new EventLog(new EventBudget());
    const stream = log.newStream();
    const first = stream.keep("");
    stream.keep("");
    stream.keep("a");
    expect(log.resumeAfter(first)?.missed.map(([, text]) => text)).toEqual(["a"]);
  });

  it.each(["", "1", "a-b", "9-0", "0-1e9", "-1-0", "aaaaaaaa-0-0"])("knows no event named %j", (id) => {
    const log = new EventLog(new EventBudget());
    log.newStream().keep("a");
    expect(log.resumeAfter(id)).toBeUndefined();
  });

  it("keeps the last few hundred events, and few megabytes", () => {
    const log = new EventLog(new EventBudget());
    const stream = log.newStream();
    const first = stream.keep("first");
    for (let count = 0; count < 500; count++) stream.keep(String(count));
    expect(log.resumeAfter(first)?.missed).toHaveLength(200);
    for (let count = 0; count < 5; count++) stream.keep("x".repeat(1024 * 1024));
    expect(log.resumeAfter(first)?.missed.length).toBeLessThanOrEqual(2);
  });

  it("forgets where all logs keep too much together, the one that was quiet longest first", () => {
    const budget = new EventBudget(1_000);
    const [quiet, busy] = [new EventLog(budget), new EventLog(budget)];
    const [ofQuiet, ofBusy] = [quiet.newStream(), busy.newStream()];
    const first = ofQuiet.keep("first");
    ofQuiet.keep("x".repeat(400));
    const begun = ofBusy.keep("begun");
    ofBusy.keep("y".repeat(500));
    expect(quiet.resumeAfter(first)?.missed).toHaveLength(1);
    ofBusy.keep("z".repeat(300));
    expect(quiet.resumeAfter(first)?.missed).toEqual([]);
    expect(busy.resumeAfter(begun)?.missed).toHaveLength(2);
    expect(budget.bytes).toBe(805);
    busy.forget();
    expect(budget.bytes).toBe(0);
  });

  it("that alone keeps more than all may forgets as well", () => {
    const budget = new EventBudget(100);
    const stream = new EventLog(budget).newStream();
    stream.keep("x".repeat(200));
    expect(budget.bytes).toBe(0);
  });
});
