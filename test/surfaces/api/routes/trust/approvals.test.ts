import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

interface Announced {
  readonly body: string;
  readonly signature: string;
}

/** What a bot got, and how it answers. */
const received: Announced[] = [];
let failures = 0;
/** Which of them it leaves without an answer, for as long as the test wants. */
let ignored: (body: string) => boolean = () => false;
let ignoring: string[] = [];
const bot = createServer(async (req, res) => {
  const body = await text(req);
  if (ignored(body)) return void ignoring.push(body);
  if (failures-- > 0) return void res.writeHead(503).end();
  received.push({ body, signature: String(req.headers["x-toolkeep-signature"]) });
  res.end();
});

let now = 1_700_000_000_000;
let api: TestApi;
let asked = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => bot.listen(0, "127.0.0.1", resolve));
  const { port } = bot.address() as AddressInfo;
  api = await testApi({
    clock: () => now,
    toolboxes: { secrets: ["set_secret"] },
    agents: { main: ["secrets"] },
    rules: [{ permission: "think", action: "ask" }],
    settings: {
      approvals: { webhook_url: `http://127.0.0.1:${port}/hook`, webhook_secret: "{{secret:HOOK}}" },
    },
    options: { webhook: { pausesMs: [1, 1] } },
  });
  await api.hub.vault.put("HOOK", "shared-with-the-bot");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  bot.closeAllConnections();
  bot.close();
});
beforeEach(() => {
  received.length = 0;
  failures = 0;
  ignored = () => false;
  ignoring = [];
});

/** Makes a call that nobody made before; gives its id and the call itself. */
async function ask() {
  const thought = `number ${++asked}`;
  const call = () => api.call("think", { thought }, "main");
  const outcome = await call();
  return { id: outcome.error?.details?.approvalId as string, call };
}

describe("/api/approvals", () => {
  it("lists what waits, shows one, and approves it once", async () => {
    const { id, call } = await ask();
    const { approvals } = (await api.request("GET", "/api/approvals")).body;
    expect(approvals.at(-1)).toMatchObject({ id, agent: "main", details: { tool: "think" } });
    const approved = await api.request("POST", `/api/approvals/${id}/approve`, {});
    expect(approved.body.approval).toMatchObject({
      answer: "once",
      answeredAt: now,
      settlement: { by: expect.any(String), from: "api" },
    });
    expect((await call()).outcome).toBe("ok");
    expect((await api.request("POST", `/api/approvals/${id}/approve`, {})).status).toBe(400);
    expect((await api.request("GET", `/api/approvals/${id}`)).body.approval.state).toBe("used");
  });

  it("rejects with a reason, which the caller gets", async () => {
    const { id, call } = await ask();
    await api.request("POST", `/api/approvals/${id}/reject`, { reason: "not now" });
    expect((await call()).error?.message).toContain("not now");
  });

  it("takes no other question for an approval", async () => {
    expect((await api.request("POST", "/api/approvals/qst_none/approve", {})).status).toBe(404);
    const { id } = await ask();
    const odd = await api.request("POST", `/api/approvals/${id}/approve`, { for: "once", pattern: "x" });
    expect(odd.status).toBe(400);
  });

  it("the old way to answer still works, and says who did", async () => {
    const { id, call } = await ask();
    const answered = await api.request("POST", `/api/questions/${id}/answer`, { answer: "once" });
    expect(answered.body.question.settlement).toMatchObject({ from: "api" });
    expect((await call()).outcome).toBe("ok");
  });
});

