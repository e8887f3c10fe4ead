import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Vault } from "../../../src/call/vault/vault.ts";
import { ToolkeepError } from "../../../src/contract/errors.ts";
import { type Tool, text } from "../../../src/contract/tool.ts";
import { ok } from "../../../src/lib/result.ts";
import { callTables } from "../../support/call-tables.ts";
import { openExecutor } from "../../support/executor.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { testCaller, testTool } from "../../support/tools.ts";
import { waitUntil } from "../../support/wait-until.ts";

const hangs = () => new Promise<never>(() => {});

describe("callTool", () => {
  it("takes no negative time when the clock is set back meanwhile", async () => {
    let now = 1_000_000;
    const tool = testTool({
      name: "echo",
      run: async () => {
        now -= 60_000;
        return { kind: "output", content: [] };
      },
    });
    await using hub = await openExecutor({ tools: [tool], clock: () => now });
    expect((await hub.call("echo")).durationMs).toBe(0);
    expect(await hub.records()).toMatchObject([{ durationMs: 0 }]);
  });

  it("emits its outcome before anything is kept of it, and a listener that throws cannot spoil the call", async () => {
    await using hub = await openExecutor({ tools: [testTool({ name: "echo" })] });
    const { append } = hub.auditTable;
    let kept = 0;
    hub.auditTable.append = (...given) => {
      kept++;
      return append.apply(hub.auditTable, given);
    };
    const heard: unknown[] = [];
    const call = hub.call("echo");
    const spoiled = call.then((first) => {
      heard.push(first, kept);
      throw new Error("cannot be heard");
    });
    await expect(spoiled).rejects.toThrow("cannot be heard");
    const outcome = await call;
    expect(heard).toEqual([outcome, 0]);
    expect(outcome.outcome).toBe("ok");
    expect(hub.bugs).toEqual([]);
    expect(await hub.records()).toMatchObject([{ outcome: "ok" }]);
    await hub.call("nothing").then(({ outcome }) => heard.push(outcome));
    expect(heard.at(-1)).toBe("unknown_tool");
  });

  it("leaves no listener on the signal of its caller, however it ends", async () => {
    const tools = [
      testTool({ name: "echo" }),
      testTool({ name: "wipe", flags: { readOnly: false, concurrencySafe: false, destructive: true } }),
      testTool({
        name: "breaks",
        run: async () => {
          throw new Error("a bug");
        },
      }),
    ];
    await using hub = await openExecutor({ tools });
    const { signal } = new AbortController();
    for (const name of ["echo", "wipe", "breaks", "nothing"]) await hub.call(name, {}, { signal });
    await hub.batchOf([{ name: "echo", arguments: {}, caller: hub.caller("a"), via: "library", signal }]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("has labelled its conversation by the time its outcome is emitted", async () => {
    await using hub = await openExecutor({
      tools: [testTool({ name: "web", untrusted: true }), testTool({ name: "send" })],
      rules: [{ permission: "send", action: "deny", after: "untrusted_content", from: "user" }],
    });
    const next: Promise<{ outcome: string }>[] = [];
    await hub.call("web").then(() => next.push(hub.call("send")));
    expect(await Promise.all(next)).toMatchObject([{ outcome: "denied" }]);
  });

  it("has an outcome and an audit record even where noting its use fails", async () => {
    await using hub = await openExecutor({ tools: [testTool({ name: "web", untrusted: true })] });
    hub.watchdog.noteRead = () => {
      throw new Error("a bug");
    };
    expect((await hub.call("web")).outcome).toBe("internal_error");
    expect(await hub.records()).toMatchObject([{ outcome: "internal_error" }]);
    expect(hub.bugs).toMatchObject([{ message: "a bug" }]);
  });

  it("ends as unavailable, not as a bug, where the store cannot be written before a destructive call", async () => {
    let ran = false;
    const tool = testTool({
      name: "wipe",
      flags: { readOnly: false, concurrencySafe: false, destructive: true },
      run: async () => {
        ran = true;
        return { kind: "output", content: [] };
      },
    });
    await using hub = await openExecutor({ tools: [tool] });
    const { append } = hub.auditTable;
    hub.auditTable.append = async () => {
      throw new ToolkeepError("STORE_UNAVAILABLE", "the disk is full");
    };
    expect(await hub.call("wipe")).toMatchObject({ outcome: "unavailable" });
    expect(ran).toBe(false);
    hub.auditTable.append = append;
  });

  describe("a destructive call whose store does not answer", () => {
    async function openOverSilentStore(intentMs?: number) {
      let ran = false;
      const tool = testTool({
        name: "wipe",
        flags: { readOnly: false, concurrencySafe: false, destructive: true },
        run: async () => {
          ran = true;
          return { kind: "output", content: [] };
        },
      });
      const hub = await openExecutor({ tools: [tool], ...(intentMs !== undefined && { intentMs }) });
      const { append } = hub.auditTable;
      let resume = () => {};
      const silence = new Promise<void>((resolve) => {
        resume = resolve;
      });
      let isAsked = false;
      hub.auditTable.append = async (...given) => {
        isAsked = true;
        await silence;
        return append.apply(hub.auditTable, given);
      };
      return { hub, resume, isAsked: () => isAsked, hasRun: () => ran };
    }

    it("ends after a while without having run, and is recorded so once it answers", async () => {
      const { hub, resume, hasRun } = await openOverSilentStore(20);
      expect(await hub.call("wipe")).toMatchObject({ outcome: "unavailable" });
      resume();
      expect(await hub.records()).toMatchObject([{ tool: "wipe", outcome: "unavailable" }]);
      expect(hasRun()).toBe(false);
      await hub[Symbol.asyncDispose]();
    });

    it("can be cancelled, and does not run then", async () => {
      const { hub, resume, isAsked, hasRun } = await openOverSilentStore();
      const stop = new AbortController();
      const call = hub.call("wipe", {}, { signal: stop.signal });
      await waitUntil("the store is asked", isAsked);
      stop.abort();
      expect(await call).toMatchObject({ outcome: "cancelled" });
      resume();
      await hub.records();
      expect(hasRun()).toBe(false);
      await hub[Symbol.asyncDispose]();
    });
  });

  it("does not run what was cancelled while its secrets were read", async () => {
    const stop = new AbortController();
    let ran = false;
    const tool = testTool({
      name: "send",
      run: async () => {
        ran = true;
        return { kind: "output", content: [] };
      },
    });
    const vault = {
      redact: String,
      revisionsIn: () => [],
      expand: async (args: Readonly<Record<string, unknown>>) => {
        stop.abort();
        return ok(args);
      },
    };
    await using hub = await openExecutor({ tools: [tool], vault: vault as unknown as Vault });
    expect(await hub.call("send", { text: "{{secret:TOKEN}}" }, { signal: stop.signal })).toMatchObject({
      outcome: "cancelled",
    });
    expect(ran).toBe(false);
  });

  it.each([undefined, null, "text", {}])(
    "a tool that ends with %j in the place of a result is a bug",
    async (result) => {
      const tool = testTool({ name: "odd", run: async () => result as never });
      await using hub = await openExecutor({ tools: [tool] });
      expect(await hub.call("odd")).toMatchObject({ outcome: "internal_error" });
      expect(hub.bugs).toMatchObject([{ message: "odd ended without a result" }]);
    },
  );

  it("answers with what the tool said and records it once", async () => {
    await using hub = await openExecutor({
      tools: [
        testTool({
          name: "echo",
          run: async (args) => ({ kind: "output", content: [text(String(args.say))] }),
        }),
      ],
    });
    const outcome = await hub.call("echo", { say: "hi" });
    expect(outcome).toMatchObject({ outcome: "ok", tool: "echo", text: "hi", truncated: false });
    const records = await hub.records();
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      id: outcome.callId,
      tool: "echo",
      outcome: "ok",
      decision: "allow",
      arguments: '{"say":"hi"}',
    });
  });

  it("a call that is not granted, unknown, misfit or denied never reaches its tool, and is recorded", async () => {
    let ran = 0;
    const run: Tool["run"] = async () => {
      ran += 1;
      return { kind: "output", content: [] };
    };
    const tools = [
      testTool({ name: "locked", run }),
      testTool({ name: "banned", run }),
      testTool({ name: "strict", run, inputSchema: { type: "object", required: ["a"] } }),
    ];
    await using hub = await openExecutor({
      tools,
      rules: [{ permission: "banned", action: "deny", from: "user" }],
    });
    const outcomes = [
      await hub.call("locked", {}, {}, testCaller()),
      await hub.call("nothing"),
      await hub.call("strict"),
      await hub.call("banned"),
    ].map((outcome) => outcome.outcome);
    expect(outcomes).toEqual(["not_granted", "unknown_tool", "invalid_arguments", "denied"]);
    expect(ran).toBe(0);
    expect((await hub.records()).map((record) => record.outcome).sort()).toEqual([...outcomes].sort());
  });

  it("a rule that asks holds the call until a person says yes, once", async () => {
    await using hub = await openExecutor({
      tools: [testTool({ name: "pay" })],
      rules: [{ permission: "pay", action: "ask", from: "user" }],
    });
    const asked = await hub.call("pay", { amount: 1 });
    expect(asked.outcome).toBe("needs_approval");
    const id = asked.error?.details?.approvalId as string;
    expect((await hub.call("pay", { amount: 1 })).error?.details).toEqual({ approvalId: id });
    await hub.questions.answer(id, "once");
    expect((await hub.call("pay", { amount: 2 })).outcome).toBe("needs_approval");
    expect((await hub.call("pay", { amount: 1 })).outcome).toBe("ok");
    expect((await hub.call("pay", { amount: 1 })).outcome).toBe("needs_approval");
  });

  it("a rejected call is denied", async () => {
    await using hub = await openExecutor({
      tools: [testTool({ name: "pay" })],
      rules: [{ permission: "pay", action: "ask", from: "user" }],
    });
    const asked = await hub.call("pay");
    await hub.questions.answer(asked.error?.details?.approvalId as string, "reject");
    expect(await hub.call("pay")).toMatchObject({
      outcome: "denied",
      text: expect.stringContaining("rejected"),
    });
  });

  it("a person is not asked for their own call", async () => {
    await using hub = await openExecutor({
      tools: [testTool({ name: "pay" })],
      rules: [{ permission: "pay", action: "ask", from: "user" }],
    });
    expect((await hub.call("pay", {}, {}, testCaller({ operator: true }))).outcome).toBe("ok");
  });

  it("a tool that hangs ends in timed_out, one that is cancelled in cancelled", async () => {
    await using hub = await openExecutor({
      tools: [
        testTool({
          name: "slow",
          timeoutMs: 50,
          run: (_, { signal }) =>
            new Promise((resolve) =>
              signal.addEventListener("abort", () =>
                resolve({ kind: "failed", message: "stopped", content: [text("half")] }),
              ),
            ),
        }),
        testTool({ name: "deaf", timeoutMs: 50, run: hangs }),
        testTool({ name: "patient", run: hangs }),
      ],
    });
    expect(await hub.call("slow")).toMatchObject({
      outcome: "timed_out",
      text: expect.stringContaining("half"),
    });
    const took = stopwatch();
    expect((await hub.call("deaf")).outcome).toBe("timed_out");
    expect(took()).toBeLessThan(10_000);
    expect((await hub.call("patient", {}, { signal: AbortSignal.timeout(30) })).outcome).toBe("cancelled");
    expect((await hub.call("patient", {}, { signal: AbortSignal.abort() })).outcome).toBe("cancelled");
  });

  it("progress gives a call its time again only where the tool says so", async () => {
    const steps: Tool["run"] = async (_, { progress, signal }) => {
      for (let step = 1; step <= 6 && !signal.aborted; step++) {
        await delay(50);
        progress({ progress: step });
      }
      return signal.aborted ? { kind: "failed", message: "stopped" } : { kind: "output", content: [] };
    };
    await using hub = await openExecutor({
      tools: [
        testTool({ name: "strict", timeoutMs: 150, run: steps }),
        testTool({ name: "lenient", timeoutMs: 150, progressExtendsTimeout: true, run: steps }),
      ],
    });
    expect((await hub.call("strict")).outcome).toBe("timed_out");
    expect((await hub.call("lenient")).outcome).toBe("ok");
  });

  it("the time in which the caller is asked something does not count", async () => {
    const asks: Tool["run"] = async (_, { answering, signal }) => {
      const answer = await answering!.answer({ method: "elicitation/create", params: {} }, signal);
      return { kind: "output", content: [text(String(answer.action))] };
    };
    await using hub = await openExecutor({ tools: [testTool({ name: "asks", timeoutMs: 80, run: asks })] });
    const answering = {
      capabilities: { elicitation: {} },
      answer: async () => {
        await delay(250);
        return { action: "accept" };
      },
    };
    expect(await hub.call("asks", {}, { answering })).toMatchObject({ outcome: "ok", text: "accept" });
  });

  it("a tool that throws is a bug, reported to the log and not to the caller", async () => {
    await using hub = await openExecutor({
      tools: [
        testTool({
          name: "bad",
          run: async () => {
            throw new Error("secret detail");
          },
        }),
        testTool({
          name: "worse",
          run: () => {
            throw new Error("at once");
          },
        }),
      ],
    });
    const outcome = await hub.call("bad");
    expect(outcome.outcome).toBe("internal_error");
    expect(outcome.text).not.toContain("secret detail");
    expect((await hub.call("worse")).outcome).toBe("internal_error");
    expect(hub.bugs).toHaveLength(2);
  });

  it("a destructive call is in the store before it runs", async () => {
    let known: unknown;
    const tool: Tool = testTool({
      name: "wipe",
      flags: { readOnly: false, concurrencySafe: false, destructive: true },
      run: async () => {
        known = await callTables(hub.store).calls.list({ limit: 10 });
        return { kind: "output", content: [] };
      },
    });
    await using hub = await openExecutor({ tools: [tool] });
    await hub.call("wipe");
    expect(known).toMatchObject([{ tool: "wipe", outcome: null }]);
    expect(await hub.records()).toMatchObject([{ tool: "wipe", outcome: "ok" }]);
  });

  it("cuts a long output, says so, and keeps the full text", async () => {
    const whole = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");
    await using hub = await openExecutor({
      tools: [testTool({ name: "long", run: async () => ({ kind: "output", content: [text(whole)] }) })],
    });
    const outcome = await hub.call("long");
    expect(outcome.truncated).toBe(true);
    expect(outcome.text).toContain("line 0\n");
    expect(outcome.text).toContain("line 499");
    const { id, chars, bytes } = outcome.fullOutput!;
    expect(outcome.text).toContain(id);
    expect({ chars, bytes }).toEqual({ chars: whole.length, bytes: whole.length });
    expect(await callTables(hub.store).outputs.read(id, 0, chars)).toBe(whole);
  });

  it("takes known secrets out of outputs, structures, errors and the audit", async () => {
    const secret = "hunter2-hunter2";
    await using hub = await openExecutor({
      secret,
      tools: [
        testTool({
          name: "leak",
          run: async () => ({
            kind: "output",
            content: [text(`got ${secret}`)],
            structured: { deep: [secret] },
          }),
        }),
        testTool({ name: "leak_error", run: async () => ({ kind: "failed", message: `bad ${secret}` }) }),
      ],
    });
    const outcomes = [await hub.call("leak", { key: secret }), await hub.call("leak_error")];
    expect(JSON.stringify([outcomes, await hub.records()])).not.toContain(secret);
    expect(outcomes[0]!.text).toBe("got [redacted]");
  });

  it("passes progress on", async () => {
    const seen: number[] = [];
    await using hub = await openExecutor({
      tools: [
        testTool({
          name: "work",
          run: async (_, { progress }) => {
            progress({ progress: 1, total: 2 });
            return { kind: "output", content: [] };
          },
        }),
      ],
    });
    await hub.call("work", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1]);
  });

  it.each(["unavailable", "timed_out"] as const)(
    "an outcome the tool names itself stays: %s",
    async (kind) => {
      await using hub = await openExecutor({
        tools: [testTool({ name: "t", run: async () => ({ kind, message: "because" }) })],
      });
      expect(await hub.call("t")).toMatchObject({
        outcome: kind,
        error: { message: "because" },
        text: "because",
      });
    },
  );

  it("secrets leave in nothing: keys, _meta and progress included", async () => {
    const updates: unknown[] = [];
    const run: Tool["run"] = async (_, context) => {
      context.progress({ progress: 1, message: "using hunter2-canary" });
      return {
        kind: "output",
        content: [text("hunter2-canary")],
        structured: { "hunter2-canary": ["hunter2-canary"] },
        meta: { trace: "hunter2-canary" },
      };
    };
    await using hub = await openExecutor({
      tools: [testTool({ name: "leaky", run })],
      secret: "hunter2-canary",
    });
    const outcome = await hub.call("leaky", {}, { onProgress: (update) => updates.push(update) });
    expect(outcome.meta).toEqual({ trace: "[redacted]" });
    expect(updates).toEqual([{ progress: 1, message: "using [redacted]" }]);
    expect(JSON.stringify([outcome, await hub.records()])).not.toContain("hunter2-canary");
  });

  it("a flood of progress is cut off", async () => {
    let updates = 0;
    const run: Tool["run"] = async (_, context) => {
      for (let progress = 0; progress < 20_000; progress++) context.progress({ progress });
      return { kind: "output", content: [] };
    };
    await using hub = await openExecutor({ tools: [testTool({ name: "eager", run })] });
    await hub.call("eager", {}, { onProgress: () => updates++ });
    expect(updates).toBe(10_000);
  });

  it("an error and _meta of any size stay within bounds", async () => {
    const run: Tool["run"] = async () => ({
      kind: "failed",
      message: "e".repeat(500_000),
      meta: { big: "m".repeat(500_000) },
    });
    await using hub = await openExecutor({ tools: [testTool({ name: "verbose", run })] });
    expect(JSON.stringify(await hub.call("verbose")).length).toBeLessThan(10_000);
  });

  it("values nested too deep for a stack are refused both ways, and recorded", async () => {
    const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const run: Tool["run"] = async () => ({ kind: "output", content: [], structured: deep });
    await using hub = await openExecutor({ tools: [testTool({ name: "deep", run })] });
    expect((await hub.call("deep", deep)).outcome).toBe("invalid_arguments");
    expect(await hub.call("deep")).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining("nested") },
    });
    expect((await hub.call("nothing", deep)).outcome).toBe("unknown_tool");
    expect(await hub.records()).toHaveLength(3);
    expect(hub.bugs).toEqual([]);
  });
});
