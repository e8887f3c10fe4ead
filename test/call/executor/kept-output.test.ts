import { describe, expect, it } from "vitest";
import { type KeepDeps, keepOutput, OUTPUT_KEPT_MS } from "../../../src/call/executor/finish.ts";
import type { OutputRecord } from "../../../src/call/executor/tables.ts";
import { text } from "../../../src/contract/tool.ts";
import { callTables } from "../../support/call-tables.ts";
import { openExecutor } from "../../support/executor.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const SECRET = "hunter2-hunter2-hunter2";
const LIMIT = 1_000;

/** A tool that answers with the text it is given. */
const says = testTool({
  name: "says",
  run: async ({ what }) => ({ kind: "output", content: [text(what as string)] }),
});

describe("a long output", () => {
  it("keeps its beginning and its end, and says how to read what is missing", async () => {
    await using hub = await openExecutor({ tools: [says], maxResultChars: LIMIT });
    const what = Array.from({ length: 1_000 }, (_, line) => `line ${line}`).join("\n");
    const outcome = await hub.call("says", { what });
    const { id, chars } = outcome.fullOutput!;
    expect(outcome.text).toBe(
      `${what.slice(0, 750)}\n[… ${chars - LIMIT} of ${chars} characters left out; read them with read_tool_output id=${id} offset=750 …]\n${what.slice(-250)}`,
    );
    expect(outcome).toMatchObject({ truncated: true, content: [{ type: "text", text: outcome.text }] });
    expect(await callTables(hub.store).outputs.read(id, 0, chars)).toBe(what);
  });

  it("shows no half of a secret, wherever the cut falls, and keeps none either", async () => {
    await using hub = await openExecutor({ tools: [says], maxResultChars: LIMIT, secret: SECRET });
    // From just before the first cut to just after it, and the same at the second.
    for (const cut of [750, 3_000 - 250]) {
      for (let at = cut - SECRET.length; at <= cut; at += 3) {
        const what = `${"x".repeat(at)}${SECRET}${"y".repeat(3_000 - at - SECRET.length)}`;
        const outcome = await hub.call("says", { what });
        const { id, chars } = outcome.fullOutput!;
        const kept = await callTables(hub.store).outputs.read(id, 0, chars);
        expect(kept, `at ${at}`).toContain("[redacted]");
        for (const shown of [outcome.text, JSON.stringify(outcome.content), kept])
          expect(shown, `at ${at}`).not.toMatch(/hunter|2-h/);
      }
    }
  });

  it("splits no character", async () => {
    await using hub = await openExecutor({ tools: [says], maxResultChars: LIMIT });
    for (const before of ["", "a"]) {
      const outcome = await hub.call("says", { what: before + "😀".repeat(2_000) });
      expect(outcome.text).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it("of a call that failed is kept too", async () => {
    const fails = testTool({
      name: "fails",
      run: async () => ({ kind: "failed", message: "it broke", content: [text("e".repeat(5_000))] }),
    });
    await using hub = await openExecutor({ tools: [fails], maxResultChars: LIMIT });
    const outcome = await hub.call("fails");
    expect(outcome).toMatchObject({ outcome: "failed", truncated: true, error: { message: "it broke" } });
    expect(outcome.fullOutput?.chars).toBe(5_000);
  });

  it("that can be read again elsewhere is not kept, and names no id", async () => {
    await using hub = await openExecutor({ tools: [{ ...says, rereads: true }], maxResultChars: LIMIT });
    const outcome = await hub.call("says", { what: "z".repeat(5_000) });
    expect(outcome).toMatchObject({ outcome: "ok", truncated: true });
    expect(outcome.fullOutput).toBeUndefined();
    expect(outcome.text).toContain("4000 of 5000 characters left out …]");
  });
});

describe("what is kept of one agent", () => {
  it("is 200 outputs at most; the oldest make room, those of others stay", async () => {
    const keeping = memory();
    await keeping.keep("other", "first");
    for (let each = 0; each < 205; each++) await keeping.keep("ada", `text ${each}`);
    expect(keeping.texts("ada")).toHaveLength(200);
    expect(keeping.texts("ada")[0]).toBe("text 5");
    expect(keeping.texts("other")).toEqual(["first"]);
  });

  it("is 64 MiB at most, counted in bytes", async () => {
    const keeping = memory();
    const third = "é".repeat(11 * 1024 * 1024);
    for (const each of ["a", "b", "c"]) await keeping.keep("ada", each + third);
    expect(keeping.texts("ada").map((kept) => kept[0])).toEqual(["b", "c"]);
    expect(await keeping.keep("ada", "é".repeat(33 * 1024 * 1024))).toBeUndefined();
    expect(keeping.texts("ada")).toHaveLength(2);
  });

  it("has no remains of an output that could not be written, and the call does not fail", async () => {
    const keeping = memory();
    keeping.isFull = true;
    expect(await keeping.keep("ada", "too much")).toBeUndefined();
    expect(keeping.texts("ada")).toEqual([]);
  });

  it("is nothing older than a day", async () => {
    const keeping = memory();
    await keeping.keep("ada", "old");
    keeping.now += OUTPUT_KEPT_MS;
    await keeping.keep("ada", "a day later");
    expect(keeping.texts("ada")).toEqual(["old", "a day later"]);
    keeping.now += 1;
    await keeping.keep("ada", "later still");
    expect(keeping.texts("ada")).toEqual(["a day later", "later still"]);
  });
});

/** Outputs in memory: the tests count how many there are and how large they are, whatever the database. */
function memory() {
  const kept = new Map<string, OutputRecord & { readonly whole: string }>();
  const outputs: KeepDeps["outputs"] = {
    list: async ({ agentId }) => [...kept.values()].filter((output) => output.agentId === agentId).reverse(),
    create: async (output, whole) => {
      kept.set(output.id, { ...output, whole });
      if (keeping.isFull) throw new Error("no space left");
    },
    delete: async (ids) => {
      for (const id of ids) kept.delete(id);
    },
  };
  let ids = 0;
  const keeping = {
    now: 1_000_000,
    /** Fails halfway through writing. */
    isFull: false,
    keep: (agentId: string, whole: string) =>
      keepOutput(testCaller({ agentId, conversation: "c" }), whole, {
        outputs,
        watchdog: { labels: () => new Set() },
        clock: () => keeping.now,
        newId: (prefix) => `${prefix}_${++ids}`,
        log: { warn() {} },
      }),
    texts: (agentId: string) =>
      [...kept.values()].filter((output) => output.agentId === agentId).map(({ whole }) => whole),
  };
  return keeping;
}