describe("the webhook", () => {
  async function announced() {
    const { id, call } = await ask();
    await waitUntil("it is announced", () => received.some(({ body }) => body.includes(id)));
    const { body, signature } = received.find((each) => each.body.includes(id))!;
    const told = JSON.parse(body);
    return { id, call, body, signature, told, path: new URL(told.answer.url).pathname };
  }

  const post = (url: string, payload: object) => api.app.inject({ method: "POST", url, payload });

  it("announces a call, signed, without what is a secret", async () => {
    const { id, body, signature, told } = await announced();
    expect(told).toMatchObject({ type: "approval.asked", id, agent: "main", tool: "think" });
    const [, seconds, mac] = /^t=(\d+),v1=(\w+)$/.exec(signature)!;
    expect(Number(seconds)).toBe(Math.floor(now / 1000));
    expect(createHmac("sha256", "shared-with-the-bot").update(`${seconds}.${body}`).digest("hex")).toBe(mac);
    expect(body).not.toContain("shared-with-the-bot");
  });

  it("tries again when the bot fails", async () => {
    failures = 2;
    await announced();
  });

  it("gives a link by which a bot approves once, and not a second time", async () => {
    const { id, call, path } = await announced();
    const answered = await post(path, { answer: "once", by: "eve" });
    expect(answered.json()).toMatchObject({ done: true });
    expect((await api.hub.questions.get(id))?.settlement).toMatchObject({
      from: "webhook",
      by: "eve, by the link",
    });
    expect((await call()).outcome).toBe("ok");
    expect((await post(path, { answer: "once" })).statusCode).toBe(409);
    expect((await call()).outcome).toBe("needs_approval");
  });

  it("gives a link by which a person rejects on a page; looking at it answers nothing", async () => {
    const { call, path } = await announced();
    const page = await api.app.inject({ method: "GET", url: path });
    expect(page.statusCode).toBe(200);
    expect(page.payload).toContain("May main call think?");
    expect((await call()).outcome).toBe("needs_approval");
    const rejected = await api.app.inject({
      method: "POST",
      url: path,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: "reason=odd+%3Cb%3E&answer=reject",
    });
    expect(rejected.payload).toContain("Rejected");
    expect((await call()).error?.details).toEqual({ reason: "odd <b>" });
  });

  it("gives a link that only rejects what wants an admin", async () => {
    await api.hub.vault.put("PROD_KEY", "the-value-of-a-person");
    const set = () => api.call("set_secret", { name: "PROD_KEY", value: "the-value-of-main" }, "main");
    expect((await set()).outcome).toBe("needs_input");
    await waitUntil("it is announced", () => received.length > 0);
    const { answer } = JSON.parse(received[0]!.body);
    expect(answer.answers).toEqual(["reject"]);
    const path = new URL(answer.url).pathname;
    const page = await api.app.inject({ method: "GET", url: path });
    expect(page.payload).toContain("Only an admin may say yes");
    expect(page.payload).not.toContain('value="once"');
    expect((await post(path, { answer: "once" })).statusCode).toBe(403);
    expect((await set()).outcome).toBe("needs_input");
    expect((await post(path, { answer: "reject", reason: "no" })).statusCode).toBe(200);
    expect((await set()).error?.message).toContain("A person rejected this: no");
  });

  it("announces others while the bot does not take some, and none that was answered before its turn", async () => {
    const isOf = (id: string) => (body: string) => body.includes(id);
    const isTold = ({ id }: { id: string }) => received.map(({ body }) => body).some(isOf(id));
    ignored = () => true;
    for (let count = 0; count < 3; count++) await ask();
    await waitUntil("the bot has them", () => ignoring.length === 3);
    ignored = () => false;
    const other = await ask();
    await waitUntil("another is announced", () => isTold(other));
    ignored = () => true;
    await ask();
    await waitUntil("as many as may be are under way", () => ignoring.length === 4);
    const [answered, waiting] = [await ask(), await ask()];
    await api.request("POST", `/api/approvals/${answered.id}/reject`, {});
    ignored = () => false;
    bot.closeAllConnections();
    await waitUntil("the last is announced", () => isTold(waiting));
    expect(isTold(answered)).toBe(false);
  });

  it.each([{ answer: "always" }, { answer: "conversation" }, {}])("does not take %j", async (said) => {
    const { call, path } = await announced();
    expect((await post(path, said)).statusCode).toBe(400);
    expect((await call()).outcome).toBe("needs_approval");
  });

  it("gives links that end, and that nobody can make up", async () => {
    const { path } = await announced();
    now += 61 * 60_000;
    expect((await post(path, { answer: "once" })).statusCode).toBe(404);
    const altered = `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`;
    expect((await post(altered, { answer: "once" })).statusCode).toBe(404);
  });
});
