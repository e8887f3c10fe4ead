import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { DASHBOARD_PAGES } from "../../../../src/surfaces/api/pages/dashboard-paths.ts";
import { browser } from "../../../support/browser.ts";
import { builtDashboard } from "../../../support/built-dashboard.ts";
import { ADMIN_TOKEN, testApi } from "../../../support/test-api.ts";

describe("the routes of the dashboard", () => {
  it("answer every address of a page with the page, whose parts are found from there", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    const person = await browser(api.app, ADMIN_TOKEN);
    for (const [url, part] of [
      ["/", "./assets/main.js"],
      ["/servers?q=x/y", "./assets/main.js"],
      ["/servers/one", "../assets/main.js"],
      ["/tools/a/b", "../../assets/main.js"],
      ...DASHBOARD_PAGES.map((word) => [`/${word}`, "./assets/main.js"]),
    ] as const) {
      const page = await person.send({ url });
      expect([url, page.statusCode, page.headers["cache-control"]]).toEqual([url, 200, "no-store"]);
      expect(page.body).toContain(`src="${part}"`);
    }
    expect((await person.send({ url: "/elsewhere" })).statusCode).toBe(404);
  });

  it("show nothing of it to whoever is signed out", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    const page = await api.app.inject({ url: "/servers/one" });
    expect(page.statusCode).toBe(401);
    expect(page.body).toContain('href="../style.css"');
    expect(page.body).not.toContain("main.js");
  });

  it("answer a request line without a path as they answer /", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    for (const method of ["GET", "HEAD"]) {
      const asking = request({ host: "127.0.0.1", port, method, path: "*" }).end();
      const [answer] = (await once(asking, "response")) as [IncomingMessage];
      answer.resume();
      expect([method, answer.statusCode]).toEqual([method, 401]);
    }
  });

  it("allow scripts and styles of files only, and no text that becomes markup", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    const person = await browser(api.app, ADMIN_TOKEN);
    const { headers } = await person.send({ url: "/" });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|data:|blob:/);
    expect(headers).toMatchObject({ "x-frame-options": "DENY", "x-content-type-options": "nosniff" });
  });

  it("send parts compressed as the browser can take them, to be kept for good", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    const get = (accepted: string) =>
      api.app.inject({ url: "/assets/main.js", headers: { "accept-encoding": accepted } });
    for (const [accepted, body] of [
      ["gzip, deflate, br", "brotli"],
      ["gzip", "gzip"],
      ["br;q=0, gzip;q=1", "gzip"],
      ["identity", "plain"],
    ] as const) {
      const part = await get(accepted);
      expect([accepted, part.body]).toEqual([accepted, body]);
      expect(part.headers).toMatchObject({
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "text/javascript; charset=utf-8",
        vary: "accept-encoding",
      });
    }
  });

  it("give away no file beside the parts", async () => {
    await using api = await testApi({ options: { dashboard: await builtDashboard() } });
    for (const name of [
      "..%2fsecret.js",
      "%2e%2e%2fsecret.js",
      "../secret.js",
      "none.js",
      ".js",
      "main.js.br",
    ]) {
      const answer = await api.app.inject({ url: `/assets/${name}` });
      expect([name, answer.statusCode]).toEqual([name, 404]);
    }
  });

  it("say what to do where nobody has built it", async () => {
    await using api = await testApi();
    const person = await browser(api.app, ADMIN_TOKEN);
    const page = await person.send({ url: "/" });
    expect(page.statusCode).toBe(503);
    expect(page.body).toContain("npm run build");
  });
});
