import { describe, expect, it } from "vitest";
import { hasPostgres, scopedSchema } from "../support/postgres.ts";
import { type TestApi, testApi } from "../support/test-api.ts";

const HOST = "127.0.0.1:19850";
const ORIGIN = `http://${HOST}`;

/** A browser that followed the link of `toolkeep open`, and what it sends along by itself. */
async function browser(api: TestApi) {
  const { url } = (await api.request("POST", "/api/login-links")).body;
  const login = await api.app.inject({ url: url.replace(ORIGIN, "") });
  const cookie = String(login.headers["set-cookie"]).split(";")[0]!;
  return (method: "GET" | "POST", path: string, headers: Record<string, string> = {}, payload?: object) =>
    api.app.inject({
      method,
      url: path,
      headers: { host: HOST, cookie, ...headers },
      ...(payload ? { payload } : {}),
    });
}

describe("a session", () => {
  it("opens the API to reading", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const send = await browser(api);
    const response = await send("GET", "/api/agents");
    expect(response.statusCode).toBe(200);
    expect(response.json().agents).toHaveLength(1);
  });

  it("opens the API to changes that the page itself makes, with JSON or with its header", async () => {
    await using api = await testApi();
    const send = await browser(api);
    const created = await send("POST", "/api/agents", { origin: ORIGIN }, { name: "main" });
    expect(created.statusCode).toBe(201);
    const link = await send("POST", "/api/login-links", { origin: ORIGIN, "x-toolkeep": "1" });
    expect(link.statusCode).toBe(201);
  });

  it("opens it where the page is reached by its public address", async () => {
    const url = () => "https://tools.example";
    await using api = await testApi({ options: { url } });
    const { body } = await api.request("POST", "/api/login-links");
    const login = await api.app.inject({ url: body.url.replace("https://tools.example", "") });
    const cookie = String(login.headers["set-cookie"]);
    expect(cookie).toMatch(/; Secure$/);
    const created = await api.app.inject({
      method: "POST",
      url: "/api/agents",
      headers: { host: "10.0.0.7:19850", origin: "https://tools.example", cookie: cookie.split(";")[0]! },
      payload: { name: "main" },
    });
    expect(created.statusCode).toBe(201);
  });

  it.each([
    ["of another port of this machine", { origin: "http://127.0.0.1:3000" }],
    ["of another host", { origin: "https://evil.example" }],
    ["of a page without an origin", { origin: "null" }],
    ["that names no origin", {}],
  ])("does not open it to a change %s", async (_whose, headers) => {
    await using api = await testApi();
    const send = await browser(api);
    const response = await send("POST", "/api/agents", headers as Record<string, string>, { name: "main" });
    expect(response.statusCode).toBe(403);
    expect(response.json().error).toMatchObject({
      code: "FORBIDDEN",
      remedy: expect.stringContaining("X-Toolkeep"),
    });
    expect(api.hub.identity.agents()).toEqual([]);
  });

  it("does not open it to what a form can send", async () => {
    await using api = await testApi();
    const send = await browser(api);
    const bare = await send("POST", "/api/login-links", { origin: ORIGIN });
    expect(bare.statusCode).toBe(403);
    const form = { origin: ORIGIN, "content-type": "text/plain" };
    expect((await send("POST", "/api/backup", form)).statusCode).toBe(403);
  });

  it.each(["cross-site", "same-site"])(
    "does not open it to reading that the browser marks %s",
    async (site) => {
      await using api = await testApi();
      const send = await browser(api);
      expect((await send("GET", "/api/status", { "sec-fetch-site": site })).statusCode).toBe(403);
      expect((await send("GET", "/api/status", { "sec-fetch-site": "same-origin" })).statusCode).toBe(200);
      expect((await send("GET", "/api/status", { "sec-fetch-site": "none" })).statusCode).toBe(200);
    },
  );

  it("ends after twelve hours with 401 and what to do", async () => {
    let now = 0;
    await using api = await testApi({ clock: () => now });
    const send = await browser(api);
    now += 12 * 3_600_000 - 1;
    expect((await send("GET", "/api/status")).statusCode).toBe(200);
    now += 1;
    const response = await send("GET", "/api/status");
    expect(response.statusCode).toBe(401);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="toolkeep"');
    expect(response.json().error.message).toContain("toolkeep open");
  });

  it("does not stand in for a token that is wrong or an agent's", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const send = await browser(api);
    const { token } = await api.hub.identity.createToken({ agent: "main" });
    const wrong = await send("GET", "/api/status", { authorization: "Bearer tk_sk_wrong" });
    expect(wrong.statusCode).toBe(401);
    const agents = await send("GET", "/api/status", { authorization: `Bearer ${token}` });
    expect(agents.statusCode).toBe(403);
    expect(agents.json().error).toMatchObject({
      code: "FORBIDDEN",
      remedy: expect.stringContaining("--admin"),
    });
  });

  it("that nobody issued opens nothing", async () => {
    await using api = await testApi();
    const headers = { host: HOST, cookie: "other=1; toolkeep_session=made-up" };
    expect((await api.app.inject({ url: "/api/status", headers })).statusCode).toBe(401);
  });
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
  "an admin token works at another process on the same database at once",
  async () => {
    await using schema = await scopedSchema();
    const env = { DATABASE_URL: schema.url, TOOLKEEP_KEY: Buffer.alloc(32, 7).toString("base64") };
    await using one = await testApi({ env });
    await using other = await testApi({ env });
    const { token } = await one.hub.identity.createToken({});
    const send = (bearer: string) =>
      other.app.inject({ url: "/api/status", headers: { authorization: `Bearer ${bearer}` } });
    expect((await send(token)).statusCode).toBe(200);
    expect((await send(token.replace(/.{4}$/, "AAAA"))).statusCode).toBe(401);
  },
);
