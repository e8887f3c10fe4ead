import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { IDLE_MS } from "../../../src/call/identity/sessions.ts";
import { type Browser, browser, cookieOf, enter, HOST, type Sent } from "../../support/browser.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { readySchema } from "../../support/ready-schema.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../support/test-api.ts";

describe("a session", () => {
  let now = 1_000_000;
  let api: TestApi;
  let page: Browser;
  beforeAll(async () => {
    api = await testApi({ clock: () => now });
  });
  afterAll(() => api[Symbol.asyncDispose]());
  beforeEach(async () => {
    // Only so many sessions of a person stay, the newest: those of a test are newer than all before.
    now += 1;
    page = await browser(api.app, ADMIN_TOKEN);
    for (const { name } of api.hub.identity.agents()) await api.hub.identity.deleteAgent(name);
  });
  const newAgent: Sent = { method: "POST", url: "/api/agents", payload: { name: "main" } };

  it("opens the API to reading, and says whose it is", async () => {
    expect((await page.send({ url: "/api/agents" })).json()).toEqual({ agents: [] });
    const response = await page.send({ url: "/api/session" });
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.json()).toMatchObject({ kind: "person", name: "owner", role: "admin" });
    const token = await api.request("GET", "/api/session");
    expect(token.body).toMatchObject({ kind: "person", name: "owner", csrfToken: null, expiresAt: null });
  });

  it("opens the API to changes that the page itself makes, with or without a body", async () => {
    expect((await page.send(newAgent)).statusCode).toBe(201);
    expect((await page.send({ method: "POST", url: "/api/login-links" })).statusCode).toBe(201);
    expect((await page.send({ method: "DELETE", url: "/api/agents/main" })).statusCode).toBe(200);
  });

  it.each<[string, Sent["headers"]]>([
    ["of another port of this machine", { origin: "http://127.0.0.1:3000" }],
    ["of another host", { origin: "https://evil.example" }],
    ["of a page without an origin", { origin: "null" }],
    ["that names no origin", { origin: undefined }],
    ["that the browser marks cross-site", { "sec-fetch-site": "cross-site" }],
    ["that the browser marks same-site", { "sec-fetch-site": "same-site" }],
    ["without the session's token", { "x-toolkeep": undefined }],
    ["with something in its place", { "x-toolkeep": "1" }],
    ["with an empty one", { "x-toolkeep": "" }],
    ["sent as a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["sent as a form with files", { "content-type": "multipart/form-data; boundary=x" }],
    ["sent as plain text", { "content-type": "text/plain" }],
    ["sent as what only begins like JSON", { "content-type": "application/jsonp" }],
  ])("does not open it to a change %s", async (_which, headers) => {
    const payload = JSON.stringify(newAgent.payload);
    const type = { "content-type": "application/json" };
    const response = await page.send({ ...newAgent, payload, headers: { ...type, ...headers } });
    expect(response.statusCode).toBe(403);
    expect(response.json().error).toMatchObject({
      code: "FORBIDDEN",
      remedy: expect.stringContaining("csrfToken"),
    });
    expect(api.hub.identity.agents()).toEqual([]);
    expect((await page.send({ ...newAgent, payload, headers: type })).statusCode).toBe(201);
  });

  it("does not open it to a change with the token of another session, of the same person or not", async () => {
    await api.hub.people.add("eve", "admin");
    for (const other of [await browser(api.app, ADMIN_TOKEN), await browser(api.app, ADMIN_TOKEN, "eve")]) {
      const response = await page.send({ ...newAgent, headers: { "x-toolkeep": other.csrf } });
      expect(response.json().error.message).toContain("another session");
    }
    await api.hub.people.remove("eve");
    expect(api.hub.identity.agents()).toEqual([]);
  });

  it("takes a method from nothing but the request line", async () => {
    await api.hub.identity.createAgent("main");
    const url = "/api/agents/main";
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"])
      expect((await page.send({ url, headers: { [name]: "DELETE" } })).statusCode).toBe(200);
    expect((await page.send({ url: `${url}?_method=DELETE` })).statusCode).toBe(200);
    expect((await page.send({ method: "POST", url: `${url}?_method=DELETE` })).statusCode).toBe(404);
    expect(api.hub.identity.agents()).toHaveLength(1);
  });

  it.each(["cross-site", "same-site"])(
    "does not open it to reading that the browser marks %s",
    async (site) => {
      const read = (value: string) =>
        page.send({ url: "/api/status", headers: { "sec-fetch-site": value, "x-toolkeep": undefined } });
      expect((await read(site)).statusCode).toBe(403);
      expect((await read("same-origin")).statusCode).toBe(200);
      expect((await read("none")).statusCode).toBe(200);
    },
  );

  it("ends after twelve hours without a request with 401 and what to do", async () => {
    now += IDLE_MS - 1;
    expect((await page.send({ url: "/api/status" })).statusCode).toBe(200);
    now += IDLE_MS;
    const response = await page.send({ url: "/api/status" });
    expect(response.statusCode).toBe(401);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="toolkeep"');
    expect(response.json().error.message).toContain("toolkeep open");
  });

  it("is ended by its page, alone or with all of its person", async () => {
    const others = [await browser(api.app, ADMIN_TOKEN), await browser(api.app, ADMIN_TOKEN)];
    const left = await page.send({ method: "DELETE", url: "/api/session" });
    expect([left.json(), String(left.headers["set-cookie"])]).toEqual([
      { ended: 1 },
      expect.stringContaining("Max-Age=0"),
    ]);
    expect((await page.send({ url: "/api/session" })).statusCode).toBe(401);
    expect((await others[0]!.send({ url: "/api/session" })).statusCode).toBe(200);
    await others[0]!.send({ method: "DELETE", url: "/api/session?everywhere=true" });
    for (const other of others) expect((await other.send({ url: "/api/session" })).statusCode).toBe(401);
  });

  it("is listed and ended by an admin", async () => {
    await api.hub.people.add("eve", "viewer");
    const hers = await browser(api.app, ADMIN_TOKEN, "eve");
    const { sessions } = (await page.send({ url: "/api/people/eve/sessions" })).json();
    expect(sessions).toEqual([
      expect.objectContaining({ id: expect.stringMatching(/^ses_/), label: "a test", current: false }),
    ]);
    expect(JSON.stringify(sessions)).not.toContain("hash");
    const wrong = await page.send({ method: "DELETE", url: `/api/people/owner/sessions/${sessions[0].id}` });
    expect(wrong.statusCode).toBe(404);
    await page.send({ method: "DELETE", url: `/api/people/eve/sessions/${sessions[0].id}` });
    expect((await hers.send({ url: "/api/session" })).statusCode).toBe(401);
    const again = await browser(api.app, ADMIN_TOKEN, "eve");
    const all = await page.send({ method: "DELETE", url: "/api/people/eve/sessions" });
    expect(all.json()).toEqual({ ended: 1 });
    expect((await again.send({ url: "/api/session" })).statusCode).toBe(401);
    await api.hub.people.remove("eve");
  });

  it("has the role that its person has now, and ends with the person", async () => {
    await api.hub.people.add("eve", "admin");
    const hers = await browser(api.app, ADMIN_TOKEN, "eve");
    expect((await hers.send(newAgent)).statusCode).toBe(201);
    await api.hub.people.edit("eve", { role: "viewer" });
    const refused = await hers.send(newAgent);
    expect(refused.json().error).toMatchObject({
      code: "FORBIDDEN",
      message: "POST /api/agents wants the role admin; eve has the role viewer",
      details: { role: "viewer", wanted: "admin" },
    });
    await api.hub.people.remove("eve");
    expect((await hers.send({ url: "/api/session" })).statusCode).toBe(401);
  });

  it("does not stand in for a token that is wrong or an agent's", async () => {
    await api.hub.identity.createAgent("main");
    const { token } = await api.hub.identity.createToken({ agent: "main" });
    const send = (bearer: string) =>
      page.send({ url: "/api/status", headers: { authorization: `Bearer ${bearer}` } });
    expect((await send("tk_sk_wrong")).statusCode).toBe(401);
    const agents = await send(token);
    expect(agents.statusCode).toBe(403);
    expect(agents.json().error).toMatchObject({
      code: "FORBIDDEN",
      remedy: expect.stringContaining("--admin"),
    });
  });

  it("that nobody issued opens nothing", async () => {
    const headers = { host: HOST, cookie: "other=1; toolkeep_session=made-up" };
    expect((await api.app.inject({ url: "/api/status", headers })).statusCode).toBe(401);
  });
});

