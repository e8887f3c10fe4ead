import { expect, it } from "vitest";
import { Audit } from "../../../src/call/audit/audit.ts";
import { OtlpExporter, otlpTarget } from "../../../src/call/audit/otlp.ts";
import { err, ok } from "../../../src/lib/result.ts";
import { tempStore } from "../../support/temp-store.ts";
import { testChain } from "../../support/test-chain.ts";
import { testCaller } from "../../support/tools.ts";

const PARENT = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" };

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly status: { readonly code: number };
}

/** An exporter whose collector answers with `status`. */
function exporting(status = 200) {
  const sent: { url: string; headers: unknown; body: string }[] = [];
  const problems: unknown[] = [];
  const settings = {
    otlpUrl: "https://collector.example/",
    otlpHeaders: "authorization = Bearer {{secret:K}}, x=y",
  };
  const exporter = new OtlpExporter({
    target: () => otlpTarget(settings, async (text) => ok(text.replace("{{secret:K}}", "s3cret"))),
    fetch: async (url, init) => {
      sent.push({ url: String(url), headers: init?.headers, body: String(init?.body) });
      return new Response("", { status });
    },
    version: "1.2.3",
    onProblem: (problem) => problems.push(problem),
  });
  return { exporter, sent, problems };
}

it("a call becomes a span with its steps, under that of its caller, without its arguments", async () => {
  await using temp = await tempStore();
  const { exporter, sent } = exporting();
  const audit = await Audit.open({
    ...testChain(temp),
    redact: (text) => text,
    onLost: () => {},
    spans: exporter,
  });
  const traceparent = `00-${PARENT.trace}-${PARENT.span}-01`;
  const args = { token: "hunter22" };
  const record = audit.begin("call_1", {
    name: "wipe",
    arguments: args,
    caller: testCaller(),
    via: "mcp",
    traceparent,
  });
  record.noteTool("wipe");
  record.noteDecision(args, { action: "ask", rule: "r" });
  record.noteStart();
  const { traceparent: forTool } = record;
  record.end("failed", 5, "hunter22 is wrong");
  await exporter.flush();
  await audit.close();

  expect(sent[0]).toMatchObject({
    url: "https://collector.example/v1/traces",
    headers: { authorization: "Bearer s3cret", x: "y", "content-type": "application/json" },
  });
  expect(sent[0]!.body).not.toContain("hunter22");
  const spans: SentSpan[] = JSON.parse(sent[0]!.body).resourceSpans[0].scopeSpans[0].spans;
  const [root, ...steps] = spans;
  expect(root).toMatchObject({
    traceId: PARENT.trace,
    parentSpanId: PARENT.span,
    name: "tools/call wipe",
    status: { code: 2 },
  });
  expect(forTool).toBe(`00-${PARENT.trace}-${root!.spanId}-01`);
  expect(root!.startTimeUnixNano).toMatch(/^\d{19}$/);
  expect(steps.map(({ name }) => name)).toEqual(["resolve", "decide", "wait_for_approval", "run"]);
  for (const step of steps) expect(step).toMatchObject({ traceId: PARENT.trace, parentSpanId: root!.spanId });
});

it("a traceparent that is none begins a trace of its own", async () => {
  await using temp = await tempStore();
  const { exporter, sent } = exporting();
  const audit = await Audit.open({
    ...testChain(temp),
    redact: (t) => t,
    onLost: () => {},
    spans: exporter,
  });
  const call = { name: "x", arguments: {}, caller: testCaller(), via: "mcp", traceparent: "00-zz" } as const;
  audit.begin("call_1", call).end("unknown_tool", 1, null);
  await exporter.flush();
  await audit.close();
  const [root] = JSON.parse(sent[0]!.body).resourceSpans[0].scopeSpans[0].spans as SentSpan[];
  expect(root!.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(root!.parentSpanId).toBeUndefined();
});

it("what cannot be sent or comes too fast is dropped and counted, and said once", async () => {
  const { exporter, problems } = exporting(503);
  const times = { startedAt: 1, endedAt: 2 };
  const span = { traceId: "a", spanId: "b", name: "n", kind: 1, isError: false, attributes: {}, ...times };
  for (let i = 0; i < 5_000; i++) exporter.add([span]);
  await exporter.flush();
  expect(exporter.dropped).toBe(5_000);
  expect(problems).toHaveLength(1);
  await exporter.close();
});

it("headers that name a secret which is not there are no headers", async () => {
  const target = otlpTarget({ otlpUrl: "http://c", otlpHeaders: "a={{secret:NONE}}" }, async () =>
    err("no NONE"),
  );
  await expect(target).rejects.toThrow("no NONE");
  expect(await otlpTarget({ otlpUrl: null, otlpHeaders: null }, async (text) => ok(text))).toBeUndefined();
});

it("a call that waited for a person and did not run shows how long it waited", async () => {
  await using temp = await tempStore();
  const { exporter, sent } = exporting();
  const audit = await Audit.open({
    ...testChain(temp),
    redact: (text) => text,
    onLost: () => {},
    spans: exporter,
  });
  const call = { name: "wipe", arguments: {}, caller: testCaller(), via: "mcp" } as const;
  for (const asked of ["qst_1", undefined]) {
    const record = audit.begin("call_1", call);
    record.noteTool("wipe");
    record.noteDecision({}, { action: "ask", rule: "r" });
    if (asked !== undefined) record.noteApproval(asked);
    record.end("denied", 30_000, "a person rejected this call");
  }
  await exporter.close();
  await audit.close();
  const spans: SentSpan[] = JSON.parse(sent[0]!.body).resourceSpans[0].scopeSpans[0].spans;
  const names = spans.map(({ name }) => name);
  expect(names).toEqual([
    "tools/call wipe",
    "resolve",
    "decide",
    "wait_for_approval",
    "tools/call wipe",
    "resolve",
    "decide",
  ]);
});
