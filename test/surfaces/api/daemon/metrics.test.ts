import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Events } from "../../../../src/contract/events.ts";
import { CallStatistics } from "../../../../src/surfaces/api/metrics/call-statistics.ts";
import { metricsText } from "../../../../src/surfaces/api/metrics/prometheus.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../../support/test-api.ts";
import { fixture } from "../../../support/upstream.ts";

async function scrape(api: TestApi, headers = { authorization: `Bearer ${ADMIN_TOKEN}` }) {
  const response = await api.app.inject({ url: "/metrics", headers });
  expect(response.statusCode).toBe(200);
  return response;
}

/** Metrics by name and labels, as a scraper reads them; fails for a line that it could not read. */
function parsed(text: string): Map<string, number> {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.trimEnd().split("\n")) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line);
    if (type) types.set(type[1]!, type[2]!);
    if (line.startsWith("# ")) continue;
    const sample = /^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\+Inf|NaN|-?[\d.e+-]+)$/.exec(line);
    expect(sample, line).not.toBeNull();
    const [, name = "", labels = "", value = ""] = sample!;
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "");
    expect(types.has(family), `${name} has a type`).toBe(true);
    values.set(name + labels, Number(value));
  }
  return values;
}

describe("/metrics", () => {
  it("counts calls by the origin of their tool and how they ended", async () => {
    await using api = await testApi({ agents: { main: [] } });
    await api.request("POST", "/api/servers", { name: "fix", wait: true, ...fixture("echoes") });
    const call = (name: string, args = {}) => api.request("POST", "/api/call", { name, arguments: args });
    await call("list_directory");
    await call("list_directory");
    await call("mcp_fix_echo");
    await call("no_such_tool");
    const values = parsed((await scrape(api)).body);
    expect(values.get('toolkeep_calls_total{origin="native",outcome="ok"}')).toBe(2);
    expect(values.get('toolkeep_calls_total{origin="mcp:fix",outcome="ok"}')).toBe(1);
    expect(values.get('toolkeep_calls_total{origin="none",outcome="unknown_tool"}')).toBe(1);
    expect(values.get('toolkeep_call_duration_seconds_count{origin="native"}')).toBe(2);
    expect(values.get('toolkeep_call_duration_seconds_bucket{origin="native",le="+Inf"}')).toBe(2);
    expect(values.get('toolkeep_servers{state="ready"}')).toBe(1);
    expect(values.get('toolkeep_servers{state="needs_auth"}')).toBe(0);
  });

  it("shows the process, the store, the audit and what is open", async () => {
    const counts = () => ({ sessions: 3, streams: 2, subscriptions: 1, heldCalls: 4 });
    const gateway = () => ({ endStreams() {}, counts });
    await using api = await testApi({ options: { gateway }, agents: { main: [] } });
    const values = parsed((await scrape(api)).body);
    expect(values.get(`toolkeep_build_info{version="1.2.3",node="${process.version}",store="sqlite"}`)).toBe(
      1,
    );
    expect(values.get("toolkeep_store_ready")).toBe(1);
    expect(values.get("toolkeep_agents")).toBe(1);
    expect(values.get("toolkeep_mcp_sessions")).toBe(3);
    expect(values.get("toolkeep_mcp_streams")).toBe(2);
    expect(values.get("toolkeep_mcp_subscriptions")).toBe(1);
    expect(values.get("toolkeep_held_calls")).toBe(4);
    expect(values.get("toolkeep_audit_waiting")).toBeGreaterThanOrEqual(0);
    expect(values.get("toolkeep_audit_lost_total")).toBe(0);
    expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(values.get("process_cpu_user_seconds_total")).toBeGreaterThan(0);
    const started = values.get("process_start_time_seconds")!;
    expect(Math.abs(started - (Date.now() / 1_000 - process.uptime()))).toBeLessThan(60);
  });

  it("shows how late the event loop is, from the second time on", async () => {
    await using api = await testApi();
    expect((await scrape(api)).body).not.toContain("nodejs_eventloop_lag");
    const values = parsed((await scrape(api)).body);
    expect(values.get("nodejs_eventloop_lag_max_seconds")).toBeGreaterThanOrEqual(0);
    expect(values.get("nodejs_eventloop_lag_max_seconds")).toBeLessThan(60);
  });

  it("has every metric in docs/api.md, and no other there", async () => {
    const counts = () => ({ sessions: 0, streams: 0, subscriptions: 0, heldCalls: 0 });
    await using api = await testApi({ options: { gateway: () => ({ endStreams() {}, counts }) } });
    const shown = [...(await scrape(api)).body.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1]!);
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/api.md"), "utf8");
    const documented = [...page.matchAll(/`((?:toolkeep|process|nodejs)_\w*)(…?)/g)];
    const isIn = (name: string) =>
      documented.some(([, each, rest]) => (rest === "…" ? name.startsWith(each!) : name === each));
    expect(shown.filter((name) => !isIn(name))).toEqual([]);
    const isShown = ([, each, rest]: RegExpExecArray) =>
      shown.some((name) => (rest === "…" ? name.startsWith(each!) : name === each));
    expect(documented.filter((each) => !isShown(each)).map(([whole]) => whole)).toEqual([]);
  });

  it("is text in the form that Prometheus wants, for admins only", async () => {
    await using api = await testApi({ agents: { main: [] } });
    expect((await scrape(api)).headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const none = await api.app.inject({ url: "/metrics" });
    expect([none.statusCode, none.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="toolkeep"']);
    const { token } = await api.hub.identity.createToken({ agent: "main" });
    const agents = await api.app.inject({ url: "/metrics", headers: { authorization: `Bearer ${token}` } });
    expect([agents.statusCode, agents.json().error.code]).toEqual([403, "FORBIDDEN"]);
    const admin = await api.hub.identity.createToken({ label: "prometheus" });
    await scrape(api, { authorization: `Bearer ${admin.token}` });
  });
});

describe("the numbers of calls", () => {
  function counting() {
    const events = new Events(() => {});
    const metrics = new CallStatistics(events, { get: (name) => ({ origin: name }) as never });
    const call = (tool: string, durationMs: number) =>
      events.emit("call.ended", { callId: "c", tool, agent: "a", outcome: "ok", durationMs });
    return { call, values: () => parsed(metricsText(metrics.metrics())) };
  }

  it("fall into every bucket that is as wide as the call was long", () => {
    const { call, values } = counting();
    for (const durationMs of [0, 1, 2, 700_000]) call("o", durationMs);
    const bucket = (le: string) =>
      values().get(`toolkeep_call_duration_seconds_bucket{origin="o",le="${le}"}`);
    expect([bucket("0.001"), bucket("0.002"), bucket("600"), bucket("+Inf")]).toEqual([2, 3, 3, 4]);
    expect(values().get('toolkeep_call_duration_seconds_sum{origin="o"}')).toBeCloseTo(700.003);
  });

  it("are bounded however many origins come and go", () => {
    const { call, values } = counting();
    for (let i = 0; i < 1_000; i++) call(`mcp:s${i}`, 1);
    const series = [...values().keys()].filter((name) => name.startsWith("toolkeep_calls_total"));
    expect(series).toHaveLength(201);
    expect(values().get('toolkeep_calls_total{origin="other",outcome="ok"}')).toBe(800);
  });

  it("cannot break the text by a name", () => {
    const { call, values } = counting();
    call('a"b\\c\nd', 1);
    expect([...values().keys()][0]).toBe('toolkeep_calls_total{origin="a\\"b\\\\c\\nd",outcome="ok"}');
  });
});