it("where the public address is https, a session is bound to it and to encryption", async () => {
  const url = () => "https://tools.example";
  await using api = await testApi({ options: { url } });
  const { body } = await api.request("POST", "/api/login-links");
  const headers = { host: "10.0.0.7:19850", origin: "https://tools.example" };
  const login = await api.app.inject({
    method: "POST",
    url: "/login",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    payload: new URL(body.url).searchParams.toString(),
  });
  expect(String(login.headers["set-cookie"])).toMatch(
    /^__Host-toolkeep_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/,
  );
  const cookie = cookieOf(login);
  const session = await api.app.inject({ url: "/api/session", headers: { ...headers, cookie } });
  const created = await api.app.inject({
    method: "POST",
    url: "/api/agents",
    headers: { ...headers, cookie, "x-toolkeep": session.json().csrfToken },
    payload: { name: "main" },
  });
  expect(created.statusCode).toBe(201);
  const weaker = cookie.replace("__Host-", "");
  const refused = await api.app.inject({ url: "/api/session", headers: { ...headers, cookie: weaker } });
  expect(refused.statusCode).toBe(401);
});

it("an admin token needs no origin: no browser sends it by itself", async () => {
  await using api = await testApi();
  const { token } = await api.hub.identity.createToken({});
  const response = await api.app.inject({
    method: "POST",
    url: "/api/agents",
    headers: { authorization: `Bearer ${token}` },
    payload: { name: "main" },
  });
  expect(response.statusCode).toBe(201);
});

it.skipIf(!hasPostgres())(
  "an admin token, a link and a session work at another process on the same database at once, and end there",
  async () => {
    await using schema = await readySchema();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: Buffer.alloc(32, 7).toString("base64") };
    await using one = await testApi({ env });
    await using other = await testApi({ env });
    const { token } = await one.hub.identity.createToken({});
    const send = (bearer: string) =>
      other.app.inject({ url: "/api/status", headers: { authorization: `Bearer ${bearer}` } });
    expect((await send(token)).statusCode).toBe(200);
    expect((await send(token.replace(/.{4}$/, "AAAA"))).statusCode).toBe(401);

    await one.hub.people.add("eve", "operator");
    const link = (await one.request("POST", "/api/login-links", { person: "eve" })).body.url;
    const cookie = cookieOf(await enter(other.app, link));
    const ask = (api: TestApi) => api.app.inject({ url: "/api/session", headers: { host: HOST, cookie } });
    for (const api of [one, other])
      expect((await ask(api)).json()).toMatchObject({ name: "eve", role: "operator" });
    const revoked = new Promise((resolve) => other.hub.events.on("person.changed", resolve));
    await one.hub.people.edit("eve", { disabled: true });
    await revoked;
    expect((await ask(other)).statusCode).toBe(401);
  },
);
