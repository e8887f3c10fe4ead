import { describe, expect, it } from "vitest";
import { html } from "../../../src/api/html.ts";
import { type TestApi, testApi } from "../../support/test-api.ts";

describe("the page for people", () => {
  it("without a session only says how to get one", async () => {
    await using api = await testApi({ agents: { "secret-agent": [] } });
    const response = await api.app.inject({ url: "/" });
    expect(response.statusCode).toBe(401);
    expect(response.body).toContain("toolkeep open");
    expect(response.body).not.toContain("secret-agent");
  });

  it("opens by a link that works once and leaves no code in the address", async () => {
    await using api = await testApi({ agents: { main: [] } });
    const link = await newLink(api);
    const login = await api.app.inject({ url: link });
    expect(login.statusCode).toBe(303);
    expect(login.headers.location).toBe("/");
    const cookie = String(login.headers["set-cookie"]);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict;/);

    const page = await api.app.inject({ url: "/", headers: { cookie: cookie.split(";")[0] } });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("main");
    expect((await api.app.inject({ url: link })).statusCode).toBe(401);
  });

  it("is not used up by a HEAD request", async () => {
    await using api = await testApi();
    const link = await newLink(api);
    expect((await api.app.inject({ method: "HEAD", url: link })).statusCode).toBe(404);
    expect((await api.app.inject({ url: link })).statusCode).toBe(303);
  });

  it("refuses a link after ten minutes", async () => {
    let now = 0;
    await using api = await testApi({ clock: () => now });
    const link = await newLink(api);
    now += 10 * 60_000;
    expect((await api.app.inject({ url: link })).statusCode).toBe(401);
  });

  it("runs no script and takes nothing from elsewhere", async () => {
    await using api = await testApi();
    const response = await api.app.inject({ url: "/" });
    const policy = String(response.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; style-src 'self'");
    expect(policy).not.toContain("unsafe-inline");
    expect(response.body).not.toMatch(/<script|style="/);
    expect((await api.app.inject({ url: "/style.css" })).headers["content-type"]).toContain("text/css");
  });

  it("escapes what others wrote", async () => {
    await using api = await testApi();
    await api.request("POST", "/api/agents", { name: "a", description: "<script>alert('x')</script>" });
    const login = await api.app.inject({ url: await newLink(api) });
    const cookie = String(login.headers["set-cookie"]).split(";")[0];
    const page = await api.app.inject({ url: "/", headers: { cookie } });
    expect(page.body).toContain("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
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
  const { url } = (await api.request("POST", "/api/login-links")).body;
  return url.replace("http://127.0.0.1:19850", "");
}
