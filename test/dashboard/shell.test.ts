import { describe, expect, it } from "vitest";
import { signIn, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { inDeep } from "../support/length.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

describe.skipIf(withoutDashboard)("the dashboard", () => {
  it("opens by a link and leaves nothing of it in the address", async () => {
    await using dashboard = await testDashboard();
    const { api, url, complaints } = dashboard;
    const { url: link } = await api<{ url: string }>("POST", "/login-links", {});
    const page = await signIn({ link, url, path: "/", complaints });
    await using context = page.context();
    expect(page.url()).toBe(`${dashboard.url}/`);
    await page.getByRole("link", { name: "Servers", exact: true }).click();
    await page.getByRole("heading", { name: "Servers", level: 1 }).waitFor();
    expect(page.url()).toBe(`${dashboard.url}/servers`);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(dashboard.complaints).toEqual([]);
  });

  it("says how to get in to whoever is signed out, at every address", async () => {
    await using dashboard = await testDashboard();
    const page = await (await sharedBrowser()).newPage();
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
    const page = await dashboard.open();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cloud");
    await page.getByRole("option", { name: "cloudy" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "cloudy" }).waitFor();
    expect(page.url()).toBe(`${dashboard.url}/servers/cloudy`);
    await page.keyboard.press("Escape");
    await page.waitForURL(`${dashboard.url}/servers`);
  });

  inDeep("waits for the daemon where a page is not loaded yet, and shows it then", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open();
    await page.getByText("All caught up.").waitFor();
    await page.context().route("**/*", (route) => route.abort());
    await page.getByRole("link", { name: "Vault", exact: true }).click();
    await page.getByRole("status", { name: "Loading" }).waitFor();
    // Long enough for it to have asked whether the daemon is there.
    await page.waitForRequest(/\/api\/session/);
    expect(page.url()).toBe(`${dashboard.url}/vault`);
    await page.context().unroute("**/*");
    await page.getByRole("heading", { name: "Vault", level: 1 }).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('toolkeep.reloaded')")).toBe(null);
  });
});
