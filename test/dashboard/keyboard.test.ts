import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type TestDashboard, testDashboard, withoutDashboard } from "../support/dashboard.ts";
import { sampleOf } from "../support/length.ts";

const PHONE = { context: { viewport: { width: 390, height: 780 } } };

/** What has the focus, in words. */
const focused = (page: Page) =>
  page.evaluate(
    `(() => { const at = document.activeElement; return at.getAttribute("aria-label") || (at.matches("aside, dialog") ? at.tagName.toLowerCase() : at.innerText.trim().split("\\n")[0] || at.tagName.toLowerCase()); })()`,
  );

async function withServers(count: number): Promise<TestDashboard> {
  const dashboard = await testDashboard();
  for (let at = 0; at < count; at++)
    await dashboard.api("POST", "/servers", {
      name: `server-${String(at).padStart(2, "0")}`,
      url: "http://127.0.0.1:9/mcp",
      enabled: false,
    });
  return dashboard;
}

describe.skipIf(withoutDashboard)("the dashboard by keys alone", () => {
  it("a list is one stop of Tab, however long it is; arrows, j, k, Home and End move in it", async () => {
    await using dashboard = await testDashboard();
    const page = await dashboard.open("/tools");
    const rows = page.getByRole("region", { name: "Tools" }).locator("[data-row] a");
    await rows.first().waitFor();
    expect(
      await rows.evaluateAll((links) => links.filter((link) => link.matches('[tabindex="0"]')).length),
    ).toBe(1);
    await page.locator("#page").focus();
    await page.keyboard.press("j");
    const first = await focused(page);
    expect(first).toBe((await rows.first().textContent())?.trim());
    await page.keyboard.press("ArrowDown");
    const second = await focused(page);
    expect(second).not.toBe(first);
    await page.keyboard.press("k");
    expect(await focused(page)).toBe(first);
    // The same row once more, after the focus was elsewhere.
    await page.keyboard.press("End");
    const last = await focused(page);
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Tab");
    await page.locator("#page").focus();
    await page.keyboard.press("k");
    expect(await focused(page)).toBe(last);
    await page.keyboard.press("Home");
    expect(await focused(page)).toBe(first);
    await page.keyboard.press("j");
    expect(await focused(page)).toBe(second);
  });

  it("Enter opens a row's details and goes into them; closing goes back to the row", async () => {
    await using dashboard = await withServers(3);
    const page = await dashboard.open("/servers");
    await page.getByRole("link", { name: "server-01" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("server-01");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "server-01" }).waitFor();
    expect(await focused(page)).toBe("aside");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('aside') !== null")).toBe(true);
    await page.keyboard.press("Escape");
    await page.waitForURL(`${dashboard.url}/servers`);
    expect(await focused(page)).toBe("server-01");
    // A pointer leaves the focus in the list.
    await page.getByRole("link", { name: "server-00" }).click();
    await page.getByRole("heading", { name: "server-00" }).waitFor();
    expect(await focused(page)).toBe("server-00");
  });

  it("details that cover the list keep it out of reach, and what opened them gets the focus back", async () => {
    await using dashboard = await withServers(2);
    const page = await dashboard.open("/servers", PHONE);
    await page.getByRole("link", { name: "server-01" }).click();
    await page.getByRole("heading", { name: "server-01" }).waitFor();
    expect(await focused(page)).toBe("aside");
    const other = page.getByRole("link", { name: "server-00" });
    expect(await other.evaluate((link) => link.closest("[inert]") !== null)).toBe(true);
    await page.getByRole("button", { name: "Close details" }).click();
    await page.waitForURL(`${dashboard.url}/servers`);
    expect(await other.evaluate((link) => link.closest("[inert]") !== null)).toBe(false);
    expect(await focused(page)).toBe("server-01");
  });

  it("Tab stays in every window, Escape closes it, and the focus goes back to what opened it", async () => {
    await using dashboard = await testDashboard({ agents: { worker: [] } });
    await dashboard.api("POST", "/servers", {
      name: "cloudy",
      url: "http://127.0.0.1:9/mcp",
      enabled: false,
    });
    await dashboard.api("PUT", "/secrets/API_KEY", { value: "s3cret" }).catch(() => {});
    const page = await dashboard.open();
    const windows: readonly (readonly [path: string, opener: string, item?: string])[] = [
      ["/servers", "Add server"],
      ["/servers", "Import"],
      ["/servers/cloudy", "Test"],
      ["/servers/cloudy", "More actions for cloudy", "Remove"],
      ["/agents/worker?tab=tokens", "Create token"],
      ["/vault", "Add secret"],
      ["/users", "Add person"],
      ["/rules", "Add rule"],
      ["/knowledge/sources", "Add source"],
      ["/", "Find"],
    ];
    const wrong: string[] = [];
    for (const [path, opener, item] of sampleOf(windows, 3)) {
      await page.goto(dashboard.url + path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      const button = page
        .locator("main, nav, body")
        .getByRole("button", { name: opener })
        .or(page.getByRole("link", { name: opener }))
        .first();
      await button.focus();
      const before = await focused(page);
      await page.keyboard.press("Enter");
      if (item) await page.getByRole("menuitem", { name: item }).press("Enter");
      await page.locator("dialog[open]").waitFor();
      await page.evaluate(`window.left = 0;
        document.addEventListener("focusin", ({ target }) => { if (document.querySelector("dialog[open]") && !target.closest("dialog[open]")) window.left += 1; });`);
      for (let at = 0; at < 12; at++) await page.keyboard.press("Shift+Tab");
      for (let at = 0; at < 14; at++) await page.keyboard.press("Tab");
      const isInside = await page.evaluate(
        "window.left === 0 && document.activeElement.closest('dialog[open]') !== null",
      );
      if (!isInside) wrong.push(`${path} ${opener}: the focus left the window`);
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
      if ((await focused(page)) !== before)
        wrong.push(`${path} ${opener}: ${before} had the focus, now ${await focused(page)}`);
    }
    expect(wrong).toEqual([]);
    expect(dashboard.complaints).toEqual([]);
  }, 150_000);
});
