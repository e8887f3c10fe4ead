import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { remoteServer } from "../support/remote-server.ts";

describe.skipIf(withoutDashboard)("the dashboard in a hostile browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("runs no script that was put into the page, and turns no text into markup", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open(browser);
    const ran = await page.evaluate(`(async () => {
      const said = [];
      addEventListener("securitypolicyviolation", ({ effectiveDirective }) => said.push(effectiveDirective));
      const script = document.createElement("script");
      try { script.textContent = "window.owned = true"; document.body.append(script); } catch (error) { said.push(error.name); }
      try { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.owned = true'>"); } catch (error) { said.push(error.name); }
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { owned: window.owned ?? false, said };
    })()`);
    expect(ran).toMatchObject({ owned: false });
    expect((ran as { said: string[] }).said.length).toBeGreaterThan(0);
  });

  it("does nothing for a page of another origin, though the browser is signed in", async () => {
    await using dashboard = await testDashboard();
    await using evil = await remoteServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>evil</h1>"),
    );
    const page = await dashboard.open(browser);
    await page.goto(evil.url);
    const status = await page.evaluate(`fetch("${dashboard.url}/api/agents", {
      method: "POST", credentials: "include", mode: "no-cors",
      headers: { "content-type": "text/plain" }, body: JSON.stringify({ name: "planted" }),
    }).then(() => "sent", () => "refused")`);
    expect(["sent", "refused"]).toContain(status);
    expect(
      await page.evaluate(`fetch("${dashboard.url}/api/agents").then(() => "read", () => "refused")`),
    ).toBe("refused");
    expect(dashboard.hub.identity.agents().map(({ name }) => name)).not.toContain("planted");
  });

  it("refuses a change without the token of the session, from its own page", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open(browser);
    const send = (headers: object) =>
      page.evaluate(
        `fetch("/api/agents", { method: "POST", headers: ${JSON.stringify({ "content-type": "application/json", ...headers })}, body: '{"name":"mine"}' }).then(({ status }) => status)`,
      );
    expect(await send({})).toBe(403);
    expect(await send({ "x-toolkeep": "guessed" })).toBe(403);
    expect(dashboard.hub.identity.agents().map(({ name }) => name)).not.toContain("mine");
  });

  it("is shown in no frame", async () => {
    await using dashboard = await testDashboard();
    const { url } = dashboard;
    await using evil = await remoteServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<iframe src="${url}/"></iframe>`),
    );
    const page = await dashboard.open(browser);
    await page.goto(evil.url);
    const frame = page.frames()[1];
    expect(frame?.url() ?? "").not.toBe(`${url}/`);
  });

  it("ends on screen when its session does", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open(browser, "/servers");
    await page.getByText("No server yet").waitFor();
    await dashboard.api("DELETE", "/people/owner/sessions");
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
  });
});
