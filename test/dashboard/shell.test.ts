import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { launchBrowser, testDashboard, withoutDashboard } from "../support/dashboard.ts";

describe.skipIf(withoutDashboard)("the dashboard", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("opens by a link and leaves nothing of it in the address", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open(browser);
    expect(page.url()).toBe(`${dashboard.url}/`);
    await page.getByRole("link", { name: "Servers", exact: true }).click();
    await page.getByRole("heading", { name: "Servers", level: 1 }).waitFor();
    expect(page.url()).toBe(`${dashboard.url}/servers`);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(dashboard.complaints).toEqual([]);
  });

  it("says how to get in to whoever is signed out, at every address", async () => {
    await using dashboard = await testDashboard();
    const page = await browser.newPage();
    for (const path of ["/", "/servers", "/servers/some/thing"]) {
      const answer = await page.goto(dashboard.url + path);
      expect(answer?.status()).toBe(401);
      expect(await page.textContent("body")).toContain("toolkeep open");
      // Its stylesheet is found from there.
      expect(await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")).not.toBe(
        "none",
      );
    }
    await page.close();
  });

  it("reaches any page, server and tool by Ctrl-K", async () => {
    await using dashboard = await testDashboard({ agents: { worker: [] } });
    await dashboard.api("POST", "/servers", { name: "cloudy", url: "http://127.0.0.1:9/mcp" });
    const page = await dashboard.open(browser);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cloud");
    await page.getByRole("option", { name: "cloudy" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "cloudy" }).waitFor();
    expect(page.url()).toBe(`${dashboard.url}/servers/cloudy`);
    await page.keyboard.press("Escape");
    await page.waitForURL(`${dashboard.url}/servers`);
  });

  it("shows in one browser what another changes, within a second", async () => {
    await using dashboard = await testDashboard();
    const one = await dashboard.open(browser, "/servers");
    const other = await dashboard.open(browser, "/servers");
    await one.getByText("No server").first().waitFor();
    const began = Date.now();
    await dashboard.api("POST", "/servers", { name: "fresh", url: "http://127.0.0.1:9/mcp" });
    await Promise.all([one, other].map((page) => page.getByRole("link", { name: "fresh" }).waitFor()));
    expect(Date.now() - began).toBeLessThan(1_500);
  });

  it("has nothing that axe finds serious, light and dark", async () => {
    await using dashboard = await testDashboard();
    await dashboard.api("POST", "/servers", { name: "cloudy", url: "http://127.0.0.1:9/mcp" });
    const page = await dashboard.open(browser, "/servers/cloudy");
    await page.getByRole("heading", { name: "cloudy" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
