import { describe, expect, it } from "vitest";
import { html } from "../../../../../src/surfaces/api/pages/html.ts";
import { browser, cookieOf, enter, HOST, ORIGIN } from "../../../../support/browser.ts";
import { builtDashboard } from "../../../../support/built-dashboard.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../../../support/test-api.ts";

describe("the dashboard", () => {
  it("without a session only says how to get one", async () => {
    await using api = await testApi({ agents: { "secret-agent": [] } });
    const response = await api.app.inject({ url: "/" });
    expect(response.statusCode).toBe(401);
    expect(response.body).toContain("toolkeep open");
    expect(response.body).not.toContain("secret-agent");
  });

  it("opens by a link that works once and leaves no code in the address", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    const link = await newLink(api);
    const login = await enter(api.app, link);
    expect(login.statusCode).toBe(303);
    expect(login.headers.location).toBe("./");
    expect(login.headers["cache-control"]).toBe("no-store");
    expect(String(login.headers["set-cookie"])).toMatch(
      /^toolkeep_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    const page = await api.app.inject({ url: "/", headers: { cookie: cookieOf(login) } });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('<script type="module" src="./assets/main.js">');
    expect(page.body).not.toContain(new URL(link).searchParams.get("code"));
    const again = await enter(api.app, link);
    expect([again.statusCode, again.headers["set-cookie"]]).toEqual([401, undefined]);
  });

  it("is not used up by whatever looks at the link in advance", async () => {
    await using api = await testApi();
    const link = await newLink(api);
    const { pathname, search } = new URL(link);
    for (const method of ["HEAD", "GET", "GET"] as const) {
      const looked = await api.app.inject({ method, url: pathname + search });
      expect([looked.statusCode, looked.headers["set-cookie"]]).toEqual([200, undefined]);
      expect(looked.headers["cache-control"]).toBe("no-store");
      expect(looked.headers["referrer-policy"]).toBe("same-origin");
    }
    expect((await enter(api.app, link)).statusCode).toBe(303);
  });

  it.each([
    ["from another page", { origin: "https://evil.example" }],
    ["without an origin", { origin: undefined }],
    ["from a page without an origin", { origin: "null" }],
  ])("takes no link that is sent %s", async (_from, change) => {
    await using api = await testApi();
    const link = await newLink(api);
    const headers = { host: HOST, "content-type": "application/x-www-form-urlencoded", ...change };
    const sent = await api.app.inject({
      method: "POST",
      url: "/login",
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      payload: new URL(link).searchParams.toString(),
    });
    expect([sent.statusCode, sent.headers["set-cookie"]]).toEqual([403, undefined]);
    expect((await enter(api.app, link)).statusCode).toBe(303);
  });

  it("lets nobody try one link after another", async () => {
    await using api = await testApi({ settings: { rate_limits: { failures_per_minute: 3 } } });
    const tried = [];
    for (const code of ["a", "b", "c", "d"])
      tried.push((await enter(api.app, `${ORIGIN}/login?code=${code}`)).statusCode);
    expect(tried).toEqual([401, 401, 401, 429]);
  });

  it("ends the session with the button on it, and not with a form of somebody else", async () => {
    await using api = await testApi();
    const one = await browser(api.app, ADMIN_TOKEN);
    const other = await browser(api.app, ADMIN_TOKEN);
    const logout = (csrf: string, origin = ORIGIN) =>
      one.send({
        method: "POST",
        url: "/logout",
        headers: { "content-type": "application/x-www-form-urlencoded", "x-toolkeep": undefined, origin },
        payload: new URLSearchParams({ csrf }).toString(),
      });
    expect((await logout(other.csrf)).statusCode).toBe(403);
    expect((await logout(one.csrf, "https://evil.example")).statusCode).toBe(403);
    const left = await logout(one.csrf);
    expect([left.statusCode, String(left.headers["set-cookie"])]).toEqual([
      303,
      "toolkeep_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    expect((await one.send({ url: "/" })).statusCode).toBe(401);
    expect((await other.send({ url: "/api/session" })).statusCode).toBe(200);
  });

  it("runs no script and takes nothing from elsewhere", async () => {
    await using api = await testApi();
    const response = await api.app.inject({ url: "/" });
    const policy = String(response.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; style-src 'self'");
    expect(policy).not.toContain("unsafe-inline");
    expect(response.body).not.toMatch(/<script|style="/);
    expect(response.headers).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
    });
    expect(policy).toContain("frame-ancestors 'none'; base-uri 'none'");
    const code = `"><script>alert(1)</script>`;
    const login = await api.app.inject({ url: `/login?code=${encodeURIComponent(code)}` });
    expect(login.body).not.toContain("<script");
    expect(login.headers["content-security-policy"]).toContain("form-action 'self'");
    expect((await api.app.inject({ url: "/style.css" })).headers["content-type"]).toContain("text/css");
  });
});

describe("html", () => {
  it("escapes values, keeps markup and joins lists", () => {
    const items = ["<a>", `"b" & 'c'`].map((item) => html`<li>${item}</li>`);
    expect(html`<ul title="${'x">'}">${items}${undefined}</ul>`.text).toBe(
      '<ul title="x&quot;&gt;"><li>&lt;a&gt;</li><li>&quot;b&quot; &amp; &#39;c&#39;</li></ul>',
    );
  });
});

async function newLink(api: TestApi): Promise<string> {
  return (await api.request("POST", "/api/login-links")).body.url;
}
