import { afterAll, describe, expect, it } from "vitest";
import { inDeep } from "../../support/length.ts";
import { INITIALIZE, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const LONG = "mcp_everything_trigger_long_running_operation";
const gateway = await testGateway({
  servers: { everything: EVERYTHING },
  toolboxes: { demo: [LONG] },
  agents: { worker: ["demo"] },
});
await gateway.hub.upstream.test("everything");
const token = await gateway.token("worker");
afterAll(() => gateway[Symbol.asyncDispose]());

async function begin(version: string): Promise<Record<string, string>> {
  const opened = await gateway.fetch({ token, body: INITIALIZE.replace("2025-06-18", version) });
  await opened.text();
  return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
}

function call(id: number, args: object, meta: object = {}): string {
  const params = { name: LONG, arguments: args, _meta: meta };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** Reads until `ends` holds for what came so far, then hangs up. */
async function readUntil(response: Response, ends: (text: string) => boolean): Promise<string> {
  const reader = response.body?.getReader();
  let text = "";
  while (reader && !ends(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  await reader?.cancel();
  return text;
}

const idsIn = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map((match) => match[1] ?? "");

describe("a stream of 2025-11-25", () => {
  it("begins with an event that says how to come back", async () => {
    const headers = await begin("2025-11-25");
    const body = call(2, { duration: 0.2, steps: 2 }, { progressToken: "p" });
    const text = await (await gateway.fetch({ token, headers, body })).text();
    expect(text).toMatch(/^id: [\w-]{8}-\d+-0-\w+\nretry: \d+\ndata: \n\n/);
    expect(new Set(idsIn(text)).size).toBe(idsIn(text).length);
  });

  it("that broke goes on where it broke, with the answer of its call", async () => {
    const headers = await begin("2025-11-25");
    const body = call(3, { duration: 1, steps: 5 }, { progressToken: "p" });
    const broken = await readUntil(await gateway.fetch({ token, headers, body }), (text) =>
      text.includes("notifications/progress"),
    );
    const lastId = idsIn(broken).at(-1) ?? "";
    const resumed = await gateway.fetch({
      method: "GET",
      token,
      headers: { ...headers, "last-event-id": lastId },
    });
    const rest = await resumed.text();
    expect(rest).toContain('"id":3');
    expect(rest).toContain('"result"');
    expect(idsIn(broken).filter((id) => idsIn(rest).includes(id))).toEqual([]);
    const again = await gateway.fetch({
      method: "GET",
      token,
      headers: { ...headers, "last-event-id": lastId },
    });
    expect(idsIn(await again.text())).toEqual(idsIn(rest));
  });

  it("that is resumed where it is not known, as after kill -9, ends its call with an error", async () => {
    const headers = { ...(await begin("2025-11-25")), authorization: `Bearer ${token}` };
    const body = call(9, { duration: 1, steps: 5 }, { progressToken: "p" });
    const broken = await readUntil(await gateway.fetch({ headers, body }), (text) =>
      text.includes("notifications/progress"),
    );
    const url = await gateway.again();
    const resume = (id = "") =>
      fetch(url, { headers: { ...headers, accept: "text/event-stream", "last-event-id": id } });
    const rest = await (await resume(idsIn(broken).at(-1))).text();
    expect(rest).toContain('"id":9');
    expect(rest).toContain("the session ended before this was answered; it may have run");
    // It ends with an id with which the client hears whatever comes next, and of the lost call no more.
    const next = await readUntil(await resume(idsIn(rest).at(-1)), (text) => text.includes("list_changed"));
    expect(next).not.toContain('"error"');
  });

  it("is not another session's to resume", async () => {
    const headers = await begin("2025-11-25");
    const text = await (
      await gateway.fetch({
        token,
        headers,
        body: call(4, { duration: 0.1, steps: 1 }, { progressToken: "p" }),
      })
    ).text();
    const other = await begin("2025-11-25");
    const stream = await gateway.fetch({
      method: "GET",
      token,
      headers: { ...other, "last-event-id": idsIn(text)[0] ?? "" },
    });
    expect(await readUntil(stream, (said) => said.includes("retry"))).not.toContain("result");
  });
});

describe("an answer", () => {
  it("that is there at once is plain JSON", async () => {
    const headers = await begin("2025-06-18");
    const response = await gateway.fetch({ token, headers, body: call(5, { duration: 0, steps: 1 }) });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ id: 5, result: { content: [{ type: "text" }] } });
  });

  inDeep("that takes long becomes a stream, so that its client sees that it is worked on", async () => {
    const headers = await begin("2025-06-18");
    const response = await gateway.fetch({ token, headers, body: call(6, { duration: 1.5, steps: 1 }) });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toContain('"id":6');
  });

  inDeep("to a client that takes JSON only is JSON, however long it takes", async () => {
    const headers = { ...(await begin("2025-06-18")), accept: "application/json" };
    const body = call(7, { duration: 1.5, steps: 3 }, { progressToken: "p" });
    const response = await gateway.fetch({ token, headers, body });
    expect(await response.json()).toMatchObject({ id: 7, result: {} });
  });

  it("to a batch of 2025-03-26 is a batch", async () => {
    const headers = await begin("2025-03-26");
    const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
    const body = JSON.stringify([ping(1), ping(2), { jsonrpc: "2.0", method: "notifications/initialized" }]);
    const answers = (await (await gateway.fetch({ token, headers, body })).json()) as { id: number }[];
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe("a call of a session", () => {
  it("goes on when its connection breaks: only its client ends it", async () => {
    const ended: string[] = [];
    const stop = gateway.hub.events.on("call.ended", ({ outcome }) => ended.push(outcome));
    const headers = await begin("2025-06-18");
    const body = call(8, { duration: 0.5, steps: 5 }, { progressToken: "p" });
    await readUntil(await gateway.fetch({ token, headers, body }), (text) => text.includes("progress"));
    await waitUntil("the call ends", () => ended.length > 0);
    expect(ended).toEqual(["ok"]);
    stop();
  });
});
